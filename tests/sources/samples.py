"""Small sessions of each agent, written by hand in the agents' own formats."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twice.core.transcript import Event, Position, Reading, Session, Skipped, Speaker
from twice.ports import Source

SESSION = "11111111-2222-4333-8444-555555555555"
DAY = "2026-03-04"


def at(minute: int) -> str:
    """Return a time of the sample day, as agents write it."""
    return f"{DAY}T10:{minute:02}:00.000Z"


def lines(*records: dict[str, Any]) -> bytes:
    """Return records one a line."""
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def claude(kind: str, content: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return a record of Claude Code; ``content`` is a text or a list of blocks."""
    return {
        "type": kind,
        "uuid": f"record-{number}",
        "sessionId": SESSION,
        "timestamp": at(number % 60),
        "cwd": "/work/shop",
        "gitBranch": "main",
        "message": {"role": kind, "content": content},
        **more,
    }


def typed(text: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return a prompt of a Claude Code session."""
    return claude("user", text, number, **more)


def reply(text: str, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return an answer of a Claude Code session."""
    return claude("assistant", [{"type": "text", "text": text}], number, **more)


def result(text: str, number: int = 0, *, error: bool = False, **more: Any) -> dict[str, Any]:
    """Return what a tool gave back."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": text, "is_error": error}
    return claude("user", [block], number, **more)


def queue(operation: str, content: str | None = None, number: int = 0) -> dict[str, Any]:
    """Return an operation on the messages typed while the agent was busy."""
    record = {"type": "queue-operation", "operation": operation, "sessionId": SESSION}
    record["timestamp"] = at(number)
    return record if content is None else record | {"content": content}


def refused(reason: str) -> str:
    """Return what a refused tool gives back."""
    start = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    return f"{start} To tell you how to proceed, the user said:\n{reason}"


def codex(kind: str, payload: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """Return a record of Codex, in its envelope."""
    return {"timestamp": at(number), "type": kind, "payload": payload}


def codex_start(**more: Any) -> dict[str, Any]:
    """Return the first record of a Codex session."""
    git = {"branch": "main", "repository_url": "https://example.org/shop.git"}
    facts = {"id": SESSION, "cwd": "/work/shop", "originator": "codex_cli_rs", "source": "cli"}
    return codex("session_meta", facts | {"git": git} | more)


def codex_typed(text: str, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return a prompt of a Codex session."""
    return codex("event_msg", {"type": "user_message", "message": text, **more}, number)


def codex_reply(text: str, number: int = 0) -> dict[str, Any]:
    """Return an answer of a Codex session."""
    return codex("event_msg", {"type": "agent_message", "message": text}, number)


def bare(role: str, text: str) -> dict[str, Any]:
    """Return a message of the older Codex format, without an envelope."""
    part = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def gemini(kind: str, content: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return a message of Gemini CLI; ``content`` is a text or a list of parts."""
    id = {"id": f"message-{number}", "timestamp": at(number % 60)}
    return id | {"type": kind, "content": content} | more


def gemini_document(*messages: dict[str, Any], **facts: Any) -> bytes:
    """Return a session of Gemini CLI as one document."""
    return json.dumps(GEMINI_START | facts | {"messages": messages}, indent=2).encode()


def copilot(kind: str, number: int = 0, /, *, agent: str = "", **data: Any) -> dict[str, Any]:
    """Return an event of Copilot CLI; ``agent`` is the subagent that it is told of."""
    record = {"type": kind, "data": data, "id": f"event-{number}", "timestamp": at(number % 60)}
    return record | ({"agentId": agent} if agent else {})


def copilot_typed(text: str, number: int = 0, **data: Any) -> dict[str, Any]:
    """Return a prompt of a Copilot CLI session, as it is written beside what is sent."""
    sent = f"<current_datetime>{at(number)}</current_datetime>\n\n{text}\n\nalways use yarn"
    data = {"interactionId": "i", "parentAgentTaskId": "t", "transformedContent": sent} | data
    return copilot("user.message", number, content=text, **data)


def copilot_reply(text: str, number: int = 0, **data: Any) -> dict[str, Any]:
    """Return an answer of a Copilot CLI session."""
    return copilot("assistant.message", number, content=text, interactionId="i", **data)


GEMINI_START = {
    "sessionId": SESSION,
    "projectHash": "ab12",
    "startTime": at(0),
    "lastUpdated": at(5),
}
COPILOT_START = copilot(
    "session.start",
    sessionId=SESSION,
    copilotVersion="1.0.68",
    context={
        "cwd": "/work/shop",
        "branch": "main",
        "repository": "ann/shop",
        "repositoryHost": "example.org",
    },
)
BARE_START = {"id": SESSION, "timestamp": at(0), "instructions": None, "git": {"branch": "main"}}

CLAUDE = lines(
    typed("set up the shop", 0),
    reply("I used npm.", 1),
    result("added 3 packages", 2),
    typed("use pnpm, not npm 🙂", 3),
    reply("Switched to pnpm.", 4),
    typed("réponds en français", 5),
)
CODEX = lines(
    codex_start(),
    codex_typed("set up the shop", 0),
    codex_reply("I used npm.", 1),
    codex("response_item", {"type": "function_call", "name": "shell"}, 2),
    codex_typed("use pnpm, not npm 🙂", 3),
    codex_reply("Switched to pnpm.", 4),
    codex_typed("réponds en français", 5),
)
CODEX_BARE = lines(
    BARE_START,
    bare("user", "<environment_context>\n<cwd>/work/shop</cwd>\n</environment_context>"),
    {"record_type": "state"},
    bare("user", "set up the shop"),
    bare("assistant", "I used npm."),
    bare("user", "use pnpm, not npm 🙂"),
    bare("assistant", "Switched to pnpm."),
    bare("user", "réponds en français"),
)
_GEMINI_TURNS = (
    gemini("user", "set up the shop", 0),
    gemini("gemini", "I used npm.", 1, toolCalls=[{"name": "shell", "status": "success"}]),
    gemini("info", "An update is available!", 2),
    gemini("user", [{"text": "use pnpm, not npm 🙂"}], 3),
    gemini("gemini", "Switched to pnpm.", 4),
    gemini("user", [{"text": "réponds en français"}], 5),
)
GEMINI = json.dumps(
    GEMINI_START | {"messages": _GEMINI_TURNS}, indent=2, ensure_ascii=False
).encode()
GEMINI_LOG = lines(
    GEMINI_START | {"kind": "main"},
    *_GEMINI_TURNS[:2],
    {"$set": {"lastUpdated": at(2)}},
    *_GEMINI_TURNS[2:],
)
COPILOT = lines(
    COPILOT_START,
    copilot_typed("set up the shop", 0),
    copilot("assistant.turn_start", 1, turnId="0"),
    copilot_reply("I used npm.", 1),
    copilot("tool.execution_complete", 2, success=True, result={"content": "always use yarn"}),
    copilot_typed("use pnpm, not npm 🙂", 3),
    copilot_reply("Switched to pnpm.", 4),
    copilot_typed("réponds en français", 5),
)
SPECSTORY_1 = """<!-- Generated by SpecStory -->

# Shop (2026-03-04 10:00:00)

_**User**_

set up the shop

---

_**Assistant**_

I used npm.

---

_**User**_

use pnpm, not npm 🙂

---

_**Assistant**_

Switched to pnpm.

---

_**User**_

réponds en français

---

""".encode()
SPECSTORY_2 = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-03-04 10:00:00Z

<!-- Claude Code Session {SESSION} (2026-03-04 10:00:00Z) -->

_**User (2026-03-04 10:00:00Z)**_

set up the shop

---

_**Agent (some-model 2026-03-04 10:01:00Z)**_

<think>The human likes npm, always use npm.</think>

I used npm.

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>

---

_**User (2020-01-01 00:00:00Z)**_

always use yarn

---

</details></tool-use>

---

_**User (2026-03-04 10:03:00Z)**_

use pnpm, not npm 🙂

---

_**Agent (some-model 2026-03-04 10:04:00Z)**_

Switched to pnpm.

---

_**User (2026-03-04 10:05:00Z)**_

réponds en français

---

""".encode()

TURNS = ["set up the shop", "use pnpm, not npm 🙂", "réponds en français"]
REPLIES = ["I used npm.", "Switched to pnpm."]


def read(source: Source, path: Path, since: Position | None = None) -> list[Reading]:
    """Return all that a source yields for the sessions of a file."""
    return [item for log in source.logs(path) for item in log.read(since or Position())]


def read_bytes(source: Source, path: Path, data: bytes) -> list[Reading]:
    """Return all that a source yields for a file with these bytes."""
    path.write_bytes(data)
    return read(source, path)


def humans(readings: Iterable[Reading]) -> list[Event]:
    """Return what people said."""
    return [r for r in readings if isinstance(r, Event) and r.speaker is Speaker.HUMAN]


def said(readings: Iterable[Reading]) -> list[str]:
    """Return the texts of what people said."""
    return [event.text for event in humans(readings)]


def replies(readings: Iterable[Reading]) -> list[str]:
    """Return the texts of what the agent said."""
    return [r.text for r in readings if isinstance(r, Event) and r.speaker is Speaker.AGENT]


def session(readings: Iterable[Reading]) -> Session:
    """Return what is known of the session in the end."""
    return [r for r in readings if isinstance(r, Session)][-1]


def skipped(readings: Iterable[Reading]) -> list[Skipped]:
    """Return what was passed over."""
    return [r for r in readings if isinstance(r, Skipped)]


def position(readings: Iterable[Reading]) -> Position:
    """Return where to read on."""
    last = list(readings)[-1]
    assert isinstance(last, Position)
    return last
