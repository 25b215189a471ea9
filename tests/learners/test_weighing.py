"""What no rule is sure of is weighed as a whole; what a rule is sure of stays as it is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.ideas import Signal
from twice.learners.corrections import explain, notice, weighing
from twice.learners.learner import Corrections

DEAF = {"": (-1e6, 0.0, 0.0)}
KEEN = {"": (1e6, 0.0, 0.0)}
SOME = "always never don't use tabs npm pnpm commit please the tests not no I want , . ?"
WORDS = st.sampled_from(SOME.split())


def test_the_stored_weights_are_numbers_of_facts_that_name_no_word_of_any_language() -> None:
    weights = weighing._weights()
    assert "" in weights
    for name, row in weights.items():
        assert len(row) == 3
        assert all(map(math.isfinite, row))
        assert name.isascii()
    assert not {"npm", "tabs", "emoji", "commit"} & {name.split()[0] for name in weights if name}


def use(patch: pytest.MonkeyPatch, weights: dict[str, tuple[float, float, float]]) -> None:
    patch.setattr(weighing, "_weights", lambda: weights)
    patch.setattr(weighing, "_weight", weighing._weight.__wrapped__)


@given(st.lists(WORDS, min_size=1, max_size=14).map(" ".join))
def test_what_the_rules_hear_is_heard_the_same_whatever_is_weighed(text: str) -> None:
    def heard(weights: dict[str, tuple[float, float, float]]) -> list[Signal]:
        with pytest.MonkeyPatch.context() as patch:
            use(patch, weights)
            return [s for s in notice(text) if weighing.WEIGHED not in s.reasons]

    deaf, keen, usual = heard(DEAF), heard(KEEN), heard(weighing._weights())
    assert {(s.start, s.reasons) for s in keen} <= {(s.start, s.reasons) for s in deaf}
    assert {(s.start, s.reasons) for s in usual} <= {(s.start, s.reasons) for s in deaf}
    first = deaf[:1]  # what is heard later depends on what was heard before
    assert [s for s in usual if first and s.start == first[0].start] == first


def test_a_likely_signal_says_that_it_was_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, {"": (0.25, -1.0, 2.0)})
    (signal,) = notice("the tests belong to each module")
    assert weighing.WEIGHED in signal.reasons
    assert weighing.HEARD <= signal.confidence < 0.6
    assert signal.kind == "preference"
    assert signal.scope == "durable"
    assert weighing.WEIGHED in Corrections().reasons()


def test_a_sentence_that_no_rule_looks_at_is_never_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, KEEN)
    assert notice("the parser reads the file") == ()
    assert explain("the parser reads the file").doubts == ()


@pytest.mark.parametrize(
    ("previous", "text"),
    [
        ("A dialog should appear.", "no dialog appeared, only the white page"),
        ("Es sollte ein Dialog erscheinen.", "kein dialog, nur ne weiße seite"),
        ("Shall I go on?", "No, thanks"),
        ("Here is the summary.", "not too long, fine"),
        ("I can use a queue.", "maybe a queue could always be used here"),
        ("", "make sure every test passes before we merge"),
    ],
)
def test_what_is_no_wish_for_certain_is_not_weighed(
    previous: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, KEEN)
    assert [s for s in notice(text, previous=previous) if weighing.WEIGHED in s.reasons] == []
