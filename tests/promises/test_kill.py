"""Promise 4, with real processes: whatever moment a kill -9 comes at, nothing is half-done."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import tree
from tests.promises.machine import WISH, Machine, machine

# Runs the command line, and kills its own process at the n-th write.
RUNNER = """
import os, signal, sys
from contextlib import contextmanager
from twice import wiring
from twice.faces.cli import main
from twice.store.sql import SqliteDatabase

left = int(sys.argv[1])

def step(name):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

class Mortal(SqliteDatabase):
    @contextmanager
    def writing(self, *, durable=False):
        with super().writing(durable=durable) as tables:
            yield tables
            step("before commit")
        step("after commit")

publisher = wiring.Publisher
wiring.SqliteDatabase = Mortal
wiring.Publisher = lambda **_: publisher(step=step)
sys.argv = ["twice", *sys.argv[2:]]
main()
"""
MOST_WRITES = 120


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine whose project is used by two kinds of agents."""
    made = machine(tmp_path / "machine")
    (made.project / "CLAUDE.md").write_text("# Shop\n")
    (made.project / "AGENTS.md").write_text("# Shop\n")
    return made


def run(home: Machine, *arguments: str, kill_at: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run the command line in a process of its own; kill it at its n-th write."""
    environment = {**os.environ, "TWICE_HOME": str(home.data)}
    return subprocess.run(
        [sys.executable, "-c", RUNNER, str(kill_at), *arguments],
        cwd=home.project,
        env=environment,
        text=True,
        capture_output=True,
        timeout=60,
    )


def killed(home: Machine, stride: int, *arguments: str) -> Iterator[int]:
    """Run a command from the same beginning again and again, killed later each time."""
    restore = home.snapshot()
    for number in range(1, MOST_WRITES, stride):
        done = run(home, *arguments, kill_at=number)
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            return
        yield number
        restore()
    raise AssertionError("a command writes without end")


def sound(home: Machine, where: int) -> None:
    """Check that a person is told of nothing, or of one file."""
    verified = run(home, "verify")
    if verified.returncode != 0:
        assert len(verified.stderr.strip().splitlines()) <= 2, (where, verified.stderr)
    assert "Traceback" not in verified.stderr, where
    assert verified.returncode == 0, (where, verified.stderr)


def test_an_approval_killed_at_any_moment_is_done_or_undone(home: Machine) -> None:
    id = home.proposes("skill")
    before = tree(home.project)
    count = 0
    for number in killed(home, 7, "approve", id):
        count += 1
        sound(home, number)
        home.does("approve", id)
        assert home.status(id) == "active", number
        home.does("roll back", id)
        assert tree(home.project) == before, number
    assert count >= 4


def test_a_rollback_killed_at_any_moment_is_done_or_undone(home: Machine) -> None:
    id = home.proposes("skill")
    before = tree(home.project)
    home.does("approve", id)
    for number in killed(home, 11, "rollback", id):
        sound(home, number)
        home.does("roll back", id)
        assert home.status(id) == "rolled back", number
        assert tree(home.project) == before, number


def test_a_dream_killed_at_any_moment_loses_and_doubles_nothing(home: Machine) -> None:
    for number, words in enumerate(WISH, 1):
        home.says(number, f"Please look at page {number}.", words)
    for number in killed(home, 6, "dream", str(home.sessions), "--mode", "suggest"):
        sound(home, number)
        home.dream()
        with home.twice() as app:
            (item,) = app.proposals()
            assert len(item.evidence) == 2, number


def test_of_two_approvals_on_the_command_line_one_is_refused_in_one_line(home: Machine) -> None:
    id = home.proposes("skill")
    assert run(home, "approve", id).returncode == 0
    refused = run(home, "approve", id)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Not approved: it was approved already.")
    assert "Traceback" not in refused.stderr
