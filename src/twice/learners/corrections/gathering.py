"""Signals heard in single sessions, gathered into the distinct ideas of a project."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from twice.core.ideas import (
    Fingerprint,
    Idea,
    Place,
    Relation,
    Scope,
    Sighting,
    SignalKind,
    core_key,
    relation,
    same_words,
)
from twice.learners.matters import placed

COMMON = 400  # wordings; a stem that is in more of them tells nothing, and is not searched by


def gather(sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
    """Return the distinct ideas of one project's sightings, strongest first.

    Ideas with the same signed core are one; so are wordings that ``relation`` calls the same, by
    their words or by their place in a matter, and a complaint that names one half of a contrast
    supports the whole. Lasting wishes and wishes of the moment are never joined. Sightings without
    words are grouped by their hash alone.
    """
    distinct = tuple(dict.fromkeys(sightings))
    heard = [s for s in distinct if s.fingerprint is not None and not s.fingerprint.empty]
    lasting = _joined(_wordings(s for s in heard if s.scope is Scope.DURABLE))
    momentary = _supported(lasting, _wordings(s for s in heard if s.scope is Scope.ONE_OFF))
    against = _Counter(lasting)
    ideas = [against.idea(group) for group in lasting]
    ideas += [Idea(_in_time(wording.sightings)) for wording in momentary]
    ideas += [Idea(_in_time(group)) for group in _hashed(distinct)]
    return tuple(sorted(ideas, key=_strength))


@dataclass(slots=True)
class _Wording:
    """All sightings with one signed core."""

    print: Fingerprint
    key: str
    sightings: list[Sighting] = field(default_factory=list)
    topic: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Group:
    """Wordings that are one idea; ``joined`` is the place in which some of them met."""

    wordings: list[_Wording]
    wanted: set[str]
    unwanted: set[str]
    topic: set[str]
    joined: Place | None = None

    @property
    def sightings(self) -> list[Sighting]:
        return [sighting for wording in self.wordings for sighting in wording.sightings]

    def take(self, other: "_Group") -> None:
        self.wordings += other.wordings
        self.wanted |= other.wanted
        self.unwanted |= other.unwanted
        self.topic |= other.topic
        self.joined = self.joined or other.joined

    def opposes(self, other: "_Group") -> bool:
        return not (
            self.wanted.isdisjoint(other.unwanted) and self.unwanted.isdisjoint(other.wanted)
        )


def _hashed(sightings: Iterable[Sighting]) -> Iterator[list[Sighting]]:
    groups: dict[str, list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        if sighting.fingerprint is None and sighting.idea:
            groups[sighting.idea].append(sighting)
    yield from groups.values()


def _wordings(sightings: Iterable[Sighting]) -> list[_Wording]:
    """Return one wording for each signed core, the most often said first."""
    found: dict[str, _Wording] = {}
    for sighting in sightings:
        if sighting.fingerprint is None:
            continue
        key = core_key(sighting.fingerprint)
        wording = found.get(key)
        if wording is None:
            print_ = placed(sighting.fingerprint, sighting.language)
            wording = found[key] = _Wording(print_, key)
        wording.sightings.append(sighting)
        wording.topic |= sighting.fingerprint.topic
    return sorted(found.values(), key=lambda w: (-len({s.lineage for s in w.sightings}), w.key))


def _joined(wordings: list[_Wording]) -> list[_Group]:
    """Join wordings that are the same idea, then the halves that support a whole."""
    groups = [
        _Group([w], set(w.print.wanted), set(w.print.unwanted), set(w.topic)) for w in wordings
    ]
    index = _index(wordings)
    of = list(range(len(groups)))
    for i, wording in enumerate(wordings):
        for j in _near(wording.print, index):
            if j <= i or of[i] == of[j] or groups[of[i]].opposes(groups[of[j]]):
                continue
            other = wordings[j].print
            if relation(wording.print, other) is Relation.SAME:
                if not same_words(wording.print, other):
                    groups[of[i]].joined = wording.print.place
                _merge(groups, of, of[i], of[j])
    wholes = [i for i in sorted(set(of)) if groups[i].wanted and groups[i].unwanted]
    for i in sorted(set(of) - set(wholes)):
        for j in wholes:
            if _half_of(groups[i], groups[j]):
                _merge(groups, of, j, i)
                break
    return [groups[i] for i in sorted(set(of))]


def _merge(groups: list[_Group], of: list[int], into: int, gone: int) -> None:
    groups[into].take(groups[gone])
    for i, group in enumerate(of):
        if group == gone:
            of[i] = into


def _index(wordings: list[_Wording]) -> dict[str, list[int]]:
    index: dict[str, list[int]] = defaultdict(list)
    for i, wording in enumerate(wordings):
        for name in _names(wording.print):
            index[name].append(i)
    return index


def _names(print_: Fingerprint) -> frozenset[str]:
    """Return what a wish is found by: its stems, and the matter that it stands in."""
    return print_.core | ({f"matter {print_.place.matter}"} if print_.place else frozenset())


def _near(print_: Fingerprint, index: dict[str, list[int]]) -> list[int]:
    names = (name for name in _names(print_) if len(index[name]) <= COMMON)
    return sorted({i for name in names for i in index[name]})


def _half_of(half: _Group, whole: _Group) -> bool:
    """Tell a wish that names one side of a contrast, all else being the contrast's topic."""
    if whole.opposes(half) or not half.topic <= whole.topic | whole.wanted | whole.unwanted:
        return False
    for said, side in ((half.unwanted, whole.unwanted), (half.wanted, whole.wanted)):
        if not said <= side | whole.topic:
            return False
    told = (half.unwanted & whole.unwanted) | (half.wanted & whole.wanted)
    return any(_covers(told, wording.print) for wording in whole.wordings)


def _covers(told: set[str], print_: Fingerprint) -> bool:
    """Tell whether one whole side of a contrast was named."""
    if not print_.wanted or not print_.unwanted:
        return False
    return print_.wanted <= told or print_.unwanted <= told


def _supported(groups: list[_Group], wordings: list[_Wording]) -> list[_Wording]:
    """Give momentary complaints to the lasting contrast that they are half of; return the rest."""
    rest: list[_Wording] = []
    wholes = [g for g in groups if g.wanted and g.unwanted and Idea(tuple(g.sightings)).recurs]
    for wording in wordings:
        half = _Group(
            [wording], set(wording.print.wanted), set(wording.print.unwanted), set(wording.topic)
        )
        corrects = all(s.kind is SignalKind.CORRECTION for s in wording.sightings)
        whole = next((g for g in wholes if corrects and _half_of(half, g)), None)
        if whole is None:
            rest.append(wording)
        else:
            whole.take(half)
    return rest


class _Counter:
    """Finds the evidence against each idea."""

    def __init__(self, groups: list[_Group]) -> None:
        self._wordings = [wording for group in groups for wording in group.wordings]
        self._index = _index(self._wordings)

    def idea(self, group: _Group) -> Idea:
        """Return the idea of a group with what was said against it."""
        own = {wording.key for wording in group.wordings}
        found: dict[Relation, dict[str, _Wording]] = defaultdict(dict)
        wholes = [w for w in group.wordings if w.print.wanted and w.print.unwanted]
        for wording in wholes or group.wordings:
            for i in self._rivals(wording):
                other = self._wordings[i]
                if other.key not in own:
                    found[relation(wording.print, other.print)][other.key] = other
        return Idea(
            _in_time(group.sightings),
            _in_time(_all(found[Relation.OPPOSED].values())),
            _in_time(_all(found[Relation.COMPETING].values())),
            group.joined,
        )

    def _rivals(self, wording: _Wording) -> list[int]:
        near = set(_near(wording.print, self._index))
        kinds = {stem.partition(":")[0] for stem in wording.print.wanted if ":" in stem}
        for stem, numbers in self._index.items():
            if kinds and stem.partition(":")[0] in kinds and len(numbers) <= COMMON:
                near.update(numbers)
        return sorted(near)


def _all(wordings: Iterable[_Wording]) -> list[Sighting]:
    return [sighting for wording in wordings for sighting in wording.sightings]


def _in_time(sightings: Iterable[Sighting]) -> tuple[Sighting, ...]:
    return tuple(sorted(sightings, key=lambda s: (_when(s), s.lineage, s.anchor.seq, s.idea)))


def _when(sighting: Sighting) -> int:
    return sighting.recorded if sighting.at is None else sighting.at


def _strength(idea: Idea) -> tuple[int, float, int, str]:
    lasting = {s.lineage for s in idea.sightings if s.scope is Scope.DURABLE}
    confidence = max(s.confidence for s in idea.sightings)
    latest = max(_when(s) for s in idea.sightings)
    first = idea.sightings[0]
    return -len(lasting), -confidence, -latest, f"{first.idea}{first.anchor}"
