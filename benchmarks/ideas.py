"""How well corrections and preferences are heard, beside two baselines.

    python -m benchmarks.ideas [--json] [--wrong] [--languages en,de] [--picture P] [--shared P]

Invented sentences (``sets/signals_dev.tsv``), real labelled turns (``labels/dev.jsonl``) and pairs
of wishes (``sets/relations_dev.tsv``) are judged by the detector and by two baselines: a plain
pattern of correcting words, and one of directing words. Shares are between 0 and 1; ``interval`` is
Wilson's of the recall, at 95 %. A turn counts by its strongest signal; ``kind`` and ``scope`` are
shares of the true signals. ``ideas`` is a whole dream over ``corpus/``: how many of the ideas that
stand in two sessions or more were found, how many were filed twice, and in how many texts a secret
is left.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.picture import bars

from twice.core.redaction import redact
from twice.learners.corrections import notice
from twice.learners.corrections.vocabulary import languages
from twice.learners.learner import Corrections

CLASSES = ("correction", "preference")
LEARNER = Corrections()


class Row(NamedTuple):
    """A turn with what it is: ``kind`` "none" for no signal; ``source`` says where it is from."""

    text: str
    previous: str
    interrupted: bool
    kind: str
    scope: str
    span: str
    language: str
    source: str


class Found(NamedTuple):
    """What a detector takes a turn for."""

    kind: str
    scope: str
    span: str
    why: str = ""


Detector = Callable[[Row], Found | None]


def ours(row: Row) -> Found | None:
    """Return the strongest signal that is heard."""
    signals = notice(row.text, previous=row.previous, interrupted=row.interrupted)
    if not signals:
        return None
    best = max(signals, key=lambda signal: signal.confidence)
    why = f"{best.confidence} {' '.join(best.reasons)}"
    return Found(str(best.kind), str(best.scope), best.sentence, why)


_PLAIN = re.compile(r"\bno,|\bwrong\b|\bshould be\b|\bactually\b|\binstead\b|\bdon'?t\b", re.I)
_DIRECTIVE = re.compile(
    r"\b(always|never|must|prefer|remember|avoid|stop|from now on|use|make sure|do not)\b", re.I
)


def plain(row: Row) -> Found | None:
    """The first baseline: a pattern of words that often correct."""
    return Found("correction", "durable", row.text) if _PLAIN.search(row.text) else None


def directive(row: Row) -> Found | None:
    """The second baseline: a pattern of words that often direct."""
    return Found("preference", "durable", row.text) if _DIRECTIVE.search(row.text) else None


DETECTORS: dict[str, Detector] = {"twice": ours, "plain": plain, "directive": directive}


def signal_rows(shared: Path) -> list[Row]:
    """Return the invented sentences."""
    rows = []
    for row in _table(shared / "sets" / "signals_dev.tsv"):
        cell = {
            name: "" if text == "-" else text.replace("\\n", "\n") for name, text in row.items()
        }
        rows.append(
            Row(
                *(cell["text"], cell["previous_agent_text"], False, row["kind"]),
                *(cell["scope"], cell["span"], row["lang"], "invented"),
            )
        )
    return rows


def turn_rows(shared: Path) -> list[Row]:
    """Return the labelled turns of real sessions; the source is the agent's format."""
    lines = (shared / "labels" / "dev.jsonl").read_text("utf-8").splitlines()
    return [
        Row(
            *(row["text"], row["prev_assistant"] or "", bool(row["after_interrupt"])),
            *(row["label"], row["scope"] or "", "", row["lang"], row["format"]),
        )
        for row in map(json.loads, lines)
    ]


def pairs(shared: Path) -> list[dict[str, str]]:
    """Return the invented pairs of wishes."""
    return list(_table(shared / "sets" / "relations_dev.tsv"))


def _table(path: Path) -> Iterator[dict[str, str]]:
    lines = path.read_text("utf-8").split("\n")
    names = lines[0].split("\t")
    for line in lines[1:]:
        if line:
            yield dict(zip(names, line.split("\t"), strict=True))


@dataclass
class Score:
    """Counts of what was judged."""

    hits: int = 0
    false: int = 0
    missed: int = 0
    kinds: int = 0
    scopes: int = 0
    spans: int = 0
    classes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)

    def add(self, row: Row, found: Found | None) -> None:
        """Count one row."""
        kind = found.kind if found else "none"
        for name in (*CLASSES, "durable"):
            is_one = row.scope == "durable" if name == "durable" else row.kind == name
            said = bool(found) and (found.scope if name == "durable" else kind) == name  # type: ignore[union-attr]
            self.classes[name]["hit" if is_one and said else "false" if said else
                               "missed" if is_one else "right"] += 1  # fmt: skip
        if found is None:
            self.missed += row.kind != "none"
        elif row.kind == "none":
            self.false += 1
        else:
            self.hits += 1
            self.kinds += kind == row.kind
            self.scopes += found.scope == row.scope
            self.spans += not row.span or row.span in found.span or found.span in row.span
        if (kind, found.scope if found else "") != (row.kind, row.scope):
            words = f"{row.text[:300]!r} << {row.previous[-80:]!r}"
            self.wrong.append(f"{row.kind} {row.scope} heard as {found}: {words}")

    def summary(self) -> dict[str, Any]:
        """Return the shares of signal or none, of kind and scope, and of each class."""
        hits = max(1, self.hits)
        return {
            **shares(self.hits, self.false, self.missed),
            "kind": round(self.kinds / hits, 3),
            "scope": round(self.scopes / hits, 3),
            "span": round(self.spans / hits, 3),
            "classes": {
                name: shares(counts["hit"], counts["false"], counts["missed"])
                for name, counts in self.classes.items()
            },
        }


def shares(hits: int, false: int, missed: int) -> dict[str, Any]:
    """Return precision, recall and F1, and the interval of the recall."""
    precision, recall = hits / max(1, hits + false), hits / max(1, hits + missed)
    both = precision + recall
    return {
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(2 * precision * recall / both, 3) if both else 0.0,
        "rows": hits + missed,
        "interval": wilson(hits, hits + missed),
    }


def wilson(hits: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of a share at 95 % (Wilson 1927).

    >>> wilson(9, 10)
    (0.596, 0.982)
    """
    if not count:
        return (0.0, 1.0)
    share = hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    half /= 1 + z * z / count
    return round(max(0.0, middle - half), 3), round(min(1.0, middle + half), 3)


def score(rows: Iterable[Row], detector: Detector = ours) -> Score:
    """Judge rows by a detector."""
    counted = Score()
    for row in rows:
        counted.add(row, detector(row))
    return counted


def by(rows: list[Row], name: str) -> dict[str, dict[str, Any]]:
    """Return what the detector scores for each language or source."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, name)].append(row)
    return {
        group: {key: value for key, value in score(some).summary().items() if key != "classes"}
        for group, some in sorted(groups.items())
    }


def score_relations(shared: Path, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Judge pairs: how many of each level are told right, and which are joined wrongly."""
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    joined: Counter[str] = Counter()
    for row in pairs(shared):
        if row["lang_a"] not in wanted or row["lang_b"] not in wanted:
            continue
        languages_ = row["lang_a"], row["lang_b"]
        found = str(LEARNER.relation(row["a"], row["b"], languages=languages_))
        count[row["level"]] += 1
        right[row["level"]] += found == row["relation"]
        joined[row["relation"]] += found == "same" != row["relation"]
    return {
        **{level: round(right[level] / count[level], 3) for level in sorted(count)},
        "pairs": sum(count.values()),
        "opposed_called_same": joined["opposed"],
        "others_called_same": joined["different"] + joined["competing"],
    }


def milliseconds_for_1000(shared: Path) -> float:
    """Return the CPU time of 1,000 ordinary turns (below 2,000 characters), the best of four."""
    lines = (shared / "labels" / "human_turns_dev.jsonl").read_text("utf-8").splitlines()
    texts = [text for line in lines if len(text := json.loads(line)["text"]) < 2_000]
    took: list[float] = []
    for _ in range(4):
        start = time.process_time()
        for text in texts:
            notice(text)
        took.append(time.process_time() - start)
    return round(min(took) / len(texts) * 1e6, 1)


def dreamt(shared: Path) -> dict[str, Any]:
    """Dream over the corpus until nothing is left over; compare with the labelled ideas."""
    filed: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "twice", "dream", str(shared / "corpus")]
        command += ["--mode", "suggest", "--json"]
        environment = {**os.environ, "TWICE_HOME": folder}
        left = 1
        while left:
            done = subprocess.run(command, env=environment, capture_output=True, check=True)
            report = json.loads(done.stdout)
            filed += report["proposals"]
            left = report["evolution"]["left_over"] if report["proposals"] else 0
    said: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in (shared / "labels" / "dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["idea_id"]:
            said[row["idea_id"]].append((row["session"], row["text"]))
    recurring = {id: turns for id, turns in said.items() if len({s for s, _ in turns}) > 1}
    found = {
        id: sum(_tells(proposal, turns) for proposal in filed) for id, turns in recurring.items()
    }
    return {
        "recurring": len(found),
        "found": sum(count > 0 for count in found.values()),
        "filed_twice": sum(count > 1 for count in found.values()),
        "proposals": [proposal["text"] for proposal in filed],
        "secrets_left": sum(_leaks(proposal) for proposal in filed),
    }


def _tells(proposal: dict[str, Any], turns: list[tuple[str, str]]) -> bool:
    quotes = [row["quote"] or "" for row in proposal["evidence"]]
    return any(quote and quote in text for quote in quotes for _, text in turns)


def _leaks(proposal: dict[str, Any]) -> bool:
    texts = [proposal["text"], *(row["quote"] or "" for row in proposal["evidence"])]
    return any(redact(text, ()).text != text for text in texts)


def report(shared: Path, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Return all figures."""
    invented = [row for row in signal_rows(shared) if row.language in wanted]
    real = turn_rows(shared)
    return {
        "signals": {name: score(invented, each).summary() for name, each in DETECTORS.items()},
        "turns": {name: score(real, each).summary() for name, each in DETECTORS.items()},
        "languages": by(invented, "language"),
        "sources": by(real, "source"),
        "relations": score_relations(shared, wanted),
        "ideas": dreamt(shared),
        "milliseconds_for_1000_turns": milliseconds_for_1000(shared),
    }


def readable(found: dict[str, Any]) -> str:
    """Write the figures as a table for people."""
    lines = []
    for part in ("signals", "turns"):
        lines.append({"signals": "Invented sentences", "turns": "Real turns"}[part])
        for name, figures in found[part].items():
            lines.append(f"  {name:10} {_line(figures)}")
            for each, inner in figures["classes"].items():
                lines.append(f"    {each:10} {_line(inner)}")
    for part in ("languages", "sources"):
        lines.append(part.capitalize())
        lines += [f"  {name:10} {_line(figures)}" for name, figures in found[part].items()]
    lines += [f"{name}: {found[name]}" for name in ("relations", "milliseconds_for_1000_turns")]
    ideas = found["ideas"]
    lines.append(
        f"ideas: {ideas['found']} of {ideas['recurring']} found, {ideas['filed_twice']} filed "
        f"twice, {ideas['secrets_left']} texts with a secret"
    )
    return "\n".join([*lines, *(f"  {text}" for text in ideas["proposals"])])


def _line(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    text = f"precision {figures['precision']:.2f}, recall {figures['recall']:.2f}"
    text += f" ({low:.2f}-{high:.2f}), F1 {figures['f1']:.2f}"
    if "kind" in figures:
        text += f", kind {figures['kind']:.2f}, scope {figures['scope']:.2f}"
    return text


def picture(found: dict[str, Any]) -> str:
    """Draw precision and recall of the detector and the baselines on both sets."""
    names = {"twice": "Twice", "plain": "plain words", "directive": "directive words"}
    groups = [
        (f"{names[name]}: {what}", figures["precision"], figures["recall"])
        for part, what in (("signals", "invented"), ("turns", "real turns"))
        for name, figures in found[part].items()
    ]
    return bars("Corrections and preferences heard", ("precision", "recall"), groups)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="also print each wrong row")
    parser.add_argument("--shared", type=Path, default=_shared())
    parser.add_argument("--languages", default=",".join(languages()))
    parser.add_argument("--picture", type=Path, help="draw it as SVG")
    options = parser.parse_args()
    wanted = tuple(options.languages.split(","))
    if options.wrong:
        invented = [row for row in signal_rows(options.shared) if row.language in wanted]
        wrong = [*score(invented).wrong, "--- turns", *score(turn_rows(options.shared)).wrong]
        print("\n".join(wrong), file=sys.stderr)
    found = report(options.shared, wanted)
    if options.picture:
        options.picture.write_text(picture(found), encoding="utf-8")
    print(json.dumps(found) if options.json else readable(found))


def _shared() -> Path:
    place = os.environ.get("TWICE_SHARED")
    return Path(place) if place else Path(__file__).resolve().parents[2] / "shared"


if __name__ == "__main__":
    main()
