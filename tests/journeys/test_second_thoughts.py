"""What happens to what waits, and to what was erased, when more is said."""

import json
from pathlib import Path

import pytest
from tests.builders import session_id
from tests.promises.machine import WISH, Machine, machine

from twice.core.ideas import Idea, Sighting
from twice.core.lessons import Memory, Skill
from twice.core.proposals import Refusal
from twice.core.states import Status
from twice.learners.learner import Corrections


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine in mode suggest."""
    return machine(tmp_path / "machine")


def test_what_waits_gains_evidence_and_its_old_hash_no_longer_approves(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as app:
        before = app.show(id)
        assert not isinstance(before, Refusal)
    home.says(9, "Please look at page 9.", WISH[0])
    report = home.dream()["evolution"]
    assert (report["supported"], report["waiting"], report["proposals"]) == ([id], 1, [])
    with home.twice() as app:
        after = app.show(id)
        assert not isinstance(after, Refusal)
        assert len(after.evidence) == len(before.evidence) + 1
        assert after.text == before.text
        refused = app.approve(id, expected=before.state.hash)
        assert isinstance(refused, Refusal) and refused.code == "changed"
        assert not isinstance(app.approve(id, expected=after.state.hash), Refusal)


def test_a_dream_without_news_leaves_what_waits_as_it_is(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as app:
        before = app.kit.store.state(id)
    assert home.dream()["evolution"]["supported"] == []
    with home.twice() as app:
        assert app.kit.store.state(id) == before


def test_an_erased_item_does_not_come_back_from_the_same_conversations(home: Machine) -> None:
    (id,) = home.learns(WISH)
    assert not isinstance(home.does("forget", id), Refusal)
    assert home.dream()["evolution"]["proposals"] == []
    home.says(9, "Please look at page 9.", WISH[0])
    assert len(home.dream()["evolution"]["proposals"]) == 1


def test_a_fork_of_a_forgotten_session_is_forgotten_too(home: Machine) -> None:
    home.learns(WISH)
    (original,) = home.sessions.glob(f"{session_id(1)}.jsonl")
    assert not isinstance(home.does("forget", session_id(1)), Refusal)
    records = [json.loads(line) for line in original.read_text().splitlines()]
    fork = [{**record, "sessionId": session_id(77)} for record in records]
    home.writes(session_id(77), fork)
    report = home.dream()
    assert report["read"]["own_sessions"] == {"forgotten on your command": 2}
    with home.twice() as app:
        assert session_id(77) not in {kept.id for kept in app.kit.store.sessions()}


def test_what_contradicts_an_approval_made_since_must_be_looked_at_again(home: Machine) -> None:
    first = home.hands_in(Memory("Use tabs instead of spaces."))
    second = home.hands_in(Memory("Use spaces instead of tabs."))
    assert not isinstance(home.does("approve", first), Refusal)
    with home.twice() as app:
        shown = app.show(second)
        assert not isinstance(shown, Refusal)
        assert shown.status is Status.NEEDS_REBASE and first in shown.obstacle
        refused = app.approve(second)
        assert isinstance(refused, Refusal) and refused.code == "needs_rebase"
        assert not isinstance(app.refresh(second), Refusal)
        fresh = app.show(second)
        assert not isinstance(fresh, Refusal)
        assert (fresh.status, fresh.state.replaces) == (Status.PENDING, first)
        assert not isinstance(app.approve(second), Refusal)
    assert home.status(first) == "superseded"
    assert "tabs" in home.told() and home.told().count("\n- ") == 1


def test_a_file_removed_by_hand_is_let_go_only_when_a_person_says_so(home: Machine) -> None:
    id = home.hands_in(Skill("cut-a-release", "Use when a release is cut", "1. Tag."))
    assert not isinstance(home.does("approve", id), Refusal)
    (file,) = home.project.rglob("SKILL.md")
    file.unlink()
    with home.twice() as app:
        assert not app.verify().sound
        refused = app.roll_back(id)
        assert isinstance(refused, Refusal) and "--gone" in refused.hint
        assert not isinstance(app.roll_back(id, gone=True), Refusal)
        assert app.verify().sound
    assert home.status(id) == "rolled back"


def test_undoing_a_chain_in_any_order_brings_the_first_back(home: Machine) -> None:
    wishes = ("Use npm.", "Use yarn instead of npm.", "Use pnpm instead of yarn.")
    ids = []
    for wish in wishes:
        ids.append(home.hands_in(Memory(wish)))
        assert not isinstance(home.does("approve", ids[-1]), Refusal)
    _, second, third = ids
    assert [home.status(id) for id in ids] == ["superseded", "superseded", "approved"]
    assert not isinstance(home.does("roll back", second), Refusal)
    assert [home.status(id) for id in ids] == ["superseded", "rolled back", "approved"]
    assert not isinstance(home.does("roll back", third), Refusal)
    assert [home.status(id) for id in ids] == ["approved", "rolled back", "rolled back"]
    assert "Use npm." in home.told()
    assert home.flaws() == []


def test_a_linked_settings_file_stays_a_link_and_is_changed_where_it_lies(home: Machine) -> None:
    own, linked = home.data / "config.toml", home.data / "dotfiles.toml"
    own.rename(linked)
    own.symlink_to(linked)
    home.set_mode("observe")
    assert own.is_symlink()
    assert 'evolution = "observe"' in linked.read_text()


def test_a_project_that_was_learned_to_the_end_is_not_learned_again(
    home: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathered: list[int] = []

    def gather(self: Corrections, sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
        gathered.append(len(sightings))
        return really(self, sightings)

    really = Corrections.gather
    monkeypatch.setattr(Corrections, "gather", gather)
    home.learns(WISH)
    assert len(gathered) == 1
    first, second = home.dream()["evolution"], home.dream()["evolution"]
    assert len(gathered) == 1
    assert (second["waiting"], second["observed"]["recurring"]) == (1, 1)
    assert first == second
    home.says(9, "Please look at page 9.", WISH[0])
    assert len(home.dream()["evolution"]["supported"]) == len(gathered) - 1 == 1
