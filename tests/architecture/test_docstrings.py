"""What every public name says of itself: one plain sentence first."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.architecture.source import Module, is_public, listed, modules

PORTS = "twice.ports"
SENTENCE = re.compile(r"^[^a-z\s].*[.?!:…]$")
Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public(module: Module) -> Iterator[tuple[str, Documented]]:
    """Yield the public classes, functions and methods of a module.

    A method whose name is a port's is left out: the port says what it does. So are overloads.
    """
    for node in module.tree.body:
        if not isinstance(node, Documented) or not is_public(node.name):
            continue
        yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from methods(module, node)


def methods(module: Module, parent: ast.ClassDef) -> Iterator[tuple[str, Documented]]:
    """Yield the public methods of a class that no port speaks for."""
    spoken_for = set() if module.name == PORTS else said_in_ports()
    for node in parent.body:
        if not isinstance(node, ast.FunctionDef) or not is_public(node.name):
            continue
        if node.name not in spoken_for:
            yield f"{parent.name}.{node.name}", node


@cache
def said_in_ports() -> set[str]:
    """Return the names of the methods that the ports document."""
    ports = next(module for module in modules() if module.name == PORTS)
    return {node.name for node in ast.walk(ports.tree) if isinstance(node, ast.FunctionDef)}


def is_overload(node: Documented) -> bool:
    """Tell whether a function only declares one of several signatures."""
    return any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list)


def flaw_of(docstring: str | None) -> str:
    """Return what is wrong with a docstring, or nothing."""
    if not docstring:
        return "has no docstring"
    first = docstring.splitlines()[0]
    return "" if SENTENCE.match(first) else f"does not start with one sentence: {first!r}"


def test_every_module_says_what_it_is() -> None:
    flaws = [
        f"{module.at(module.tree)} {flaw}"
        for module in modules()
        if (flaw := flaw_of(ast.get_docstring(module.tree)))
    ]
    assert not flaws, listed(flaws)


def test_every_public_name_says_what_it_is() -> None:
    flaws = [
        f"{module.at(node)} {name} {flaw}"
        for module in modules()
        if is_public(module.name)
        for name, node in public(module)
        if not is_overload(node) and (flaw := flaw_of(ast.get_docstring(node)))
    ]
    assert not flaws, listed(flaws)
