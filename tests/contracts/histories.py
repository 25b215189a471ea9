"""Valid histories: random decisions, each made by the core, on a store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st
from tests.builders import LESSONS, POLICY, PROJECT, Clock, Names, blob, candidate, memory

from twice.core.decisions import (
    Decision,
    decide_activation,
    decide_approval,
    decide_edit,
    decide_erasure,
    decide_eviction,
    decide_filing,
    decide_policy,
    decide_rejection,
    decide_return,
    decide_rollback,
)
from twice.core.encoding import text_digest
from twice.core.joined import decide_link, decide_unlink
from twice.core.ledger import Draft
from twice.core.policy import Mode, Policy
from twice.core.proposals import Content, Refusal, decode_content, review_hash
from twice.core.receipts import CONTEXT, Receipt
from twice.core.states import State, Status
from twice.ports import Store

VERBS = (
    "file", "file", "file", "edit", "approve", "approve", "reject", "activate", "return",
    "roll back", "evict", "erase", "policy",
)  # fmt: skip
STEPS = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 5), st.sampled_from(sorted(LESSONS))),
    max_size=25,
)


@dataclass
class History:
    """A person who decides at random, but never against the rules."""

    store: Store
    clock: Clock = field(default_factory=Clock)
    names: Names = field(default_factory=Names)
    policy: str = POLICY

    def append(self, drafts: Decision, blobs: dict[str, bytes] | None = None) -> None:
        """Append what was decided; a refusal leaves all as it was."""
        if not isinstance(drafts, Refusal):
            self.store.append(drafts, after=self.store.position(), at=self.clock(), blobs=blobs)

    def file(
        self,
        kind: str = "memory",
        *,
        replaces: str = "",
        text: str = "",
        lineages: Sequence[str] = ("s1", "s2"),
        project: str = PROJECT,
        idea: str = "",
    ) -> str:
        """File a proposal; return its id."""
        id = self.names("prp")
        lesson = memory(text) if text else LESSONS[kind]
        made = candidate(
            lesson,
            revision=self.policy,
            ideas=(idea or f"idea {id}",),
            lineages=lineages,
            project=project,
            replaces=replaces,
        )
        draft = decide_filing(made, id=id, actor="dream")
        self.append((draft,), blob(made.content))
        return id

    def content(self, state: State) -> Content:
        """Return what a proposal says."""
        return decode_content(self.store.blobs([state.hash])[state.hash])

    def approve(self, id: str) -> None:
        """Approve a proposal, with the receipts that its kind has."""
        state = self.state(id)
        place = CONTEXT if state.kind == "memory" else f".agents/skills/{id}/SKILL.md"
        receipts = (Receipt(place, text_digest(id), self.clock(), self.policy, root="/work/shop"),)
        replaced = self.store.state(state.replaces) if state.replaces else None
        self.append(
            decide_approval(
                state,
                receipts=() if state.kind == "instruction" else receipts,
                expected=state.hash,
                policy=self.policy,
                actor="person",
                replaced=replaced,
            )
        )

    def state(self, id: str) -> State:
        """Return a proposal that must be there."""
        state = self.store.state(id)
        assert state is not None
        return state

    def reject(self, id: str, *lineages: str) -> None:
        """Reject a proposal."""
        self.append(
            decide_rejection(
                self.state(id), reason="", expected="", actor="person", lineages=lineages
            )
        )

    def roll_back(self, id: str) -> None:
        """Roll a proposal back."""
        state = self.state(id)
        superseded = self.store.state(state.replaces) if state.replaces else None
        self.append(
            decide_rollback(
                state, expected="", expected_revision=None, actor="person", superseded=superseded
            )
        )

    def edit(self, id: str) -> None:
        """Change the words of a proposal."""
        state = self.state(id)
        if state.kind != "memory":
            return
        lesson = memory(f"Edited {self.clock.at}.")
        content = Content(PROJECT, lesson, evidence=self.content(state).evidence)
        self.append(
            decide_edit(
                state, lesson, new_hash=review_hash(content), expected="", policy=self.policy,
                actor="person",
            ),
            blob(content),
        )  # fmt: skip

    def change_policy(self) -> None:
        """Change the policy explicitly."""
        self.policy = self.names("pol")
        draft = decide_policy(
            Policy(Mode.SUGGEST), revision=self.policy, projects={}, actor="person"
        )
        self.append((draft,))

    def join(self, this: str, that: str) -> None:
        """Let a project read as another."""
        known = self.store.projects()
        self.append(decide_link(this, that, known=known, actor="person"))

    def part(self, this: str) -> None:
        """Let a project read as itself again."""
        self.append(decide_unlink(this, known=self.store.projects(), actor="person"))

    def step(self, verb: str, number: int, kind: str) -> None:
        """Do one random thing, to one of the proposals there are."""
        states = self.store.states()
        if verb == "policy":
            self.change_policy()
        elif verb == "file" or not states:
            replaced = states[number % len(states)].id if states and number == 5 else ""
            self.file(kind, replaces=replaced if kind == "memory" else "")
        else:
            self._decide(verb, states[number % len(states)])

    def _decide(self, verb: str, state: State) -> None:
        actor = "person"
        settled = state.status in (Status.REJECTED, Status.ROLLED_BACK, Status.RETIRED)
        verbs: dict[str, Callable[[], None]] = {
            "edit": lambda: self.edit(state.id),
            "approve": lambda: self.approve(state.id),
            "reject": lambda: self.reject(state.id, "s9"),
            "activate": lambda: self.append(decide_activation(state, actor=actor)),
            "return": lambda: self.append(decide_return(state, reason="exists", actor=actor)),
            "roll back": lambda: self.roll_back(state.id),
            "evict": lambda: self._draft(decide_eviction(state, actor=actor)) if settled else None,
            "erase": lambda: self._draft(decide_erasure(state, binds=True, actor=actor)),
        }
        verbs[verb]()

    def _draft(self, draft: Draft) -> None:
        self.append((draft,))
