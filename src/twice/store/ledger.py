"""The ledger's rows: append with a position, and everything derived in the same transaction."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from twice.core import recall
from twice.core.encoding import canonical, encode
from twice.core.errors import Broken, Conflict
from twice.core.joined import LINKED, UNLINKED
from twice.core.ledger import GENESIS, Draft, Entry, restore, seal
from twice.core.lessons import Memory
from twice.core.proposals import decode_content
from twice.core.states import State, Status, apply
from twice.store import links
from twice.store.rows import Row, Tables
from twice.store.schema import DERIVED

_PAGE = 1_000
_BEFORE_DECISION = frozenset({"proposed", "edited", "supported"})


def position(tables: Tables) -> int:
    """Return the number of the last entry, or 0."""
    last = tables.select("entries", columns=("seq",), order=("-seq",), limit=1)
    return int(last[0]["seq"]) if last else 0


def page_of(tables: Tables, after: int) -> list[Entry]:
    """Return the next entries of the chain; none at its end."""
    rows = tables.select("entries", ("seq", ">", after), order=("seq",), limit=_PAGE)
    return [_entry(row) for row in rows]


def entries(tables: Tables) -> Iterator[Entry]:
    """Yield the chain in order, a page at a time."""
    after = 0
    while page := page_of(tables, after):
        yield from page
        after = page[-1].seq


def append(
    tables: Tables,
    drafts: Sequence[Draft],
    *,
    after: int,
    at: int,
    blobs: Mapping[str, bytes],
) -> tuple[Entry, ...]:
    """Append drafts where the chain still ends at ``after``; raise ``Conflict`` otherwise."""
    head = tables.select("entries", columns=("seq", "hash"), order=("-seq",), limit=1)
    seq, prev = (head[0]["seq"], head[0]["hash"]) if head else (0, GENESIS)
    if seq != after:
        raise Conflict(
            "Somebody else decided something at the same moment.", hint="Look again, then decide."
        )
    sealed: list[Entry] = []
    for draft in drafts:
        seq += 1
        entry = seal(draft, seq=seq, at=at, prev=prev)
        prev = entry.hash
        sealed.append(entry)
    tables.put("entries", [_row(entry) for entry in sealed])
    tables.put("meta", [{"key": "ledger.head", "value": f"{seq}:{prev}"}])
    tables.insert("blobs", [{"digest": name, "data": data} for name, data in blobs.items()])
    derive(tables, sealed)
    return tuple(sealed)


def derive(tables: Tables, sealed: Iterable[Entry]) -> None:
    """Bring the derived tables up to date with entries that were just appended."""
    touched: set[str] = set()
    for entry in sealed:
        if entry.kind in (LINKED, UNLINKED):
            touched |= links.all_members(tables, (entry.subject, entry.project))
            links.derive(tables, entry)
        elif entry.kind == "policy.changed":
            tables.put("meta", [{"key": "policy", "value": canonical(entry.body).decode()}])
        elif entry.verb in ("evicted", "erased"):
            tables.delete("proposals", ("id", "=", entry.subject))
        elif entry.kind == "session.forgotten":
            rows = [{"session": name, "at": entry.at} for name in entry.body.get("sessions", ())]
            tables.put("forgotten", rows)
        else:
            _derive_state(tables, entry)
        if entry.verb in ("rejected", "erased"):
            _derive_rejection(tables, entry)
        if entry.kind.startswith("memory.") and entry.verb not in _BEFORE_DECISION:
            touched |= links.all_members(tables, (entry.project,))
    derive_contexts(tables, touched)


def _derive_state(tables: Tables, entry: Entry) -> None:
    state = apply(state_of(tables, entry.subject), entry)
    if state is not None:
        tables.put("proposals", [_state_row(state)])


def _derive_rejection(tables: Tables, entry: Entry) -> None:
    """Let a no bind in every project that reads as one when it is said, whatever comes later."""
    for project in links.members(tables, entry.project):
        before = _rejections(tables, [project])
        rows = []
        for idea in entry.body["ideas"]:
            lineages = sorted(before.get(idea, frozenset()) | set(entry.body["lineages"]))
            rows.append({"project": project, "idea": idea, "lineages": json.dumps(lineages)})
        tables.put("rejections", rows)


def derive_contexts(tables: Tables, projects: Iterable[str]) -> None:
    """Choose once what sessions of projects will be told, so that a hook only has to read it.

    Each project that reads as another has a row of its own, which says the same.
    """
    chosen: dict[str, recall.Context] = {}
    rows = []
    for project in sorted(projects):
        head = links.head_of(tables, project)
        if head not in chosen:
            chosen[head] = recall.choose(standing(tables, head), name=project_name(tables, head))
        context = chosen[head]
        rows.append(
            {
                "project": project,
                "text": context.text,
                "check": zlib.crc32(encode(context.text)),
                "shown": len(context.shown),
                "left_out": len(context.left_out),
            }
        )
    tables.put("contexts", rows)


def rename_context(tables: Tables, project: str) -> None:
    """Choose again what sessions of a project are told, since its name may have changed."""
    told = ("project", "in", links.members(tables, project))
    rows = tables.select("contexts", told, columns=("project",))  # type: ignore[arg-type]
    derive_contexts(tables, [row["project"] for row in rows])


def project_name(tables: Tables, project: str) -> str:
    """Return the name that a project is shown under."""
    found = tables.select("projects", ("id", "=", project), columns=("name",))
    return str(found[0]["name"]) if found else project


def standing(tables: Tables, project: str) -> list[recall.Standing]:
    """Return the approved memories of a project that still have their text."""
    found = states(tables, project=project, statuses=(Status.APPROVED,))
    memories = [state for state in found if state.kind == "memory"]
    texts = blobs_of(tables, [state.hash for state in memories])
    items = []
    for state in memories:
        data = texts.get(state.hash)
        lesson = decode_content(data).lesson if data is not None else None
        if isinstance(lesson, Memory):
            items.append(
                recall.Standing(state.id, lesson.text, lesson.category, state.decided or 0)
            )
    return items


def state_of(tables: Tables, id: str) -> State | None:
    """Return one proposal's state."""
    found = tables.select("proposals", ("id", "=", id), columns=("state",))
    return _state(found[0]) if found else None


def states(
    tables: Tables,
    *,
    project: str | None = None,
    statuses: Sequence[Status] = (),
    limit: int | None = None,
) -> list[State]:
    """Return proposals, newest first."""
    where: list[tuple[str, object, object]] = []
    if project is not None:
        where.append(("project", "in", links.members(tables, project)))
    if statuses:
        where.append(("status", "in", [str(status) for status in statuses]))
    rows = tables.select(
        "proposals", *where, columns=("state",), order=("-filed", "-seq"), limit=limit  # type: ignore[arg-type]
    )  # fmt: skip
    return [_state(row) for row in rows]


def rejections(tables: Tables, project: str) -> dict[str, frozenset[str]]:
    """Return for each rejected idea the lineages that supported it then."""
    return _rejections(tables, links.members(tables, project))


def _rejections(tables: Tables, projects: list[str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in tables.select("rejections", ("project", "in", projects)):
        before = found.get(row["idea"], frozenset())
        found[row["idea"]] = before.union(json.loads(row["lineages"]))
    return found


def blobs_of(tables: Tables, digests: Iterable[str]) -> dict[str, bytes]:
    """Return the blobs that are still there."""
    rows = tables.select("blobs", ("digest", "in", list(digests)))
    return {row["digest"]: bytes(row["data"]) for row in rows}


def rebuild(tables: Tables) -> None:
    """Make every derived table anew from the ledger and the blobs."""
    for table in DERIVED:
        tables.delete(table)
    tables.delete("meta", ("key", "=", "policy"))
    derive(tables, entries(tables))


def _entry(row: Row) -> Entry:
    try:
        return restore(**{**row, "body": row["body"].encode("utf-8", "replace")})
    except (msgspec.DecodeError, AttributeError) as error:
        raise Broken(
            f"Ledger entry {row['seq']} was changed after it was written.",
            hint="Restore a backup of the store.",
        ) from error


def _row(entry: Entry) -> Row:
    return {**msgspec.structs.asdict(entry), "body": canonical(entry.body).decode()}


def _state_row(state: State) -> Row:
    return {
        "id": state.id,
        "project": state.project,
        "kind": state.kind,
        "status": str(state.status),
        "name": state.name,
        "hash": state.hash,
        "filed": state.filed,
        "seq": state.seq,
        "state": msgspec.json.encode(state).decode(),
    }


def _state(row: Row) -> State:
    return msgspec.json.decode(row["state"], type=State)
