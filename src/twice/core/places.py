"""Where a session belongs: to a project, or nowhere, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A project: the keys that it may be known by, strongest first, its folder and its name.

    ``gone``: the recorded folder no longer exists.
    """

    keys: tuple[str, ...]
    root: str
    name: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """No project; ``reason`` is ``temp``, ``home`` or ``missing``."""

    reason: str
