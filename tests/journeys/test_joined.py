"""One body of work that moved, or lies in several repositories, as whole journeys."""

import json
import shutil
from pathlib import Path

import pytest
from tests.builders import record_id
from tests.journeys.test_queue_and_identity import git
from tests.promises.machine import OTHER, WISH, Machine, machine

from twice.actions.proposing import Handed
from twice.core.lessons import Memory, Skill
from twice.core.proposals import Refusal


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine with two repositories, in each of which the same was said once."""
    made = machine(tmp_path / "machine")
    for folder in (made.project, beside(made)):
        folder.mkdir(exist_ok=True)
        git(folder, "init")
    made.says(1, "Please look at page 1.", WISH[0])
    made.says(2, "Please look at page 2.", WISH[1], cwd=beside(made))
    made.dream()
    return made


def beside(home: Machine) -> Path:
    return home.project.with_name("store")


def link(home: Machine, this: Path | str, that: Path | str) -> None:
    with home.twice() as app:
        plan = app.plan_link(str(this), str(that))
        assert not isinstance(plan, Refusal), plan
        assert not isinstance(app.link(plan), Refusal)


def unlink(home: Machine, this: Path | str) -> tuple[str, ...]:
    """Take a project apart; return what stays with the other."""
    with home.twice() as app:
        plan = app.plan_unlink(str(this))
        assert not isinstance(plan, Refusal), plan
        assert not isinstance(app.unlink(plan), Refusal)
        return plan.staying


def told(home: Machine) -> dict[str, str]:
    with home.twice() as app:
        store = app.kit.store
        return {project.name: store.context(project.id) for project in store.projects()}


def test_what_recurs_across_both_counts_together(home: Machine) -> None:
    with home.twice() as app:
        assert app.proposals() == []
    link(home, home.project, beside(home))
    (id,) = home.dream()["evolution"]["proposals"]
    with home.twice() as app:
        shown = app.show(id)
        assert not isinstance(shown, Refusal)
        assert (shown.project, len(shown.evidence)) == ("store", 2)
    home.does("approve", id)
    assert "pnpm" in told(home)["shop"] and told(home)["shop"] == told(home)["store"]
    assert unlink(home, home.project) == (id,)
    assert "pnpm" in told(home)["store"] and "pnpm" not in told(home)["shop"]
    assert home.flaws() == []


def test_a_fork_in_the_other_repository_counts_once(home: Machine) -> None:
    path = home.says(3, "Please look at page 3.", OTHER[0])
    fork = [
        {**json.loads(line), "sessionId": "fork-1", "cwd": str(beside(home))}
        for line in path.read_text().splitlines()
    ]
    more = {**fork[0], "uuid": record_id(9, 9), "timestamp": "2026-05-20T10:00:00.000Z"}
    more["message"] = {"role": "user", "content": "Now go on."}
    home.writes("fork-1", [*fork, more])
    link(home, home.project, beside(home))
    report = home.dream()
    assert report["evolution"]["observed"]["recurring"] == 1  # pnpm alone


def test_what_is_read_later_goes_where_it_belongs_when_they_are_apart(home: Machine) -> None:
    link(home, home.project, beside(home))
    home.says(3, "Please look at page 3.", "Now fix page 3.")
    home.dream()
    unlink(home, home.project)
    with home.twice() as app:
        store = app.kit.store
        sizes = {p.name: len(store.sessions(p.id)) for p in store.projects()}
    assert sizes == {"shop": 2, "store": 1}


def test_a_no_that_was_said_to_both_binds_in_both(home: Machine) -> None:
    link(home, home.project, beside(home))
    (id,) = home.dream()["evolution"]["proposals"]
    home.does("reject", id)
    unlink(home, home.project)
    for cwd in (home.project, beside(home)):
        number = 3 if cwd == home.project else 4
        home.says(number, f"Please look at page {number}.", "Now fix it.", cwd=cwd)
    assert home.dream()["evolution"]["proposals"] == []
    home.says(5, "Please look at page 5.", WISH[1])
    assert len(home.dream()["evolution"]["proposals"]) == 1


def test_what_was_replaced_while_joined_comes_back_with_the_undoing(home: Machine) -> None:
    old = home.hands_in(Memory("Use tabs instead of spaces."))
    home.does("approve", old)
    link(home, home.project, beside(home))
    with home.twice() as app:
        store = next(p for p in app.kit.store.projects() if p.name == "store")
        new = app.hand_in(store.id, Handed(Memory("Use spaces instead of tabs.")))
        assert not isinstance(new, Refusal)
        assert not isinstance(app.approve(new.id), Refusal)
    assert "spaces instead" in told(home)["shop"]
    unlink(home, home.project)
    assert told(home)["shop"] == ""
    home.does("roll back", new.id)
    assert "tabs instead" in told(home)["shop"] and told(home)["store"] == ""
    assert home.flaws() == []


def test_forgetting_reaches_what_was_filed_while_they_were_joined(home: Machine) -> None:
    link(home, home.project, beside(home))
    (id,) = home.dream()["evolution"]["proposals"]
    unlink(home, home.project)
    with home.twice() as app:
        first = next(kept for kept in app.kit.store.sessions() if "00000001" in kept.id)
    assert not isinstance(home.does("forget", first.id), Refusal)
    assert home.status(id) == ""
    assert WISH[0].encode() not in home.raw()


def test_the_lower_of_two_consents_holds_for_both(home: Machine) -> None:
    link(home, home.project, beside(home))
    home.sets(f'evolution = "suggest"\n[projects."{home.project}"]\nevolution = "observe"\n')
    home.says(3, "Please look at page 3.", WISH[0], cwd=beside(home))
    assert home.dream()["evolution"]["proposals"] == []


def test_what_moved_goes_on_in_the_new_folder(home: Machine) -> None:
    skill = home.hands_in(Skill("cut-a-release", "Use when a release is cut", "1. Tag."))
    home.does("approve", home.hands_in(Memory("Use tabs instead of spaces.")))
    shutil.rmtree(home.project)
    with home.twice() as app:
        shown = app.show(skill)
        assert not isinstance(shown, Refusal) and shown.obstacle
    link(home, home.project, beside(home))
    assert not isinstance(home.does("approve", skill), Refusal)
    assert (beside(home) / ".agents/skills/cut-a-release/SKILL.md").is_file() or (
        beside(home) / ".claude/skills/cut-a-release/SKILL.md"
    ).is_file()
    assert "tabs" in told(home)["store"]
    unlink(home, home.project)
    assert not isinstance(home.does("roll back", skill), Refusal)
    assert not list(beside(home).rglob("SKILL.md"))


def test_what_contradicts_across_both_is_named_before_they_are_joined(home: Machine) -> None:
    ids = []
    with home.twice() as app:
        texts = ("Use spaces instead of tabs.", "Use tabs instead of spaces.")
        for project, text in zip(app.kit.store.projects(), texts, strict=True):
            state = app.hand_in(project.id, Handed(Memory(text)))
            assert not isinstance(state, Refusal)
            ids.append(state.id)
            assert not isinstance(app.approve(state.id), Refusal)
        plan = app.plan_link(str(home.project), str(beside(home)))
        assert not isinstance(plan, Refusal)
        assert [set(pair) for pair in plan.against] == [set(ids)]
        assert (plan.told, plan.left_out) == (2, 0)
