"""The command line says what is so, in few words, and never more than it should.

Where a screen was meant to change, write the golden files anew and read the difference:
``TWICE_GOLDEN=write python -m pytest tests/faces/test_cli.py; git diff tests/faces/golden``.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faces.desk import Desk, Ran, compare, normalised, seated

from twice.faces.cli import COMMANDS
from twice.faces.columns import columns

PROGRAM = [sys.executable, "-m", "twice"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        yield desk


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk that many tests share, since nothing that they do may change it."""
    with seated(Desk(tmp_path_factory.mktemp("desk"))) as desk:
        desk.dream()
        desk.twice("settings", "workflows", "on")
        (desk.work / "notes.txt").write_text("buy milk\n")
        (desk.work / "zeros.jsonl").write_bytes(bytes(2_000_000))
        (desk.work / "empty.jsonl").touch()
        yield desk


def typed(
    desk: Desk, *arguments: str, shell: str = '"$@"', **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process of its own; ``shell`` says how, with the command as ``$@``."""
    return subprocess.run(
        ["bash", "-c", shell, "bash", *PROGRAM, *arguments],
        env={"PATH": os.environ["PATH"], **desk.environment(), **environment},
        cwd=desk.work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


# Help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_within_80_columns(settled: Desk, name: str) -> None:
    ran = settled.twice(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert f"twice {name}" in ran.out.partition("Examples:\n")[2]
    assert max(map(columns, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "hook"])
def test_every_command_speaks_to_scripts(settled: Desk, name: str) -> None:
    assert "--json" in settled.twice(name, "--help").out


def test_the_list_of_commands_gives_each_one_line(desk: Desk) -> None:
    listed = desk.twice("--help").out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)


def test_the_module_is_the_command(desk: Desk) -> None:
    done = typed(desk, "--version")
    assert (done.returncode, done.stdout.decode()) == (0, desk.twice("--version").out)


# What a person reads


def test_a_dream_and_what_follows_reads_as_written_down(desk: Desk) -> None:
    def screen(name: str, *arguments: str) -> None:
        ran = desk.twice(*arguments)
        assert ran.code == 0, ran.err
        compare(name, normalised(f"$ twice {' '.join(arguments)}\n{ran.out}{ran.err}", desk))
        assert max(map(columns, ran.out.replace(str(desk.data), "").splitlines())) <= 80

    screen("status-at-first.txt", "status")
    screen("dream.txt", "dream", "sessions", "--mode", "suggest")
    screen("dream-again.txt", "dream", "sessions", "--mode", "suggest")
    screen("review-list.txt", "review", "--list")
    pnpm = desk.twice("why", "pnpm", "--json").value["items"][0]["id"]
    screen("review-card.txt", "review", pnpm)
    screen("approve.txt", "approve", pnpm)
    screen("context.txt", "context", "--project", "shop")
    screen("status.txt", "status")
    screen("why.txt", "why", pnpm)
    screen("verify.txt", "verify")
    screen("rollback.txt", "rollback", pnpm)
    screen("settings.txt", "settings")


def test_forgetting_shows_first_what_would_go(desk: Desk) -> None:
    id = desk.dream()["pnpm"]
    desk.twice("approve", id)
    before = desk.twice("review", "--list", "--json").out
    ran = desk.twice("forget", "9e286ed7-d4fe-57bf-9d14-9fde47bf9ec2")
    assert ran.code == 1
    assert ran.err == (
        "Nothing was erased. Hint: twice forget 9e286ed7-d4fe-57bf-9d14-9fde47bf9ec2 --yes\n"
    )
    compare("forget-preview.txt", normalised(ran.out, desk))
    assert desk.twice("review", "--list", "--json").out == before


def test_forgetting_tells_what_went(desk: Desk) -> None:
    desk.dream()
    ran = desk.twice("forget", "9e286ed7-d4fe-57bf-9d14-9fde47bf9ec2", "--yes")
    assert ran.code == 0
    assert "1 session," in ran.out
    assert desk.twice("verify").code == 0


def test_no_colour_and_no_bar_where_nobody_watches(desk: Desk) -> None:
    done = typed(desk, "dream", "sessions", "--mode", "suggest")
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stderr == b""


# What a script reads

_SCRIPTED = (
    ("dream", "sessions", "--mode", "suggest"),
    ("review",),
    ("review", "--list"),
    ("review", "--status", "all"),
    ("status",),
    ("why", "pnpm"),
    ("context", "--project", "shop"),
    ("verify",),
    ("settings",),
    ("settings", "evolution", "observe"),
    ("forget", "9e286ed7-d4fe-57bf-9d14-9fde47bf9ec2"),
    ("init", "--yes"),
    ("init", "--uninstall"),
)


def test_scripts_get_exactly_one_document(desk: Desk) -> None:
    desk.dream()
    for arguments in _SCRIPTED:
        ran = desk.twice(*arguments, "--json")
        assert ran.code == 0, (arguments, ran.err)
        assert isinstance(ran.value, dict), arguments
        assert ran.out.endswith("}\n")


def test_deciding_by_scripts_is_bound_to_what_was_seen(desk: Desk) -> None:
    ids = desk.dream()
    listed = desk.twice("review", "--list", "--json").value["proposals"]
    seen = {item["id"]: item["hash"] for item in listed}
    hashes = {word: seen[id] for word, id in ids.items()}
    assert desk.twice("approve", ids["pnpm"], "--hash", hashes["main"], "--json").code == 1
    approved = desk.twice("approve", ids["pnpm"], "--hash", hashes["pnpm"], "--json")
    assert (approved.code, approved.value["status"]) == (0, "approved")
    rejected = desk.twice("reject", ids["main"], "--hash", hashes["main"], "--json")
    assert (rejected.code, rejected.value["status"]) == (0, "rejected")
    undone = desk.twice("rollback", ids["pnpm"], "--hash", hashes["pnpm"], "--json")
    assert (undone.code, undone.value["status"], undone.value["retired"]) == (0, "rolled back", [])


def test_the_list_for_scripts_keeps_its_contract(desk: Desk) -> None:
    ids = desk.dream()
    desk.twice("reject", ids["short"])
    value = desk.twice("review", "--list", "--json").value
    assert list(value) == ["proposals"]
    assert {item["id"]: item["status"] for item in value["proposals"]} == {
        ids["pnpm"]: "pending",
        ids["main"]: "pending",
        ids["short"]: "rejected",
    }
    for item in value["proposals"]:
        assert {"id", "kind", "text", "hash", "status", "evidence"} <= set(item)
        assert re.fullmatch("[0-9a-f]{64}", item["hash"])
        for quote in item["evidence"]:
            assert {"session", "anchor", "quote", "at", "agent"} <= set(quote)
            assert quote["anchor"].startswith(quote["session"] + ":")


def test_the_list_for_people_is_what_waits(desk: Desk) -> None:
    ids = desk.dream()
    desk.twice("reject", ids["short"])
    listed = desk.twice("review", "--list").out
    assert ids["short"] not in listed and ids["main"] in listed
    assert ids["short"] in desk.twice("review", "--list", "--status", "rejected").out


def test_scripts_are_handed_the_newest_fifty(desk: Desk) -> None:
    desk.dream()
    many = [{"kind": "memory", "text": f"Use port {n} for service {n}."} for n in range(60)]
    handed = desk.twice("propose", "--file", "-", "--json", given=json.dumps(many))
    assert handed.code == 0, handed.err
    listed = desk.twice("review", "--list", "--json").value["proposals"]
    assert len(listed) == 50
    assert {item["origin"] for item in listed} == {"person"}


def test_one_bad_candidate_never_sinks_the_others(desk: Desk) -> None:
    good = {"kind": "memory", "text": "Deploy on Mondays."}
    handed = desk.twice("propose", "--file", "-", "--json", given=json.dumps([{"kind": "x"}, good]))
    assert handed.code == 1
    assert [item["text"] for item in handed.value["proposals"]] == ["Deploy on Mondays."]
    assert [refused["code"] for refused in handed.value["refused"]] == ["malformed"]


# What goes wrong


def refused(ran: Ran, code: int, *words: str) -> None:
    """Check that a command said in one line what is wrong, and nothing else."""
    assert ran.code == code, ran
    assert ran.err.count("\n") == 1 and ran.err.endswith("\n"), ran.err
    assert "Traceback" not in ran.err and "Twice itself" not in ran.err and "Errno" not in ran.err
    for word in words:
        assert word in ran.err, ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nosuch",), "nosuch"),
        (("dream", "--mod"), "--mode"),
        (("dream", "--mode", "wild"), "'suggest'"),
        (("dream", "--otherwise", "nowhere"), "nowhere"),
        (("approve",), "ID"),
        (("forget",), "SESSION-or-ID"),
        (("verify", "more"), "more"),
        (("rollback", "x", "--revision", "one"), "one"),
        (("propose",), "--file"),
        (("propose", "--file", "nowhere.json"), "nowhere.json"),
        (("propose", "--file", "."), "directory"),
        (("init", "--mode", "wild"), "'suggest'"),
    ],
)
def test_wrong_usage_is_one_line_and_2(
    settled: Desk, arguments: tuple[str, ...], words: str
) -> None:
    refused(settled.twice(*arguments), 2, words, "--help")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dream", "nowhere", "--mode", "suggest"), "nowhere"),
        (("dream", "notes.txt", "--mode", "suggest"), "notes.txt"),
        (("dream", "zeros.jsonl", "--mode", "suggest"), "zeros.jsonl"),
        (("dream", "empty.jsonl", "--mode", "suggest"), "empty.jsonl"),
        (("dream", "sessions", "--mode", "suggest", "--project", "x"), "shop"),
        (("dream", "--since", "yesterday", "--mode", "suggest"), "2026-01-31 or 7d"),
        (("approve", "prp_x"), "There is no item prp_x."),
        (("reject", "prp_x"), "There is no item prp_x."),
        (("rollback", "prp_x"), "There is no item prp_x."),
        (("review", "prp_x"), "There is no item prp_x."),
        (("review", "--status", "open"), "pending"),
        (("review", "--list", "--project", "x"), "Known: shop, work."),
        (("why", "zebra"), "zebra"),
        (("forget", "zebra"), "zebra"),
        (("context", "--project", "x"), "Known: shop, work."),
        (("settings", "evolution"), "evolution"),
        (("settings", "evolution", "wild"), "auto-safe"),
        (("settings", "volume", "11"), "volume"),
        (("settings", "workflows", "on", "--project", "x"), "evolution"),
        (("propose", "--file", "notes.txt"), "JSON"),
        (("propose", "--file", "zeros.jsonl"), "1,048,576"),
        (("init",), "--yes"),
    ],
)
def test_wrong_input_is_one_line_and_1_and_changes_nothing(
    settled: Desk, arguments: tuple[str, ...], words: str
) -> None:
    before = settled.everything()
    refused(settled.twice(*arguments), 1, words)
    assert settled.everything() == before


def test_a_folder_of_no_project_is_said_to_be_none(
    settled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(settled.home)
    refused(settled.twice("context"), 1, "no project", "--project")


def test_a_decision_that_was_taken_is_refused_in_one_line(desk: Desk) -> None:
    id = desk.dream()["pnpm"]
    refused(desk.twice("rollback", id), 1, "Not rolled back")
    assert desk.twice("approve", id).code == 0
    refused(desk.twice("approve", id), 1, "Not approved", f"twice why {id}")
    refused(desk.twice("rollback", id, "--revision", "7"), 1, "revision 1, not 7")
    assert desk.status_of(id) == "approved"


def test_a_folder_without_sessions_is_no_fault(desk: Desk) -> None:
    (desk.work / "nothing").mkdir()
    ran = desk.twice("dream", "nothing", "--mode", "suggest")
    assert (ran.code, ran.err) == (0, "")
    assert "none found" in ran.out and "nothing recurs" in ran.out


def test_a_home_that_is_a_file_is_left_as_it_is(desk: Desk) -> None:
    desk.data.write_text("mine")
    ran = desk.twice("status")
    assert ran.code == 1 and ran.err.count("\n") == 1 and str(desk.data) in ran.err
    assert desk.data.read_text() == "mine"


@pytest.mark.parametrize(
    "arguments", [("status",), ("review", "--list"), ("verify",), ("settings", "workflows", "on")]
)
def test_a_store_that_is_none_is_named_and_left_as_it_is(
    desk: Desk, arguments: tuple[str, ...]
) -> None:
    desk.data.mkdir()
    (desk.data / "twice.db").write_text("no database at all, but some text")
    refused(desk.twice(*arguments), 1, str(desk.data / "twice.db"))
    assert (desk.data / "twice.db").read_text() == "no database at all, but some text"


def test_malformed_settings_close_learning_and_say_so(desk: Desk) -> None:
    desk.data.mkdir()
    (desk.data / "config.toml").write_text("evolution = [")
    ran = desk.twice("dream", "sessions", "--mode", "suggest")
    assert "Mode off" in ran.out and "malformed" in ran.out and "Mend or remove" in ran.out
    assert "malformed" in desk.twice("status").out
    refused(desk.twice("settings", "evolution", "off"), 1, "malformed", "Mend or remove")
    assert (desk.data / "config.toml").read_text() == "evolution = ["


def test_a_malformed_file_of_the_repository_closes_learning_and_says_so(desk: Desk) -> None:
    desk.twice("settings", "evolution", "suggest")
    (desk.work / ".twice").mkdir()
    (desk.work / ".twice" / "config.toml").write_text('evolution = "high"')
    ran = desk.twice("status", "--json")
    assert ran.value["mode"] == "off"
    assert ".twice/config.toml" in ran.value["reason"]


def test_nul_bytes_and_an_unfinished_record_are_passed_over_and_counted(desk: Desk) -> None:
    path = next((desk.work / "sessions" / "claude").rglob("1a9d564d*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], bytes(999) + b"\n", *lines[2:], b'{"type":"user","m']))
    ran = desk.twice("dream", "sessions", "--mode", "suggest")
    assert ran.code == 0
    assert "Passed over: 1 × " in ran.out and "not finished" in ran.out
    assert "3 proposals wait" in ran.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named_and_the_others_are_read(desk: Desk) -> None:
    path = next((desk.work / "sessions" / "claude").rglob("1a9d564d*.jsonl"))
    path.chmod(0)
    ran = desk.twice("dream", "sessions", "--mode", "suggest")
    assert ran.code == 0
    assert path.name in ran.out + ran.err


# Where it runs


def test_every_locale_gets_the_same_words(desk: Desk) -> None:
    """Paths with signs of many scripts, too: emoji and Chinese in the log and in its name."""
    folder = desk.work / "sessions" / "日本-é-🦆"
    folder.mkdir()
    path = next((desk.work / "sessions" / "claude").rglob("1a9d564d*.jsonl"))
    said = path.read_text("utf-8").replace("use pnpm", "use pnpm 🦆")
    path.unlink()
    (folder / path.name).write_text(said, "utf-8")

    def screens(**environment: str) -> list[bytes]:
        shutil.rmtree(desk.data, ignore_errors=True)
        ran = [
            typed(desk, "dream", "sessions", "--mode", "suggest", **environment),
            typed(desk, "why", "pnpm", **environment),
            typed(desk, "approve", "日本 🦆", **environment),
        ]
        return [normalised((done.stdout + done.stderr).decode(), desk).encode() for done in ran]

    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    expected = screens(LC_ALL="C.UTF-8")
    assert "🦆" in expected[1].decode() and b"itself" not in b"".join(expected)
    assert screens(**plain) == expected


def test_a_reader_that_leaves_early_is_no_failure_to_talk_about(desk: Desk) -> None:
    desk.dream()
    for arguments in (("why", "pnpm"), ("review", "--list", "--json")):
        done = typed(desk, *arguments, shell='"$@" | true')
        assert done.stderr == b""


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_do_no_harm(desk: Desk, closed: str) -> None:
    desk.dream()
    done = typed(desk, "status", shell=f'"$@" {closed}')
    assert (done.returncode, done.stderr) == (0, b"")
    assert desk.twice("verify").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(desk: Desk) -> None:
    done = typed(desk, "status", shell='"$@" > /dev/full')
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "The system refused: No space left on device. Hint: Mend it, then try again.\n"
    )
