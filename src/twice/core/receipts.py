"""What was published where: the write-ahead record that makes every effect undoable."""

from enum import StrEnum

import msgspec

CONTEXT = "context"


class Receipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One publication of one lesson.

    ``destination`` is ``context`` (what sessions of the project see) or a path relative to
    ``root``, the project's folder. ``digest`` is of the exact bytes. ``revision`` counts from 1
    and grows when the effect is undone; ``at`` is the activation time, UTC in microseconds.
    ``policy`` is the policy revision that it was approved under.
    """

    destination: str
    digest: str
    at: int
    policy: str
    root: str = ""
    revision: int = 1
    created: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """True where the effect is a file on disk rather than a row of ours."""
        return self.destination != CONTEXT


class OnDisk(StrEnum):
    """How a published file stands, compared with its receipt."""

    INTACT = "intact"
    MISSING = "missing"
    CHANGED = "changed"
    UNSAFE = "unsafe"


class Destination(msgspec.Struct, frozen=True):
    """A place for a lesson's file: relative to the project's root, with folders to be created."""

    path: str
    created: tuple[str, ...] = ()
