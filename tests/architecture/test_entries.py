"""Who makes ledger entries: the core alone, so that no feature can approve in a way of its own."""

import ast
from collections.abc import Iterator

import pytest
from tests.architecture.source import Module, listed, modules

LEDGER = "twice.core.ledger"
GUARDED = {"Entry", "Draft"}
MAY_BE_GIVEN = {"isinstance", "cast", "TypeVar"}
"""Calls that take the class as an argument, but make none."""


def names_of(tree: ast.Module) -> dict[str, str]:
    """Return how a module calls the guarded classes: its own name for each → the class."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("twice"):
            for alias in node.names:
                if alias.name in GUARDED:
                    found[alias.asname or alias.name] = alias.name
    return found


def made_in(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield each call that makes a guarded class, or hands it to something that could."""
    names = names_of(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        match call.func:
            case ast.Name(id=name) if name in names:
                yield call, names[name]
            case ast.Attribute(attr=name) if name in GUARDED:
                yield call, name
            case _ if ast.unparse(call.func).rpartition(".")[2] not in MAY_BE_GIVEN:
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                for node in (inner for argument in given for inner in _outside_calls(argument)):
                    if isinstance(node, ast.Name) and node.id in names:
                        yield call, names[node.id]


def _outside_calls(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call | ast.Lambda):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_calls(child)


def flaws_of(module: Module) -> list[str]:
    """Return one line for each place where a module makes an entry."""
    return [f"{module.at(call)} makes a ledger {name}" for call, name in made_in(module.tree)]


def test_only_the_core_makes_ledger_entries() -> None:
    flaws = [f for module in modules() if not module.within("twice.core") for f in flaws_of(module)]
    assert not flaws, listed(flaws)


IMPORT = f"from {LEDGER} import Entry as E, Draft\nimport {LEDGER} as ledger\n"


@pytest.mark.parametrize(
    "line",
    [
        "E(1, 2)",
        "Draft('memory.approved')",
        "ledger.Entry(1)",
        "msgspec.convert(row, E)",
        "msgspec.json.decode(row, type=list[E])",
    ],
)
def test_making_an_entry_is_noticed(line: str) -> None:
    assert len(list(made_in(ast.parse(IMPORT + line)))) == 1


@pytest.mark.parametrize("line", ["def f(e: E) -> Draft: ...", "isinstance(x, E)", "f(x.Entry)"])
def test_speaking_of_an_entry_is_no_making(line: str) -> None:
    assert list(made_in(ast.parse(IMPORT + line))) == []
