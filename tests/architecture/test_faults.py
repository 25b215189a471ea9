"""How faults are caught: by name, so that a surprise is never taken for an answer."""

import ast

from tests.architecture.source import Module, listed, modules

MAY_CATCH_EVERYTHING = {
    "twice.faces.hook": "a hook never breaks the agent that called it",
    "twice.faces.cli": "no traceback reaches a person; the fault is named and reported",
}
"""Where everything may be caught, and why it must be."""

EVERYTHING = {"Exception", "BaseException"}


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Tell whether an ``except`` names nothing, or names the root of all exceptions."""
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in EVERYTHING for name in named)


def goes_on(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler does not end by raising again: cleaning up and raising is fair."""
    last = handler.body[-1]
    return not (isinstance(last, ast.Raise) and last.exc is None)


def blind(module: Module) -> list[ast.ExceptHandler]:
    """Return the handlers of a module that catch everything and go on."""
    handlers = (node for node in ast.walk(module.tree) if isinstance(node, ast.ExceptHandler))
    return [handler for handler in handlers if catches_everything(handler) and goes_on(handler)]


def test_nothing_catches_everything_and_goes_on() -> None:
    flaws = [
        f"{module.at(handler)} catches everything"
        for module in modules()
        if not module.within(*MAY_CATCH_EVERYTHING)
        for handler in blind(module)
    ]
    assert not flaws, listed(flaws)


def test_nothing_is_passed_over_by_suppressing_everything() -> None:
    flaws = [
        f"{module.at(node)} suppresses everything"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("suppress")
        and EVERYTHING & {ast.unparse(argument) for argument in node.args}
    ]
    assert not flaws, listed(flaws)
