"""Erase a session or an item for good: preview, cascade, and a receipt in the ledger."""

import shutil
from dataclasses import dataclass

from twice.actions.deciding import opened, roll_back
from twice.actions.kit import Kit, retried
from twice.actions.spooling import erase_waiting, waiting_of
from twice.core.decisions import decide_erasure, decide_forgetting
from twice.core.encoding import keyed
from twice.core.kept import KeptSession
from twice.core.ledger import Draft
from twice.core.proposals import Content, Refusal
from twice.core.states import IN_FORCE, State, Status


@dataclass(frozen=True, slots=True)
class Plan:
    """What forgetting would erase. ``undone`` of the items are in force and are rolled back.

    ``recorded`` are events that the agent reported itself, and that wait in the spool.
    """

    subject: str
    sessions: tuple[str, ...]
    items: tuple[str, ...]
    undone: tuple[str, ...]
    quotes_only: tuple[str, ...]
    turns: int
    recorded: int = 0


def plan(kit: Kit, subject: str) -> Plan | Refusal:
    """Return what would be erased for a session or an item, touching nothing.

    Forks and copies of a session hold the same words, so they go with it.
    """
    state = kit.store.state(subject)
    if state is not None:
        undone = (subject,) if state.status in IN_FORCE | {Status.BLOCKED} else ()
        return Plan(subject, (), (subject,), undone, (), 0)
    sessions = [kept for kept in kit.store.sessions() if _named(kept, subject)]
    if not sessions:
        if recorded := waiting_of(kit, {subject}):
            return Plan(subject, (subject,), (), (), (), 0, recorded)
        return Refusal(
            "unknown",
            f"There is no session and no item {subject}.",
            "twice review --list --json names both.",
        )
    lineages = {kept.lineage for kept in sessions}
    copies = [kept for kept in kit.store.sessions() if kept.lineage in lineages]
    return _plan_sessions(kit, subject, copies)


def _named(kept: KeptSession, subject: str) -> bool:
    return kept.id == subject or (bool(kept.path) and kept.path.endswith("/" + subject))


def _plan_sessions(kit: Kit, subject: str, sessions: list[KeptSession]) -> Plan:
    """Look at the items of every project: one may have been joined when an item was filed."""
    ids = {kept.id for kept in sessions}
    items: list[State] = []
    quotes_only: list[str] = []
    for state in kit.store.states():
        found = opened(kit, state.id)
        if isinstance(found, Refusal) or not _cites(found[1], ids):
            continue
        if _rests_on(found[1], ids):
            items.append(state)
        else:
            quotes_only.append(state.id)
    return Plan(
        subject=subject,
        sessions=tuple(sorted(ids)),
        items=tuple(state.id for state in items),
        undone=tuple(s.id for s in items if s.status in IN_FORCE | {Status.BLOCKED}),
        quotes_only=tuple(quotes_only),
        turns=sum(kept.turns for kept in sessions),
        recorded=waiting_of(kit, ids),
    )


def _cites(content: Content, sessions: set[str]) -> bool:
    cited = {evidence.session for evidence in (*content.evidence, *content.against)}
    return bool(cited & sessions) or content.words in sessions


def _rests_on(content: Content, sessions: set[str]) -> bool:
    """Tell whether an item falls with sessions: its words are theirs, or too few others say it."""
    if content.words in sessions:
        return True
    left = {e.lineage for e in content.evidence if e.session not in sessions}
    return content.origin == "learner" and len(left) < 2


def forget(kit: Kit, chosen: Plan) -> dict[str, int] | Refusal:
    """Carry out a plan: undo what is in force, erase rows and texts, leave the chain whole."""
    for id in chosen.undone:
        outcome = roll_back(kit, id)
        if isinstance(outcome, Refusal):
            return outcome
    for id in chosen.items:
        for folder in (kit.data / "retired").glob(f"{id}-*"):
            shutil.rmtree(folder)
    # Before the rows: while these are there, it can be done again. After them, for what came
    # meanwhile: from now on whoever records sees that it was forgotten.
    recorded = erase_waiting(kit, chosen.sessions) if chosen.sessions else 0
    counts = retried(lambda: _erase(kit, chosen))
    recorded += erase_waiting(kit, chosen.sessions) if chosen.sessions else 0
    kit.store.scrub()
    return counts | ({"recorded": recorded} if recorded else {})


def _erase(kit: Kit, chosen: Plan) -> dict[str, int]:
    after = kit.store.position()
    lineages = {s.lineage for s in kit.store.sessions() if s.id in set(chosen.sessions)}
    binds = chosen.items == (chosen.subject,)
    drafts: list[Draft] = []
    for id in chosen.items:
        state = kit.store.state(id)
        if state is not None:
            drafts.append(decide_erasure(state, binds=binds, actor=kit.actor))
    counts = {"sessions": len(chosen.sessions), "items": len(chosen.items), "turns": chosen.turns}
    if chosen.recorded:
        counts["recorded"] = chosen.recorded
    drafts.append(
        decide_forgetting(
            chosen.subject if binds else kit.fresh("fgt"),
            sessions=tuple(keyed(kit.store.key, name) for name in (*chosen.sessions, *lineages)),
            items=chosen.items,
            counts=counts,
            actor=kit.actor,
        )
    )
    return kit.store.forget(chosen.sessions, drafts=drafts, after=after, at=kit.now())
