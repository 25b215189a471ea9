"""Promise 5: Twice needs nothing, stops for nothing, and says so when it is closed."""

import socket
from pathlib import Path

import pytest
from tests.builders import LESSONS
from tests.promises.machine import OTHER, WISH, Machine, machine

from twice import wiring
from twice.core.errors import Fault
from twice.core.policy import Mode
from twice.core.proposals import Refusal


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine in mode suggest."""
    return machine(tmp_path / "machine")


def test_nothing_needs_a_network(home: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    (id,) = home.learns(WISH)
    home.does("approve", id)
    home.does("roll back", id)
    assert home.flaws() == []


@pytest.mark.parametrize("text", ["evolution = ", 'evolution = "sometimes"', "unknown = 1", "\xff"])
@pytest.mark.parametrize("whose", ["user", "repository"])
def test_a_malformed_file_closes_learning_and_is_named(
    home: Machine, text: str, whose: str
) -> None:
    folder = home.data if whose == "user" else home.project / ".twice"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_bytes(text.encode("latin-1"))
    for number, words in enumerate(WISH, 1):
        home.says(number, f"Please look at page {number}.", words)
    report = home.dream(mode=Mode.SUGGEST)
    assert report["evolution"]["proposals"] == []
    with home.twice() as app:
        health = app.status(home.project)
        assert health.mode.mode is Mode.OFF
        assert str(folder / "config.toml") in health.mode.reason
        assert app.kit.store.sessions() == []


def test_a_malformed_file_takes_nothing_from_what_was_approved(home: Machine) -> None:
    (id,) = home.learns(WISH)
    home.does("approve", id)
    told = home.told()
    home.sets("evolution = ")
    assert home.told() == told
    assert not isinstance(home.does("roll back", id), Refusal)


def test_damage_in_a_session_is_skipped_and_counted(home: Machine) -> None:
    path = home.says(1, "Please look at page 1.", WISH[0])
    path.write_bytes(b'{"broken\n\0\0\0\n[]\n' + path.read_bytes() + b'{"type": "user", "mess')
    home.says(2, "Please look at page 2.", WISH[1])
    report = home.dream()
    assert len(report["evolution"]["proposals"]) == 1
    assert report["read"]["skipped"]


def test_a_session_that_vanishes_during_the_dream_stops_nothing(home: Machine) -> None:
    gone = home.says(1, "Please look at page 1.", WISH[0])
    home.says(2, "Please look at page 2.", WISH[0])
    home.says(3, "Please look at page 3.", WISH[1])
    with home.twice() as app:
        found, _ = wiring.found_sessions([home.sessions], here=home.project, data=home.data)
        gone.unlink()
        report = app.dream(found)
    assert len(report["evolution"]["proposals"]) == 1
    assert report["read"]["files"]["unreadable"] == 1


def test_at_most_five_are_filed_and_the_rest_waits_for_the_next_dream(home: Machine) -> None:
    tools = ["pnpm", "vim", "ruff", "mypy", "pytest", "docker", "nginx"]
    for number in (1, 2):
        home.says(number, f"Please look at page {number}.", *(f"always use {t}" for t in tools))
    first = home.dream()["evolution"]
    assert (len(first["proposals"]), first["left_over"]) == (5, 2)
    second = home.dream()["evolution"]
    assert (len(second["proposals"]), second["left_over"]) == (2, 0)


def test_only_one_dreams_at_a_time_and_the_other_is_told(
    home: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.BUSY_SECONDS", 0.01)
    home.says(1, *WISH)
    with home.twice() as app, app.one_dream(), home.twice() as other:
        found, _ = wiring.found_sessions([home.sessions], here=home.project, data=home.data)
        with pytest.raises(Fault) as refused:
            other.dream(found)
    assert refused.value.hint


def test_a_person_may_decide_while_a_slow_dream_runs(home: Machine) -> None:
    (id,) = home.learns(WISH)
    for number, words in enumerate(OTHER, 11):
        home.says(number, f"Please look at page {number}.", words)
    with home.twice() as app:
        found, _ = wiring.found_sessions([home.sessions], here=home.project, data=home.data)
        decided = []

        def progress(done: int, total: int, path: Path) -> None:
            if done == 1:
                decided.append(home.does("approve", id))

        report = app.dream(found, progress=progress)
    assert not isinstance(decided[0], Refusal)
    assert len(report["evolution"]["proposals"]) == 1
    assert "pnpm" in home.told()


@pytest.mark.parametrize("verb", ["approve", "reject", "roll back", "forget"])
def test_an_unknown_item_is_refused_with_a_hint(home: Machine, verb: str) -> None:
    refused = home.does(verb, "prp_nothing")
    assert isinstance(refused, Refusal)
    assert refused.hint


@pytest.mark.parametrize("kind", sorted(LESSONS))
def test_deciding_twice_is_refused_in_one_line(home: Machine, kind: str) -> None:
    id = home.proposes(kind)
    home.does("approve", id)
    for verb, said in (("approve", "approved already"), ("reject", "approved already")):
        refused = home.does(verb, id)
        assert isinstance(refused, Refusal)
        assert said in refused.reason
        assert "\n" not in refused.reason
    home.does("roll back", id)
    again = home.does("roll back", id)
    assert isinstance(again, Refusal)
    assert "rolled back" in again.reason
