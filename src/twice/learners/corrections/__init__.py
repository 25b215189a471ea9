"""The learner that hears corrections and preferences in a person's own words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from twice.core.ideas import Explanation, Idea, Sighting, Signal
from twice.learners.corrections.before import Before
from twice.learners.corrections.hearing import Heard, hear, met
from twice.learners.corrections.languages import language_of
from twice.learners.corrections.own_words import own_words
from twice.learners.corrections.pieces import Piece, parts, pieces
from twice.learners.corrections.rules import Rule
from twice.learners.corrections.said import Setting, Told
from twice.learners.corrections.sentences import SENTENCE_CHARS, sentences
from twice.learners.corrections.signs import fingerprint
from twice.learners.corrections.vocabulary import Vocabulary, languages, vocabulary
from twice.learners.corrections.weighing import HEARD

__all__ = ["explain", "fingerprint", "gather", "notice"]

_LISTED = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]", re.M)
SIGNALS = 32  # of one turn; what says more is pasted
SOME = 0.01  # the confidence of what is weighed at all


def notice(
    text: str, *, previous: str = "", interrupted: bool = False, language: str = ""
) -> tuple[Signal, ...]:
    """Return the signals of one human turn; ``previous`` is what the agent said before.

    ``language`` is told from the words where it is empty.

    >>> [(s.kind.value, s.sentence) for s in notice("Thanks. Always use pnpm here.")]
    [('preference', 'Always use pnpm here.')]
    """
    return _listen(text, own_words(text), previous, interrupted, language, HEARD)


def explain(
    text: str, *, previous: str = "", interrupted: bool = False, language: str = ""
) -> Explanation:
    """Return what is heard in one human turn and why, and what was too weak to be heard."""
    own = own_words(text)
    language = language or language_of(own, previous)
    found = _listen(text, own, previous, interrupted, language, SOME)
    return Explanation(
        language,
        tuple(signal for signal in found if signal.confidence >= HEARD),
        tuple(signal for signal in found if signal.confidence < HEARD),
        tuple(_blanked(text, own)),
        language in languages(),
    )


def _blanked(text: str, own: str) -> Iterator[tuple[int, int]]:
    """Yield the spans, from word to word, in which nothing is the person's own."""
    if own == text:
        return
    for blank in re.finditer(r"\s+", own):
        inner = text[blank.start() : blank.end()]
        if inner.strip():
            head = blank.start() + len(inner) - len(inner.lstrip())
            yield head, head + len(inner.strip())


def _listen(
    text: str, own: str, previous: str, interrupted: bool, language: str, least: float
) -> tuple[Signal, ...]:
    if not own or own.isspace():
        return ()
    language = language or language_of(own, previous)
    if language not in languages():
        return ()  # a language without a word table: better deaf than wrong
    signals: list[Signal] = []
    for spoken in speech(own, Before(previous, vocabulary(language)), interrupted):
        heard = hear(*spoken[2:5], question=spoken.question, least=least)
        sure = heard is not None and heard.confidence >= HEARD
        spoken.setting.told.add(spoken.part, heard=sure)
        if heard is not None and len(signals) < SIGNALS:
            signals.append(_signal(text, spoken.start, spoken.end, language, heard))
    return tuple(signals)


class Spoken(NamedTuple):
    """A sentence of a turn, or a part of one, that some rule might hear: ``rules``.

    Who takes it adds it to what its setting was ``told``.
    """

    start: int
    end: int
    part: list[Piece]
    rules: tuple[Rule, ...]
    setting: Setting
    question: bool


def speech(own: str, before: Before, interrupted: bool, *, every: bool = False) -> Iterator[Spoken]:
    """Yield what is to be weighed of a turn's own words; ``every`` sentence, if asked."""
    spans, told, words = sentences(own), Told(), before.words
    listed = "\n" in own and len(_LISTED.findall(own)) > 1
    for start, end in spans:
        if end - start > SENTENCE_CHARS:
            continue
        sentence, mark = own[start:end], own[end - 2 : end]
        question = "?" in mark or "？" in mark
        found = pieces(sentence, words, placed=False)
        for number, part in enumerate(parts(found)):
            rules = met(part, stated=not question, answering=before.spoke)
            if not (rules or every):
                told.add(part)
                continue
            chain = 0 if part is found else len(found)
            setting = Setting(before, told, interrupted, len(spans), listed, chain)
            head, tail = _span(sentence, words, number) if chain else (0, end - start)
            yield Spoken(start + head, start + tail, part, rules, setting, question)


def _span(sentence: str, words: Vocabulary, number: int) -> tuple[int, int]:
    """Return where a part of a sentence begins and ends."""
    part = parts(pieces(sentence, words))[number]
    return part[0].start, part[-1].end


def gather(sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
    """Return the distinct ideas of one project's sightings, strongest first."""
    from twice.learners.corrections import gathering  # late: hearing does not need it

    return gathering.gather(sightings)


def _signal(text: str, start: int, end: int, language: str, heard: Heard) -> Signal:
    return Signal(
        heard.kind,
        heard.scope,
        text[start:end],
        start,
        end,
        heard.confidence,
        language,
        heard.fingerprint,
        heard.reasons,
    )
