"""The messages of a call to a model or an agent, in every spelling of the GenAI conventions.

Today they are the attributes ``gen_ai.input.messages`` and ``gen_ai.output.messages`` of a span or
of an event, as JSON or as values. Before, each message was an event of its own, or numbered
attributes, or one event with all of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from twice.sources.otlp import Entry, Event

_EVENTS = {
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.system.message": "system",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_ALL = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,5})\.(role|content)")
_PERSON = frozenset({"user", "human"})
_MODEL = frozenset({"assistant", "model", "ai"})


@dataclass(frozen=True, slots=True)
class Said:
    """One message: whether the user's or the model's role said it, and its text.

    ``flaw``: the text was cut off, so that nobody can tell what it was.
    """

    text: str
    by_user: bool
    flaw: bool = False


def messages_of(entry: Entry) -> list[Said]:
    """Return the messages of a call in order: what went in, then what came out."""
    for found in (_in_attributes(entry.attributes), _numbered(entry), _in_events(entry)):
        if listed := list(found):
            return listed
    return []


def _in_attributes(attributes: Any) -> Iterator[Said]:
    for name in ("gen_ai.input.messages", "gen_ai.output.messages"):
        yield from _messages(attributes.get(name), "assistant" if "output" in name else "")
    for name in _ALL.values():
        yield from _messages(attributes.get(name), "assistant" if "completion" in name else "")


def _numbered(entry: Entry) -> Iterator[Said]:
    """Yield messages that are spread over attributes with a number."""
    found: dict[tuple[bool, int], dict[str, Any]] = {}
    for name, value in entry.attributes.items():
        if match := _NUMBERED.fullmatch(name):
            message = found.setdefault((match[1] == "completion", int(match[2])), {})
            message[match[3]] = value
    for (is_output, _), message in sorted(found.items()):
        yield from _message(message, "assistant" if is_output else "")


def _in_events(entry: Entry) -> Iterator[Said]:
    events = entry.events if entry.is_span else (Event(entry.name, entry.attributes),)
    for event in events:
        if role := _EVENTS.get(event.name):
            yield from _message(_content_of(event, entry.body), role)
        else:
            yield from _in_attributes(event.attributes)


def _content_of(event: Event, body: Any) -> Any:
    """Return the message of an event: in its body, or in an attribute, at times as JSON."""
    content = event.attributes.get("gen_ai.event.content")
    if content is not None or not isinstance(body, dict):
        found = _decoded(content) if isinstance(content, str) else content
        message = found if isinstance(found, dict) else dict(event.attributes)
    else:
        message = body
    inner = message.get("message")
    if isinstance(inner, str):
        inner = _decoded(inner) or {"content": inner}
    return inner if isinstance(inner, dict) else message


def _messages(value: Any, role: str) -> Iterator[Said]:
    if isinstance(value, str) and value:
        decoded = _decoded(value)
        if decoded is None:
            yield Said("", by_user=True, flaw=True)
            return
        value = decoded
    for message in value if isinstance(value, list) else [value] if value else []:
        yield from _message(message, role)


def _message(message: Any, role: str) -> Iterator[Said]:
    if not isinstance(message, dict):
        return
    said_by = message.get("role") or role
    text = _text_of(message)
    if text and isinstance(said_by, str) and said_by.lower() in _PERSON | _MODEL:
        yield Said(text, said_by.lower() in _PERSON)


def _text_of(message: dict[str, Any]) -> str:
    """Return the text of a message; what was attached, called and given back is none."""
    parts = message.get("parts")
    content = parts if isinstance(parts, list) else message.get("content")
    if isinstance(content, str):
        inner = _decoded(content) if content.startswith("[{") else None
        content = inner if isinstance(inner, list) else content
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type", "text") == "text":
            text = part.get("content") or part.get("text")
            texts += [text] if isinstance(text, str) else []
    return "\n\n".join(text for text in texts if text.strip())


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return None
