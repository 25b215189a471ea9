"""The shape of what Gemini CLI writes: documents, and logs whose records change earlier ones."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.transcript import Skipped
from twice.sources.lines import BOM, TOO_LONG, UNFINISHED, decode, head_of, read_lines

TYPES = frozenset({"user", "gemini", "info", "warning", "error", "message_update"})
TOO_LARGE = f"a document larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"

_NOTHING = msgspec.Raw(b"")


class _Call(msgspec.Struct):
    status: str | None = None


class _Part(msgspec.Struct):
    text: str | None = None


class Record(msgspec.Struct, rename="camel"):
    """A document, a line of a log, what an update sets, or a message: what is known of each."""

    session_id: str | None = None
    project_hash: str | None = None
    kind: str | None = None
    messages: list[msgspec.Raw] | None = None
    id: str | None = None
    type: str | None = None
    timestamp: str | int | float | None = None
    content: msgspec.Raw = _NOTHING
    display_content: msgspec.Raw = _NOTHING
    tool_calls: msgspec.Raw = _NOTHING
    update: msgspec.Raw = msgspec.field(default=_NOTHING, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")


_RECORD = msgspec.json.Decoder(Record)
_PARTS = msgspec.json.Decoder(str | _Part | list[str | _Part] | None)
_CALLS = msgspec.json.Decoder(list[_Call] | None)

Item = tuple[int, Record] | Skipped
"""A record under its number, or what was passed over."""


def open_file(path: Path) -> "Document | Log":
    """Return a file as what it is; some tools keep documents under the name of a log."""
    is_document = path.suffix == ".json" or head_of(path).split(b"\n", 1)[0].strip() == b"{"
    return Document(path) if is_document else Log(path)


def text_of(content: msgspec.Raw) -> str:
    """Return the text of a message, a string or parts of which some are text."""
    found = _PARTS.decode(content) if content else None
    parts = found if isinstance(found, list) else [found]
    return "".join(p if isinstance(p, str) else p.text or "" for p in parts if p is not None)


def has_cancelled(record: Record) -> bool:
    """Tell whether a person refused a tool that the agent called in a message, or stopped it."""
    calls = _CALLS.decode(record.tool_calls) if record.tool_calls else None
    return any(call.status == "cancelled" for call in calls or ())


@dataclass(slots=True)
class Document:
    """A session that is one JSON document, decoded whole; its messages are numbered from 0.

    ``end`` stays 0 where it could not be decoded: it is whole at the next reading, or never.
    """

    path: Path
    end: int = 0
    count: int = 0

    def items(self) -> list[Item]:
        """Return the facts of the session, and its messages."""
        with self.path.open("rb") as file:
            data = file.read(limits.DOCUMENT_BYTES + 1)
        if len(data) > limits.DOCUMENT_BYTES:
            return [Skipped(0, TOO_LARGE)]
        document, flaw = decode(_RECORD, data.removeprefix(BOM))
        if document is None:
            is_cut = not data.rstrip().endswith(b"}")
            return [Skipped(0, UNFINISHED if is_cut else flaw)]
        self.end = len(data)
        self.count = len(document.messages or ())
        found: list[Item] = [(0, document)]
        if flaw:
            found.append(Skipped(0, flaw))
        return found + list(_messages_in(document, 0))


@dataclass(slots=True)
class Log:
    """A session that is written record by record, with changes of what was written before.

    It is gone through twice: to learn what a later record takes back or writes anew, and then to
    tell the rest. Every line has a number, and every message that an update lists has one too.
    """

    path: Path
    end: int = 0
    count: int = 0
    _unfinished: list[Skipped] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """Return the facts of the session, and the messages that stand in the end."""
        kept = self._replay()
        return self._told(kept)

    def _replay(self) -> frozenset[int]:
        """Return the numbers of the messages that no later record took back or wrote anew.

        Of a person's message the first writing counts, so that it is told once; of the agent's
        the last, which has all of its words.
        """
        order: dict[str, int] = {}
        for item in self._numbered(None):
            if isinstance(item, Skipped):
                continue
            seq, record = item
            if record.rewind_to is not None:
                ids = list(order)
                start = ids.index(record.rewind_to) if record.rewind_to in order else 0
                for id in ids[start:]:
                    del order[id]
            elif record.type in TYPES:
                id = record.id or f"#{seq}"
                order[id] = order.get(id, seq) if record.type == "user" else seq
        return frozenset(order.values())

    def _told(self, kept: frozenset[int]) -> Iterator[Item]:
        for item in self._numbered(self.end):
            if isinstance(item, Skipped) or item[1].type not in TYPES or item[0] in kept:
                yield item
        yield from self._unfinished

    def _numbered(self, until: int | None) -> Iterator[Item]:
        """Yield every record under its number; ``until`` is where an earlier pass ended."""
        listed = 0  # messages in updates, which have numbers beside those of the lines
        for line in read_lines(self.path):
            if until is not None and line.start >= until:
                return
            seq = line.seq + listed
            record, flaw = decode(_RECORD, line.data) if line.data else (None, TOO_LONG)
            if not line.whole and record is None:
                self._unfinished = [] if line.blank else [Skipped(seq, UNFINISHED)]
                return
            if flaw and not line.blank:
                yield Skipped(seq, flaw)
            for found in _records_in(seq, record) if record else ():
                yield found
                number = found.seq if isinstance(found, Skipped) else found[0]
                listed = number - line.seq
            if until is None:
                self.end, self.count = line.end, line.seq + listed + 1


def _records_in(seq: int, record: Record) -> Iterator[Item]:
    """Yield a line's record, and the messages that it lists, each under a number of its own."""
    yield seq, record
    if record.update:
        update, flaw = decode(_RECORD, bytes(record.update))
        if update is None:
            yield Skipped(seq, flaw)
            return
        yield seq, msgspec.structs.replace(update, id=None, type=None)
        record = update
    yield from _messages_in(record, seq + 1)


def _messages_in(record: Record, first: int) -> Iterator[Item]:
    """Yield the messages that a record lists, numbered."""
    for seq, raw in enumerate(record.messages or (), first):
        message, flaw = decode(_RECORD, bytes(raw))
        if message is None:
            yield Skipped(seq, flaw)
        else:
            yield seq, message
