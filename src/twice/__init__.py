"""Twice learns what you keep telling your coding agents, and asks before it uses it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twice.app import App
    from twice.wiring import open_app as open  # noqa: A004 - twice.open() reads as it should
    from twice.wiring import record

__version__ = "0.1.0"
__all__ = ["App", "__version__", "open", "record"]


def __getattr__(name: str) -> Any:
    """Load the public names when they are asked for, so that hooks and ``--version`` stay light."""
    if name == "open":
        from twice.wiring import open_app

        return open_app
    if name == "record":
        from twice.wiring import record

        return record
    if name == "App":
        from twice.app import App

        return App
    raise AttributeError(f"module 'twice' has no attribute {name!r}")
