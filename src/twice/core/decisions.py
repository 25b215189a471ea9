"""Who may change what: each decision is an entry to append, or a refusal that says why."""

from collections.abc import Mapping

import msgspec

from twice.core.ledger import Draft
from twice.core.lessons import Lesson, LessonKind, kind_of
from twice.core.policy import Policy
from twice.core.proposals import Candidate, Content, Refusal, review_hash
from twice.core.receipts import Receipt
from twice.core.states import IN_FORCE, State, Status, seen_status

Decision = tuple[Draft, ...] | Refusal

_TAKEN = {
    Status.APPROVED: "it was approved already",
    Status.ACCEPTED: "it was approved already",
    Status.ACTIVE: "it was approved already",
    Status.BLOCKED: "its approval was interrupted",
    Status.REJECTED: "it was rejected",
    Status.ROLLED_BACK: "it was rolled back",
    Status.SUPERSEDED: "a newer one took its place",
    Status.RETIRED: "it was withdrawn",
    Status.STALE: "the policy changed after it was filed",
}


def decide_policy(policy: Policy, *, revision: str, projects: dict[str, str], actor: str) -> Draft:
    """Record an explicit change of what the user allows, under a fresh random revision."""
    body = {"revision": revision, "projects": projects, **policy.plain()}
    return Draft("policy.changed", revision, "", actor, body)


def decide_filing(candidate: Candidate, *, id: str, actor: str) -> Draft:
    """File a candidate that passed every gate."""
    content = candidate.content
    body = {
        "hash": review_hash(content),
        "policy": candidate.revision,
        "ideas": list(candidate.ideas),
        "lineages": sorted({evidence.lineage for evidence in content.evidence}),
        "name": name_of(content.lesson),
        "replaces": content.replaces,
        "origin": content.origin,
    }
    return _draft(kind_of(content.lesson), "proposed", id, content.project, actor, body)


def decide_support(state: State, content: Content, ideas: tuple[str, ...]) -> Draft:
    """Add evidence that came later to what waits; its review hash changes with it."""
    lineages = sorted({evidence.lineage for evidence in content.evidence} | set(state.lineages))
    body = {
        "hash": review_hash(content),
        "was": state.hash,
        "ideas": list(dict.fromkeys((*state.ideas, *ideas))),
        "lineages": lineages,
    }
    return _of(state, "supported", "dream", body)


def decide_edit(
    state: State,
    lesson: Lesson,
    *,
    new_hash: str,
    expected: str,
    policy: str,
    actor: str,
    replaces: str = "",
) -> Decision:
    """Replace what a pending proposal says by what a person wrote instead.

    ``replaces`` is the approved item that the new words contradict.
    """
    if refusal := _guard(state, expected=expected, policy=policy, verb="edited"):
        return refusal
    if kind_of(lesson) != state.kind:
        return Refusal(
            "kind",
            f"Not edited: it is a {state.kind}, and stays one.",
            f"twice reject {state.id}, then twice propose the other.",
        )
    name = name_of(lesson)
    body = {"hash": new_hash, "was": state.hash, "name": name, "replaces": replaces}
    return (_of(state, "edited", actor, body),)


def decide_approval(
    state: State,
    *,
    receipts: tuple[Receipt, ...],
    expected: str,
    policy: str,
    actor: str,
    replaced: State | None = None,
    flagged: tuple[str, ...] = (),
    override: bool = False,
) -> Decision:
    """Approve a pending proposal: ``approved``, ``accepted``, or ``blocked`` until published."""
    if refusal := _guard(state, expected=expected, policy=policy, verb="approved"):
        return refusal
    if flagged and not override:
        return Refusal(
            "flagged",
            "Not approved: it quotes a risky phrase: " + " | ".join(flagged),
            f"Read it once more, then: twice approve {state.id} --override",
        )
    plain = [msgspec.to_builtins(receipt) for receipt in receipts]
    verb = {"memory": "approved", "instruction": "accepted"}.get(state.kind, "blocked")
    drafts = [_of(state, verb, actor, {"hash": state.hash, "receipts": plain})]
    if replaced is not None and replaced.status in IN_FORCE:
        drafts.append(_of(replaced, "superseded", actor, {"by": state.id}))
    return tuple(drafts)


def decide_activation(state: State, *, actor: str) -> Decision:
    """Say that everything a blocked approval announced is on disk."""
    if state.status is not Status.BLOCKED:
        return _refused(state, "activated", state.status)
    return (_of(state, "activated", actor, {"hash": state.hash}),)


def decide_return(state: State, *, reason: str, actor: str) -> Decision:
    """Put a blocked approval back among those that wait; nothing of it is on disk."""
    if state.status is not Status.BLOCKED:
        return _refused(state, "returned", state.status)
    return (_of(state, "returned", actor, {"reason_code": reason}),)


def decide_rejection(
    state: State, *, reason: str, expected: str, actor: str, lineages: tuple[str, ...]
) -> Decision:
    """Reject what waits. ``reason`` is the digest of the person's words, or empty."""
    if refusal := _guard(state, expected=expected, policy=state.policy, verb="rejected"):
        return refusal
    body = {"hash": state.hash, "reason": reason, "ideas": list(state.ideas),
            "lineages": sorted({*lineages, *state.lineages})}  # fmt: skip
    return (_of(state, "rejected", actor, body),)


def decide_rollback(
    state: State,
    *,
    expected: str,
    expected_revision: int | None,
    actor: str,
    retired: tuple[str, ...] = (),
    superseded: State | None = None,
) -> Decision:
    """Undo an approval, in every mode; what it had superseded comes back.

    Where a newer one took its place meanwhile, that one stands in the way of what comes back.
    """
    if refusal := rollback_refusal(state, expected=expected, expected_revision=expected_revision):
        return refusal
    body = {"hash": state.hash, "retired": list(retired)}
    drafts = [_of(state, "rolled_back", actor, body)]
    if superseded is None or superseded.superseded_by != state.id:
        return tuple(drafts)
    if state.status is Status.SUPERSEDED:
        by = {"by": state.superseded_by}
        drafts.append(_of(superseded, "superseded", actor, by))
    elif state.status in IN_FORCE:
        came_from = {"memory": "approved", "instruction": "accepted"}.get(superseded.kind, "active")
        drafts.append(_of(superseded, "reinstated", actor, {"status": came_from, "by": state.id}))
    return tuple(drafts)


def rollback_refusal(
    state: State, *, expected: str, expected_revision: int | None
) -> Refusal | None:
    """Tell why an item cannot be rolled back, before anything is touched."""
    if state.status not in IN_FORCE | {Status.BLOCKED, Status.SUPERSEDED}:
        return _refused(state, "rolled back", state.status)
    if refusal := _hash_refusal(state, expected, "rolled back"):
        return refusal
    current = state.receipts[0].revision if state.receipts else 1
    if expected_revision is not None and expected_revision != current:
        return Refusal(
            "revision",
            f"Not rolled back: its receipt is at revision {current}, not {expected_revision}.",
            f"twice review --list, then: twice rollback {state.id}",
        )
    return None


def decide_eviction(state: State, *, actor: str) -> Draft:
    """Let a settled proposal leave a full list; a rejection goes on binding without it."""
    return _of(state, "evicted", actor, {"hash": state.hash})


def decide_erasure(state: State, *, binds: bool, actor: str) -> Draft:
    """Take an item away for good on a person's command; only its digest stays in the chain.

    ``binds``: it was the item itself that the person had erased, so its idea is not to come back
    from the same conversations, as after a rejection.
    """
    ideas = list(state.ideas) if binds else []
    body = {"hash": state.hash, "ideas": ideas, "lineages": list(state.lineages)}
    return _of(state, "erased", actor, body)


def decide_forgetting(
    subject: str, *, sessions: tuple[str, ...], items: tuple[str, ...], counts: dict[str, int],
    actor: str,
) -> Draft:  # fmt: skip
    """Record that a person had something erased: which and how much, never what.

    ``sessions`` are keyed hashes of the ids of sessions and lineages, by which they and their
    copies are known should they be met again.
    """
    body = {"sessions": list(sessions), "items": list(items), "erased": counts}
    return Draft("session.forgotten", subject, "", actor, body)


def name_of(lesson: Lesson) -> str:
    """Return the name that a lesson takes, or nothing for those without one."""
    return getattr(lesson, "name", "")


def _guard(state: State, *, expected: str, policy: str, verb: str) -> Refusal | None:
    status = seen_status(state, policy)
    if status is not Status.PENDING:
        return _refused(state, verb, status)
    return _hash_refusal(state, expected, verb)


def _hash_refusal(state: State, expected: str, verb: str) -> Refusal | None:
    if expected and state.hash != expected:
        return Refusal(
            "changed",
            f"Not {verb}: it changed after it was shown.",
            f"twice review {state.id}, then decide again.",
        )
    return None


def _refused(state: State, verb: str, status: Status) -> Refusal:
    why = _TAKEN.get(status, f"it is {status}")
    hint = (
        "Run twice dream: what still recurs is filed again under the current policy."
        if status is Status.STALE
        else f"twice why {state.id}"
    )
    if status is Status.BLOCKED:
        hint = "twice verify"
    return Refusal(str(status).replace(" ", "_"), f"Not {verb}: {why}.", hint)


def _of(state: State, verb: str, actor: str, body: Mapping[str, object]) -> Draft:
    return _draft(state.kind, verb, state.id, state.project, actor, body)


def _draft(
    kind: LessonKind, verb: str, id: str, project: str, actor: str, body: Mapping[str, object]
) -> Draft:
    return Draft(f"{kind}.{verb}", id, project, actor, dict(body))
