"""Small sessions of Cursor, put by hand into databases and transcripts as it keeps them."""

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.sources.samples import REPLIES, SESSION, TURNS, at, lines

BEGUN = 1_772_618_400_000  # 2026-03-04T10:00:00Z, in milliseconds
KEY_VALUE = "(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
HEADS = (
    "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT,"
    " createdAt INTEGER, lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER,"
    " recency INTEGER, checkpointAt INTEGER, value TEXT, subagentTypeName TEXT)"
)


def id_of(number: int) -> str:
    """Return the id of a bubble."""
    return f"{number:08}-2222-4333-8444-555555555555"


def bubble(text: str, number: int, *, person: bool = True, **more: Any) -> dict[str, Any]:
    """Return a bubble, with what is attached to it."""
    context = {"fileSelections": [], "cursorRules": [{"text": "always use yarn"}]}
    return {
        "_v": 3,
        "type": 1 if person else 2,
        "bubbleId": id_of(number),
        "createdAt": at(number % 60),
        "text": text,
        "richText": "always use yarn",
        "context": context,
        "codebaseContextChunks": ["always use yarn"],
        **more,
    }


def reply(text: str, number: int, **more: Any) -> dict[str, Any]:
    """Return a bubble of the agent."""
    return bubble(text, number, person=False, **more)


def folder(path: str, id: str = "1a2b") -> dict[str, Any]:
    """Return what newer versions note of a conversation's folder."""
    uri = {"$mid": 1, "fsPath": path, "external": Path(path).as_uri(), "path": path}
    return {"id": id, "uri": uri | {"scheme": "file"}}


def composer(*bubbles: Mapping[str, Any], id: str = SESSION, **more: Any) -> dict[str, Any]:
    """Return rows of the editor's database: a conversation and its bubbles, by key."""
    headers = [{"bubbleId": b["bubbleId"], "type": b["type"]} for b in bubbles]
    facts = {"_v": 16, "composerId": id, "createdAt": BEGUN, "lastUpdatedAt": BEGUN + len(bubbles)}
    facts |= {"text": "always use yarn", "fullConversationHeadersOnly": headers, "status": "none"}
    rows = {f"composerData:{id}": facts | more}
    return rows | {f"bubbleId:{id}:{b['bubbleId']}": dict(b) for b in bubbles}


def put(path: Path, values: Mapping[str, Any] = {}, items: Mapping[str, Any] = {}) -> Path:
    """Put values, as JSON, into a database of the editor; it is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        write(connection, values, items)
    return path


def write(
    connection: sqlite3.Connection, values: Mapping[str, Any], items: Mapping[str, Any]
) -> None:
    """Write values, as JSON, into an open database of the editor."""
    for table, rows in (("cursorDiskKV", values), ("ItemTable", items)):
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} {KEY_VALUE}")
        for key, value in rows.items():
            text = (
                value if isinstance(value, str | bytes) else json.dumps(value, ensure_ascii=False)
            )
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))
    connection.commit()


def message(role: str, text: Any, **more: Any) -> bytes:
    """Return a message of the command line."""
    content = [{"type": "text", "text": text}] if isinstance(text, str) else text
    return json.dumps({"role": role, "content": content} | more, ensure_ascii=False).encode()


def asked(text: str, **more: Any) -> bytes:
    """Return a prompt of the command line, with what is put around it."""
    added = "<attached_files>always use yarn</attached_files>"
    return message("user", f"{marked(text)}\n{added}", **more)


def marked(text: str) -> str:
    """Return a prompt with the marks around what was typed."""
    time = "<timestamp>Wednesday, Mar 4, 2026, 10:00 AM (UTC)</timestamp>"
    return f"{time}\n<user_query>\n{text}\n</user_query>"


def store(path: Path, *messages: bytes, field: bytes = b"", **meta: Any) -> Path:
    """Put a session into a database of the command line; ``field``: more of its root."""
    ids = [hashlib.sha256(data).digest() for data in messages]
    root = b"".join(b"\x0a\x20" + id for id in ids) + field
    named = {"agentId": SESSION, "latestRootBlobId": hashlib.sha256(root).hexdigest()}
    named |= {"name": "always use yarn", "mode": "default", "createdAt": BEGUN} | meta
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB)")
        connection.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        blobs = [(id.hex(), data) for id, data in zip(ids, messages, strict=True)]
        for row in (*blobs, (hashlib.sha256(root).hexdigest(), root)):
            connection.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?)", row)
        value = json.dumps(named).encode().hex()
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?)", (value,))
        connection.commit()
    return path


def line(role: str, text: str) -> dict[str, Any]:
    """Return a line of a transcript."""
    block = {"type": "text", "text": marked(text) if role == "user" else text}
    return {"role": role, "message": {"content": [block]}}


def editor_with(turns: Sequence[str]) -> bytes:
    """Return a database of the editor with these turns, and an answer to the first two."""
    bubbles = []
    for number, turn in enumerate(turns):
        bubbles.append(bubble(turn, 3 * number))
        bubbles.append(reply("They like yarn.", 3 * number + 1, capabilityType=30, isThought=True))
        if number < len(REPLIES):
            bubbles.append(reply(REPLIES[number], 3 * number + 2))
    with tempfile.TemporaryDirectory() as made:
        return put(Path(made, "state.vscdb"), composer(*bubbles)).read_bytes()


def store_with(turns: Sequence[str]) -> bytes:
    """Return a database of the command line with these turns, and an answer to the first two."""
    messages = [
        message("system", "always use yarn"),
        message("user", "<user_info>yarn</user_info>"),
    ]
    for number, turn in enumerate(turns):
        messages.append(asked(turn, id=id_of(number)))
        if number < len(REPLIES):
            thought = {"type": "reasoning", "text": "They like yarn."}
            said = [thought, {"type": "text", "text": REPLIES[number]}]
            messages.append(message("assistant", said))
    with tempfile.TemporaryDirectory() as made:
        return store(Path(made, "store.db"), *messages).read_bytes()


EDITOR = editor_with(TURNS)
STORE = store_with(TURNS)
TRANSCRIPT = lines(
    line("user", TURNS[0]),
    line("assistant", REPLIES[0]),
    {"type": "turn_ended", "status": "success"},
    line("user", TURNS[1]),
    line("assistant", "[REDACTED]"),
    line("assistant", REPLIES[1]),
    line("user", TURNS[2]),
)
