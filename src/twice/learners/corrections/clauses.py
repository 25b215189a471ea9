"""The clauses of a sentence taken apart."""

from collections.abc import Sequence
from functools import cached_property

from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.vocabulary import NO_ROLES, SILENT, Roles

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
_DIVIDING = frozenset(("break", "counters", "flips", "joins", "denies", "finals"))
_DOING = frozenset(("orders", "prohibitions", "manner", "practice", "task", "undo"))
_DENIED = frozenset(("negators", "declines"))
_NEGATIONS = frozenset(("negators", "prohibitions"))


class Clause:
    """Pieces between two breaks. ``hard``: a hard break, as a semicolon, stands before it.

    ``opening`` is the first piece that says something: no filler, no politeness; ``edges`` are the
    roles of what opens it, and of what closes it where verbs come last.
    """

    def __init__(self, pieces: tuple[Piece, ...], hard: bool) -> None:
        self.pieces = pieces
        self.hard = hard
        self.last = False
        self.roles: Roles = NO_ROLES.union(*[piece.roles for piece in pieces])
        self.opening_at = self._opening()
        self.opening = None if self.opening_at is None else pieces[self.opening_at]
        self.edges = self.opening.roles if self.opening else NO_ROLES
        if "closing" in self.roles:
            ends = [piece.roles for piece in pieces if "closing" in piece.roles]
            self.edges = self.edges.union(*ends)

    def _opening(self) -> int | None:
        for i, piece in enumerate(self.pieces):
            if _PREFACE.isdisjoint(piece.roles) or not _TELLING.isdisjoint(piece.roles):
                return i
        return None

    @property
    def act(self) -> Piece | None:
        """The first piece behind fillers and frames ("from now on", "can you"): what to do.

        Where verbs come last, it is the last verb.
        """
        return None if self.act_at is None else self.pieces[self.act_at]

    @cached_property
    def act_at(self) -> int | None:
        """Where the act stands among the pieces."""
        if "closing" in self.roles:
            for i in range(len(self.pieces) - 1, -1, -1):
                if self.pieces[i].roles & _DOING:
                    return i
            return self.opening_at
        for i, piece in enumerate(self.pieces):
            if not _DENYING.isdisjoint(piece.roles):
                return i
            if "places" in piece.roles:  # "for scripts use …"
                behind = self._behind_place()
                return i if behind is None else behind
            framing = piece.silent and not _FRAME.isdisjoint(piece.roles)
            if not framing and _PREFACE.isdisjoint(piece.roles):
                return None if "late" in piece.roles else i
        return None

    def _behind_place(self) -> int | None:
        for i, piece in enumerate(self.pieces):
            if piece.roles & {"self", "others", "pronouns", "happened"}:
                return None
            if "manner" in piece.roles and "light" in piece.roles:
                return i
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
        closing = [piece for piece in self.pieces if "closing" in piece.roles]
        if any(piece.roles & _COMPLAINTS for piece in closing):
            return True
        for i, piece in enumerate(self.pieces):
            if not _COMPLAINTS.isdisjoint(piece.roles):
                return True
            if "addressees" in piece.roles:
                return "happened" in self.pieces[min(i + 1, len(self.pieces) - 1)].roles
            if not piece.silent or piece.roles & {"reasons", "conditionals", "articles"}:
                return False
        return False

    @cached_property
    def absolves(self) -> bool:
        """True where it denies a fault: "not too long"."""
        pairs = zip(self.pieces, self.pieces[1:], strict=False)
        return any(one.roles & _DENIED and "faults" in other.roles for one, other in pairs)

    @cached_property
    def fragment(self) -> bool:
        """True where it is a bare "not in …": a negation before a place or an article."""
        for piece, after in zip(self.pieces, self.pieces[1:], strict=False):
            if "negators" in piece.roles:
                return bool(after.roles & {"places", "articles"})
        return False

    @cached_property
    def behind(self) -> Roles:
        """The roles of what stands right behind the act."""
        i = len(self.pieces) if self.act_at is None else self.act_at + 1
        return self.pieces[i].roles if i < len(self.pieces) else NO_ROLES

    @cached_property
    def denial(self) -> bool:
        """True where it is a bare "not npm": a negation before a thing, without a verb."""
        if (
            self.opening_at is None
            or self.hard
            or "denies" not in self.pieces[self.opening_at].roles
        ):
            return False
        after = self.pieces[self.opening_at + 1 :]
        said = sum(not piece.silent for piece in after)
        return 0 < said <= DENIED_WORDS and not any(piece.roles & _SPEAKING for piece in after)

    @cached_property
    def content(self) -> int:
        """How many pieces enter a fingerprint."""
        return len([piece for piece in self.pieces if SILENT not in piece.roles])


def clauses(found: Sequence[Piece]) -> tuple[Clause, ...]:
    """Return the clauses: breaks, adversatives, and a conjunction before a negation end one."""
    done: list[Clause] = []
    current: list[Piece] = []
    hard = True
    for i, piece in enumerate(found):
        roles = piece.roles
        if _DIVIDING.isdisjoint(roles):
            current.append(piece)
        elif "break" in roles and "hard" not in roles and _hangs(current):
            continue
        elif "break" in roles or _flips(piece, current) or _joins_negation(found, i):
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


def answers_no(clause: Clause, at: int | None) -> bool:
    """Tell a "no" that answers from one that forbids: nothing or a pronoun follows."""
    if at is None or "rejects" not in clause.pieces[at].roles:
        return False
    after = clause.pieces[at + 1 : at + 2]
    return not after or bool(after[0].roles & {"pronouns", "complaints", "addressees"})
