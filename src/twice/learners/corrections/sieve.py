"""Which rules a sentence may meet, told from its words before it is taken apart.

The roles of its words and of the marks whose first two words it holds are gathered as bits of one
number. That may say more roles than the sentence has, but never less.
"""

from collections.abc import Iterable
from functools import cache, lru_cache, reduce
from itertools import chain, pairwise, repeat
from operator import or_

from twice.learners.corrections.chunks import Chunks
from twice.learners.corrections.pieces import tokens_of
from twice.learners.corrections.rules import RULES, Rule
from twice.learners.corrections.vocabulary import Roles, Vocabulary, vocabulary

KEPT = 10_000  # of the different sums of bits

_BITS = {
    role: 1 << place
    for place, role in enumerate(
        sorted({role for rule in RULES for needs in rule.needs for role in needs})
    )
}


class Sieve:
    """Tell the rules that a sentence in one language may meet."""

    def __init__(self, words: Vocabulary) -> None:
        self._dense = bool(words.runs)  # without spaces, nothing tells before: all may be there
        self._bits = Chunks(lambda chunk: _sum(piece.roles for piece in tokens_of(chunk, words)))
        self._forms = Chunks(lambda chunk: tuple(p.form for p in tokens_of(chunk, words)))
        self._pairs = {
            (first, second): bits
            for first, seconds in words.phrases.items()
            for second, phrases in seconds.items()
            if (bits := _sum(roles for _, roles in phrases))
        }

    def rules(self, sentence: str, *, stated: bool, answering: bool) -> tuple[Rule, ...]:
        """Return at least the rules whose needs a sentence meets."""
        if self._dense:
            return _met(-1, stated, answering)
        chunks = sentence.split()
        bits = reduce(or_, map(self._bits.__getitem__, chunks), 0)
        forms = chain.from_iterable(map(self._forms.__getitem__, chunks))
        bits = reduce(or_, map(self._pairs.get, pairwise(forms), repeat(0)), bits)
        return _met(bits, stated, answering)


@cache
def sieve(language: str) -> Sieve:
    """Return the sieve for one language."""
    return Sieve(vocabulary(language))


@lru_cache(maxsize=KEPT)
def _met(bits: int, stated: bool, answering: bool) -> tuple[Rule, ...]:
    return tuple(
        rule
        for rule, needs in _NEEDS
        if (stated or not rule.stated)
        and (answering or not rule.answering)
        and any(bits & need == need for need in needs)
    )


def _sum(roles: Iterable[Roles]) -> int:
    return reduce(or_, (_BITS.get(role, 0) for some in roles for role in some), 0)


_NEEDS = tuple((rule, tuple(_sum((need,)) for need in rule.needs)) for rule in RULES)
