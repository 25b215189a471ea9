"""Symptoms that people met in tools of this kind, as whole journeys: sessions in, proposals out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.builders import record_id, session_id
from tests.promises.machine import WISH, Machine, machine

from twice import wiring
from twice.core.proposals import Refusal
from twice.core.states import Status

Record = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine in mode suggest."""
    return machine(tmp_path / "machine")


def record(
    home: Machine, number: int, turn: int, content: Any, role: str = "user", **more: Any
) -> Record:
    """Return one record of a session of Claude Code."""
    return {
        "type": role,
        "uuid": record_id(number, turn),
        "sessionId": session_id(number),
        "timestamp": f"2026-05-{number % 28 + 1:02}T{turn // 60 % 24:02}:{turn % 60:02}:00.000Z",
        "cwd": str(home.project),
        "gitBranch": "main",
        "message": {"role": role, "content": content},
        **more,
    }


def texts(home: Machine) -> list[str]:
    """Return what every proposal says, newest first."""
    with home.twice() as app:
        return [item.text for item in app.proposals(limit=None)]


def supports(home: Machine) -> list[int]:
    """Return how many sessions support each proposal."""
    with home.twice() as app:
        shown = app.proposals(limit=None)
    return [len({quote.evidence.session for quote in item.evidence}) for item in shown]


# Text that is not the user


def test_r01_a_task_notification_in_the_humans_place_is_no_prompt(home: Machine) -> None:
    notice = (
        "<task-notification>\n<task-id>b42</task-id>\n<status>completed</status>\n"
        "<summary>Done</summary>\n<result>don't use npm, use pnpm</result>\n</task-notification>"
    )
    for number in (1, 2):
        typed = [record(home, number, n, f"Please look at page {n}.") for n in range(4)]
        sent = [record(home, number, 10 + n, notice) for n in range(200)]
        home.writes(session_id(number), [*typed, *sent])
    report = home.dream()
    assert report["read"]["turns"] == 8
    assert report["evolution"]["observed"]["recurring"] == 0
    assert texts(home) == []


def test_r02_sessions_of_our_own_are_known_by_their_place_and_said_to_be_skipped(
    home: Machine,
) -> None:
    home.says(1, "Please look at page 1.", "never commit to main")
    home.says(2, "You are a specialised observer.", WISH[0], cwd=home.data / "models" / "run-1")
    home.says(3, "You are a specialised observer.", WISH[1], cwd=home.data / "models" / "run-2")
    report = home.dream()
    assert sum(report["read"]["own_sessions"].values()) == 2
    assert report["read"]["sessions"] == 1
    assert texts(home) == []


REMINDER = (
    "<system-reminder>Use Read instead of Grep, Glob. When spawning agents, mention the files. "
    "Don't use npm, use pnpm.</system-reminder>"
)


def test_r04_a_reminder_teaches_nothing_over_six_runs(home: Machine) -> None:
    for number in range(1, 7):
        home.says(number, f"{REMINDER}\nPlease look at page {number}.", REMINDER)
        home.dream()
    assert texts(home) == []


def test_r04_a_genuine_wish_is_one_item_with_six_supports_over_restarts(home: Machine) -> None:
    for number in range(1, 7):
        home.says(number, f"Please look at page {number}.", WISH[0])
        home.dream()
    assert len(texts(home)) == 1
    with home.twice() as app:
        (item,) = app.proposals()
        seen = app.kit.store.sightings(item.state.project)
    assert len({sighting.lineage for sighting in seen}) == 6


def test_r06_an_answer_that_begins_with_no_corrects_nothing(home: Machine) -> None:
    for number in (1, 2, 3):
        asked = record(
            home, number, 0, [{"type": "text", "text": "Did a dialog appear?"}], "assistant"
        )
        home.writes(session_id(number), [asked, record(home, number, 1, "no dialog appeared")])
    for number in (4, 5):
        home.says(
            number, f"Please look at page {number}.", "no you got that wrong, tabs not spaces"
        )
    home.dream()
    (text,) = texts(home)
    assert "tabs" in text.lower()


def test_r09_agents_and_tools_in_the_humans_place_are_no_turns(home: Machine) -> None:
    typed = [record(home, 1, n, f"Please look at page {n}.") for n in range(5)]
    results = [
        record(
            home,
            1,
            20 + n,
            [{"type": "tool_result", "tool_use_id": "t", "content": "always use ripgrep"}],
        )
        for n in range(104)
    ]
    home.writes(session_id(1), [*typed, *results])
    below = home.sessions / session_id(1) / "subagents"
    below.mkdir(parents=True)
    for n in range(3):
        line = record(home, 1, 200 + n, "always use ripgrep", isSidechain=True, agentId=f"a{n}")
        (below / f"agent-{n}.jsonl").write_text(json.dumps(line) + "\n")
    report = home.dream()
    assert (report["read"]["sessions"], report["read"]["turns"]) == (1, 5)
    assert texts(home) == []


def test_r10_a_fork_and_doubled_rows_are_one_conversation(home: Machine) -> None:
    path = home.says(1, "Please look at page 1.", WISH[0])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    fork = [{**line, "sessionId": session_id(2)} for line in lines]
    more = [record(home, 2, 40 + n, f"Now page {n}.") for n in range(2)]
    home.writes(session_id(2), [*fork, *more])
    doubled = [
        {**line, "sessionId": session_id(3), "parentUuid": None} for line in lines for _ in (1, 2)
    ]
    home.writes(session_id(3), doubled)
    report = home.dream()
    assert report["evolution"]["observed"]["recurring"] == 0
    with home.twice() as app:
        seen = app.kit.store.sightings(app.project_here())
    assert len({sighting.lineage for sighting in seen}) == 1


def test_r12_what_an_agent_says_of_itself_is_nothing_of_the_user(home: Machine) -> None:
    reply = "Sure.\n\nI prefer short names and will keep notes for big items.\n\nAlways use tabs."
    for number in (1, 2, 3):
        home.writes(
            session_id(number),
            [
                record(home, number, 0, f"Please explain page {number}."),
                record(home, number, 1, [{"type": "text", "text": reply}], "assistant"),
            ],
        )
    home.dream()
    assert texts(home) == []


def test_r14_what_instruction_files_say_already_is_not_learned_again(home: Machine) -> None:
    rules = "# Shop\n\n- Always answer in English.\n- Never edit files below vendor/.\n"
    (home.project / "CLAUDE.md").write_text(rules)
    memory = f"<system-reminder>Contents of CLAUDE.md:\n{rules}</system-reminder>"
    wishes = {3: WISH[0], 9: WISH[1], 12: "never commit to main", 20: "please never commit to main",
              5: "always answer in English", 6: "please always answer in English"}  # fmt: skip
    for number in range(1, 31):
        home.says(
            number,
            memory,
            f"Please build page {number}.",
            wishes.get(number, f"Now page {number}b."),
        )
    home.dream()
    found = texts(home)
    assert len(found) == 2
    assert any("pnpm" in text for text in found)
    assert any("main" in text for text in found)


def test_r16_deleted_and_reset_logs_are_no_sessions(home: Machine) -> None:
    for number, suffix in ((1, ".deleted.20260501"), (2, ".reset.20260502")):
        path = home.says(number, f"Please look at page {number}.", WISH[0])
        path.rename(path.with_name(path.name + suffix))
    report = home.dream()
    assert report["read"]["sessions"] == 0
    assert texts(home) == []


def test_r16_what_a_schedule_says_every_day_is_no_wish(home: Machine) -> None:
    report = (
        "Daily report: list what was merged since yesterday and who reviewed it. "
        "Always use bullet points, and never mention drafts."
    )
    for number in range(1, 21):
        home.says(number, report)
    for number in (21, 22):
        home.says(number, f"Please look at page {number}.", WISH[0])
    dreamt = home.dream()["evolution"]
    assert len(texts(home)) == len(dreamt["proposals"]) == 1
    assert "pnpm" in texts(home)[0]
    assert dreamt["observed"]["scheduled"] == 1


# What is proposed, and how often


def test_r19_twenty_ordinary_sessions_teach_nothing_and_the_report_says_so(home: Machine) -> None:
    for number in range(1, 21):
        home.says(
            number,
            f"Add page {number} to the shop.",
            f"Now fix the typo in line {number}.",
            "Thanks!",
        )
    report = home.dream()
    assert texts(home) == []
    assert report["evolution"]["no_model"] == "nothing recurs"


def test_r20_a_rejected_item_returns_once_and_only_with_new_evidence(home: Machine) -> None:
    (id,) = home.learns(WISH)
    home.does("reject", id)
    assert home.dream()["evolution"]["proposals"] == []
    first = sorted(home.sessions.iterdir())[0]
    first.write_text(first.read_text().replace(WISH[0], "pnpm please, not npm"))
    assert home.dream()["evolution"]["proposals"] == []
    for number in range(11, 16):
        home.says(number, f"Please look at page {number}.", WISH[number % 2])
    (again,) = home.dream()["evolution"]["proposals"]
    with home.twice() as app:
        shown = app.show(again)
        assert not isinstance(shown, Refusal)
        assert shown.content is not None
        assert shown.content.rejected_before
    assert home.dream()["evolution"]["proposals"] == []


def test_r21_a_change_of_mind_replaces_and_both_are_shown_with_dates(home: Machine) -> None:
    for number in (1, 2):
        home.says(number, f"Please look at page {number}.", "use tabs, not spaces")
    (old,) = home.dream()["evolution"]["proposals"]
    assert not isinstance(home.does("approve", old), Refusal)
    for number in (11, 12):
        home.says(number, f"Please look at page {number}.", "use spaces, not tabs")
    (new,) = home.dream()["evolution"]["proposals"]
    with home.twice() as app:
        shown = app.show(new)
        assert not isinstance(shown, Refusal)
        assert shown.replaced
        assert {quote.text for quote in shown.against} == {"use tabs, not spaces"}
        dates = [quote.evidence.at for quote in (*shown.evidence, *shown.against)]
        assert all(dates)
    assert not isinstance(home.does("approve", new), Refusal)
    with home.twice() as app:
        statuses = {item.state.id: item.status for item in app.proposals(limit=None)}
    assert statuses == {new: Status.APPROVED, old: Status.SUPERSEDED}
    assert home.told().count("\n- ") == 1
    home.does("roll back", new)
    assert "Use tabs" in home.told()


def test_r21_the_same_sentence_ten_times_is_one_item(home: Machine) -> None:
    for number in range(1, 11):
        home.says(number, f"Please look at page {number}.", WISH[0])
        home.dream()
    assert len(texts(home)) == 1


def test_r23_what_was_learned_in_one_project_is_told_in_no_other(home: Machine) -> None:
    other = home.root / "work" / "blog"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    home.says(1, "Please look at page 1.", "always answer in Spanish", cwd=other)
    (id,) = home.learns(WISH)
    home.does("approve", id)
    assert "pnpm" in home.told()
    with home.twice() as app:
        told = {project.name: app.context(project.id).text for project in app.kit.store.projects()}
    assert set(told) == {"shop", "blog"}
    assert told["blog"] == ""


# Secrets


def test_r41_a_secret_in_a_recurring_wish_is_refused_and_counted(home: Machine) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for number in (1, 2):
        home.says(number, f"Please look at page {number}.", f"use token {secret}, not the old one")
    report = home.dream()
    assert texts(home) == []
    assert report["evolution"]["refused_secrets"] >= 1
    assert secret.encode() not in home.raw()


# Machines


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_r50_another_locale_changes_no_output(home: Machine, locale: str) -> None:
    shop = home.root / "work" / "магазин 🐼"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for number, words in ((1, "use pnpm 🐼, not npm"), (2, "不要用 npm，用 pnpm")):
        home.says(number, f"Bitte 🐼 {number}.", words, cwd=shop)
    home.dream()
    outputs = []
    for language in ("C.UTF-8", locale):
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))},
            "TWICE_HOME": str(home.data), "LC_ALL": language, "LANG": language,
            "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        }  # fmt: skip
        command = [str(Path(sys.executable).with_name("twice")), "review", "--list", "--json"]
        done = subprocess.run(command, env=environment, cwd=shop, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert b"pnpm" in outputs[0]
    assert "🐼".encode() in outputs[0]


def test_a_session_is_found_wherever_the_agent_put_it(home: Machine) -> None:
    home.says(1, *WISH)
    found, unknown = wiring.found_sessions([home.sessions], here=home.project, data=home.data)
    assert (len(found), unknown) == (1, ())


def test_what_linked_instruction_files_say_is_not_learned_again(home: Machine) -> None:
    (home.project / "docs").mkdir()
    (home.project / "CLAUDE.md").write_text("See @docs/rules.md and @CLAUDE.md.\n")
    (home.project / "docs" / "rules.md").write_text("- Use pnpm, not npm.\n@../missing.md\n")
    for number in (1, 2):
        home.says(number, f"Please look at page {number}.", WISH[number % 2])
    home.dream()
    assert texts(home) == []


def test_r10_a_fork_of_codex_with_new_times_is_one_conversation(home: Machine) -> None:
    def line(at: str, envelope: str, **payload: Any) -> str:
        return json.dumps({"timestamp": at, "type": envelope, "payload": payload}) + "\n"

    def meta(at: str, number: int) -> str:
        about = {"cwd": str(home.project), "originator": "codex_cli_rs", "source": "cli"}
        return line(at, "session_meta", id=session_id(number), **about)

    for number in (1, 2):
        at = f"2026-05-0{number}T10:00:00.000Z"
        said = line(at, "event_msg", type="user_message", message=WISH[0], kind="plain")
        copied = meta(at, 1) if number == 2 else ""
        path = home.sessions / f"rollout-2026-05-0{number}T10-00-00-{session_id(number)}.jsonl"
        path.write_text(meta(at, number) + copied + said)
    report = home.dream()
    assert report["evolution"]["observed"]["recurring"] == 0
    assert report["read"]["turns"] == 2
