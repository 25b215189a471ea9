"""Where a wish stands in a matter that people often have wishes about.

"Keep it short" and "no walls of text" share no word, yet both stand at one pole of one matter.
``python -m training.matters`` counts which stems people use for which pole, in each language, with
their signs; here naive Bayes tells the likeliest pole of a fingerprint. A place is given only where
that pole is likely enough and most of what is wanted or unwanted belongs to its matter: what is not
understood is never joined.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from twice.core.ideas import Fingerprint, Place

HERE = Path(__file__).parent / "words"
SHARED = "shared"  # the table of stems that several languages have: loan words, names of values
UNMET = 0.02  # added to every count (Lidstone)
EVENNESS = 0.5  # of the exponent: words of a sentence are not independent of each other
LIKELY = 0.3  # the probability that a place needs
COVERED = 0.6  # the share of the core that belongs to the matter, by how telling the stems are
LOAN = 0.5  # what a stem counts as one of all languages
ORDERED = ("before", "when", "name")  # what a stem may be marked with that is no value
SIGNS = ("+", "-", "~")  # wanted, unwanted, topic


def placed(print_: Fingerprint, language: str) -> Fingerprint:
    """Return a fingerprint with its place, as far as one is told.

    >>> from twice.learners.corrections import fingerprint
    >>> str(placed(fingerprint("no walls of text", "en"), "en").place)
    'verbosity: short'
    """
    return replace(print_, place=place(print_, language))


def place(print_: Fingerprint, language: str) -> Place | None:
    """Return where a wish stands, or None where it is in no matter for certain."""
    contrast = any(":" in stem for stem in print_.unwanted)  # "npm, not yarn" tells all in words
    if print_.empty or contrast or language not in languages():
        return None
    table = _table(language)
    best, probability = table.likeliest(print_)
    if probability < LIKELY or table.covered(print_, best) < COVERED:
        return None
    matter, _, pole = table.poles[best].partition("/")
    return Place(matter, pole, matter in table.opposed)


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have a table."""
    return tuple(sorted(path.stem for path in HERE.glob("??.json")))


def features(print_: Fingerprint) -> Iterator[tuple[str, str, float]]:
    """Yield the sign, the stem and the weight of each word, and of what each stands for."""
    for sign, stems in zip(SIGNS, (print_.wanted, print_.unwanted, print_.topic), strict=True):
        for stem in stems:
            for name in _names(stem):
                yield sign, name, 1.0


def _names(stem: str) -> tuple[str, ...]:
    """Return what a stem is known by: the bare one of "before:install", the kind of a value."""
    kind, colon, bare = stem.partition(":")
    if not colon:
        return (stem,)
    return stem, bare if kind in ORDERED else f"kind:{kind}"


Counts = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Table:
    """How often each stem stands for each pole, by its sign or any sign: ``{"+short": {0: 3}}``."""

    poles: tuple[str, ...]
    opposed: frozenset[str]
    own: Counts
    loans: Counts
    totals: tuple[float, ...]
    wordings: int

    def likeliest(self, print_: Fingerprint) -> tuple[int, float]:
        """Return the number of the likeliest pole, and its probability."""
        sums = [0.0] * len(self.poles)
        met = 0.0
        for sign, stem, weight in features(print_):
            for counts, value in ((self.own, weight), (self.loans, weight * LOAN)):
                for name in (sign + stem, stem):
                    found = counts.get(name)
                    if found is None:
                        continue
                    met += value
                    for pole, count in found.items():
                        sums[pole] += value * math.log(count / UNMET + 1)
        size = UNMET * (len(self.own) + len(self.loans))
        scores = [
            total - met * math.log(seen + size)
            for total, seen in zip(sums, self.totals, strict=True)
        ]
        most = max(scores)
        shares = [math.exp(EVENNESS * (score - most)) for score in scores]
        return scores.index(most), 1 / sum(shares)

    def covered(self, print_: Fingerprint, best: int) -> float:
        """Return the share of the core whose stems are used of the pole's matter, 0 to 1."""
        matter = self.poles[best].partition("/")[0] + "/"
        near = {i for i, pole in enumerate(self.poles) if pole.startswith(matter)}
        told = known = 0.0
        for stem in print_.core:
            uses = [c[n] for c in (self.own, self.loans) for n in _names(stem) if n in c]
            seen = sum(sum(use.values()) for use in uses)
            weight = math.log(1 + self.wordings / (1 + seen))
            told += weight
            known += weight * any(not near.isdisjoint(use) for use in uses)
        return known / told if told else 0.0


@cache
def _table(language: str) -> Table:
    head = json.loads((HERE / "poles.json").read_text("utf-8"))
    own, loans = _counts(language), _counts(SHARED)
    totals = [0.0] * len(head["poles"])
    for counts, weight in ((own, 1.0), (loans, LOAN)):
        for found in counts.values():
            for pole, count in found.items():
                totals[pole] += weight * count
    wordings = head["wordings"]
    return Table(
        tuple(head["poles"]), frozenset(head["opposed"]), own, loans, tuple(totals), wordings
    )


def _counts(name: str) -> Counts:
    """Return the counts by signed stem, and those of each stem whatever its sign."""
    signed: dict[str, list[int]] = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    counts: dict[str, dict[int, float]] = {}
    for key, poles in signed.items():
        for form in (key, key[1:]):
            found = counts.setdefault(form, {})
            for pole in poles:
                found[pole] = found.get(pole, 0.0) + 1.0
    return counts
