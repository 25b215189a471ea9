"""Whose words are whose in the sessions of OpenHands."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    REPLIES,
    SESSION,
    TURNS,
    humans,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_openhands import (
    NEWER,
    OPENHANDS,
    SYSTEM,
    action,
    answered,
    asked,
    by_id,
    event,
    message,
    newer,
    numbered,
    observation,
    older,
    parts,
    trajectory,
)

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading, Session
from twice.sources.lines import NOT_JSON, TOO_LONG, UNFINISHED, UNKNOWN_SHAPE
from twice.sources.openhands import TOO_LARGE, OpenHands
from twice.sources.openhands_chat import BY_SCRIPT

SOURCE = OpenHands()
HEX = SESSION.replace("-", "")
OLDER = json.loads(OPENHANDS)
Write = Callable[[Path, list[dict[str, Any]]], Path]


def heard(folder: Path, *events: dict[str, Any]) -> list[Reading]:
    """Return what is read of a session of the older kind."""
    return read(SOURCE, older(folder, [action("system", content="You are"), *events]))


def heard_newer(folder: Path, *events: dict[str, Any]) -> list[Reading]:
    """Return what is read of a session of the SDK."""
    return read(SOURCE, newer(folder, [SYSTEM, *events]))


def kinds(readings: list[Reading]) -> list[tuple[Kind, str]]:
    return [(event.kind, event.text) for event in humans(readings)]


def reasons(readings: list[Reading]) -> list[str]:
    return [each.reason for each in skipped(readings)]


# Every layout


LAYOUTS = {"older": (older, OLDER), "newer": (newer, NEWER), "by-id": (by_id, NEWER)}


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> tuple[Write, list[dict[str, Any]]]:
    return LAYOUTS[request.param]


def test_every_human_turn_is_found_and_nothing_else(
    layout: tuple[Write, list[dict[str, Any]]], tmp_path: Path
) -> None:
    write, events = layout
    path = write(tmp_path, events)
    found = read(SOURCE, path)
    assert isinstance(found[0], Session)
    assert (said(found), replies(found), skipped(found)) == (TURNS, REPLIES, [])
    assert session(found).id == HEX
    assert list(SOURCE.files(tmp_path)) == [path]
    assert said(read(SOURCE, path, position(found))) == []
    assert position(read(SOURCE, path, position(found))) == position(found)


def test_a_session_that_grows_is_read_on_without_loss(
    layout: tuple[Write, list[dict[str, Any]]], tmp_path: Path
) -> None:
    write, events = layout
    told, since, stamps = [], Position(), set()
    for count in range(1, len(events) + 1):
        path = write(tmp_path, events[:count])
        [log] = SOURCE.logs(path)
        stamps.add((log.size, log.mtime))
        found = list(log.read(since))
        told += [(e.seq, e.text) for e in humans(found)]
        since = position(found)
        if said(found) == TURNS[-1:]:
            assert replies(found)[-1:] == REPLIES[-1:]
    assert told == [(e.seq, e.text) for e in humans(read(SOURCE, path))]
    assert len(stamps) == len(events)


def test_events_that_were_taken_away_are_read_from_the_start(tmp_path: Path) -> None:
    path = newer(tmp_path, NEWER)
    since = position(read(SOURCE, path))
    next(path.parent.glob("event-00006-*")).unlink()
    assert said(read(SOURCE, path, since)) == TURNS[:2]


def test_the_last_event_may_not_be_whole_yet(
    layout: tuple[Write, list[dict[str, Any]]], tmp_path: Path
) -> None:
    write, events = layout
    path = write(tmp_path, events)
    last = next(f for f in path.parent.iterdir() if json.dumps(TURNS[-1]) in f.read_text())
    whole = last.read_bytes()
    last.write_bytes(whole[: len(whole) // 2])
    found = read(SOURCE, path)
    assert (said(found), reasons(found)) == (TURNS[:2], [UNFINISHED])
    last.write_bytes(whole)
    assert said(read(SOURCE, path, position(found))) == TURNS[2:]


def test_a_damaged_event_spares_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = newer(tmp_path, [*NEWER, message("one more")])
    names = sorted(file.name for file in path.parent.iterdir())
    (path.parent / names[0]).write_bytes(b"")
    (path.parent / names[2]).write_bytes(b"[1]")
    (path.parent / names[3]).write_bytes(b" " * 2000)
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 1000)
    found = read(SOURCE, path)
    assert said(found) == [*TURNS, "one more"]
    assert reasons(found) == [NOT_JSON, UNKNOWN_SHAPE, TOO_LONG]


# The older kind


def test_a_repository_that_was_chosen_is_the_sessions(tmp_path: Path) -> None:
    chosen = {"selected_repository": "ann/shop", "selected_branch": "dev"}
    path = older(tmp_path, [asked("go")], **chosen, git_provider="github", trigger="gui")
    facts = session(read(SOURCE, path))
    assert (facts.remote, facts.branch) == ("https://github.com/ann/shop", "dev")
    assert (facts.agent, facts.cwd) == ("openhands", "")


def test_times_without_a_zone_are_utc(tmp_path: Path) -> None:
    assert humans(heard(tmp_path, asked("go")))[0].at == 1772618401000250


@pytest.mark.parametrize(
    "text",
    [
        "/exit",
        "Let's get back on track. If you experienced errors before, do NOT resume your task.",
        "Please push the changes to GitHub and open a pull request. If you're on a default branch",
        "Please push the changes to a remote branch on GitLab, but do NOT create a merge request.",
        "Please explore this repository. Create the file .openhands/microagents/repo.md with:\n-",
        "<system-reminder>use npm</system-reminder>",
    ],
)
def test_what_buttons_and_machinery_say_is_not_the_human(tmp_path: Path, text: str) -> None:
    found = heard(tmp_path, asked(text), asked("use pnpm"))
    assert (said(found), reasons(found)) == (["use pnpm"], [])


@pytest.mark.parametrize(
    "text",
    [
        "<uploaded_files>\n/workspace/shop\n</uploaded_files>\nuse npm",
        "Please continue working on the task on whatever approach you think is suitable.\nnpm",
    ],
)
def test_templates_of_scripts_are_named(tmp_path: Path, text: str) -> None:
    found = heard(tmp_path, asked(text))
    assert (said(found), reasons(found)) == ([], [BY_SCRIPT])


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("gui", ["one", "two"]),
        ("suggested_task", ["two"]),
        ("microagent_management", ["two"]),
        ("resolver", []),
        ("openhands_api", []),
    ],
)
def test_what_started_a_conversation_tells_whose_its_prompts_are(
    tmp_path: Path, trigger: str, expected: list[str]
) -> None:
    found = read(SOURCE, older(tmp_path, [asked("one"), asked("two")], trigger=trigger))
    assert said(found) == expected
    assert reasons(found) == [BY_SCRIPT] * (2 - len(expected))


def test_the_list_of_uploaded_files_is_not_typed(tmp_path: Path) -> None:
    files = ["/workspace/a.md", "/workspace/b.md"]
    text = "use pnpm\n\nНОВЫЕ ФАЙЛЫ: /workspace/a.md\n\n/workspace/b.md"
    assert said(heard(tmp_path, asked(text, file_urls=files))) == ["use pnpm"]


def test_what_one_agent_says_to_another_is_not_the_human(tmp_path: Path) -> None:
    found = heard(
        tmp_path,
        asked("go"),
        action("delegate", agent="BrowsingAgent", thought="I will browse."),
        asked("TASK: use npm"),
        answered("Which npm?"),
        asked("use pnpm"),
        observation("delegate", "done"),
        answered("Done."),
        asked("TASK: write the list"),
    )
    assert said(found) == ["go", "use pnpm", "TASK: write the list"]
    assert replies(found) == ["I will browse.", "Done."]


def test_another_agents_task_is_known_when_reading_on(tmp_path: Path) -> None:
    start = [asked("go"), action("delegate", agent="BrowsingAgent")]
    first = read(SOURCE, older(tmp_path, start))
    again = read(SOURCE, older(tmp_path, [*start, asked("TASK: use npm")]), position(first))
    assert said(again) == []


def test_the_agents_thoughts_and_farewell_are_its_words(tmp_path: Path) -> None:
    found = heard(
        tmp_path,
        action("think", thought="The human likes npm."),
        action("run", command="ls", thought="I look around."),
        action("finish", final_thought="All done.", thought=""),
        action("recall", "user", query="npm"),
    )
    assert replies(found) == ["I look around.", "All done."]


@pytest.mark.parametrize("state", ["stopped", "paused", "user_rejected"])
def test_who_speaks_after_stopping_the_agent_interrupted(tmp_path: Path, state: str) -> None:
    stop = action("change_agent_state", "user", agent_state=state)
    found = heard(
        tmp_path,
        *(asked("go"), action("run", thought="ok"), stop, asked("no")),
        *(answered("done"), stop, asked("next")),
        action("change_agent_state", "environment", agent_state=state),
        asked("last"),
    )
    assert [e.interrupted for e in humans(found)] == [False, True, False, False]


def test_a_refused_action_interrupts(tmp_path: Path) -> None:
    found = heard(tmp_path, asked("go"), observation("user_rejected"), asked("no"))
    assert [e.interrupted for e in humans(found)] == [False, True]


# The newer kind


def test_the_folder_is_the_workspace(tmp_path: Path) -> None:
    assert session(read(SOURCE, newer(tmp_path, NEWER))).cwd == "/work/shop"
    relative = {"working_dir": "workspace/project"}
    assert session(read(SOURCE, newer(tmp_path, NEWER, workspace=relative))).cwd == ""


def test_events_keep_their_ids(tmp_path: Path) -> None:
    [turn] = humans(heard_newer(tmp_path, message("go")))
    assert turn.record == f"00000001-{SESSION[9:]}"


def test_messages_of_hooks_agents_and_machinery_are_not_the_human(tmp_path: Path) -> None:
    found = heard_newer(
        tmp_path,
        message("use npm", sender="planner"),
        message("use npm", "environment"),
        message("use npm", "hook"),
        message("The task appears incomplete (iteration 2, predicted success likelihood: 9.1%)."),
        message("Missing required parameters for function 'terminal': {'command'}"),
        message("use pnpm"),
    )
    assert (said(found), replies(found)) == (["use pnpm"], [])


def test_the_reason_for_a_refusal_is_the_humans_once(tmp_path: Path) -> None:
    refused = event("UserRejectObservation", "environment", rejection_reason="use pnpm")
    found = heard_newer(
        tmp_path,
        message("go"),
        *(refused, refused),
        event("ActionEvent", thought=parts("ok")),
        refused | {"rejection_source": "user"},
        refused | {"rejection_source": "hook"},
        refused | {"rejection_reason": "User rejected the actions"},
        refused | {"rejection_reason": "User rejected the action."},
        message("no"),
    )
    assert kinds(found) == [
        (Kind.PROMPT, "go"),
        (Kind.REFUSAL, "use pnpm"),
        (Kind.REFUSAL, "use pnpm"),
        (Kind.PROMPT, "no"),
    ]
    assert [e.interrupted for e in humans(found)] == [False, True, True, True]


def test_who_speaks_after_a_pause_of_work_interrupted(tmp_path: Path) -> None:
    work, done = event("ActionEvent", thought=parts("ok")), message("done", "agent")
    pause, stop = event("PauseEvent", "user"), event("InterruptEvent", "user")
    finish = event("ActionEvent", action={"kind": "FinishAction", "message": "All done."})
    found = heard_newer(
        tmp_path,
        *(message("go"), work, pause, message("no")),
        *(work, stop, message("not so")),
        *(done, pause, message("next")),
        *(finish, pause, message("last")),
    )
    assert [e.interrupted for e in humans(found)] == [False, True, True, False, False]
    assert replies(found)[-1] == "All done."


def test_an_unknown_kind_of_event_is_named(tmp_path: Path) -> None:
    found = heard_newer(tmp_path, event("DreamEvent"), message("go"))
    assert (said(found), reasons(found)) == (["go"], ["an unknown type of record: DreamEvent"])


def test_sessions_of_subagents_are_not_told(tmp_path: Path) -> None:
    path = newer(tmp_path, NEWER)
    inner = path.parent.parent / "subagents" / "ab12" / "events" / path.name
    inner.parent.mkdir(parents=True)
    inner.write_bytes(path.read_bytes())
    assert list(SOURCE.files(tmp_path)) == [path]
    assert not SOURCE.recognises(inner, inner.read_bytes())


def test_a_session_in_our_own_folder_says_nothing(tmp_path: Path) -> None:
    path = newer(tmp_path, NEWER, workspace={"working_dir": str(tmp_path / "own")})
    found = read(OpenHands(own=tmp_path / "own"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_the_marker_in_a_later_prompt_is_only_talk(tmp_path: Path) -> None:
    first = read(SOURCE, newer(tmp_path, NEWER))
    path = newer(tmp_path, [*NEWER, message("what is <twice-own-session>?")])
    again = read(SOURCE, path, position(first))
    assert (session(again).own, said(again)) == ("", ["what is <twice-own-session>?"])


# Documents


def test_a_download_has_the_id_in_its_name(tmp_path: Path) -> None:
    for name in (f"trajectory-{HEX}.json", f"{SESSION}.json"):
        assert session(read_bytes(SOURCE, tmp_path / name, OPENHANDS)).id == HEX
    ids = {
        session(read_bytes(SOURCE, tmp_path / name, data)).id
        for name in ("trajectory.json", "my-shop.json")
        for data in (OPENHANDS, trajectory([*TURNS, "more"]))
    }
    assert len(ids) == 1


def test_a_document_beyond_the_limit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.DOCUMENT_BYTES", 100)
    found = read_bytes(SOURCE, tmp_path / "trajectory.json", OPENHANDS)
    assert (said(found), reasons(found)) == ([], [TOO_LARGE])


def test_a_document_that_is_being_written_is_read_later(tmp_path: Path) -> None:
    found = read_bytes(SOURCE, tmp_path / "trajectory.json", OPENHANDS[:-20])
    assert (said(found), reasons(found), position(found)) == ([], [UNFINISHED], Position())


# Places


def test_its_homes_are_where_it_keeps_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    places = [
        ".openhands/sessions",
        ".openhands/conversations",
        ".openhands/v1_conversations",
        ".openhands/users/ann/conversations",
        ".openhands/ann/v1_conversations",
        ".openhands-state/sessions",
        "store/sessions",
        "moved",
    ]
    for place in places:
        (tmp_path / place).mkdir(parents=True)
    environ = {
        "FILE_STORE_PATH": str(tmp_path / "store"),
        "OPENHANDS_CONVERSATIONS_DIR": str(tmp_path / "moved"),
    }
    found = OpenHands(environ=environ).homes()
    assert sorted(found) == sorted(tmp_path / place for place in places)


def test_other_events_are_not_opened_to_find_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "twice.sources.openhands.head_of",
        lambda path: opened.append(path.name) or path.read_bytes(),
    )
    path = older(tmp_path, OLDER)
    assert list(SOURCE.files(tmp_path)) == [path]
    assert sorted(opened) == ["0.json", "metadata.json"]


def test_other_json_is_not_recognised(tmp_path: Path) -> None:
    later = json.dumps(numbered([asked("go"), asked("on")])[1]).encode()
    for name, head in (
        ("trajectory.json", b'[{"x": 1}]'),
        ("trajectory.json", b'{"trajectory": []}'),
        ("events/0.json", b'{"comic": 1}'),
        ("sessions/a/events/1.json", later),
        ("sessions/a/event_cache/0-25.json", b"[" + later + b"]"),
        ("v1_conversations/ab/cd.json", later),
        ("events.txt", OPENHANDS),
    ):
        assert not SOURCE.recognises(tmp_path / name, head), name
    for name in (f"events/event-00000-{SESSION}.json", "sessions/ab/events/0.json"):
        assert SOURCE.recognises(tmp_path / name, b"damaged")


def test_a_layout_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    path = newer(tmp_path, [SYSTEM])
    path.write_text('{"id": "x", "at": 5, "said": "use npm"}')
    with pytest.raises(UnknownFormat):
        list(SOURCE.logs(path))


def test_an_event_that_may_not_be_opened_says_so(tmp_path: Path) -> None:
    path = newer(tmp_path, NEWER)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may open everything")
    assert list(SOURCE.files(tmp_path)) == [path]
    with pytest.raises(OSError, match=r"ermission"):
        list(SOURCE.logs(path))


# Damage


KEYS = st.sampled_from([
    *("id", "timestamp", "source", "kind", "action", "observation", "args", "llm_message"),
    *("content", "text", "thought", "file_urls", "agent_state", "rejection_reason", "message"),
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    value=JSON,
    kind=st.sampled_from(["MessageEvent", "ActionEvent", "UserRejectObservation", "x"]),
    name=st.sampled_from(["message", "finish", "run", "delegate", "change_agent_state"]),
)
def test_events_of_any_shape_do_not_crash_a_reader(
    value: Any, kind: str, name: str, tmp_path: Path
) -> None:
    events = [
        *({"source": "user", "kind": kind, key: value} for key in ("llm_message", "thought")),
        *({"source": "agent", "kind": kind, key: value} for key in ("action", "sender")),
        {"source": "user", "action": name, "args": value},
        {"source": "agent", "action": name, "args": {"thought": value, "content": value}},
        {"source": "user", "action": value, "observation": value},
        {"kind": value, "rejection_reason": value},
    ]
    path = newer(tmp_path, [*NEWER, *events, message("the end")])
    assert said(read(SOURCE, path))[:3] == TURNS
    assert said(read(SOURCE, path))[-1] == "the end"
    metadata = {"trigger": value, "selected_repository": value}
    found = read(SOURCE, older(tmp_path, [asked("go")], **metadata))
    assert said(found) == ["go"] or reasons(found) == [BY_SCRIPT]
