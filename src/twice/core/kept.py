"""What the store keeps of the sessions that were read, as values."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from twice.core.ideas import Sighting
from twice.core.policy import Mode
from twice.core.transcript import Kind


class Depth(StrEnum):
    """How much of a session was kept when it was read."""

    HASH = "hash"
    TEXT = "text"


def depth_of(mode: Mode) -> Depth:
    """Return how much a mode keeps."""
    return Depth.TEXT if mode.keeps_text else Depth.HASH


class ReadFile(NamedTuple):
    """How far a file was read, under which policy revision, and how much was kept of it.

    ``key`` is a keyed hash of the path; ``path`` is empty where no text is kept. ``size`` is in
    bytes, ``mtime`` in nanoseconds. ``head`` is the digest of the first bytes: a file that was
    replaced rather than appended to has another.
    """

    key: str
    source: str
    path: str
    size: int
    mtime: int
    offset: int
    seq: int
    told: int
    session: str
    project: str
    policy: str
    depth: Depth
    head: str


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A row of the index of sessions; times are UTC in microseconds."""

    id: str
    agent: str
    project: str
    lineage: str
    branch: str
    path: str
    started: int | None
    ended: int | None
    turns: int


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """One human turn, redacted. ``place`` is the record's own id, or its number and kind."""

    session: str
    place: str
    seq: int
    kind: Kind
    at: int | None
    record: str
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that one reading of one file adds; it is kept whole or not at all.

    ``fresh``: the file was read from its beginning. ``instead``: what was kept of the session
    before makes way, as what another tool wrote down does for what its own agent kept. ``keys``
    are hashes of what makes two sessions one lineage; ``starts`` are the character offsets of the
    sightings inside their turns, one for each sighting.
    """

    file: ReadFile
    session: KeptSession | None = None
    fresh: bool = True
    instead: bool = False
    keys: tuple[str, ...] = ()
    turns: tuple[KeptTurn, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    starts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a batch changed: the lineage it belongs to, and how many sightings are new."""

    lineage: str
    sightings: int


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A project that sessions were read of; ``gone``: its folder no longer exists.

    ``later`` are keys by which it is not looked up, but will be known from now on. ``reads_as`` is
    the id of the project that it was joined to, ``joined`` when, in UTC microseconds.
    """

    id: str
    name: str
    root: str
    gone: bool
    keys: tuple[str, ...] = field(default=())
    later: tuple[str, ...] = field(default=())
    reads_as: str = ""
    joined: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyNow:
    """The policy that the ledger recorded last, and its revision."""

    revision: str
    plain: dict[str, object]
