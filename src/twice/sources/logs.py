"""Sessions as they lie in files: one that is a file of its own."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from twice.core.transcript import Position, Reading
from twice.ports import Log


def whole(path: Path, read: Callable[[Path, Position], Iterator[Reading]]) -> Iterator[Log]:
    """Yield the one session that a file is."""
    stat = path.stat()
    yield Log("", stat.st_size, stat.st_mtime_ns, partial(read, path))
