"""Read the sessions that OpenCode keeps in a database, in the tables of both its generations.

The second generation took over what the first had under the same ids, but not all of it, and both
may go on beside each other. So a session is read from both, and each message of it once.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.sources.databases import Database, Row, tables
from twice.sources.lines import NOT_JSON, TOO_LONG, UNKNOWN_SHAPE
from twice.sources.opencode_files import LONG_PART, SILENT_TYPES, in_order
from twice.sources.opencode_records import (
    Facts,
    Failure,
    Message,
    add_parts,
    is_scripted,
    milliseconds,
    standing,
)

_SESSION = frozenset({"id", "directory"})
_MESSAGE = frozenset({"id", "session_id", "data"})
_PART = frozenset({"id", "message_id", "session_id", "data"})
_ENTRY = frozenset({"id", "session_id", "type", "data"})
_NEWER = re.compile(r"session_v(?:[3-9]|\d\d+)")
_COPY_MS = 10_000  # between two writings of one prompt, each under an id of its own

# Parts are looked at in SQL, so that pictures and the output of tools never come out of it; those
# without the names of what is wanted are not even parsed, unless they are cut off. Huge ones are
# never parsed, since this takes ten times their size, and are asked for by themselves: SQLite holds
# a copy for each mention of the column.
_KEPT = """CASE
    WHEN length(data) > ? THEN 0
    WHEN instr(data, '"text"') + instr(data, '"question"') + instr(data, 'user rejected') = 0
        THEN substr(data, -1) <> '}'
    WHEN NOT json_valid(data) THEN 1
    ELSE CASE json_extract(data, '$.type')
        WHEN 'text' THEN NOT coalesce(json_extract(data, '$.synthetic'), 0)
            AND NOT coalesce(json_extract(data, '$.ignored'), 0)
        WHEN 'tool' THEN json_extract(data, '$.tool') = 'question'
            OR json_extract(data, '$.state.error') LIKE 'The user rejected permission%'
        ELSE 0 END
    END"""
_HUGE = """length(data) > ?
    AND instr(replace(substr(data, 1, 1000), ' ', ''), '"type":"text"')"""
_BLOCKS = """SELECT m.id, CASE WHEN length(j.value) <= ? THEN j.value END
    FROM session_message AS m, json_each(
        CASE WHEN m.type <> 'assistant' OR length(m.data) > ? THEN '{}'
            WHEN json_valid(m.data) THEN m.data ELSE '{}' END,
        '$.content'
    ) AS j
    WHERE m.session_id = ? AND CASE WHEN j.type <> 'object' THEN 0
        ELSE CASE json_extract(j.value, '$.type')
            WHEN 'text' THEN 1
            WHEN 'tool' THEN json_extract(j.value, '$.name') = 'question'
                OR json_extract(j.value, '$.state.status') = 'error'
            ELSE 0 END
        END
    ORDER BY m.id, j.key"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A session as it is listed: what each generation knows of it, and what changes with it."""

    first: Facts | None
    second: Facts | None
    size: int
    mtime: int

    @property
    def facts(self) -> Facts:
        """What both know; what a person took back is left out of the messages already."""
        newer, older = self.second or self.first or Facts(""), self.first or Facts("")
        parent, scripted = newer.parent or older.parent, newer.scripted or older.scripted
        return replace(newer, parent=parent, scripted=scripted, undone="")


class Sessions:
    """The sessions of an open database.

    Raises ``UnknownFormat`` where it has tables, but none of those that are known.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = tables(database)
        first = self._has("session", _SESSION) and self._has("message", _MESSAGE)
        self._first = first and self._has("part", _PART)
        named = (name for name in ("session_v2", "session") if self._has(name, _SESSION))
        self._second = next(named, "") if self._has("session_message", _ENTRY) else ""
        if self._tables and not self._first and not self._second:
            raise UnknownFormat("A database of OpenCode without any table that is known.")

    def listed(self) -> Iterator[Kept]:
        """Yield the sessions, in the order of their ids.

        Raises ``UnknownFormat`` at last where more lie in tables of a generation to come.
        """
        first = self._listed("session", "message") if self._first else {}
        second = self._listed(self._second, "session_message") if self._second else {}
        for id in sorted(first.keys() | second.keys()):
            older, size, changed = first.get(id, (None, 0, 0))
            newer, more, later = second.get(id, (None, 0, 0))
            yield Kept(older, newer, size + more, max(changed, later) * 1_000_000)
        for name in sorted(filter(_NEWER.fullmatch, self._tables)):
            if self._database.rows(f'SELECT 1 FROM "{name}" LIMIT 1'):
                raise UnknownFormat(f"The sessions in its table {name} cannot be read yet.")

    def messages(self, kept: Kept) -> list[Message]:
        """Return the messages of a session that the person did not take back, each once."""
        older = self._first_messages(kept.first.id) if kept.first else []
        newer = self._second_messages(kept.second.id) if kept.second else []
        known = {message.id for message in older}
        first = list(standing(older, kept.first or Facts("")))
        second = [
            message
            for message in standing(newer, kept.second or Facts(""))
            if message.id not in known and not _is_copy(message, older)
        ]
        return in_order(first + second) if first else second

    def _has(self, table: str, columns: frozenset[str]) -> bool:
        return columns <= self._tables.get(table, frozenset())

    def _listed(self, table: str, messages: str) -> dict[str, tuple[Facts, int, int]]:
        """Return the sessions of a table: facts, a number that grows, and last change in ms."""
        counts, numbers = self._last(messages, "count(*)"), self._last(messages, "max(seq)")
        times = self._last(messages, "max(time_created)")
        names = ("id", "directory", "parent_id", "fork_session_id", "permission", "time_updated")
        wanted = [self._or_null(table, name) for name in names]
        wanted += [_json(self._or_null(table, "revert"), f"$.{x}ID") for x in ("message", "part")]
        rows = self._database.rows(f'SELECT {", ".join(wanted)} FROM "{table}"')
        found: dict[str, tuple[Facts, int, int]] = {}
        for id, folder, parent, origin, rules, changed, message, part in rows:
            if not isinstance(id, str) or not id:
                continue
            facts = Facts(
                id,
                directory=_text(folder),
                parent=_text(parent),
                origin=_text(origin),
                undone=_text(message),
                keeps_undone=bool(part),
                scripted=is_scripted(_text(rules)),
            )
            latest = max(milliseconds(changed), milliseconds(times.get(id)))
            found[id] = facts, counts.get(id, 0) + numbers.get(id, 0), latest
        return found

    def _last(self, table: str, value: str) -> dict[str, int]:
        """Return a value over the messages of each session, which an index alone can tell."""
        column = value[4:-1] if value.startswith("max") else "id"
        if column not in self._tables[table]:
            return {}
        statement = f"SELECT session_id, {value} FROM {table} GROUP BY session_id"
        rows = self._database.rows(statement)
        return {id: number for id, number in rows if isinstance(number, int)}

    def _or_null(self, table: str, column: str) -> str:
        return f'"{column}"' if column in self._tables[table] else "NULL"

    def _first_messages(self, session: str) -> list[Message]:
        paths = ("$.role", "$.time.created", "$.time.completed", "$.error.name")
        wanted = ["id", self._or_null("message", "time_created"), "json_valid(data)"]
        wanted += [_json("data", path) for path in paths]
        wanted += ["CASE WHEN json_valid(data) THEN json_type(data, '$.summary') END"]
        statement = f"SELECT {', '.join(wanted)} FROM message WHERE session_id = ?"
        parts = self._parts(session)
        found: list[Message] = []
        for id, time, valid, role, created, completed, error, summary in self._database.rows(
            statement, (session,)
        ):
            message = Message(
                _text(id),
                by_user=role == "user",
                created=milliseconds(created) or milliseconds(time),
                completed=milliseconds(completed),
                stopped=Failure(name=_text(error)).is_abort,
            )
            if not valid:
                message.flaws.append(NOT_JSON)
            elif role not in ("user", "assistant"):
                message.flaws.append(f"an unknown type of record: {_text(role)[:40] or 'none'}")
            elif summary != "true":
                _add(message, parts.pop(message.id, []))
            found.append(message)
        found = in_order(found)
        if found and found[-1].by_user and not found[-1].texts:
            found[-1].waiting = not self._has_parts(found[-1].id)
        return found

    def _parts(self, session: str) -> dict[str, list[str | None]]:
        """Return the parts of a session that may hold words, by message; None for a huge one."""
        among, values = "FROM part WHERE session_id = ?", (session, limits.PART_BYTES)
        kept = f"SELECT message_id, data {among} AND {_KEPT} ORDER BY id"
        found = _grouped(self._database.rows(kept, values))
        for (message,) in self._database.rows(f"SELECT message_id {among} AND {_HUGE}", values):
            found[message].append(None)
        return found

    def _has_parts(self, message: str) -> bool:
        return bool(
            self._database.rows("SELECT 1 FROM part WHERE message_id = ? LIMIT 1", (message,))
        )

    def _second_messages(self, session: str) -> list[Message]:
        paths = ("$.time.created", "$.time.completed", "$.error.type", "$.outcome")
        wanted = ["id", "type", self._or_null("session_message", "time_created")]
        data = f"CASE WHEN length(data) <= {limits.LINE_BYTES} THEN data END"
        wanted += [f"CASE WHEN length(data) <= {limits.LINE_BYTES} THEN json_valid(data) END"]
        wanted += [*(_json(data, path) for path in paths)]
        wanted += [f"CASE WHEN type = 'user' THEN {_json(data, '$.text')} END"]
        statement = f"""SELECT {", ".join(wanted)} FROM session_message WHERE session_id = ?
            ORDER BY {self._or_null("session_message", "seq")}, id"""
        bounds = (limits.PART_BYTES, limits.LINE_BYTES)
        blocks = _grouped(self._database.rows(_BLOCKS, (*bounds, session)))
        found: list[Message] = []
        for id, kind, time, valid, created, completed, error, outcome, text in self._database.rows(
            statement, (session,)
        ):
            message = Message(
                _text(id),
                by_user=kind == "user",
                created=milliseconds(created) or milliseconds(time),
                completed=milliseconds(completed),
                stopped=outcome == "interrupted" or Failure(type=_text(error)).is_abort,
            )
            if not valid:
                message.flaws.append(TOO_LONG if valid is None else NOT_JSON)
            elif kind == "user":
                _add_text(message, text)
            elif kind == "assistant":
                _add(message, blocks.pop(message.id, []))
            elif kind not in SILENT_TYPES:
                message.flaws.append(f"an unknown type of record: {_text(kind)[:40] or 'none'}")
            found.append(message)
        return found


def _json(column: str, path: str) -> str:
    """Return SQL for a value within a column of JSON; of none where it is damaged."""
    return f"CASE WHEN json_valid({column}) THEN json_extract({column}, '{path}') END"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _grouped(rows: list[Row]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = defaultdict(list)
    for message, data in rows:
        found[message].append(data)
    return found


def _add(message: Message, parts: list[str | None]) -> None:
    add_parts(message, (part for part in parts if part is not None))
    message.flaws += [LONG_PART] * parts.count(None)


def _add_text(message: Message, text: object) -> None:
    """Take in what the second generation keeps of a prompt; pictures alone have no text."""
    if not isinstance(text, str | None):
        message.flaws.append(UNKNOWN_SHAPE)
    elif text and len(text) > limits.PART_BYTES:
        message.flaws.append(LONG_PART)
    elif text:
        message.texts.append(text)


def _is_copy(message: Message, among: list[Message]) -> bool:
    """Tell whether a prompt was written by the first generation, too, under an id of its own."""
    return message.by_user and any(
        other.by_user
        and other.texts == message.texts
        and abs(other.created - message.created) <= _COPY_MS
        for other in among
    )
