"""Promise 3: secrets and private words are in no byte of what Twice keeps."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import record_id, session_id
from tests.promises.machine import OTHER, WISH, Machine, machine

from twice import wiring
from twice.core import limits
from twice.core.proposals import Refusal

CANARIES = ("zanzibarquokka", "Xylophonwal", "капибара", "水豚水豚")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "IOSFODNN7EXAMPL3"
SECRETS = {
    "a token": (f"use token {TOKEN}, not the old one", TOKEN[8:]),
    "a password": ("always use the database password hunter2-Quokka", "hunter2-Quokka"),
    "an assignment": ("Always run export API_KEY=sk-live-9aQx71ZtPw0 first", "sk-live-9aQx71ZtPw0"),
    "a connection": ("never use postgres://ann:s3cr3tPw@db/shop, use sqlite", "s3cr3tPw"),
    "an AWS key": (f"Don't use {AWS}, use the role instead", AWS),
    "a bearer": (
        "always send authorization: bearer abcDEF123456ghiJKL789",
        "abcDEF123456ghiJKL789",
    ),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine with a home of its own."""
    made = machine(tmp_path / "machine")
    (made.root / "home" / "annegret").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(made.root / "home" / "annegret"))
    return made


def everything(home: Machine) -> None:
    """Do what a person does in a day: dream, review, undo, forget, look."""
    home.dream()
    with home.twice() as app:
        for item in app.proposals():
            app.show(item.state.id)
        ids = [item.state.id for item in app.proposals()]
    for verb, id in zip(("approve", "reject", "forget"), ids, strict=False):
        home.does(verb, id)
    home.dream()
    with home.twice() as app:
        app.status(home.project)
        app.verify(secrets=True)
        assert app.verify(secrets=True).sound


def found(home: Machine, *words: str) -> list[str]:
    """Return those of some words that stand somewhere below the data folder."""
    raw = home.raw()
    return [word for word in words if word.encode() in raw]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_a_wish_is_in_no_byte(home: Machine, kind: str) -> None:
    text, secret = SECRETS[kind]
    for number in (1, 2, 3):
        home.says(number, "Please look.", text, WISH[number % 2])
    everything(home)
    assert found(home, secret) == []


def test_a_secret_across_the_bound_of_a_turn_is_gone_whole(home: Machine) -> None:
    filler = "word " * (limits.TURN_CHARS // 5)
    text = filler[: limits.TURN_CHARS - 12] + f"\n{TOKEN} is it"
    home.says(1, text)
    home.dream()
    assert found(home, TOKEN[:9], TOKEN[4:11]) == []


@pytest.mark.parametrize("place", ["text", "reply", "branch", "record", "session", "file"])
def test_in_observe_no_word_of_a_session_is_in_any_byte(home: Machine, place: str) -> None:
    home.set_mode("observe")
    canary = CANARIES[0]
    for number in (1, 2):
        id = session_id(number)
        about: dict[str, object] = {
            "sessionId": f"{canary} {number}" if place == "session" else id,
            "cwd": str(home.project),
            "gitBranch": canary if place == "branch" else "main",
            "timestamp": f"2026-05-0{number}T10:00:00.000Z",
        }
        words = [f"Always say {word} first" for word in CANARIES] if place == "text" else [WISH[0]]
        records = [
            {
                **about,
                "type": "user",
                "uuid": f"{canary} {number} {n}" if place == "record" else record_id(number, n),
                "message": {"role": "user", "content": text},
            }
            for n, text in enumerate(words)
        ]
        reply = {
            **about,
            "type": "assistant",
            "uuid": record_id(number, 99),
            "message": {"role": "assistant", "content": [{"type": "text", "text": canary}]},
        }
        name = f"{canary}-{number}" if place == "file" else id
        home.writes(name, [reply, *records, reply] if place == "reply" else records)
    everything(home)
    with home.twice() as app:
        assert len(app.kit.store.sessions()) == 2
    assert found(home, *CANARIES) == []
    assert len(found(home, "page", "pnpm", "Please")) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_in_observe_a_file_that_cannot_be_read_is_not_named(home: Machine) -> None:
    home.set_mode("observe")
    path = home.writes(CANARIES[0], [])
    path.chmod(0)
    everything(home)
    assert found(home, CANARIES[0]) == []


def test_in_off_nothing_of_a_session_is_written(tmp_path: Path) -> None:
    home = machine(tmp_path / "machine", mode="off")
    home.says(1, "Please look.", *WISH)
    home.says(2, "Please look.", *WISH)
    home.dream()
    with home.twice() as app:
        store = app.kit.store
        assert (store.files(), store.sessions(), store.projects()) == ({}, [], [])
        assert store.last_report() is None
    assert found(home, "pnpm", session_id(1), "shop") == []


def test_a_project_that_is_off_is_left_alone_in_any_mode(home: Machine) -> None:
    (home.project / ".twice").mkdir()
    (home.project / ".twice" / "config.toml").write_text('evolution = "off"\n')
    home.says(1, "Please look.", *WISH)
    home.says(2, "Please look.", *WISH)
    home.dream()
    with home.twice() as app:
        assert (app.kit.store.files(), app.kit.store.sessions()) == ({}, [])
    assert found(home, "pnpm", session_id(1)) == []


def test_home_folders_and_their_owner_are_gone(home: Machine) -> None:
    place = home.root / "home" / "annegret" / "notes"
    for number in (1, 2):
        home.says(number, f"Please look at {place}.", f"always write notes to {place}/today.md")
    everything(home)
    assert found(home, "annegret") == []


def test_the_name_of_who_works_here_is_gone(home: Machine) -> None:
    for number in (1, 2):
        home.says(number, "annegret wrote this.", "always ask annegret before you push")
    everything(home)
    assert found(home, "annegret") == []
    assert found(home, "ask USER before you push") != []


def test_everything_is_readable_by_its_owner_alone(home: Machine) -> None:
    before = os.umask(0)
    try:
        home.learns(WISH, OTHER)
        id = home.proposes("skill")
        home.does("approve", id)
        home.does("roll back", id)
        home.set_mode("observe")
    finally:
        os.umask(before)
    open_to_others = [
        path.relative_to(home.data)
        for path in home.data.rglob("*")
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    # A file that was taken back keeps its mode, as it keeps its bytes; its folders are closed.
    assert [str(path) for path in open_to_others if path.parts[0] != "retired"] == []
    assert all(path.name == "SKILL.md" for path in open_to_others)


# Forgetting


def test_what_was_forgotten_is_in_no_byte_and_stays_forgotten(home: Machine) -> None:
    canary = CANARIES[0]
    (home.project / "CLAUDE.md").write_text("Always call it quokka.\n")
    wish = f"never call it {canary}"
    paths = [
        home.says(n, f"Please look at {canary}.", wish, "always call it quokka") for n in (1, 2)
    ]
    home.dream()
    assert found(home, canary) == [canary]
    with home.twice() as app:
        for item in app.proposals():
            app.approve(item.state.id)
    for path in paths:
        assert not isinstance(home.does("forget", path.stem), Refusal)
    assert found(home, canary) == []
    home.dream()
    assert found(home, canary) == []
    assert home.told() == ""
    assert home.flaws() == []


def test_a_forgotten_refused_wording_is_not_left_in_a_report(home: Machine) -> None:
    canary = CANARIES[0]
    (home.project / "CLAUDE.md").write_text(f"Never use {canary}.\n")
    paths = [home.says(n, "Please look.", f"never use {canary}") for n in (1, 2)]
    report = home.dream()
    assert [item["code"] for item in report["evolution"]["refused"]] == ["known"]
    for path in paths:
        home.does("forget", path.stem)
    assert found(home, canary) == []


def test_the_reason_of_a_rejection_is_clean_too(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as app:
        app.reject(id, reason=f"it leaks {TOKEN}")
    assert found(home, TOKEN) == []


# Odd characters

TEXT = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=12)


@given(text=TEXT)
@settings(max_examples=10)
def test_half_a_character_anywhere_stops_nothing(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = machine(tmp_path_factory.mktemp("odd") / "machine")
    odd = "\ud83d" + text
    for number in (1, 2):
        home.says(number, f"Please {odd}", WISH[0] + odd, branch=odd, uuid=f"{odd}{number}")
    home.says(3, odd, sessionId=odd)
    home.says(4, WISH[0], WISH[1])
    home.dream()
    with home.twice() as app:
        assert len(app.kit.store.sessions()) >= 3
        assert app.verify().sound


def test_a_file_name_that_is_no_text_stops_nothing(home: Machine) -> None:
    path = home.says(1, *WISH)
    odd = os.fsencode(path.parent) + b"/\xff\xfe" + os.fsencode(path.name)
    path.rename(Path(os.fsdecode(odd)))
    report = home.dream()
    assert report["read"]["turns"] == 2
    with home.twice() as app:
        found, _ = wiring.found_sessions([home.sessions], here=home.project, data=home.data)
        assert app.dream(found)["read"]["files"] == {"unchanged": 1}
