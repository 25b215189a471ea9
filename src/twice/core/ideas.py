"""What people mean: signals heard in single turns, and the ideas that signals share."""

from dataclasses import dataclass
from enum import StrEnum

from twice.core.transcript import Anchor


class SignalKind(StrEnum):
    """A correction says that what was done was wrong; a preference says how things shall be."""

    CORRECTION = "correction"
    PREFERENCE = "preference"


class Scope(StrEnum):
    """Whether a wish holds beyond the task at hand."""

    DURABLE = "durable"
    ONE_OFF = "one_off"


class Relation(StrEnum):
    """How two ideas stand to each other."""

    SAME = "same"
    OPPOSED = "opposed"
    COMPETING = "competing"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The content stems of a wish, each with a sign: wanted, unwanted, or merely topic."""

    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()
    topic: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Signal:
    """A correction or preference found in one human event.

    ``start`` and ``end`` are the character span of ``sentence`` in the event's text;
    ``confidence`` is between 0 and 1; ``reasons`` name what fired.
    """

    kind: SignalKind
    scope: Scope
    sentence: str
    start: int
    end: int
    confidence: float
    language: str
    fingerprint: Fingerprint
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sighting:
    """One idea seen in one session: a row of evidence.

    ``idea`` is the keyed hash of the signed core; ``quote`` and ``fingerprint`` are None where
    only the hash was kept. ``at`` is when it was said, ``recorded`` when it was read, both UTC in
    microseconds; ``revision`` the policy revision that it was read under.
    """

    idea: str
    project: str
    agent: str
    lineage: str
    anchor: Anchor
    kind: SignalKind
    scope: Scope
    confidence: float
    at: int | None
    recorded: int
    revision: str
    language: str = ""
    quote: str | None = None
    fingerprint: Fingerprint | None = None


@dataclass(frozen=True, slots=True)
class Idea:
    """What signals share. ``sightings`` support it, the others speak against it.

    Sightings are in order of time; all wordings are kept.
    """

    sightings: tuple[Sighting, ...]
    opposed: tuple[Sighting, ...] = ()
    competing: tuple[Sighting, ...] = ()

    @property
    def lineages(self) -> frozenset[str]:
        """The different conversations that support it; forks and copies count once."""
        return frozenset(sighting.lineage for sighting in self.sightings)

    @property
    def recurs(self) -> bool:
        """True where at least two different lineages support it."""
        return len(self.lineages) >= 2
