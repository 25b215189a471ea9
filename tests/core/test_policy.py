"""The lowest voice holds; what cannot be understood closes everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.policy import Allowance, Category, Mode, Policy, Terms, effective

MODES = st.sampled_from(Mode)
MAYBE = st.none() | MODES
TERMS = st.builds(Terms, user=MODES, run=MAYBE, project=MAYBE, repository=MAYBE)


@given(TERMS)
def test_the_mode_is_the_lowest_that_anybody_allows(terms: Terms) -> None:
    first = terms.user if terms.run is None else terms.run
    voices = [v for v in (first, terms.project, terms.repository) if v is not None]
    assert effective(terms).mode.rank == min(voice.rank for voice in voices)


@given(TERMS)
def test_a_run_replaces_the_users_term_and_no_other(terms: Terms) -> None:
    if terms.run is None:
        return
    same = Terms(user=terms.run, project=terms.project, repository=terms.repository)
    assert effective(terms).mode is effective(same).mode


@given(TERMS)
def test_a_malformed_file_anywhere_closes_everything_and_is_named(terms: Terms) -> None:
    broken = Terms(terms.user, terms.run, terms.project, terms.repository, ("config is malformed",))
    found = effective(broken)
    assert (found.mode, found.reason) == (Mode.OFF, "config is malformed")


def test_off_is_the_default() -> None:
    assert effective(Terms()).mode is Mode.OFF
    assert Policy().mode is Mode.OFF


@pytest.mark.parametrize(
    ("mode", "keeps"), [("off", False), ("observe", False), ("suggest", True), ("auto-safe", True)]
)
def test_only_suggest_and_above_keep_text(mode: str, keeps: bool) -> None:
    assert Mode(mode).keeps_text is keeps


@pytest.mark.parametrize("category", Category)
def test_every_category_waits_for_review_by_default(category: Category) -> None:
    expected = Allowance.NEVER if category is Category.VOLATILE else Allowance.REVIEW
    assert Policy().allowance(category) is expected


def test_what_is_volatile_is_never_kept_whatever_is_set() -> None:
    policy = Policy(categories=((Category.VOLATILE, Allowance.AUTO),))
    assert policy.allowance(Category.VOLATILE) is Allowance.NEVER
