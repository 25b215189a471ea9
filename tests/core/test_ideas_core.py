"""Fingerprints: their canonical text, and how they relate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.ideas import Fingerprint, Relation, core_key, from_json, relation, to_json

STEMS = st.frozensets(st.sampled_from(["npm", "pnpm", "main", "before:commit", "number:2"]))
PRINTS = st.builds(Fingerprint, STEMS, STEMS, STEMS)


@given(PRINTS)
def test_json_goes_back_and_forth(print_: Fingerprint) -> None:
    assert from_json(to_json(print_)) == print_


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"wanted":[1],"unwanted":[],"topic":[]}', "1"])
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        from_json(text)


@given(PRINTS, STEMS)
def test_the_key_is_of_the_signed_core_alone(print_: Fingerprint, topic: frozenset[str]) -> None:
    other = Fingerprint(print_.wanted, print_.unwanted, topic)
    assert core_key(other) == core_key(print_)
    assert (core_key(print_) == "") is print_.empty


@given(PRINTS, PRINTS)
def test_relation_is_symmetric_and_conflicting_signs_are_never_the_same(
    a: Fingerprint, b: Fingerprint
) -> None:
    assert relation(a, b) is relation(b, a)
    if a.wanted & b.unwanted or a.unwanted & b.wanted:
        assert relation(a, b) is not Relation.SAME


@given(PRINTS)
def test_what_says_nothing_is_different_from_everything(print_: Fingerprint) -> None:
    assert relation(Fingerprint(topic=frozenset({"x"})), print_) is Relation.DIFFERENT


def test_a_wish_of_many_words_is_the_same_with_a_few_more() -> None:
    own_line = Fingerprint(frozenset({"sentence", "long", "phrase", "line"}))
    markdown = Fingerprint(own_line.wanted | {"new", "markdown"})
    assert relation(own_line, markdown) is Relation.SAME
    assert relation(own_line, Fingerprint(markdown.wanted | {"x"})) is Relation.DIFFERENT
    few = Fingerprint(frozenset({"short", "answer"}))
    assert relation(few, Fingerprint(few.wanted | {"line"})) is Relation.DIFFERENT
    assert relation(own_line, Fingerprint(markdown.wanted, own_line.wanted)) is not Relation.SAME
