"""Read a file of records line by line, in flat memory, whatever its size and damage."""

import codecs
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from twice.core import limits
from twice.ports import Known
from twice.sources.packed import PACKED, open_log, plain, read_some

BLOCK_BYTES = 256 * 1024
BOM = b"\xef\xbb\xbf"
PRUNED = frozenset({".git", "node_modules", ".venv", "__pycache__"})

MENDED = "broken characters were replaced"
NOT_JSON = "not a JSON record"
UNKNOWN_SHAPE = "a record of unknown shape"
TOO_LONG = f"a record longer than {limits.LINE_BYTES // 1024 // 1024} MiB"
UNFINISHED = "the last record is not finished yet"

Record = TypeVar("Record", bound=msgspec.Struct)

_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


@dataclass(slots=True)
class Line:
    """One line of a file: its number, its bytes from ``start`` to ``end``, without the newline.

    ``data`` is None for a line longer than the limit. ``whole``: a newline ended it; else it is
    the last one and may still be growing.
    """

    seq: int
    start: int
    end: int
    data: bytes | None
    whole: bool

    @property
    def blank(self) -> bool:
        """Tell whether nothing but white space is on the line."""
        return self.data is not None and (not self.data or self.data.isspace())


Silence = Callable[[bytes], bool]
"""Tells of a line, given with its newline, that nobody needs to hear it."""


def never(_: bytes) -> bool:
    """Take no line for silent."""
    return False


def read_lines(
    path: Path, offset: int = 0, seq: int = 0, *, silence: Callable[[], Silence] = lambda: never
) -> Iterator[Line]:
    """Yield the lines from a byte offset on, numbered from ``seq``; a BOM is left out.

    Of silent lines only the last of all is yielded, as a blank one. What tells them is asked for
    again after every other line.
    """
    with path.open("rb", buffering=BLOCK_BYTES) as file:
        start, resumed = offset, _stands_inside_a_line(file, offset)
        seq -= resumed
        is_silent, passed = silence(), False
        while found := file.readline(BLOCK_BYTES):
            if passed := is_silent(found):
                start += len(found)
            else:
                line = _line(file, seq, start, found)
                if not (resumed and start == offset and line.blank):
                    yield line
                    is_silent = silence()
                start = line.end
            seq += 1
        if passed:
            yield Line(seq - 1, start, start, b"", whole=True)


def _stands_inside_a_line(file: BinaryIO, offset: int) -> bool:
    """Tell whether the last reading ended with a record whose newline was not there yet."""
    if not offset:
        return False
    file.seek(offset - 1)
    return file.read(1) not in (b"\n", b"")


def _line(file: BinaryIO, seq: int, start: int, found: bytes) -> Line:
    """Return the line that begins with what was found of it."""
    end = start + len(found)
    if found[-1:] == b"\n" and end - start <= limits.LINE_BYTES:
        return Line(seq, start, end, found[:-1] if start else found[:-1].removeprefix(BOM), True)
    return _long_line(file, seq, start, found)


def _long_line(file: BinaryIO, seq: int, start: int, found: bytes) -> Line:
    """Return a line that goes on in the next block, or that ends with the file."""
    end, whole = start + len(found), found.endswith(b"\n")
    parts = [found]
    while not whole and (more := file.readline(BLOCK_BYTES)):
        end, whole = end + len(more), more.endswith(b"\n")
        parts = [*parts, more] if end - start - whole <= limits.LINE_BYTES else []
    if end - start - whole > limits.LINE_BYTES:
        return Line(seq, start, end, None, whole)
    data = b"".join(parts).removesuffix(b"\n")
    return Line(seq, start, end, data if start else data.removeprefix(BOM), whole)


def decode(decoder: msgspec.json.Decoder[Record], data: bytes) -> tuple[Record | None, str]:
    """Return the record of a line, and what was wrong with the line, or an empty string."""
    try:
        return decoder.decode(data), ""
    except msgspec.ValidationError:
        return None, UNKNOWN_SHAPE
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return decoder.decode(mend(data)), MENDED
    except msgspec.ValidationError:
        return None, UNKNOWN_SHAPE
    except (msgspec.DecodeError, RecursionError):
        return None, NOT_JSON


def mend(data: bytes) -> bytes:
    r"""Return a JSON line without NUL bytes, broken UTF-8 and halves of surrogate pairs.

    >>> mend(rb'{"a": "\ud83d"}' + bytes(4)).decode()
    '{"a": "\\ufffd"}'
    """
    whole = b"".join(_characters(data.replace(b"\0", b"")))
    return _LONE_SURROGATE.sub(rb"\\ufffd", whole)


def _characters(data: bytes) -> Iterator[bytes]:
    """Yield bytes with what is no UTF-8 replaced, a block at a time: text takes four times more."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for start in range(0, len(data), BLOCK_BYTES):
        yield decoder.decode(data[start : start + BLOCK_BYTES]).encode()
    yield decoder.decode(b"", final=True).encode()


def look_at_all(_: Path, __: str) -> bool:
    """Pass no folder by."""
    return False


def walk(
    folder: Path,
    suffixes: tuple[str, ...],
    passes: Callable[[Path, str], bool] = look_at_all,
) -> Iterator[Path]:
    """Yield the files below a folder whose names end so, sorted; packed logs among them.

    Links to folders are not followed. A link to nothing is named when it is read; what is there
    and no regular file (a pipe would hold us) is none. ``passes`` is given a folder and what tells
    of the files right in it; where it holds, none of them is yielded.
    """
    endings = (*suffixes, *PACKED) if ".jsonl" in suffixes else suffixes
    waiting = [Path(folder)]
    while waiting:
        base = waiting.pop()
        try:
            with os.scandir(base) as listed:
                entries = sorted(listed, key=attrgetter("name"))
        except OSError:
            continue
        below = (e for e in entries if e.name not in PRUNED and e.is_dir(follow_symlinks=False))
        waiting += reversed([base / entry.name for entry in below])
        found = [entry for entry in entries if entry.name.endswith(endings)]
        listing = _listing(found) if found and passes is not look_at_all else ""
        if not (listing and passes(base, listing)):
            yield from (base / entry.name for entry in found if _may_be_read(entry))


def _listing(entries: Sequence[os.DirEntry[str]]) -> str:
    """Return names, sizes in bytes and times in ns; nothing where one of them cannot be told."""
    try:
        told = ((entry.name, entry.stat()) for entry in entries)
        return "".join(f"{name}\0{stat.st_size} {stat.st_mtime_ns}\0" for name, stat in told)
    except OSError:
        return ""


def _may_be_read(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() or (entry.is_symlink() and not Path(entry.path).exists())
    except OSError:  # a link that leads in a ring
        return True


class _Unknown:
    """Knows of no file and no folder."""

    def file(self, path: Path) -> bool:  # noqa: ARG002
        return False

    def folder(self, path: Path, listing: str) -> bool:  # noqa: ARG002
        return False


UNKNOWN: Known = _Unknown()
"""An agent of which nothing was met before."""


def known_files(
    folder: Path,
    suffixes: tuple[str, ...],
    recognises: Callable[[Path, bytes], bool],
    known: Known = UNKNOWN,
    *,
    passes: Callable[[Path, str], bool] = look_at_all,
) -> Iterator[Path]:
    """Yield the files below a folder that a source recognises, or that are known to be its own.

    So is one that may not be opened: its reading will say why. ``passes`` tells which folders to
    pass by; it is for those whose sessions are nothing but the files in them.
    """
    for path in walk(folder, suffixes, passes):
        try:
            found = known.file(path) or recognises(plain(path), head_of(path))
        except OSError:
            found = True
        if found:
            yield path


def stem_of(path: Path) -> str:
    """Return a file's name without its ending, the same whatever the locale: UTF-8 and NFC."""
    stem = os.fsencode(plain(path).stem).decode("utf-8", errors="replace")
    return unicodedata.normalize("NFC", stem)


def small(path: Path, most: int) -> bytes:
    """Return the bytes of a small file, or none where it cannot be read or is larger."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError):  # a name with a NUL is none
        return b""
    return data if len(data) <= most else b""


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file: its first line at least, unless that is huge."""
    with open_log(path) as file:
        head = read_some(file, BLOCK_BYTES // 4) or b""
        while head and b"\n" not in head and len(head) < limits.HEAD_BYTES:
            block = read_some(file, BLOCK_BYTES)
            if not block:
                break
            head += block
        return head.removeprefix(BOM)
