"""Logs that somebody packed: they are read as they were, from a private copy that is removed."""

import bz2
import gzip
import lzma
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from twice.core import limits
from twice.core.transcript import Position, Reading, Skipped
from twice.ports import Log, Reader

ENDINGS = (".gz", ".bz2", ".xz", ".zst")
PACKED = tuple(f".jsonl{ending}" for ending in ENDINGS)
"""What the names of packed logs end with: logs of lines alone, which tell all by themselves."""

DAMAGED = "what a packed log holds beyond its damage"
TOO_LARGE = f"what a packed log holds beyond {limits.UNPACKED_BYTES // 1024**2} MiB"

_BLOCK_BYTES = 1024 * 1024
_PARENTS = 3  # folders whose names may tell whose a log is


def is_packed(path: Path) -> bool:
    """Tell by its name whether a file is a packed log.

    >>> is_packed(Path("a.jsonl.gz")), is_packed(Path("a.jsonl")), is_packed(Path("a.tar.gz"))
    (True, False, False)
    """
    return path.name.endswith(PACKED)


def plain(path: Path) -> Path:
    """Return the name of a log without what packing it added.

    >>> plain(Path("a.jsonl.zst")).name
    'a.jsonl'
    """
    return path.with_suffix("") if is_packed(path) else path


def open_log(path: Path) -> IO[bytes]:
    """Open a log as it was before it was packed; raise ``OSError`` where nothing can open it."""
    if not is_packed(path):
        return path.open("rb")
    match path.suffix:
        case ".gz":
            return cast(IO[bytes], gzip.open(path))
        case ".bz2":
            return bz2.open(path)
        case ".xz":
            return lzma.open(path)
    return _zstd().open(path)  # type: ignore[no-any-return]


def read_some(file: IO[bytes], size: int) -> bytes | None:
    """Return the next bytes, none at the end, or None where a packed file is damaged."""
    try:
        return file.read(size)
    except (EOFError, zlib.error, lzma.LZMAError, ValueError, OSError):
        return None
    except _zstd().ZstdError:
        return None


class Unpacked:
    """Reads the packed logs of a source, which reads them once they are unpacked.

    ``several``: one may hold many sessions, so that it is unpacked to tell which.
    """

    def __init__(self, source: Reader, *, several: bool = False) -> None:
        self.name = source.name
        self._source = source
        self._several = several

    def logs(self, path: Path) -> Iterator[Log]:
        """Yield the sessions of a packed log; where it is one, it is unpacked when it is read."""
        if not self._several:
            stat = path.stat()
            yield Log("", stat.st_size, stat.st_mtime_ns, partial(self._read, path))
            return
        with _copy(path) as (copy, flaw):
            for log in self._source.logs(copy):
                yield replace(log, read=partial(_flawed, log, flaw))

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        with _copy(path) as (copy, flaw):
            for log in self._source.logs(copy):
                yield from _flawed(log, flaw, since)


def _flawed(log: Log, flaw: str, since: Position) -> Iterator[Reading]:
    """Yield what a log holds; before its end, what was left out when it was unpacked."""
    for item in log.read(since):
        if isinstance(item, Position) and flaw:
            yield Skipped(item.seq, flaw)
        yield item


@contextmanager
def _copy(path: Path) -> Iterator[tuple[Path, str]]:
    """Unpack a log into a private folder; yield the copy, and what was left out of it."""
    with tempfile.TemporaryDirectory(prefix="twice-") as folder:
        named = plain(path.absolute())
        copy = Path(folder, *named.parts[1:][-_PARENTS - 1 :])
        copy.parent.mkdir(parents=True, exist_ok=True)
        most = min(limits.UNPACKED_BYTES, shutil.disk_usage(folder).free // 2)
        with open_log(path) as packed, copy.open("wb") as file:
            flaw = _unpack(packed, file, most)
        yield copy, flaw


def _unpack(packed: IO[bytes], file: IO[bytes], most: int) -> str:
    """Write what is unpacked, at most so many bytes; return why there is no more."""
    size = 0
    while block := read_some(packed, _BLOCK_BYTES):
        size += len(block)
        if size > most:
            return TOO_LARGE
        file.write(block)
    return "" if block is not None else DAMAGED


def _zstd() -> Any:
    """Return what unpacks Zstandard: of Python itself from 3.14 on, else its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
