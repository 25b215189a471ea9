"""A writer without a model: a lesson in the clearest of the words that a person said."""

import hashlib
import re
from collections import Counter

from twice.core import limits
from twice.core.ideas import Idea, Scope, Sighting, core_key
from twice.core.policy import Category
from twice.core.wording import Wording
from twice.learners.corrections.clauses import Clause, clauses
from twice.learners.corrections.pieces import pieces
from twice.learners.corrections.vocabulary import Vocabulary, vocabulary
from twice.learners.rewriting import complained, positive, tidied

SLUG_WORDS = 6
BARE_PIECES = 6  # of "pnpm, not npm"
GOOD_WORDS = 12  # a wording of so many words is easy to read

_VERBS = frozenset(("manner", "practice", "task", "happened", "doing", "reports"))
_SLUG = re.compile(r"[a-z][a-z0-9]*")
_KINDS = {  # what a typed value says about its lesson
    "language": Category.USER,
    "name": Category.USER,
    "packages": Category.STACK,
    "python-packages": Category.STACK,
    "tests": Category.STACK,
    "database": Category.STACK,
    "state": Category.STACK,
    "format": Category.STACK,
    "indent": Category.CONSTRAINTS,
    "quotes": Category.CONSTRAINTS,
    "spelling": Category.CONSTRAINTS,
    "number": Category.CONSTRAINTS,
}


def distill(idea: Idea) -> Wording:
    """Return the words of the lesson that an idea teaches.

    They are those of its clearest sighting: in the language it was said in most, short, lasting,
    an order rather than a complaint. Of a complaint, what shall be done is written. Raises
    ``ValueError`` where no sighting has words.
    """
    written = [_Written(sighting) for sighting in idea.sightings if sighting.quote]
    if not written:
        raise ValueError("an idea without words cannot be worded")
    spoken = Counter(one.sighting.language for one in written)
    usual = max(spoken, key=lambda language: (spoken[language], language))
    best = max(written, key=lambda one: (one.sighting.language == usual, one.clearness))
    words = best.words
    source = best.sighting
    return Wording(
        text=best.text,
        positive=positive(best.clauses, source.quote or "", words),
        name=_name(best),
        category=_category(idea, best),
        source=source,
        language=source.language,
    )


class _Written:
    """One sighting with the lesson that its words make."""

    def __init__(self, sighting: Sighting) -> None:
        self.sighting = sighting
        self.words: Vocabulary = vocabulary(sighting.language)
        quote = sighting.quote or ""
        self.clauses: tuple[Clause, ...] = clauses(pieces(quote, self.words))
        self.complaint = any(clause.complains for clause in self.clauses)
        first = self.clauses[0].act if self.clauses else None
        self.forbids = first is not None and bool(first.roles & {"orders", "prohibitions"})
        text = complained(self.clauses, quote, self.words) if self.complaint else ""
        self.rewritten = bool(text)
        self.text = _cut(text or self._named(self._plain(tidied(quote, self.clauses))))

    def _plain(self, text: str) -> str:
        """Leave out a "please" that is part of the first mark: "please don't …"."""
        first, _, rest = text.partition(" ")
        if rest and "politeness" in self.words.word(first).roles:
            return rest[0].upper() + rest[1:]
        return text

    def _named(self, text: str) -> str:
        """Complete a bare contrast: "pnpm, not npm" becomes "Use pnpm, not npm."."""
        print_ = self.sighting.fingerprint
        first = self.clauses[0].act if self.clauses else None
        contrast = print_ is not None and print_.wanted and print_.unwanted
        if first is None or not contrast or first.silent or first.roles & _VERBS:
            return text
        if len(self.clauses[0].pieces) > BARE_PIECES or self.complaint:
            return text
        if self.clauses[0].roles & {"tastes", "wishes", "customs"}:
            return text
        template = self.words.templates.get("only", "{wanted}.")
        spoken = text[0].lower() + text[1:].rstrip(".。")
        return template.format(wanted=spoken)

    def _certain(self) -> bool:
        """Tell a lesson about one certain thing: "Update the file …"."""
        found = pieces(self.text, self.words)
        return len(found) > 1 and "articles" in found[1].roles

    @property
    def clearness(self) -> tuple[bool, float, int, int]:
        """How well it says the whole idea, better ones greater; the last parts break ties."""
        sighting = self.sighting
        print_ = sighting.fingerprint
        score = sighting.confidence
        score += 0.3 if print_ and print_.wanted and print_.unwanted else 0.0
        score -= 0.6 if self.complaint and not self.rewritten else 0.0
        score += 0.15 if self.rewritten else 0.0
        score -= 0.15 if self.forbids else 0.0
        score -= 0.1 if self.clauses and self.clauses[-1].pieces[-1].silent else 0.0  # "… one"
        score -= 0.04 * max(0, len(self.text.split()) - GOOD_WORDS)
        score += 0.06 * min(SLUG_WORDS, sum(clause.content for clause in self.clauses))
        score -= 0.1 if self._certain() else 0.0
        score -= 0.2 if "?" in self.text or "？" in self.text else 0.0
        lasting = sighting.scope is Scope.DURABLE
        return lasting, round(score, 3), sighting.at or 0, -sighting.anchor.seq


def _cut(text: str) -> str:
    """Keep the bound of a memory, at the end of a word."""
    if len(text) <= limits.MEMORY_CHARS:
        return text
    return text[: limits.MEMORY_CHARS - 1].rsplit(" ", 1)[0] + "…"


def _name(written: _Written) -> str:
    """Return a slug of the lesson's own words; of its fingerprint where they have no letters."""
    print_ = written.sighting.fingerprint
    unwanted = print_.unwanted if print_ else frozenset()
    spoken: list[str] = []
    for piece in pieces(written.text, written.words):
        if not piece.silent:
            if piece.stem in unwanted and "not" not in spoken:
                spoken.append("not")
            spoken += _SLUG.findall(piece.form)
    if spoken == ["not"]:
        spoken = []
    slug = "-".join(dict.fromkeys(spoken[: SLUG_WORDS + 1]))[: limits.NAME_CHARS[1]].strip("-")
    if len(slug) >= limits.NAME_CHARS[0]:
        return slug
    key = core_key(print_) if print_ else written.text
    return "wish-" + hashlib.sha256(key.encode()).hexdigest()[:8]


def _category(idea: Idea, written: _Written) -> Category:
    """Return the category that most of the words belong to; what is wanted counts double."""
    if all(sighting.scope is Scope.ONE_OFF for sighting in idea.sightings):
        return Category.VOLATILE
    print_ = written.sighting.fingerprint
    votes: dict[Category, int] = {}
    if print_ is not None:
        if "answer" in print_.topic or "reply" in print_.topic:
            votes[Category.USER] = 1
        for stem in sorted(print_.core):
            kind, _, value = stem.rpartition(":")
            named = _KINDS.get(kind.removeprefix("before:").removeprefix("when:"))
            found = named or _named(value, written.words)
            if found is not None:
                votes[found] = votes.get(found, 0) + (2 if stem in print_.wanted else 1)
    order = list(Category)
    default = Category.AGENT if written.complaint else Category.UNCATEGORIZED
    return max(votes, key=lambda c: (votes[c], -order.index(c)), default=default)


def _named(stem: str, words: Vocabulary) -> Category | None:
    name = words.categories.get(stem)
    return Category(name) if name else None
