"""A sentence with what stands around it: what the rules look at."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from twice.core.ideas import Fingerprint
from twice.learners.corrections.before import Before
from twice.learners.corrections.clauses import Clause
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.signs import signed
from twice.learners.corrections.vocabulary import NO_ROLES, Roles


class Told:
    """What was said before in the turn; it is looked at only where a rule asks for it."""

    def __init__(self) -> None:
        self._last: Sequence[Piece] = ()
        self._tasked = False
        self._unread: list[Sequence[Piece]] = []

    def add(self, part: Sequence[Piece], *, heard: bool = False) -> None:
        """Take in a sentence, or a part of one; what is ``heard`` gives no task."""
        self._last = part
        if not heard:
            self._unread.append(part)

    @property
    def roles(self) -> Roles:
        """The roles of the sentence before."""
        return NO_ROLES.union(*[piece.roles for piece in self._last])

    @property
    def tasked(self) -> bool:
        """True where a task was given."""
        self._tasked = self._tasked or any(map(_tasks, self._unread))
        self._unread.clear()
        return self._tasked


def _tasks(part: Sequence[Piece]) -> bool:
    """Tell whether a clause of a sentence begins with what to do: "in main.py, reorder …"."""
    begins = True
    for piece in part:
        if begins and "task" in piece.roles and "doing" not in piece.roles:
            return True
        begins = bool(piece.roles & {"break", "joins"}) or (begins and "fillers" in piece.roles)
    return False


class Setting(NamedTuple):
    """What stands around a sentence."""

    before: Before
    told: Told
    interrupted: bool
    sentences: int  # of the turn
    listed: bool  # the turn is an enumeration
    chain: int = 0  # pieces of the long chain of clauses that the sentence was part of


class Said:
    """A sentence with what its rules look at; ``roles`` are of the clauses that count."""

    def __init__(
        self, pieces: list[Piece], all_clauses: Sequence[Clause], setting: Setting, question: bool
    ) -> None:
        self.pieces = pieces
        self._all = all_clauses
        self.clauses = [clause for clause in all_clauses if "declines" not in clause.edges]
        self.setting = setting
        self.question = question or self._asks()
        self.roles: Roles = NO_ROLES.union(*[clause.roles for clause in self.clauses])

    @cached_property
    def print(self) -> Fingerprint:
        """The fingerprint of the whole sentence."""
        return signed(self._all)

    def _asks(self) -> bool:
        edges = self.clauses[0].edges if self.clauses else NO_ROLES
        return "questions" in edges and not edges & {"requests", "complaints"}

    def any(self, *roles: str) -> bool:
        """Tell whether any word of the sentence has one of these roles."""
        return not self.roles.isdisjoint(roles)

    @property
    def rejects(self) -> bool:
        """True where it begins with a "no" or "wrong" that answers what was done."""
        first = self.pieces[0]
        if "rejects" not in first.roles:
            return False
        if len(self.pieces) == 1 or not first.roles & {"nominal", "contrasts", "negators"}:
            return True
        after = self.pieces[1].roles
        return bool(after & {"break", "pronouns", "complaints", "orders", "meant", "rejects"})

    @property
    def tasks(self) -> bool:
        """True where the sentence as a whole orders a piece of work."""
        act = self.clauses[0].act
        if act is None or "task" not in act.roles or act.roles & {"orders", "prohibitions"}:
            return False
        if "nominal" in self.clauses[0].behind:
            return False  # "schreib keine …" forbids
        return not self.any("habits", "wishes")

    @cached_property
    def replaces(self) -> bool:
        """True where a piece of work begins with what it replaces: "instead of an error …"."""
        opening = self.clauses[0].opening
        if opening is None or "replacements" not in opening.roles:
            return False
        usual = frozenset(("manner", "practice", "light"))
        acts = [p.roles for clause in self.clauses for p in clause.pieces if "task" in p.roles]
        return bool(acts) and all(usual.isdisjoint(roles) for roles in acts)
