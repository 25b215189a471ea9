"""Read an agent's SQLite database, with what stands only in its WAL yet, and leave no trace.

An ordinary connection writes even when it only reads: it makes the files ``-wal`` and ``-shm``
beside a database, and notes in the latter how far it reads. So a database is opened in one of
three ways: as one that does not change, where nothing waits in a log; with the agent's own ``-shm``
kept read-only, where its WAL is alive; and else as a private copy.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EAGAIN, EFBIG, EIO
from pathlib import Path
from typing import Any

from twice.core import limits

MAGIC = b"SQLite format 3\0"
CHANGING = "it was written to again and again while it was read"
TOO_LARGE = (
    "it has to be copied to be read, with what was not merged into it yet, and is larger than "
    f"{limits.DATABASE_COPY_BYTES // 1024 // 1024} MiB"
)

_TRIES = 3
_WAL_HEADER_BYTES = 32  # a WAL that has no more holds no rows
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # of a change that was not finished
_SHARED_BYTES = (0x40000002, 510)  # where SQLite locks a database file for reading

Stamp = tuple[int, int]
Row = tuple[Any, ...]


class Damaged(OSError):
    """A part of a database cannot be read; others may be."""


class Database:
    """An agent's database while it is open; rows are tuples, broken characters are replaced.

    The file is not to be opened in another way meanwhile: closing it would drop SQLite's locks.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()  # of a link too: the WAL lies beside what it points to
        self._open = ExitStack()
        self._connection: sqlite3.Connection | None = None
        self._unlocked: tuple[int, ...] | None = None

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return all rows of a query, as they were at one moment.

        Raises ``OSError`` where the database is damaged, encrypted or locked, or no database, and
        of these ``Damaged`` where other queries may find what they ask for.
        """
        for _ in range(_TRIES):
            fault: Exception | None = None
            found: list[Row] = []
            try:
                connection = self._connection or self._connect()
                found = connection.execute(statement, values).fetchall()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of SQLite's own words
                fault = error
            if self._unlocked is None or self._unlocked == _identity(self._path):
                if fault:
                    code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
                    is_damaged = code & 0xFF == sqlite3.SQLITE_CORRUPT
                    raise (Damaged if is_damaged else OSError)(EIO, str(fault)) from fault
                return found
            self.close()  # it was no longer what we took it for
        raise OSError(EAGAIN, CHANGING)

    def close(self) -> None:
        """Let go of the database, and remove a copy of it."""
        self._connection = None
        self._unlocked = None
        self._open.close()

    def _connect(self) -> sqlite3.Connection:
        wal = _size(_beside(self._path, "-wal")) > _WAL_HEADER_BYTES
        if not wal and not _is_being_changed(self._path):
            self._unlocked = _identity(self._path)
            connection = self._opened(self._path, "mode=ro&immutable=1")
        else:
            found = self._beside_the_agent() if wal else None
            connection = found or self._copied()
        self._connection = connection
        return connection

    def _beside_the_agent(self) -> sqlite3.Connection | None:
        """Open a database whose WAL is alive; None where this would write, or it is locked."""
        if not _beside(self._path, "-shm").exists() or not self._hold():
            return None
        try:
            return self._opened(self._path, "mode=ro&readonly_shm=1")
        except sqlite3.OperationalError:  # not to be opened so, or locked by now
            self._open.close()
            return None

    def _hold(self) -> bool:
        """Lock the database against the removal of its WAL; tell whether that was possible.

        An agent that ends removes its WAL, unless somebody reads. SQLite's own lock would come
        only after the WAL was opened, which makes it anew where it is just gone. Closing our file
        takes away SQLite's lock as well, so it is closed last.
        """
        try:
            import fcntl
        except ImportError:  # on Windows, where a file in use cannot be removed
            return True
        file = self._open.enter_context(self._path.open("rb", buffering=0))
        start, length = _SHARED_BYTES
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, length, start)
        except OSError:
            self._open.close()
            return False
        if _size(_beside(self._path, "-wal")) > _WAL_HEADER_BYTES:
            return True
        self._open.close()
        return False

    def _copied(self) -> sqlite3.Connection:
        """Open a private copy, in which an unfinished change is taken back."""
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="twice-")))
        names = ("", "-wal", "-journal")
        for _ in range(_TRIES):
            before = [_identity(_beside(self._path, name)) for name in names]
            if sum(size for size, *_ in before) > limits.DATABASE_COPY_BYTES:
                raise OSError(EFBIG, TOO_LARGE)
            for name in names:
                _beside(folder / "copy", name).unlink(missing_ok=True)
                with suppress(FileNotFoundError):
                    shutil.copyfile(_beside(self._path, name), _beside(folder / "copy", name))
            if before == [_identity(_beside(self._path, name)) for name in names]:
                return self._opened(folder / "copy", "mode=rw")
        raise OSError(EAGAIN, CHANGING)

    def _opened(self, path: Path, how: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{path.as_uri()}?{how}", uri=True, timeout=limits.FOREIGN_BUSY_SECONDS
        )
        self._open.callback(connection.close)
        connection.text_factory = _text
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        return connection


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open an agent's database for reading; what is wrong with it is told by its first query."""
    database = Database(path)
    try:
        yield database
    finally:
        database.close()


def tables(database: Database) -> dict[str, frozenset[str]]:
    """Return the tables of a database, each with its columns.

    Views are none, nor are tables of extensions, which may not be there to ask.
    """
    kind = "type = 'table' AND coalesce(sql, '') NOT LIKE 'CREATE VIRTUAL%'"
    names = database.rows(f"SELECT name FROM sqlite_master WHERE {kind}")
    columns = "SELECT name FROM pragma_table_info(?)"
    return {name: frozenset(c for (c,) in database.rows(columns, (name,))) for (name,) in names}


def stamp(path: Path) -> Stamp:
    """Return size and time of change (UTC in nanoseconds) of a database with its WAL."""
    path = path.resolve()
    main = path.stat()
    with suppress(FileNotFoundError):
        wal = _beside(path, "-wal").stat()
        return main.st_size + wal.st_size, max(main.st_mtime_ns, wal.st_mtime_ns)
    return main.st_size, main.st_mtime_ns


def is_database(head: bytes) -> bool:
    """Tell from the first bytes of a file whether it is a SQLite database."""
    return head.startswith(MAGIC)


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _identity(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is written to; its size comes first."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return (0,)
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _size(path: Path) -> int:
    return _identity(path)[0]


def _is_being_changed(path: Path) -> bool:
    """Tell whether a change of a database without WAL is going on, or was broken off."""
    with suppress(FileNotFoundError), _beside(path, "-journal").open("rb") as journal:
        return journal.read(len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC
    return False
