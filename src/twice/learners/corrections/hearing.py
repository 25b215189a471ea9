"""Deciding what one sentence is: a correction, a preference, or nothing."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from twice.core.ideas import Fingerprint, Scope, SignalKind
from twice.learners.corrections.clauses import clauses
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.rules import RULES, SHORT_PIECES, Rule
from twice.learners.corrections.said import Said, Setting
from twice.learners.corrections.vocabulary import NO_ROLES, Roles
from twice.learners.corrections.weighing import HEARD, LONG_TURN, WEIGHED, weighed

LONG_SENTENCE = 20  # pieces; each time so many make a wish less likely
CHAIN_LEAVE = 12  # pieces that a chain of short clauses may be longer
DOUBT_PIECES = 8
KEPT = 10_000  # sets of roles with the rules whose needs they meet


class Heard(NamedTuple):
    """What a sentence is, and why."""

    kind: SignalKind
    scope: Scope
    confidence: float
    fingerprint: Fingerprint
    reasons: tuple[str, ...]


def met(found: Sequence[Piece], *, stated: bool, answering: bool) -> tuple[Rule, ...]:
    """Return the rules whose needs a sentence meets; of most sentences, none.

    ``stated``: it is no question. ``answering``: the agent has said something before.
    """
    roles = NO_ROLES.union(*[piece.roles for piece in found])
    return _met(roles & _NEEDED, stated, answering)


@lru_cache(maxsize=KEPT)
def _met(roles: Roles, stated: bool, answering: bool) -> tuple[Rule, ...]:
    return tuple(
        rule
        for rule in RULES
        if (stated or not rule.stated)
        and (answering or not rule.answering)
        and any(map(roles.issuperset, rule.needs))
    )


_NEEDED = NO_ROLES.union(*[needs for rule in RULES for needs in rule.needs])


def hear(
    found: list[Piece], rules: tuple[Rule, ...], setting: Setting, *, question: bool, least: float
) -> Heard | None:
    """Return what a sentence is, or None where it is neither correction nor preference.

    ``rules`` are those whose needs it meets; ``least`` is the confidence that is asked for. What
    they leave open is weighed as a whole.
    """
    said = Said(found, clauses(found), setting, question)
    if not said.clauses or foreign(said):
        return None
    names, confidence = judged(said, rules)
    unsure = confidence < HEARD and not _settled(said, names)
    if unsure and (likely := weighed(said, names, confidence)):
        kind, scope, confidence = likely
        return Heard(kind, scope, confidence, said.print, (*names, WEIGHED))
    if not names or confidence < least:
        return None
    return Heard(_kind(said, names), _scope(said, names), confidence, said.print, names)


def _settled(said: Said, names: tuple[str, ...]) -> bool:
    """Tell what is no wish for certain: design talk, results, reports ("no dialog appeared")."""
    if all(piece.silent for piece in said.pieces):
        return True  # "no, thanks"
    if _doubtful(said) or said.any("outcomes") or any(c.absolves for c in said.clauses):
        return True
    if said.any("reports", "happened") and not said.any("complaints", "addressees"):
        return True
    return names == ("forbidden",) and not said.setting.before.acted


def judged(said: Said, rules: tuple[Rule, ...]) -> tuple[tuple[str, ...], float]:
    """Return the rules that fire, and how sure they are together."""
    if said.question:
        rules = tuple(rule for rule in rules if not rule.stated)
    weights = [(rule.name, max(rule.weigh(said, c) for c in said.clauses)) for rule in rules]
    names = tuple(name for name, weight in weights if weight)
    if not names:
        return (), 0.0
    return names, _confidence(said, [weight for _, weight in weights if weight], _doubtful(said))


def foreign(said: Said) -> bool:
    """Tell what others want, what documents say, and what a product shall do."""
    if said.any("praise") and not said.any("orders", "habits", "contrasts"):
        return True
    for clause in said.clauses:
        if "reported" in clause.roles and not clause.roles & {"self", "exasperation", "assurances"}:
            return True
    for clause in said.clauses:
        opening = clause.opening
        if opening is None or opening.roles & {"rejects", "habits", "orders"}:
            continue
        return bool(opening.roles & {"others"})
    return False


def _doubtful(said: Said) -> bool:
    """Tell design talk: "could", "maybe", near the beginning of what is not an order."""
    first = said.clauses[0].opening
    if first is not None and "conditionals" in first.roles and said.any("hypotheticals"):
        return True
    for clause in said.clauses:
        opening = clause.opening
        if opening is not None and opening.roles & {"orders", "habits"}:
            return False
        if any("hypotheticals" in piece.roles for piece in clause.pieces[:DOUBT_PIECES]):
            return True
    return False


def _confidence(said: Said, weights: list[float], doubtful: bool) -> float:
    """Return the strongest reason's weight, a little more for each further one."""
    confidence = max(weights) + 0.05 * (len(weights) - 1)
    if said.question and not said.any("complaints", "omissions", "requests", "halts"):
        confidence -= 0.4
    if doubtful:
        confidence -= 0.35
    if said.any("politeness", "exasperation"):
        confidence += 0.05
    if said.setting.interrupted:
        confidence += 0.15
    if said.setting.sentences > LONG_TURN:
        confidence -= 0.15
    if said.setting.listed:
        confidence -= 0.2
    longest = max(len(said.pieces), said.setting.chain - CHAIN_LEAVE)
    confidence -= 0.15 * (longest // LONG_SENTENCE)
    return round(max(0.0, min(0.99, confidence)), 2)


_UPSET = frozenset(("exasperation", "faults", "rejects", "halts", "complaints", "omissions"))
_CORRECTING = frozenset(("complaint", "meant", "fault", "undo", "rejection", "value"))


def _kind(said: Said, reasons: tuple[str, ...]) -> SignalKind:
    """A correction follows a fault: it names one, or contradicts what the agent just did."""
    setting = said.setting
    if not _CORRECTING.isdisjoint(reasons) or said.any("exasperation", "halts"):
        return SignalKind.CORRECTION
    if said.rejects or setting.interrupted:
        return SignalKind.CORRECTION
    if setting.told.roles & _UPSET:
        return SignalKind.CORRECTION
    if setting.before.asked or not setting.before.spoke:
        return SignalKind.PREFERENCE
    if "language" in reasons and _other_language(said):
        return SignalKind.CORRECTION
    if setting.before.acted and ("exception" in reasons or "comparative" in said.roles):
        return SignalKind.CORRECTION
    if setting.before.acted and "prohibition" in reasons and not setting.told.tasked:
        return SignalKind.CORRECTION  # behind a new task it says how that shall be done
    if "rulebook" in reasons:
        return SignalKind.PREFERENCE
    if (setting.before.acted or setting.before.announced) and _contradicts(said):
        return SignalKind.CORRECTION
    if not {"contrast", "forbidden"}.isdisjoint(reasons) and len(said.pieces) <= SHORT_PIECES:
        return SignalKind.CORRECTION
    return SignalKind.PREFERENCE


def _contradicts(said: Said) -> bool:
    core = {stem.rpartition(":")[2] for stem in said.print.core | said.print.topic}
    return not core.isdisjoint(said.setting.before.stems)


def _other_language(said: Said) -> bool:
    named = {s.partition(":")[2] for s in said.print.wanted if s.startswith("language:")}
    return bool(said.setting.before.language) and said.setting.before.language not in named


def _scope(said: Said, reasons: tuple[str, ...]) -> Scope:
    """A wish lasts where it names a habit, a custom or kinds of things; not one place or moment."""
    if said.any("once"):
        return Scope.ONE_OFF
    if not {"habit", "custom", "memo", "condition", "language", "rulebook", "assurance"}.isdisjoint(
        reasons
    ):
        return Scope.DURABLE
    if said.any("lasting", "habits"):
        return Scope.DURABLE
    if "taste" in reasons and said.any("tastes", "likes"):
        return Scope.DURABLE
    if not {"contrast", "prohibition", "forbidden"}.isdisjoint(reasons) and "meant" not in reasons:
        return Scope.ONE_OFF if said.setting.told.tasked or said.tasks else Scope.DURABLE
    if not {"meant", "fault", "undo", "exception"}.isdisjoint(reasons):
        return Scope.ONE_OFF
    if "complaint" in reasons and said.print.wanted and said.print.unwanted:
        return Scope.DURABLE
    if "complaint" in reasons:
        return Scope.ONE_OFF if said.any("happened", "past") else Scope.DURABLE
    if "rejection" in reasons:
        return Scope.ONE_OFF
    if said.any("before", "earlier"):
        return Scope.DURABLE
    if "taste" in reasons and not said.any("kinds"):
        return Scope.ONE_OFF
    return Scope.ONE_OFF if said.setting.told.tasked or said.tasks else Scope.DURABLE
