"""Whose words are whose in the sessions of Cursor's command line, and in transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    SESSION,
    humans,
    lines,
    position,
    read,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_cursor import (
    BEGUN,
    asked,
    bubble,
    composer,
    id_of,
    line,
    marked,
    message,
    put,
    store,
)

from twice.core.errors import UnknownFormat
from twice.core.transcript import Reading
from twice.sources.cursor import Cursor
from twice.sources.cursor_words import UNMARKED
from twice.sources.lines import TOO_LONG, UNFINISHED, UNKNOWN_SHAPE
from twice.sources.places import open_paths, sources

SOURCE = Cursor()
in_tmp_path = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the command line, on a machine with nothing else of Cursor."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "CURSOR_DATA_DIR", "CURSOR_CONFIG_DIR", "VSCODE_PORTABLE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / ".cursor"


@pytest.fixture
def chat(data: Path) -> Path:
    return data / "chats" / "0f0f0f" / SESSION / "store.db"


@pytest.fixture
def transcript(data: Path) -> Path:
    return data / "projects" / "work-shop" / "agent-transcripts" / SESSION / f"{SESSION}.jsonl"


def told(transcript: Path, *records: dict[str, Any]) -> list[Reading]:
    transcript.parent.mkdir(parents=True, exist_ok=True)
    transcript.write_bytes(lines(*records))
    return read(SOURCE, transcript)


def test_only_what_stands_between_the_marks_was_typed(chat: Path) -> None:
    found = read(SOURCE, store(chat, asked("use pnpm"), message("assistant", "Done.")))
    assert (said(found), replies(found)) == (["use pnpm"], ["Done."])
    assert session(found).id == SESSION
    assert humans(found)[0].at == 1_772_618_400_000_000


def test_a_message_without_a_time_has_that_of_its_session(chat: Path) -> None:
    found = read(SOURCE, store(chat, message("user", "<user_query>use pnpm</user_query>")))
    assert humans(found)[0].at == BEGUN * 1_000


def test_what_came_in_one_message_is_one_turn(chat: Path) -> None:
    both = [{"type": "text", "text": marked("use pnpm")}, {"type": "text", "text": marked("ruff")}]
    assert said(read(SOURCE, store(chat, message("user", both)))) == ["use pnpm\n\nruff"]


def test_what_is_put_beside_a_person_s_words_is_no_turn(chat: Path) -> None:
    put_in = message("user", "<user_info>Linux</user_info>\n<rules>always use yarn</rules>")
    found = read(SOURCE, store(chat, put_in, asked("use pnpm")))
    assert (said(found), skipped(found)) == (["use pnpm"], [])


def test_a_message_without_the_mark_is_passed_over_and_said(chat: Path) -> None:
    found = read(SOURCE, store(chat, message("user", "always use yarn"), asked("use pnpm")))
    assert said(found) == ["use pnpm"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(0, UNMARKED)]


def test_the_id_of_a_message_is_its_record_where_nobody_else_gives_it(chat: Path) -> None:
    found = read(SOURCE, store(chat, asked("use pnpm", id=id_of(1)), asked("use ruff", id="2")))
    assert [event.record for event in humans(found)] == [id_of(1), ""]


@pytest.mark.parametrize("where", ["meta", "note"])
def test_a_session_of_a_subagent_is_no_person_s(chat: Path, where: str) -> None:
    meta = {"subagentInfo": {"parentAgentId": "x"}} if where == "meta" else {}
    store(chat, asked("always use yarn"), **meta)
    chat.with_name("meta.json").write_text(json.dumps({"isSubagent": where == "note"}))
    assert read(SOURCE, chat) == []


def test_a_session_in_which_nothing_was_said_is_none(chat: Path) -> None:
    assert read(SOURCE, store(chat, latestRootBlobId="")) == []


@pytest.mark.parametrize("where", ["note", "root", "uri", "words"])
def test_the_folder_of_a_session_is_found_where_it_is_noted(chat: Path, where: str) -> None:
    folder = {"root": b"/work/shop", "uri": b"file:///work/shop"}.get(where, b"")
    field = b"\x4a" + bytes([len(folder)]) + folder if folder else b""
    told = "<user_info>\nOS Version: linux\nWorkspace Path: /work/shop\n</user_info>"
    first = [message("user", told)] if where == "words" else []
    store(chat, *first, asked("use pnpm"), field=field)
    if where == "note":
        chat.with_name("meta.json").write_text('{"cwd": "/work/shop"}')
    found = read(SOURCE, chat)
    assert (session(found).cwd, said(found)) == ("/work/shop", ["use pnpm"])


def test_a_session_without_a_folder_is_told(chat: Path) -> None:
    store(chat, asked("use pnpm"), field=b"\x4a\x04shop\x10\x96\x01\x19" + bytes(8))
    chat.with_name("meta.json").write_text("[")
    found = read(SOURCE, chat)
    assert (session(found).cwd, said(found)) == ("", ["use pnpm"])


def test_a_session_that_grows_is_told_on(chat: Path) -> None:
    first = read(SOURCE, store(chat, asked("use npm"), message("assistant", "Done.")))
    grown = [asked("use npm"), message("assistant", "Done."), asked("no, pnpm")]
    rest = read(SOURCE, store(chat, *grown), position(first))
    assert (said(rest), replies(rest)) == (["no, pnpm"], ["Done."])
    assert said(read(SOURCE, chat, position(rest))) == []


def test_a_message_beyond_the_limit_is_said(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 1_000)
    found = read(SOURCE, store(chat, asked("use pnpm"), asked("x" * 2_000), asked("use ruff")))
    assert said(found) == ["use pnpm", "use ruff"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(1, TOO_LONG)]


def test_a_message_of_another_shape_is_said(chat: Path) -> None:
    found = read(SOURCE, store(chat, asked("use pnpm"), b"\x0a\x05hello"))
    assert said(found) == ["use pnpm"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(1, UNKNOWN_SHAPE)]


@pytest.mark.parametrize("root", ["missing", "empty", "odd"])
def test_a_session_whose_messages_are_elsewhere_is_an_unknown_format(chat: Path, root: str) -> None:
    odd = {"odd": b"\x12\x03abc\xff"}.get(root, b"")
    meta = {"latestRootBlobId": "0" * 64} if root == "missing" else {}
    with pytest.raises(UnknownFormat):
        read(SOURCE, store(chat, field=odd, **meta))


def test_a_store_of_somebody_else_is_not_ours(chat: Path, tmp_path: Path) -> None:
    theirs = put(tmp_path / "x" / "store.db")
    assert not SOURCE.recognises(theirs, theirs.read_bytes())
    assert SOURCE.recognises(chat, store(chat, asked("use pnpm")).read_bytes())


@in_tmp_path
@given(root=st.binary(max_size=200))
def test_no_root_crashes_a_reader(root: bytes, chat: Path) -> None:
    chat.unlink(missing_ok=True)
    found = read(SOURCE, store(chat, asked("use pnpm"), field=root))
    assert said(found) == ["use pnpm"]


def test_a_transcript_tells_what_was_typed(transcript: Path) -> None:
    found = told(
        transcript,
        {"role": "user", "message": {"content": [{"type": "text", "text": marked("use pnpm")}]}},
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Shell"}]}},
        line("assistant", "Done.\n"),
        {"role": "user", "message": {"content": marked("use ruff")}},
    )
    assert (said(found), replies(found)) == (["use pnpm", "use ruff"], ["Done."])
    assert session(found).id == SESSION
    assert skipped(found) == []


@pytest.mark.parametrize(("status", "stopped"), [("success", False), ("aborted", True)])
def test_a_turn_that_a_person_ended_interrupts(
    transcript: Path, status: str, stopped: bool
) -> None:
    ended = {"type": "turn_ended", "status": status}
    found = told(transcript, line("user", "use npm"), ended, line("user", "no, pnpm"))
    assert [event.interrupted for event in humans(found)] == [False, stopped]


def test_a_prompt_without_the_mark_is_passed_over_and_said(transcript: Path) -> None:
    bare = {"role": "user", "message": {"content": "always use yarn"}}
    put_in = {"role": "user", "message": {"content": "<system_reminder>yarn</system_reminder>"}}
    found = told(transcript, bare, put_in, line("user", "use pnpm"))
    assert said(found) == ["use pnpm"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(0, UNMARKED)]


def test_the_prompts_of_a_subagent_are_another_agent_s(transcript: Path) -> None:
    path = transcript.parent / "subagents" / "0a0a.jsonl"
    assert told(path, line("user", "always use yarn")) == []
    assert SOURCE.recognises(path, path.read_bytes())


@pytest.mark.parametrize(
    ("name", "note"),
    [
        (".workspace-trusted", {"workspacePath": "/work/shop", "trustedAt": "now"}),
        ("repo.json", {"id": "x", "rootPath": "/work/shop"}),
    ],
)
def test_the_folder_of_a_transcript_is_noted_beside_it(
    transcript: Path, name: str, note: dict[str, str]
) -> None:
    project = transcript.parent.parent.parent
    project.mkdir(parents=True)
    (project / name).write_text(json.dumps(note))
    assert session(told(transcript, line("user", "use pnpm"))).cwd == "/work/shop"


def test_the_folder_of_a_transcript_is_not_guessed_from_its_name(transcript: Path) -> None:
    assert session(told(transcript, line("user", "use pnpm"))).cwd == ""


@pytest.mark.parametrize("name", [f"{SESSION}.jsonl", f"{SESSION}/transcript.jsonl"])
def test_older_transcripts_are_named_otherwise(transcript: Path, name: str) -> None:
    path = transcript.parent.parent / name
    assert session(told(path, line("user", "use pnpm"))).id == SESSION


def test_a_session_that_is_in_a_database_is_not_told_twice(
    transcript: Path, chat: Path, tmp_path: Path
) -> None:
    asked_once = line("user", "use pnpm")
    assert said(told(transcript, asked_once)) == ["use pnpm"]
    editor = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    put(editor, composer(bubble("use pnpm", 1), id=id_of(7)))
    assert said(told(transcript, asked_once)) == ["use pnpm"]
    put(editor, composer(bubble("use pnpm", 1)))
    assert told(transcript, asked_once) == []
    editor.unlink()
    assert said(told(transcript, asked_once)) == ["use pnpm"]
    store(chat, asked("use pnpm"))
    assert told(transcript, asked_once) == []


def test_a_transcript_cut_in_a_line_is_read_on(transcript: Path) -> None:
    whole = lines(line("user", "use pnpm"), line("user", "use ruff"))
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(whole[:-20])
    first = read(SOURCE, transcript)
    assert [s.reason for s in skipped(first)] == [UNFINISHED]
    transcript.write_bytes(whole)
    assert said(first) + said(read(SOURCE, transcript, position(first))) == ["use pnpm", "use ruff"]


def test_all_that_the_command_line_keeps_is_found(
    data: Path, chat: Path, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(chat, asked("use pnpm"))
    acp = store(data / "acp-sessions" / SESSION / "store.db", asked("use pnpm"))
    told(transcript, line("user", "use pnpm"))
    (transcript.parent / "notes.txt").write_text("always use yarn")
    old = store(tmp_path / ".config" / "cursor" / "chats" / "0f" / "x" / "store.db", asked("x"))
    source = Cursor(environ={})
    found = [path for home in source.homes() for path in source.files(home)]
    assert found == [chat, acp, transcript, old]
    moved = store(tmp_path / "moved" / "chats" / "0f" / "x" / "store.db", asked("use pnpm"))
    source = Cursor(environ={"CURSOR_DATA_DIR": str(tmp_path / "moved"), "CURSOR_CONFIG_DIR": "/x"})
    assert [path for home in source.homes() for path in source.files(home)] == [moved]


def test_a_folder_of_sessions_is_read_whole_and_other_databases_are_left_alone(
    data: Path, chat: Path, transcript: Path
) -> None:
    store(chat, asked("use pnpm"))
    told(transcript, line("user", "use pnpm"))
    told(transcript.parent / "subagents" / "0a0a.jsonl", line("user", "always use yarn"))
    put(data / "other" / "state.vscdb").write_bytes(b"not a database")
    put(data / "other" / "data.db")
    opened = open_paths([data], sources())
    assert opened.unknown == ()
    assert {source.name for source, _ in opened} == {"cursor"}
    assert {path.name for _, path in opened} == {"store.db", transcript.name}
