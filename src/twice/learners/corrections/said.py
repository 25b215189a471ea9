"""A sentence with what stands around it: what the rules look at."""

from functools import cached_property
from typing import NamedTuple

from twice.core.ideas import Fingerprint
from twice.learners.corrections.before import Before
from twice.learners.corrections.clauses import Clause
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.signs import signed
from twice.learners.corrections.vocabulary import NO_ROLES, Roles


class Setting(NamedTuple):
    """What stands around a sentence."""

    before: Before
    interrupted: bool = False
    sentences: int = 1  # of the turn
    listed: bool = False  # the turn is an enumeration
    tasked: bool = False  # a task was given earlier in the turn
    chain: int = 0  # pieces of the long chain of clauses that the sentence was part of
    earlier: Roles = NO_ROLES  # of the sentence before


class Said:
    """A sentence with what its rules look at; ``roles`` are of the clauses that count."""

    def __init__(
        self, pieces: list[Piece], clauses: tuple[Clause, ...], setting: Setting, question: bool
    ) -> None:
        self.pieces = pieces
        self.clauses = clauses
        self.setting = setting
        self.question = question
        self.roles: Roles = NO_ROLES.union(*[clause.roles for clause in clauses])

    @cached_property
    def print(self) -> Fingerprint:
        """The fingerprint of the whole sentence."""
        return signed(self.pieces)

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
        if "nominal" in self.clauses[0].after(act):
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
