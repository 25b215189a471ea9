"""Read conversations in what OpenTelemetry exports: files of spans and log records in JSON.

What of them a person typed is told in ``otel_reader``. Many sessions stand in one file, and a
session all over it; each is read by itself.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from twice.core import limits
from twice.core.transcript import Position, Reading, Session
from twice.ports import Log
from twice.sources.elements import elements
from twice.sources.following import Heard, is_new
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
from twice.sources.otel_reader import OtelReader, is_telling, session_of
from twice.sources.otlp import EXPORT, Entry, entries_in
from twice.sources.strands import Named, Strand, strands_in

NAME = "otel-genai"

_OTLP = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs|Metrics)"\s*:\s*\[')
_PLAIN = re.compile(
    rb'"attributes"\s*:\s*\{[^{}]*"(?:gen_ai\.[a-z_.]+"\s*:'
    rb'|event\.name"\s*:\s*"(?:claude_code|codex|gemini_cli|qwen-code)\.)'
)
_TELLING = (b"gen_ai.", b"user_prompt", b"assistant_response")
_TRACE = re.compile(rb'"trace_?[iI]d"\s*:\s*"([^"\\]*)"')


class OtelGenAi(FileSource):
    """Conversations in exports of OpenTelemetry; they lie where somebody had them written."""

    name = NAME
    several = True
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    def __init__(self, *, own: Path | None = None) -> None:
        self._own = own

    def homes(self) -> list[Path]:
        return []

    def recognises(self, path: Path, head: bytes) -> bool:
        if not path.name.endswith(self.suffixes):
            return False
        head = head.removeprefix(BOM)
        return bool(_OTLP.match(head) or (head[:1] in (b"{", b"[") and _PLAIN.search(head)))

    def logs(self, path: Path) -> Iterator[Log]:
        changed = path.stat().st_mtime_ns
        for part, strand in _strands(path).items():
            latest = nanoseconds(strand.latest) if strand.latest else changed
            yield Log(part, strand.size, latest, partial(self._read_strand, path, strand, part))

    def _read_strand(
        self, path: Path, strand: Strand, part: str, since: Position
    ) -> Iterator[Reading]:
        since = since if strand.size >= since.offset else Position()
        reader = OtelReader(Session(part, NAME, restated=NAME), self._own)
        reader.learn(entry for _, entry in _entries(strand.lines(path, limits.DOCUMENT_BYTES)))
        shown: Session | None = None
        for heard in _heard_in(reader, _entries(strand.lines(path, limits.DOCUMENT_BYTES))):
            if reader.session is not shown and part:
                yield (shown := reader.session)
            if reader.session.own:
                yield Position(session=part)
                return
            if heard and is_new(heard, since):
                yield heard
        yield Position(strand.size, reader.count, part, reader.count)


def _heard_in(
    reader: OtelReader, entries: Iterable[tuple[Line, Entry | str]]
) -> Iterator[Heard | None]:
    """Yield what was said, and None for each record, so that what is known by then is seen."""
    yield None
    for _, entry in entries:
        if isinstance(entry, str):
            yield reader.skip(entry)
        else:
            yield from reader.hear(entry)
            yield None


def _lines(path: Path) -> Iterator[Line]:
    """Yield the objects of a file, one a line or else as they come."""
    head = head_of(path).removeprefix(BOM).lstrip()
    first = head.partition(b"\n")[0].rstrip()
    if head[:1] == b"{" and (first.endswith(b"}") or first == head.rstrip()):
        yield from read_lines(path)
        return
    with path.open("rb") as file:
        for each in elements(file, 1 if head[:1] == b"[" else 0):
            yield Line(each.seq, each.start, each.start + each.length, each.data, each.whole)


def _strands(path: Path) -> dict[str, Strand]:
    """Return the sessions of a file, each with all lines that belong to its traces.

    A record without the name of its session may stand in the trace of one, and so does what tells
    whether a call was made by a tool.
    """
    traces: dict[str, Strand] = {}  # those that a telling line is part of
    of: dict[str, set[str]] = defaultdict(set)

    def names_in(line: Line) -> list[Named] | None:
        data = line.data or b""
        # The last line may be cut off before it tells anything.
        if line.whole and not any(mark in data for mark in _TELLING):
            for trace in {found.decode(errors="replace") for found in _TRACE.findall(data)}:
                if trace in traces:
                    traces[trace].add(line)
            return []
        export, _ = decode(EXPORT, data)
        if export is None:
            return None
        named = []
        for entry in entries_in(export):
            if entry is None:
                continue
            if entry.trace:
                traces.setdefault(entry.trace, Strand()).add(line)
            if (session := session_of(entry)) and is_telling(entry):
                of[session] |= {entry.trace} if entry.trace else set()
                named.append(Named(session, entry.at))
        return named

    found = strands_in(_lines(path), names_in)
    for session, strand in found.items():
        strand.join(traces[trace] for trace in of[session])
    is_empty = not path.stat().st_size
    return {name: strand for name, strand in found.items() if strand.size or is_empty}


def _entries(lines: Iterable[Line]) -> Iterator[tuple[Line, Entry | str]]:
    """Yield what lines hold, or why it is passed over."""
    for line in lines:
        export, flaw = decode(EXPORT, line.data) if line.data is not None else (None, TOO_LONG)
        if export is None and not line.whole:
            flaw = UNFINISHED
        if flaw:
            yield line, flaw
        for entry in entries_in(export) if export else ():
            yield line, entry or UNKNOWN_SHAPE
