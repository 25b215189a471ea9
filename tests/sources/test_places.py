"""Where sessions are found, and what is said of files that are none."""

import json
import os
import unicodedata
from pathlib import Path

import pytest
from tests.sources.samples import (
    CLAUDE,
    CODEX,
    CODEX_BARE,
    COPILOT,
    GEMINI,
    SESSION,
    SPECSTORY_1,
    lines,
    read,
    session,
    typed,
)

from twice.core.errors import UnknownFormat, Unreadable
from twice.sources.claude_code import ClaudeCode
from twice.sources.codex import Codex
from twice.sources.copilot_cli import CopilotCli
from twice.sources.gemini_cli import GeminiCli
from twice.sources.lines import known_files
from twice.sources.places import discover, open_paths, sources
from twice.sources.specstory import SpecStory


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    home = tmp_path / "claude" / "projects" / "-work-shop"
    write(home / f"{SESSION}.jsonl", CLAUDE)
    write(home / SESSION / "subagents" / "agent-1.jsonl", lines(typed("x", isSidechain=True)))
    write(home / f"{SESSION}.jsonl.deleted.2026", CLAUDE)
    write(home / "journal.jsonl", b'{"a": 1}\n')
    write(tmp_path / "codex" / "sessions" / "2026" / "rollout-1.jsonl", CODEX)
    write(tmp_path / "codex" / "archived_sessions" / "rollout-0.jsonl", CODEX)
    write(tmp_path / "copilot" / "session-state" / SESSION / "events.jsonl", COPILOT)
    chats = tmp_path / "gemini" / ".gemini" / "tmp" / "shop" / "chats"
    write(chats / "session-1.json", GEMINI)
    write(chats / "session-2.json", b"damaged")
    write(chats.parent / "logs.json", b"[]")
    write(tmp_path / "shop" / "package.json", b"{}")
    write(tmp_path / "shop" / ".specstory" / "history" / "2026-03-04_10-00-a.md", SPECSTORY_1)
    write(tmp_path / "shop" / ".specstory" / "history" / "note.md", b"# A note\n")
    write(tmp_path / "shop" / "README.md", b"# Shop\n")
    write(tmp_path / "shop" / "data.jsonl", b'{"price": 1}\n')
    return tmp_path


def names(found: object) -> list[tuple[str, str]]:
    return [(source.name, path.name) for source, path in found]  # type: ignore[attr-defined]


ALL = [
    ("claude-code", f"{SESSION}.jsonl"),
    ("codex", "rollout-0.jsonl"),
    ("codex", "rollout-1.jsonl"),
    ("copilot-cli", "events.jsonl"),
    ("gemini-cli", "session-1.json"),
    ("specstory", "2026-03-04_10-00-a.md"),
]


def test_the_agents_own_variables_say_where_sessions_are(tree: Path) -> None:
    environ = {
        "CLAUDE_CONFIG_DIR": str(tree / "claude"),
        "CODEX_HOME": str(tree / "codex"),
        "COPILOT_HOME": str(tree / "copilot"),
        "GEMINI_CLI_HOME": str(tree / "gemini"),
    }
    among = (
        ClaudeCode(environ=environ),
        Codex(environ=environ),
        CopilotCli(environ=environ),
        GeminiCli(environ=environ),
        SpecStory(projects=[tree / "shop"]),
    )
    assert sorted(names(discover(among))) == ALL


def test_a_machine_without_agents_has_no_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert list(discover(sources())) == []


def test_a_folder_is_searched_in_a_stable_order(tree: Path) -> None:
    assert names(open_paths([tree], sources())) == ALL


def test_files_that_look_like_sessions_but_are_not_are_counted(tree: Path) -> None:
    assert [path.name for path in open_paths([tree], sources()).unknown] == [
        "session-2.json",
        "data.jsonl",
        "note.md",
    ]


def test_a_file_is_opened_once_however_often_it_is_given(tree: Path) -> None:
    file = tree / "codex" / "sessions" / "2026" / "rollout-1.jsonl"
    (tree / "link.jsonl").symlink_to(file)
    assert names(open_paths([file, tree / "link.jsonl", tree / "codex"], sources())) == [
        ("codex", "rollout-1.jsonl"),
        ("codex", "rollout-0.jsonl"),
    ]


def test_a_file_that_no_source_knows_is_an_error_in_one_line(tree: Path) -> None:
    with pytest.raises(UnknownFormat) as fault:
        open_paths([tree / "shop" / "data.jsonl"], sources())
    assert str(tree / "shop" / "data.jsonl") in fault.value.message
    assert "\n" not in fault.value.message
    assert "codex" in fault.value.hint


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="No such file"):
        open_paths([tmp_path / "gone"], sources())


def test_names_in_any_script_are_found_in_any_locale(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + "/会话 🙂".encode()
    os.mkdir(folder)  # noqa: PTH102
    with open(folder + "/セッション.jsonl".encode(), "wb") as file:  # noqa: PTH123
        file.write(CODEX_BARE.replace(f'"id": "{SESSION}", '.encode(), b""))
    [(source, path)] = open_paths([tmp_path], sources())
    assert session(read(source, path)).id == unicodedata.normalize("NFC", "セッション")


def test_a_file_whose_first_line_is_long_is_recognised(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines(typed("x" * 200_000)))
    assert names(open_paths([file], sources())) == [("claude-code", "a.jsonl")]


def test_a_document_in_one_line_is_recognised_under_any_name(tmp_path: Path) -> None:
    data = json.dumps(json.loads(GEMINI)).encode()
    for name in ("full.json", "full.jsonl"):
        assert names(open_paths([write(tmp_path / name, data)], sources())) == [
            ("gemini-cli", name)
        ]


def test_a_pipe_is_no_session_and_holds_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert open_paths([tmp_path], sources()).files == ()
    with pytest.raises(Unreadable, match="neither a file nor a folder"):
        open_paths([tmp_path / "pipe.jsonl"], sources())


def test_a_file_that_may_not_be_opened_is_left_to_its_reading_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "projects" / "-shop" / "a.jsonl", b"{}\n")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("twice.sources.lines.head_of", refuse)
    assert list(known_files(tmp_path, (".jsonl",), lambda path, head: False)) == [path]


def test_a_file_that_a_person_names_may_end_with_anything(tmp_path: Path) -> None:
    named = [write(tmp_path / "a.jsonl.1", CLAUDE), write(tmp_path / "b.v2", GEMINI)]
    assert names(open_paths(named, sources())) == [
        ("claude-code", "a.jsonl.1"),
        ("gemini-cli", "b.v2"),
    ]
    assert names(open_paths([tmp_path], sources())) == []
    with pytest.raises(UnknownFormat):
        open_paths([write(tmp_path / "c.v2", b"{}")], sources())
