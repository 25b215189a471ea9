"""What people mean: signals heard in single turns, and the ideas that signals share."""

import json
from dataclasses import dataclass, field
from enum import StrEnum

from twice.core.transcript import Anchor

RECURS = 2  # lineages


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
class Place:
    """Where a wish stands in a matter that people often have wishes about.

    ``opposed``: two poles of the matter exclude each other ("short" and "long" answers), rather
    than being values among others.
    """

    matter: str
    pole: str
    opposed: bool

    def __str__(self) -> str:
        return f"{self.matter}: {self.pole}"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The content stems of a wish, each with a sign: wanted, unwanted, or merely topic.

    ``place`` is where it stands in a well-known matter, as far as that is told.
    """

    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()
    topic: frozenset[str] = frozenset()
    place: Place | None = field(default=None, compare=False)

    @property
    def core(self) -> frozenset[str]:
        """The stems that carry a sign, without it."""
        return self.wanted | self.unwanted

    @property
    def empty(self) -> bool:
        """True where nothing is wanted or unwanted: such words teach nothing."""
        return not self.wanted and not self.unwanted


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
class Explanation:
    """What is heard in one text, and what is not: ``doubts`` are too weak to be signals.

    ``set_aside`` are the spans of what is not the person's own: quoted, pasted, code.
    ``understood``: there is a table of words for the language.
    """

    language: str
    signals: tuple[Signal, ...] = ()
    doubts: tuple[Signal, ...] = ()
    set_aside: tuple[tuple[int, int], ...] = ()
    understood: bool = True


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

    Sightings are in order of time; all wordings are kept. ``joined`` is the place in which wordings
    meet that share too few words; None where their words alone join them.
    """

    sightings: tuple[Sighting, ...]
    opposed: tuple[Sighting, ...] = ()
    competing: tuple[Sighting, ...] = ()
    joined: Place | None = None

    @property
    def lineages(self) -> frozenset[str]:
        """The different conversations that support it; forks and copies count once."""
        return frozenset(sighting.lineage for sighting in self.sightings)

    @property
    def recurs(self) -> bool:
        """True where at least two different lineages say it as a lasting wish."""
        lasting = {s.lineage for s in self.sightings if s.scope is Scope.DURABLE}
        return len(lasting) >= RECURS


EXTRA_STEMS = 1  # that a longer wording of the same contrast may have
MANY_STEMS = 4  # that a wish has whose wording is hardly met by chance
MORE_STEMS = 2  # that a longer wording of it may have
OPPOSED_LEAST = 0.5  # of the larger core
OPPOSED_SHARE = 0.6  # of the smaller core that has to be said with the other sign


def core_key(print_: Fingerprint) -> str:
    """Return the canonical text of the signed core, to be hashed; empty where it says nothing.

    >>> core_key(Fingerprint(wanted=frozenset({"pnpm"}), unwanted=frozenset({"npm"})))
    '{"-":["npm"],"+":["pnpm"]}'
    """
    if print_.empty:
        return ""
    return _canonical({"-": sorted(print_.unwanted), "+": sorted(print_.wanted)})


def to_json(print_: Fingerprint) -> str:
    """Return a fingerprint as canonical JSON.

    >>> to_json(Fingerprint(wanted=frozenset({"pnpm"})))
    '{"topic":[],"unwanted":[],"wanted":["pnpm"]}'
    """
    return _canonical(
        {
            "topic": sorted(print_.topic),
            "unwanted": sorted(print_.unwanted),
            "wanted": sorted(print_.wanted),
        }
    )


def from_json(text: str) -> Fingerprint:
    """Read what ``to_json`` wrote; raise ``ValueError`` where it is something else."""
    try:
        found = json.loads(text)
        parts = {name: frozenset(found[name]) for name in ("wanted", "unwanted", "topic")}
    except (KeyError, TypeError) as fault:
        raise ValueError("not a fingerprint") from fault
    if not all(isinstance(stem, str) for part in parts.values() for stem in part):
        raise ValueError("not a fingerprint")
    return Fingerprint(parts["wanted"], parts["unwanted"], parts["topic"])


def _canonical(value: dict[str, list[str]]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def relation(a: Fingerprint, b: Fingerprint) -> Relation:
    """Return how two wishes stand to each other, from their signed stems, then their places.

    Symmetric. Signs decide first: where most of what both say has the other sign in the other wish,
    they are opposed, however many words they share. Where words tell nothing, the places do.

    >>> npm = Fingerprint(wanted=frozenset({"npm"}), unwanted=frozenset({"pnpm"}))
    >>> pnpm = Fingerprint(wanted=frozenset({"pnpm"}), unwanted=frozenset({"npm"}))
    >>> relation(npm, pnpm).value, relation(npm, npm).value
    ('opposed', 'same')
    """
    if a.empty or b.empty:
        return Relation.DIFFERENT
    if _reordered(a, b):
        return Relation.OPPOSED
    against = (a.wanted & b.unwanted) | (a.unwanted & b.wanted)
    if against and a.core == b.core:
        return Relation.OPPOSED
    if against:
        smaller, larger = sorted((len(a.core), len(b.core)))
        enough = len(against) >= max(OPPOSED_SHARE * smaller, OPPOSED_LEAST * larger)
        if enough:
            return Relation.OPPOSED
    elif same_words(a, b):
        return Relation.SAME
    if _compete(a, b):
        return Relation.COMPETING
    return Relation.DIFFERENT if against else _by_place(a, b)


def _by_place(a: Fingerprint, b: Fingerprint) -> Relation:
    """Compare the places of two wishes that share no stem with opposite signs."""
    if a.place is None or b.place is None or a.place.matter != b.place.matter:
        return Relation.DIFFERENT
    if a.place.pole != b.place.pole:
        return Relation.OPPOSED if a.place.opposed else Relation.COMPETING
    one, other = _values(a.wanted)[1], _values(b.wanted)[1]
    if any(other.get(kind, named) != named for kind, named in one.items()):
        return Relation.COMPETING
    return Relation.DIFFERENT if one or other else Relation.SAME  # of a value, words must tell


def same_words(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell the same wish: equal cores, one half of the other, or the same contrast."""
    if a.wanted == b.wanted and a.unwanted == b.unwanted:
        return True
    if a.wanted and a.unwanted and b.wanted and b.unwanted:
        nested = _nested(a.wanted, b.wanted) and _nested(a.unwanted, b.unwanted)
        return nested and len(a.core ^ b.core) <= EXTRA_STEMS
    return _half(a, b) or _half(b, a) or _longer(a, b) or _longer(b, a)


def _longer(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell a wish of many words that another says with a few more, and with the same signs."""
    if len(b.core) < MANY_STEMS or len(a.core - b.core) > MORE_STEMS:
        return False
    return b.wanted <= a.wanted and b.unwanted <= a.unwanted


def _half(half: Fingerprint, whole: Fingerprint) -> bool:
    """Tell that one wish names one side of another's contrast, and speaks of nothing else."""
    if half.wanted and half.unwanted:
        return False
    side = whole.wanted if half.wanted else whole.unwanted
    return half.core == side and half.topic <= whole.topic | whole.core


def _nested(a: frozenset[str], b: frozenset[str]) -> bool:
    return a <= b or b <= a


def _reordered(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell "A before B" from "B before A"."""
    if a.unwanted != b.unwanted or a.wanted == b.wanted:
        return False
    return any(
        stem.startswith("before:") and stem[7:] in b.wanted and "before:" + other in b.wanted
        for stem in a.wanted
        for other in a.wanted
    )


def _compete(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell another value of the same thing: the rest is equal, a kind of value differs.

    "yarn, not npm" and "pnpm, not yarn" are about the same thing, whatever each leaves behind.
    """
    plain_a, typed_a = _values(a.wanted)
    plain_b, typed_b = _values(b.wanted)
    if plain_a != plain_b:
        return False
    if not typed_a and not typed_b and a.wanted == b.wanted:
        return _other_count(a.unwanted, b.unwanted)
    rivals = {kind for kind, named in typed_a.items() if typed_b.get(kind, named) != named}
    apart = a.unwanted ^ b.unwanted if a.unwanted and b.unwanted else frozenset()
    return bool(rivals) and all(stem.partition(":")[0] in rivals for stem in apart)


def _other_count(a: frozenset[str], b: frozenset[str]) -> bool:
    """Tell "no more than 3" from "no more than 7": the rest is equal, a number differs."""
    plain_a, typed_a = _values(a)
    plain_b, typed_b = _values(b)
    counts = typed_a.pop("number", None), typed_b.pop("number", None)
    return (
        None not in counts and counts[0] != counts[1] and (plain_a, typed_a) == (plain_b, typed_b)
    )


def _values(stems: frozenset[str]) -> tuple[frozenset[str], dict[str, set[str]]]:
    """Divide stems into plain ones and typed values (``language:es``, ``before:number:2``)."""
    typed: dict[str, set[str]] = {}
    plain: set[str] = set()
    for stem in stems:
        kind, colon, value = stem.rpartition(":")
        if colon and kind not in _ORDER:
            typed.setdefault(kind, set()).add(value)
        else:
            plain.add(stem)
    return frozenset(plain), typed


_ORDER = frozenset(("before", "when"))
