"""Whose words are whose in a Codex session, with and without an envelope."""

from pathlib import Path
from typing import Any

import pytest
from tests.sources.samples import (
    BARE_START,
    CODEX,
    SESSION,
    bare,
    codex,
    codex_reply,
    codex_start,
    codex_typed,
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

from twice.core.transcript import Kind, Reading
from twice.sources.codex import BY_SCRIPT, Codex


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollout-old.jsonl"


def heard(path: Path, *records: dict[str, Any]) -> list[Reading]:
    return read_bytes(Codex(), path, lines(codex_start(), *records))


def item(role: str, text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    return codex("response_item", {"type": "message", "role": role, "content": content})


INJECTED = [
    "# AGENTS.md instructions for /work/shop\n\n<INSTRUCTIONS>use pnpm</INSTRUCTIONS>",
    "<environment_context>\n<cwd>/work/shop</cwd>\n</environment_context>",
    "<user_instructions>use pnpm</user_instructions>",
    "<permissions instructions>use pnpm</permissions instructions>",
    "<skill>\n<name>pnpm</name>\n</skill>",
    "<turn_aborted>\nuse pnpm\n</turn_aborted>",
    "---\ndescription: use pnpm\n---\nDo $ARGUMENTS",
    "\nYou must fully embody this agent's persona and use pnpm.",
    "\n# x\n\nRead the entire task file at: x\n\nFollow all instructions in the task file exactly "
    "as written.",
    "Generate a file named AGENTS.md that serves as a contributor guide for this repository.",
    "# Context from my IDE setup:\n\n## Active file: pnpm.lock",
    "<image name=[Image #1]></image>",
]


@pytest.mark.parametrize("text", INJECTED)
def test_what_the_harness_injects_is_not_the_human(path: Path, text: str) -> None:
    assert said(heard(path, codex_typed(text))) == []
    assert said(read_bytes(Codex(), path, lines(BARE_START, bare("user", text)))) == []


def test_a_persons_words_are_in_events_only(path: Path) -> None:
    records = [item("user", "[bd prime] use yarn"), item("developer", "use npm")]
    records += [item("user", "use pnpm"), codex_typed("use pnpm")]
    assert said(heard(path, *records)) == ["use pnpm"]


def test_other_kinds_of_user_messages_are_not_the_human(path: Path) -> None:
    records = [codex_typed("use npm", kind="user_instructions"), codex_typed("go", kind="plain")]
    assert said(heard(path, *records)) == ["go"]


def test_old_user_messages_after_a_compaction_are_not_told_again(path: Path) -> None:
    compacted = {"message": "", "replacement_history": [{"role": "user", "content": "use pnpm"}]}
    assert said(heard(path, codex_typed("use pnpm"), codex("compacted", compacted))) == ["use pnpm"]


def test_the_request_below_what_an_editor_adds_is_the_humans(path: Path) -> None:
    text = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- npm\n\n## My request for Codex:\nuse pnpm"
    )
    assert said(heard(path, codex_typed(text))) == ["use pnpm"]


def test_the_input_in_an_expanded_prompt_is_the_humans(path: Path) -> None:
    text = "---\ndescription: plan\n---\n\n## User Input\n\n```text\nuse pnpm\n```\n\nPlan it."
    found = humans(heard(path, codex_typed(text)))
    assert [(e.kind, e.text) for e in found] == [(Kind.COMMAND, "use pnpm")]
    assert said(heard(path, codex_typed(text.replace("use pnpm", "$ARGUMENTS")))) == []


def test_who_speaks_after_an_aborted_turn_interrupted(path: Path) -> None:
    aborted = codex("event_msg", {"type": "turn_aborted", "reason": "interrupted"})
    found = heard(path, codex_typed("go"), codex_reply("ok"), aborted, codex_typed("use pnpm"))
    assert [e.interrupted for e in humans(found)] == [False, True]


def test_a_reply_that_is_written_in_two_records_is_told_once(path: Path) -> None:
    assert replies(heard(path, codex_reply("ok"), item("assistant", "ok"))) == ["ok"]


@pytest.mark.parametrize(
    "start",
    [
        {"originator": "codex_exec"},
        {"source": "exec"},
        {"source": "mcp"},
        {"source": {"subagent": "review"}},
        {"thread_source": "subagent"},
    ],
)
def test_the_prompt_of_a_script_or_an_agent_is_not_the_human(
    path: Path, start: dict[str, Any]
) -> None:
    data = lines(codex_start(**start), codex_typed("report every day"))
    found = read_bytes(Codex(), path, data)
    assert said(found) == []
    assert [s.reason for s in skipped(found)] == [BY_SCRIPT]
    path.write_bytes(data + lines(codex_typed("report again")))
    assert said(read(Codex(), path, position(found))) == []


def test_the_facts_of_a_session_are_in_its_first_record(path: Path) -> None:
    copied = codex_start(id="copied", cwd="/elsewhere", originator="codex_exec")
    facts = session(heard(path, copied, codex_typed("use pnpm")))
    assert (facts.id, facts.cwd, facts.branch) == (SESSION, "/work/shop", "main")
    assert facts.remote == "https://example.org/shop.git"


def test_the_facts_are_known_when_reading_on(path: Path) -> None:
    first = read_bytes(Codex(), path, CODEX)
    path.write_bytes(CODEX + lines(codex_typed("one more")))
    rest = read(Codex(), path, position(first))
    assert session(rest) == session(first)
    assert said(rest) == ["one more"]


def test_an_older_session_tells_its_folder_in_a_text(path: Path) -> None:
    text = "<environment_context>\n<cwd>/work/shop</cwd>\n</environment_context>"
    found = read_bytes(Codex(), path, lines(BARE_START, bare("user", text), bare("user", "go")))
    assert (session(found).id, session(found).cwd) == (SESSION, "/work/shop")
    assert said(found) == ["go"]
    assert humans(found)[0].at is None


def test_a_session_in_our_own_folder_says_nothing(path: Path, tmp_path: Path) -> None:
    data = lines(codex_start(cwd=str(tmp_path / "data")), codex_typed("observe this"))
    found = read_bytes(Codex(own=tmp_path / "data"), path, data)
    assert session(found).own == "location"
    assert said(found) == []


def test_an_unknown_type_of_record_is_named(path: Path) -> None:
    assert [s.reason for s in skipped(heard(path, codex("brand_new", {})))] == [
        "an unknown type of record: brand_new"
    ]
