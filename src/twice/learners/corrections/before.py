"""What the agent said before a human turn, as far as a rule asks for it."""

from functools import cached_property

from twice.learners.corrections.languages import language_of
from twice.learners.corrections.pieces import Piece, pieces
from twice.learners.corrections.vocabulary import NO_ROLES, Roles, Vocabulary, vocabulary

ASKED_CHARS = 160  # a question that near to the end of the agent's words waits for an answer
PREVIOUS_CHARS = 400  # the end of the agent's words is what a person answers


class Before:
    """The end of the agent's words; ``words`` are those of the person's language."""

    def __init__(self, previous: str, words: Vocabulary) -> None:
        self._end = previous[-PREVIOUS_CHARS:].strip()
        self.words = words
        self.spoke = bool(self._end)

    @cached_property
    def asked(self) -> bool:
        """True where it ended with a question."""
        end = self._end[-ASKED_CHARS:]
        return "?" in end or "？" in end

    @cached_property
    def acted(self) -> bool:
        """True where it told what it had done."""
        return self.spoke and (
            bool(self._roles & {"happened", "acted"}) or "stops" not in self._roles
        )

    @cached_property
    def announced(self) -> bool:
        """True where it told what it would do."""
        return "announced" in self._roles

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, without their kinds."""
        return frozenset(p.stem.rpartition(":")[2] for p in self._pieces if not p.silent)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The typed values among its words, as "indent:tab"."""
        return frozenset(p.stem for p in self._pieces if not p.silent and ":" in p.stem)

    @cached_property
    def language(self) -> str:
        """The language that it is in; empty where it said nothing."""
        return language_of(self._end) if self.spoke else ""

    @cached_property
    def _pieces(self) -> list[Piece]:
        if not self.spoke:
            return []
        own = self.language == self.words.language
        return pieces(self._end, self.words if own else vocabulary(self.language))

    @cached_property
    def _roles(self) -> Roles:
        return NO_ROLES.union(*(piece.roles for piece in self._pieces))
