"""What a module may import: the core very little, everybody else each library in its one place."""

import ast

from tests.architecture.source import imports, listed, modules, outside

CORE_MAY_IMPORT = {
    "__future__",
    "base64",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "difflib",
    "enum",
    "functools",
    "graphlib",
    "hashlib",
    "heapq",
    "hmac",
    "itertools",
    "json",
    "math",
    "msgspec",
    "operator",
    "rapidfuzz",
    "re",
    "string",
    "textwrap",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
}
"""Pure computing: no clock, no file, no network, no chance, no process."""

CORE_MAY_NOT_CALL = {"open", "print", "input", "exec", "eval", "__import__"}

PLACE_OF_A_LIBRARY = {
    "sqlalchemy": ("twice.store",),
    "alembic": ("twice.store",),
    "click": ("twice.faces",),
    "rich": ("twice.faces",),
    "Stemmer": ("twice.learners",),
}
"""Libraries that one place alone may know, so that they can be replaced there."""

NETWORK = ("socket", "ssl", "http", "urllib.request", "urllib3", "requests", "httpx", "aiohttp")
"""What could reach another machine. Nothing needs it."""


def test_the_core_imports_only_what_is_on_the_short_list() -> None:
    flaws = [
        f"{module.at(node)} imports {name}"
        for module in modules()
        if module.within("twice.core")
        for node, name in imports(module)
        if name not in CORE_MAY_IMPORT and not f"{name}.".startswith("twice.core.")
    ]
    assert not flaws, listed(flaws)


def test_the_core_touches_no_file_and_no_screen() -> None:
    flaws = [
        f"{module.at(node)} calls {node.func.id}"
        for module in modules()
        if module.within("twice.core")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in CORE_MAY_NOT_CALL
    ]
    assert not flaws, listed(flaws)


def test_each_library_is_known_in_one_place() -> None:
    flaws = [
        f"{module.at(node)} imports {name}, which belongs to {' or '.join(places)}"
        for module in modules()
        for node, name in imports(module)
        if (places := PLACE_OF_A_LIBRARY.get(outside(name), ()))
        if not module.within(*places)
    ]
    assert not flaws, listed(flaws)


def test_nothing_can_reach_another_machine() -> None:
    flaws = [
        f"{module.at(node)} imports {name}"
        for module in modules()
        for node, name in imports(module)
        if any(f"{name}.".startswith(f"{library}.") for library in NETWORK)
    ]
    assert not flaws, listed(flaws)


def test_imports_are_absolute() -> None:
    flaws = [
        f"{module.at(node)} imports {name}"
        for module in modules()
        for node, name in imports(module)
        if name.startswith(".")
    ]
    assert not flaws, listed(flaws)


def test_only_faces_are_async() -> None:
    coloured = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    flaws = [
        f"{module.at(node)} is async below the faces"
        for module in modules()
        if not module.within("twice.faces")
        for node in ast.walk(module.tree)
        if isinstance(node, coloured)
    ]
    assert not flaws, listed(flaws)
