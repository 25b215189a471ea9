"""The signed fingerprint of a wish: what it wants, what it does not want, its topic."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from twice.core.ideas import Fingerprint
from twice.learners.corrections.clauses import UNWANTED, WANTED, Clause, answers_no, clauses
from twice.learners.corrections.pieces import pieces
from twice.learners.corrections.vocabulary import vocabulary

_NEGATING = frozenset(("negators", "orders", "prohibitions", "dislikes", "omissions"))
_TURNING = frozenset(  # what lets a silent piece change the words around it
    (
        *("contrasts", "rivals", "reversals", "without", "reasons", "conditions", "naming"),
        *("before", "earlier", "later"),
    )
)


def fingerprint(sentence: str, language: str) -> Fingerprint:
    """Return the content stems of a wish with their signs.

    >>> print = fingerprint("Use pnpm instead of npm", "en")
    >>> sorted(print.wanted), sorted(print.unwanted)
    (['packages:pnpm'], ['packages:npm'])
    """
    words = vocabulary(language)
    return signed(clauses(pieces(unicodedata.normalize("NFKC", sentence), words)))


@dataclass(slots=True)
class _Said:
    """Stems with a sign, in the order of speech; ``chunk`` numbers unbroken groups of words."""

    stem: str
    sign: int
    chunk: int
    generic: bool


def signed(sentence: Sequence[Clause]) -> Fingerprint:
    """Return the fingerprint of the clauses of a sentence."""
    topic: set[str] = set()
    said: list[_Said] = []
    complained = False
    previous = WANTED
    for clause in sentence:
        complained = _complains(clause, complained)
        previous = _sign(clause, UNWANTED if complained else WANTED, previous)
        said += _read(clause, said, topic, previous)
    return _weighed(said, topic)


def _complains(clause: Clause, before: bool) -> bool:
    """Tell whether a clause says what was done: an order's signs are then reversed."""
    if clause.complains:
        return True
    opening = clause.opening
    if not before or clause.hard or opening is None:
        return False
    if clause.denial or clause.fragment:
        return True
    return bool(opening.roles & {"contrasts", "nominal"})


def _sign(clause: Clause, default: int, previous: int) -> int:
    """Return the sign of what stands before any contrast of the clause."""
    at = clause.opening_at
    if at is not None and "nominal" in clause.pieces[at].roles and not answers_no(clause, at):
        return -default
    if not _NEGATING.isdisjoint(clause.roles):
        return -default
    if "faults" in clause.roles and _finds_fault(clause):
        return -default
    if "alternatives" in clause.roles and previous == UNWANTED and not clause.hard:
        return UNWANTED
    return default


def _finds_fault(clause: Clause) -> bool:
    """Tell a clause that finds fault with a thing of a kind: "npm is wrong here"."""
    things = [i for i, piece in enumerate(clause.pieces) if ":" in piece.stem]
    faults = [i for i, piece in enumerate(clause.pieces) if "faults" in piece.roles]
    return bool(things and faults) and max(things) < min(faults)


@dataclass(slots=True)
class _Place:
    """Where the reading of a clause stands."""

    sign: int
    chunk: int
    prefix: str = ""
    aside: bool = False  # in a reason: what follows is topic
    contrast: int = 0  # the chunk behind a contrast, once it has begun
    once: bool = False  # the prefix is for one word


def _read(clause: Clause, said: list[_Said], topic: set[str], sign: int) -> list[_Said]:
    """Return what a clause says; a contrast narrows what was said before it."""
    place = _Place(sign, said[-1].chunk + 1 if said else 1)
    fresh: list[_Said] = []
    behind = False
    opening = clause.opening
    if opening is not None and "nominal" in opening.roles and not clause.hard:
        _narrow(said, topic)  # "A, no B"
    for i, piece in enumerate(clause.pieces):
        if piece.silent:
            place.chunk += 1
            if _TURNING.isdisjoint(piece.roles):
                continue
            if _contrasts(clause, i, fresh, behind=behind) and not answers_no(clause, i):
                if i == clause.opening_at and not clause.hard and not fresh:
                    _narrow(said, topic)
                if "negators" not in piece.roles:
                    _narrow(fresh, topic)
                    place.sign, behind = (-sign if fresh else _opened(clause, sign)), True
            else:
                _turn(clause, i, place, fresh, said, topic)
            continue
        if behind and not place.contrast:
            place.contrast = place.chunk
        beyond = place.contrast and place.contrast != place.chunk
        told = "rulebook" in clause.roles and bool(piece.roles & {"task", "practice", "rulebook"})
        if place.aside or beyond or told or "reply" in piece.roles:
            topic.add(piece.stem)
        else:
            generic = "generic" in piece.roles
            fresh.append(_Said(place.prefix + piece.stem, place.sign, place.chunk, generic))
            if place.once:
                place.prefix, place.once = "", False
    return fresh


def _contrasts(clause: Clause, i: int, fresh: list[_Said], *, behind: bool) -> bool:
    """Tell a contrast; after "I prefer", also a mere "to": "prefiero A a B"."""
    piece = clause.pieces[i]
    if "contrasts" in piece.roles:
        return True
    at = clause.opening_at
    if "rivals" not in piece.roles or behind or not fresh or at is None:
        return False
    opening, between = clause.pieces[at], clause.pieces[at + 1 : i]
    if "tastes" not in opening.roles or opening.roles & {"dislikes", "requests"}:
        return False
    return not any(piece.roles & {"manner", "practice", "task"} for piece in between)


def _opened(clause: Clause, sign: int) -> int:
    """Return the sign behind a contrast that opens a clause; "no" has turned it already."""
    opening = clause.opening
    turned = opening is not None and "nominal" in opening.roles
    return sign if turned else -sign


def _turn(
    clause: Clause, i: int, place: _Place, fresh: list[_Said], said: list[_Said], topic: set[str]
) -> None:
    """Let a mark change what follows it, or what stands before it."""
    roles = clause.pieces[i].roles
    if "earlier" in roles:
        for word in fresh:
            word.stem = "before:" + word.stem
    elif "reversals" in roles and fresh:
        _narrow(fresh, topic)
        for word in fresh:
            word.sign = -place.sign
    elif "without" in roles and not _turned_by(clause, i):
        place.sign = -place.sign
        asked = any("consult" in piece.roles for piece in clause.pieces[i:])
        if asked or place.sign == WANTED:
            for word in fresh:
                word.stem, word.sign = "before:" + word.stem, place.sign
    elif "later" in roles and fresh and all(piece.silent for piece in clause.pieces[i:]):
        for word in fresh:
            word.stem = "before:" + word.stem
    elif "before" in roles or "later" in roles:
        place.prefix = "before:"
        place.once = "before" in roles and clause.last and not fresh
    elif "naming" in roles:
        place.prefix = "name:"
    elif "conditions" in roles:
        place.prefix = "when:"
    elif "reasons" in roles and (fresh or said):
        place.aside = True


def _turned_by(clause: Clause, i: int) -> bool:
    """Tell a "without" that opens its clause: it has turned the sign of all of it."""
    return i == clause.opening_at and "nominal" in clause.pieces[i].roles


def _narrow(said: list[_Said], topic: set[str]) -> None:
    """Keep the last unbroken group of words: what a contrast stands against."""
    if said:
        last = said[-1].chunk
        topic.update(s.stem for s in said if s.chunk != last)
        said[:] = [s for s in said if s.chunk == last]


def _weighed(said: list[_Said], topic: set[str]) -> Fingerprint:
    """Divide what was said by sign; heads of compounds and words on both sides are topic."""
    named = {s.chunk for s in said if not s.generic and ":" not in s.stem}
    values = {s.chunk for s in said if not s.generic} - named  # "yarn workspaces" is no yarn
    enough = sum(not s.generic for s in said) > 1
    core: list[_Said] = []
    for s in said:
        if s.generic and (s.chunk in named or (enough and s.chunk not in values)):
            topic.add(s.stem)
        else:
            core.append(s)
    wanted = {s.stem for s in core if s.sign == WANTED}
    unwanted = {s.stem for s in core if s.sign == UNWANTED}
    both = wanted & unwanted
    return Fingerprint(
        frozenset(wanted - both),
        frozenset(unwanted - both),
        frozenset((topic | both) - (wanted ^ unwanted)),
    )
