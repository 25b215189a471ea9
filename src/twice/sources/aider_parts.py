"""Find the sessions in a chat history of Aider, without reading them."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from twice.core.errors import UnknownFormat
from twice.sources.lines import BLOCK_BYTES, BOM
from twice.sources.times import microseconds

_BEFORE = "before"  # names what stands above the first session: the rest of one that was cut off
_BLANK = b" \t\r\n\0"
_WITHIN_A_LINE = b"-"
_HEADER = re.compile(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Part:
    """One session of a history: its bytes, from its header to the next one.

    ``stamp`` is the time in its header, and ``ordinal`` tells sessions of one second apart.
    ``ended`` is the time of the next header, in microseconds; None for the last session, which
    may still grow.
    """

    start: int
    end: int
    stamp: str
    ordinal: int
    ended: int | None

    @property
    def name(self) -> str:
        """Return the session's name within the file."""
        name = self.stamp or _BEFORE
        return f"{name} #{self.ordinal}" if self.ordinal > 1 else name

    @property
    def began(self) -> int | None:
        """Return when the session began, in microseconds."""
        return microseconds(self.stamp)

    def id_with(self, first: str) -> str:
        """Return the session's id, the same in every copy of the history.

        The first line that was entered belongs to it: a session elsewhere may have begun in the
        same second.
        """
        facts = "\0".join((self.stamp, str(self.ordinal), first))
        return hashlib.sha256(facts.encode(errors="replace")).hexdigest()[:32]


def begins_with_a_session(head: bytes) -> bool:
    """Tell from the first bytes of a file whether it is a history."""
    return bool(_HEADER.match(head.removeprefix(BOM).lstrip(_BLANK)))


def parts(path: Path) -> Iterator[Part]:
    """Yield the sessions of a history in order; raise ``UnknownFormat`` where it holds none."""
    met: Counter[str] = Counter()
    start, stamp = 0, ""
    for following, next_stamp in _headers(path):
        is_last = not next_stamp
        above = b"" if stamp else _start_of(path, following)
        if is_last and b"\n" in above:
            raise UnknownFormat(f"{path.name} is no history of Aider in a layout that is known.")
        if stamp or above or is_last:
            met[stamp] += 1
            ended = None if is_last else microseconds(next_stamp)
            yield Part(start, following, stamp, met[stamp], ended)
        start, stamp = following, next_stamp


def _start_of(path: Path, end: int) -> bytes:
    """Return what stands at the start of a file, without what is blank."""
    with path.open("rb") as file:
        return file.read(min(end, BLOCK_BYTES)).removeprefix(BOM).lstrip(_BLANK)


def _headers(path: Path) -> Iterator[tuple[int, str]]:
    """Yield where each session starts, with its time; and last where the file ends, with none."""
    with path.open("rb") as file:
        first = len(BOM) if file.read(len(BOM)) == BOM else 0
        start, data = file.seek(first), b""
        while block := file.read(BLOCK_BYTES):
            data += block
            whole = data.rfind(b"\n") + 1
            for found in _HEADER.finditer(data, 0, whole):
                at, stamp = found.start(), found[1].decode()
                if data[at - 1 : at] in (b"", b"\n") and microseconds(stamp) is not None:
                    yield (start + at if start + at > first else 0), stamp
            if whole == 0 and len(data) > BLOCK_BYTES:
                whole = len(data) - 1  # a huge line, of which nothing is needed but that it is one
                data = data[:whole] + _WITHIN_A_LINE
            start, data = start + whole, data[whole:]
        yield start + len(data), ""
