"""What was met before in a folder lets it be passed by until anything in it may be new."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.builders import batch, known, note

from twice.actions.kit import Kit
from twice.actions.met import Met, Settled
from twice.core.kept import Batch, Depth
from twice.core.policy import Effective, Mode
from twice.sources.lines import walk
from twice.store.memory import MemoryDatabase
from twice.store.store import RowStore

AGENT = "claude-code"
ENDINGS = (".jsonl",)


@dataclass
class Desk:
    """A folder with sessions, a store, and what a person allows: all of it may change."""

    folder: Path
    store: RowStore = field(default_factory=lambda: RowStore(MemoryDatabase(), fresh_key="00" * 32))
    engine: str = "1.0"
    revision: str = "pol_1"
    mode: Mode = Mode.SUGGEST
    asked: list[str] = field(default_factory=list)

    def met(self, *, pass_by: bool = True) -> Met:
        """Return what was met before, as a new run asks for it."""
        nothing: Any = None
        kit = Kit(
            store=self.store,
            spool=nothing,
            outlet=nothing,
            learner=nothing,
            now=nothing,
            fresh=nothing,
            home=self.folder,
            data=self.folder,
            engine=self.engine,
            actor="person",
            policy=nothing,
            revision=self._revision,
            mode_of=self._mode_of,
            place=nothing,
            reported=nothing,
        )
        return Met(kit, pass_by=pass_by)

    def looks(
        self,
        *,
        agent: str = AGENT,
        open: bool = False,
        depth: Depth = Depth.TEXT,
        pass_by: bool = True,
    ) -> list[str]:
        """Read every file that a run finds, all of one project; return their names.

        ``open``: one of them has to be told each time.
        """
        met = self.met(pass_by=pass_by)
        found = list(walk(self.folder, ENDINGS, met.of(agent).folder))
        place, settled = (agent, self.folder), Settled()
        for path in found:
            settled.add(batch(path.stem).file._replace(depth=depth))
        met.note({place: settled}, {place} if open else set())
        return [path.name for path in found]

    def _revision(self) -> str:
        self.asked.append("revision")
        return self.revision

    def _mode_of(self, root: str) -> Effective:
        self.asked.append(root)
        return Effective(self.mode, "")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("{}\n")
        os.utime(tmp_path / name, ns=(5, 5))
    return Desk(tmp_path)


BOTH = ["a.jsonl", "b.jsonl"]


def test_a_folder_that_holds_what_it_held_is_passed_by(desk: Desk) -> None:
    assert [desk.looks() for _ in range(3)] == [BOTH, [], []]


def test_what_was_settled_in_a_folder_is_told_where_it_is_passed_by(desk: Desk) -> None:
    desk.looks()
    met = desk.met()
    assert list(walk(desk.folder, ENDINGS, met.of(AGENT).folder)) == []
    assert met.passed == [Settled(2, {"prj_shop"}, True)]


def grow(folder: Path) -> None:
    with (folder / "b.jsonl").open("a") as file:
        file.write("{}\n")
    os.utime(folder / "b.jsonl", ns=(5, 5))  # even where its time tells nothing


def remove(folder: Path) -> None:
    (folder / "a.jsonl").unlink()


def add(folder: Path) -> None:
    (folder / "c.jsonl").write_text("{}\n")


def touch(folder: Path) -> None:
    os.utime(folder / "a.jsonl", ns=(5, 6))


def rename(folder: Path) -> None:
    (folder / "a.jsonl").rename(folder / "aa.jsonl")


@pytest.mark.parametrize("change", [grow, remove, add, touch, rename])
def test_any_change_of_a_file_opens_the_folder_once(
    desk: Desk, change: Callable[[Path], None]
) -> None:
    desk.looks()
    change(desk.folder)
    assert desk.looks() == sorted(path.name for path in desk.folder.iterdir())
    assert desk.looks() == []


def test_a_file_that_is_no_session_opens_nothing(desk: Desk) -> None:
    desk.looks()
    (desk.folder / "notes.txt").write_text("Hello.")
    assert desk.looks() == []


@pytest.mark.parametrize(("what", "now"), [("revision", "pol_2"), ("engine", "1.1")])
def test_another_policy_or_version_opens_the_folder_once(desk: Desk, what: str, now: str) -> None:
    desk.looks()
    setattr(desk, what, now)
    assert [desk.looks(), desk.looks()] == [BOTH, []]


def test_a_file_that_must_be_told_keeps_its_folder_open(desk: Desk) -> None:
    assert [desk.looks(open=True), desk.looks(open=True)] == [BOTH, BOTH]
    assert [desk.looks(), desk.looks()] == [BOTH, []]


def test_a_folder_that_was_settled_is_open_when_what_is_new_must_be_told(desk: Desk) -> None:
    desk.looks()
    add(desk.folder)
    for _ in range(2):
        assert desk.looks(open=True) == [*BOTH, "c.jsonl"]


def test_a_link_to_nothing_keeps_its_folder_open(desk: Desk) -> None:
    (desk.folder / "c.jsonl").symlink_to("nothing")
    for _ in range(2):
        assert desk.looks() == [*BOTH, "c.jsonl"]


def test_more_consent_opens_what_was_kept_without_text(desk: Desk) -> None:
    desk.mode = Mode.OBSERVE
    assert [desk.looks(depth=Depth.HASH), desk.looks(depth=Depth.HASH)] == [BOTH, []]
    desk.mode = Mode.SUGGEST
    assert [desk.looks(), desk.looks()] == [BOTH, []]
    desk.mode = Mode.OBSERVE
    assert desk.looks() == []


def test_what_was_settled_for_one_agent_is_not_for_another(desk: Desk) -> None:
    desk.looks()
    assert desk.looks(agent="codex") == BOTH
    assert [desk.looks(), desk.looks(agent="codex")] == [[], []]


def test_what_a_person_had_forgotten_opens_every_folder(desk: Desk) -> None:
    desk.looks()
    desk.store.forget(["s1"], drafts=[note()], after=0, at=1)
    assert desk.looks() == BOTH


def test_who_wants_every_file_passes_no_folder_by_and_notes_none(desk: Desk) -> None:
    assert [desk.looks(pass_by=False), desk.looks()] == [BOTH, BOTH]
    assert desk.looks(pass_by=False) == BOTH


def test_the_same_is_not_noted_twice(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.looks(depth=Depth.HASH)
    written: list[object] = []
    monkeypatch.setattr(desk.store, "note_folders", written.append)
    assert desk.looks(depth=Depth.HASH) == BOTH
    assert written == []


def test_notes_tell_no_name_of_a_folder_or_file(desk: Desk) -> None:
    desk.looks()
    (noted,) = desk.store.folder_notes().items()
    assert not any(word in str(noted) for word in (desk.folder.name, "a.jsonl", AGENT))


def test_modes_are_asked_once_and_the_revision_before_them(desk: Desk) -> None:
    desk.store.adopt(known())
    desk.mode = Mode.OBSERVE
    desk.looks(depth=Depth.HASH)
    desk.asked.clear()
    met = desk.met()
    list(walk(desk.folder, ENDINGS, met.of(AGENT).folder))
    assert (met.mode_of_project("prj_shop"), met.mode_of("/work/shop")) == (desk.mode, desk.mode)
    assert desk.asked == ["revision", "/work/shop"]


def test_a_file_is_known_as_its_own_agents_alone(desk: Desk) -> None:
    path, met = desk.folder / "a.jsonl", desk.met()
    made = batch("s1").file
    desk.store.record(Batch(made._replace(key=met.name(path))))
    assert met.of(AGENT).file(path)
    assert not met.of("codex").file(path)
    assert not met.of(AGENT).file(desk.folder / "b.jsonl")
