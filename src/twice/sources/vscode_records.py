"""The shape of a chat in VS Code: a document, or a log of changes to one that is replayed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from twice.core import limits
from twice.core.transcript import Skipped
from twice.sources.lines import (
    BOM,
    MENDED,
    TOO_LONG,
    UNFINISHED,
    UNKNOWN_SHAPE,
    Line,
    decode,
    head_of,
    mend,
    read_lines,
)

TOO_LARGE = f"a document larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"
WITHOUT_START = "a change of a session whose start is missing"
CAROUSEL, PLAN = "questionCarousel", "planReview"

_NOTHING = msgspec.Raw(b"")
_INITIAL, _SET, _PUSH, _DELETE = 0, 1, 2, 3
_TEXTUAL = ("markdownVuln", "markdownContent")

Decoded = TypeVar("Decoded")


class Part(msgspec.Struct, rename="camel"):
    """A part of an answer; plain markdown has no ``kind``."""

    kind: object = None
    value: object = None
    content: object = None
    is_confirmed: object = None  # of a tool: who allowed it, or that nobody did
    questions: object = None
    data: object = None  # what a person answered
    terminal_id: object = None
    auto_reply: object = None


class Request(msgspec.Struct, rename="camel"):
    """What was sent, by whom, and what became of it; the parts of its answer are kept apart."""

    request_id: object = None
    timestamp: object = None
    message: object = None
    confirmation: object = None
    should_be_removed_on_send: object = None
    is_hidden: object = None
    hidden_from_transcript: object = None
    request_hidden_from_transcript: object = None
    is_system_initiated: object = None
    request_source: object = None
    origin: object = None
    mode_info: object = None
    followups: object = None
    model_state: object = None
    is_canceled: object = None
    response: msgspec.Raw = _NOTHING


class Facts(msgspec.Struct, rename="camel"):
    """What is told of the session as a whole."""

    session_id: object = None
    initial_location: object = None
    working_directory: object = None
    repo_data: object = None
    requests: msgspec.Raw = _NOTHING


class Change(msgspec.Struct):
    """A line of a log: what is set, appended or deleted at the path ``k``.

    ``i``: there the list at the path is cut off, before anything is appended.
    """

    kind: int | None = None
    k: list[str | int] = []
    v: msgspec.Raw = _NOTHING
    i: int | None = None


_CHANGE = msgspec.json.Decoder(Change)
_FACTS = msgspec.json.Decoder(Facts)
_REQUEST = msgspec.json.Decoder(Request)
_PART = msgspec.json.Decoder(Part | str)
_LIST = msgspec.json.Decoder(list[msgspec.Raw] | str | None)
_ANY = msgspec.json.Decoder(object)

_REQUEST_FIELDS = {f.encode_name: f.name for f in msgspec.structs.fields(Request)}
_FACT_FIELDS = {f.encode_name: f.name for f in msgspec.structs.fields(Facts)}


@dataclass(slots=True)
class Turn:
    """A request with the parts of its answer."""

    request: Request
    parts: list[Part]

    def key(self, place: int) -> str:
        """Return what the request is known by: its id, or its place where it has none."""
        id = self.request.request_id
        return id if isinstance(id, str) and id else f"#{place}"

    def keys(self, place: int) -> Iterator[str]:
        """Yield what all is known by that a person may have said here."""
        yield self.key(place)
        for index, part in enumerate(self.parts):
            if part.kind in (CAROUSEL, PLAN) and isinstance(part.data, dict):
                yield from (self.answer_key(place, index, question) for question in part.data)

    def answer_key(self, place: int, index: int, question: str) -> str:
        """Return what the answer to a question is known by, in the part with this index."""
        return f"{self.key(place)} {index} {question}"


@dataclass(slots=True)
class Chat:
    """A session as its file has it in the end.

    ``numbers`` has the number of all that a person may have said, in the order in which it came:
    a line of a log has one, and each request or answer beyond the first of a line has one too. So
    a number stays the same when the log grows. ``count`` is the next number, ``end`` how many
    bytes were read; it stays 0 where the file could not be read yet. ``known``: whether any
    record in it has a shape that we know, or None where there is no record.
    """

    facts: Facts = field(default_factory=Facts)
    turns: list[Turn] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    count: int = 0
    end: int = 0
    started: bool = False
    known: bool | None = None

    def skip(self, reason: str) -> None:
        """Note what was passed over, at the number that is the next."""
        self.skipped.append(Skipped(self.count, reason))

    def take(self, change: Change) -> range:
        """Apply a change, and return the places of the requests that it touches."""
        try:
            self.known = self.known or change.kind in (_INITIAL, _SET, _PUSH, _DELETE)
            if change.kind == _INITIAL:
                return self.start(self._decoded(_FACTS, change.v))
            if change.kind not in (_SET, _PUSH, _DELETE):
                self.skip(f"an unknown type of record: {change.kind}")
            elif not self.started:
                self.skip(WITHOUT_START)
            else:
                return self._apply(change)
        except (msgspec.MsgspecError, RecursionError):
            self.skip(UNKNOWN_SHAPE)
        return range(0)

    def start(self, facts: Facts) -> range:
        """Take in a whole session, and return the places of its requests."""
        self.turns = self._turns(facts.requests)
        self.facts = msgspec.structs.replace(facts, requests=_NOTHING)
        self.started = True
        return range(len(self.turns))

    def _apply(self, change: Change) -> range:
        value = change.v if change.kind != _DELETE else _NOTHING
        start = change.i if change.kind == _PUSH else 0
        match change.k:
            case ["requests"]:
                first = len(self.turns) if start is None else min(max(start, 0), len(self.turns))
                self.turns[first:] = self._turns(value)
                return range(first, len(self.turns))
            case ["requests", int(place), *path] if 0 <= place < len(self.turns):
                self._change_turn(place, path, value, start)
                return range(place, place + 1)
            case [str(name)] if name in _FACT_FIELDS:
                setattr(self.facts, _FACT_FIELDS[name], self._any(value))
        return range(0)

    def _change_turn(
        self, place: int, path: Sequence[str | int], value: msgspec.Raw, start: int | None
    ) -> None:
        turn = self.turns[place]
        match path:
            case []:
                self.turns[place : place + 1] = self._turns(b"[" + bytes(value or b"{}") + b"]")
            case ["response"]:
                _splice(turn.parts, self._parts(value), start)
            case [str(name)] if name in _REQUEST_FIELDS:
                setattr(turn.request, _REQUEST_FIELDS[name], self._any(value))
            case ["message", str(name)] if isinstance(turn.request.message, dict):
                turn.request.message[name] = self._any(value)

    def _turns(self, requests: msgspec.Raw | bytes) -> list[Turn]:
        """Return requests; one of unknown shape keeps its place, as others are found by theirs."""
        turns = []
        for raw in self._items(requests):
            try:
                request = self._decoded(_REQUEST, raw)
            except (msgspec.MsgspecError, RecursionError):
                self.skip(UNKNOWN_SHAPE)
                request = Request()
            turns.append(Turn(request, self._parts(request.response)))
            request.response = _NOTHING
        return turns

    def _parts(self, response: msgspec.Raw | bytes) -> list[Part]:
        """Return the parts of an answer, each without what may be large and is not looked at."""
        found = []
        for raw in self._items(response):
            try:
                part = self._decoded(_PART, raw)
            except (msgspec.MsgspecError, RecursionError):
                part = Part(kind="unknown")
            found.append(Part(value=part) if isinstance(part, str) else _reduced(part))
        return found

    def _items(self, value: msgspec.Raw | bytes) -> Sequence[msgspec.Raw | bytes]:
        """Return the items of a list; of a single text, which old sessions have, the only one."""
        try:
            items = self._decoded(_LIST, value) if value else None
        except msgspec.MsgspecError:
            self.skip(UNKNOWN_SHAPE)
            return ()
        return [bytes(value)] if isinstance(items, str) else items or ()

    def _any(self, value: msgspec.Raw) -> object:
        return self._decoded(_ANY, value) if value else None

    def _decoded(
        self, decoder: msgspec.json.Decoder[Decoded], value: msgspec.Raw | bytes
    ) -> Decoded:
        try:
            return decoder.decode(value)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            found = decoder.decode(mend(bytes(value)))
            self.skip(MENDED)
            return found

    def count_up(self, places: range) -> None:
        """Give numbers to what is new in these requests."""
        for place in places:
            for key in self.turns[place].keys(place):
                if key not in self.numbers:
                    self.numbers[key] = self.count
                    self.count += 1


def read_chat(path: Path) -> Chat:
    """Read a session, whichever of the two its file is."""
    chat = Chat()
    one_document = path.suffix == ".json" or head_of(path).split(b"\n", 1)[0].strip() == b"{"
    if one_document:
        _read_document(chat, path)
    else:
        for line in read_lines(path):
            if not _read_line(chat, line):
                break
    return chat


def _read_document(chat: Chat, path: Path) -> None:
    with path.open("rb") as file:
        data = file.read(limits.DOCUMENT_BYTES + 1)
    if len(data) > limits.DOCUMENT_BYTES:
        chat.skip(TOO_LARGE)
        return
    facts, flaw = decode(_FACTS, data.removeprefix(BOM))
    if facts is None:
        is_cut = not data.rstrip().endswith(b"}")
        chat.skip(UNFINISHED if is_cut else flaw)
        return
    if flaw:
        chat.skip(flaw)
    chat.count_up(chat.start(facts))
    chat.known = bool(facts.requests)
    chat.end = len(data)


def _read_line(chat: Chat, line: Line) -> bool:
    """Apply the change of a line; tell whether it was whole. A damaged one is passed over."""
    change, flaw = decode(_CHANGE, line.data) if line.data else (None, TOO_LONG)
    if change is None and not line.whole:
        if not line.blank:
            chat.skip(UNFINISHED)
        return False
    if flaw and not line.blank:
        chat.skip(flaw)
    number = chat.count
    if change is not None:
        chat.count_up(chat.take(change))
    chat.count = max(chat.count, number + 1)
    chat.end = line.end
    return True


def _splice(items: list[Decoded], new: Sequence[Decoded], start: int | None) -> None:
    """Append to a list, which is cut off before that where a ``start`` is told."""
    if start is not None:
        del items[max(start, 0) :]
    items.extend(new)


def _reduced(part: Part) -> Part:
    asking = part.kind in (CAROUSEL, PLAN)
    return Part(
        kind=part.kind,
        value=part.value if part.kind is None else None,
        content=part.content if part.kind in _TEXTUAL else None,
        is_confirmed=part.is_confirmed,
        questions=part.questions if asking else None,
        data=part.data if asking else None,
        terminal_id=part.terminal_id if asking else None,
        auto_reply=part.auto_reply if asking else None,
    )
