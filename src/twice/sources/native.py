"""Read sessions that agents report themselves: ``twice.event/1``, one event a line.

What ``twice record`` kept lies in our own data folder; other files are read where they are named.
Sessions may share a file, each in its own order. ``docs/formats/events.md`` is the format.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from twice.core.errors import UnknownFormat
from twice.core.native import (
    EVENT,
    LATEST,
    NATIVE,
    SCHEMA,
    NativeEvent,
    is_name,
    kind_of,
    speaker_of,
)
from twice.core.transcript import Position, Reading, Session, Skipped, Speaker
from twice.ports import Log
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import (
    BOM,
    TOO_LONG,
    UNFINISHED,
    UNKNOWN_SHAPE,
    Line,
    decode,
    head_of,
    read_lines,
)
from twice.sources.logs import FileSource, nanoseconds
from twice.sources.strands import Named, Strand, strands_in
from twice.sources.times import microseconds
from twice.sources.wrappings import OWN_SESSION, words_of

RECORDED = "recorded"
LATER = "an event of a later version of the format"

_MARK = re.compile(rb'^\{[^\n]*"schema"\s*:\s*"twice\.event/(\d+)"', re.MULTILINE)
_VERSION = SCHEMA.rpartition("/")[2].encode()


class Native(FileSource):
    """Sessions that agents report; ``own`` is our data folder, with those that we recorded."""

    name = NATIVE
    several = True

    def __init__(self, *, own: Path | None = None) -> None:
        self._own = own

    def homes(self) -> list[Path]:
        folder = self._own / RECORDED if self._own else None
        return [folder] if folder and folder.is_dir() else []

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix != ".jsonl":
            return False
        recorded = self._own / RECORDED if self._own else None
        is_ours = recorded is not None and path.absolute().is_relative_to(recorded.absolute())
        return is_ours or bool(_MARK.search(head.removeprefix(BOM)))

    def logs(self, path: Path) -> Iterator[Log]:
        found = _MARK.search(head_of(path))
        if found and found[1] != _VERSION:
            version = found[1].decode()
            raise UnknownFormat(
                f"It holds events of version {version}; version {_VERSION.decode()} is known.",
                hint="A later version of Twice reads them.",
            )
        changed = path.stat().st_mtime_ns
        for part, strand in strands_in(read_lines(path), _names_in).items():
            read = partial(self._read_strand, path, strand)
            latest = nanoseconds(strand.latest) if strand.latest else changed
            yield Log(part, strand.size, latest, read)

    def _read_strand(self, path: Path, strand: Strand, since: Position) -> Iterator[Reading]:
        since = since if strand.size >= since.offset else Position()
        return _readings(strand.lines(path), since, self._own)


class Reported:
    """Events that are in no file: the lines of each session, by a name that no other has.

    Those that come later have other times; so their numbers follow on from those before.
    """

    name = NATIVE

    def __init__(
        self, lines: Mapping[str, Sequence[bytes]], at: int, *, own: Path | None = None
    ) -> None:
        self._own = own
        self._lines = lines
        self._at = at

    def logs(self, path: Path) -> Iterator[Log]:  # noqa: ARG002 - they are in no file
        for part, lines in self._lines.items():
            yield Log(part, 0, nanoseconds(self._at), partial(self._read_lines, lines))

    def _read_lines(self, lines: Sequence[bytes], since: Position) -> Iterator[Reading]:
        numbered = (
            Line(seq, 0, 0, line, whole=False) for seq, line in enumerate(lines, since.told)
        )
        return _readings(numbered, since, self._own)


def _readings(lines: Iterable[Line], since: Position, own: Path | None) -> Iterator[Reading]:
    """Yield what the lines of one session hold, and last how far they were read."""
    reader = _Reader(own)
    shown: Session | None = None
    size, told = 0, since.told
    for line in lines:
        for heard in reader.hear(line):
            if reader.session is not shown and reader.session.id:
                yield (shown := reader.session)
            if reader.session.own:
                yield Position(session=reader.session.id)
                return
            if is_new(heard, since):
                yield heard
            if isinstance(heard, Skipped) and heard.reason == UNFINISHED:
                break
        else:
            size, told = size + line.end - line.start - line.whole, max(told, line.seq + 1)
    if reader.session is not shown and reader.session.id:
        yield reader.session
    yield Position(size, told, reader.session.id, told)


def _names_in(line: Line) -> list[Named] | None:
    """Return the session that a line is part of, under a name that no other has in its file."""
    event, _ = decode(EVENT, line.data or b"")
    if event is None or not event.session or event.schema != SCHEMA:
        return None
    return [Named(f"{_agent_of(event)}/{event.session}", _time(event.at))]


class _Reader:
    """What is known of one session while its lines are read."""

    def __init__(self, own: Path | None) -> None:
        self._own = own
        self._conversation = Conversation(Session("", NATIVE, restated=NATIVE), "")
        self._talked = False

    @property
    def session(self) -> Session:
        """What is known of the session by now."""
        return self._conversation.session

    def hear(self, line: Line) -> Iterator[Heard]:
        """Yield what a line holds."""
        event, flaw = decode(EVENT, line.data) if line.data is not None else (None, TOO_LONG)
        if event is None and not line.whole:
            flaw = UNFINISHED
        elif event is not None and event.schema != SCHEMA:
            flaw = LATER if (event.schema or "").startswith("twice.event/") else UNKNOWN_SHAPE
        elif event is not None and not event.session:
            flaw = UNKNOWN_SHAPE
        if flaw:
            yield Skipped(line.seq, flaw)
        if event is None or event.schema != SCHEMA or not event.session:
            return
        self._learn(event)
        yield from self._said(event, line)

    def _learn(self, event: NativeEvent) -> None:
        conversation = self._conversation
        if not conversation.session.id:
            named = replace(conversation.session, id=event.session or "", agent=_agent_of(event))
            conversation.session = named
        cwd = _unshortened(event.cwd or "")
        conversation.learn(cwd=cwd, branch=event.branch, remote=event.remote)
        conversation.learn(own=own_by_location(conversation.session.cwd, self._own))

    def _said(self, event: NativeEvent, line: Line) -> Iterator[Heard]:
        at, record, text = _time(event.at), event.id or "", event.text or ""
        match speaker_of(event):
            case Speaker.AGENT:
                yield from self._conversation.reply(line, text, at=at, record=record)
            case Speaker.HUMAN if words := words_of(text):
                if not self._talked and OWN_SESSION in text:
                    self._conversation.learn(own="marker")
                self._talked = True
                if event.interrupted:
                    self._conversation.stop(line)
                kind = kind_of(event)
                yield from self._conversation.say(line.seq, kind, words.text, at=at, record=record)


def _agent_of(event: NativeEvent) -> str:
    return event.agent if event.agent and is_name(event.agent) else NATIVE


def _time(at: str | int | None) -> int | None:
    """Return a time in microseconds of UTC."""
    if isinstance(at, int):
        return at if 0 <= at < LATEST else None
    return microseconds(at)


def _unshortened(folder: str) -> str:
    """Return a folder as it is on this machine; we record that of the user's home as ``~``."""
    if folder == "~" or folder.startswith("~/"):
        return str(Path.home() / folder[2:])
    return folder
