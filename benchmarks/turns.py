"""Compare the human turns that the sources find with turns that another reader found.

    python -m benchmarks.turns [--json] [--show] [--shared PATH]

Recall: how many of the other reader's turns are found. Precision: how many of ours are among
them. Where the other reader's numbering has holes, it left turns out on purpose; such a turn of
ours cannot be judged, so as many as there are holes in a file are not held against us. A file of
which it has no turns shows no holes: there, a text that it has from another file of the format is
counted as known elsewhere and not held against us either.
"""

import argparse
import json
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from twice.core.transcript import Event, Position, Speaker
from twice.ports import Source
from twice.sources.claude_code import ClaudeCode
from twice.sources.codex import Codex
from twice.sources.gemini_cli import GeminiCli
from twice.sources.specstory import SpecStory

FORMATS: dict[str, Source] = {
    "claude": ClaudeCode(),
    "codex": Codex(),
    "gemini": GeminiCli(),
    "specstory": SpecStory(),
}
COMPARED_CHARS = 200


@dataclass
class Score:
    """What was compared for one format."""

    files: int = 0
    expected: int = 0
    ours: int = 0
    both: int = 0
    cannot_be_judged: int = 0
    known_elsewhere: int = 0
    missed: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Return the numbers, rounded."""
        judged = self.ours - self.cannot_be_judged - self.known_elsewhere
        return {
            "files": self.files,
            "expected": self.expected,
            "ours": self.ours,
            "both": self.both,
            "cannot_be_judged": self.cannot_be_judged,
            "known_elsewhere": self.known_elsewhere,
            "recall": round(self.both / self.expected, 4) if self.expected else None,
            "precision": round(self.both / judged, 4) if judged else None,
        }


def key_of(text: str) -> str:
    """Return a text as it is compared: its start, without differences of white space."""
    return " ".join(text.split())[:COMPARED_CHARS]


def human_turns(source: Source, path: Path) -> Iterator[str]:
    """Yield the key of each human turn of a file."""
    for log in source.logs(path):
        for item in log.read(Position()):
            if isinstance(item, Event) and item.speaker is Speaker.HUMAN:
                yield key_of(item.text)


def labelled(shared: Path) -> dict[str, list[tuple[int, str]]]:
    """Return the other reader's turns, by file: their number in the session, and their key."""
    turns: dict[str, list[tuple[int, str]]] = defaultdict(list)
    text = (shared / "labels" / "human_turns_dev.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        row = json.loads(line)
        turns[row["file"]].append((row["index"], key_of(row["text"])))
    return turns


def compare(shared: Path, name: str, turns: dict[str, list[tuple[int, str]]]) -> Score:
    """Compare one format's files."""
    corpus = shared / "corpus"
    score = Score()
    elsewhere = {key for file in turns if file.startswith(f"{name}/") for _, key in turns[file]}
    for path in FORMATS[name].files(corpus / name):
        file = path.relative_to(corpus).as_posix()
        rows = turns.get(file, [])
        expected = Counter(key for _, key in rows)
        ours = Counter(human_turns(FORMATS[name], path))
        holes = max((number for number, _ in rows), default=-1) + 1 - len(rows)
        extra = ours - expected
        score.files += 1
        score.expected += expected.total()
        score.ours += ours.total()
        score.both += (ours & expected).total()
        score.cannot_be_judged += min(holes, extra.total())
        if not rows:
            score.known_elsewhere += sum(extra[key] for key in elsewhere & extra.keys())
        score.missed += [f"{file}: {key}" for key in (expected - ours).elements()]
        score.extra += [f"{file}: {key}" for key in extra.elements()]
    return score


def main() -> int:
    """Print recall and precision for each format, and the time it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="list what differs")
    options = parser.parse_args()
    if not (options.shared / "labels").is_dir():
        print(f"No labels below {options.shared}: give the folder with --shared.", file=sys.stderr)
        return 1
    turns = labelled(options.shared)
    start = time.process_time()
    scores = {name: compare(options.shared, name, turns) for name in FORMATS}
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = {name: score.as_json() for name, score in scores.items()}
    if options.json:
        print(json.dumps(report | {"cpu_seconds": round(seconds, 2), "mb": round(megabytes)}))
        return 0
    for name, numbers in report.items():
        print(f"{name:10}", *(f"{key} {value}" for key, value in numbers.items()))
        for mark, rows in (("-", scores[name].missed), ("+", scores[name].extra)):
            for row in rows if options.show else ():
                print(f"  {mark} {row}")
    print(f"{seconds:.2f} s of CPU, {megabytes:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
