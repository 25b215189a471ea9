"""Read the chats that ChatGPT exports: ``conversations.json``, whole, split or in its archive.

A conversation is a tree of messages: an edited prompt or another answer begins a new branch. What
was said last is ``current_node``, and the way from there to the root is what the person saw.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial

import msgspec

from twice.sources.chat_exports import Chat, ChatExport, Message
from twice.sources.lines import UNKNOWN_SHAPE, decode
from twice.sources.times import from_milliseconds, microseconds
from twice.sources.wrappings import words_of

NOT_TYPED = "a suggested prompt that was clicked, not typed"

_MARKS = (
    re.compile(rb'"mapping"\s*:\s*\{'),
    re.compile(rb'"(?:create_time|conversation_id|current_node)"\s*:'),
)
_SPOKEN = frozenset({"text", "multimodal_text"})
_TO_ALL = (None, "", "all")

Time = str | int | float | None


class _Chat(msgspec.Struct):
    id: str | None = None
    conversation_id: str | None = None
    update_time: Time = None
    current_node: str | None = None
    mapping: dict[str, msgspec.Raw] | None = None


class _Author(msgspec.Struct):
    role: str | None = None


class _Part(msgspec.Struct):
    content_type: str | None = None
    text: str | None = None


class _Content(msgspec.Struct):
    content_type: str | None = None
    parts: list[str | _Part | None] | None = None


class _Finish(msgspec.Struct):
    type: str | None = None


class _About(msgspec.Struct):
    """What is noted of a message: whether it is shown, and where it came from."""

    is_visually_hidden_from_conversation: bool | None = None
    is_user_system_message: bool | None = None
    is_starter_prompt: bool | None = None
    finish_details: _Finish | None = None


class _Message(msgspec.Struct):
    id: str | None = None
    author: _Author | None = None
    create_time: Time = None
    recipient: str | None = None
    channel: str | None = None
    content: _Content | None = None
    metadata: _About | None = None


class _Place(msgspec.Struct):
    """A node of the tree without its message, where that is of unknown shape."""

    parent: str | None = None

    @property
    def time(self) -> float:
        """When it was said, in seconds; 0 where that is not known."""
        return 0.0


class _Node(_Place):
    message: _Message | None = None

    @property
    def time(self) -> float:
        """When it was said, in seconds; 0 where that is not known."""
        return (_time(self.message.create_time) or 0) / 1e6 if self.message else 0.0


_CHAT = msgspec.json.Decoder(_Chat)
_NODE = msgspec.json.Decoder(_Node)
_PLACE = msgspec.json.Decoder(_Place)


class ChatGpt(ChatExport):
    """The chats of an export of ChatGPT. They lie where the person put them."""

    name = "chatgpt"
    marks = _MARKS

    def understand(self, data: bytes) -> Chat | str:
        """Return a conversation, or why it is none."""
        found, flaw = decode(_CHAT, data)
        if found is None:
            return flaw
        mapping = found.mapping or {}
        id = found.conversation_id or found.id or next(iter(mapping), "")
        if not id:
            return UNKNOWN_SHAPE
        messages = partial(_messages, mapping, found.current_node or "")
        return Chat(id, _time(found.update_time), len(mapping), messages)


def _messages(mapping: Mapping[str, msgspec.Raw], current: str) -> list[Message]:
    """Return what the person saw of a conversation, in order."""
    nodes = {id: node for id, raw in mapping.items() if (node := _node_of(raw))}
    numbers = _numbered(nodes)
    last = current if current in nodes else max(numbers, key=numbers.__getitem__, default="")
    way = list(_to_root(last, nodes))
    return [_heard(numbers[id], nodes[id]) for id in reversed(way)]


def _node_of(raw: msgspec.Raw) -> _Place | None:
    """Return a node of the tree; of a message that nobody understands its place is kept."""
    for decoder in (_NODE, _PLACE):
        with suppress(msgspec.MsgspecError, RecursionError):
            return decoder.decode(raw)
    return None


def _to_root(id: str, nodes: Mapping[str, _Place]) -> Iterator[str]:
    """Yield the nodes from one up to the root; damage may have made a ring of them."""
    seen: set[str] = set()
    while id in nodes and id not in seen:
        seen.add(id)
        yield id
        id = nodes[id].parent or ""


def _numbered(nodes: Mapping[str, _Place]) -> dict[str, int]:
    """Number the messages of all branches so that what comes later has a higher number.

    So the numbers stay when the conversation goes on, even where it goes on in a new branch.
    """
    places: dict[str, tuple[float, int]] = {}
    for id in nodes:
        new = []
        for above in _to_root(id, nodes):
            if above in places:
                break
            new.append(above)
        for below in reversed(new):
            time, depth = places.get(nodes[below].parent or "", (0.0, 0))
            places[below] = (max(time, nodes[below].time), depth + 1)
    ordered = sorted(nodes, key=places.__getitem__)
    return {id: number for number, id in enumerate(ordered)}


def _heard(seq: int, node: _Place) -> Message:
    if not isinstance(node, _Node):
        return Message(seq, flaw=UNKNOWN_SHAPE)
    message = node.message or _Message()
    about = message.metadata or _About()
    record, at = message.id or "", _time(message.create_time)
    text = _text_of(message.content or _Content())
    stopped = about.finish_details is not None and about.finish_details.type == "interrupted"
    role = message.author.role if message.author else None
    if about.is_visually_hidden_from_conversation or about.is_user_system_message:
        return Message(seq)
    if role == "user" and about.is_starter_prompt:
        return Message(seq, flaw=NOT_TYPED)
    if role == "user":
        return Message(seq, record, at, words=words_of(text))
    if role == "assistant" and message.recipient in _TO_ALL and message.channel != "analysis":
        return Message(seq, record, at, reply=text, stopped=stopped)
    return Message(seq)


def _text_of(content: _Content) -> str:
    """Return the words of a message: its texts, and what was dictated; no pictures and files."""
    if content.content_type not in _SPOKEN:
        return ""
    texts = []
    for part in content.parts or ():
        if isinstance(part, str):
            texts.append(part)
        elif part is not None and part.content_type == "audio_transcription":
            texts.append(part.text or "")
    return "\n\n".join(text for text in texts if text.strip())


def _time(stamp: Time) -> int | None:
    """Return a time in microseconds of UTC; the application writes seconds."""
    if stamp is None or isinstance(stamp, str):
        return microseconds(stamp)
    return from_milliseconds(stamp * 1_000)
