"""The labelled sentences that weights are learned from."""

import csv
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.turns import key_of, labelled

from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Position, Speaker
from twice.sources.places import open_paths, sources

HERE = Path(__file__).parent
OWN = HERE.parent / "tests" / "learners"
TALK = HERE / "talk"
WISHES = HERE / "wishes"
PREVIOUS_CHARS = 600
VALUES = {  # what stands for any value in a wording
    "packagemanager": "pnpm",
    "formatter": "black",
    "database": "postgres",
    "testrunner": "pytest",
    "framework": "react",
    "statelib": "redux",
    "styling": "tailwind",
    "language": "python",
    "shell": "bash",
}


class Row(NamedTuple):
    """A turn with what it is; ``group`` is a repository or a language, ``weight`` how much it
    counts. ``span`` are the words that carry the signal, empty where that is not known."""

    text: str
    previous: str
    interrupted: bool
    kind: str
    scope: str
    span: str
    group: str
    part: str
    weight: float


def invented() -> Iterator[Row]:
    """Yield the invented turns."""
    with (HERE / "turns.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            cell = {k: "" if v == "-" else v.replace("\\n", "\n") for k, v in row.items()}
            yield Row(
                *(cell["text"], cell["previous"], False, cell["kind"], cell["scope"]),
                *(cell["span"], cell["lang"], "invented", 1.0),
            )


def tested() -> Iterator[Row]:
    """Yield the turns that tests hold right, but for those that are held out (``held_*``)."""
    for path in (OWN / "turns.tsv", *sorted((OWN / "languages").glob("??.tsv"))):
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                kind, scope = row["kind"], row.get("scope", "").replace("-", "_").strip("_")
                place = ("", path.stem, "tested", 1.0)
                yield Row(row["text"], row["previous"], False, kind, scope, *place)


def wishes() -> Iterator[Row]:
    """Yield wishes without anything around them."""
    for path in sorted(WISHES.glob("??.toml")):
        for matter, poles in tomllib.loads(path.read_text("utf-8")).items():
            for wording in (text for texts in poles.values() for text in texts):
                if "{X}" in wording and matter not in VALUES:
                    continue
                text = wording.replace("{X}", VALUES.get(matter, ""))
                yield Row(text, "", False, "preference", "durable", "", path.stem, "wishes", 0.03)


def talk() -> Iterator[Row]:
    """Yield what is no wish, in words of the same matters."""
    for path in sorted(TALK.glob("??.toml")):
        for matter in tomllib.loads(path.read_text("utf-8")).values():
            for text in matter["none"]:
                yield Row(text, "", False, "none", "", "", path.stem, "talk", 0.15)


def real(shared: Path) -> Iterator[Row]:
    """Yield the real turns of ``labels.tsv``; signals that another reader may doubt are left out.

    Their texts are read from the sessions below ``shared``.
    """
    with (HERE / "labels.tsv").open(encoding="utf-8", newline="") as lines:
        labels = {row["id"]: row for row in csv.DictReader(lines, delimiter="\t")}
    wanted: dict[tuple[Path, str], str] = {}
    corpus = shared / "corpus"
    for line in (shared / "labels" / "human_turns_dev.jsonl").read_text("utf-8").splitlines():
        turn = json.loads(line)
        if turn["id"] in labels:
            wanted[corpus / turn["file"], key_of(turn["text"])] = turn["id"]
    for path, event, previous in _turns(shared):
        row = labels.pop(wanted.get((path, key_of(event.text)), ""), None)
        if row is None or row["borderline"] == "1":
            continue
        start, _, end = row["span"].partition(":")
        span = event.text[int(start) : int(end)] if end else ""
        kind, scope = row["label"], row["scope"].removeprefix("-")
        group = path.relative_to(corpus).parts[1]
        place = (span, group, "real", 0.7)
        yield Row(event.text, previous, event.interrupted, kind, scope, *place)


def _turns(shared: Path) -> Iterator[tuple[Path, Event, str]]:
    """Yield each human turn of the corpus with its file and what the agent said before."""
    corpus = shared / "corpus"
    for source, path in open_paths([corpus, *sorted(labelled(shared)[1])], sources()):
        previous = ""
        try:
            for item in (item for log in source.logs(path) for item in log.read(Position())):
                match item:
                    case Event(speaker=Speaker.HUMAN):
                        yield path, item, previous
                        previous = ""
                    case Event(speaker=Speaker.AGENT, text=text) if text:
                        previous = text[-PREVIOUS_CHARS:]
        except UnknownFormat:
            continue
