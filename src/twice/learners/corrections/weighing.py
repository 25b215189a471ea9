"""A second opinion on what the rules leave open: a sum of weights, learned from labelled turns.

``python -m training.weights`` makes the weights: three logistic regressions over the same facts
(is it a signal; is it a correction; does it last). A fact is a role somewhere in the sentence, at
its beginning or end, or with what the agent did before; none names a word of any language.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from twice.core.ideas import Scope, SignalKind
from twice.learners.corrections.said import Said

HEARD = 0.55  # the confidence that a signal needs; chosen on the development sets
SURE = 0.95  # no signal that no rule heard is surer
MOST = 30.0  # a sum of weights that nothing is likelier than
WEIGHED = "weighed"  # the name of this opinion among the reasons of a signal
LENGTHS = (3, 6, 10, 16, 24)  # words
FIRST = 2  # words that begin a sentence
LONG_TURN = 6  # sentences
SIGNAL, CORRECTION, DURABLE = range(3)
Facts = Mapping[str, float]
Weights = tuple[float, float, float]


def weighed(
    said: Said, names: tuple[str, ...], confidence: float
) -> tuple[SignalKind, Scope, float] | None:
    """Return kind, scope and confidence of a sentence that is likely a signal, else None.

    ``names`` are the rules that fired, too weakly, with their ``confidence``.
    """
    facts = facts_of(said, names, confidence)
    sums = [sum(column) for column in zip(*_terms(facts), strict=True)]
    likely = 1 / (1 + math.exp(-max(-MOST, min(MOST, sums[SIGNAL]))))
    if likely < HEARD:
        return None
    kind = SignalKind.CORRECTION if sums[CORRECTION] > 0 else SignalKind.PREFERENCE
    scope = Scope.DURABLE if sums[DURABLE] > 0 else Scope.ONE_OFF
    return kind, scope, round(min(SURE, likely), 2)


def _terms(facts: Facts) -> list[Weights]:
    weights = _weights()
    terms = [weights[""]]
    for name, value in facts.items():
        if found := weights.get(name):
            terms.append((found[0] * value, found[1] * value, found[2] * value))
    return terms


@cache
def _weights() -> dict[str, Weights]:
    """Return the weights of each fact, for signal, correction and durable; "" for the base."""
    table = json.loads((Path(__file__).parent / "words" / "weights.json").read_text("utf-8"))
    return {name: (row[0], row[1], row[2]) for name, row in table.items()}


def facts_of(said: Said, names: tuple[str, ...], confidence: float) -> dict[str, float]:
    """Return what is weighed of a sentence, as ``{"prohibitions": 1.0, "to 6": 1.0, ...}``."""
    setting, before = said.setting, said.setting.before
    around = [
        name
        for name, holds in (
            ("asked", before.asked),
            ("acted", before.acted and not before.asked),
            ("announced", before.announced),
            ("fresh", not before.spoke),
        )
        if holds
    ]
    words = [piece for piece in said.pieces if "break" not in piece.roles]
    facts = [f"to {most}" for most in LENGTHS if len(words) <= most]
    facts += [name for name, holds in _marks(said) if holds]
    facts += {role for piece in said.pieces for role in piece.roles}
    facts += [f"{name} {context}" for name in facts for context in around]
    facts += [f"is {context}" for context in around]
    facts += [f"{role} at {i}" for i, word in enumerate(words[:FIRST]) for role in word.roles]
    facts += [f"{role} last" for word in words[-1:] for role in word.roles]
    facts += [f"rule {name}" for name in names]
    found = dict.fromkeys(facts, 1.0)
    found["confidence"] = confidence
    core = {piece.stem.rpartition(":")[2] for piece in said.pieces if not piece.silent}
    if before.spoke and (shared := len(core & before.stems)):
        found |= {"overlap": 1.0, "overlap share": shared / len(core)}
    if setting.interrupted:
        found["interrupted"] = 1.0
    return found


def _marks(said: Said) -> tuple[tuple[str, bool], ...]:
    setting = said.setting
    return (
        ("alone", setting.sentences == 1),
        ("long turn", setting.sentences > LONG_TURN),
        ("listed", setting.listed),
        ("tasked", setting.told.tasked),
        ("chain", setting.chain > 0),
        ("question", said.question),
    )
