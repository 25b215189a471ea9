"""Compare the human turns that the sources find with turns that another reader found.

    python -m benchmarks.turns [--json] [--show] [--shared PATH]

Compared are the distinct texts of each repository, since the other reader kept one of each.
Recall: how many of its texts are found. Precision: how many of ours are among them. A text of ours
that stands within one of its own is the typed part of a record that mixes both, and counts as
found. ``--show`` lists what differs: ``~`` is such a part, ``-`` is missed, ``+`` is more than the
other reader has.
"""

import argparse
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Position, Speaker
from twice.ports import Source
from twice.sources.places import open_paths, sources

COMPARED_CHARS = 200
PART_CHARS = 20

Repository = tuple[str, str]
"""A format and a folder of its files: the two uppermost folders of the corpus."""


@dataclass
class Score:
    """What was compared for one repository: distinct texts, and where they stand.

    ``expected`` are the other reader's texts by their key, ``ours`` the files by the key.
    """

    files: int = 0
    turns: int = 0
    expected: dict[str, str] = field(default_factory=dict)
    ours: dict[str, str] = field(default_factory=dict)

    def parts(self) -> dict[str, str]:
        """Return those of the other reader's texts that we have the typed part of, and that."""
        extra = [key for key in self.ours if key not in self.expected and len(key) >= PART_CHARS]
        missed = {key: text for key, text in self.expected.items() if key not in self.ours}
        found = {key: next((e for e in extra if e in text), "") for key, text in missed.items()}
        return {key: part for key, part in found.items() if part}

    def missed(self) -> list[str]:
        """Return the texts that only the other reader found."""
        return sorted(self.expected.keys() - self.ours.keys() - self.parts().keys())

    def extra(self) -> list[str]:
        """Return the texts that only we found."""
        return sorted(self.ours.keys() - self.expected.keys() - set(self.parts().values()))

    def as_json(self) -> dict[str, object]:
        """Return the numbers, rounded."""
        expected, ours = len(self.expected), len(self.ours)
        return {
            "files": self.files,
            "turns": self.turns,
            "expected": expected,
            "ours": ours,
            "recall": round(1 - len(self.missed()) / expected, 4) if expected else None,
            "precision": round(1 - len(self.extra()) / ours, 4) if expected and ours else None,
        }


def key_of(text: str) -> str:
    """Return a text as it is compared: its start, without differences of white space."""
    return plain(text)[:COMPARED_CHARS]


def plain(text: str) -> str:
    """Return a text without differences of white space."""
    return " ".join(text.split())


def human_turns(source: Source, path: Path) -> Iterator[str]:
    """Yield the key of each human turn of a file."""
    for log in source.logs(path):
        for item in log.read(Position()):
            if isinstance(item, Event) and item.speaker is Speaker.HUMAN:
                yield key_of(item.text)


def repository_of(file: Path) -> Repository:
    """Return the format and the repository of a file of the corpus."""
    return file.parts[0], file.parts[1]


def labelled(shared: Path) -> tuple[dict[Repository, dict[str, str]], set[Path]]:
    """Return the other reader's texts by repository, and the files that they are from."""
    texts: dict[Repository, dict[str, str]] = defaultdict(dict)
    files: set[Path] = set()
    for line in (shared / "labels" / "human_turns_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        file = Path(row["file"])
        files.add(shared / "corpus" / file)
        texts[repository_of(file)][key_of(row["text"])] = plain(row["text"])
    return texts, files


def compare(shared: Path) -> dict[Repository, Score]:
    """Compare every repository of the corpus, file by file."""
    corpus = shared / "corpus"
    texts, files = labelled(shared)
    scores: dict[Repository, Score] = defaultdict(Score)
    for name, expected in texts.items():
        scores[name].expected = expected
    among = sources()
    for source, path in open_paths([corpus, *sorted(files)], among):
        score = scores[repository_of(path.relative_to(corpus))]
        score.files += 1
        try:
            for key in human_turns(source, path):
                score.turns += 1
                score.ours.setdefault(key, path.relative_to(corpus).as_posix())
        except UnknownFormat as fault:
            print(f"{path}: {fault.message}", file=sys.stderr)
    return scores


def main() -> int:
    """Print recall and precision for each repository, and the time it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="list what differs")
    options = parser.parse_args()
    if not (options.shared / "labels").is_dir():
        print(f"No labels below {options.shared}: give the folder with --shared.", file=sys.stderr)
        return 1
    start = time.process_time()
    scores = compare(options.shared)
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = {"/".join(name): score.as_json() for name, score in sorted(scores.items())}
    if options.json:
        print(json.dumps(report | {"cpu_seconds": round(seconds, 2), "mb": round(megabytes)}))
        return 0
    for name, score in sorted(scores.items()):
        print(f"{'/'.join(name)}:", *(f"{key} {value}" for key, value in score.as_json().items()))
        if options.show:
            rows = [f"~ {part}" for part in score.parts().values()]
            rows += [f"- {text}" for text in score.missed()]
            rows += [f"+ {score.ours[text]}: {text}" for text in score.extra()]
            print("".join(f"  {row}\n" for row in rows), end="")
    print(f"{seconds:.2f} s of CPU, {megabytes:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
