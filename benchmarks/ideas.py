"""How well corrections and preferences are heard: ``python -m benchmarks.ideas``."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twice.core.ideas import Signal, relation
from twice.learners.corrections import fingerprint, notice

SIX = ("en", "es", "de", "fr", "ru", "zh")


def signal_rows(shared: Path) -> Iterator[dict[str, str]]:
    """Yield the invented sentences."""
    yield from _table(shared / "sets" / "signals_dev.tsv")


def relation_rows(shared: Path) -> Iterator[dict[str, str]]:
    """Yield the invented pairs."""
    yield from _table(shared / "sets" / "relations_dev.tsv")


def _table(path: Path) -> Iterator[dict[str, str]]:
    lines = path.read_text("utf-8").split("\n")
    names = lines[0].split("\t")
    for line in lines[1:]:
        if line:
            yield dict(zip(names, line.split("\t"), strict=True))


def turn_rows(shared: Path, name: str = "dev.jsonl") -> list[dict[str, Any]]:
    """Return the labelled turns of real sessions."""
    lines = (shared / "labels" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def strongest(signals: tuple[Signal, ...]) -> Signal | None:
    """Return the signal that a turn as a whole is judged by."""
    return max(signals, key=lambda signal: signal.confidence, default=None)


class Score:
    """Counts of one set."""

    def __init__(self) -> None:
        self.hits = self.false = self.missed = self.kinds = self.scopes = self.spans = 0
        self.wrong: list[str] = []

    def add(self, row: str, signal: Signal | None, kind: str, scope: str | None, span: str) -> None:
        """Count one row."""
        if signal is None:
            if kind != "none":
                self.missed += 1
                self.wrong.append(f"missed  {kind:10} {scope:8} {row}")
            return
        heard = f"{signal.kind} {signal.scope} {signal.confidence} {signal.reasons}"
        if kind == "none":
            self.false += 1
            self.wrong.append(f"false   {row}\n          {heard}: {signal.sentence!r}")
            return
        self.hits += 1
        self.kinds += signal.kind == kind
        self.scopes += signal.scope == scope
        self.spans += not span or span in signal.sentence or signal.sentence in span
        if signal.kind != kind:
            self.wrong.append(f"kind    {kind:10} {row}\n          {heard}")
        if signal.scope != scope:
            self.wrong.append(f"scope   {scope:10} {row}\n          {heard}")

    def summary(self) -> dict[str, float]:
        """Return the shares, each between 0 and 1."""
        hits = max(1, self.hits)
        return {
            "precision": round(self.hits / max(1, self.hits + self.false), 3),
            "recall": round(self.hits / max(1, self.hits + self.missed), 3),
            "kind": round(self.kinds / hits, 3),
            "scope": round(self.scopes / hits, 3),
            "span": round(self.spans / hits, 3),
        }


def score_signals(shared: Path, languages: tuple[str, ...]) -> Score:
    """Score the invented sentences of some languages."""
    score = Score()
    for row in signal_rows(shared):
        if row["lang"] not in languages:
            continue
        text = row["text"].replace("\\n", "\n")
        previous = row["previous_agent_text"].replace("\\n", "\n")
        heard = strongest(notice(text, previous="" if previous == "-" else previous))
        span = "" if row["span"] == "-" else row["span"]
        score.add(f"{row['id']} {text!r} << {previous!r}", heard, row["kind"], row["scope"], span)
    return score


def score_turns(shared: Path) -> Score:
    """Score real turns."""
    score = Score()
    for row in turn_rows(shared):
        previous = row["prev_assistant"] or ""
        signals = notice(row["text"], previous=previous, interrupted=bool(row["after_interrupt"]))
        text = f"{row['text'][:300]!r} << {previous[-80:]!r}"
        score.add(text, strongest(signals), row["label"], row["scope"], "")
    return score


def score_relations(shared: Path, languages: tuple[str, ...]) -> dict[str, float | int]:
    """Score pairs: the lexical ones for agreement, all for false joins."""
    right = count = joined = 0
    for row in relation_rows(shared):
        if row["lang_a"] not in languages or row["lang_b"] not in languages:
            continue
        found = relation(
            fingerprint(row["a"], row["lang_a"]), fingerprint(row["b"], row["lang_b"])
        ).value
        joined += found == "same" and row["relation"] in ("opposed", "different")
        if row["level"] == "lexical":
            count += 1
            right += found == row["relation"]
    return {"lexical": round(right / max(1, count), 3), "pairs": count, "false_joins": joined}


def turns_per_second(shared: Path) -> float:
    """Return how many ordinary turns (below 2,000 characters) are heard in a second."""
    texts = [row["text"] for row in turn_rows(shared, "human_turns_dev.jsonl")]
    texts = [text for text in texts if len(text) < 2_000]
    seconds: list[float] = []
    for _ in range(4):
        start = time.process_time()
        for text in texts:
            notice(text)
        seconds.append(time.process_time() - start)
    return round(len(texts) / min(seconds))


def main() -> None:
    """Print all scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="also print each wrong row")
    parser.add_argument("--shared", type=Path, default=_shared())
    parser.add_argument("--languages", default=",".join(SIX))
    options = parser.parse_args()
    languages = tuple(options.languages.split(","))
    sets = score_signals(options.shared, languages)
    turns = score_turns(options.shared)
    report: dict[str, Any] = {
        "signals": sets.summary(),
        "by_language": {
            language: score_signals(options.shared, (language,)).summary() for language in languages
        },
        "turns": turns.summary(),
        "relations": score_relations(options.shared, languages),
        "turns_per_second": turns_per_second(options.shared),
    }
    if options.wrong:
        print("\n".join([*sets.wrong, "--- turns", *turns.wrong]), file=sys.stderr)
    print(json.dumps(report) if options.json else _readable(report))


def _readable(report: dict[str, Any]) -> str:
    return "\n".join(f"{name:18} {value}" for name, value in report.items())


def _shared() -> Path:
    place = os.environ.get("TWICE_SHARED")
    return Path(place) if place else Path(__file__).resolve().parents[2] / "shared"


if __name__ == "__main__":
    main()
