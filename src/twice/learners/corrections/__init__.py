"""The learner that hears corrections and preferences in a person's own words."""

from twice.core.ideas import Signal
from twice.learners.corrections.gathering import gather
from twice.learners.corrections.hearing import hear
from twice.learners.corrections.languages import language_of
from twice.learners.corrections.own_words import own_words
from twice.learners.corrections.pieces import pieces
from twice.learners.corrections.rules import Setting
from twice.learners.corrections.sentences import SENTENCE_CHARS, sentences
from twice.learners.corrections.signs import fingerprint
from twice.learners.corrections.vocabulary import vocabulary

__all__ = ["fingerprint", "gather", "notice"]

PREVIOUS_CHARS = 400  # the end of the agent's words is what a person answers


def notice(text: str, *, previous: str = "", interrupted: bool = False) -> tuple[Signal, ...]:
    """Return the signals of one human turn; ``previous`` is what the agent said before.

    >>> [(s.kind.value, s.sentence) for s in notice("Thanks. Always use pnpm here.")]
    [('preference', 'Always use pnpm here.')]
    """
    own = own_words(text)
    spans = sentences(own)
    if not spans:
        return ()
    language = language_of(own)
    words = vocabulary(language)
    setting = _setting(previous, interrupted, len(spans), language)
    signals: list[Signal] = []
    earlier: frozenset[str] = frozenset()
    for start, end in spans:
        if end - start > SENTENCE_CHARS:
            continue
        found = pieces(own[start:end], words)
        setting = setting.after(earlier)
        heard = hear(found, setting, question="?" in own[max(start, end - 3) : end])
        earlier = frozenset(role for piece in found for role in piece.roles)
        if heard is not None:
            signals.append(
                Signal(
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
            )
    return tuple(signals)


def _setting(previous: str, interrupted: bool, count: int, language: str) -> Setting:
    if not previous.strip():
        return Setting(interrupted=interrupted, sentences=count)
    end = previous[-PREVIOUS_CHARS:]
    spoken = language_of(end)
    stems = {
        piece.stem.rpartition(":")[2]
        for piece in pieces(end, vocabulary(language))
        if not piece.silent
    }
    return Setting(
        asked=end.rstrip().endswith(("?", "？")),
        spoke=True,
        stems=frozenset(stems),
        language=spoken,
        interrupted=interrupted,
        sentences=count,
    )
