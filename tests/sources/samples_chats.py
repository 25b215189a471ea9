"""Small exports of ChatGPT and Claude.ai, written by hand."""

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from tests.sources.samples import REPLIES, SESSION, TURNS, at

ROOT = "00000000-0000-4000-8000-000000000000"
START = 1_772_618_400.25  # 2026-03-04T10:00:00.250Z


def message_id(number: int) -> str:
    """Return the id of a message."""
    return f"aaaaaaaa-0000-4000-8000-{number:012}"


def in_turn(turns: Sequence[str]) -> list[tuple[str, str]]:
    """Return turns with the replies between them, each with who said it."""
    said: list[tuple[str, str]] = []
    for number, turn in enumerate(turns):
        said.append(("user", turn))
        said += [("assistant", reply) for reply in REPLIES[number : number + 1]]
    return said[: 2 * len(turns) - 1]


# ChatGPT


def said(role: str, text: Any, number: int, *, parts: Any = None, **more: Any) -> dict[str, Any]:
    """Return a message of ChatGPT; ``parts`` instead of its one text."""
    kind = "text" if parts is None else "multimodal_text"
    return {
        "id": message_id(number),
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": START + number,
        "content": {"content_type": kind, "parts": [text] if parts is None else parts},
        "status": "finished_successfully",
        "recipient": "all",
        "metadata": {},
    } | more


def chain(*messages: dict[str, Any] | None, first: str | None = None) -> dict[str, Any]:
    """Return messages as nodes, each below the one before it."""
    nodes: dict[str, Any] = {}
    parent = first
    for number, message in enumerate(messages):
        id = message["id"] if message else f"node-{number}"
        nodes[id] = {"id": id, "message": message, "parent": parent, "children": []}
        parent = id
    return nodes


def chatgpt(mapping: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a conversation of ChatGPT; without ``current`` it ends with its last node."""
    return {
        "title": "The shop",
        "create_time": START,
        "update_time": START + 90,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current or next(reversed(mapping)),
        "conversation_id": SESSION,
        "id": SESSION,
    } | more


PROFILE = said("user", "", 0) | {
    "id": "profile",
    "create_time": None,
    "content": {"content_type": "user_editable_context", "user_instructions": "always use yarn"},
    "metadata": {"is_visually_hidden_from_conversation": True},
}


def chatgpt_having(turns: Sequence[str]) -> dict[str, Any]:
    """Return the sample conversation with these turns."""
    messages = [said(role, text, number) for number, (role, text) in enumerate(in_turn(turns), 1)]
    return chatgpt(chain(None, PROFILE, *messages))


def export(*conversations: Any) -> bytes:
    """Return conversations as an export writes them, here with line ends."""
    return json.dumps(conversations, indent=1, ensure_ascii=False).encode()


def archive(**files: bytes) -> bytes:
    """Return an archive of files; ``__`` in a name stands for a folder."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "/") + ".json", content)
    return data.getvalue()


# Claude.ai


def wrote(sender: str, text: str, number: int, **more: Any) -> dict[str, Any]:
    """Return a message of Claude.ai."""
    return {
        "uuid": message_id(number),
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}],
        "sender": sender,
        "created_at": at(number),
        "updated_at": at(number),
        "attachments": [],
        "files": [],
    } | more


def claude_ai(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a conversation of Claude.ai."""
    return {
        "uuid": SESSION,
        "name": "The shop",
        "summary": "",
        "created_at": at(0),
        "updated_at": at(59),
        "account": {"uuid": "somebody"},
        "chat_messages": list(messages),
    } | more


def answering(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let each message answer the one before it."""
    above = ROOT
    linked = []
    for message in messages:
        linked.append({**message, "parent_message_uuid": above})
        above = message["uuid"]
    return linked


def claude_ai_having(turns: Sequence[str]) -> dict[str, Any]:
    """Return the sample conversation with these turns."""
    senders = {"user": "human", "assistant": "assistant"}
    messages = (wrote(senders[r], text, n) for n, (r, text) in enumerate(in_turn(turns)))
    return claude_ai(*answering(messages))


CHATGPT = export(chatgpt_having(TURNS))
CLAUDE_AI = export(claude_ai_having(TURNS))
