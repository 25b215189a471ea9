"""Rows in SQLite. The statements are such that PostgreSQL takes them as they stand."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from twice.core import limits
from twice.core.errors import Broken, Busy
from twice.store.migrations import upgrade
from twice.store.rows import Row, Where
from twice.store.schema import TABLES

_CHUNK = 500  # values in one IN list; SQLite's own bound is far higher, other databases' is not


class SqlTables:
    """Tables of one open transaction."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def select(
        self,
        table: str,
        *where: Where,
        columns: Sequence[str] = (),
        order: Sequence[str] | None = (),
        limit: int | None = None,
    ) -> list[Row]:
        """Return matching rows, in order of the primary key where no other is asked."""
        names = tuple(columns) or tuple(column.name for column in TABLES[table].columns)
        by = [f'"{n[1:]}" DESC' if n[0] == "-" else f'"{n}"' for n in order or ()]
        by += [f'"{name}"' for name in TABLES[table].key_names]
        ordered = f" ORDER BY {', '.join(by)}" if order is not None else ""
        rows: list[Row] = []
        for part in _chunks(where):
            clause, values = _clause(part)
            statement = f"SELECT {_listed(names)} FROM {table}{clause}{ordered}"
            if limit is not None:
                statement += f" LIMIT {int(limit)}"
            found = self._driver.execute(statement, values)
            rows += [dict(zip(names, row, strict=True)) for row in found]
        return rows

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Insert or replace rows by primary key."""
        keys = TABLES[table].key_names
        others = [column.name for column in TABLES[table].others]
        changes = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
        self._insert(table, rows, f"ON CONFLICT ({_listed(keys)}) DO UPDATE SET {changes}")

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows whose primary key is free."""
        self._insert(table, rows, "ON CONFLICT DO NOTHING")

    def _insert(self, table: str, rows: Iterable[Row], conflict: str) -> None:
        names = [column.name for column in TABLES[table].columns]
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO {table} ({_listed(names)}) VALUES ({marks}) {conflict}"
        self._driver.executemany(statement, ([row[name] for name in names] for row in rows))

    def update(self, table: str, values: Row, *where: Where) -> int:
        """Change columns of matching rows."""
        changes = ", ".join(f'"{name}" = ?' for name in values)
        return self._each(f"UPDATE {table} SET {changes}", list(values.values()), where)

    def delete(self, table: str, *where: Where) -> int:
        """Delete matching rows."""
        return self._each(f"DELETE FROM {table}", [], where)

    def _each(self, statement: str, first: list[Any], where: Sequence[Where]) -> int:
        changed = 0
        for part in _chunks(where):
            clause, values = _clause(part)
            changed += self._driver.execute(statement + clause, [*first, *values]).rowcount
        return changed

    def count(self, table: str, *where: Where) -> int:
        """Count matching rows."""
        total = 0
        for part in _chunks(where):
            clause, values = _clause(part)
            found = self._driver.execute(f"SELECT count(*) FROM {table}{clause}", values)
            total += int(found.fetchone()[0])
        return total


class SqliteDatabase:
    """One SQLite file in WAL mode, private to its owner, brought up to the schema when opened.

    ``path`` None keeps everything in memory. ``busy_seconds`` is how long a write waits for others.
    """

    def __init__(self, path: Path | None, *, busy_seconds: float = limits.BUSY_SECONDS) -> None:
        self._path = path or Path(":memory:")
        self._busy_seconds = busy_seconds
        if path is not None:
            with self._faults():
                _make_private(path)
        with self._faults():
            self._driver = sqlite3.connect(
                self._path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
            _prepare(self._driver)
            upgrade(self._driver, self._path)

    @contextmanager
    def reading(self) -> Iterator[SqlTables]:
        """Open a consistent view of the file."""
        with self._transaction("BEGIN") as tables:
            yield tables

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[SqlTables]:
        """Open the one write transaction, waiting for others at most the busy limit."""
        with self._faults():
            self._driver.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        with self._transaction("BEGIN IMMEDIATE") as tables:
            yield tables

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[SqlTables]:
        with self._faults():
            self._driver.execute(begin)
            try:
                yield SqlTables(self._driver)
                self._driver.commit()
            except BaseException:
                self._driver.rollback()
                raise

    def flaws(self) -> list[str]:
        """Return what SQLite's own check finds."""
        try:
            found = [row[0] for row in self._driver.execute("PRAGMA integrity_check(5)")]
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            return [f"{self._path}: {error}"]
        return [f"{self._path}: {line}" for line in found if line != "ok"]

    def scrub(self) -> None:
        """Fold the WAL into the file and empty it; deleted content is overwritten already.

        Raises ``Busy`` where another process still reads what was there before.
        """
        with self._faults():
            self._empty_journal()
            self._driver.execute("VACUUM")
            self._empty_journal()

    def _empty_journal(self) -> None:
        held, _, _ = self._driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if held:
            raise Busy(
                f"What was erased may still lie in {self._path}-wal: another process reads it.",
                hint="It goes when that process ends.",
            )

    def load(self, path: Path) -> None:
        """Take over everything that another SQLite file holds."""
        self._path = path
        with self._faults():
            origin = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
            with contextlib.closing(origin):
                origin.backup(self._driver)
            upgrade(self._driver, self._path)

    def close(self) -> None:
        """Close the connection."""
        self._driver.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Say what the database says as a fault of ours."""
        try:
            yield
        except (sqlite3.DatabaseError, OSError, UnicodeDecodeError) as error:
            raise _fault(error, self._path, self._busy_seconds) from error


def copy_into_memory(path: Path) -> SqliteDatabase:
    """Return a private copy of a SQLite file that lives in memory only."""
    database = SqliteDatabase(None)
    if path.exists():
        database.load(path)
    return database


def _fault(error: Exception, path: Path, waited: float) -> Busy | Broken:
    said = str(error.strerror if isinstance(error, OSError) else error)
    if "locked" in said or "busy" in said:
        return Busy(
            f"The store {path} stayed locked for {waited:g} seconds.",
            hint="Another Twice is at work; try again when it is done.",
        )
    if isinstance(error, sqlite3.OperationalError | OSError):
        return Broken(
            f"The store {path} cannot be used: {said}.",
            hint="Check the folder, its permissions and free space; TWICE_HOME names another.",
        )
    return Broken(
        f"The store {path} is damaged: {said}.",
        hint="Move it away and restore a backup; twice dream reads the sessions again.",
    )


def _make_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def _prepare(driver: sqlite3.Connection) -> None:
    driver.text_factory = partial(str, encoding="utf-8", errors="replace")
    for pragma in ("journal_mode=WAL", "secure_delete=ON"):
        driver.execute(f"PRAGMA {pragma}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _chunks(where: Sequence[Where]) -> Iterator[Sequence[Where]]:
    """Split the one long IN list, if there is one, into lists that every database takes."""
    lists = [index for index, (_, op, _) in enumerate(where) if op == "in"]
    if not lists:
        yield where
        return
    index = lists[0]
    column, op, values = where[index]
    listed = list(values)
    for first in range(0, len(listed), _CHUNK):
        yield [*where[:index], (column, op, listed[first : first + _CHUNK]), *where[index + 1 :]]


def _clause(where: Sequence[Where]) -> tuple[str, list[Any]]:
    """Return the WHERE clause with its values; the names are ours, never a person's."""
    parts: list[str] = []
    values: list[Any] = []
    for name, op, value in where:
        if op == "in":
            parts.append(f'"{name}" IN ({", ".join("?" * len(value))})')
            values += value
        else:
            parts.append(f'"{name}" {op} ?')
            values.append(value)
    return (" WHERE " + " AND ".join(parts) if parts else ""), values
