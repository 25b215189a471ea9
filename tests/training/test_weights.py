"""The weights are learned as they say: at the lowest point of a penalised logistic loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from training import rows, weights


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_loss_is_lowest_where_the_search_ends(seed: int) -> None:
    chance = np.random.default_rng(seed)
    facts = np.hstack([np.ones((60, 1)), chance.integers(0, 2, (60, 5)).astype(float)])
    label = chance.integers(0, 2, 60).astype(float)
    weight = chance.uniform(0.1, 1, 60)
    found = weights.fit(facts, label, weight)

    def loss(at: np.ndarray) -> float:
        sums = facts @ at
        told = weight * (np.logaddexp(0, sums) - label * sums)
        return float(told.sum() + weights.PENALTY / 2 * (at[1:] ** 2).sum())

    for i in range(len(found)):
        for step in (0.05, -0.05):
            moved = found.copy()
            moved[i] += step
            assert loss(moved) > loss(found)


def test_the_likeliest_sentence_carries_a_signal_that_nobody_marked() -> None:
    turn = "Thanks a lot for the table. Always use tabs in this repo. See you tomorrow then."
    data = [rows.Row(turn, "", False, "preference", "durable", "", "en", "own", 1.0)] * 8
    table = weights.Table(data)
    always = np.zeros(table.facts.shape[1])
    always[1 + table.names.index("habits")] = 1.0
    table.settle(always, np.ones(len(table.units), dtype=bool))
    carrying = [table.units[i] for i in np.flatnonzero(table.label)]
    assert {unit.text for unit in carrying} == {"Always use tabs in this repo."}
    assert [unit.row for unit in carrying] == list(range(len(data)))


@pytest.mark.parametrize("read", [rows.invented, rows.tested, rows.wishes, rows.talk])
def test_every_row_has_a_label(read) -> None:
    found = list(read())
    assert len(found) > 100
    assert {row.kind for row in found} <= {"none", "correction", "preference"}
    assert {row.scope for row in found} <= {"", "durable", "one_off"}
    assert all(row.text.strip() and row.span in row.text for row in found)
