"""What is kept of a session that was read: clean turns, sightings, and what tells its copies."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from twice.actions.kit import Kit
from twice.core import limits
from twice.core.encoding import encode, keyed, text_digest
from twice.core.ideas import Sighting, Signal, core_key
from twice.core.kept import Batch, Depth, KeptSession, KeptTurn, ReadFile
from twice.core.redaction import Redaction, redact
from twice.core.transcript import Anchor, Event, Session, is_opaque, is_unique

_REPLY_CHARS = 40  # an agent's words of this length do not happen twice by chance


@dataclass(slots=True)
class Tally:
    """What a reading met, counted for the report. ``started`` is UTC in microseconds."""

    started: int
    files: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    sessions: set[str] = field(default_factory=set)
    turns: int = 0
    signals: int = 0
    sightings: int = 0
    secrets: int = 0
    elsewhere: Counter[str] = field(default_factory=Counter)
    own: Counter[str] = field(default_factory=Counter)
    gone: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """A human event with the agent's words before it, as far as they are kept in hand."""

    event: Event
    previous: str


def session_id(kit: Kit, id: str, depth: Depth) -> str:
    """Return the id as it is kept: one that is no mere number may hold words."""
    if depth is Depth.TEXT or is_opaque(id):
        return id
    return keyed(kit.store.key, id)[:32]


def is_forgotten(kit: Kit, id: str, forgotten: frozenset[str]) -> bool:
    """Tell whether a person had a session erased, under any name that it was kept by."""
    if not forgotten:
        return False
    names = {id, session_id(kit, id, Depth.HASH)}
    return not forgotten.isdisjoint(keyed(kit.store.key, name) for name in names)


def _record_id(kit: Kit, id: str, depth: Depth) -> str:
    return session_id(kit, id, depth) if id else ""


def batch_of(
    kit: Kit,
    tally: Tally,
    file: ReadFile,
    session: Session,
    turns: list[Turn],
    *,
    fresh: bool,
    instead: bool = False,
) -> Batch:
    """Return everything that a reading adds: session, lineage keys, clean turns, sightings.

    ``fresh`` and ``instead`` are those of the batch.
    """
    redacted = [_clean(kit, turn.event.text) for turn in turns]
    found = list(_sightings(kit, tally, file, session, turns, redacted))
    times = [turn.event.at for turn in turns if turn.event.at is not None]
    text = file.depth is Depth.TEXT
    return Batch(
        file=file,
        session=KeptSession(
            id=file.session,
            agent=session.agent,
            project=file.project,
            lineage="",
            branch=session.branch if text else "",
            path=file.path,
            started=min(times, default=None),
            ended=max(times, default=None),
            turns=len(turns),
        ),
        fresh=fresh,
        instead=instead,
        keys=(*lineage_keys(kit, turns), *_origins(kit, session)),
        turns=tuple(_kept_turns(file, turns, redacted)) if text else (),
        sightings=tuple(sighting for sighting, _ in found),
        starts=tuple(start for _, start in found),
    )


def _clean(kit: Kit, text: str) -> Redaction:
    """Redact a turn, then cut it: a secret that lies across the bound goes whole."""
    clean = redact(text, (str(kit.home),), (kit.home.name,))
    return replace(clean, text=clean.text[: limits.TURN_CHARS])


def lineage_keys(kit: Kit, turns: list[Turn]) -> tuple[str, ...]:
    """Return the keyed hashes of what makes two sessions one lineage."""
    return tuple(dict.fromkeys(key for turn in turns for key in _keys_of(kit, turn)))


def _origins(kit: Kit, session: Session) -> Iterator[str]:
    """Yield what a session shares with those forked from it: its id, and its own origin's.

    Whoever wrote it down, an id that nobody else gives is the same session's.
    """
    for id in dict.fromkeys((session.id, session.origin)):
        if id:
            agent = "" if is_unique(id) else session.agent
            yield keyed(kit.store.key, f"session:{agent}:{id}")


def _keys_of(kit: Kit, turn: Turn) -> Iterator[str]:
    """Yield what tells a copy of a turn from a repetition: its id, its moment, its occasion.

    Where records have ids, these tell; agents say the same thing twice more often than one thinks.
    """
    event = turn.event
    if event.record:
        yield keyed(kit.store.key, f"record:{event.record}")
    if event.at is not None:
        yield keyed(kit.store.key, f"moment:{event.at}:{event.text}")
    if not event.record and len(turn.previous) >= _REPLY_CHARS:
        occasion = " ".join(turn.previous.split())
        yield keyed(kit.store.key, f"occasion:{occasion}:{event.text}")


def _kept_turns(file: ReadFile, turns: list[Turn], redacted: list[Redaction]) -> Iterator[KeptTurn]:
    for turn, clean in zip(turns, redacted, strict=True):
        event = turn.event
        yield KeptTurn(
            session=file.session,
            place=event.record or f"{event.seq}:{event.kind}",
            seq=event.seq,
            kind=event.kind,
            at=event.at,
            record=event.record,
            text=clean.text,
        )


def _sightings(
    kit: Kit,
    tally: Tally,
    file: ReadFile,
    session: Session,
    turns: list[Turn],
    redacted: list[Redaction],
) -> Iterator[tuple[Sighting, int]]:
    for turn, clean in zip(turns, redacted, strict=True):
        signals = kit.learner.notice(
            clean.text, previous=turn.previous, interrupted=turn.event.interrupted
        )
        tally.signals += len(signals)
        for signal in signals:
            if signal.fingerprint.empty:
                continue  # "that's wrong" says nothing that could recur
            if "[redacted:" in signal.sentence and file.depth is Depth.TEXT:
                tally.secrets += 1
                continue
            yield (
                _sighting(kit, file, session, turn.event, clean.text, signal, tally.started),
                signal.start,
            )


def _sighting(
    kit: Kit,
    file: ReadFile,
    session: Session,
    event: Event,
    text: str,
    signal: Signal,
    now: int,
) -> Sighting:
    keeps_text = file.depth is Depth.TEXT
    hashed = text_digest(text) if keeps_text else keyed(kit.store.key, text)
    quote = signal.sentence[: limits.QUOTE_CHARS]
    return Sighting(
        idea=keyed(kit.store.key, core_key(signal.fingerprint)),
        project=file.project,
        agent=session.agent,
        lineage="",
        anchor=Anchor(
            file.session, event.seq, event.kind, _record_id(kit, event.record, file.depth), hashed
        ),
        kind=signal.kind,
        scope=signal.scope,
        confidence=signal.confidence,
        at=event.at,
        recorded=now,
        revision=file.policy,
        language=signal.language,
        quote=encode(quote).decode() if keeps_text else None,
        fingerprint=signal.fingerprint if keeps_text else None,
    )
