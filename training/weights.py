"""Learn the weights of ``twice.learners.corrections.weighing``, and say how well they do.

    python -m training.weights [--write] [--json] [--shared PATH]

Three logistic regressions with a quadratic penalty, by Newton's method, over the facts of each
sentence that the rules look at. Every figure is of rows that the weights were not learned from:
``left out`` learns without one repository or language at a time; ``unseen`` are labelled sets that
nothing here is ever learned from. ``--write`` stores the weights, rounded.
"""

import argparse
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.ideas import score, shares, signal_rows, turn_rows

from training import rows
from training.rows import Row
from twice.learners.corrections import speech, weighing
from twice.learners.corrections.before import Before
from twice.learners.corrections.clauses import clauses
from twice.learners.corrections.hearing import foreign, judged
from twice.learners.corrections.languages import language_of
from twice.learners.corrections.own_words import own_words
from twice.learners.corrections.said import Said
from twice.learners.corrections.vocabulary import languages, vocabulary

PENALTY = 10.0  # chosen by leaving out repositories and languages
OFTEN = 8  # sentences that a fact is met in at least
STEPS = 12
LIKELY = math.log(weighing.LIKELY / (1 - weighing.LIKELY))
SMALL = 0.005  # a step that ends the search
ROUNDS = 3  # of finding the sentence that carries a signal, where nobody marked it
OUTPUT = Path(weighing.__file__).parent / "words" / "weights.json"


@dataclass
class Unit:
    """A sentence: its facts, its row, and whether the rules hear it."""

    row: int
    facts: dict[str, float]
    text: str
    heard: bool
    weighed: bool  # some rule looks at it


def units(number: int, row: Row) -> Iterable[Unit]:
    """Yield the sentences of a row that are weighed."""
    own = own_words(row.text)
    language = language_of(own, row.previous)
    if language not in languages():
        return
    before = Before(row.previous, vocabulary(language))
    for spoken in speech(own, before, row.interrupted, every=True):
        said = Said(spoken.part, clauses(spoken.part), spoken.setting, spoken.question)
        heard = False
        if said.clauses and not foreign(said):
            names, confidence = judged(said, spoken.rules)
            heard = confidence >= weighing.HEARD
            facts = weighing.facts_of(said, names, confidence)
            yield Unit(
                number, facts, row.text[spoken.start : spoken.end], heard, bool(spoken.rules)
            )
        spoken.setting.told.add(spoken.part, heard=heard)


class Table:
    """All sentences as a matrix of facts; ``label`` tells for each whether it carries a signal."""

    def __init__(self, data: Sequence[Row]) -> None:
        self.rows = data
        self.units = [unit for number, row in enumerate(data) for unit in units(number, row)]
        met = Counter(name for unit in self.units for name in unit.facts)
        self.names = sorted(name for name, count in met.items() if count >= OFTEN)
        place = {name: i + 1 for i, name in enumerate(self.names)}
        self.facts = np.zeros((len(self.units), len(place) + 1))
        self.facts[:, 0] = 1.0
        for i, unit in enumerate(self.units):
            for name, value in unit.facts.items():
                if name in place:
                    self.facts[i, place[name]] = value
        self.of = np.array([unit.row for unit in self.units])
        self.weight = np.array([data[unit.row].weight for unit in self.units])
        self.group = np.array([row.group for row in data])
        self.heard = np.array([unit.heard for unit in self.units])
        self.label = np.zeros(len(self.units))
        self.open: list[list[int]] = []
        self._mark()

    def _mark(self) -> None:
        """Mark what carries each signal: by its span, else what is heard, else any sentence."""
        of_row: dict[int, list[int]] = {}
        for i, unit in enumerate(self.units):
            of_row.setdefault(unit.row, []).append(i)
        for number, inside in of_row.items():
            row = self.rows[number]
            if row.kind == "none":
                continue
            carrying = [i for i in inside if _carries(row.span, self.units[i].text)]
            if not carrying and len(inside) > 1:
                self.open.append(inside)
                carrying = [i for i in inside if self.units[i].heard]
            self.label[carrying or inside] = 1.0

    def settle(self, weights: np.ndarray, among: np.ndarray) -> None:
        """Let the likeliest sentence carry each signal that nobody marked."""
        likely = self.facts @ weights
        for inside in self.open:
            if among[inside[0]]:
                self.label[inside] = 0.0
                self.label[max(inside, key=lambda i: likely[i])] = 1.0


def _carries(span: str, text: str) -> bool:
    return bool(span) and (span in text or text in span)


def fit(facts: np.ndarray, label: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression; the first column is the base, not held small."""
    found = np.zeros(facts.shape[1])
    held = np.full(facts.shape[1], PENALTY)
    held[0] = 1e-6
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-np.clip(facts @ found, -30, 30)))
        slope = facts.T @ (weight * (likely - label)) + held * found
        curve = facts.T @ (facts * (weight * likely * (1 - likely))[:, None])
        step = np.linalg.solve(curve + np.diag(held), slope)
        found -= step
        if np.abs(step).max() < SMALL:
            break
    return found


def learn(table: Table, among: np.ndarray) -> np.ndarray:
    """Return weights (facts, 3) for signal, correction and durable, from some of the sentences."""
    signal = np.zeros(0)
    open_ = among & ~table.heard  # what the rules hear is not weighed
    for _ in range(ROUNDS):
        if len(signal):
            table.settle(signal, among)
        signal = fit(table.facts[open_], table.label[open_], table.weight[open_])
    carrying = among & (table.label > 0)
    corrects = np.array([float(table.rows[i].kind == "correction") for i in table.of])
    lasts = np.array([float(table.rows[i].scope == "durable") for i in table.of])
    scoped = carrying & np.array([bool(table.rows[i].scope) for i in table.of])
    columns = [
        signal,
        fit(table.facts[carrying], corrects[carrying], table.weight[carrying]),
        fit(table.facts[scoped], lasts[scoped], table.weight[scoped]),
    ]
    return np.stack(columns, axis=1)


def left_out(table: Table) -> dict[str, Any]:
    """Return precision and recall of rows whose repository or language was not learned from."""
    told = np.zeros(len(table.rows), dtype=bool)
    parts = np.array([row.part for row in table.rows])
    for group in sorted(set(table.group[(parts == "real") | (parts == "invented")])):
        inside = table.group[table.of] == group
        found = table.facts @ learn(table, ~inside)[:, 0] >= LIKELY
        for i in np.flatnonzero(inside):
            told[table.of[i]] |= (bool(found[i]) and table.units[i].weighed) or table.units[i].heard
    wish = np.array([row.kind != "none" for row in table.rows])
    return {
        part: shares(
            int((told & wish & (parts == part)).sum()),
            int((told & ~wish & (parts == part)).sum()),
            int((~told & wish & (parts == part)).sum()),
        )
        for part in ("real", "invented")
    }


def unseen(shared: Path) -> dict[str, Any]:
    """Return how the stored weights do on sets that they are never learned from."""
    weighing._weights.cache_clear()
    return {
        name: {k: v for k, v in score(found).summary().items() if k != "classes"}
        for name, found in (("invented", signal_rows(shared)), ("turns", turn_rows(shared)))
    }


def write(table: Table, weights: np.ndarray) -> None:
    """Store the weights, without those that change nothing."""
    stored = {"": [round(float(w), 3) for w in weights[0]]}
    for name, row in zip(table.names, weights[1:], strict=True):
        if np.abs(row).max() >= 0.01:
            stored[name] = [round(float(w), 3) for w in row]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in stored.items())
    OUTPUT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def main() -> None:
    """Learn, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the weights")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shared", type=Path, default=_shared())
    options = parser.parse_args()
    own = (*rows.invented(), *rows.tested(), *rows.wishes(), *rows.talk())
    table = Table([*own, *rows.real(options.shared)])
    if options.write:
        write(table, learn(table, np.ones(len(table.units), dtype=bool)))
    found = {"left_out": left_out(table), "unseen": unseen(options.shared)}
    print(json.dumps(found) if options.json else json.dumps(found, indent=2))


def _shared() -> Path:
    place = os.environ.get("TWICE_SHARED")
    return Path(place) if place else Path(__file__).resolve().parents[2] / "shared"


if __name__ == "__main__":
    main()
