"""How well human turns are found in real sessions, where these are at hand."""

import os
from pathlib import Path

import pytest
from benchmarks.turns import FORMATS, compare, labelled

SHARED = Path(
    os.environ.get("TWICE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared"
)


@pytest.mark.skipif(
    not (SHARED / "labels" / "human_turns_dev.jsonl").exists(),
    reason=f"no labelled turns below {SHARED}; set TWICE_SHARED",
)
@pytest.mark.parametrize("name", FORMATS)
def test_at_least_97_of_100_turns_are_right(name: str) -> None:
    numbers = compare(SHARED, name, labelled(SHARED)).as_json()
    assert numbers["recall"] >= 0.97  # type: ignore[operator]
    assert numbers["precision"] >= 0.97  # type: ignore[operator]
