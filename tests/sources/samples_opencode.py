"""Small sessions of OpenCode, written by hand, in each of the ways in which it keeps them."""

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.sources.samples import REPLIES, TURNS

SESSION = "ses_eec0ffee0001AbCdEfGhIjKlMn"
CWD = "/work/shop"
START = 1_772_618_400_000  # 2026-03-04 10:00 UTC, in ms

Message = dict[str, Any]

_FIRST = """
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text,
    directory text NOT NULL, title text, version text, revert text, permission text,
    time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer,
    time_updated integer, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer, time_updated integer, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
"""
_SECOND = """
CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text, parent_id text,
    fork_session_id text, directory text NOT NULL, title text, version text, revert text,
    permission text, time_created integer, time_updated integer);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,
    seq integer NOT NULL, time_created integer, time_updated integer, data text NOT NULL);
CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
"""


def moment(minute: int) -> int:
    """Return a moment of the sample day in ms."""
    return START + minute * 60_000


def id_of(minute: int, prefix: str = "msg") -> str:
    """Return an id as it is made: it grows with time."""
    return f"{prefix}_{minute:012x}AbCdEfGhIjKlMn"


def part(kind: str, **more: Any) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": kind, **more}


def typed(minute: int, *texts: str, parts: Iterable[dict[str, Any]] = ()) -> Message:
    """Return a prompt of the first generation; ``parts`` stand after the typed texts."""
    info: Message = {"id": id_of(minute), "sessionID": SESSION, "role": "user"}
    info |= {"time": {"created": moment(minute)}, "agent": "build"}
    return {"info": info, "parts": [*(part("text", text=text) for text in texts), *parts]}


def reply(minute: int, *texts: str, parts: Iterable[dict[str, Any]] = (), **more: Any) -> Message:
    """Return an answer of the first generation."""
    time = {"created": moment(minute), "completed": moment(minute) + 5_000}
    info = {"id": id_of(minute), "sessionID": SESSION, "role": "assistant", "time": time, **more}
    return {"info": info, "parts": [*(part("text", text=text) for text in texts), *parts]}


def asked(
    minute: int, answers: Sequence[Sequence[str]], *offered: Sequence[str], **more: Any
) -> dict[str, Any]:
    """Return a call of the tool that asks the person, with what was answered."""
    questions = [
        {"question": "Which one?", "options": [{"label": label} for label in labels]}
        for labels in offered
    ]
    state = {"status": "completed", "input": {"questions": questions}}
    state |= {"metadata": {"answers": answers}, "time": {"end": moment(minute)}}
    return part("tool", tool="question", callID=f"call{minute}", state=state | more)


def refused(minute: int, why: str = "") -> dict[str, Any]:
    """Return a call of a tool that the person refused."""
    error = "The user rejected permission to use this specific tool call"
    error += f" with the following feedback: {why}" if why else "."
    state = {"status": "error", "input": {}, "error": error, "time": {"end": moment(minute)}}
    return part("tool", tool="bash", callID=f"call{minute}", state=state)


def session_of(turns: Sequence[str]) -> list[Message]:
    """Return the sample session, with other words in its turns."""
    read = part("text", text="Called the Read tool: always use yarn", synthetic=True)
    picture = part("file", mime="image/png", url="data:image/png;base64,AAAA")
    output = {"status": "completed", "output": "always use yarn", "time": {"end": moment(1)}}
    tool = part("tool", tool="bash", callID="a", state=output)
    messages = []
    for number, text in enumerate(turns):
        parts = [read, picture] if number == 1 else []
        messages.append(typed(2 * number, text, parts=parts))
        if number < len(REPLIES):
            messages.append(reply(2 * number + 1, REPLIES[number], parts=[tool]))
    return messages


def info_of(**more: Any) -> dict[str, Any]:
    """Return the facts of the sample session."""
    info = {"id": SESSION, "projectID": "global", "directory": CWD, "title": "Shop"}
    return {**info, "version": "1.2.3", "time": {"created": START, "updated": moment(9)}, **more}


def export(messages: Sequence[Message], **facts: Any) -> bytes:
    """Return a session as it is exported."""
    document = {"info": info_of(**facts), "messages": messages}
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def entry_of(message: Message) -> Message:
    """Return what the second generation writes for a message of the first."""
    info, parts = message["info"], message["parts"]
    shown = [p for p in parts if p["type"] in ("text", "tool") and not p.get("synthetic")]
    entry = {"id": info["id"], "time": info["time"]}
    if info["role"] == "user":
        text = "\n\n".join(p["text"] for p in shown)
        return {**entry, "type": "user", "text": text, "files": [{"data": "AAAA"}]}
    content = []
    for each in shown:
        block = dict(each)
        if each["type"] == "tool":
            state = dict(each["state"])
            time = {"completed": state.pop("time")["end"]}
            if "error" in state:
                state["error"] = {"type": "tool.execution", "message": state["error"]}
            block = part("tool", id=each["callID"], name=each["tool"], state=state, time=time)
        content.append(block)
    more = {"error": {"type": "aborted"}} if "error" in info else {}
    return {**entry, "type": "assistant", "content": content, **more}


def entries(messages: Sequence[Message]) -> list[Message]:
    """Return what the second generation writes for messages of the first."""
    return [entry_of(message) for message in messages]


class Store:
    """A database of OpenCode that is being written."""

    def __init__(self, path: Path, *, first: bool = True, second: bool = False) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.executescript((_FIRST if first else "") + (_SECOND if second else ""))

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.commit()
        self.connection.close()

    def write(self, messages: Sequence[Message], **facts: Any) -> None:
        """Write a session in the tables of the first generation."""
        facts = info_of(**facts)
        self._facts("session", facts)
        for message in messages:
            data = {k: v for k, v in message["info"].items() if k not in ("id", "sessionID")}
            id, time = message["info"]["id"], message["info"]["time"]["created"]
            self._insert("message", id, facts["id"], time, time, json.dumps(data))
            for number, each in enumerate(message["parts"]):
                name = f"{id}-{number:03}".replace("msg", "prt")
                self._insert("part", name, id, facts["id"], time, time, json.dumps(each))

    def write_second(self, entries: Sequence[Message], **facts: Any) -> None:
        """Write a session in the tables of the second generation."""
        facts = info_of(**facts)
        self._facts("session_v2", facts)
        for seq, entry in enumerate(entries):
            data = {k: v for k, v in entry.items() if k not in ("id", "type")}
            time, text = entry["time"]["created"], json.dumps(data)
            row = (entry["id"], facts["id"], entry["type"], 5 * seq, time, time, text)
            self._insert("session_message", *row)

    def _facts(self, table: str, facts: dict[str, Any]) -> None:
        named = {"id": "id", "directory": "directory", "parentID": "parent_id"}
        named |= {"revert": "revert", "permission": "permission", "fork": "fork_session_id"}
        row = {
            column: json.dumps(facts[name]) if isinstance(facts[name], dict | list) else facts[name]
            for name, column in named.items()
            if name in facts
        }
        row |= {"time_created": START, "time_updated": facts["time"]["updated"]}
        marks = ", ".join("?" * len(row))
        statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"
        self.connection.execute(statement, list(row.values()))

    def _insert(self, table: str, *values: object) -> None:
        marks = ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)


def database(turns: Sequence[str]) -> bytes:
    """Return the sample session in a database of the first generation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "opencode.db")
        with Store(path) as store:
            store.write(session_of(turns))
        return path.read_bytes()


def second_database(turns: Sequence[str]) -> bytes:
    """Return the sample session in a database of the second generation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "opencode.db")
        with Store(path, first=False, second=True) as store:
            store.write_second(entries(session_of(turns)))
        return path.read_bytes()


def write_tree(storage: Path, messages: Sequence[Message], **facts: Any) -> Path:
    """Write a session as a tree of files; return the file of its facts."""
    facts = info_of(**facts)
    path = storage / "session" / "global" / f"{facts['id']}.json"
    _write(path, facts)
    for message in messages:
        id = message["info"]["id"]
        _write(storage / "message" / facts["id"] / f"{id}.json", message["info"])
        for number, each in enumerate(message["parts"]):
            name = f"{id}-{number:03}".replace("msg", "prt")
            _write(storage / "part" / id / f"{name}.json", {"id": name, "messageID": id, **each})
    return path


def write_older_tree(storage: Path, messages: Sequence[Message], **facts: Any) -> Path:
    """Write a session as the first months kept it, below one project."""
    facts = info_of(**facts)
    below = storage / "session"
    path = below / "info" / f"{facts['id']}.json"
    _write(path, facts)
    for message in messages:
        id = message["info"]["id"]
        _write(below / "message" / facts["id"] / f"{id}.json", message["info"])
        for number, each in enumerate(message["parts"]):
            _write(below / "part" / facts["id"] / id / f"prt_{number:03}.json", each)
    return path


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


EXPORT = export(session_of(TURNS))
DATABASE = database(TURNS)
SECOND_DATABASE = second_database(TURNS)
