"""The quality that is claimed, on the development data where it is at hand."""

import os
from pathlib import Path

import pytest
from benchmarks.ideas import (
    DETECTORS,
    by,
    picture,
    score,
    score_relations,
    signal_rows,
    turn_rows,
    wilson,
)

from twice.learners.corrections.vocabulary import languages

SHARED = Path(os.environ.get("TWICE_SHARED") or Path(__file__).resolve().parents[3] / "shared")

needs_data = pytest.mark.skipif(
    not (SHARED / "sets").is_dir(),
    reason=f"no development data at {SHARED}: set TWICE_SHARED to the folder that holds sets/",
)


@needs_data
def test_invented_sentences_are_heard_as_claimed() -> None:
    found = score(row for row in signal_rows(SHARED) if row.language in languages()).summary()
    assert found["precision"] >= 0.92
    assert found["recall"] >= 0.65
    assert found["kind"] >= 0.90
    assert found["scope"] >= 0.85


@needs_data
def test_every_language_with_a_table_is_heard_as_claimed() -> None:
    found = by([row for row in signal_rows(SHARED) if row.language in languages()], "language")
    assert found.keys() == set(languages())
    assert {name: row["f1"] for name, row in found.items() if row["f1"] < 0.60} == {}


@needs_data
def test_real_turns_are_heard_as_claimed() -> None:
    found = score(turn_rows(SHARED)).summary()
    assert found["precision"] >= 0.85
    assert found["recall"] >= 0.55


@needs_data
def test_pairs_relate_as_claimed_and_no_other_pair_is_called_the_same() -> None:
    found = score_relations(SHARED, languages())
    assert found["lexical"] >= 0.97
    assert found["semantic"] >= 0.65
    assert (found["opposed_called_same"], found["others_called_same"]) == (0, 0)


@needs_data
def test_the_baselines_are_judged_on_the_same_rows() -> None:
    rows = turn_rows(SHARED)
    rowed = {name: score(rows, each).summary() for name, each in DETECTORS.items()}
    assert len({figures["rows"] for figures in rowed.values()}) == 1
    assert rowed["twice"]["f1"] > max(rowed["plain"]["f1"], rowed["directive"]["f1"])


def test_an_interval_holds_its_share() -> None:
    for hits, count in ((0, 5), (3, 7), (7, 7), (50, 1_000)):
        low, high = wilson(hits, count)
        assert 0 <= low <= hits / count <= high <= 1
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_picture_shows_every_detector() -> None:
    figures = {name: {"precision": 0.5, "recall": 0.25} for name in DETECTORS}
    drawn = picture({"signals": figures, "turns": figures})
    assert drawn.count("invented") == drawn.count("real turns") == len(DETECTORS)
    assert drawn.startswith("<svg") and drawn.endswith("</svg>\n")
