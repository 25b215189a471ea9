"""Who may change what: every way that is open, and every one that is not."""

from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.builders import LESSONS, POLICY, candidate, memory, skill

from twice.core.decisions import (
    Decision,
    decide_activation,
    decide_approval,
    decide_edit,
    decide_filing,
    decide_rejection,
    decide_return,
    decide_rollback,
)
from twice.core.ledger import Draft, Entry, seal
from twice.core.lessons import Lesson
from twice.core.proposals import Refusal
from twice.core.receipts import Receipt
from twice.core.states import State, Status, apply, seen_status

VERBS = ("edit", "approve", "reject", "activate", "return", "roll back")
RECEIPT = Receipt("somewhere", "d", 1, POLICY, root="/work/shop")


@dataclass
class Item:
    """One proposal and its entries."""

    kind: str = "memory"
    replaces: str = ""
    entries: list[Entry] = field(default_factory=list)
    state: State | None = None
    policy: str = POLICY

    def __post_init__(self) -> None:
        """File it."""
        made = candidate(LESSONS[self.kind], replaces=self.replaces)
        self.take((decide_filing(made, id="prp_1", actor="dream"),))

    @property
    def now(self) -> State:
        """Return its state."""
        assert self.state is not None
        return self.state

    def take(self, drafts: tuple[Draft, ...]) -> None:
        """Append what was decided."""
        for draft in drafts:
            seq = len(self.entries) + 1
            prev = self.entries[-1].hash if self.entries else ""
            self.entries.append(seal(draft, seq=seq, at=seq, prev=prev))
            if draft.subject == "prp_1":
                self.state = apply(self.state, self.entries[-1])

    def decide(self, verb: str, *, expected: str = "", lesson: Lesson | None = None) -> Decision:
        """Ask for a decision, changing nothing."""
        state = self.now
        match verb:
            case "edit":
                return decide_edit(
                    state, lesson or LESSONS[self.kind], new_hash="h2", expected=expected,
                    policy=self.policy, actor="p",
                )  # fmt: skip
            case "approve":
                return decide_approval(
                    state, receipts=(RECEIPT,), expected=expected, policy=self.policy, actor="p"
                )
            case "reject":
                return decide_rejection(
                    state, reason="", expected=expected, actor="p", lineages=("s3",)
                )
            case "activate":
                return decide_activation(state, actor="p")
            case "return":
                return decide_return(state, reason="exists", actor="p")
            case _:
                return decide_rollback(state, expected=expected, expected_revision=None, actor="p")

    def does(self, *verbs: str) -> "Item":
        """Do what must be allowed."""
        for verb in verbs:
            decision = self.decide(verb)
            assert not isinstance(decision, Refusal), decision
            self.take(decision)
        return self


PATHS: dict[Status, tuple[str, tuple[str, ...]]] = {
    Status.PENDING: ("skill", ()),
    Status.APPROVED: ("memory", ("approve",)),
    Status.ACCEPTED: ("instruction", ("approve",)),
    Status.BLOCKED: ("skill", ("approve",)),
    Status.ACTIVE: ("skill", ("approve", "activate")),
    Status.ROLLED_BACK: ("skill", ("approve", "activate", "roll back")),
    Status.REJECTED: ("skill", ("reject",)),
}
ALLOWED = {
    Status.PENDING: {"edit", "approve", "reject"},
    Status.APPROVED: {"roll back"},
    Status.ACCEPTED: {"roll back"},
    Status.BLOCKED: {"activate", "return", "roll back"},
    Status.ACTIVE: {"roll back"},
    Status.ROLLED_BACK: set(),
    Status.REJECTED: set(),
}


@pytest.mark.parametrize("status", PATHS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_proposal_moves_only_along_the_open_ways(status: Status, verb: str) -> None:
    kind, verbs = PATHS[status]
    item = Item(kind).does(*verbs)
    assert item.now.status is status
    decision = item.decide(verb)
    assert isinstance(decision, Refusal) is (verb not in ALLOWED[status])
    if isinstance(decision, Refusal):
        assert decision.reason.startswith("Not ")
        assert decision.hint


@pytest.mark.parametrize("verb", ["edit", "approve", "reject"])
def test_what_changed_after_it_was_shown_is_refused(verb: str) -> None:
    decision = Item().decide(verb, expected="another")
    assert isinstance(decision, Refusal)
    assert (decision.code, "changed after it was shown" in decision.reason) == ("changed", True)


@pytest.mark.parametrize("verb", ["edit", "approve"])
def test_what_was_filed_under_an_older_policy_is_stale(verb: str) -> None:
    item = Item(policy="pol_2")
    decision = item.decide(verb)
    assert seen_status(item.now, "pol_2") is Status.STALE
    assert isinstance(decision, Refusal)
    assert decision.code == "stale"


def test_what_is_stale_may_be_rejected() -> None:
    assert Item(policy="pol_2").does("reject").now.status is Status.REJECTED


def test_a_rollback_needs_the_revision_that_was_seen() -> None:
    item = Item("skill").does("approve", "activate")
    refused = decide_rollback(item.now, expected="", expected_revision=2, actor="p")
    assert isinstance(refused, Refusal)
    assert refused.code == "revision"
    item.take(decide_rollback(item.now, expected="", expected_revision=1, actor="p"))  # type: ignore[arg-type]
    assert item.now.receipts[0].revision == 2


def test_a_rollback_needs_the_hash_that_was_seen() -> None:
    item = Item().does("approve")
    assert isinstance(item.decide("roll back", expected="another"), Refusal)
    assert not isinstance(item.decide("roll back", expected=item.now.hash), Refusal)


def test_an_approval_works_in_every_policy_that_it_was_filed_under_and_undoing_in_any() -> None:
    item = Item().does("approve")
    item.policy = "pol_2"
    assert item.does("roll back").now.status is Status.ROLLED_BACK


def test_a_flagged_text_needs_an_explicit_override() -> None:
    state = Item().now

    def ask(override: bool) -> Decision:
        return decide_approval(
            state, receipts=(), expected="", policy=POLICY, actor="p",
            flagged=("ignore previous instructions",), override=override,
        )  # fmt: skip

    refused = ask(False)
    assert isinstance(refused, Refusal)
    assert (refused.code, "ignore previous" in refused.reason) == ("flagged", True)
    assert not isinstance(ask(True), Refusal)


def test_an_edit_keeps_the_kind_of_lesson() -> None:
    refused = Item().decide("edit", lesson=skill())
    assert isinstance(refused, Refusal)
    assert not isinstance(Item().decide("edit", lesson=memory("Other.")), Refusal)


def test_a_published_file_that_is_given_back_waits_again() -> None:
    state = Item("skill").does("approve", "return").now
    assert (state.status, state.receipts, state.decided) == (Status.PENDING, (), None)


def test_an_entry_about_something_that_was_never_filed_makes_nothing() -> None:
    entry = Item().does("approve").entries[-1]
    assert apply(None, entry) is None


@pytest.mark.parametrize("newer", [Status.APPROVED, Status.SUPERSEDED])
def test_only_what_is_in_force_gives_back_what_it_superseded(newer: Status) -> None:
    item = Item(replaces="prp_0").does("approve")
    state = msgspec.structs.replace(item.now, status=newer)
    old = msgspec.structs.replace(
        state, id="prp_0", status=Status.SUPERSEDED, superseded_by="prp_1"
    )
    drafts = decide_rollback(state, expected="", expected_revision=None, actor="p", superseded=old)
    assert not isinstance(drafts, Refusal)
    given_back = [draft.subject for draft in drafts if draft.kind == "memory.reinstated"]
    assert given_back == (["prp_0"] if newer is Status.APPROVED else [])


NEXT = {
    ("pending", "reject"): "rejected",
    ("blocked", "activate"): "active",
    ("blocked", "return"): "pending",
}
IN_FORCE = {"memory": "approved", "instruction": "accepted"}


class Lives(RuleBasedStateMachine):
    """One proposal under random verbs, beside the smallest model of it."""

    @initialize(kind=st.sampled_from(sorted(LESSONS)))
    def file(self, kind: str) -> None:
        """File it."""
        self.item = Item(kind)
        self.model = "pending"

    @rule(verb=st.sampled_from(VERBS))
    def decide(self, verb: str) -> None:
        """Try a verb, allowed or not."""
        decision = self.item.decide(verb, expected=self.item.now.hash)
        expected = self.after(verb)
        assert isinstance(decision, Refusal) is (expected is None)
        if not isinstance(decision, Refusal) and expected is not None:
            self.item.take(decision)
            self.model = expected

    def after(self, verb: str) -> str | None:
        """Return the status that the model expects, or None for a refusal."""
        if self.model == "pending" and verb == "edit":
            return "pending"
        if self.model == "pending" and verb == "approve":
            return IN_FORCE.get(self.item.kind, "blocked")
        if self.model in ("approved", "accepted", "blocked", "active") and verb == "roll back":
            return "rolled back"
        return NEXT.get((self.model, verb))

    @invariant()
    def agree(self) -> None:
        """The state is what the model says, and a fold over its entries."""
        if not hasattr(self, "item"):
            return
        folded = None
        for entry in self.item.entries:
            folded = apply(folded, entry)
        assert folded == self.item.now
        assert str(self.item.now.status) == self.model


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=40, stateful_step_count=12, deadline=None)
