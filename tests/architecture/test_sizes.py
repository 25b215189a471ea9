"""How long things may be: what does not fit on a few screens is two things."""

from tests.architecture.source import functions, listed, modules

MODULE_LINES = 400
FUNCTION_LINES = 60
MAY_BE_LONG = ("twice.store.migrations.versions",)
"""A migration is a list of what to make, and is never changed again."""


def test_every_module_is_under_400_lines() -> None:
    flaws = [
        f"{module.at(module.tree)} has {lines} lines"
        for module in modules()
        if (lines := len(module.text.splitlines())) >= MODULE_LINES
    ]
    assert not flaws, listed(flaws)


def test_every_function_is_under_60_lines() -> None:
    flaws = [
        f"{module.at(node)} {name} has {lines} lines"
        for module in modules()
        if not module.within(*MAY_BE_LONG)
        for name, node in functions(module)
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) >= FUNCTION_LINES
    ]
    assert not flaws, listed(flaws)
