"""The product's own source, parsed once, for the tests that hold the architecture."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "twice"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file of the package: its dotted name, where it lies, its text and its tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    def at(self, node: ast.AST) -> str:
        """Return ``src/twice/…py:LINE``, which editors can open."""
        return f"{self.path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"

    def within(self, *packages: str) -> bool:
        """Tell whether the module is one of these dotted names, or lies below one."""
        return any(self.name == p or self.name.startswith(f"{p}.") for p in packages)


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the package, sorted by name."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found.append(Module(name, path, text, ast.parse(text)))
    return tuple(found)


def is_public(name: str) -> bool:
    """Tell whether a dotted name has no part that starts with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))


def imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield every import of a module, at any depth, as the dotted name that it loads."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import():
                yield from ((node, alias.name) for alias in node.names)
            case ast.ImportFrom(level=0, module=str(name)):
                yield node, name
            case ast.ImportFrom():
                yield node, "." * node.level + (node.module or "")


def outside(name: str) -> str:
    """Return the library that an import comes from, or nothing for the standard one and ours."""
    top = name.partition(".")[0]
    return "" if top in sys.stdlib_module_names or top == "twice" else top


def functions(module: Module) -> Iterator[tuple[str, Function]]:
    """Yield every function of a module with its qualified name, methods and inner ones too."""
    yield from _functions(module.tree, "")


def _functions(parent: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(parent):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield prefix + node.name, node
                yield from _functions(node, f"{prefix}{node.name}.")
            case ast.ClassDef():
                yield from _functions(node, f"{prefix}{node.name}.")
            case _:
                yield from _functions(node, prefix)


def listed(flaws: list[str]) -> str:
    """Return the flaws one a line, for the message of a failing test."""
    return "\n" + "\n".join(f"  {flaw}" for flaw in flaws)
