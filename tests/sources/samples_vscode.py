"""Small chats of VS Code, written by hand in both of its layouts."""

import json
from typing import Any

from tests.sources.samples import SESSION, lines

BEGUN = 1_772_618_400_000  # 2026-03-04T10:00:00Z, in milliseconds


def id_of(number: int) -> str:
    """Return the id of a request."""
    return f"request_{number:08}-2222-4333-8444-555555555555"


def message(text: str, *addressed: tuple[str, str]) -> dict[str, Any]:
    """Return a message that starts with what it is addressed to, as (kind, text)."""
    parts: list[dict[str, Any]] = []
    start = 0
    for kind, part in addressed:
        start = text.index(part, start)
        parts.append({"kind": kind, "range": {"start": start, "endExclusive": start + len(part)}})
        start += len(part)
    parts.append({"kind": "text", "range": {"start": start, "endExclusive": len(text)}})
    return {"text": text, "parts": parts}


def request(text: Any, number: int = 0, *answer: Any, **more: Any) -> dict[str, Any]:
    """Return a request; of a text in the answer, a part of markdown."""
    parts = [
        {"value": part, "isTrusted": False} if isinstance(part, str) else part for part in answer
    ]
    return {
        "requestId": id_of(number),
        "timestamp": BEGUN + number * 60_000,
        "message": message(text) if isinstance(text, str) else text,
        "variableData": {"variables": [{"kind": "promptText", "value": "always use yarn"}]},
        "response": parts,
        "modelState": {"value": 1, "completedAt": BEGUN + number * 60_000 + 500},
        **more,
    }


def document(*requests: dict[str, Any], **facts: Any) -> bytes:
    """Return a session as one document, with its facts in the order in which they are written."""
    head = {"version": 3, "responderUsername": "GitHub Copilot"}
    head |= {"responderAvatarIconUri": {"id": "copilot"}, "initialLocation": "panel"}
    tail = {"sessionId": SESSION, "creationDate": BEGUN, "customTitle": "always use yarn"}
    return json.dumps(
        head | {"requests": requests} | tail | facts, indent=2, ensure_ascii=False
    ).encode()


def initial(*requests: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Return the first line of a log."""
    head = {"version": 3, "creationDate": BEGUN, "initialLocation": "panel"}
    head |= {"responderUsername": "GitHub Copilot", "sessionId": SESSION}
    state = {"inputState": {"inputText": "always use yarn"}}
    return {"kind": 0, "v": head | facts | {"requests": list(requests)} | state}


def put(value: Any, *path: str | int) -> dict[str, Any]:
    """Return a line of a log that sets something."""
    return {"kind": 1, "k": list(path), "v": value}


def push(values: list[Any], *path: str | int, start: int | None = None) -> dict[str, Any]:
    """Return a line of a log that appends to a list, or writes it anew from ``start`` on."""
    cut = {} if start is None else {"i": start}
    return {"kind": 2, "k": list(path), "v": values} | cut


def delete(*path: str | int) -> dict[str, Any]:
    """Return a line of a log that deletes something."""
    return {"kind": 3, "k": list(path)}


def tool(**more: Any) -> dict[str, Any]:
    """Return a tool that the agent called."""
    done = {"pastTenseMessage": {"value": "Ran always use yarn"}, "isComplete": True}
    return (
        {"kind": "toolInvocationSerialized", "toolId": "run", "isConfirmed": {"type": 4}}
        | done
        | more
    )


def carousel(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return questions to the person, and what was answered."""
    options = [{"id": "a", "label": "Yarn", "value": "yarn"}]
    questions = [{"id": "q", "type": "singleSelect", "title": "Which?", "options": options}]
    return {"kind": "questionCarousel", "questions": questions, "data": data} | more


_TURNS = (
    request("set up the shop", 0, "I used ", tool(), "npm."),
    request("use pnpm, not npm 🙂", 1, "Switched to pnpm."),
    request("réponds en français", 2),
)
_TURNS[0]["response"] = [
    {"kind": "thinking", "value": "They like yarn."},
    {"value": "I used npm."},
    tool(),
]
VSCODE = document(*_TURNS)
VSCODE_LOG = lines(
    initial(),
    push([_TURNS[0] | {"response": [], "modelState": {"value": 0}}], "requests"),
    push([{"kind": "thinking", "value": "They like yarn."}], "requests", 0, "response"),
    push([{"value": "I used"}, tool(isComplete=False)], "requests", 0, "response"),
    push([{"value": "I used npm."}, tool()], "requests", 0, "response", start=1),
    put({"value": 1}, "requests", 0, "modelState"),
    put("always use yarn", "customTitle"),
    push([_TURNS[1]], "requests"),
    put("always use yarn", "inputState", "inputText"),
    push([_TURNS[2]], "requests"),
)
