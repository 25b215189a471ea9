"""Sessions as they lie in files: one that is a file of its own."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from twice.core.transcript import Position, Reading
from twice.ports import Log

_LATEST = 2**63 - 1  # nanoseconds, in the year 2262


def whole(path: Path, read: Callable[[Path, Position], Iterator[Reading]]) -> Iterator[Log]:
    """Yield the one session that a file is."""
    stat = path.stat()
    yield Log("", stat.st_size, stat.st_mtime_ns, partial(read, path))


def nanoseconds(at: int) -> int:
    """Return a time in microseconds as a log's ``mtime``, within what a database can hold.

    >>> nanoseconds(1_000_000), nanoseconds(2**63) == nanoseconds(2**64)
    (1000000000, True)
    """
    return min(max(at, 0) * 1_000, _LATEST)
