"""Where a session belongs: to a project, or nowhere, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A project: the keys that it may be known by, strongest first, its folder and its name.

    ``gone``: the recorded folder no longer exists. ``later`` are keys that tell nothing today, but
    will when the folder is gone.
    """

    keys: tuple[str, ...]
    root: str
    name: str
    gone: bool = False
    later: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """No project; ``reason`` is ``temp``, ``home`` or ``missing``."""

    reason: str
