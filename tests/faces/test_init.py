"""Init shows what is there, asks, changes only what was said, and puts everything back."""

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.builders import Home, tree

from twice.faces import hook as program

TWICE = [sys.executable, "-c", "from twice.faces.cli import main; main()"]


class Person(Home):
    """A person with a home of their own, some sessions, and settings of Claude Code."""

    @property
    def sessions(self) -> Path:
        """Where Claude Code keeps this person's sessions."""
        return self.root / ".claude" / "projects" / "-work-shop"

    @property
    def settings(self) -> Path:
        """The settings of Claude Code."""
        return self.root / ".claude" / "settings.json"

    @property
    def environment(self) -> dict[str, str]:
        """Return an environment in which nothing of this machine is seen."""
        return {
            "HOME": str(self.root),
            "TWICE_HOME": str(self.data),
            "PATH": os.environ["PATH"],
            "TERM": "dumb",
        }

    def init(self, *arguments: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        """Run ``twice init`` without a terminal."""
        done = subprocess.run(
            [*TWICE, "init", *arguments],
            env=self.environment,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def says_to_init(self, answers: str, *arguments: str) -> str:
        """Run ``twice init`` in a terminal and type answers; return what it showed."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*TWICE, "init", *arguments],
            env=self.environment,
            cwd=self.project,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        os.write(ours, answers.encode())
        shown, end = b"", time.monotonic() + 20
        while time.monotonic() < end and select.select([ours], [], [], 20)[0]:
            try:
                piece = os.read(ours, 65_536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        assert process.wait(timeout=20) == 0, shown.decode()
        os.close(ours)
        return shown.decode()

    def mode(self) -> str:
        """Return the mode that is set."""
        path = self.data / "config.toml"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path)
    person.says(1, "use pnpm, not npm")
    person.says(2, "again: use pnpm, not npm")
    return person


def test_without_a_terminal_it_asks_nothing_and_says_how(person: Person) -> None:
    done = person.init(code=1)
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert "twice init --yes" in done.stderr


def test_yes_chooses_off_and_says_so(person: Person) -> None:
    before = person.settings.exists()
    done = person.init("--yes")
    assert "claude-code" in done.stdout and "2 sessions" in done.stdout
    assert "Mode: off" in done.stdout and "hook" in done.stdout
    assert "evolution" not in person.mode() and person.settings.exists() == before


def test_yes_keeps_a_mode_that_was_chosen(person: Person) -> None:
    person.sets('# mine\nevolution = "suggest"\n')
    assert "Mode: suggest" in person.init("--yes").stdout
    assert person.mode() == '# mine\nevolution = "suggest"\n'


def test_a_mode_and_the_hook_are_set_at_once_and_only_once(person: Person) -> None:
    first = person.init("--yes", "--mode", "suggest", "--hook")
    assert 'evolution = "suggest"' in person.mode() and "+++" in first.stdout
    command = json.loads(person.settings.read_text())["hooks"]["SessionStart"][0]["hooks"][0]
    assert command["type"] == "command" and str(person.data) in command["command"]
    before = tree(person.root / ".claude"), person.mode()
    second = person.init("--yes", "--mode", "suggest", "--hook")
    assert "installed already" in second.stdout
    assert (tree(person.root / ".claude"), person.mode()) == before


def test_the_installed_line_runs(person: Person) -> None:
    person.init("--yes", "--hook")
    group = json.loads(person.settings.read_text())["hooks"]["SessionStart"][0]
    line = group["hooks"][0]["command"]
    done = subprocess.run(line, shell=True, input=b"{}", env={}, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert Path(shlex.split(line)[3]) == Path(program.__file__)


def test_uninstall_gives_back_the_exact_bytes(person: Person) -> None:
    original = b'\xef\xbb\xbf{\r\n\t// mine\r\n\t"model": "opus",\r\n}\r\n'
    person.settings.write_bytes(original)
    before = tree(person.root / ".claude")
    person.init("--yes", "--hook")
    assert person.settings.read_bytes() != original
    person.init("--uninstall")
    assert tree(person.root / ".claude") == before
    assert "no hook" in person.init("--uninstall").stdout


def test_uninstall_needs_no_store(person: Person) -> None:
    person.init("--yes", "--hook")
    (person.data / "twice.db").write_bytes(b"broken")
    person.init("--uninstall")
    assert not person.settings.exists()


def test_a_broken_user_file_is_told_and_left_alone(person: Person) -> None:
    person.sets("evolution = 7\n")
    done = person.init("--yes", "--mode", "suggest", code=1)
    assert done.stderr.count("\n") == 1 and person.mode() == "evolution = 7\n"


def test_a_dry_run_shows_the_change_and_makes_none(person: Person) -> None:
    person.settings.write_text('{"model": "opus"}')
    before = tree(person.root)
    done = person.init("--dry-run", "--hook", "--mode", "suggest")
    assert "+++" in done.stdout and "SessionStart" in done.stdout and "Dry run" in done.stdout
    person.init("--dry-run", "--uninstall")
    assert tree(person.root) == before


def test_the_diff_shows_no_secret(person: Person) -> None:
    value = "sk-ant-api03-" + "Zk9xQ7pL2mN8vB4c" * 5
    person.settings.write_text(f'{{\n  "env": {{"ANTHROPIC_API_KEY": "{value}"}}\n}}\n')
    done = person.init("--yes", "--hook")
    assert value not in done.stdout + done.stderr and "SessionStart" in done.stdout
    assert value.encode() not in person.raw() and value in person.settings.read_text()


def test_malformed_settings_are_one_clear_line(person: Person) -> None:
    person.settings.write_text('{"model": }')
    done = person.init("--yes", "--hook", code=1)
    assert "settings.json is malformed, line 1" in done.stderr and done.stderr.count("\n") == 1
    assert person.settings.read_text() == '{"model": }'


def test_a_hook_changed_by_hand_is_one_clear_line(person: Person) -> None:
    person.init("--yes", "--hook")
    text = person.settings.read_text().replace('"timeout": 5', '"timeout": 9')
    person.settings.write_text(text)
    done = person.init("--uninstall", code=1)
    assert "changed by hand" in done.stderr and done.stderr.count("\n") == 1
    assert person.settings.read_text() == text


def test_the_settings_folder_of_the_environment_is_used(person: Person) -> None:
    chosen = person.root / "elsewhere"
    line = [*TWICE, "init", "--yes", "--hook", "--json"]
    environment = {**person.environment, "CLAUDE_CONFIG_DIR": str(chosen)}
    done = subprocess.run(line, env=environment, cwd=person.project, capture_output=True)
    outcome = json.loads(done.stdout)
    assert outcome["hook"]["path"] == str(chosen / "settings.json")
    assert (chosen / "settings.json").exists() and not person.settings.exists()


def test_scripts_get_one_document(person: Person) -> None:
    outcome = json.loads(person.init("--yes", "--mode", "observe", "--json").stdout)
    assert outcome["mode"] == "observe" and outcome["dry_run"] is False
    assert outcome["hook"]["standing"] == "not installed"
    agents = {agent["agent"]: agent for agent in outcome["agents"]}
    assert agents["claude-code"]["sessions"] == 2 and agents["claude-code"]["bytes"] > 0
    undone = json.loads(person.init("--uninstall", "--json").stdout)
    assert undone["hook"] == {
        "path": str(person.settings), "standing": "not installed", "changed": False,
    }  # fmt: skip


def test_a_person_is_asked_and_answers(person: Person) -> None:
    shown = person.says_to_init("suggest\ny\n")
    for mode in ("off", "observe", "suggest", "auto-safe"):
        assert f"  {mode} " in shown
    assert "Write this?" in shown and "Next: twice dream" in shown
    assert (
        'evolution = "suggest"' in person.mode() and "SessionStart" in person.settings.read_text()
    )


def test_a_person_who_says_no_gets_nothing(person: Person) -> None:
    shown = person.says_to_init("\nn\n")
    assert "Mode: off" in shown
    assert not person.settings.exists() and "evolution" not in person.mode()


def test_no_sessions_is_said(tmp_path: Path) -> None:
    person = Person(tmp_path / "empty")
    assert "No sessions" in person.init("--yes").stdout
