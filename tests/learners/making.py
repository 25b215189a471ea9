"""Sightings made from sentences, for the tests of the learners."""

from collections.abc import Iterable

from twice.core.ideas import Idea, Sighting, Signal, core_key
from twice.core.transcript import Anchor, Kind
from twice.learners.corrections import notice


def sightings(said: Iterable[tuple[str, str]], previous: str = "") -> tuple[Sighting, ...]:
    """Return the sightings of (session, text) pairs, each session a lineage of its own."""
    return tuple(
        _sighting(session, seq, signal)
        for seq, (session, text) in enumerate(said)
        for signal in notice(text, previous=previous)
    )


def _sighting(session: str, seq: int, signal: Signal) -> Sighting:
    return Sighting(
        idea=core_key(signal.fingerprint),
        project="p",
        agent="claude-code",
        lineage=session,
        anchor=Anchor(session, seq, Kind.PROMPT, "", ""),
        kind=signal.kind,
        scope=signal.scope,
        confidence=signal.confidence,
        at=seq,
        recorded=seq,
        revision="r",
        language=signal.language,
        quote=signal.sentence,
        fingerprint=signal.fingerprint,
    )


def quotes(idea: Idea) -> list[str]:
    """Return the words of an idea's support, in order of time."""
    return [sighting.quote or "" for sighting in idea.sightings]
