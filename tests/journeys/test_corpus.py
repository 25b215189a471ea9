"""Whole dreams over real sessions of other people: what must be found, and how fast."""

import json
import os
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from twice.core.redaction import redact
from twice.core.transcript import Event, Position, Speaker
from twice.sources.places import open_paths, sources

SHARED = Path(os.environ.get("TWICE_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
CORPUS = SHARED / "corpus"
MINSKY = CORPUS / "specstory" / "edobry__minsky"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no real sessions at {CORPUS}")


def twice(home: Path, *arguments: str | Path) -> dict[str, object]:
    """Run the installed command and return what it printed as JSON."""
    command = [str(Path(sys.executable).with_name("twice")), *map(str, arguments)]
    environment = {**os.environ, "TWICE_HOME": str(home), "HOME": str(home)}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def dreamt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    home = tmp_path_factory.mktemp("minsky") / "twice"
    return home, twice(home, "dream", MINSKY, "--mode", "suggest", "--json")


def test_what_was_said_in_many_wordings_becomes_one_proposal(
    dreamt: tuple[Path, dict[str, object]],
) -> None:
    proposals = dreamt[1]["proposals"]
    assert isinstance(proposals, list) and len(proposals) <= 5
    about = [p for p in proposals if "session" in p["text"] and "main workspace" in p["text"]]
    assert len(about) == 1, [p["text"] for p in proposals]
    assert len({e["session"] for e in about[0]["evidence"]}) >= 3
    assert len({e["quote"] for e in about[0]["evidence"]}) >= 8


def test_every_quote_stands_in_a_human_turn_of_its_session(
    dreamt: tuple[Path, dict[str, object]],
) -> None:
    turns: dict[str, list[str]] = {}
    for source, path in open_paths([MINSKY], sources()):
        for item in chain.from_iterable(log.read(Position()) for log in source.logs(path)):
            if isinstance(item, Event) and item.speaker is Speaker.HUMAN:
                turns.setdefault(item.session, []).append(redact(item.text).text)
    listed = twice(dreamt[0], "review", "--list", "--json")["proposals"]
    assert isinstance(listed, list) and listed
    for proposal in listed:
        for evidence in proposal["evidence"]:
            assert any(evidence["quote"] in text for text in turns[evidence["session"]])


def test_a_second_dream_reads_nothing_again_and_adds_nothing(tmp_path: Path) -> None:
    paths = [CORPUS / name for name in ("claude", "codex", "specstory")]
    first = twice(tmp_path, "dream", *paths, "--mode", "suggest", "--json")
    before = twice(tmp_path, "review", "--list", "--json")
    started = time.perf_counter()
    second = twice(tmp_path, "dream", *paths, "--mode", "suggest", "--json")
    took = time.perf_counter() - started
    assert set(second["read"]["files"]) == {"unchanged"}  # type: ignore[index]
    assert second["evolution"]["observed"]["new_sightings"] == 0  # type: ignore[index]
    texts = [p["text"] for p in before["proposals"]]  # type: ignore[attr-defined]
    assert len(texts) == len(set(texts))
    again = [p["text"] for p in second["proposals"]]  # type: ignore[attr-defined]
    assert not set(again) & set(texts)
    assert first["read"]["turns"] > 1_000  # type: ignore[index]
    assert took < 5, "the exact figure is printed by benchmarks.dream"
