"""Turn what recurs into proposals, and take in what a person or tool hands over."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import msgspec

from twice.actions.deciding import approve
from twice.actions.gating import surroundings
from twice.actions.kit import Kit, retried
from twice.core import limits
from twice.core.decisions import decide_eviction, decide_filing, decide_support
from twice.core.encoding import digest, encode, keyed, text_digest
from twice.core.gates import Known, Surroundings, check, evictable, saves_itself, waits
from twice.core.ideas import Fingerprint, Idea, Sighting, core_key
from twice.core.ledger import Draft
from twice.core.lessons import Instruction, Lesson, Memory, kind_of, words_of
from twice.core.policy import Allowance, Mode, Policy
from twice.core.proposals import (
    Candidate,
    Content,
    Evidence,
    Refusal,
    decode_content,
    encode_content,
    evidence_of,
    review_hash,
)
from twice.core.states import State
from twice.core.wording import Wording

_AGAINST = 10  # opposing quotes carried by one proposal


@dataclass(slots=True)
class Learned:
    """What one dream made of one project's evidence, and the ledger's end as it left it."""

    corrections: int = 0
    preferences: int = 0
    recurring: int = 0
    opposed: int = 0
    scheduled: int = 0
    filed: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    suggested: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    supported: list[str] = field(default_factory=list)
    waiting: int = 0
    left_over: int = 0
    after: int = 0


def learn(kit: Kit, project: str, policy: Policy) -> Learned:
    """File at most five proposals for what recurs in a project, strongest evidence first.

    ``policy`` carries the effective mode of this run; without kept text nothing is filed.
    """
    return retried(lambda: _learn(kit, project, policy))


def _learn(kit: Kit, project: str, policy: Policy) -> Learned:
    after = kit.store.position()
    revision = kit.revision()
    sightings = kit.store.sightings(project)
    scheduled = _scheduled(kit, sightings)
    ideas = kit.learner.gather(tuple(s for s in sightings if s.anchor.digest not in scheduled))
    learned = _observed(ideas)
    learned.scheduled = len(scheduled)
    learned.after = after
    if not policy.mode.keeps_text:
        return learned
    fresh = (_current(idea, revision) for idea in ideas)
    recurring = [idea for idea in fresh if idea.recurs]
    if not recurring:
        return learned
    filing = _Filing(surroundings(kit, project, revision), learned)
    pending = list(_pending(kit, project, revision))
    for idea in recurring:
        candidate, meaning = _candidate(kit, project, idea, revision)
        if waiting := _waiting_for(candidate, pending):
            filing.support(*waiting, candidate)
        elif len(learned.filed) == limits.CANDIDATES:
            learned.left_over += 1
        else:
            filing.file(kit.fresh("prp"), candidate, meaning, policy)
    if filing.drafts:
        evictions = _evictions(kit, project, revision, len(learned.filed))
        drafts = [*filing.drafts, *evictions]
        kit.store.append(drafts, after=after, at=kit.now(), blobs=filing.blobs)
        learned.after += len(drafts)
    for id in filing.saves:
        if not isinstance(approve(kit, id, actor="rules"), Refusal):
            learned.saved.append(id)
    return learned


@dataclass(slots=True)
class _Filing:
    """What one dream is about to append for one project; ``saves`` may approve themselves."""

    around: Surroundings
    learned: Learned
    drafts: list[Draft] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    saves: list[str] = field(default_factory=list)

    def support(self, state: State, content: Content, candidate: Candidate) -> None:
        """Give what waits the evidence that came since, if any came."""
        self.learned.waiting += 1
        fresh = candidate.content
        cited = {evidence.session for evidence in content.evidence}
        if {evidence.session for evidence in fresh.evidence} <= cited:
            return
        content = msgspec.structs.replace(content, evidence=fresh.evidence, against=fresh.against)
        self.drafts.append(decide_support(state, content, candidate.ideas))
        self.blobs[review_hash(content)] = encode_content(content)
        self.learned.supported.append(state.id)

    def file(
        self, id: str, candidate: Candidate, meaning: Fingerprint | None, policy: Policy
    ) -> None:
        """Pass a candidate through the gates, and file it where they let it through."""
        checked = _checked(candidate, self.around, meaning, policy)
        if isinstance(checked, Refusal):
            words = words_of(candidate.content.lesson) if checked.code != "secret" else "(withheld)"
            self.learned.refused.append((words, checked.code, checked.reason))
            return
        self.drafts.append(decide_filing(checked, id=id, actor="dream"))
        self.blobs[review_hash(checked.content)] = encode_content(checked.content)
        self.around = _with(self.around, checked, meaning, id)
        self.learned.suggested[kind_of(checked.content.lesson)] += 1
        self.learned.filed.append(id)
        if saves_itself(checked, policy):
            self.saves.append(id)


def _pending(kit: Kit, project: str, revision: str) -> Iterator[tuple[State, Content]]:
    """Yield what waits in a project and was learned, with its content."""
    states = [s for s in kit.store.states(project=project) if waits(s, revision)]
    texts = kit.store.blobs(state.hash for state in states)
    for state in states:
        if state.hash in texts:
            content = decode_content(texts[state.hash])
            if content.origin == "learner":
                yield state, content


def _waiting_for(
    candidate: Candidate, pending: list[tuple[State, Content]]
) -> tuple[State, Content] | None:
    """Return the proposal that says the same already, and waits."""
    ideas = set(candidate.ideas)
    return next((found for found in pending if ideas & set(found[0].ideas)), None)


def _scheduled(kit: Kit, sightings: tuple[Sighting, ...]) -> frozenset[str]:
    """Return the turns that a schedule or a template sent: nobody types as much the same way.

    They are known by their digest, and by their length where text is kept.
    """
    sent: dict[str, set[str]] = {}
    for sighting in sightings:
        sent.setdefault(sighting.anchor.digest, set()).add(sighting.lineage)
    often, long = limits.SCHEDULED
    texts = kit.store.blobs(turn for turn, lineages in sent.items() if len(lineages) >= often)
    return frozenset(turn for turn, text in texts.items() if len(text.split()) >= long)


def _observed(ideas: Iterable[Idea]) -> Learned:
    learned = Learned()
    for idea in ideas:
        kinds = Counter(str(sighting.kind) for sighting in idea.sightings)
        learned.corrections += kinds["correction"] >= kinds["preference"]
        learned.preferences += kinds["correction"] < kinds["preference"]
        learned.recurring += idea.recurs
        learned.opposed += bool(idea.opposed)
    return learned


def _current(idea: Idea, revision: str) -> Idea:
    """Keep of an idea what has text, and of its support what was read under this revision.

    What speaks against it does so under any revision.
    """

    def told(sightings: tuple[Sighting, ...]) -> tuple[Sighting, ...]:
        return tuple(s for s in sightings if s.quote is not None)

    current = tuple(s for s in told(idea.sightings) if s.revision == revision)
    return replace(
        idea,
        sightings=current,
        opposed=told(idea.opposed),
        competing=told(idea.competing),
    )


def _candidate(
    kit: Kit, project: str, idea: Idea, revision: str
) -> tuple[Candidate, Fingerprint | None]:
    wording = kit.learner.distill(idea)
    content = Content(
        project=project,
        lesson=_lesson(wording),
        evidence=tuple(_evidence(idea.sightings, limits.EVIDENCE_SHOWN)),
        against=tuple(_evidence((*idea.opposed, *idea.competing), _AGAINST)),
        positive=wording.positive,
        words=wording.source.anchor.session,
        joined=str(idea.joined or ""),
    )
    hashes = dict.fromkeys(sighting.idea for sighting in idea.sightings)
    shown = frozenset(e.quote for e in content.evidence)
    return Candidate(content, revision, tuple(hashes), shown), wording.source.fingerprint


def _lesson(wording: Wording) -> Lesson:
    if len(wording.text) > limits.MEMORY_CHARS:
        return Instruction(wording.text)
    return Memory(wording.text, wording.category)


def _evidence(sightings: tuple[Sighting, ...], most: int) -> Iterator[Evidence]:
    """Yield quotes, one of each lineage first, then the others, in order of time."""
    first: dict[str, Sighting] = {}
    for sighting in sightings:
        first.setdefault(sighting.lineage, sighting)
    chosen = list(first.values())
    chosen += [sighting for sighting in sightings if first[sighting.lineage] is not sighting]
    for sighting in sorted(chosen[:most], key=lambda s: (s.at or s.recorded, s.anchor.seq)):
        if sighting.quote is not None:
            yield evidence_of(sighting, text_digest(sighting.quote))


def _checked(
    candidate: Candidate, around: Surroundings, meaning: Fingerprint | None, policy: Policy
) -> Candidate | Refusal:
    lesson = candidate.content.lesson
    if (
        isinstance(lesson, Memory)
        and policy.mode is Mode.AUTO_SAFE
        and policy.allowance(lesson.category) is Allowance.NEVER
    ):
        return Refusal("never", f"the category {lesson.category} is set to never")
    return check(candidate, around, meaning)


def _with(
    around: Surroundings, candidate: Candidate, meaning: Fingerprint | None, id: str
) -> Surroundings:
    """Return the surroundings with one more candidate that waits."""
    words = words_of(candidate.content.lesson)
    return Surroundings(
        policy=around.policy,
        known=[*around.known, Known(f"proposal {id}", words, meaning, id)],
        rejections=around.rejections,
        names={*around.names, getattr(candidate.content.lesson, "name", "")},
        waiting=around.waiting + 1,
        workflows=around.workflows,
    )


def _evictions(kit: Kit, project: str, revision: str, coming: int) -> list[Draft]:
    """Let what is settled leave a full list: the project's own, not what was joined to it."""
    states = [s for s in kit.store.states(project=project) if s.project == project]
    leaving = evictable(states, revision, coming=coming)
    return [decide_eviction(state, actor="dream") for state in leaving]


# What a person or tool hands in


class Handed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A candidate as it stands in a file: a lesson, and the anchors of turns that it rests on."""

    lesson: Lesson
    evidence: tuple[str, ...] = ()


def hand_in(kit: Kit, project: str, handed: Handed, *, origin: str) -> State | Refusal:
    """File a candidate that somebody hands in, after the same gates as everything else."""
    return retried(lambda: _hand_in(kit, project, handed, origin))


def _hand_in(kit: Kit, project: str, handed: Handed, origin: str) -> State | Refusal:
    after = kit.store.position()
    revision = kit.revision()
    evidence = [_cited(kit, project, anchor) for anchor in handed.evidence]
    quotes = {quote.digest: quote.data for quote in evidence if isinstance(quote, _Quote)}
    for quote in evidence:
        if isinstance(quote, Refusal):
            return quote
    words = words_of(handed.lesson)
    meaning = kit.learner.fingerprint(words) if isinstance(handed.lesson, Memory) else None
    candidate = Candidate(
        Content(
            project=project,
            lesson=handed.lesson,
            evidence=tuple(quote.evidence for quote in evidence if isinstance(quote, _Quote)),
            origin=origin,
        ),
        revision,
        ideas=_ideas_of_words(kit, words, meaning),
    )
    checked = check(candidate, surroundings(kit, project, revision), meaning)
    if isinstance(checked, Refusal):
        return checked
    id = kit.fresh("prp")
    data = encode_content(checked.content)
    drafts = [decide_filing(checked, id=id, actor=kit.actor)]
    drafts += _evictions(kit, project, revision, 1)
    kit.store.append(drafts, after=after, at=kit.now(), blobs={digest(data): data, **quotes})
    return kit.store.state(id) or Refusal("unknown", f"{id} was not filed")


@dataclass(frozen=True, slots=True)
class _Quote:
    evidence: Evidence
    digest: str
    data: bytes


def _cited(kit: Kit, project: str, anchor: str) -> _Quote | Refusal:
    """Find the kept human turn at an anchor ``<session>:<seq>:<kind>``."""
    session, _, place = anchor.rpartition(":")
    session, _, seq = session.rpartition(":")
    owners = {kept.id: kept for kept in kit.store.sessions(project)}
    turns = kit.store.turns(session) if session in owners else []
    for turn in turns:
        if str(turn.seq) == seq and turn.kind == place:
            text = turn.text[: limits.QUOTE_CHARS]
            named = text_digest(text)
            kept = owners[session]
            evidence = Evidence(
                session, anchor, turn.record, named, kept.agent, kept.lineage, turn.at
            )
            return _Quote(evidence, named, encode(text))
    return Refusal("unseen", f"it cites {anchor}, which is no human turn that was read")


def _ideas_of_words(kit: Kit, words: str, meaning: Fingerprint | None) -> tuple[str, ...]:
    plain = " ".join(words.casefold().split())
    named = [keyed(kit.store.key, f"words:{plain}")]
    if meaning is not None:
        named.append(keyed(kit.store.key, core_key(meaning)))
    return tuple(named)
