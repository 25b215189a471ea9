"""Wishes that share no word meet in a matter; signs and values are never passed over."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learners.making import quotes, sightings

from twice.core.ideas import Fingerprint, Place, Relation, relation
from twice.learners import matters
from twice.learners.corrections import gather
from twice.learners.learner import Corrections

LEARNER = Corrections()
PAIRS = [
    ("en", "keep your answers short", "en", "no walls of text", Relation.SAME),
    ("en", "be brief", "en", "explain everything at great length", Relation.OPPOSED),
    (
        "en",
        "never commit to main directly",
        "de",
        "arbeite auf einem eigenen Branch",
        Relation.SAME,
    ),
    ("en", "no emojis please", "fr", "arrête avec les émoticônes", Relation.SAME),
    ("es", "no pongas comentarios en el código", "it", "niente commenti nel codice", Relation.SAME),
    ("en", "the dev database is sqlite", "en", "use postgres locally", Relation.COMPETING),
    ("en", "we install with bun", "en", "the package manager is pnpm", Relation.COMPETING),
    ("en", "don't edit generated files", "en", "don't commit generated files", Relation.DIFFERENT),
    ("en", "short answers", "en", "short variable names", Relation.DIFFERENT),
    ("en", "keep commits small", "en", "keep functions small", Relation.DIFFERENT),
    ("en", "ask before you delete files", "en", "ask before you add packages", Relation.DIFFERENT),
    ("ru", "отвечай покороче", "uk", "відповідай стисло", Relation.SAME),
    ("zh", "回答简短一点", "en", "short answers please", Relation.SAME),
]


@pytest.mark.parametrize(("one_in", "one", "other_in", "other", "expected"), PAIRS)
def test_a_pair_meets_where_it_should(
    one_in: str, one: str, other_in: str, other: str, expected: Relation
) -> None:
    assert LEARNER.relation(one, other, languages=(one_in, other_in)) is expected
    assert LEARNER.relation(other, one, languages=(other_in, one_in)) is expected


STEMS = st.frozensets(st.sampled_from(["npm", "main", "packages:npm", "packages:bun", "short"]))
PLACES = st.none() | st.builds(
    Place, st.just("verbosity"), st.sampled_from(["short", "long"]), st.just(True)
)
PRINTS = st.builds(Fingerprint, STEMS, STEMS, STEMS, PLACES)


@given(PRINTS, PRINTS)
def test_a_place_never_joins_across_signs_or_values(a: Fingerprint, b: Fingerprint) -> None:
    found = relation(a, b)
    assert found is relation(b, a)
    if a.wanted & b.unwanted or a.unwanted & b.wanted:
        assert found is not Relation.SAME
    apart = {"packages:npm", "packages:bun"}
    if a.wanted & apart and b.wanted & apart and not a.wanted & b.wanted & apart:
        assert found is not Relation.SAME


@given(PRINTS)
def test_a_place_changes_no_relation_that_words_tell(a: Fingerprint) -> None:
    bare = Fingerprint(a.wanted, a.unwanted, a.topic)
    assert relation(a, bare) is relation(bare, bare)


def test_two_wordings_of_one_idea_are_joined_and_say_so() -> None:
    said = [
        ("a", "never commit to main directly"),
        ("b", "always work on a branch of your own"),
        ("c", "always commit straight to main"),
    ]
    idea = next(idea for idea in gather(sightings(said)) if len(idea.sightings) == 2)
    assert quotes(idea) == [said[0][1], said[1][1]]
    assert idea.recurs
    assert str(idea.joined) == "branch: branch"
    assert [sighting.quote for sighting in idea.opposed] == [said[2][1]]


def test_ideas_that_their_words_join_say_nothing_of_a_matter() -> None:
    (idea,) = gather(sightings([("a", "never commit to main"), ("b", "don't commit to main")]))
    assert idea.joined is None


def test_what_is_in_no_matter_has_no_place() -> None:
    for text in ("use the frobnicator, not the widget", "call the queue jobs-eu", "?"):
        found = LEARNER.fingerprint(text, language="en")
        assert found is None or found.place is None


@pytest.mark.parametrize("language", matters.languages())
def test_a_table_is_quick_to_load_and_to_ask(language: str) -> None:
    found = LEARNER.fingerprint("commit", language=language) or Fingerprint(frozenset({"commit"}))
    matters._table.cache_clear()
    start = time.process_time()
    matters.place(found, language)
    assert time.process_time() - start < 0.4
    start = time.process_time()
    for _ in range(100):
        matters.place(found, language)
    assert (time.process_time() - start) / 100 < 0.002


def test_the_tables_are_those_of_the_wishes() -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "training.matters", "--check"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{ran.stdout}; run: python -m training.matters"
