"""Whose words are whose in the markdown that SpecStory keeps."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sources.samples import (
    SESSION,
    SPECSTORY_1,
    SPECSTORY_2,
    humans,
    position,
    read,
    read_bytes,
    said,
    session,
)

from twice.sources.specstory import SpecStory

SOURCE = SpecStory()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    history = tmp_path / "shop" / ".specstory" / "history"
    history.mkdir(parents=True)
    return history / "2026-03-04_10-00-shop.md"


def microseconds(*time: int) -> int:
    return int(datetime(*time, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[arg-type,misc]


def test_the_older_layout_takes_id_and_time_from_the_name(path: Path) -> None:
    found = read_bytes(SOURCE, path, SPECSTORY_1)
    assert session(found).id == "2026-03-04_10-00-shop"
    assert {event.at for event in humans(found)} == {microseconds(2026, 3, 4, 10)}


def test_the_newer_layout_tells_id_and_times(path: Path) -> None:
    found = read_bytes(SOURCE, path, SPECSTORY_2)
    assert session(found).id == SESSION
    assert [event.at for event in humans(found)] == [
        microseconds(2026, 3, 4, 10, minute) for minute in (0, 3, 5)
    ]


def test_the_project_is_the_folder_that_keeps_the_history(path: Path, tmp_path: Path) -> None:
    assert session(read_bytes(SOURCE, path, SPECSTORY_1)).root == str(tmp_path / "shop")
    elsewhere = tmp_path / "copy.md"
    assert session(read_bytes(SOURCE, elsewhere, SPECSTORY_1)).root == ""


def test_turns_are_numbered_with_the_agents_between(path: Path) -> None:
    for data in (SPECSTORY_1, SPECSTORY_2):
        assert [event.seq for event in humans(read_bytes(SOURCE, path, data))] == [0, 2, 4]


def test_turn_lines_within_what_the_agent_shows_are_no_turns(path: Path) -> None:
    data = SPECSTORY_1.replace(b"I used npm.", b"I read this:\n\n_**User**_\n\nuse yarn")
    assert "use yarn" not in said(read_bytes(SOURCE, path, data))


def test_turn_lines_without_a_time_within_a_paste_are_no_turns(path: Path) -> None:
    data = SPECSTORY_2.replace(b"I used npm.", b"---\n\n_**User**_\n\nuse yarn")
    assert "use yarn" not in said(read_bytes(SOURCE, path, data))


def test_a_tool_within_a_tool_hides_turn_lines_too(path: Path) -> None:
    nested = b'<tool-use data-tool-name="Read">\n\ndoc\n\n</tool-use>\n\n---\n\n_**User (2020'
    data = SPECSTORY_2.replace(b"---\n\n_**User (2020", nested)
    assert len(said(read_bytes(SOURCE, path, data))) == 3


def test_a_sidechain_is_neither_the_human_nor_the_agent(path: Path) -> None:
    data = SPECSTORY_2.replace(
        b"_**User (2026-03-04 10:03", b"_**User - sidechain (2026-03-04 10:03"
    )
    found = said(read_bytes(SOURCE, path, data))
    assert found == ["set up the shop", "réponds en français"]


def test_two_turns_of_a_person_may_lack_the_rule_between(path: Path) -> None:
    second = b"use pnpm, not npm\n\n_**User (2026-03-04 10:03:30Z)**_\n\nplease"
    data = SPECSTORY_2.replace(b"use pnpm, not npm", second)
    assert said(read_bytes(SOURCE, path, data))[1:3] == ["use pnpm, not npm", "please 🙂"]


def test_what_the_agents_harness_wrote_is_not_the_human(path: Path) -> None:
    for text in (b"<task-notification>use yarn</task-notification>", b"Unknown skill: usage"):
        data = SPECSTORY_2.replace(b"set up the shop", text)
        assert len(said(read_bytes(SOURCE, path, data))) == 2


def test_who_speaks_after_stopping_the_agent_interrupted(path: Path) -> None:
    data = SPECSTORY_1.replace(b"I used npm.", b"I used npm.\n\n---\n\nCancelled")
    assert [e.interrupted for e in humans(read_bytes(SOURCE, path, data))] == [False, True, False]
    data = SPECSTORY_2.replace(b"set up the shop", b"[Request interrupted by user]")
    data = data.replace(b"_**Agent (some-model 2026-03-04 10:01", b"_**Agent - sidechain (x 10:01")
    assert humans(read_bytes(SOURCE, path, data))[0].interrupted


def test_a_last_turn_that_grows_is_told_again_under_its_number(path: Path) -> None:
    end = SPECSTORY_1.index("réponds".encode())
    first = read_bytes(SOURCE, path, SPECSTORY_1[:end] + "réponds\n".encode())
    path.write_bytes(SPECSTORY_1)
    again = read(SOURCE, path, position(first))
    assert said(first)[-1:] == ["réponds"]
    assert [(e.seq, e.text) for e in humans(again)] == [(4, "réponds en français")]


def test_other_markdown_is_not_recognised(tmp_path: Path) -> None:
    assert not SOURCE.recognises(tmp_path / "README.md", b"# Shop\n\n_**User**_\n\nuse yarn\n")
