"""Read sessions of OpenCode that lie in files: the older tree of them, and exported documents."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from twice.core import limits
from twice.sources.lines import BOM, NOT_JSON, UNFINISHED, UNKNOWN_SHAPE, decode, small, stem_of
from twice.sources.opencode_records import (
    Facts,
    Failure,
    Message,
    Revert,
    Time,
    add_parts,
    is_scripted,
    milliseconds,
)

TOO_LARGE = f"a document larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"
LONG_PART = f"a part larger than {limits.PART_BYTES // 1024 // 1024} MiB"

_NOTHING = msgspec.Raw(b"")
# An export starts with the facts of its session, and these with its id; a log may stand before it.
_EXPORT = re.compile(rb'\A[^{]{0,1000}\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_')
_TEXT = re.compile(rb'"type"\s*:\s*"text"')
_PEEK_BYTES = 4096
SILENT_TYPES = frozenset(
    {
        *("synthetic", "system", "compaction", "skill", "shell", "idle"),
        *("agent-switched", "model-switched", "location-switched"),
    }
)


class _Place(msgspec.Struct):
    directory: str | None = None


class _Info(msgspec.Struct):
    """The facts of a session, of both generations."""

    id: str | None = None
    directory: str | None = None
    location: _Place | None = None
    parent: str | None = msgspec.field(default=None, name="parentID")
    revert: Revert | None = None
    permission: msgspec.Raw = _NOTHING


class _Path(msgspec.Struct):
    cwd: str | None = None


class _Said(msgspec.Struct):
    """A message: of the first generation with its parts beside it, of the second with them in it.

    ``metadata`` is where its time stood in the first months, when it held its parts, too.
    """

    id: str | None = None
    role: str | None = None
    type: str | None = None
    text: str | None = None
    time: Time | None = None
    error: Failure | None = None
    path: _Path | None = None
    summary: msgspec.Raw = _NOTHING
    outcome: str | None = None
    metadata: msgspec.Raw = _NOTHING
    parts: list[msgspec.Raw] | None = None
    content: list[msgspec.Raw] | None = None
    info: msgspec.Raw = _NOTHING


class _Metadata(msgspec.Struct):
    time: Time | None = None


class _Document(msgspec.Struct):
    info: msgspec.Raw = _NOTHING
    messages: list[msgspec.Raw] | None = None


_INFO = msgspec.json.Decoder(_Info)
_SAID = msgspec.json.Decoder(_Said)
_METADATA = msgspec.json.Decoder(_Metadata)
_DOCUMENT = msgspec.json.Decoder(_Document)


def is_export(head: bytes) -> bool:
    """Tell from its first bytes whether a file is a session that was exported."""
    return bool(_EXPORT.match(head))


def is_in_tree(path: Path) -> bool:
    """Tell whether a file lies where the tree keeps the facts of a session.

    >>> is_in_tree(Path("opencode/storage/session/global/ses_1.json"))
    True
    >>> is_in_tree(Path("opencode/storage/message/ses_1/msg_1.json"))
    False
    """
    parts = path.parent.parts
    named = path.suffix == ".json" and path.name.startswith("ses")
    return named and parts[-3:-1] == ("storage", "session")


def read_facts(path: Path) -> tuple[Facts, str]:
    """Return the facts of a session of the tree, and what was wrong with them."""
    data = small(path, limits.HEAD_BYTES)
    info, flaw = decode(_INFO, data.removeprefix(BOM)) if data else (None, NOT_JSON)
    return _facts_of(info or _Info(), stem_of(path)), flaw


def read_tree(path: Path) -> list[Message]:
    """Return the messages of a session of the tree, in order.

    In the first months the messages of a project lay below its own sessions.
    """
    messages = messages_folder(path)
    parts = messages.parents[1] / "part"
    parts = parts / path.stem if path.parent.name == "info" else parts
    return in_order([_read_message(file, parts) for file in _json_in(messages)])


def messages_folder(path: Path) -> Path:
    """Return the folder that changes whenever a session of the tree gets another message."""
    storage = path.parents[1 if path.parent.name == "info" else 2]
    return storage / "message" / path.stem


def read_document(path: Path) -> tuple[Facts, list[Message], str]:
    """Return the facts and messages of an exported session, and why there are none."""
    facts = Facts(stem_of(path))
    data = small(path, limits.DOCUMENT_BYTES)
    if not data:
        return facts, [], TOO_LARGE
    start = data.find(b"{")
    document, flaw = decode(_DOCUMENT, data[start:] if start >= 0 else data)
    if document is None:
        return facts, [], flaw if data.rstrip().endswith(b"}") else UNFINISHED
    try:
        facts = _facts_of(_INFO.decode(document.info) if document.info else _Info(), facts.id)
    except (msgspec.MsgspecError, RecursionError):
        flaw = UNKNOWN_SHAPE
    found = [_message_in(raw) for raw in document.messages or ()]
    return facts, in_order(found), flaw


def in_order(messages: list[Message]) -> list[Message]:
    """Return messages by their moment, and by their id within one."""
    return sorted(messages, key=lambda message: (message.created, message.id))


def _facts_of(info: _Info, stem: str) -> Facts:
    revert = info.revert or Revert()
    return Facts(
        id=info.id or stem,
        directory=info.directory or (info.location and info.location.directory) or "",
        parent=info.parent or "",
        undone=revert.message or "",
        keeps_undone=bool(revert.part),
        scripted=is_scripted(info.permission),
    )


def _read_message(path: Path, parts: Path) -> Message:
    """Return a message of the tree with its parts, which lie in a folder of their own."""
    data = small(path, limits.PART_BYTES)
    said, flaw = decode(_SAID, data) if data else (None, LONG_PART)
    if said is None:
        return Message(path.stem, by_user=False, created=0, flaws=[flaw])
    found: list[bytes] = []
    flaws: list[str] = [flaw] if flaw else []
    for file in _json_in(parts / path.stem):
        content = small(file, limits.PART_BYTES)
        found += [content] if content else []
        flaws += [LONG_PART] if not content and _is_text(file) else []
    message = _message_of(said, path.stem, found or list(said.parts or ()))
    message.flaws += flaws
    return message


def _message_in(raw: msgspec.Raw) -> Message:
    """Return a message of a document: beside its parts, or of the second generation."""
    said, flaw = decode(_SAID, bytes(raw))
    parts: list[msgspec.Raw] = []
    if said is not None and said.info:
        parts = said.parts or []
        said, flaw = decode(_SAID, bytes(said.info))
    if said is None:
        return Message("", by_user=False, created=0, flaws=[flaw])
    message = _message_of(said, said.id or "", parts)
    message.flaws += [flaw] if flaw else []
    return message


def _message_of(said: _Said, id: str, parts: Sequence[bytes | msgspec.Raw]) -> Message:
    kind = said.role or said.type or ""
    time = said.time or _time_in(said.metadata) or Time()
    message = Message(
        id,
        by_user=kind == "user",
        created=milliseconds(time.created),
        completed=milliseconds(time.completed),
        stopped=said.outcome == "interrupted" or bool(said.error and said.error.is_abort),
        waiting=said.role == "user" and not parts,
        folder=(said.path and said.path.cwd) or "",
    )
    if kind in ("user", "assistant"):
        if said.text and said.role is None:
            message.texts.append(said.text)
        if bytes(said.summary).strip() != b"true":
            add_parts(message, parts or said.content or ())
    elif kind not in SILENT_TYPES:
        message.flaws.append(f"an unknown type of record: {kind[:40] or 'none'}")
    return message


def _time_in(metadata: msgspec.Raw) -> Time | None:
    """Return the time where the first months wrote it."""
    try:
        return _METADATA.decode(metadata).time if metadata else None
    except (msgspec.MsgspecError, RecursionError):
        return None


def _json_in(folder: Path) -> list[Path]:
    """Return the JSON files in a folder, in the order of their ids; none where it is missing."""
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if e.name.endswith(".json") and e.is_file()]
    except OSError:
        return []
    return [folder / name for name in sorted(names)]


def _is_text(path: Path) -> bool:
    """Tell from the start of a part whether it is text; pictures are the large ones."""
    try:
        with path.open("rb") as file:
            return bool(_TEXT.search(file.read(_PEEK_BYTES)))
    except OSError:
        return True
