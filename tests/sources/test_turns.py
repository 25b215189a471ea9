"""How well human turns are found in real sessions, where these are at hand."""

import os
from pathlib import Path

import pytest
from benchmarks.turns import compare

SHARED = Path(
    os.environ.get("TWICE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared"
)


@pytest.mark.skipif(
    not (SHARED / "labels" / "human_turns_dev.jsonl").exists(),
    reason=f"no labelled turns below {SHARED}; set TWICE_SHARED",
)
def test_at_least_99_of_100_turns_of_every_repository_are_right() -> None:
    scores = {"/".join(name): score.as_json() for name, score in compare(SHARED).items()}
    compared = {name: score for name, score in scores.items() if score["expected"]}
    assert len(compared) >= 8
    assert not {
        name: score
        for name, score in compared.items()
        if min(score["recall"] or 0, score["precision"] or 0) < 0.99  # type: ignore[type-var]
    }
