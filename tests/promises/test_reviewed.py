"""Promise 1: nothing learned has an effect before a person approved it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.builders import memory, skill, tree
from tests.promises.machine import OTHER, WISH, Machine, machine

from twice import wiring
from twice.core.lessons import Memory, Skill, words_of
from twice.core.policy import Mode
from twice.core.proposals import Refusal
from twice.core.states import State, Status


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine in mode suggest."""
    return machine(tmp_path / "machine")


# One life of a whole Twice, beside a model

WISHES = [
    "use pnpm, not npm",
    "never commit to main",
    "always answer in Spanish",
    "Don't use tabs, use spaces",
]
DEEDS = st.sampled_from(["approve", "approve", "reject", "roll back", "edit", "forget"])


class Lives(RuleBasedStateMachine):
    """Dreams, reviews and settings in any order; the model knows what a person approved."""

    @initialize()
    def begin(self) -> None:
        """Set up a machine."""
        import tempfile

        self.folder = tempfile.TemporaryDirectory(prefix="twice-life-")
        self.home = machine(Path(self.folder.name) / "machine")
        self.clean = tree(self.home.project)
        self.mode = "suggest"
        self.number = 0
        self.approved: dict[str, str] = {}

    def teardown(self) -> None:
        """Remove the machine."""
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(wish=st.sampled_from(WISHES))
    def talk(self, wish: str) -> None:
        """Say a wish in two more sessions, and dream."""
        for _ in range(2):
            self.number += 1
            self.home.says(self.number, f"Please look at page {self.number}.", wish)
        before = self.states()
        self.home.dream()
        after = self.states()
        for id, state in before.items():
            if state.status is not Status.PENDING:
                assert after[id] == state
            else:  # more evidence is all that a dream may add to what waits
                assert after[id].status is Status.PENDING
                assert set(after[id].lineages) >= set(state.lineages)
        fresh = set(after) - set(before)
        assert all(after[id].status is Status.PENDING for id in fresh)
        assert self.mode in ("suggest", "auto-safe") or not fresh

    @rule(number=st.integers(1, 3))
    def propose(self, number: int) -> None:
        """Hand in a skill."""
        with self.home.twice() as app:
            from twice.actions.proposing import Handed

            app.hand_in(app.project_or_new(), Handed(skill(f"skill-{'x' * number}")))

    @rule(mode=st.sampled_from(["off", "observe", "suggest", "auto-safe"]))
    def choose(self, mode: str) -> None:
        """Change the mode: what waits is stale from then on, whatever comes back."""
        waiting = self.seen(Status.PENDING)
        changed = mode != self.mode
        self.home.set_mode(mode)
        self.mode = mode
        if changed:
            assert self.seen(Status.PENDING) == set()
            assert waiting <= self.seen(Status.STALE)

    @precondition(lambda self: self.states())
    @rule(deed=DEEDS, number=st.integers(0, 9))
    def decide(self, deed: str, number: int) -> None:
        """Do something to one of the items."""
        states = sorted(self.states().values(), key=lambda state: state.id)
        id = states[number % len(states)].id
        with self.home.twice() as app:
            shown = app.show(id)
            assert not isinstance(shown, Refusal)
            self.carry_out(deed, app, shown)

    def carry_out(self, deed: str, app: Any, shown: Any) -> None:
        """Carry out one deed and keep the model in step."""
        id, waiting = shown.state.id, shown.status is Status.PENDING
        match deed:
            case "approve":
                outcome = app.approve(id, expected=shown.state.hash)
                assert isinstance(outcome, State) is waiting
                if waiting:
                    if shown.content.replaces:
                        self.approved.pop(shown.content.replaces, None)
                    self.approved[id] = words_of(shown.content.lesson)
            case "reject":
                app.reject(id)
            case "roll back":
                outcome = app.roll_back(id)
                back = self.approved.pop(id, None) is not None
                assert not back or isinstance(outcome, State)
                replaced = app.kit.store.state(shown.content.replaces)
                if back and replaced is not None and replaced.status is Status.APPROVED:
                    other = app.show(replaced.id)
                    self.approved[replaced.id] = words_of(other.content.lesson)
            case "edit" if isinstance(shown.content.lesson, Memory):
                outcome = app.edit(id, memory(f"Edited words of {id}."))
                assert isinstance(outcome, State) is waiting
            case "forget":
                plan = app.plan_forgetting(id)
                assert not isinstance(app.forget(plan), Refusal)
                self.approved.pop(id, None)

    def states(self) -> dict[str, State]:
        """Return every proposal."""
        with self.home.twice() as app:
            return {state.id: state for state in app.kit.store.states()}

    def seen(self, status: Status) -> set[str]:
        """Return the proposals that a person sees in some status."""
        with self.home.twice() as app:
            return {item.state.id for item in app.proposals(limit=None) if item.status is status}

    @invariant()
    def nothing_but_what_was_approved_has_an_effect(self) -> None:
        """Compare what sessions are told, and the disk, with the model."""
        if not hasattr(self, "home"):
            return
        told = self.home.told()
        inside = {line for line in told.splitlines() if line.startswith("- ")}
        with self.home.twice() as app:
            project = app.project_here()
            standing = {item.id for item in app.kit.store.standing(project)} if project else set()
            memories = {
                id
                for id in self.approved
                if app.kit.store.state(id).kind == "memory"  # type: ignore[union-attr]
            }
        assert standing == memories
        assert inside == {f"- {' '.join(self.approved[id].split())} [{id}]" for id in memories}
        files = [path for path in tree(self.home.project) if path.endswith("SKILL.md")]
        assert len(files) == len(self.approved) - len(memories)
        if not files:
            assert tree(self.home.project) == self.clean
        assert self.home.flaws() == []


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=12, stateful_step_count=10, deadline=None)


# Saving by itself


@pytest.mark.parametrize(
    ("mode", "category", "saved"),
    [
        ("auto-safe", "auto", True),
        ("auto-safe", "review", False),
        ("suggest", "auto", False),
        ("suggest", "never", False),
    ],
)
def test_only_auto_safe_with_a_category_set_to_auto_saves(
    home: Machine, mode: str, category: str, saved: bool
) -> None:
    categories = "\n".join(
        f'"{name}" = "{category}"' for name in _categories() if name != "volatile"
    )
    home.sets(f'evolution = "{mode}"\n[categories]\n{categories}\n')
    (id,) = home.learns(WISH)
    assert (home.status(id) == "approved") is saved
    assert ("pnpm" in home.told()) is saved


def test_a_category_set_to_never_is_dropped_in_auto_safe(home: Machine) -> None:
    categories = "\n".join(f'"{name}" = "never"' for name in _categories())
    home.sets(f'evolution = "auto-safe"\n[categories]\n{categories}\n')
    assert home.learns(WISH) == []
    with home.twice() as app:
        report = app.last_report()
    assert report is not None
    assert [item["code"] for item in report["evolution"]["refused"]] == ["never"]


def test_what_was_opposed_by_anybody_does_not_save_itself(home: Machine) -> None:
    categories = "\n".join(f'"{n}" = "auto"' for n in _categories() if n != "volatile")
    home.sets(f'evolution = "auto-safe"\n[categories]\n{categories}\n')
    home.says(1, "Please look at page 1.", "use npm, not pnpm")
    home.says(2, "Please look at page 2.", WISH[0])
    home.says(3, "Please look at page 3.", WISH[1])
    home.dream()
    assert "pnpm" not in home.told()


def test_opposition_read_under_an_older_policy_still_speaks(home: Machine) -> None:
    categories = "\n".join(f'"{n}" = "auto"' for n in _categories() if n != "volatile")
    against = home.says(1, "Please look at page 1.", "use npm, not pnpm")
    home.dream()
    against.unlink()
    home.sets(f'evolution = "auto-safe"\n[categories]\n{categories}\n')
    home.says(2, "Please look at page 2.", WISH[0])
    home.says(3, "Please look at page 3.", WISH[1])
    home.dream()
    assert "pnpm" not in home.told()


def _categories() -> list[str]:
    from twice.core.policy import Category

    return [str(category) for category in Category]


# What was shown is what is approved


def test_another_hash_than_the_one_shown_is_refused(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as app:
        shown = app.show(id)
        assert not isinstance(shown, Refusal)
        app.edit(id, memory("Something else."))
        refused = app.approve(id, expected=shown.state.hash)
    assert isinstance(refused, Refusal)
    assert refused.code == "changed"
    assert home.told() == ""


def test_off_and_on_again_makes_older_proposals_stale(home: Machine) -> None:
    (id,) = home.learns(WISH)
    home.set_mode("off")
    home.set_mode("suggest")
    refused = home.does("approve", id)
    assert isinstance(refused, Refusal)
    assert refused.code == "stale"
    with home.twice() as app:
        shown = app.show(id)
        assert not isinstance(shown, Refusal)
        assert shown.status is Status.STALE
    ids = home.dream()["evolution"]["proposals"]
    assert len(ids) == 1
    assert not isinstance(home.does("approve", ids[0]), Refusal)


def test_a_change_by_hand_or_of_another_process_makes_stale_too(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as app:
        home.sets('evolution = "observe"\nworkflows = true\n')
        refused = app.approve(id)
    assert isinstance(refused, Refusal)
    assert refused.code == "stale"


def test_a_policy_changed_during_a_dream_lets_nothing_through(home: Machine) -> None:
    for number, words in enumerate(WISH, 1):
        home.says(number, f"Please look at page {number}.", words)
    with home.twice() as app:
        found, _ = wiring.found_sessions([home.sessions], here=home.project, data=home.data)

        def progress(done: int, total: int, path: Path) -> None:
            if done == total - 1:
                home.sets('evolution = "suggest"\nworkflows = false\n')

        report = app.dream(found, progress=progress)
    assert report["evolution"]["proposals"] == []


def test_consent_for_one_run_leaves_proposals_that_may_be_approved_in_every_mode(
    tmp_path: Path,
) -> None:
    home = machine(tmp_path / "machine", mode="off")
    for number, words in enumerate(WISH, 1):
        home.says(number, f"Please look at page {number}.", words)
    (id,) = home.dream(mode=Mode.SUGGEST)["evolution"]["proposals"]
    assert not isinstance(home.does("approve", id), Refusal)


def test_the_repository_lowers_consent_for_one_run_too(home: Machine) -> None:
    (home.project / ".twice").mkdir()
    (home.project / ".twice" / "config.toml").write_text('evolution = "observe"\n')
    for number, words in enumerate(WISH, 1):
        home.says(number, f"Please look at page {number}.", words)
    report = home.dream(mode=Mode.SUGGEST)
    assert report["evolution"]["proposals"] == []
    assert report["evolution"]["observed"]["recurring"] == 1


# Many hands


APPROVER = """
import sys
from pathlib import Path
from twice import wiring
from twice.core.proposals import Refusal

app = wiring.open_app(data=Path(sys.argv[1]), here=Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
outcome = app.approve(sys.argv[3])
print(outcome.reason if isinstance(outcome, Refusal) else "approved")
"""


@pytest.mark.parametrize("kind", ["memory", "skill"])
def test_of_two_processes_that_approve_the_same_one_wins(home: Machine, kind: str) -> None:
    id = home.proposes(kind)
    command = [sys.executable, "-c", APPROVER, str(home.data), str(home.project), id]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = sorted(process.communicate(timeout=60)[0].strip() for process in both)
    assert said == ["Not approved: it was approved already.", "approved"]
    assert home.flaws() == []


def test_of_two_who_decide_without_a_lock_one_wins(home: Machine) -> None:
    (id,) = home.learns(WISH)
    with home.twice() as one, home.twice() as other:
        assert not isinstance(one.reject(id), Refusal)
        refused = other.approve(id)
    assert isinstance(refused, Refusal)
    assert "rejected" in refused.reason


# Rejections


def test_a_rejection_binds_until_new_conversations_support_the_idea(home: Machine) -> None:
    (id,) = home.learns(WISH)
    home.does("reject", id)
    assert home.dream()["evolution"]["proposals"] == []
    home.says(3, "Please look at page 3.", WISH[0])
    (again,) = home.dream()["evolution"]["proposals"]
    with home.twice() as app:
        shown = app.show(again)
        assert not isinstance(shown, Refusal)
        assert shown.content is not None
        assert shown.content.rejected_before
    home.does("reject", again)
    assert home.dream()["evolution"]["proposals"] == []


def test_a_skill_that_quotes_a_risky_phrase_needs_an_override(home: Machine) -> None:
    id = home.hands_in(
        Skill("read-mail", "Use when mail is read", "Beware of: ignore previous instructions")
    )
    refused = home.does("approve", id)
    assert isinstance(refused, Refusal)
    assert "ignore previous instructions" in refused.reason
    with home.twice() as app:
        assert isinstance(app.approve(id, override=True), State)


def test_a_proposal_whose_target_moved_on_needs_a_rebase(home: Machine) -> None:
    (old,) = home.learns(("use npm, not pnpm", "use npm, not pnpm"))
    home.does("approve", old)
    (new,) = home.learns(WISH)
    with home.twice() as app:
        shown = app.show(new)
        assert not isinstance(shown, Refusal)
        assert shown.content is not None
        assert shown.content.replaces == old
    home.does("forget", old)
    with home.twice() as app:
        shown = app.show(new)
        assert not isinstance(shown, Refusal)
        assert shown.status is Status.NEEDS_REBASE
    refused = home.does("approve", new)
    assert isinstance(refused, Refusal)
    assert refused.code == "needs_rebase"


def test_what_waits_changes_nothing_on_disk(home: Machine) -> None:
    before = tree(home.project)
    home.learns(WISH, OTHER)
    home.proposes("skill")
    home.proposes("workflow")
    home.proposes("instruction")
    assert tree(home.project) == before
    assert home.told() == ""
