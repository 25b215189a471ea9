"""Folders in which nothing changed are passed by, and none in which anything did."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import session_id
from tests.promises.machine import WISH, Machine

from twice import wiring
from twice.core.policy import Mode
from twice.sources import places
from twice.sources.claude_code import ClaudeCode


class Found(Machine):
    """A machine whose sessions lie where the agent keeps them, so that they are looked for."""

    @property
    def sessions(self) -> Path:
        """Where Claude Code keeps the sessions of the project."""
        return self.root / "claude" / "projects" / "-work-shop"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    claude = ClaudeCode(environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")})
    monkeypatch.setattr(places, "sources", lambda **_: (claude,))
    home = Found(tmp_path)
    home.sets('evolution = "suggest"\n')
    home.says(1, "Please look at page 1.", WISH[0])
    home.says(2, "Please look at page 2.", WISH[1])
    return home


def dream(home: Machine, *, mode: Mode | None = None, since: int | None = None) -> tuple[Any, int]:
    """Dream over what is found; return what the report says of files, and how many were opened."""
    with home.twice(mode=mode) as app:
        before = app.met(pass_by=since is None)
        found, _ = wiring.found_sessions((), here=home.project, data=home.data, known=before.of)
        report = app.dream(found, before=before, since=since)
    return report["read"]["files"], len(found)


def test_a_second_dream_looks_into_no_folder_and_counts_the_same(home: Machine) -> None:
    assert dream(home) == ({"read": 2}, 2)
    assert dream(home) == ({"unchanged": 2}, 0)
    assert dream(home) == ({"unchanged": 2}, 0)


def grow(home: Machine) -> None:
    home.says(2, "Please look at page 2.", WISH[1], "Thanks.")


def replace(home: Machine) -> None:
    path = home.sessions / f"{session_id(2)}.jsonl"
    size = path.stat().st_size
    home.says(2, "Please look at page 3.", WISH[1])
    assert path.stat().st_size == size
    os.utime(path, ns=(1, 1))


def add(home: Machine) -> None:
    home.says(3, "Please look at page 3.")


def remove(home: Machine) -> None:
    (home.sessions / f"{session_id(2)}.jsonl").unlink()


@pytest.mark.parametrize(
    ("change", "read", "unchanged"), [(grow, 1, 1), (replace, 1, 1), (add, 1, 2), (remove, 0, 1)]
)
def test_any_change_of_a_file_has_its_folder_looked_into(
    home: Machine, change: Any, read: int, unchanged: int
) -> None:
    dream(home)
    change(home)
    files, opened = dream(home)
    assert (files.get("read", 0), files["unchanged"], opened) == (read, unchanged, read + unchanged)
    assert dream(home)[1] == 0


def test_a_change_in_one_folder_leaves_the_others_alone(home: Machine) -> None:
    dream(home)
    other = home.sessions.with_name("-work-other")
    other.mkdir()
    path = home.says(4, "Please look at page 4.")
    path.rename(other / path.name)
    assert dream(home) == ({"unchanged": 2, "read": 1}, 1)


def test_consent_to_more_looks_again_and_to_less_does_not(home: Machine) -> None:
    assert dream(home, mode=Mode.OBSERVE) == ({"read": 2}, 2)
    assert dream(home, mode=Mode.OBSERVE) == ({"unchanged": 2}, 0)
    assert dream(home) == ({"read": 2}, 2)
    assert dream(home, mode=Mode.OBSERVE) == ({"unchanged": 2}, 0)


def test_a_policy_that_changed_looks_again(home: Machine) -> None:
    dream(home)
    home.set_mode("observe")
    assert dream(home) == ({"read": 2}, 2)


def test_what_was_forgotten_is_met_again_and_known_as_such(home: Machine) -> None:
    dream(home)
    home.does("forget", session_id(2))
    assert dream(home) == ({"unchanged": 1, "read": 1}, 2)
    assert dream(home)[1] == 0


def test_a_bound_in_time_looks_at_every_file(home: Machine) -> None:
    dream(home)
    assert dream(home, since=2**62)[0] == {"older": 2}
    assert dream(home)[1] == 0


def unreadable(home: Machine) -> str:
    (home.sessions / f"{session_id(5)}.jsonl").symlink_to("nothing")
    return "unreadable"


def of_a_project_that_is_off(home: Machine) -> str:
    other = home.root / "work" / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (other / ".twice").mkdir()
    (other / ".twice" / "config.toml").write_text('evolution = "off"\n')
    home.says(5, "Please look at page 5.", cwd=other)
    return "left alone: mode off"


@pytest.mark.parametrize("add", [unreadable, of_a_project_that_is_off])
def test_what_is_not_settled_is_told_each_time(home: Machine, add: Any) -> None:
    reason = add(home)
    for _ in range(3):
        files, _ = dream(home)
        assert files[reason] == 1


def test_subfolders_are_looked_at_each_on_its_own(home: Machine) -> None:
    below = home.sessions / session_id(1) / "subagents"
    below.mkdir(parents=True)
    (below / "agent-1.jsonl").write_text('{"type":"user","isSidechain":true}\n')
    dream(home)
    assert dream(home) == ({"unchanged": 2}, 0)
    path = home.says(6, "Please look at page 6.")
    path.rename(below.parent / path.name)
    assert dream(home) == ({"unchanged": 2, "read": 1}, 1)


@pytest.fixture(autouse=True)
def _no_other_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("HOME", str(tmp_path))
    yield
