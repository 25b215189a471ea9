"""The rows of what was read: files, sessions, lineages, turns and sightings."""

from collections.abc import Callable, Iterable

from twice.core import limits
from twice.core.encoding import encode, text_digest
from twice.core.ideas import Scope, Sighting, SignalKind, from_json, to_json
from twice.core.kept import Batch, Depth, KeptSession, KeptTurn, KnownProject, ReadFile, Recorded
from twice.core.transcript import Anchor, Kind
from twice.store import links
from twice.store.rows import Row, Tables

_DAY = 24 * 60 * 60 * 1_000_000


def files(tables: Tables) -> dict[str, ReadFile]:
    """Return how far every file was read, by its key: at once, for there may be 100,000."""
    depths = {str(depth): depth for depth in Depth}
    kept: dict[str, ReadFile] = {}
    for row in tables.select("readings", columns=ReadFile._fields, order=None):
        row["depth"] = depths[row["depth"]]
        kept[row["key"]] = ReadFile._make(row.values())
    return kept


def record(tables: Tables, batch: Batch) -> Recorded:
    """Keep what one reading of one file adds, or all of a session ``instead`` of what was kept."""
    tables.put("readings", [{**batch.file._asdict(), "depth": str(batch.file.depth)}])
    if batch.session is None:
        return Recorded("", 0)
    for table in ("turns", "sightings") if batch.instead else ():
        tables.delete(table, ("session", "=", batch.session.id))
    lineage = _lineage(tables, batch)
    tables.put("sessions", [_session_row(tables, batch, batch.session, lineage)])
    _keep_turns(tables, batch.turns)
    return Recorded(lineage, _keep_sightings(tables, batch, lineage))


def _lineage(tables: Tables, batch: Batch) -> str:
    """Find the lineage that a session belongs to, joining lineages that it shows to be one."""
    assert batch.session is not None
    known = {row["lineage"] for row in tables.select("lineage_keys", ("key", "in", batch.keys))}
    known |= {row["lineage"] for row in tables.select("sessions", ("id", "=", batch.session.id))}
    lineage = min(known, default=batch.session.id)
    others = sorted(known - {lineage})
    for table in ("lineage_keys", "sessions", "sightings") if others else ():
        tables.update(table, {"lineage": lineage}, ("lineage", "in", others))
    tables.put("lineage_keys", [{"key": key, "lineage": lineage} for key in set(batch.keys)])
    return lineage


def lineages_met(tables: Tables, keys: Iterable[str]) -> frozenset[str]:
    """Return the lineages that any of these keys was met in."""
    rows = tables.select("lineage_keys", ("key", "in", list(keys)), columns=("key", "lineage"))
    return frozenset(row["lineage"] for row in rows)


def _session_row(tables: Tables, batch: Batch, session: KeptSession, lineage: str) -> Row:
    row = {**_row(session), "lineage": lineage}
    before = tables.select("sessions", ("id", "=", session.id))
    if before:
        row["started"] = _least(before[0]["started"], session.started)
        row["ended"] = _most(before[0]["ended"], session.ended)
        row["branch"] = session.branch or before[0]["branch"]
        row["turns"] = session.turns + (0 if batch.fresh else before[0]["turns"])
    return row


def _keep_turns(tables: Tables, turns: tuple[KeptTurn, ...]) -> None:
    rows = [
        {**_row(turn), "kind": str(turn.kind), "text": text_digest(turn.text)} for turn in turns
    ]
    _keep_texts(tables, (turn.text for turn in turns))
    tables.put("turns", rows)


def _keep_sightings(tables: Tables, batch: Batch, lineage: str) -> int:
    assert batch.session is not None
    known = {
        (row["place"], row["start"])
        for row in tables.select("sightings", ("session", "=", batch.session.id))
    }
    rows = [
        _sighting_row(sighting, start, lineage)
        for sighting, start in zip(batch.sightings, batch.starts, strict=True)
    ]
    _keep_texts(tables, (s.quote for s in batch.sightings if s.quote is not None))
    tables.put("sightings", rows)
    return len({(row["place"], row["start"]) for row in rows} - known)


def _keep_texts(tables: Tables, texts: Iterable[str]) -> None:
    tables.insert("blobs", [{"digest": text_digest(t), "data": encode(t)} for t in texts])


def sightings(tables: Tables, project: str) -> tuple[Sighting, ...]:
    """Return the evidence of a project in order of time, with the quotes that are still there."""
    rows = tables.select(
        "sightings",
        ("project", "in", links.members(tables, project)),
        order=("recorded", "session", "seq"),
    )
    wanted = [row["quote"] for row in rows if row["quote"] is not None]
    found = tables.select("blobs", ("digest", "in", wanted)) if wanted else []
    texts = {row["digest"]: bytes(row["data"]).decode() for row in found}
    return tuple(_sighting(row, texts) for row in rows)


def turns(tables: Tables, session: str) -> list[KeptTurn]:
    """Return the kept human turns of a session, in order."""
    rows = tables.select("turns", ("session", "=", session), order=("seq",))
    found = tables.select("blobs", ("digest", "in", [row["text"] for row in rows]))
    texts = {row["digest"]: bytes(row["data"]).decode() for row in found}
    return [
        KeptTurn(**{**row, "kind": Kind(row["kind"]), "text": texts[row["text"]]})
        for row in rows
        if row["text"] in texts
    ]


def expire(tables: Tables, now: int) -> dict[str, int]:
    """Drop evidence that is too old or too much, and texts that nothing cites any more."""
    bound = now - limits.EVIDENCE_DAYS * _DAY
    dropped = {"old": tables.delete("sightings", ("recorded", "<", bound)), "surplus": 0}
    for project in tables.select("projects", columns=("id",)):
        dropped["surplus"] += _drop_surplus(tables, project["id"])
    return dropped


def _drop_surplus(tables: Tables, project: str) -> int:
    surplus = tables.count("sightings", ("project", "=", project)) - limits.EVIDENCE_ROWS
    if surplus <= 0:
        return 0
    oldest = tables.select(
        "sightings", ("project", "=", project), order=("recorded", "at"), limit=surplus,
        columns=("session", "place", "start", "at", "recorded"),
    )  # fmt: skip
    for row in oldest:
        keys = [(name, "=", row[name]) for name in ("session", "place", "start")]
        tables.delete("sightings", *keys)  # type: ignore[arg-type]
    return len(oldest)


def projects(tables: Tables) -> list[KnownProject]:
    """Return every project, with the keys that it is known by."""
    keys: dict[str, list[str]] = {}
    for row in tables.select("project_keys"):
        keys.setdefault(row["project"], []).append(row["key"])
    joined = {row["project"]: row for row in tables.select("links")}
    return [
        KnownProject(
            id=row["id"],
            name=row["name"],
            root=row["root"],
            gone=bool(row["gone"]),
            keys=tuple(keys.get(row["id"], ())),
            reads_as=joined[row["id"]]["reads_as"] if row["id"] in joined else "",
            joined=joined[row["id"]]["at"] if row["id"] in joined else None,
        )
        for row in tables.select("projects")
    ]


def adopt(tables: Tables, project: KnownProject, is_gone: Callable[[str], bool]) -> str:
    """Return the id of the project that any of the keys belongs to, making it where none does.

    One whose folder is gone moves to the new one.
    """
    found = tables.select("project_keys", ("key", "in", project.keys))
    owner = {row["key"]: row["project"] for row in found}
    ids = [owner[key] for key in project.keys if key in owner]
    owner_id = ids[0] if ids else project.id
    row = {"id": owner_id, "name": project.name, "root": project.root, "gone": int(project.gone)}
    if not ids:
        tables.put("projects", [row])
    elif not project.gone:
        (known,) = tables.select("projects", ("id", "=", owner_id))
        if known["gone"] or (known["root"] != project.root and is_gone(known["root"])):
            tables.put("projects", [row])
    keys = (*project.keys, *project.later)
    tables.insert("project_keys", [{"key": key, "project": owner_id} for key in keys])
    return owner_id


def session(tables: Tables, id: str) -> KeptSession | None:
    """Return one session of the index."""
    return next((KeptSession(**row) for row in tables.select("sessions", ("id", "=", id))), None)


def sessions(tables: Tables, project: str | None = None) -> list[KeptSession]:
    """Return the index of sessions, of one project or of all."""
    where = [("project", "in", links.members(tables, project))] if project is not None else []
    return [KeptSession(**row) for row in tables.select("sessions", *where)]  # type: ignore[arg-type]


def lineages(tables: Tables, sessions: Iterable[str]) -> dict[str, str]:
    """Return the lineage that each session belongs to by now."""
    rows = tables.select("sessions", ("id", "in", list(sessions)), columns=("id", "lineage"))
    return {row["id"]: row["lineage"] for row in rows}


def forget(tables: Tables, ids: Iterable[str], *, name: Callable[[str], str]) -> dict[str, int]:
    """Erase every row of sessions; texts go when nothing else cites them.

    What tells their copies stays, under a ``name`` that holds no words.
    """
    wanted = list(ids)
    for row in tables.select("sessions", ("id", "in", wanted), columns=("id", "lineage")):
        lineage = row["lineage"]
        tables.update("lineage_keys", {"lineage": name(lineage)}, ("lineage", "=", lineage))
    counts = {
        table: tables.delete(table, ("session", "in", wanted))
        for table in ("sightings", "turns", "readings")
    }
    counts["sessions"] = tables.delete("sessions", ("id", "in", wanted))
    return counts


def _row(value: KeptSession | KeptTurn) -> Row:
    """Return a flat value as a row."""
    return {name: getattr(value, name) for name in value.__slots__}


def _sighting_row(sighting: Sighting, start: int, lineage: str) -> Row:
    anchor = sighting.anchor
    print_ = sighting.fingerprint
    return {
        "session": anchor.session,
        "place": anchor.record or f"{anchor.seq}:{anchor.kind}",
        "start": start,
        "project": sighting.project,
        "idea": sighting.idea,
        "agent": sighting.agent,
        "lineage": lineage,
        "seq": anchor.seq,
        "event_kind": str(anchor.kind),
        "record": anchor.record,
        "event": anchor.digest,
        "kind": str(sighting.kind),
        "scope": str(sighting.scope),
        "confidence": sighting.confidence,
        "at": sighting.at,
        "recorded": sighting.recorded,
        "policy": sighting.revision,
        "language": sighting.language,
        "quote": None if sighting.quote is None else text_digest(sighting.quote),
        "fingerprint": None if print_ is None else to_json(print_),
    }


def _sighting(row: Row, texts: dict[str, str]) -> Sighting:
    kept = row["fingerprint"]
    event = Kind(row["event_kind"])
    return Sighting(
        idea=row["idea"],
        project=row["project"],
        agent=row["agent"],
        lineage=row["lineage"],
        anchor=Anchor(row["session"], row["seq"], event, row["record"], row["event"]),
        kind=SignalKind(row["kind"]),
        scope=Scope(row["scope"]),
        confidence=row["confidence"],
        at=row["at"],
        recorded=row["recorded"],
        revision=row["policy"],
        language=row["language"],
        quote=texts.get(row["quote"]),
        fingerprint=None if kept is None else from_json(kept),
    )  # fmt: skip


def _least(one: int | None, other: int | None) -> int | None:
    return min((value for value in (one, other) if value is not None), default=None)


def _most(one: int | None, other: int | None) -> int | None:
    return max((value for value in (one, other) if value is not None), default=None)
