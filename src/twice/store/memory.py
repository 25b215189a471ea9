"""Rows in memory: for tests, dry runs, and as the plainest statement of what a database must do."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from twice.store.rows import Row, Where
from twice.store.schema import TABLES

Key = tuple[Any, ...]
_KEYS = {table.name: table.key_names for table in TABLES.values()}


class MemoryTables:
    """Tables as dictionaries from primary key to row; a table is copied before its first change."""

    def __init__(self, tables: dict[str, dict[Key, Row]]) -> None:
        self._tables = tables
        self._own: set[str] = set()

    def select(
        self,
        table: str,
        *where: Where,
        columns: Sequence[str] = (),
        order: Sequence[str] | None = (),
        limit: int | None = None,
    ) -> list[Row]:
        """Return copies of matching rows, in order of the primary key where no other is asked."""
        rows = [row for _, row in sorted(self._tables[table].items()) if _meets(row, where)]
        for column in reversed(order or ()):
            rows.sort(key=_place(column.lstrip("-")), reverse=column[0] == "-")
        if limit is not None:
            rows = rows[:limit]
        return [{name: row[name] for name in columns or row} for row in rows]

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Insert or replace rows by primary key."""
        kept = self._writable(table)
        for row in rows:
            kept[_key(table, row)] = dict(row)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows whose primary key is free."""
        kept = self._writable(table)
        for row in rows:
            kept.setdefault(_key(table, row), dict(row))

    def update(self, table: str, values: Row, *where: Where) -> int:
        """Change columns of matching rows."""
        kept = self._writable(table)
        keys = [key for key, row in kept.items() if _meets(row, where)]
        for key in keys:
            row = {**kept.pop(key), **values}
            kept[_key(table, row)] = row
        return len(keys)

    def delete(self, table: str, *where: Where) -> int:
        """Delete matching rows."""
        kept = self._writable(table)
        keys = [key for key, row in kept.items() if _meets(row, where)]
        for key in keys:
            del kept[key]
        return len(keys)

    def count(self, table: str, *where: Where) -> int:
        """Count matching rows."""
        return sum(_meets(row, where) for row in self._tables[table].values())

    def _writable(self, table: str) -> dict[Key, Row]:
        if table not in self._own:
            self._own.add(table)
            self._tables[table] = dict(self._tables[table])
        return self._tables[table]


class MemoryDatabase:
    """A database that is gone when the process ends."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[Key, Row]] = {name: {} for name in _KEYS}
        self._lock = RLock()

    @contextmanager
    def reading(self) -> Iterator[MemoryTables]:
        """Open a view that later writes do not change."""
        yield MemoryTables(dict(self._tables))

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[MemoryTables]:  # noqa: ARG002
        """Open the write transaction; an exception leaves everything as it was."""
        with self._lock:
            tables = dict(self._tables)
            yield MemoryTables(tables)
            self._tables = tables

    def flaws(self) -> list[str]:
        """Return nothing: memory has no files."""
        return []

    def scrub(self) -> None:
        """Do nothing: what was deleted is gone."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def copy(self) -> "MemoryDatabase":
        """Return a database of its own with the same rows."""
        other = MemoryDatabase()
        other._tables = copy.deepcopy(self._tables)
        return other


def _key(table: str, row: Row) -> Key:
    return tuple(row[name] for name in _KEYS[table])


def _place(column: str) -> Callable[[Row], tuple[bool, Any]]:
    """Return what to sort by; an empty value comes before every other, as in SQLite."""
    return lambda row: (row[column] is not None, 0 if row[column] is None else row[column])


def _meets(row: Row, where: Sequence[Where]) -> bool:
    return all(_holds(row[column], op, value) for column, op, value in where)


def _holds(found: Any, op: str, value: Any) -> bool:
    if op == "=":
        return bool(found == value)
    if op == "in":
        return found in value
    if found is None:
        return False
    return bool(found < value) if op == "<" else bool(found > value)
