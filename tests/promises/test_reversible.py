"""Promise 4: every effect has an exact undo, and no moment of a crash leaves anything half-done."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.builders import LESSONS, skill, tree
from tests.promises.machine import OTHER, WISH, Countdown, Crash, Machine, machine

from twice.core.proposals import Refusal

MOST_WRITES = 400


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine where both kinds of skills folders are used."""
    made = machine(tmp_path / "machine")
    (made.project / "CLAUDE.md").write_text("# Shop\n")
    (made.project / "AGENTS.md").write_text("# Shop\n")
    (made.project / ".claude").mkdir()
    return made


# Undoing


@pytest.mark.parametrize("kind", sorted(LESSONS))
def test_a_rollback_gives_back_the_exact_bytes_that_were_there(home: Machine, kind: str) -> None:
    before, told = tree(home.project), home.told()
    id = home.proposes(kind)
    assert not isinstance(home.does("approve", id), Refusal)
    if kind in ("skill", "workflow"):
        assert tree(home.project) != before
    if kind == "memory":
        assert home.told() != told
    assert not isinstance(home.does("roll back", id), Refusal)
    assert tree(home.project) == before
    assert home.told() == told
    assert home.flaws() == []


def test_a_skill_goes_where_every_agent_looks_with_one_receipt_each(home: Machine) -> None:
    id = home.proposes("skill")
    state = home.does("approve", id)
    places = {receipt.destination for receipt in state.receipts}
    assert places == {f"{f}/skills/cut-a-release/SKILL.md" for f in (".claude", ".agents")}
    for place in places:
        assert (home.project / place).is_file()


def test_undoing_works_in_mode_off(home: Machine) -> None:
    ids = [home.proposes("memory"), home.proposes("skill")]
    before = tree(home.project)
    for id in ids:
        home.does("approve", id)
    home.set_mode("off")
    for id in ids:
        assert not isinstance(home.does("roll back", id), Refusal)
    assert (tree(home.project), home.told()) == (before, "")


# What a person changed


def published(home: Machine) -> tuple[str, Path]:
    """Return a published skill and its file."""
    id = home.proposes("skill")
    home.does("approve", id)
    return id, home.project / ".claude/skills/cut-a-release/SKILL.md"


def test_what_a_person_edited_is_not_touched_and_is_named(home: Machine) -> None:
    id, file = published(home)
    file.write_text("mine now")
    before = tree(home.project)
    refused = home.does("roll back", id)
    assert isinstance(refused, Refusal)
    assert str(file) in refused.reason
    assert tree(home.project) == before
    assert home.status(id) == "active"
    (flaw,) = home.flaws()
    assert str(file) in flaw


def test_a_folder_that_became_a_link_is_not_followed(home: Machine, tmp_path: Path) -> None:
    id, file = published(home)
    elsewhere = tmp_path / "elsewhere"
    file.parent.rename(elsewhere)
    file.parent.symlink_to(elsewhere)
    assert isinstance(home.does("roll back", id), Refusal)
    assert (elsewhere / "SKILL.md").is_file()


@pytest.mark.parametrize("form", ["file", "folder", "link", "link to nothing"])
def test_nothing_is_ever_overwritten(home: Machine, form: str) -> None:
    id = home.proposes("skill")
    target = home.project / ".agents/skills/cut-a-release/SKILL.md"
    target.parent.mkdir(parents=True)
    if form == "file":
        target.write_text("mine")
    elif form == "folder":
        target.mkdir()
    else:
        target.symlink_to(home.project / ("CLAUDE.md" if form == "link" else "nothing"))
    before = tree(home.project)
    refused = home.does("approve", id)
    assert isinstance(refused, Refusal)
    assert tree(home.project) == before
    assert home.status(id) == "pending"


def test_a_project_that_is_gone_leaves_the_proposal_waiting(home: Machine) -> None:
    id = home.proposes("skill")
    home.project.rename(home.project.with_name("moved"))
    refused = home.does("approve", id)
    assert isinstance(refused, Refusal)
    assert "gone" in refused.reason
    assert home.status(id) == "pending"


# Crashes


def crashing(
    home: Machine, verb: Callable[[Countdown], object], check: Callable[[str], None]
) -> int:
    """End the process at every single write of a verb, one after the other; check after each."""
    restore = home.snapshot()
    for number in range(1, MOST_WRITES):
        countdown = Countdown(number)
        try:
            verb(countdown)
        except Crash as crash:
            check(f"write {number}, {crash}")
            restore()
            continue
        return number - 1
    raise AssertionError("a verb writes without end")


def settled(home: Machine, before: dict[str, bytes | None], told: str) -> None:
    """Check that everything can be undone: the tree, the context."""
    assert tree(home.project) == before
    assert home.told() == told
    assert home.flaws() == []


@pytest.mark.parametrize("kind", sorted(LESSONS))
def test_a_crash_at_any_write_of_an_approval_leaves_nothing_half_done(
    home: Machine, kind: str
) -> None:
    id = home.proposes(kind)
    before, told = tree(home.project), home.told()

    def check(where: str) -> None:
        assert home.flaws() == [], where
        status = home.status(id)
        assert status in ("pending", "approved", "accepted", "active"), where
        if status == "pending":
            settled(home, before, told)
        outcome = home.does("approve", id)
        if isinstance(outcome, Refusal):
            assert status != "pending", (where, outcome)
            assert "approved already" in outcome.reason, where
        assert home.flaws() == [], where
        assert not isinstance(home.does("roll back", id), Refusal), where
        settled(home, before, told)

    writes = crashing(home, lambda countdown: home.does("approve", id, countdown), check)
    assert writes >= (2 if kind in ("memory", "instruction") else 12)


@pytest.mark.parametrize("kind", ["skill", "workflow"])
def test_an_interrupted_approval_may_be_undone_at_once(home: Machine, kind: str) -> None:
    id = home.proposes(kind)
    before = tree(home.project)

    def check(where: str) -> None:
        if home.status(id) != "pending":
            assert not isinstance(home.does("roll back", id), Refusal), where
        assert tree(home.project) == before, where
        assert home.flaws() == [], where

    assert crashing(home, lambda countdown: home.does("approve", id, countdown), check)


@pytest.mark.parametrize("kind", sorted(LESSONS))
def test_a_crash_at_any_write_of_a_rollback_leaves_nothing_half_done(
    home: Machine, kind: str
) -> None:
    id = home.proposes(kind)
    before = tree(home.project)
    home.does("approve", id)

    def check(where: str) -> None:
        assert len(home.flaws()) <= 1, where
        outcome = home.does("roll back", id)
        if isinstance(outcome, Refusal):
            assert outcome.code == "rolled_back", (where, outcome)
        assert tree(home.project) == before, where
        assert home.told() == "", where
        assert home.flaws() == [], where

    assert crashing(home, lambda countdown: home.does("roll back", id, countdown), check)


def test_a_crash_at_any_write_of_a_forgetting_leaves_nothing_half_done(home: Machine) -> None:
    id, other = home.learns(WISH, OTHER)
    for item in (id, other):
        home.does("approve", item)
    session = sorted(home.sessions.glob("*.jsonl"))[0].stem

    def check(where: str) -> None:
        assert home.flaws() == [], where
        home.does("forget", session)
        assert home.status(id) == "", where
        assert home.status(other) == "approved", where
        assert WISH[0].encode() not in home.raw(), where
        assert home.flaws() == [], where

    assert crashing(home, lambda countdown: home.does("forget", session, countdown), check)


def test_a_crash_at_any_write_of_a_dream_loses_and_doubles_nothing(home: Machine) -> None:
    for number, words in enumerate((*WISH, *OTHER), 1):
        home.says(number, f"Please look at page {number}.", words)
    with home.twice():
        pass

    def check(where: str) -> None:
        assert home.flaws() == [], where
        home.dream()
        with home.twice() as app:
            shown = app.proposals()
            assert sorted(len(item.evidence) for item in shown) == [2, 2], where
        assert home.flaws() == [], where

    assert crashing(home, lambda countdown: home.dream(countdown), check) > 8


def test_a_crash_while_a_taken_place_gives_an_approval_back(home: Machine) -> None:
    """Two destinations, of which the second is taken between the receipt and the writing."""
    id = home.proposes("skill")
    taken = home.project / ".agents/skills/cut-a-release/SKILL.md"
    before = tree(home.project)

    def takes(name: str) -> None:
        if name == "after commit" and not taken.exists():
            taken.parent.mkdir(parents=True)
            taken.write_text("mine")

    def verb(countdown: Countdown) -> None:
        def both(name: str) -> None:
            takes(name)
            countdown(name)

        home.does("approve", id, both)

    def check(where: str) -> None:
        flaws = home.flaws()
        assert flaws == [], (where, flaws)
        assert home.status(id) == "pending", where
        assert not taken.exists() or taken.read_text() == "mine", where

    assert crashing(home, verb, check)
    assert taken.read_text() == "mine"
    assert (home.project / ".claude/skills").exists() is False
    left = {k: v for k, v in tree(home.project).items() if not k.startswith(".agents")}
    assert left == before


def test_a_skill_that_is_approved_again_after_an_undoing_is_written_again(home: Machine) -> None:
    first = home.proposes("skill")
    home.does("approve", first)
    home.does("roll back", first)
    again = home.hands_in(skill(body="1. Run the tests.\n2. Tag.\n3. Push."))
    assert not isinstance(home.does("approve", again), Refusal)
    assert home.flaws() == []
