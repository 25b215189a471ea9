"""What is noted of a project holds until anything changes in it."""

from collections.abc import Callable

import pytest
from tests.builders import DAY, PROJECT, START
from tests.contracts.histories import History
from tests.contracts.test_store import batch, known, note, sighting

from twice.store.memory import MemoryDatabase
from twice.store.store import RowStore


@pytest.fixture
def store() -> RowStore:
    store = RowStore(MemoryDatabase(), fresh_key="00" * 32)
    store.adopt(known())
    store.record(batch("s1", [sighting("s1", recorded=START)]))
    for project in (PROJECT, "prj_other"):
        store.note(project, "quiet", after=store.position())
    return store


def test_a_note_holds_where_nothing_changes(store: RowStore) -> None:
    store.expire(START + DAY)
    assert store.notes() == {PROJECT: "quiet", "prj_other": "quiet"}


@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.record(batch("s2", [sighting("s2")])),
        lambda store: History(store).file(text="A wish."),
    ],
)
def test_new_evidence_and_new_decisions_take_a_projects_note_away(
    store: RowStore, change: Callable[[RowStore], object]
) -> None:
    change(store)
    assert store.notes() == {"prj_other": "quiet"}


@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.expire(START + 40 * DAY),
        lambda store: store.forget(["s1"], drafts=[note()], after=store.position(), at=START),
    ],
)
def test_what_is_dropped_or_forgotten_takes_every_note_away(
    store: RowStore, change: Callable[[RowStore], object]
) -> None:
    change(store)
    assert store.notes() == {}


def test_nothing_is_noted_of_what_somebody_changed_meanwhile(store: RowStore) -> None:
    before = store.position()
    History(store).file(text="A wish.")
    store.note(PROJECT, "quiet", after=before)
    assert PROJECT not in store.notes()
