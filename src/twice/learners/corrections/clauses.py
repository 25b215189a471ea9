"""The clauses of a sentence taken apart."""

from collections.abc import Sequence
from functools import cached_property

from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.vocabulary import NO_ROLES, Roles

WANTED, UNWANTED = 1, -1

_PREFACE = frozenset(("fillers", "politeness", "exasperation", "rejects"))
_TELLING = frozenset(
    ("negators", "nominal", "contrasts", "prohibitions", "reversals", "without", "declines")
)
_FRAME = frozenset(
    ("habits", "once", "lasting", "requests", "memos", "wishes", "modals", "joins", "bylaws")
)
_HANGING = frozenset(("fillers", "habits"))
_ANGER = frozenset(("exasperation",))
_COMPLAINTS = frozenset(("complaints", "omissions"))
_DENYING = frozenset(("orders", "prohibitions", "negators"))
_SPEAKING = frozenset(
    ("negated", "reports", "happened", "doing", "pronouns", "self", "conditionals", "declines")
)
DENIED_WORDS = 2  # content words of a bare "not double quotes"
_DOING = frozenset(("orders", "prohibitions", "manner", "practice", "task", "undo"))
_NEGATIONS = frozenset(("negators", "prohibitions"))


class Clause:
    """Pieces between two breaks. ``hard``: a hard break, as a semicolon, stands before it."""

    def __init__(self, pieces: tuple[Piece, ...], hard: bool) -> None:
        self.pieces = pieces
        self.hard = hard
        self.last = False
        self.roles: Roles = NO_ROLES.union(*[piece.roles for piece in pieces])

    @cached_property
    def opening(self) -> Piece | None:
        """The first piece that says something: no filler, no politeness."""
        for piece in self.pieces:
            if not piece.roles & _PREFACE or piece.roles & _TELLING:
                return piece
        return None

    @cached_property
    def edges(self) -> Roles:
        """The roles of what opens it, and of what closes it where verbs come last."""
        opening = self.opening
        ends = [piece.roles for piece in self.pieces if "closing" in piece.roles]
        return NO_ROLES.union(opening.roles if opening else NO_ROLES, *ends)

    @cached_property
    def act(self) -> Piece | None:
        """The first piece behind fillers and frames ("from now on", "can you"): what to do.

        Where verbs come last, it is the last verb.
        """
        if "closing" in self.roles:
            return next((p for p in reversed(self.pieces) if p.roles & _DOING), self.opening)
        for piece in self.pieces:
            if piece.roles & _DENYING:
                return piece
            if "places" in piece.roles:  # "for scripts use …"
                return self._behind_place() or piece
            if not piece.roles & _PREFACE and not (piece.silent and piece.roles & _FRAME):
                return None if "late" in piece.roles else piece
        return None

    def _behind_place(self) -> Piece | None:
        for piece in self.pieces:
            if piece.roles & {"self", "others", "pronouns", "happened"}:
                return None
            if "manner" in piece.roles and "light" in piece.roles:
                return piece
        return None

    @cached_property
    def complains(self) -> bool:
        """True where it says what the agent did: "you edited …", "why are you …"."""
        if "imperatives" in self.roles:
            return False
        if not self.roles.isdisjoint(_ANGER) and "reports" not in self.roles:
            done = zip(self.pieces, self.pieces[1:], strict=False)
            if any("late" in verb.roles and "happened" in end.roles for verb, end in done):
                return True
        if any("closing" in piece.roles and piece.roles & _COMPLAINTS for piece in self.pieces):
            return True
        for i, piece in enumerate(self.pieces):
            if piece.roles & _COMPLAINTS:
                return True
            if "addressees" in piece.roles:
                return "happened" in self.pieces[min(i + 1, len(self.pieces) - 1)].roles
            if not piece.silent or piece.roles & {"reasons", "conditionals", "articles"}:
                return False
        return False

    @cached_property
    def fragment(self) -> bool:
        """True where it is a bare "not in …": a negation before a place or an article."""
        for piece, after in zip(self.pieces, self.pieces[1:], strict=False):
            if "negators" in piece.roles:
                return bool(after.roles & {"places", "articles"})
        return False

    def after(self, piece: Piece) -> Roles:
        """Return the roles of what stands right behind a piece."""
        i = self.pieces.index(piece) + 1
        return self.pieces[i].roles if i < len(self.pieces) else NO_ROLES

    @cached_property
    def denial(self) -> bool:
        """True where it is a bare "not npm": a negation before a thing, without a verb."""
        opening = self.opening
        if opening is None or self.hard or "denies" not in opening.roles:
            return False
        after = self.pieces[self.pieces.index(opening) + 1 :]
        said = sum(not piece.silent for piece in after)
        return 0 < said <= DENIED_WORDS and not any(piece.roles & _SPEAKING for piece in after)

    @cached_property
    def content(self) -> int:
        """How many pieces enter a fingerprint."""
        return sum(not piece.silent for piece in self.pieces)


def clauses(found: Sequence[Piece]) -> tuple[Clause, ...]:
    """Return the clauses: breaks, adversatives, and a conjunction before a negation end one."""
    done: list[Clause] = []
    current: list[Piece] = []
    hard = True
    for i, piece in enumerate(found):
        roles = piece.roles
        if "break" in roles and "hard" not in roles and _hangs(current):
            continue
        if "break" in roles or _flips(piece, current) or _joins_negation(found, i):
            _close(done, current, hard)
            current = []
            hard = "hard" in roles
        elif _denies_value(found, i):
            _close(done, current, hard)
            current, hard = [piece], False
        else:
            current.append(piece)
            if "finals" in roles:
                _close(done, current, hard)
                current, hard = [], True
    _close(done, current, hard)
    if done:
        done[-1].last = True
    return tuple(done)


def _hangs(current: list[Piece]) -> bool:
    """Tell what says nothing without its verb, however it is set off: a habit, "see to it"."""
    if current and "assurances" in current[-1].roles:
        return True
    return bool(current) and all(piece.roles >= _HANGING for piece in current)


def _flips(piece: Piece, before: list[Piece]) -> bool:
    """Tell "but", and an "only" that means "but" behind a negation."""
    if "counters" in piece.roles:
        return any(one.roles & _NEGATIONS for one in before)
    return "flips" in piece.roles


def _joins_negation(found: Sequence[Piece], i: int) -> bool:
    if "joins" not in found[i].roles:
        return False
    for piece in found[i + 1 : i + 3]:
        if piece.roles & _NEGATIONS:
            return True
        if not piece.roles & _FRAME:
            return False
    return False


def _denies_value(found: Sequence[Piece], i: int) -> bool:
    """Tell a "not" between two things, the second a value: "use pnpm not npm"."""
    roles = found[i].roles
    if "denies" not in roles or i == 0 or found[i - 1].silent:
        return False
    after = [piece for piece in found[i + 1 : i + 3] if "articles" not in piece.roles]
    return bool(after) and "typed" in after[0].roles


def _close(done: list[Clause], current: list[Piece], hard: bool) -> None:
    if current:
        done.append(Clause(tuple(current), hard))


def answers_no(clause: Clause, opening: Piece) -> bool:
    """Tell a "no" that answers from one that forbids: nothing or a pronoun follows."""
    if "rejects" not in opening.roles:
        return False
    after = clause.pieces[clause.pieces.index(opening) + 1 :]
    return not after or bool(after[0].roles & {"pronouns", "complaints", "addressees"})
