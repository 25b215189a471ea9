"""One value, one form; one text, one address."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.encoding import canonical, digest, encode, keyed, text_digest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_a_value_survives_its_canonical_form(value: object) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(), st.integers(), max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    turned = dict(reversed(value.items()))
    assert canonical(turned) == canonical(value)


def test_what_is_no_json_number_is_refused() -> None:
    with pytest.raises(ValueError):
        canonical(float("nan"))


@given(st.text(st.characters(exclude_categories=[])))
def test_every_text_has_an_address_even_half_a_character(text: str) -> None:
    assert text_digest(text) == digest(encode(text))
    assert text_digest(encode(text).decode()) == text_digest(text)


@given(st.text(), st.text())
def test_a_keyed_hash_tells_equality_and_needs_the_key(one: str, other: str) -> None:
    assert (keyed(b"k", one) == keyed(b"k", other)) is (one == other)
    assert keyed(b"k", one) != keyed(b"other", one)
