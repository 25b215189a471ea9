"""Sources whose sessions lie in files: how these are found, and what a file is to a reading."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from twice.core.transcript import Position, Reading
from twice.ports import Known, Log
from twice.sources.lines import UNKNOWN, known_files

_LATEST = 2**63 - 1  # nanoseconds, in the year 2262


class FileSource(ABC):
    """A source of files that it recognises by their names and first bytes, each one session.

    One whose files hold ``several`` yields the ``logs`` of a file itself, and reads none as a
    whole.
    """

    suffixes: tuple[str, ...] = (".jsonl",)
    several = False

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        """Yield the files below a folder that are recognised, or known to be this agent's."""
        recognises = self.recognises
        return known_files(folder, self.suffixes, recognises, known, passes=known.folder)

    @abstractmethod
    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell from the name and the first bytes whether a file is one of this agent's sessions."""

    def logs(self, path: Path) -> Iterator[Log]:
        """Yield the one session that a file is."""
        return whole(path, self._read)

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        """Yield what the one session of a file holds from a position on."""
        raise NotImplementedError


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
