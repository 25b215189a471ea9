"""A second opinion on what the rules leave open: a sum of weights, learned from labelled turns.

``python -m training.weights`` makes the weights: three logistic regressions over the same facts
(is it a signal; is it a correction; does it last). A fact is a role somewhere in the sentence, at
its beginning or end, or with what the agent did before; none names a word of any language.
"""

import json
import math
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from twice.core.ideas import Scope, SignalKind
from twice.learners.corrections.before import Before
from twice.learners.corrections.said import Said
from twice.learners.corrections.vocabulary import NO_ROLES, Roles

HEARD = 0.55  # the confidence that a signal needs; chosen on the development sets
LIKELY = 0.45  # the probability that a signal needs where no rule is sure of it
LASTS = 1.0  # the log-odds that a wish needs to count as a lasting one
SURE = 0.95  # no signal that no rule heard is surer
MOST = 30.0  # a sum of weights that nothing is likelier than
WEIGHED = "weighed"  # the name of this opinion among the reasons of a signal
LENGTHS = (3, 6, 10, 16, 24)  # words
FIRST = 2  # words that begin a sentence
LONG_TURN = 6  # sentences; longer turns are mostly tasks and specifications
KEPT = 20_000  # groups of facts whose weight is kept in hand
SIGNAL, CORRECTION, DURABLE = range(3)
Weights = tuple[float, float, float]


def weighed(
    said: Said, names: tuple[str, ...], confidence: float
) -> tuple[SignalKind, Scope, float] | None:
    """Return kind, scope and confidence of a sentence that is likely a signal, else None.

    ``names`` are the rules that fired, too weakly, with their ``confidence``.
    """
    sums = list(_weights()[""])
    for group, value in _groups(said, names, confidence):
        for i, weight in enumerate(_weight(group)):
            sums[i] += value * weight
    likely = 1 / (1 + math.exp(-max(-MOST, min(MOST, sums[SIGNAL]))))
    if likely < LIKELY:
        return None
    kind = SignalKind.CORRECTION if sums[CORRECTION] > 0 else SignalKind.PREFERENCE
    scope = Scope.DURABLE if sums[DURABLE] > LASTS else Scope.ONE_OFF
    return kind, scope, round(min(SURE, max(HEARD, likely)), 2)


@cache
def _weights() -> dict[str, Weights]:
    """Return the weights of each fact, for signal, correction and durable; "" for the base."""
    table = json.loads((Path(__file__).parent / "words" / "weights.json").read_text("utf-8"))
    return {name: (row[0], row[1], row[2]) for name, row in table.items()}


def facts_of(said: Said, names: tuple[str, ...], confidence: float) -> dict[str, float]:
    """Return what is weighed of a sentence, as ``{"prohibitions": 1.0, "to 6": 1.0, ...}``."""
    groups = _groups(said, names, confidence)
    return {name: value for group, value in groups for name in _facts(group)}


class Group(NamedTuple):
    """Facts that hold together: each of ``names`` by itself, or with each of ``contexts``."""

    names: Roles
    contexts: tuple[str, ...]
    alone: bool


def _groups(said: Said, names: tuple[str, ...], confidence: float) -> Iterator[tuple[Group, float]]:
    """Yield the facts of a sentence in groups, each with its value."""
    setting, before = said.setting, said.setting.before
    around = tuple(name for name, holds in _around(before) if holds)
    words = [piece for piece in said.pieces if "break" not in piece.roles]
    plain = [name for name, holds in _marks(said) if holds]
    plain += [f"to {most}" for most in LENGTHS if len(words) <= most]
    for name in {*plain, *NO_ROLES.union(*[piece.roles for piece in said.pieces])}:
        yield Group(frozenset((name,)), around, True), 1.0
    for i, word in enumerate(words[:FIRST]):
        yield Group(word.roles, (f"at {i}",), False), 1.0
    for word in words[-1:]:
        yield Group(word.roles, ("last",), False), 1.0
    yield Group(frozenset(("is",)), around, False), 1.0
    yield Group(frozenset(f"rule {name}" for name in names), (), True), 1.0
    yield Group(frozenset(("confidence",)), (), True), confidence
    core = {piece.stem.rpartition(":")[2] for piece in said.pieces if not piece.silent}
    if before.spoke and (shared := len(core & before.stems)):
        yield Group(frozenset(("overlap",)), (), True), 1.0
        yield Group(frozenset(("overlap share",)), (), True), shared / len(core)
    if setting.interrupted:
        yield Group(frozenset(("interrupted",)), (), True), 1.0


def _facts(group: Group) -> Iterator[str]:
    if group.alone:
        yield from group.names
    for context in group.contexts:
        yield from (f"{name} {context}" for name in group.names)


@lru_cache(maxsize=KEPT)
def _weight(group: Group) -> Weights:
    """Return what a group weighs, for signal, correction and durable."""
    found = [row for name in _facts(group) if (row := _weights().get(name))]
    return sum(r[0] for r in found), sum(r[1] for r in found), sum(r[2] for r in found)


def _around(before: Before) -> tuple[tuple[str, bool], ...]:
    return (
        ("asked", before.asked),
        ("acted", before.acted and not before.asked),
        ("announced", before.announced),
        ("fresh", not before.spoke),
    )


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
