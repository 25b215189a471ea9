"""An agent reports its own sessions: what is taken, what is kept of it in which mode, and how."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.faces.desk import Desk, Ran, seated

import twice
from twice.actions.forgetting import Plan
from twice.actions.recording import About, Recording
from twice.core import limits
from twice.core.transcript import Speaker

WISHES = {"s1": "Use pnpm, not npm.", "s2": "No, use pnpm instead of npm."}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CANARY = "zanzibarquokka"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        desk.twice("settings", "evolution", "suggest")
        yield desk


def event(text: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    """Return what a person typed, as an agent reports it."""
    return {"session": session, "speaker": "human", "text": text} | more


def given(*events: Mapping[str, Any]) -> str:
    """Return events one a line."""
    return "".join(json.dumps(each) + "\n" for each in events)


def record(desk: Desk, *events: Mapping[str, Any]) -> Ran:
    """Report events on the command line."""
    return desk.twice("record", "--agent", "my-agent", "--json", given=given(*events))


def waiting(desk: Desk) -> list[dict[str, Any]]:
    """Return the events that wait in the spool."""
    files = sorted((desk.data / "recorded").rglob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def raw(desk: Desk) -> bytes:
    """Return every byte below the data folder, names too."""
    paths = sorted(desk.data.rglob("*"))
    return b"".join(str(p).encode() + (p.read_bytes() if p.is_file() else b"") for p in paths)


@contextmanager
def _app() -> Iterator[twice.App]:
    app = twice.open()
    yield app
    app.close()


def reasons(ran: Ran) -> list[tuple[int, str]]:
    """Return what was refused, by line."""
    return [(each["line"], each["reason"]) for each in ran.value["lines"]]


# The journey


def test_what_an_agent_reports_in_two_sessions_is_proposed(desk: Desk) -> None:
    for session, words in WISHES.items():
        ran = record(desk, event("Hello.", session), event(words, session))
        assert (ran.code, ran.value["kept"], ran.err) == (0, 2, "")
    (proposal,) = desk.twice("dream", "--json").value["proposals"]
    assert "pnpm" in proposal["text"]
    shown = {(e["agent"], e["session"], e["quote"]) for e in proposal["evidence"]}
    assert shown == {("my-agent", "s1", WISHES["s1"]), ("my-agent", "s2", WISHES["s2"])}
    record(desk, event("Never use npm, use pnpm.", "s3"))
    report = desk.twice("dream", "--json").value
    assert (report["read"]["turns"], report["evolution"]["supported"]) == (1, [proposal["id"]])
    assert desk.twice("dream", "--json").value["read"]["turns"] == 0


def test_what_was_recorded_is_listed_with_the_other_sessions(desk: Desk) -> None:
    record(desk, event("Hello."), event("Again."))
    (agent,) = desk.twice("sources", "--json").value["agents"]
    assert (agent["agent"], agent["sessions"]) == ("native", 1)
    ran = desk.twice("sources", "turns", str(desk.data / "recorded"), "--json")
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["Hello.", "Again."]


def test_people_are_told_what_became_of_it(desk: Desk) -> None:
    ran = desk.twice("record", given=given(event("Hello."), event("Again.", "s2")))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Recorded 2 events of 2 sessions. The next dream reads them.\n"


# What an event may leave out


def test_what_events_leave_out_is_filled_in(desk: Desk) -> None:
    text = given({"speaker": "human", "text": "Hello."}, {"speaker": "agent", "text": "Hi."})
    ran = desk.twice("record", "--agent", "a", "--session", "s9", "--cwd", "..", given=text)
    assert ran.code == 0
    first, second = waiting(desk)
    assert first["schema"] == "twice.event/1"
    assert (first["agent"], first["session"]) == ("a", "s9")
    assert first["cwd"] == str(desk.work / "..") and first["at"] > 1_700_000_000_000_000
    assert first["id"] != second["id"] and first["id"].startswith("rec_")


def test_what_events_say_themselves_stands(desk: Desk) -> None:
    at = "2026-03-04T10:00:00+02:00"
    about = {"agent": "b", "at": at, "id": "e1", "cwd": "/srv/x", "branch": "main"}
    record(desk, event("Hello.", **about, kind="queued", interrupted=True))
    (kept,) = waiting(desk)
    said = {"schema": "twice.event/1", "kind": "queued", "interrupted": True}
    assert kept == event("Hello.") | about | said | {"at": 1_772_611_200_000_000}


def test_a_session_stays_in_the_folder_where_it_was_last(desk: Desk) -> None:
    record(desk, event("a", cwd="/srv/x"), event("b"), event("c", "s2"))
    assert [each["cwd"] for each in waiting(desk)] == ["/srv/x", "/srv/x", str(desk.work)]


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_no_fault(desk: Desk) -> None:
    text = "\ufeff" + given(event("a")).replace("\n", "\r\n") + "\r\n\n" + given(event("b")).strip()
    assert desk.twice("record", given=text).code == 0
    assert [each["text"] for each in waiting(desk)] == ["a", "b"]


def test_fields_that_nobody_knows_are_not_kept(desk: Desk) -> None:
    record(desk, event("Hello.", payload={"password": CANARY}, note=CANARY))
    assert CANARY.encode() not in raw(desk)


# What is refused


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("oops", "it is no event: JSON is malformed"),
        ("[1]", "it is no event: Expected `object`"),
        ('{"text": 7}', "it is no event: Expected `str | null`, got `int` - at `$.text`"),
        ("[" * 100_000, "it is no event"),
        (json.dumps(event("x", session="")), "it names no session"),
        (json.dumps({"session": "s", "text": "x"}), "it does not say who spoke"),
        (json.dumps(event("x", schema="twice.event/2")), "its schema is not twice.event/1"),
        (json.dumps(event("x", agent="../a")), "its agent or its kind is no name"),
        (json.dumps(event("x", kind="a b")), "its agent or its kind is no name"),
        (json.dumps(event("x", at="soon")), "its time is none"),
        (json.dumps(event("x", at=-1)), "its time is none"),
        (json.dumps(event("x", at=10**30)), "its time is none"),
        (json.dumps(event("x", cwd="here")), "its cwd is no absolute path"),
        (json.dumps(event("x", session="s" * 201)), "its session is longer than 200 characters"),
        (json.dumps(event("x", session="a\nb")), "its session holds a character that cannot be"),
        (json.dumps(event("x", id=f"token={TOKEN}")), "a secret may stand in its id"),
        (json.dumps(event("x", session=TOKEN)), "a secret may stand in its session"),
        ('{"text": "' + "x" * limits.EVENT_BYTES + '"}', "it is longer than 1024 KiB"),
    ],
)
def test_a_bad_line_is_named_and_sinks_no_other(desk: Desk, line: str, reason: str) -> None:
    text = given(event("a")) + line + "\n" + given(event("b"))
    ran = desk.twice("record", "--json", given=text)
    assert (ran.code, ran.value["kept"], ran.value["refused"]) == (1, 2, 1)
    ((number, why),) = reasons(ran)
    assert number == 2 and why.startswith(reason)
    assert ran.err.startswith(f"Line 2: {reason}") and ran.err.count("\n") == 1
    assert [each["text"] for each in waiting(desk)] == ["a", "b"]


def test_of_many_bad_lines_the_first_are_named(desk: Desk) -> None:
    ran = desk.twice("record", "--json", given="oops\n" * 250)
    assert (ran.code, ran.value["refused"], len(ran.value["lines"])) == (1, 250, 100)
    assert ran.err.endswith("150 more lines were refused.\n")


def test_who_speaks_unknown_is_the_harness(desk: Desk) -> None:
    record(desk, event("Always use yarn.", speaker="butler"))
    assert desk.twice("dream", "--json").value["read"]["turns"] == 0


def test_what_comes_beyond_the_bound_of_a_run_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RECORD_BYTES", 400)
    ran = record(desk, *[event("x" * 100)] * 4)
    assert (ran.code, ran.value["kept"], ran.value["refused"]) == (1, 1, 3)


def test_a_text_beyond_the_bound_is_cut_and_this_is_said(desk: Desk) -> None:
    ran = record(desk, event("x" * (limits.TURN_CHARS + 5)))
    assert (ran.code, ran.value["shortened"]) == (0, 1)
    assert len(waiting(desk)[0]["text"]) == limits.TURN_CHARS


# Clean


def test_no_secret_and_no_home_folder_is_in_any_byte(desk: Desk) -> None:
    home = str(desk.home)
    record(
        desk,
        event(f"use token {TOKEN}, see {home}/notes"),
        event(f"export API_KEY={CANARY}-9aQx71ZtPw0", speaker="tool", kind="tool.result"),
        event("x", cwd=f"{home}/shop", remote=f"https://ann:{CANARY}@x.org/a/b", branch=TOKEN),
    )
    desk.twice("dream")
    for secret in (TOKEN[4:], CANARY, f"{home}/notes", f"{home}/shop"):
        assert secret.encode() not in raw(desk).replace(str(desk.data).encode(), b"")
    assert waiting(desk)[2]["cwd"] == "~/shop"
    assert desk.twice("verify", "--secrets").code == 0


def test_a_secret_that_got_into_the_spool_all_the_same_is_found(desk: Desk) -> None:
    record(desk, event("Hello."))
    (path,) = (desk.data / "recorded").rglob("*.jsonl")
    with path.open("a") as file:
        file.write(given(event(f"use token {TOKEN}")))
        file.write(f"damaged {TOKEN}\n")
    ran = desk.twice("verify", "--secrets", "--json")
    assert ran.code == 1
    assert [flaw.rpartition(", ")[2] for flaw in ran.value["flaws"]] == ["line 2", "line 3"]


# Modes


def test_in_off_nothing_is_kept_and_one_line_says_so(desk: Desk) -> None:
    desk.twice("settings", "evolution", "off")
    ran = record(desk, event(f"Always say {CANARY}."))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("Nothing was recorded and nothing is kept: the mode is off")
    assert CANARY.encode() not in raw(desk) and not (desk.data / "recorded").exists()


def test_in_observe_events_are_counted_and_no_word_is_on_disk(desk: Desk) -> None:
    desk.twice("settings", "evolution", "observe")
    for session, words in WISHES.items():
        ran = record(desk, event(f"{words} {CANARY}", session), event("On.", session))
        assert (ran.code, ran.value["kept"], ran.value["observed"]) == (0, 0, 2)
    assert not (desk.data / "recorded").exists()
    for word in (CANARY, "pnpm", "my-agent/s1"):
        assert word.encode() not in raw(desk)
    assert desk.twice("status", "--json").value["sessions"] == 2
    assert "Observed 1 event of 1 session" in desk.twice("record", given=given(event("x"))).out


def test_in_observe_what_comes_later_adds_to_its_session(desk: Desk) -> None:
    desk.twice("settings", "evolution", "observe")
    for number in range(3):
        record(desk, event(WISHES["s1"], id=f"e{number}"))
    with _app() as app:
        (kept,) = app.kit.store.sessions()
        (project,) = app.kit.store.projects()
        assert kept.turns == 3
        assert len(app.kit.store.sightings(project.id)) == 3


def test_in_observe_many_events_are_not_held_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.twice("settings", "evolution", "observe")
    monkeypatch.setattr(limits, "HELD_EVENTS", 3)
    ran = record(desk, *[event(f"turn {n}") for n in range(8)])
    assert ran.value["observed"] == 8
    with _app() as app:
        assert [kept.turns for kept in app.kit.store.sessions()] == [8]


def test_a_repository_may_lower_the_mode_for_its_own_sessions(desk: Desk) -> None:
    other = desk.work.parent / "client"
    (other / ".git").mkdir(parents=True)
    (other / ".twice").mkdir()
    config = other / ".twice" / "config.toml"
    both = event(CANARY, "c1", cwd=str(other)), event("Hello.", "s1")
    config.write_text('evolution = "off"\n')
    ran = record(desk, *both)
    assert (ran.code, ran.value["kept"]) == (1, 1)
    assert reasons(ran) == [(1, "the mode is off there (the repository's .twice/config.toml)")]
    config.write_text('evolution = "observe"\n')
    ran = record(desk, *both)
    assert (ran.code, ran.value["kept"], ran.value["observed"]) == (0, 1, 1)
    assert CANARY.encode() not in raw(desk)


# Forgetting


@pytest.mark.parametrize("dreamt", [True, False])
def test_what_is_forgotten_is_gone_and_does_not_come_back(desk: Desk, dreamt: bool) -> None:
    record(desk, event(f"Always say {CANARY}."), event("Hello.", "s2"))
    if dreamt:
        desk.twice("dream")
    preview = desk.twice("forget", "s1", "--json").value
    assert (preview["preview"]["recorded"], preview["erased"]) == (1, None)
    assert desk.twice("forget", "s1", "--yes", "--json").value["erased"]["recorded"] == 1
    assert CANARY.encode() not in raw(desk)
    assert [each["session"] for each in waiting(desk)] == ["s2"]
    ran = record(desk, event(f"Always say {CANARY}."))
    assert reasons(ran) == [(1, "its session was forgotten on your command")]
    desk.twice("dream")
    assert CANARY.encode() not in raw(desk)
    assert desk.twice("verify", "--secrets").code == 0


def test_a_session_that_was_only_observed_can_be_forgotten(desk: Desk) -> None:
    desk.twice("settings", "evolution", "observe")
    record(desk, event("Use pnpm.", "a session of words"))
    with _app() as app:
        (kept,) = app.kit.store.sessions()
    assert desk.twice("forget", kept.id, "--yes").code == 0
    ran = record(desk, event("Use pnpm.", "a session of words"))
    assert reasons(ran) == [(1, "its session was forgotten on your command")]


def test_what_is_forgotten_while_it_is_recorded_is_gone_all_the_same(desk: Desk) -> None:
    def batches() -> Iterator[list[tuple[int, dict[str, Any]]]]:
        yield [(1, event("Hello."))]
        with _app() as other:
            plan = other.plan_forgetting("s1")
            assert isinstance(plan, Plan)
            other.forget(plan)
        yield [(2, event(f"Always say {CANARY}.")), (3, event("Hello.", "s2"))]
        yield [(4, event(f"Never say {CANARY}."))]

    with _app() as app:
        told = app.record(batches(), About(cwd=str(desk.work)))
    assert (told.kept, told.refused, told.sessions) == (2, 2, 2)
    assert CANARY.encode() not in raw(desk)
    assert [each["session"] for each in waiting(desk)] == ["s2"]


# In Python


def test_an_agent_in_python_records_the_same(desk: Desk) -> None:
    import datetime

    at = datetime.datetime(2026, 3, 4, 10, tzinfo=datetime.UTC)
    told = twice.record(
        [
            event("Hello.", at=at, cwd=desk.work),
            {"speaker": Speaker.AGENT, "text": "Hi \ud83d"},
            event("x", at=object()),
        ],
        agent="my-agent",
        session="s7",
    )
    assert isinstance(told, Recording)
    assert (told.kept, told.sessions, told.refused) == (2, 2, 1)
    assert [each.number for each in told.named] == [3]
    first, second = waiting(desk)
    assert (first["at"], first["session"]) == (1_772_618_400_000_000, "s1")
    assert (second["text"], second["session"], second["cwd"]) == ("Hi ?", "s7", str(desk.work))


def test_in_python_a_mode_that_is_off_is_an_answer(desk: Desk) -> None:
    desk.twice("settings", "evolution", "off")
    told = twice.record(iter([event("Hello.")]))
    assert (told.kept, told.closed) == (0, "the mode is off (the user's setting)")


# Processes

PROGRAM = [sys.executable, "-m", "twice", "record", "--agent", "a"]


def started(desk: Desk) -> subprocess.Popen[bytes]:
    """Start a process that records what it is given."""
    return subprocess.Popen(
        PROGRAM,
        env={"PATH": os.environ["PATH"], **desk.environment()},
        cwd=desk.work,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_events_are_safe_as_they_come_and_a_kill_loses_none_of_them(desk: Desk) -> None:
    process = started(desk)
    assert process.stdin
    for number in range(3):
        process.stdin.write(given(event(f"turn {number}")).encode())
        process.stdin.flush()
        while len(waiting(desk)) <= number:
            assert process.poll() is None
    process.stdin.write(b'{"session": "s1", "speaker": "human", "te')
    process.stdin.flush()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert record(desk, event("after")).code == 0
    assert [each["text"] for each in waiting(desk) if each["agent"] == "a"] == [
        "turn 0",
        "turn 1",
        "turn 2",
    ]


def test_of_eight_agents_that_report_at_once_every_event_is_kept(desk: Desk) -> None:
    desk.twice("status")
    processes = [started(desk) for _ in range(8)]
    for number, process in enumerate(processes):
        assert process.stdin
        process.stdin.write(given(*[event(f"{number}-{n}") for n in range(50)]).encode())
        process.stdin.close()
    assert [process.wait() for process in processes] == [0] * 8
    found = [each["text"] for each in waiting(desk)]
    assert sorted(found) == sorted(f"{w}-{n}" for w in range(8) for n in range(50))
    for writer in range(8):
        mine = [text for text in found if text.startswith(f"{writer}-")]
        assert mine == [f"{writer}-{n}" for n in range(50)]
    assert desk.twice("dream", "--json").value["read"]["turns"] == 400
