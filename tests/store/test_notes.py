"""What is noted of a project or a folder holds until anything changes in it."""

from collections.abc import Callable

import pytest
from tests.builders import DAY, PROJECT, START
from tests.contracts.histories import History
from tests.contracts.test_store import batch, known, note, sighting

from twice.store.memory import MemoryDatabase
from twice.store.notes import FOLDER, drop, drop_all, notes, put
from twice.store.notes import PROJECT as PROJECT_KIND
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


def test_a_folders_note_outlives_new_evidence_and_decisions_and_what_is_dropped(
    store: RowStore,
) -> None:
    store.note_folders({"a folder": "as it was"})
    store.record(batch("s2", [sighting("s2")]))
    History(store).file(text="A wish.")
    store.expire(START + 40 * DAY)
    assert (store.notes(), store.folder_notes()) == ({}, {"a folder": "as it was"})


def test_forgetting_takes_the_notes_of_folders_away(store: RowStore) -> None:
    store.note_folders({"a folder": "as it was"})
    store.forget(["s1"], drafts=[note()], after=store.position(), at=START)
    assert store.folder_notes() == {}


@pytest.mark.parametrize(("kind", "other"), [(PROJECT_KIND, FOLDER), (FOLDER, PROJECT_KIND)])
def test_notes_of_one_kind_go_alone(kind: str, other: str) -> None:
    """Whatever they are about, and whatever else stands in the same table."""
    about = ("prj_shop", "0f" * 32, "quiet:", "folder:")
    with MemoryDatabase().writing() as tables:
        tables.put("meta", [{"key": name, "value": "x"} for name in ("key", "foldes:", "quiet")])
        put(tables, kind, dict.fromkeys(about, "1"))
        put(tables, other, dict.fromkeys(about, "2"))
        assert notes(tables, kind) == dict.fromkeys(about, "1")
        drop_all(tables, kind)
        assert notes(tables, kind) == {}
        assert notes(tables, other) == dict.fromkeys(about, "2")
        assert tables.count("meta") == 3 + len(about)


def test_a_projects_note_is_dropped_without_a_folders_of_the_same_name() -> None:
    with MemoryDatabase().writing() as tables:
        for kind in (PROJECT_KIND, FOLDER):
            put(tables, kind, {"same": "1", "other": "1"})
        drop(tables, ["same"])
        assert notes(tables, PROJECT_KIND) == {"other": "1"}
        assert notes(tables, FOLDER) == {"same": "1", "other": "1"}


def test_nothing_is_noted_of_what_somebody_changed_meanwhile(store: RowStore) -> None:
    before = store.position()
    History(store).file(text="A wish.")
    store.note(PROJECT, "quiet", after=before)
    assert PROJECT not in store.notes()
