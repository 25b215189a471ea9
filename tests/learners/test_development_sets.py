"""The quality that is claimed, on the development data where it is at hand."""

import os
from pathlib import Path

import pytest
from benchmarks.ideas import SIX, score_relations, score_signals, score_turns

SHARED = Path(os.environ.get("TWICE_SHARED") or Path(__file__).resolve().parents[3] / "shared")

pytestmark = pytest.mark.skipif(
    not (SHARED / "sets").is_dir(),
    reason=f"no development data at {SHARED}: set TWICE_SHARED to the folder that holds sets/",
)


def test_invented_sentences_are_heard_as_claimed() -> None:
    found = score_signals(SHARED, SIX).summary()
    assert found["precision"] >= 0.92
    assert found["recall"] >= 0.65
    assert found["kind"] >= 0.90
    assert found["scope"] >= 0.85


def test_real_turns_are_heard_as_claimed() -> None:
    found = score_turns(SHARED).summary()
    assert found["precision"] >= 0.85
    assert found["recall"] >= 0.5


def test_pairs_relate_as_claimed_and_no_opposed_pair_is_joined() -> None:
    found = score_relations(SHARED, SIX)
    assert found["lexical"] >= 0.95
    assert found["false_joins"] == 0
