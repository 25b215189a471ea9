"""Promises 2 and 4: what was joined is traced, and is taken apart exactly."""

from pathlib import Path
from typing import Any

import pytest
from tests.promises.machine import OTHER, WISH, Countdown, Machine, machine
from tests.promises.test_kill import killed, run, sound
from tests.promises.test_reversible import crashing

from twice.core.ledger import broken_links
from twice.core.proposals import Refusal

Seen = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine with two projects, one memory approved in each."""
    made = machine(tmp_path / "machine")
    (beside(made) / ".git").mkdir(parents=True)
    for number, words in enumerate(WISH, 1):
        made.says(number, f"Please look at page {number}.", words)
    for number, words in enumerate(OTHER, 11):
        made.says(number, f"Please look at page {number}.", words, cwd=beside(made))
    for id in made.dream()["evolution"]["proposals"]:
        made.does("approve", id)
    return made


def beside(home: Machine) -> Path:
    """Return the folder of the other project."""
    return home.project.with_name("store")


def joined(home: Machine, verb: str = "link", **how: Any) -> Any:
    """Join the first project to the other, or take them apart."""
    with home.twice(**how) as app:
        names = (str(home.project), str(beside(home)))
        plan = app.plan_link(*names) if verb == "link" else app.plan_unlink(names[0])
        assert not isinstance(plan, Refusal), plan
        return app.link(plan) if verb == "link" else app.unlink(plan)


def seen(home: Machine) -> Seen:
    """Return everything that is known of each project, and told there."""
    with home.twice() as app:
        store = app.kit.store
        return {
            project.name: {
                "reads as": project.reads_as,
                "told": store.context(project.id),
                "states": store.states(project=project.id),
                "rejections": store.rejections(project.id),
                "sightings": store.sightings(project.id),
                "sessions": store.sessions(project.id),
            }
            for project in store.projects()
        }


def test_what_was_joined_is_taken_apart_exactly(home: Machine) -> None:
    before = seen(home)
    joined(home)
    together = seen(home)
    assert together["shop"]["told"] == together["store"]["told"] != before["store"]["told"]
    assert len(together["shop"]["sessions"]) == 4
    joined(home, "unlink")
    assert seen(home) == before
    assert home.flaws() == []


def test_a_crash_at_any_write_of_joining_and_parting_leaves_nothing_half_done(
    home: Machine,
) -> None:
    apart = seen(home)
    joined(home)
    together = seen(home)
    joined(home, "unlink")

    def check(where: str) -> None:
        assert seen(home) in (apart, together), where
        assert home.flaws() == [], where

    def both(countdown: Countdown) -> None:
        joined(home, "link", countdown=countdown)
        joined(home, "unlink", countdown=countdown)

    assert crashing(home, both, check) >= 4
    assert seen(home) == apart


def test_joining_that_is_killed_at_any_moment_is_done_or_undone(home: Machine) -> None:
    command = ("project", "link", str(home.project), str(beside(home)), "--yes")
    count = 0
    for number in killed(home, 1, *command):
        count += 1
        sound(home, number)
        done = run(home, *command)
        assert done.returncode in (0, 1), (number, done.stderr)
        assert "Joined" in done.stdout or "already" in done.stderr, number
    assert count >= 2


def test_what_is_joined_outlives_a_rebuild_and_is_in_the_chain(home: Machine) -> None:
    joined(home)
    home.dream()
    before = seen(home)
    with home.twice() as app:
        assert app.verify(rebuild=True).sound
        entries = list(app.kit.store.entries())
        assert broken_links(entries) == []
        (entry,) = (entry for entry in entries if entry.kind == "project.linked")
        words = (str(value) for value in (entry.subject, entry.project, entry.body))
        assert not any(name in word for word in words for name in ("shop", "store", "work"))
    assert seen(home) == before


def test_why_tells_that_the_project_of_an_item_was_joined(home: Machine) -> None:
    joined(home)
    joined(home, "unlink")
    with home.twice() as app:
        for words in ("pnpm", "commit"):
            (why,) = app.why(words)  # type: ignore[misc]
            assert [entry.kind for entry in why.history[-2:]] == [
                "project.linked",
                "project.unlinked",
            ]


def test_of_two_who_join_at_once_one_is_refused(home: Machine) -> None:
    with home.twice() as one, home.twice() as two:
        names = (str(home.project), str(beside(home)))
        plans = [one.plan_link(*names), two.plan_link(*reversed(names))]
        assert not any(isinstance(plan, Refusal) for plan in plans)
        assert not isinstance(one.link(plans[0]), Refusal)  # type: ignore[arg-type]
        refused = two.link(plans[1])  # type: ignore[arg-type]
        assert isinstance(refused, Refusal) and "already" in refused.reason
