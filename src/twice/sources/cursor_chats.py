"""Read the sessions of Cursor's command line, each in a database of its own.

Messages are blobs that are named by their digest. The newest root names those of the session, in
order; a note beside the database tells its folder.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.core.transcript import Position, Reading, Session, Skipped, is_unique
from twice.ports import Log
from twice.sources.cursor_records import decoded
from twice.sources.cursor_telling import MISSING, SILENCE, Message, Talk, tell
from twice.sources.cursor_words import UNMARKED, is_only_added, query_in, time_in, typed_in
from twice.sources.databases import Damaged, Database, opened, stamp, tables
from twice.sources.lines import TOO_LONG, UNKNOWN_SHAPE, small, stem_of
from twice.sources.times import from_milliseconds
from twice.sources.workspaces import local_path, opened_at

STORE = "store.db"
NOTE = "meta.json"
BLOBS = "blobs"

_WORKSPACE = re.compile(r"^Workspace Path: (\S.*)$", re.MULTILINE)
_MESSAGES, _FOLDER = 1, 9  # fields of the root


class _Note(msgspec.Struct, rename="camel"):
    """What stands beside a session's database."""

    cwd: object = None
    is_subagent: object = None


class _Meta(msgspec.Struct, rename="camel"):
    """What a session's database tells of it."""

    agent_id: object = None
    latest_root_blob_id: object = None
    created_at: object = None
    subagent_info: object = None


class _Block(msgspec.Struct):
    type: object = None
    text: object = None


class _Message(msgspec.Struct):
    role: object = None
    id: object = None
    content: list[_Block | str] | str | None = None


_NOTE = msgspec.json.Decoder(_Note)
_META = msgspec.json.Decoder(_Meta)
_MESSAGE = msgspec.json.Decoder(_Message)
_VALUE = (
    "SELECT CASE WHEN length(found) <= ? THEN found ELSE x'' END"
    f" FROM (SELECT CAST(data AS BLOB) AS found FROM {BLOBS} WHERE id = ?)"
)


def note_beside(store: Path) -> str:
    """Return the folder that the note of a session names, or an empty string."""
    cwd = _note(store).cwd
    return local_path(cwd) if isinstance(cwd, str) else ""


def logs_of(path: Path, agent: str, own: Path | None) -> Iterator[Log]:
    """Yield the session in a database of the command line; a subagent's is not a person's.

    Raises ``UnknownFormat`` where its messages are not where we look for them.
    """
    with opened(path) as database:
        held = tables(database)
        if not (held.get(BLOBS, frozenset()) >= {"id", "data"} and "value" in held.get("meta", ())):
            raise UnknownFormat(f"{path.parent.name}/{path.name} has tables that are not known.")
        note, meta = _note(path), _meta(database)
        if meta is None or note.is_subagent or meta.subagent_info or not meta.latest_root_blob_id:
            return
        size, at = stamp(path)
        id = meta.agent_id if isinstance(meta.agent_id, str) else stem_of(path.parent / "x")
        yield Log(id, size, at, partial(_read, database, path, meta, Session(id, agent), own))


def _read(
    database: Database,
    path: Path,
    meta: _Meta,
    session: Session,
    own: Path | None,
    since: Position,
) -> Iterator[Reading]:
    root = _blob(database, str(meta.latest_root_blob_id))
    fields = list(_fields(root or b""))
    keys = [value.hex() for field, value in fields if field == _MESSAGES and len(value) == 32]
    if not keys:
        raise UnknownFormat(f"{path.parent.name}/{path.name} lists no messages that we can find.")
    cwd = note_beside(path) or _folder_in(fields) or _folder_told(database, keys[:4])
    begun = from_milliseconds(meta.created_at)
    talk = Talk(replace(session, cwd=cwd), keys, partial(_message, database, keys, begun))
    yield from tell(talk, since, own)


def _message(
    database: Database, keys: list[str], begun: int | None, place: int
) -> Message | Skipped:
    data = _blob(database, keys[place])
    if not data:
        return Skipped(place, MISSING if data is None else TOO_LONG)
    record = decoded(_MESSAGE, data)
    if record is None:
        return Skipped(place, UNKNOWN_SHAPE)
    text = _text_of(record)
    id = record.id if isinstance(record.id, str) and is_unique(record.id) else ""
    if record.role == "assistant":
        return Message(text, None, begun, id)
    if record.role != "user" or is_only_added(text):
        return SILENCE
    typed = query_in(text)
    if typed is None:
        return Skipped(place, UNMARKED)
    words = typed_in(typed)
    return Message(typed, words, time_in(text) or begun, id) if words else SILENCE


def _text_of(record: _Message) -> str:
    blocks = record.content if isinstance(record.content, list) else [record.content]
    texts = (b if isinstance(b, str) else b.text for b in blocks if b and _is_text(b))
    return "\n".join(text for text in texts if isinstance(text, str))


def _is_text(block: _Block | str) -> bool:
    return isinstance(block, str) or block.type == "text"


def _note(store: Path) -> _Note:
    return decoded(_NOTE, small(store.with_name(NOTE), limits.FOLDER_LIST_BYTES)) or _Note()


def _meta(database: Database) -> _Meta | None:
    """Return what is told of the session: JSON, written in hexadecimal digits."""
    for (value,) in database.rows("SELECT CAST(value AS TEXT) FROM meta LIMIT 8"):
        with suppress(ValueError):
            meta = decoded(_META, bytes.fromhex(value or ""))
            if meta is not None and meta.agent_id:
                return meta
    return None


def _blob(database: Database, id: str) -> bytes | None:
    """Return a blob; of one beyond the limit, an empty one, and None where there is none."""
    found = database.rows(_VALUE, (limits.LINE_BYTES, id))
    return found[0][0] if found else None


def _folder_in(fields: list[tuple[int, bytes]]) -> str:
    for field, value in fields:
        text = value.decode(errors="replace") if field == _FOLDER else ""
        if folder := opened_at(text).folder or local_path(text):
            return folder
    return ""


def _folder_told(database: Database, keys: list[str]) -> str:
    """Return the folder that the agent was told of in the first messages."""
    for key in keys:
        with suppress(Damaged):
            record = decoded(_MESSAGE, _blob(database, key) or b"")
            if record and record.role == "user" and (found := _WORKSPACE.search(_text_of(record))):
                return local_path(found[1].strip())
    return ""


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protobuf message that are bytes; what is cut or damaged ends it."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 2:
                length, at = _varint(data, at)
                if at + length > len(data):
                    return
                yield tag >> 3, data[at : at + length]
                at += length
            case 5:
                at += 4
            case _:
                return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        byte = data[at] if at < len(data) else 0
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return value, at
