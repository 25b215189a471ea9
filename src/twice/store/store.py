"""The store: one set of verbs over any database of rows."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from twice.core.encoding import digest, keyed, text_digest
from twice.core.errors import Broken
from twice.core.ideas import Sighting
from twice.core.kept import (
    Batch,
    KeptSession,
    KeptTurn,
    KnownProject,
    PolicyNow,
    ReadFile,
    Recorded,
)
from twice.core.ledger import Draft, Entry, broken_links
from twice.core.recall import Standing
from twice.core.states import State, Status
from twice.store import ledger, links, notes, sweep, transcripts
from twice.store.rows import Database, Tables
from twice.store.schema import DERIVED

_SCRUB = "scrub"  # set with every erasure, and taken away when the files were cleaned after it


class RowStore:
    """Everything that Twice keeps, in a database of rows. See ``ports.Store`` for the verbs."""

    def __init__(self, database: Database, *, fresh_key: str) -> None:
        self._database = database
        self.key = _key_in(self._first_value("key", f"{fresh_key}:{_check_of(fresh_key)}"))

    # Decisions

    def position(self) -> int:
        """Return the number of the ledger's last entry, or 0."""
        with self._reading() as tables:
            return ledger.position(tables)

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the ledger in order. Nobody is kept waiting between two pages."""
        while page := self._page(after):
            yield from page
            after = page[-1].seq

    def _page(self, after: int) -> list[Entry]:
        with self._reading() as tables:
            return ledger.page_of(tables, after)

    def append(
        self,
        drafts: Sequence[Draft],
        *,
        after: int,
        at: int,
        blobs: Mapping[str, bytes] | None = None,
    ) -> tuple[Entry, ...]:
        """Append where the ledger still ends at ``after``; raise ``Conflict`` otherwise."""
        with self._database.writing(durable=True) as tables:
            notes.drop(tables, links.concerned(tables, drafts))
            return ledger.append(tables, drafts, after=after, at=at, blobs=blobs or {})

    def policy(self) -> PolicyNow | None:
        """Return the policy recorded last."""
        found = self._value("policy")
        plain: dict[str, Any] = json.loads(found) if found else {}
        return PolicyNow(str(plain.pop("revision")), plain) if plain else None

    def state(self, id: str) -> State | None:
        """Return one proposal."""
        with self._reading() as tables:
            return ledger.state_of(tables, id)

    def states(
        self,
        *,
        project: str | None = None,
        statuses: Sequence[Status] = (),
        limit: int | None = None,
    ) -> list[State]:
        """Return proposals, newest first."""
        with self._reading() as tables:
            return ledger.states(tables, project=project, statuses=statuses, limit=limit)

    def rejections(self, project: str) -> dict[str, frozenset[str]]:
        """Return for each rejected idea the lineages that supported it then.

        A lineage that was joined to another one since is there under both names.
        """
        with self._reading() as tables:
            said_no = ledger.rejections(tables, project)
            today = transcripts.lineages(tables, set().union(*said_no.values()))
        return {
            idea: then | {today.get(name, name) for name in then} for idea, then in said_no.items()
        }

    def forgotten(self) -> frozenset[str]:
        """Return the keyed hashes of the sessions that a person had erased."""
        with self._reading() as tables:
            return frozenset(row["session"] for row in tables.select("forgotten"))

    def blobs(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Return the texts that are still there, by digest."""
        with self._reading() as tables:
            return ledger.blobs_of(tables, set(digests))

    def standing(self, project: str) -> list[Standing]:
        """Return the approved memories of a project."""
        with self._reading() as tables:
            return ledger.standing(tables, project)

    def context(self, project: str) -> str:
        """Return what sessions of a project are told, as it was chosen at the last approval."""
        with self._reading() as tables:
            found = tables.select("contexts", ("project", "=", project), columns=("text",))
        return str(found[0]["text"]) if found else ""

    # What was read

    def files(self) -> dict[str, ReadFile]:
        """Return how far every file was read, by its key."""
        with self._reading() as tables:
            return transcripts.files(tables)

    def lineages_met(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the lineages that any of these keys was met in."""
        with self._reading() as tables:
            return transcripts.lineages_met(tables, keys)

    def record(self, batch: Batch) -> Recorded:
        """Keep what one reading of one file adds, in one short transaction."""
        with self._database.writing() as tables:
            if batch.session is not None:
                notes.drop(tables, links.members(tables, batch.session.project))
            return transcripts.record(tables, batch)

    def sightings(self, project: str) -> tuple[Sighting, ...]:
        """Return the evidence of a project."""
        with self._reading() as tables:
            return transcripts.sightings(tables, project)

    def turns(self, session: str) -> list[KeptTurn]:
        """Return the kept human turns of a session."""
        with self._reading() as tables:
            return transcripts.turns(tables, session)

    def session(self, id: str) -> KeptSession | None:
        """Return one session of the index."""
        with self._reading() as tables:
            return transcripts.session(tables, id)

    def sessions(self, project: str | None = None) -> list[KeptSession]:
        """Return the index of sessions."""
        with self._reading() as tables:
            return transcripts.sessions(tables, project)

    def projects(self) -> list[KnownProject]:
        """Return every known project."""
        with self._reading() as tables:
            return transcripts.projects(tables)

    def adopt(
        self, project: KnownProject, *, is_gone: Callable[[str], bool] = lambda _: False
    ) -> str:
        """Return the id of the project with any of these keys, making it where none has.

        ``is_gone`` tells of a project's folder that it is not there now; then the new one counts.
        """
        with self._database.writing() as tables:
            id = transcripts.adopt(tables, project, is_gone)
            ledger.rename_context(tables, id)
            return id

    def expire(self, now: int) -> dict[str, int]:
        """Drop evidence beyond its bounds; return how much, by reason."""
        with self._database.writing() as tables:
            dropped = transcripts.expire(tables, now)
            if any(dropped.values()):
                notes.drop_all(tables, notes.PROJECT)
                sweep.sweep(tables)
        return dropped

    def forget(
        self, sessions: Iterable[str], *, drafts: Sequence[Draft], after: int, at: int
    ) -> dict[str, int]:
        """Erase sessions and append what was decided about it, whole or not at all."""
        with self._database.writing(durable=True) as tables:
            erased = frozenset(sessions)
            for kind in (notes.PROJECT, notes.FOLDER):
                notes.drop_all(tables, kind)
            counts = transcripts.forget(tables, erased, name=lambda name: keyed(self.key, name))
            ledger.append(tables, drafts, after=after, at=at, blobs={})
            counts["texts"] = sweep.sweep(tables, without=erased)
            tables.put("meta", [{"key": _SCRUB, "value": "pending"}])
        return counts

    def notes(self) -> dict[str, str]:
        """Return what was noted of projects in which nothing changed since."""
        with self._reading() as tables:
            return notes.notes(tables, notes.PROJECT)

    def note(self, project: str, text: str, *, after: int) -> None:
        """Note of a project what holds until its evidence or its decisions change.

        Nothing is noted where the ledger does not end at ``after`` any more.
        """
        with self._database.writing() as tables:
            if ledger.position(tables) == after:
                notes.put(tables, notes.PROJECT, {project: text})

    def folder_notes(self) -> dict[str, str]:
        """Return what was noted of folders with sessions, by a keyed hash of their place."""
        with self._reading() as tables:
            return notes.notes(tables, notes.FOLDER)

    def note_folders(self, noted: Mapping[str, str]) -> None:
        """Note of folders what holds until a person has something forgotten."""
        with self._database.writing() as tables:
            notes.put(tables, notes.FOLDER, noted)

    def save_report(self, id: str, *, at: int, body: bytes) -> None:
        """Keep the report of a dream."""
        with self._database.writing() as tables:
            tables.put("reports", [{"id": id, "at": at, "body": body.decode()}])

    def last_report(self) -> bytes | None:
        """Return the newest report."""
        with self._reading() as tables:
            found = tables.select("reports", columns=("body",), order=("-at",), limit=1)
        return str(found[0]["body"]).encode() if found else None

    # Health

    def flaws(self) -> list[str]:
        """Check files, chain, texts and derived tables; return one line for each damage."""
        if damaged := self._database.flaws():
            return damaged
        try:
            return self._flaws_of_rows()
        except Broken as damage:
            return [damage.message]

    def _flaws_of_rows(self) -> list[str]:
        with self._reading() as tables:
            listed = list(ledger.entries(tables))
            flaws = broken_links(listed)
            last = f"{listed[-1].seq}:{listed[-1].hash}" if listed else ""
            head = tables.select("meta", ("key", "=", "ledger.head"))
            if (head[0]["value"] if head else "") != last:
                flaws.append("the ledger does not end where it ended last")
            flaws += _flaws_of_texts(tables)
            _understand(tables)
            before = _derived(tables)
        if not flaws and before != self._refolded():
            flaws.append("a derived table differs from the ledger: twice verify --rebuild")
        return flaws

    def rebuild(self) -> None:
        """Make the derived tables anew from ledger and texts."""
        with self._database.writing() as tables:
            ledger.rebuild(tables)

    def needs_scrub(self) -> bool:
        """Tell whether traces of what was erased may be left in the files."""
        return bool(self._value(_SCRUB))

    def scrub(self) -> None:
        """Leave no trace of what was erased in the files."""
        self._database.scrub()
        with self._database.writing() as tables:
            tables.delete("meta", ("key", "=", _SCRUB))

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[Tables]:
        """Open a consistent view; rows that make no sense are damage, and said to be."""
        with self._database.reading() as tables:
            try:
                yield tables
            except (ValueError, TypeError, KeyError, msgspec.MsgspecError) as error:
                raise Broken(
                    f"A row of the store is damaged: {' '.join(str(error).split())}.",
                    hint="Restore a backup of the store; twice verify says more.",
                ) from error

    def _refolded(self) -> dict[str, object]:
        """Return what a fresh fold would make of the derived tables, changing nothing."""
        result: dict[str, object] = {}
        try:
            with self._database.writing() as tables:
                ledger.rebuild(tables)
                result = _derived(tables)
                raise _Undone
        except _Undone:
            return result

    def _value(self, key: str) -> str:
        with self._reading() as tables:
            found = tables.select("meta", ("key", "=", key), columns=("value",))
        return str(found[0]["value"]) if found else ""

    def _first_value(self, key: str, fresh: str) -> str:
        if kept := self._value(key):
            return kept
        with self._database.writing() as tables:
            tables.insert("meta", [{"key": key, "value": fresh}])
        return self._value(key)


def _key_in(value: str) -> bytes:
    key, _, check = value.partition(":")
    if check != _check_of(key):
        raise Broken("The key of the store is damaged.", hint="Restore a backup of the store.")
    return bytes.fromhex(key)


def _check_of(key: str) -> str:
    return text_digest(key)[:16]


class _Undone(Exception):
    """Leave a transaction without keeping it."""


def _derived(tables: Tables) -> dict[str, object]:
    policy = tables.select("meta", ("key", "=", "policy"))
    kept = {name: tables.select(name) for name in DERIVED}
    return {**kept, "policy": policy}


def _understand(tables: Tables) -> None:
    """Read every row of what was read; one that makes no sense raises."""
    transcripts.files(tables)
    ledger.states(tables)
    for project in transcripts.projects(tables):
        transcripts.sightings(tables, project.id)
    for session in transcripts.sessions(tables):
        transcripts.turns(tables, session.id)


def _flaws_of_texts(tables: Tables) -> list[str]:
    """Check every blob against its address, a page at a time."""
    flaws: list[str] = []
    after = ""
    while page := tables.select("blobs", ("digest", ">", after), order=("digest",), limit=500):
        flaws += [
            f"text {row['digest'][:12]} was changed after it was written"
            for row in page
            if digest(bytes(row["data"])) != row["digest"]
        ]
        after = page[-1]["digest"]
    return flaws
