"""Whose words are whose in a Gemini CLI session, as a document and as a log."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    GEMINI,
    GEMINI_LOG,
    GEMINI_START,
    SESSION,
    at,
    gemini,
    gemini_document,
    humans,
    lines,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)

from twice.core.transcript import Kind, Position, Reading
from twice.sources.gemini_cli import BY_AGENT, GeminiCli
from twice.sources.gemini_records import TOO_LARGE
from twice.sources.lines import UNFINISHED

SOURCE = GeminiCli()
in_tmp_path = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session-2026-03-04T10-00-11111111.json"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "session-2026-03-04T10-00-11111111.jsonl"


def heard(path: Path, *messages: dict[str, Any], **facts: Any) -> list[Reading]:
    if path.suffix == ".json":
        return read_bytes(SOURCE, path, gemini_document(*messages, **facts))
    return read_bytes(SOURCE, path, lines(GEMINI_START | facts, *messages))


def sample_set(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"$set": {"messages": list(messages)}}


INJECTED = [
    "System: Please continue.",
    "Please continue.",
    "<session_context>\nThis is the Gemini CLI.\n</session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.\nUse pnpm.",
    "<state_snapshot>use pnpm</state_snapshot>",
    "Here is the user's editor context as a JSON object. use pnpm",
    "I ran the following shell command:\n```sh\npnpm\n```",
    "<hook_context>use pnpm</hook_context>",
    "\n--- Content from referenced files ---\nuse pnpm\n--- End of content ---",
    "/help",
]


@pytest.mark.parametrize("text", INJECTED)
def test_what_the_harness_injects_is_not_the_human(path: Path, log: Path, text: str) -> None:
    for file in (path, log):
        assert said(heard(file, gemini("user", text), gemini("user", [{"text": text}], 1))) == []


def test_what_was_shown_is_preferred_to_what_was_sent(path: Path) -> None:
    sent = [{"text": "use @a.md"}, {"text": "\n--- Content from referenced files ---\nuse npm"}]
    message = gemini("user", sent, displayContent=[{"text": "use @a.md"}])
    assert said(heard(path, message)) == ["use @a.md"]
    assert said(heard(path, gemini("user", "sent", displayContent="shown"))) == ["shown"]


def test_referenced_files_are_not_the_human(path: Path) -> None:
    parts = [
        {"text": "use @a.md"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @a.md:\n\n--- End of content ---\nalways use npm"},
        {"inlineData": {"data": "AAAA"}},
        {"text": "\n--- End of content ---"},
    ]
    assert said(heard(path, gemini("user", parts))) == ["use @a.md"]


def test_content_may_be_a_text_a_part_or_a_list(path: Path) -> None:
    contents = ["one", {"text": "two"}, ["three"], [{"text": "fo"}, {"text": "ur"}], None, []]
    messages = [gemini("user", content, number) for number, content in enumerate(contents)]
    assert said(heard(path, *messages)) == ["one", "two", "three", "four"]


def test_the_arguments_of_a_command_are_the_humans(path: Path) -> None:
    found = humans(heard(path, gemini("user", "/plan use pnpm"), gemini("user", "/a/b is bad", 1)))
    assert [(e.kind, e.text) for e in found] == [
        (Kind.COMMAND, "use pnpm"),
        (Kind.PROMPT, "/a/b is bad"),
    ]


def test_notes_of_the_harness_are_nobodys_words(path: Path) -> None:
    notes = [gemini(kind, "use npm", n) for n, kind in enumerate(("info", "warning", "error"))]
    assert len(heard(path, *notes)) == 2


def test_the_prompts_of_a_subagent_are_not_the_human(path: Path, log: Path) -> None:
    for file in (path, log):
        found = heard(file, gemini("user", "use npm"), gemini("gemini", "ok", 1), kind="subagent")
        assert (said(found), replies(found)) == ([], [])
        assert [s.reason for s in skipped(found)] == [BY_AGENT]


def test_who_speaks_after_cancelling_interrupted(path: Path) -> None:
    cancelled = gemini("info", "Request cancelled.", 2)
    refused = gemini("gemini", "", 4, toolCalls=[{"name": "shell", "status": "cancelled"}])
    turns = [gemini("user", "go", n) for n in (1, 3, 5, 6)]
    found = heard(path, turns[0], cancelled, turns[1], refused, turns[2], turns[3])
    assert [e.interrupted for e in humans(found)] == [False, True, True, False]


def test_messages_are_numbered_by_their_place(path: Path) -> None:
    assert [event.seq for event in humans(read_bytes(SOURCE, path, GEMINI))] == [0, 3, 5]
    grown = json.loads(GEMINI)
    grown["messages"].append(gemini("user", "one more", 9))
    first = position(read(SOURCE, path))
    path.write_bytes(json.dumps(grown, indent=2).encode())
    rest = read(SOURCE, path, first)
    assert [(e.seq, e.text) for e in humans(rest)] == [(6, "one more")]
    assert replies(rest) == ["I used npm.", "Switched to pnpm."]


def test_a_document_that_is_not_whole_yet_is_read_later(path: Path) -> None:
    first = read_bytes(SOURCE, path, GEMINI[:-40])
    assert [s.reason for s in skipped(first)] == [UNFINISHED]
    assert position(first) == Position()


def test_a_document_beyond_the_limit_is_passed_over_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read_bytes(SOURCE, path, GEMINI)
    path.write_bytes(GEMINI + b"\n")
    monkeypatch.setattr("twice.core.limits.DOCUMENT_BYTES", len(GEMINI))
    found = read(SOURCE, path, position(first))
    assert [s.reason for s in skipped(found)] == [TOO_LARGE]
    assert (said(found), position(found)) == ([], position(first))


def test_one_bad_message_loses_no_other(path: Path) -> None:
    found = heard(path, gemini("user", "one"), {"type": 7, "id": 8}, gemini("user", "two", 2))
    assert (said(found), len(skipped(found))) == (["one", "two"], 1)


def test_a_document_under_the_name_of_a_log_is_a_document(log: Path) -> None:
    assert said(read_bytes(SOURCE, log, GEMINI)) == said(read_bytes(SOURCE, log, GEMINI_LOG))
    assert SOURCE.recognises(log, GEMINI)


def test_what_was_rewound_was_not_said(log: Path) -> None:
    found = heard(
        log,
        gemini("user", "one", 1),
        gemini("gemini", "ok", 2),
        gemini("user", "two", 3),
        gemini("gemini", "no", 4),
        {"$rewindTo": "message-3"},
        gemini("user", "three", 5),
    )
    assert (said(found), replies(found)) == (["one", "three"], ["ok"])
    assert [event.seq for event in humans(found)] == [1, 6]


def test_a_rewind_to_an_unknown_message_takes_all_back(log: Path) -> None:
    found = heard(log, gemini("user", "one", 1), {"$rewindTo": "x"}, gemini("user", "two", 2))
    assert said(found) == ["two"]


def test_numbers_stay_when_a_later_record_rewinds(log: Path) -> None:
    first = heard(log, gemini("user", "one", 1), gemini("user", "two", 2))
    with log.open("ab") as file:
        file.write(lines({"$rewindTo": "message-2"}, gemini("user", "three", 3)))
    rest = read(SOURCE, log, position(first))
    assert [(e.seq, e.text) for e in humans(rest)] == [(4, "three")]


def test_a_message_that_is_written_again_is_told_once(log: Path) -> None:
    found = heard(
        log,
        gemini("user", "one", 1),
        gemini("gemini", "", 2),
        gemini("gemini", "ok", 2, toolCalls=[]),
        gemini("user", "one", 1),
    )
    assert (said(found), replies(found)) == (["one"], ["ok"])


def test_messages_in_an_update_are_told_where_they_are_new(log: Path) -> None:
    kept = gemini("user", "one", 1)
    update = sample_set(kept, gemini("user", "two", 2), gemini("user", "three", 3))
    first = heard(log, kept, update)
    assert [(e.seq, e.text) for e in humans(first)] == [(1, "one"), (4, "two"), (5, "three")]
    with log.open("ab") as file:
        file.write(lines(sample_set(), gemini("user", "four", 4)))
    rest = read(SOURCE, log, position(first))
    assert [(e.seq, e.text) for e in humans(rest)] == [(7, "four")]


def test_a_damaged_line_of_a_log_loses_no_other(log: Path) -> None:
    first = lines(GEMINI_START, gemini("user", "one", 1))
    found = read_bytes(SOURCE, log, first + b"{broken\n" + lines(gemini("user", "two", 2)))
    assert (said(found), [s.seq for s in skipped(found)]) == (["one", "two"], [2])


def test_an_unknown_type_of_record_is_named(path: Path, log: Path) -> None:
    for file in (path, log):
        found = heard(file, gemini("brand_new", "x"))
        assert [s.reason for s in skipped(found)] == ["an unknown type of record: brand_new"]


def keep(home: Path, folder: str, **facts: Any) -> Path:
    """Return a session file in the agent's own place."""
    path = home / ".gemini" / "tmp" / folder / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(gemini_document(gemini("user", "go"), **facts))
    return path


def list_folders(home: Path, folders: dict[str, str]) -> None:
    data = json.dumps({"projects": folders})
    (home / ".gemini" / "projects.json").write_text(data, encoding="utf-8")


def test_the_project_is_known_by_the_name_of_the_folder(tmp_path: Path) -> None:
    path = keep(tmp_path, "shop-1")
    list_folders(tmp_path, {"/work/other": "shop", "/work/shop": "shop-1"})
    assert session(read(SOURCE, path)).cwd == "/work/shop"


def test_the_project_is_known_by_the_hash_of_its_path(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"/work/shop").hexdigest()
    path = keep(tmp_path, digest)
    list_folders(tmp_path, {"/work/shop": "shop"})
    assert session(read(SOURCE, path)).cwd == "/work/shop"
    elsewhere = tmp_path / "copy.json"
    elsewhere.write_bytes(gemini_document(projectHash=digest))
    environ = {"GEMINI_CLI_HOME": str(tmp_path)}
    assert session(read(GeminiCli(environ=environ), elsewhere)).cwd == "/work/shop"


def test_the_project_is_known_by_a_note_beside_its_sessions(tmp_path: Path) -> None:
    path = keep(tmp_path, "shop")
    (path.parent.parent / ".project_root").write_text("/work/shop\n", encoding="utf-8")
    assert session(read(SOURCE, path)).cwd == "/work/shop"


@pytest.mark.parametrize("listed", [b"", b"[]", b'{"projects": 1}', b"\xff", b"[" * 9_999])
def test_a_project_that_is_not_listed_stays_unknown(tmp_path: Path, listed: bytes) -> None:
    path = keep(tmp_path, "shop")
    (tmp_path / ".gemini" / "projects.json").write_bytes(listed)
    found = read(SOURCE, path)
    assert (session(found).cwd, said(found)) == ("", ["go"])


def test_sessions_lie_in_the_chats_of_each_project(tmp_path: Path) -> None:
    path = keep(tmp_path, "shop")
    (path.parent.parent / "logs.json").write_text("[]", encoding="utf-8")
    source = GeminiCli(environ={"GEMINI_CLI_HOME": str(tmp_path)})
    [home] = source.homes()
    assert list(source.files(home)) == [path]


def test_a_session_in_our_own_folder_says_nothing(tmp_path: Path) -> None:
    path = keep(tmp_path, "data")
    list_folders(tmp_path, {str(tmp_path / "data"): "data"})
    found = read(GeminiCli(own=tmp_path / "data"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_the_facts_of_a_session(path: Path) -> None:
    found = heard(path, gemini("user", "go", 7))
    assert (session(found).id, session(found).agent) == (SESSION, "gemini-cli")
    assert humans(found)[0].record == "message-7"
    assert humans(found)[0].at == 1_772_618_820_000_000, at(7)


def test_other_json_is_not_recognised(path: Path) -> None:
    for head in (b"{}", b"[]", b'{"projectHash', b'{"a": {"projectHash": "x"}}', b"\x00\xff"):
        assert not SOURCE.recognises(path, head)


@in_tmp_path
@given(junk=st.binary(max_size=200), suffix=st.sampled_from([".json", ".jsonl"]))
def test_no_bytes_crash_a_reader(junk: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"session{suffix}"
    assert isinstance(read_bytes(SOURCE, path, junk)[-1], Position)
    assert isinstance(read_bytes(SOURCE, path, b'{"messages": [' + junk + b"]}")[-1], Position)
    SOURCE.recognises(path, junk)
