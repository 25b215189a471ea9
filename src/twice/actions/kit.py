"""What every verb is given: the store, the clock, fresh names, and where things lie."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from twice.core import limits
from twice.core.encoding import encode
from twice.core.errors import Conflict
from twice.core.kept import KnownProject
from twice.core.places import Elsewhere, Place
from twice.core.policy import Effective, Policy
from twice.core.transcript import Session
from twice.ports import Learner, Outlet, Reader, Spool, Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """One session file that was found, and the source that reads it."""

    source: Reader
    path: Path


@dataclass(frozen=True, slots=True)
class Kit:
    """The surroundings of one run.

    ``now`` gives UTC in microseconds; ``fresh`` makes a new random id from a prefix; ``home`` is
    the user's home, ``data`` the folder of our own files; ``engine`` is the version of Twice;
    ``actor`` is who decides. ``policy`` is what the user set, ``revision`` its current policy
    revision; ``mode_of`` gives the effective mode for a project's folder (empty for none), asked
    anew each time because others may change it. ``place`` tells where a session belongs, knowing
    the folders of others read with it.
    ``reported`` is a source of events that are in no file: the lines of each session, by a name.
    """

    store: Store
    spool: Spool
    outlet: Outlet
    learner: Learner
    now: Callable[[], int]
    fresh: Callable[[str], str]
    home: Path
    data: Path
    engine: str
    actor: str
    policy: Callable[[], Policy]
    revision: Callable[[], str]
    mode_of: Callable[[str], Effective]
    place: Callable[[Session, Collection[Path]], Place | Elsewhere]
    reported: Callable[[Mapping[str, Sequence[bytes]]], Reader]

    def adopt(self, place: Place) -> str:
        """Return the id of the project at a place, making it where it is new."""
        keys, later = (
            tuple(shorten_key(key, self.home) for key in named)
            for named in (place.keys, place.later)
        )
        root = shorten(place.root, self.home)
        fresh = KnownProject(self.fresh("prj"), place.name, root, place.gone, keys, later)
        return self.store.adopt(fresh, is_gone=self.is_gone)

    def is_gone(self, root: str) -> bool:
        """Tell whether the folder of a project, as it is stored, is not there now."""
        try:
            return not expand(root, self.home).is_dir()
        except OSError:
            return True


def shorten(path: Path | str, home: Path) -> str:
    """Write a path with ``~`` for the user's home, as it is stored.

    A byte that is no text becomes ``?``.
    """
    text = encode(str(path)).decode()
    prefix = str(home)
    if text == prefix or text.startswith(prefix + os.sep):
        return "~" + text[len(prefix) :]
    return text


def shorten_key(key: str, home: Path) -> str:
    """Write the path inside a project's key as it is stored."""
    kind, _, value = key.partition(":")
    return f"{kind}:{shorten(value, home)}"


def expand(text: str, home: Path) -> Path:
    """Give back the path that ``shorten`` wrote."""
    return home / text[2:] if text.startswith("~" + os.sep) else home if text == "~" else Path(text)


def retried(decide: Callable[[], T]) -> T:
    """Decide, and again with fresh eyes where somebody else appended first."""
    for _ in range(limits.APPEND_TRIES - 1):
        try:
            return decide()
        except Conflict:
            continue
    return decide()
