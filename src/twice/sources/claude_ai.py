"""Read the chats that Claude.ai exports: ``conversations.json``, or the archive that it came in.

Messages stand in the order of time. Each names the one that it answers: an edited prompt or
another answer begins a new branch, and what the last message goes back to is what was seen.
What was attached is no typed text; of older exports all of it may be in the words themselves.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import msgspec

from twice.sources.chat_exports import Chat, ChatExport, Message
from twice.sources.lines import UNKNOWN_SHAPE, decode
from twice.sources.times import microseconds
from twice.sources.wrappings import words_of

_MARKS = (re.compile(rb'"chat_messages"\s*:\s*\['), re.compile(rb'"uuid"\s*:'))
_STOPPED = "user_canceled"


class _Chat(msgspec.Struct):
    uuid: str | None = None
    updated_at: str | None = None
    current_leaf_message_uuid: str | None = None
    chat_messages: list[msgspec.Raw] | None = None


class _Block(msgspec.Struct):
    type: str | None = None
    text: str | None = None


class _Message(msgspec.Struct):
    uuid: str | None = None
    sender: str | None = None
    text: str | None = None
    content: list[_Block] | None = None
    created_at: str | None = None
    stop_reason: str | None = None
    parent_message_uuid: str | None = None


_CHAT = msgspec.json.Decoder(_Chat)
_MESSAGE = msgspec.json.Decoder(_Message)


class ClaudeAi(ChatExport):
    """The chats of an export of Claude.ai. They lie where the person put them."""

    name = "claude-ai"
    marks = _MARKS

    def understand(self, data: bytes) -> Chat | str:
        """Return a conversation, or why it is none."""
        found, flaw = decode(_CHAT, data)
        if found is None:
            return flaw
        if not found.uuid:
            return UNKNOWN_SHAPE
        listed = found.chat_messages or []
        messages = partial(_messages, listed, found.current_leaf_message_uuid or "")
        return Chat(found.uuid, microseconds(found.updated_at), len(listed), messages)


def _messages(listed: Sequence[msgspec.Raw], leaf: str) -> list[Message]:
    """Return what the person saw of a conversation, in order."""
    found: list[tuple[int, _Message | None]] = [
        (seq, _message_of(raw)) for seq, raw in enumerate(listed)
    ]
    left = _abandoned([message for _, message in found if message], leaf)
    return [
        _heard(seq, message)
        for seq, message in found
        if message is None or message.uuid not in left
    ]


def _message_of(raw: msgspec.Raw) -> _Message | None:
    with suppress(msgspec.MsgspecError, RecursionError):
        return _MESSAGE.decode(raw)
    return None


def _abandoned(messages: Sequence[_Message], leaf: str) -> set[str]:
    """Return the ids of the messages on branches that were left.

    Without a word about branches, as older exports are, nothing was left.
    """
    above = {m.uuid: m.parent_message_uuid for m in messages if m.uuid}
    seen: dict[str | None, str] = {}
    id = leaf if leaf in above else next(reversed(above), None)
    while id in above and above[id] not in seen:
        seen[above[id]] = id
        id = above[id]
    left: set[str] = set()
    for id, parent in above.items():
        is_left = parent is not None and seen.get(parent, id) != id
        if is_left or parent in left:
            left.add(id)
    return left


def _heard(seq: int, message: _Message | None) -> Message:
    if message is None:
        return Message(seq, flaw=UNKNOWN_SHAPE)
    record, at, text = message.uuid or "", microseconds(message.created_at), _text_of(message)
    if message.sender == "human":
        return Message(seq, record, at, words=words_of(text))
    if message.sender == "assistant":
        return Message(seq, record, at, reply=text, stopped=message.stop_reason == _STOPPED)
    return Message(seq)


def _text_of(message: _Message) -> str:
    """Return the words of a message; ``text`` also names what cannot be shown as text."""
    blocks = [b.text for b in message.content or () if b.type == "text" and b.text]
    return "\n\n".join(blocks) or message.text or ""
