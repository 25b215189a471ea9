"""The state of every proposal, folded from ledger entries: the only way that it may change."""

from enum import StrEnum

import msgspec

from twice.core.ledger import Entry
from twice.core.lessons import LessonKind
from twice.core.receipts import Receipt


class Status(StrEnum):
    """Where a proposal stands. ``STALE`` and ``NEEDS_REBASE`` are seen, never written."""

    PENDING = "pending"
    APPROVED = "approved"
    ACCEPTED = "accepted"
    BLOCKED = "blocked"
    ACTIVE = "active"
    ROLLED_BACK = "rolled back"
    REJECTED = "rejected"
    STALE = "stale"
    NEEDS_REBASE = "needs rebase"
    SUPERSEDED = "superseded"
    RETIRED = "retired"


IN_FORCE = frozenset({Status.APPROVED, Status.ACCEPTED, Status.ACTIVE})


class State(msgspec.Struct, frozen=True):
    """One proposal as the ledger tells it; texts lie in the blob named by ``hash``.

    ``filed`` and ``decided`` are UTC in microseconds. ``name`` is the name that a skill or
    workflow takes. ``lineages`` are those that supported it when it was filed; ``superseded_by``
    is the item that took its place.
    """

    id: str
    kind: LessonKind
    project: str
    status: Status
    hash: str
    policy: str
    filed: int
    seq: int
    ideas: tuple[str, ...] = ()
    lineages: tuple[str, ...] = ()
    name: str = ""
    replaces: str = ""
    superseded_by: str = ""
    decided: int | None = None
    actor: str = ""
    reason: str = ""
    receipts: tuple[Receipt, ...] = ()


def apply(state: State | None, entry: Entry) -> State | None:
    """Return the state of a proposal after one more of its entries."""
    if entry.verb == "proposed":
        return _filed(entry)
    if state is None:
        return None
    changes = {"seq": entry.seq, **_changes(state, entry)}
    return msgspec.structs.replace(state, **changes)


def _filed(entry: Entry) -> State:
    body = entry.body
    return State(
        id=entry.subject,
        kind=entry.kind.partition(".")[0],  # type: ignore[arg-type]
        project=entry.project,
        status=Status.PENDING,
        hash=body["hash"],
        policy=body["policy"],
        filed=entry.at,
        seq=entry.seq,
        ideas=tuple(body["ideas"]),
        lineages=tuple(body["lineages"]),
        name=body.get("name", ""),
        replaces=body.get("replaces", ""),
    )


def _changes(state: State, entry: Entry) -> dict[str, object]:
    decided = {"decided": entry.at, "actor": entry.actor}
    body = entry.body
    match entry.verb:
        case "edited":
            return {
                "hash": body["hash"],
                "name": body.get("name", state.name),
                "replaces": body.get("replaces", state.replaces),
            }
        case "supported":
            ideas, lineages = tuple(body["ideas"]), tuple(body["lineages"])
            return {"hash": body["hash"], "ideas": ideas, "lineages": lineages}
        case "approved" | "accepted" | "blocked":
            receipts = msgspec.convert(body["receipts"], tuple[Receipt, ...])
            return {"status": Status(entry.verb), "receipts": receipts, **decided}
        case "activated":
            return {"status": Status.ACTIVE}
        case "rejected":
            return {"status": Status.REJECTED, "reason": body["reason"], **decided}
        case "returned":
            return {"status": Status.PENDING, "receipts": (), "decided": None, "actor": ""}
        case "rolled_back":
            receipts = tuple(
                msgspec.structs.replace(receipt, revision=receipt.revision + 1)
                for receipt in state.receipts
            )
            return {"status": Status.ROLLED_BACK, "receipts": receipts, **decided}
        case "superseded":
            return {"status": Status.SUPERSEDED, "superseded_by": body["by"]}
        case "reinstated":
            return {"status": Status(body["status"]), "superseded_by": ""}
        case "retired":
            return {"status": Status.RETIRED, "reason": body["reason"]}
        case _:
            return {}


def seen_status(state: State, policy: str) -> Status:
    """Return what a person sees: a pending proposal of an older policy revision is stale."""
    if state.status is Status.PENDING and state.policy != policy:
        return Status.STALE
    return state.status
