"""Single signals become ideas, and only what is certain is joined."""

import time

from tests.learners.making import quotes, sightings

from twice.core.ideas import Sighting
from twice.learners.corrections import gather
from twice.learners.distill import distill

EDITS = [
    ("s1", "you changed the config in the root checkout, not the worktree"),
    ("s2", "why are you editing files in the root checkout, not the worktree?"),
    ("s3", "you're not using the worktree"),
    ("s4", "no, don't modify the root checkout, do this from the worktree"),
    ("s5", "you edited the root checkout file, not the worktree one"),
    ("s6", "you're editing the root checkout"),
    ("s7", "no, use the worktree"),
    ("s8", "stop editing the root checkout"),
]


def test_complaints_that_name_one_half_support_the_whole() -> None:
    ideas = gather(sightings(EDITS))
    assert len(ideas[0].lineages) >= 7
    assert len(set(quotes(ideas[0]))) >= 7
    assert ideas[0].opposed == ()


def test_the_lesson_of_complaints_says_what_shall_be_done() -> None:
    wording = distill(gather(sightings(EDITS))[0])
    assert wording.text == "Edit files in the worktree, not in the root checkout."
    assert wording.category == "agent.policy"
    assert wording.source.quote == EDITS[1][1]


def test_an_opposite_wish_is_never_support() -> None:
    opposite = [("s9", "make releases from the root checkout, not the worktree, always")]
    ideas = gather(sightings(EDITS + opposite))
    assert opposite[0][1] not in quotes(ideas[0])
    assert opposite[0][1] in [s.quote for s in ideas[0].opposed]


def test_the_same_core_is_one_idea_though_the_topic_differs() -> None:
    said = [("a", "in the api we use tabs, not spaces"), ("b", "tabs instead of spaces")]
    (idea,) = gather(sightings(said))
    assert idea.recurs


def test_one_side_supports_a_contrast_and_another_topic_does_not() -> None:
    said = [("a", "use pnpm, not npm"), ("b", "always use pnpm"), ("c", "always use pnpm scripts")]
    ideas = gather(sightings(said))
    assert quotes(ideas[0]) == ["use pnpm, not npm", "always use pnpm"]


def test_the_strongest_comes_first_and_the_order_of_reading_does_not_matter() -> None:
    said = [("a", "use tabs, not spaces"), ("b", "never push to main"), ("c", "never push to main")]
    found = sightings(said)
    ideas = gather(found)
    assert quotes(ideas[0]) == ["never push to main", "never push to main"]
    assert gather(found[::-1]) == ideas


def test_sightings_without_words_are_grouped_by_their_hash() -> None:
    found = sightings([("a", "use tabs, not spaces"), ("b", "tabs, not spaces"), ("c", "use bun")])
    bare = tuple(_bare(sighting) for sighting in found)
    assert [(len(idea.lineages), idea.recurs) for idea in gather(bare)] == [(2, True), (1, False)]


def _bare(sighting: Sighting) -> Sighting:
    kept = {name: getattr(sighting, name) for name in Sighting.__slots__}
    return Sighting(**kept | {"quote": None, "fingerprint": None})


def test_what_says_nothing_is_no_idea() -> None:
    said = [("a", "undo it now"), ("b", "undo it now"), ("c", "that's wrong")]
    assert gather(sightings(said, previous="I moved the file.")) == ()


def test_thousands_of_sightings_are_gathered_in_seconds() -> None:
    verbs = ["rename", "delete", "format", "commit", "publish", "mock", "log", "cache"]
    things = [f"thing{i}" for i in range(400)]
    said = [
        (f"s{i % 50}", f"never {verbs[i % 8]} the {things[(i * 7) % 400]}s") for i in range(4_000)
    ]
    found = sightings(said)
    start = time.process_time()
    ideas = gather(found)
    assert time.process_time() - start < 5
    assert sum(len(idea.sightings) for idea in ideas) == len(set(found)) == 4_000
