"""What every store keeps to, whatever database its rows lie in."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import (
    DAY,
    POLICY,
    PROJECT,
    START,
    batch,
    blob,
    candidate,
    known,
    memory,
    note,
    sighting,
)
from tests.contracts.histories import STEPS, History

from twice.core import limits
from twice.core.decisions import decide_erasure, decide_filing, decide_forgetting
from twice.core.encoding import encode, text_digest
from twice.core.errors import Conflict
from twice.core.kept import KeptSession
from twice.core.ledger import GENESIS, broken_links
from twice.core.proposals import evidence_of
from twice.core.states import State, Status, apply
from twice.store.memory import MemoryDatabase
from twice.store.rows import Database
from twice.store.sql import SqliteDatabase
from twice.store.store import RowStore

KEY = "ab" * 32
Opening = Callable[[], Database]


def in_memory(_: Path) -> Opening:
    """Open the one database in memory, again and again."""
    database = MemoryDatabase()
    return lambda: database


def in_sqlite(folder: Path) -> Opening:
    """Open one file, each time with a connection of its own."""
    return lambda: SqliteDatabase(folder / "data" / "twice.db")


DATABASES = {"memory": in_memory, "sqlite": in_sqlite}


@pytest.fixture(params=sorted(DATABASES))
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Return what opens one and the same database, as another process would."""
    return DATABASES[request.param](tmp_path)


@pytest.fixture
def database(opening: Opening) -> Iterator[Database]:
    """Open a database."""
    opened = opening()
    yield opened
    opened.close()


@pytest.fixture
def store(database: Database) -> RowStore:
    """Open an empty store."""
    return RowStore(database, fresh_key=KEY)


@pytest.fixture
def history(store: RowStore) -> History:
    """Return somebody who decides."""
    return History(store)


# The ledger


def test_an_empty_ledger_ends_at_nothing(store: RowStore) -> None:
    assert (store.position(), list(store.entries()), store.policy()) == (0, [], None)
    assert store.flaws() == []


def test_entries_are_chained_from_the_first(store: RowStore) -> None:
    store.append([note("a"), note("b")], after=0, at=1)
    store.append([note("c")], after=2, at=2)
    entries = list(store.entries())
    assert [entry.subject for entry in entries] == ["a", "b", "c"]
    assert [entry.prev for entry in entries] == [GENESIS, entries[0].hash, entries[1].hash]
    assert broken_links(entries) == []
    assert [entry.subject for entry in store.entries(after=2)] == ["c"]


def test_only_the_first_appends_at_a_position(store: RowStore) -> None:
    store.append([note("first")], after=0, at=1)
    with pytest.raises(Conflict):
        store.append([note("second")], after=0, at=2, blobs={text_digest("x"): b"x"})
    assert [entry.subject for entry in store.entries()] == ["first"]
    assert store.blobs([text_digest("x")]) == {}


def test_nobody_appends_beyond_the_end(store: RowStore) -> None:
    with pytest.raises(Conflict):
        store.append([note()], after=1, at=1)


def test_of_two_who_append_at_once_one_wins(opening: Opening) -> None:
    stores = [RowStore(opening(), fresh_key=KEY) for _ in range(2)]
    barrier = threading.Barrier(2)
    outcomes: list[str] = []

    def decide(store: RowStore, name: str) -> None:
        barrier.wait()
        try:
            store.append([note(name)], after=0, at=1)
            outcomes.append("won")
        except Conflict:
            outcomes.append("refused")

    threads = [threading.Thread(target=decide, args=(s, str(n))) for n, s in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused", "won"]
    assert stores[0].position() == 1


def test_the_ledger_may_be_read_while_the_store_is_asked_and_written(store: RowStore) -> None:
    store.append([note("a"), note("b")], after=0, at=1)
    seen = []
    for entry in store.entries():
        seen.append(entry.subject)
        assert store.state("nothing") is None
        if entry.seq == 1:
            store.append([note("c")], after=2, at=2)
    assert seen[:2] == ["a", "b"]


def test_a_reading_that_was_broken_off_blocks_nobody(store: RowStore) -> None:
    store.append([note("a"), note("b")], after=0, at=1)
    half = store.entries()
    next(half)
    store.append([note("c")], after=2, at=2)
    assert store.position() == 3


# What is derived


def folded(store: RowStore) -> dict[str, object]:
    """Return the states that a fold over the ledger gives, by id."""
    states: dict[str, object] = {}
    for entry in store.entries():
        if entry.kind.partition(".")[0] in ("policy", "session", "project"):
            continue
        if entry.verb in ("evicted", "erased"):
            states.pop(entry.subject, None)
            continue
        before = states.get(entry.subject)
        states[entry.subject] = apply(before, entry)  # type: ignore[arg-type]
    return states


@pytest.mark.parametrize("name", sorted(DATABASES))
@given(steps=STEPS)
@settings(max_examples=25)
def test_what_is_derived_equals_a_fresh_fold(
    name: str, steps: list[tuple[str, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = DATABASES[name](tmp_path_factory.mktemp("store"))()
    store = RowStore(database, fresh_key=KEY)
    history = History(store)
    for step in steps:
        history.step(*step)
    assert {state.id: state for state in store.states()} == folded(store)
    assert store.flaws() == []
    database.close()


def test_the_policy_recorded_last_holds(history: History) -> None:
    history.change_policy()
    history.change_policy()
    now = history.store.policy()
    assert now is not None
    assert (now.revision, now.plain["mode"]) == (history.policy, "suggest")


def test_proposals_come_newest_first(history: History) -> None:
    ids = [history.file(text=f"Say {n}.") for n in range(4)]
    assert [state.id for state in history.store.states()] == ids[::-1]
    assert [state.id for state in history.store.states(limit=2)] == ids[:1:-1]


def test_proposals_are_found_by_project_and_status(history: History) -> None:
    kept, refused = history.file(text="One."), history.file(text="Two.")
    history.approve(kept)
    history.reject(refused)
    by_status = history.store.states(statuses=[Status.APPROVED, Status.PENDING])
    assert [state.id for state in by_status] == [kept]
    assert history.store.states(project="prj_other") == []
    assert len(history.store.states(project=PROJECT, statuses=[Status.REJECTED])) == 1


def test_a_rejection_is_remembered_with_the_lineages_it_was_said_to(history: History) -> None:
    id = history.file()
    history.reject(id, "s7")
    assert history.store.rejections(PROJECT) == {f"idea {id}": frozenset({"s1", "s2", "s7"})}
    assert history.store.rejections("prj_other") == {}


def test_what_a_session_is_told_is_chosen_at_approval(history: History) -> None:
    store = history.store
    store.adopt(known())
    id = history.file(text="Use pnpm.")
    assert (store.context(PROJECT), store.standing(PROJECT)) == ("", [])
    history.approve(id)
    assert "- Use pnpm. [" in store.context(PROJECT)
    assert [item.id for item in store.standing(PROJECT)] == [id]
    history.roll_back(id)
    assert (store.context(PROJECT), store.standing(PROJECT)) == ("", [])


def test_what_was_superseded_comes_back_with_the_undoing(history: History) -> None:
    old = history.file(text="Use tabs.")
    history.approve(old)
    new = history.file(text="Use spaces.", replaces=old)
    history.approve(new)
    assert history.state(old).status is Status.SUPERSEDED
    assert "tabs" not in history.store.context(PROJECT)
    history.roll_back(new)
    assert "tabs" in history.store.context(PROJECT)


def test_undoing_gives_back_only_what_this_very_item_superseded(history: History) -> None:
    old = history.file(text="Use tabs.")
    history.approve(old)
    first = history.file(text="Use two spaces.", replaces=old)
    second = history.file(text="Use four spaces.", replaces=old)
    history.approve(first)
    history.approve(second)
    history.roll_back(second)
    assert history.state(old).status is Status.SUPERSEDED


def test_a_project_that_gets_another_name_leaves_nothing_to_mend(history: History) -> None:
    history.store.adopt(known("shop", gone=True))
    history.approve(history.file(text="Use pnpm."))
    history.store.adopt(known("other", root="/work/shop"))
    assert history.store.projects()[0].name == "other"
    assert history.store.flaws() == []


def test_what_is_derived_is_rebuilt_from_ledger_and_texts(
    database: Database, store: RowStore
) -> None:
    history = History(store)
    history.change_policy()
    history.approve(history.file(text="Use pnpm."))
    history.reject(history.file(text="Use npm."))
    for name in ("shop", "store"):
        store.adopt(known(name, root=f"/work/{name}"))
    history.join("prj_store", PROJECT)
    before = (store.states(), store.rejections(PROJECT), store.context(PROJECT), store.policy())
    with database.writing() as tables:
        for table in ("links", "proposals", "rejections", "contexts"):
            tables.delete(table)
        tables.delete("meta", ("key", "=", "policy"))
    assert len(store.flaws()) == 1
    store.rebuild()
    assert store.flaws() == []
    after = (store.states(), store.rejections(PROJECT), store.context(PROJECT), store.policy())
    assert after == before


# Texts


def test_texts_are_found_by_their_digest(store: RowStore) -> None:
    texts = {text_digest(word): encode(word) for word in ("one", "zwei", "три")}
    store.append([note()], after=0, at=1, blobs=texts)
    assert store.blobs([*texts, "missing"]) == texts
    assert store.blobs([]) == {}


def test_more_texts_than_one_question_can_name_are_found(store: RowStore) -> None:
    texts = {text_digest(str(n)): encode(str(n)) for n in range(1_203)}
    store.append([note()], after=0, at=1, blobs=texts)
    assert store.blobs(texts) == texts


# What was read


def test_a_reading_is_kept_whole(store: RowStore) -> None:
    made = batch("s1", [sighting("s1", 0)], turns=["use pnpm, not npm"])
    recorded = store.record(made)
    assert (recorded.lineage, recorded.sightings) == ("s1", 1)
    assert store.files() == {"file-s1": made.file}
    assert [turn.text for turn in store.turns("s1")] == ["use pnpm, not npm"]
    (seen,) = store.sightings(PROJECT)
    assert (seen.quote, seen.lineage) == ("use pnpm, not npm", "s1")
    assert seen.fingerprint == sighting().fingerprint


def test_a_file_without_a_session_is_only_remembered(store: RowStore) -> None:
    made = replace(batch("s1"), session=None)
    assert store.record(made).sightings == 0
    assert (list(store.files()), store.sessions()) == (["file-s1"], [])


def test_reading_on_adds_only_what_is_new(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1", 0)], turns=["one", "two"]))
    more = batch("s1", [sighting("s1", 2)], turns=["three"], fresh=False, first=2)
    assert store.record(more).sightings == 1
    assert [turn.text for turn in store.turns("s1")] == ["one", "two", "three"]
    assert store.sessions()[0].turns == 3


def test_reading_again_adds_nothing(store: RowStore) -> None:
    made = batch("s1", [sighting("s1", 0)], turns=["one", "two"], keys=["k"])
    store.record(made)
    assert store.record(made).sightings == 0
    assert store.sessions()[0].turns == 2
    assert len(store.sightings(PROJECT)) == 1


def test_seen_again_under_another_policy_counts_for_that_policy(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1", revision="pol_old")]))
    store.record(batch("s1", [sighting("s1", revision=POLICY, recorded=START + DAY)]))
    (seen,) = store.sightings(PROJECT)
    assert (seen.revision, seen.recorded) == (POLICY, START + DAY)


def test_a_file_that_was_written_anew_shows_its_new_words(store: RowStore) -> None:
    store.record(batch("s1", turns=["old words"]))
    store.record(batch("s1", turns=["new words"]))
    assert [turn.text for turn in store.turns("s1")] == ["new words"]


def test_what_comes_instead_leaves_nothing_of_what_was_kept_of_the_session(
    store: RowStore,
) -> None:
    store.adopt(known())
    old = batch("s1", [sighting("s1", 0, quote="old wish")], turns=["old", "words"], keys=["a"])
    store.record(old)
    store.record(batch("s2", [sighting("s2")], turns=["others"]))
    new = batch("s1", [sighting("s1", 7, quote="new wish")], turns=["new"], first=7, keys=["b"])
    recorded = store.record(replace(new, instead=True))
    assert (recorded.lineage, recorded.sightings) == ("s1", 1)
    assert [turn.text for turn in store.turns("s1")] == ["new"]
    assert {seen.quote for seen in store.sightings(PROJECT)} == {"new wish", "use pnpm, not npm"}
    assert [turn.text for turn in store.turns("s2")] == ["others"]
    assert {kept.id: kept.turns for kept in store.sessions()} == {"s1": 1, "s2": 1}
    assert store.lineages_met(["a"]) == store.lineages_met(["b"]) == {"s1"}
    store.expire(START + 40 * DAY)
    assert store.blobs([text_digest(text) for text in ("old", "words", "old wish")]) == {}


def test_what_does_not_come_instead_stands_beside_what_was_kept(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1", 0)], turns=["one"]))
    store.record(batch("s1", [sighting("s1", 7)], turns=["two"], first=7))
    assert [turn.text for turn in store.turns("s1")] == ["one", "two"]
    assert len(store.sightings(PROJECT)) == 2


def test_a_fork_is_of_its_origins_lineage(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1")], keys=["a", "b"]))
    assert store.record(batch("s2", [sighting("s2")], keys=["b", "c"])).lineage == "s1"
    assert {seen.lineage for seen in store.sightings(PROJECT)} == {"s1"}


def test_a_session_that_shows_two_lineages_to_be_one_joins_them(store: RowStore) -> None:
    store.record(batch("s2", [sighting("s2")], keys=["b"]))
    store.record(batch("s3", [sighting("s3")], keys=["c"]))
    assert len({seen.lineage for seen in store.sightings(PROJECT)}) == 2
    store.record(batch("s4", [sighting("s4")], keys=["b", "c"]))
    assert {seen.lineage for seen in store.sightings(PROJECT)} == {"s2"}
    assert {kept.lineage for kept in store.sessions()} == {"s2"}
    assert store.record(batch("s5", keys=["c"])).lineage == "s2"


def test_a_rejection_binds_under_the_name_that_its_lineages_have_now(history: History) -> None:
    store = history.store
    store.record(batch("s2", keys=["a"]))
    store.record(batch("s9", keys=["b"]))
    id = history.file(lineages=["s9"])
    history.reject(id)
    store.record(batch("s5", keys=["a", "b"]))
    assert store.rejections(PROJECT)[f"idea {id}"] == {"s9", "s2"}
    assert store.flaws() == []


def test_evidence_comes_in_the_order_it_was_recorded(store: RowStore) -> None:
    for number, recorded in ((1, 30), (2, 10), (3, 20)):
        store.record(batch(f"s{number}", [sighting(f"s{number}", recorded=recorded)]))
    assert [seen.anchor.session for seen in store.sightings(PROJECT)] == ["s2", "s3", "s1"]


def test_evidence_without_text_keeps_none(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1", quote=None)]))
    (seen,) = store.sightings(PROJECT)
    assert (seen.quote, seen.fingerprint) == (None, None)


# Folders


def test_a_folder_is_noted_in_the_place_of_what_was_noted_of_it(store: RowStore) -> None:
    assert store.folder_notes() == {}
    store.note_folders({"one": "a", "two": "b"})
    store.note_folders({"two": "c", "three": "d"})
    store.note_folders({})
    assert store.folder_notes() == {"one": "a", "two": "c", "three": "d"}
    assert store.notes() == {}


def test_what_was_noted_of_folders_holds_until_something_is_forgotten(history: History) -> None:
    store = history.store
    store.adopt(known())
    store.note_folders({"one": "a"})
    store.note(PROJECT, "quiet", after=store.position())
    store.record(batch("s1", [sighting("s1")], turns=["a wish"]))
    history.approve(history.file())
    store.expire(START + 40 * DAY)
    assert store.folder_notes() == {"one": "a"}
    with pytest.raises(Conflict):
        store.forget(["s1"], drafts=[note()], after=0, at=START)
    assert store.folder_notes() == {"one": "a"}
    store.forget(["s1"], drafts=[note()], after=store.position(), at=START)
    assert store.folder_notes() == {}


# Projects


def test_a_project_is_known_by_any_of_its_keys(store: RowStore) -> None:
    first = store.adopt(known("shop", "git:a", "path:/work/shop"))
    again = store.adopt(known("clone", "git:a", "path:/work/clone", root="/work/clone"))
    other = store.adopt(known("other", "git:b"))
    assert (again, other) == (first, "prj_other")
    assert store.adopt(known("third", "path:/work/clone")) == first
    assert {project.id for project in store.projects()} == {first, other}


def test_the_folder_of_a_project_is_replaced_only_when_it_is_gone(store: RowStore) -> None:
    store.adopt(known("shop", "git:a", gone=True))
    store.adopt(known("shop", "git:a", root="/work/new"))
    store.adopt(known("shop", "git:a", root="/work/worktree"))
    (project,) = store.projects()
    assert (project.root, project.gone) == ("/work/new", False)


def test_a_project_whose_folder_went_away_since_moves_to_the_new_one(store: RowStore) -> None:
    store.adopt(known("shop", "git:a", "remote:r", root="/work/old"))
    moved = known("store", "git:b", "remote:r", root="/work/new")
    store.adopt(moved, is_gone=lambda root: False)
    assert store.projects()[0].root == "/work/old"
    store.adopt(moved, is_gone=lambda root: root == "/work/old")
    (project,) = store.projects()
    assert (project.id, project.name, project.root) == ("prj_shop", "store", "/work/new")
    assert set(project.keys) == {"git:a", "git:b", "remote:r"}


def test_what_a_project_will_be_known_by_tells_nothing_of_it_now(store: RowStore) -> None:
    store.adopt(known("plain", "path:/work/a"))
    made = replace(known("shop", "git:a"), later=("path:/work/a", "path:/work/b"))
    assert store.adopt(made) == "prj_shop"
    assert store.adopt(known("x", "path:/work/a")) == "prj_plain"
    assert store.adopt(known("y", "path:/work/b")) == "prj_shop"


# Projects that read as one

NAMED = ("shop", "store", "app", "tool")
IDS = tuple(f"prj_{name}" for name in NAMED)
JOINING = st.lists(
    st.tuples(
        st.sampled_from(("join", "join", "part", "file", "approve", "reject", "roll back", "read")),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    max_size=25,
)


def furnished(store: RowStore) -> History:
    """Return somebody who decides in a store that knows four projects."""
    for name in NAMED:
        store.adopt(known(name, root=f"/work/{name}"))
    return History(store)


def seen_of(store: RowStore, project: str) -> dict[str, object]:
    """Return everything that is asked of a store by project."""
    return {
        "states": store.states(project=project),
        "rejections": store.rejections(project),
        "standing": store.standing(project),
        "context": store.context(project),
        "sightings": store.sightings(project),
        "sessions": store.sessions(project),
    }


def test_projects_that_read_as_one_are_asked_for_together(store: RowStore) -> None:
    history = furnished(store)
    one = history.file(text="Use pnpm.", project="prj_shop", idea="pnpm", lineages=["a"])
    two = history.file(text="Use tabs.", project="prj_store", idea="tabs", lineages=["b"])
    no = history.file(text="Use npm.", project="prj_shop", idea="npm", lineages=["a"])
    history.approve(one)
    history.approve(two)
    history.reject(no)
    for number, project in enumerate(("prj_shop", "prj_store", "prj_app")):
        seen = sighting(f"s{number}", project=project)
        store.record(batch(f"s{number}", [seen], project=project))
    history.join("prj_shop", "prj_store")
    both, other = seen_of(store, "prj_shop"), seen_of(store, "prj_app")
    assert both == seen_of(store, "prj_store")
    assert {state.id for state in store.states(project="prj_shop")} == {one, two, no}
    assert {seen.anchor.session for seen in store.sightings("prj_store")} == {"s0", "s1"}
    assert {kept.id for kept in store.sessions("prj_store")} == {"s0", "s1"}
    assert store.rejections("prj_store") == {"npm": {"a"}}
    told = store.context("prj_shop")
    assert "Use pnpm." in told and "Use tabs." in told and 'project="store"' in told
    assert (other["states"], other["context"]) == ([], "")
    joined = {project.id: project.reads_as for project in store.projects() if project.reads_as}
    assert joined == {"prj_shop": "prj_store"}
    assert store.flaws() == []


def test_a_no_that_is_said_to_both_binds_in_both_when_they_are_apart(store: RowStore) -> None:
    history = furnished(store)
    history.join("prj_shop", "prj_store")
    history.reject(history.file(project="prj_store", idea="npm", lineages=["a"]))
    history.part("prj_shop")
    history.reject(history.file(project="prj_shop", idea="npm", lineages=["b"]))
    assert store.rejections("prj_shop") == {"npm": {"a", "b"}}
    assert store.rejections("prj_store") == {"npm": {"a"}}
    assert store.flaws() == []


def test_a_new_name_is_told_in_all_that_read_as_one(store: RowStore) -> None:
    history = furnished(store)
    store.adopt(known("head", "git:h", gone=True))
    history.approve(history.file(text="Use pnpm.", project="prj_shop"))
    history.join("prj_shop", "prj_head")
    store.adopt(known("renamed", "git:h", root="/work/renamed"))
    assert 'project="renamed"' in store.context("prj_shop")
    assert store.flaws() == []


def test_what_was_noted_of_one_falls_with_what_is_read_or_decided_of_the_other(
    store: RowStore,
) -> None:
    history = furnished(store)
    noted = ("prj_shop", "prj_store", "prj_app")

    def left() -> set[str]:
        kept = set(store.notes())
        for project in noted:
            store.note(project, "{}", after=store.position())
        return kept

    left()
    history.join("prj_shop", "prj_store")
    assert left() == {"prj_app"}
    store.record(batch("s1", project="prj_shop"))
    assert left() == {"prj_app"}
    history.file(project="prj_shop")
    assert left() == {"prj_app"}
    history.part("prj_shop")
    assert left() == {"prj_app"}


@pytest.mark.parametrize("name", sorted(DATABASES))
@given(steps=JOINING)
@settings(max_examples=25)
def test_joining_gives_each_what_all_have_and_parting_gives_back_what_was_its_own(
    name: str, steps: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = DATABASES[name](tmp_path_factory.mktemp("store"))()
    store = RowStore(database, fresh_key=KEY)
    history = furnished(store)
    for number, (verb, one, two) in enumerate(steps):
        _do(history, verb, one, two, number)
    reads_as = {project.id: project.reads_as or project.id for project in store.projects()}
    assert store.flaws() == []
    for project in IDS:
        together = {other for other in IDS if reads_as[other] == reads_as[project]}
        states = store.states(project=project)
        assert states == [state for state in store.states() if state.project in together]
        assert seen_of(store, project) == seen_of(store, reads_as[project])
    owned = {project: _owned(store, project) for project in IDS}
    for project in IDS:
        history.part(project)
    for project in IDS:
        assert (store.states(project=project), store.sessions(project)) == owned[project]
        assert {seen.project for seen in store.sightings(project)} <= {project}
        told = {item.id for item in store.standing(project)}
        assert told == {s.id for s in owned[project][0] if s.status is Status.APPROVED}
    assert store.flaws() == []
    database.close()


def _do(history: History, verb: str, one: int, two: int, number: int) -> None:
    store, project = history.store, IDS[one]
    waiting = store.states(project=project)
    match verb:
        case "join":
            history.join(project, IDS[two])
        case "part":
            history.part(project)
        case "file":
            history.file(text=f"Say {number}.", project=project, idea=f"idea {two}")
        case "read":
            seen = sighting(f"s{number}", project=project, idea=f"idea {two}")
            store.record(batch(f"s{number}", [seen], project=project))
        case _ if waiting:
            verbs = {"approve": history.approve, "reject": history.reject}
            verbs.get(verb, history.roll_back)(waiting[two % len(waiting)].id)


def _owned(store: RowStore, project: str) -> tuple[list[State], list[KeptSession]]:
    states = [state for state in store.states() if state.project == project]
    return states, [kept for kept in store.sessions() if kept.project == project]


def test_parting_at_once_gives_back_exactly_what_was_there(store: RowStore) -> None:
    history = furnished(store)
    for number, project in enumerate(IDS[:2]):
        history.approve(history.file(text=f"Say {number}.", project=project))
        history.reject(history.file(text=f"Ask {number}.", project=project, idea="x"))
        history.file(text=f"Do {number}.", project=project)
        store.record(
            batch(f"s{number}", [sighting(f"s{number}", project=project)], project=project)
        )
    before = {project: seen_of(store, project) for project in IDS}
    history.join("prj_shop", "prj_store")
    assert seen_of(store, "prj_shop") != before["prj_shop"]
    history.part("prj_shop")
    assert {project: seen_of(store, project) for project in IDS} == before
    assert store.flaws() == []


# Bounds


def test_evidence_is_kept_thirty_days_after_it_was_recorded(store: RowStore) -> None:
    store.adopt(known())
    store.record(batch("s1", [sighting("s1", at=START - 400 * DAY, recorded=START)]))
    assert store.expire(START + 30 * DAY) == {"old": 0, "surplus": 0}
    assert store.expire(START + 30 * DAY + 1) == {"old": 1, "surplus": 0}
    assert store.sightings(PROJECT) == ()
    assert store.blobs([text_digest("use pnpm, not npm")]) == {}


def test_the_oldest_rows_beyond_the_bound_are_dropped_and_counted(store: RowStore) -> None:
    store.adopt(known())
    rows = [
        sighting("s1", n, recorded=START + n // 2, at=None if n % 3 else START - n)
        for n in range(limits.EVIDENCE_ROWS + 7)
    ]
    store.record(batch("s1", rows))
    assert store.expire(START + DAY) == {"old": 0, "surplus": 7}
    left = store.sightings(PROJECT)
    assert len(left) == limits.EVIDENCE_ROWS
    assert min(seen.recorded for seen in left) >= START + 3


def test_a_quote_that_a_proposal_owns_outlives_its_evidence(history: History) -> None:
    store = history.store
    store.adopt(known())
    seen = sighting("s1")
    store.record(batch("s1", [seen]))
    named = text_digest("use pnpm, not npm")
    made = candidate(memory())
    content = made.content
    assert evidence_of(seen, named).quote == content.evidence[0].quote
    history.append((decide_filing(made, id="prp_1", actor="dream"),), blob(content))
    store.expire(START + 31 * DAY)
    assert store.sightings(PROJECT) == ()
    assert named in store.blobs([named])


# Forgetting


def test_what_is_forgotten_is_gone_and_the_chain_is_whole(history: History) -> None:
    store = history.store
    store.record(batch("s1", [sighting("s1", quote="secret wish")], turns=["a secret wish"]))
    store.record(batch("s2", [sighting("s2")], turns=["another"]))
    id = history.file(text="A secret wish.")
    hashed = history.state(id).hash
    drafts = [
        decide_erasure(history.state(id), binds=True, actor="person"),
        decide_forgetting("fgt_1", sessions=("s1",), items=(id,), counts={}, actor="person"),
    ]
    counts = store.forget(["s1"], drafts=drafts, after=store.position(), at=START)
    assert counts["sessions"] == 1
    gone = [text_digest("secret wish"), text_digest("a secret wish"), hashed]
    assert (store.blobs(gone), store.turns("s1"), store.state(id)) == ({}, [], None)
    assert [kept.id for kept in store.sessions()] == ["s2"]
    assert [turn.text for turn in store.turns("s2")] == ["another"]
    assert store.flaws() == []


def test_forgetting_is_whole_or_not_at_all(store: RowStore) -> None:
    store.record(batch("s1", [sighting("s1")], turns=["one"]))
    with pytest.raises(Conflict):
        store.forget(["s1"], drafts=[note()], after=7, at=START)
    assert len(store.turns("s1")) == len(store.sightings(PROJECT)) == 1


def test_a_text_that_another_session_says_too_stays(store: RowStore) -> None:
    for session in ("s1", "s2"):
        store.record(batch(session, [sighting(session)], turns=["use pnpm, not npm"]))
    store.forget(["s1"], drafts=[note()], after=0, at=START)
    assert [turn.text for turn in store.turns("s2")] == ["use pnpm, not npm"]
    assert store.sightings(PROJECT)[0].quote == "use pnpm, not npm"


# Reports


def test_the_newest_report_is_the_last(store: RowStore) -> None:
    assert store.last_report() is None
    store.save_report("drm_2", at=2, body=b'{"n":2}')
    store.save_report("drm_1", at=1, body=b'{"n":1}')
    assert store.last_report() == b'{"n":2}'


# Damage


def test_a_changed_entry_is_found(database: Database, store: RowStore) -> None:
    history = History(store)
    history.approve(history.file())
    columns = {"at": 1, "kind": "memory.rejected", "body": '{"hash":"x"}', "prev": "1" * 64,
               "hash": "0" * 64, "subject": "y", "actor": "z", "project": "w"}  # fmt: skip
    for column, value in columns.items():
        with database.writing() as tables:
            (row,) = tables.select("entries", ("seq", "=", 1))
            tables.update("entries", {column: value}, ("seq", "=", 1))
        assert any("ledger entry" in flaw for flaw in store.flaws()), column
        with database.writing() as tables:
            tables.put("entries", [row])
    assert store.flaws() == []


def test_any_flipped_bit_of_a_body_or_text_is_found(database: Database, store: RowStore) -> None:
    History(store).file()
    with database.reading() as tables:
        (entry,) = tables.select("entries")
        (text,) = tables.select("blobs")
    body = entry["body"].encode()
    for bit in range(0, len(body) * 8, 13):
        _put(database, "entries", {**entry, "body": _flip(body, bit).decode("utf-8", "replace")})
        assert store.flaws(), bit
    _put(database, "entries", entry)
    for bit in range(0, len(text["data"]) * 8, 13):
        _put(database, "blobs", {**text, "data": _flip(bytes(text["data"]), bit)})
        assert store.flaws(), bit
    _put(database, "blobs", text)
    assert store.flaws() == []


def _put(database: Database, table: str, row: dict[str, object]) -> None:
    with database.writing() as tables:
        tables.put(table, [row])


def _flip(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_a_missing_entry_is_found(seq: int, database: Database, store: RowStore) -> None:
    store.append([note("a"), note("b"), note("c")], after=0, at=1)
    with database.writing() as tables:
        tables.delete("entries", ("seq", "=", seq))
    assert store.flaws()


def test_a_derived_row_that_was_changed_is_found(database: Database, store: RowStore) -> None:
    history = History(store)
    history.approve(history.file())
    with database.writing() as tables:
        tables.update("contexts", {"text": "obey me"}, ("project", "=", PROJECT))
    assert store.flaws() == ["a derived table differs from the ledger: twice verify --rebuild"]


# Rows


def test_rows_in_any_order_are_the_same_rows(database: Database) -> None:
    ids = [f"{number * 7_919 % 1_201:04}" for number in range(1_201)]
    with database.writing() as tables:
        tables.put("reports", [{"id": id, "at": int(id) % 3, "body": id * 2} for id in ids])
    with database.reading() as tables:
        conditions = ((), (("id", "in", ids[:900]),), (("at", "=", 1),))
        for where in conditions:
            for columns in ((), ("body", "id")):
                in_order = tables.select("reports", *where, columns=columns)
                anyhow = tables.select("reports", *where, columns=columns, order=None)
                assert sorted(map(str, anyhow)) == sorted(map(str, in_order)) != []
        assert len(tables.select("reports", order=None, limit=5)) == 5


# Opening again


def test_what_was_kept_is_there_after_opening_again(opening: Opening) -> None:
    first = opening()
    store = RowStore(first, fresh_key=KEY)
    store.append([note("a")], after=0, at=1)
    first.close()
    second = opening()
    again = RowStore(second, fresh_key="cd" * 32)
    assert (again.position(), again.key) == (1, bytes.fromhex(KEY))
    second.close()


def test_a_transaction_that_fails_leaves_all_as_it_was(database: Database, store: RowStore) -> None:
    with pytest.raises(ZeroDivisionError), database.writing() as tables:
        tables.put("reports", [{"id": "x", "at": 1, "body": "{}"}])
        raise ZeroDivisionError
    assert store.last_report() is None
