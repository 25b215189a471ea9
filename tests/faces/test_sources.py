"""Sources tells what there is to learn from and what was said in it, and keeps nothing of it.

The golden files are written anew as those of the command line are: see tests/faces/test_cli.py.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faces.desk import Desk, Ran, compare, normalised, seated

from twice.actions.kit import Opened
from twice.actions.surveying import Said, Unread, as_typed, said
from twice.core.transcript import Event, Kind, Position, Reading, Skipped, Speaker
from twice.faces.columns import columns
from twice.ports import Known, Log

PROGRAM = [sys.executable, "-m", "twice"]
KEYS = ["session", "agent", "index", "at", "anchor", "text", "via"]
FIRST = "1a9d564d-b8d4-554f-be47-a296e419b133"
TOKEN = "ghp_"
PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        yield desk


@pytest.fixture
def at_home(desk: Desk) -> Desk:
    """A desk whose sessions of Claude Code lie where Claude Code keeps them."""
    projects = desk.home / ".claude" / "projects"
    shutil.copytree(desk.work / "sessions" / "claude", projects)
    return desk


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


def lines_of(ran: Ran) -> list[dict[str, Any]]:
    """Return the turns that were printed, one on each line."""
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def settings_say(desk: Desk, text: str) -> None:
    """Write the settings of Claude Code."""
    path = desk.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


# What was found


def test_what_was_found_reads_as_written_down(desk: Desk) -> None:
    (desk.work / "sessions" / "strange.jsonl").write_text('{"words": 1}\n')
    (desk.work / "sessions" / "gone.jsonl").symlink_to("nowhere")
    ran = desk.twice("sources", "sessions")
    assert (ran.code, ran.err) == (0, "")
    compare("sources.txt", normalised(f"$ twice sources sessions\n{ran.out}", desk))
    assert max(map(columns, ran.out.splitlines())) <= 80


def test_without_a_path_the_places_of_the_agents_are_looked_at(at_home: Desk) -> None:
    ran = at_home.twice("sources")
    assert ran.out.startswith("Found on this machine:\n  claude-code  5 sessions, ")
    assert "codex" not in ran.out and "2026-11-02 to 2026-11-12" in ran.out


def test_a_machine_without_sessions_is_no_fault(desk: Desk) -> None:
    ran = desk.twice("sources")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "No sessions of coding agents were found on this machine.\n"
    assert desk.twice("sources", "--json").value == {"agents": [], "unreadable": [], "unknown": []}


def test_the_span_is_when_sessions_began_not_when_files_were_copied(desk: Desk) -> None:
    for path in (desk.work / "sessions").rglob("*.jsonl"):
        os.utime(path, (1_900_000_000, 1_900_000_000))
    agents = desk.twice("sources", "sessions", "--json").value["agents"]
    spans = {item["agent"]: (item["first"][:10], item["last"][:10]) for item in agents}
    assert spans["codex"] == ("2026-11-05", "2026-11-16")


def test_init_and_sources_count_the_same(at_home: Desk) -> None:
    def counts(*arguments: str) -> list[tuple[str, int, int]]:
        agents = at_home.twice(*arguments, "--json").value["agents"]
        return [(item["agent"], item["sessions"], item["bytes"]) for item in agents]

    assert counts("init", "--yes") == counts("sources") != []


def test_a_file_that_cannot_be_read_in_the_agents_own_place_is_named(at_home: Desk) -> None:
    link = at_home.home / ".claude" / "projects" / "-home-dev-shop" / "broken.jsonl"
    link.symlink_to(link)
    ran = at_home.twice("sources", "--json")
    assert [Path(item["path"]).name for item in ran.value["unreadable"]] == ["broken.jsonl"]
    assert ran.value["unreadable"][0]["reason"] and ran.value["unknown"] == []
    assert ran.value["agents"][0]["sessions"] == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_of_somebody_else_is_named(at_home: Desk) -> None:
    path = next((at_home.home / ".claude").rglob(f"{FIRST}.jsonl"))
    path.chmod(0)
    assert "Permission denied: " in at_home.twice("sources").out


def test_of_many_strange_files_the_first_are_named_to_people_and_all_to_scripts(desk: Desk) -> None:
    for number in range(8):
        (desk.work / "sessions" / f"{number}.jsonl").write_text("{}\n")
    assert "8 files look like sessions" in desk.twice("sources", "sessions").out
    assert "… and 3 more" in desk.twice("sources", "sessions").out
    assert len(desk.twice("sources", "sessions", "--json").value["unknown"]) == 8


def test_a_path_that_could_steer_a_terminal_is_shown_as_it_is(desk: Desk) -> None:
    (desk.work / "sessions" / "a\x1b[2Jb.jsonl").write_text("{}\n")
    for arguments in (("sources", "sessions"), ("sources", "turns", "sessions")):
        ran = desk.twice(*arguments)
        assert "\x1b" not in ran.out + ran.err and "\\x1b[2J" in ran.out + ran.err


def test_a_session_that_lies_in_two_files_counts_once(at_home: Desk) -> None:
    before = at_home.twice("sources", "--json").value["agents"]
    path = next((at_home.home / ".claude").rglob(f"{FIRST}.jsonl"))
    (path.parent / "copy").mkdir()
    (path.parent / "copy" / path.name).write_bytes(path.read_bytes())
    after = at_home.twice("sources", "--json").value["agents"]
    assert [agent["sessions"] for agent in after] == [agent["sessions"] for agent in before]
    assert after[0]["bytes"] == before[0]["bytes"] + path.stat().st_size


# What an agent deletes by itself


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        (None, "30 days"),
        ("{}", "30 days"),
        ('{"cleanupPeriodDays": 7}', "7 days"),
        ('{"cleanupPeriodDays": 1}', "1 day"),
        ('// mine\n{"cleanupPeriodDays": 365,}', "365 days"),
        ('{"cleanupPeriodDays": 0}', "30 days"),
        ('{"cleanupPeriodDays": -3}', "30 days"),
        ('{"cleanupPeriodDays": "7"}', "30 days"),
        ('{"cleanupPeriodDays": [7]}', "30 days"),
        ('{"cleanupPeriodDays": 9%s}' % ("9" * 9_000), "30 days"),
        ("[1]", "30 days"),
        ("7", "30 days"),
        ("{", "30 days"),
    ],
)
def test_what_claude_code_deletes_is_said_with_the_way_to_keep_it(
    at_home: Desk, settings: str | None, days: str
) -> None:
    if settings is not None:
        settings_say(at_home, settings)
    out = " ".join(at_home.twice("sources").out.split())
    assert f"Claude Code deletes sessions after {days}. To keep them longer, set" in out
    assert 'set "cleanupPeriodDays" to more days in ~/.claude/settings.json.' in out
    kept = at_home.twice("sources", "--json").value["agents"][0]["kept_days"]
    assert kept == int(days.split()[0])


def test_the_settings_are_those_of_the_folder_that_claude_code_uses(
    at_home: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(at_home.work / "claude"))
    (at_home.home / ".claude").rename(at_home.work / "claude")
    (at_home.work / "claude" / "settings.json").write_text('{"cleanupPeriodDays": 9}')
    assert at_home.twice("sources", "--json").value["agents"][0]["kept_days"] == 9


def test_no_warning_where_no_session_of_that_agent_was_found(desk: Desk) -> None:
    assert "deletes" not in desk.twice("sources", "sessions/codex").out


# What was said


def test_the_turns_read_as_written_down(desk: Desk) -> None:
    ran = desk.twice("sources", "turns", "sessions")
    assert (ran.code, ran.err) == (0, "")
    compare("sources-turns.txt", normalised(f"$ twice sources turns sessions\n{ran.out}", desk))
    assert max(map(columns, ran.out.splitlines())) <= 80


def test_every_human_turn_is_one_object_on_a_line(desk: Desk) -> None:
    turns = lines_of(desk.twice("sources", "turns", "sessions", "--json"))
    assert len(turns) == 34
    for turn in turns:
        assert list(turn) == KEYS
        session, seq, kind = turn["anchor"].rsplit(":", 2)
        assert (session, kind, seq.isdecimal()) == (turn["session"], turn["via"], True)
    assert {"prompt", "queued", "refusal"} <= {turn["via"] for turn in turns} <= {*Kind} - {"reply"}
    assert {turn["agent"] for turn in turns} == {"claude-code", "codex", "specstory"}


def test_turns_are_numbered_within_their_session(desk: Desk) -> None:
    numbers: dict[str, list[int]] = {}
    for turn in lines_of(desk.twice("sources", "turns", "sessions", "--json")):
        numbers.setdefault(turn["session"], []).append(turn["index"])
    assert len(numbers) == 9
    assert all(found == list(range(len(found))) for found in numbers.values())


def test_a_turn_without_a_time_has_none(desk: Desk) -> None:
    path = desk.work / f"{FIRST}.jsonl"
    record = {"type": "user", "sessionId": FIRST, "message": {"role": "user", "content": "Hi."}}
    path.write_text(json.dumps(record) + "\n")
    (turn,) = lines_of(desk.twice("sources", "turns", path.name, "--json"))
    assert (turn["at"], turn["text"]) == (None, "Hi.")
    assert "  0  undated  prompt\n     Hi.\n" in desk.twice("sources", "turns", path.name).out


def test_secrets_and_home_folders_go_unless_raw_is_asked_for(desk: Desk) -> None:
    path = next((desk.work / "sessions").rglob(f"{FIRST}.jsonl"))
    home = json.dumps(str(desk.home))[1:-1]
    path.write_text(path.read_text("utf-8").replace("no dialog appeared", f"see {home}/x"), "utf-8")
    clean = desk.twice("sources", "turns", "sessions", "--json")
    assert TOKEN not in clean.out and "[redacted:github-token]" in clean.out
    assert str(desk.home) not in clean.out and "see ~/x" in clean.out
    assert TOKEN not in desk.twice("sources", "turns", "sessions").out
    raw = desk.twice("sources", "turns", "sessions", "--json", "--raw")
    assert TOKEN in raw.out and f"see {desk.home}/x" in raw.out
    assert raw.err == "Not redacted: secrets and home folders are shown as they were typed.\n"
    assert len(lines_of(raw)) == len(lines_of(clean))


def test_no_character_of_a_turn_ends_its_line(desk: Desk) -> None:
    said = "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven\neight"
    path = desk.work / f"{FIRST}.jsonl"
    record = {"type": "user", "sessionId": FIRST, "message": {"role": "user", "content": said}}
    path.write_text(json.dumps(record) + "\n")
    (turn,) = lines_of(desk.twice("sources", "turns", path.name, "--json"))
    assert turn["text"] == said


def test_damage_is_counted_beside_the_turns(desk: Desk) -> None:
    path = next((desk.work / "sessions").rglob(f"{FIRST}.jsonl"))
    path.write_bytes(path.read_bytes() + b'{"type":"user","m')
    ran = desk.twice("sources", "turns", str(path), "--json")
    assert len(lines_of(ran)) == 5
    assert ran.err == "Passed over: 1 × the last record is not finished yet.\n"


def test_what_is_no_session_is_named_beside_the_turns(desk: Desk) -> None:
    (desk.work / "sessions" / "gone.jsonl").symlink_to("nowhere")
    ran = desk.twice("sources", "turns", "sessions", "--json")
    assert len(lines_of(ran)) == 34
    assert ran.err.startswith("1 file passed over, unknown or not readable; the first: ")


def test_a_file_that_is_called_turns_is_meant_by_its_path(desk: Desk) -> None:
    shutil.copytree(desk.work / "sessions" / "codex", desk.work / "turns")
    assert "codex        2 sessions" in desk.twice("sources", "./turns").out
    assert desk.twice("sources", "turns").code == 2


class _Slow:
    """A source of endless sessions, whose third file cannot be read on."""

    name = "slow"
    suffixes = ()

    def __init__(self) -> None:
        self.asked = 0

    def homes(self) -> list[Path]:
        return []

    def files(self, folder: Path, known: Known) -> Iterator[Path]:
        return iter(())

    def recognises(self, path: Path, head: bytes) -> bool:
        return True

    def logs(self, path: Path) -> Iterator[Log]:
        yield Log("", 0, 0, lambda _: self._read(path))

    def _read(self, path: Path) -> Iterator[Reading]:
        for seq in range(3):
            self.asked += 1
            yield Event("s1", seq, Kind.PROMPT, Speaker.HUMAN, f"say {seq}")
            yield Event("s1", seq, Kind.REPLY, Speaker.AGENT, "done")
            if path.name == "3":
                raise OSError(5, "Input/output error")
        yield Skipped(3, "damage")
        yield Position()


def test_turns_come_as_they_are_read() -> None:
    source = _Slow()
    turns = said([Opened(source, Path(name)) for name in "12"], as_typed)
    assert isinstance(next(turns), Said) and source.asked == 1


def test_a_session_in_two_files_is_numbered_on_and_a_failing_file_ends_alone() -> None:
    heard = list(said([Opened(_Slow(), Path(name)) for name in "132"], as_typed))
    assert [item.index for item in heard if isinstance(item, Said)] == list(range(7))
    assert [item for item in heard if isinstance(item, Unread)] == [
        Unread(Path("3"), "Input/output error")
    ]
    assert sum(isinstance(item, Skipped) for item in heard) == 2


# Nothing is kept


@pytest.mark.parametrize("arguments", [("sources",), ("sources", "turns", "sessions", "--json")])
@pytest.mark.parametrize("broken", ["nothing", "a file", "no database", "bad settings", "mode off"])
def test_nothing_is_kept_and_nothing_of_ours_is_needed(
    at_home: Desk, arguments: tuple[str, ...], broken: str
) -> None:
    match broken:
        case "a file":
            at_home.data.write_text("mine")
        case "no database":
            at_home.data.mkdir()
            (at_home.data / "twice.db").write_text("no database at all, but some text")
        case "bad settings":
            at_home.data.mkdir()
            (at_home.data / "config.toml").write_text("evolution = [")
        case "mode off":
            at_home.twice("settings", "evolution", "off")
    before, there = at_home.everything(), at_home.data.exists()
    ran = at_home.twice(*arguments)
    assert (ran.code, ran.err) == (0, "") and ran.out
    assert at_home.everything() == before and at_home.data.exists() is there


# What goes wrong, and where it runs


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("sources", "nowhere"), 1, "nowhere"),
        (("sources", "notes.txt"), 1, "notes.txt"),
        (("sources", "--jso"), 2, "--json"),
        (("sources", "turns", "nowhere"), 1, "nowhere"),
        (("sources", "turns", "notes.txt", "--json"), 1, "notes.txt"),
        (("sources", "turns"), 2, "twice sources turns --help"),
        (("sources", "turns", "--wild"), 2, "twice sources turns --help"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    desk: Desk, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (desk.work / "notes.txt").write_text("buy milk\n")
    ran = desk.twice(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.count("\n") == 1 and ran.err.endswith("\n") and words in ran.err


def test_the_turns_have_their_own_help(desk: Desk) -> None:
    ran = desk.twice("sources", "turns", "--help")
    assert ran.out.startswith("Usage: twice sources turns [OPTIONS] PATHS...")
    assert "twice sources turns" in ran.out.partition("Examples:\n")[2]
    assert max(map(columns, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("reader", ["true", "head -n 1"])
def test_a_reader_that_leaves_early_is_no_failure_to_talk_about(desk: Desk, reader: str) -> None:
    for arguments in (("sources", "sessions"), ("sources", "turns", "sessions", "--json")):
        done = typed(desk, *arguments, shell=f'"$@" | {reader}')
        assert done.stderr == b""


def test_every_locale_gets_the_same_words(desk: Desk) -> None:
    folder = desk.work / "sessions" / "日本-é-🦆"
    folder.mkdir()
    (folder / "鸭.jsonl").write_text("{}\n")
    path = next((desk.work / "sessions" / "claude").rglob(f"{FIRST}.jsonl"))
    path.write_text(path.read_text("utf-8").replace("use pnpm", "use pnpm 🦆"), "utf-8")
    for arguments in (
        ("sources", "sessions"),
        ("sources", "sessions", "--json"),
        ("sources", "turns", "sessions"),
        ("sources", "turns", "sessions", "--json"),
    ):
        expected = typed(desk, *arguments, LC_ALL="C.UTF-8")
        assert expected.returncode == 0 and b"itself" not in expected.stderr
        assert "🦆" in (expected.stdout + expected.stderr).decode()
        plain = typed(desk, *arguments, **PLAIN)
        assert (plain.stdout, plain.stderr) == (expected.stdout, expected.stderr)


def test_a_name_that_is_no_text_is_shown_all_the_same(desk: Desk) -> None:
    strange = os.fsencode(desk.work / "sessions") + b"/\xff.jsonl"
    Path(os.fsdecode(strange)).write_text("{}\n")
    assert "1 file looks like a session" in desk.twice("sources", "sessions").out
    assert len(desk.twice("sources", "sessions", "--json").value["unknown"]) == 1
    assert lines_of(desk.twice("sources", "turns", "sessions", "--json"))
