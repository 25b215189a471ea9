"""Whose words are whose in a Copilot CLI session."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    COPILOT,
    COPILOT_START,
    SESSION,
    copilot,
    copilot_reply,
    copilot_typed,
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
from twice.sources.copilot_cli import NOT_TYPED, CopilotCli

SOURCE = CopilotCli()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "full.jsonl"


def heard(path: Path, *records: dict[str, Any]) -> list[Reading]:
    return read_bytes(SOURCE, path, lines(COPILOT_START, *records))


def test_what_is_sent_beside_the_typed_text_is_not_the_human(path: Path) -> None:
    assert said(heard(path, copilot_typed("use pnpm"))) == ["use pnpm"]


@pytest.mark.parametrize(
    "facts",
    [
        {"source": "skill-pdf"},
        {"source": "autopilot"},
        {"source": "agent-1"},
        {"isAutopilotContinuation": True},
        {"parentToolCallId": "call"},
    ],
)
def test_a_prompt_of_the_harness_is_not_the_human(path: Path, facts: dict[str, Any]) -> None:
    found = heard(path, copilot_typed("use npm", 1, **facts))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [NOT_TYPED])


def test_the_template_of_a_script_is_not_the_human(path: Path) -> None:
    found = heard(path, copilot_typed("[[ ## user_query ## ]]\n\nuse npm"))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [NOT_TYPED])


def test_what_is_said_to_and_by_a_subagent_is_not_told(path: Path) -> None:
    found = heard(
        path,
        copilot("user.message", 1, agent="a", content="use npm"),
        copilot("assistant.message", 2, agent="a", content="ok"),
        copilot_reply("fine", 3, parentToolCallId="call"),
        copilot("abort", 4, agent="a"),
        copilot_typed("use pnpm", 5),
    )
    assert (said(found), replies(found)) == (["use pnpm"], [])
    assert not humans(found)[0].interrupted


def test_the_task_of_a_prompt_tells_nothing_of_who_typed_it(path: Path) -> None:
    found = heard(path, copilot_typed("use pnpm", 1, parentAgentTaskId="t", source="user"))
    assert said(found) == ["use pnpm"]


def test_who_speaks_after_an_abort_interrupted(path: Path) -> None:
    turns = [copilot_typed("go", n) for n in (1, 4)]
    found = heard(path, turns[0], copilot_reply("ok", 2), copilot("abort", 3), turns[1])
    assert [e.interrupted for e in humans(found)] == [False, True]


def test_the_reason_for_refusing_a_tool_is_the_humans(path: Path) -> None:
    refused = {"kind": "denied-interactively-by-user", "feedback": "use pnpm"}
    found = humans(heard(path, copilot("permission.completed", 1, result=refused)))
    assert [(e.kind, e.text, e.interrupted) for e in found] == [(Kind.REFUSAL, "use pnpm", True)]


def test_other_permissions_say_nothing(path: Path) -> None:
    results = [
        {"kind": "approved"},
        {"kind": "denied-by-rules", "feedback": "use npm"},
        {"kind": "denied-interactively-by-user"},
        None,
    ]
    records = [copilot("permission.completed", n, result=each) for n, each in enumerate(results)]
    found = heard(path, *records, copilot_typed("go", 9))
    assert [(e.text, e.interrupted) for e in humans(found)] == [("go", True)]


def test_a_free_answer_to_a_question_is_the_humans(path: Path) -> None:
    found = heard(
        path,
        copilot("user_input.completed", 1, answer="use pnpm", wasFreeform=True),
        copilot("user_input.completed", 2, answer="npm", wasFreeform=False),
    )
    assert [(e.kind, e.text) for e in humans(found)] == [(Kind.ANSWER, "use pnpm")]


def test_the_arguments_of_a_command_are_the_humans(path: Path) -> None:
    found = humans(heard(path, copilot_typed("/plan use pnpm"), copilot_typed("/clear", 1)))
    assert [(e.kind, e.text) for e in found] == [(Kind.COMMAND, "use pnpm")]


def test_a_prompt_that_hooks_repeat_is_told_once(path: Path) -> None:
    hook = copilot("hook.start", 2, hookType="userPromptSubmitted", input={"prompt": "use pnpm"})
    assert said(heard(path, copilot_typed("use pnpm"), hook)) == ["use pnpm"]


def test_the_facts_of_a_session_are_in_its_first_record(path: Path) -> None:
    moved = copilot("session.resume", 2, context={"cwd": "/elsewhere", "branch": "b"})
    facts = session(heard(path, copilot_typed("go", 1), moved))
    assert (facts.id, facts.cwd, facts.branch) == (SESSION, "/work/shop", "main")
    assert (facts.agent, facts.remote) == ("copilot-cli", "https://example.org/ann/shop")


def test_the_facts_are_known_when_reading_on(path: Path) -> None:
    first = read_bytes(SOURCE, path, COPILOT)
    path.write_bytes(COPILOT + lines(copilot_typed("one more", 9)))
    rest = read(SOURCE, path, position(first))
    assert session(rest) == session(first)
    assert said(rest) == ["one more"]


def test_in_the_agents_own_place_the_folder_is_the_sessions_id(tmp_path: Path) -> None:
    folder = tmp_path / "session-state" / "99999999-2222-4333-8444-555555555555"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(COPILOT)
    source = CopilotCli(environ={"COPILOT_HOME": str(tmp_path)})
    [home] = source.homes()
    [path] = source.files(home)
    assert session(read(source, path)).id == folder.name
    assert source.recognises(path, b"damaged")


def test_a_session_in_our_own_folder_says_nothing(path: Path, tmp_path: Path) -> None:
    start = copilot("session.start", context={"cwd": str(tmp_path / "data")}, copilotVersion="1")
    path.write_bytes(lines(start, copilot_typed("observe this")))
    found = read(CopilotCli(own=tmp_path / "data"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_an_unknown_type_of_record_is_named(path: Path) -> None:
    found = heard(path, copilot("brand_new.thing"), copilot("session.brand_new"))
    assert [s.reason for s in skipped(found)] == ["an unknown type of record: brand_new.thing"]


def test_other_records_are_not_recognised(tmp_path: Path) -> None:
    for head in (b"{}", b'{"type": "user.message"}', b'{"type": "user", "interactionId": 1}'):
        assert not SOURCE.recognises(tmp_path / "events.jsonl", head)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(junk=st.binary(max_size=200))
def test_no_bytes_crash_a_reader(junk: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert isinstance(read_bytes(SOURCE, path, junk)[-1], Position)
    data = b'{"type": "user.message", "data": ' + junk + b"}\n" + COPILOT
    assert isinstance(read_bytes(SOURCE, path, data)[-1], Position)
    SOURCE.recognises(path, junk)
