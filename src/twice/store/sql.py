"""Rows in SQLite, through SQLAlchemy Core; a second dialect needs another engine, nothing more."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from twice.core import limits
from twice.core.errors import Broken, Busy
from twice.store.rows import Row, Where
from twice.store.schema import metadata

_CHUNK = 500  # values in one IN list; SQLite's own bound is far higher, other databases' is not


class SqlTables:
    """Tables of one open transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def select(
        self,
        table: str,
        *where: Where,
        columns: Sequence[str] = (),
        order: Sequence[str] = (),
        limit: int | None = None,
    ) -> list[Row]:
        """Return matching rows, in order of the primary key where no other is asked."""
        t = metadata.tables[table]
        ordered = [
            t.c[name.lstrip("-")].desc() if name[0] == "-" else t.c[name].asc() for name in order
        ]
        wanted = [t.c[name] for name in columns] or list(t.c)
        rows: list[Row] = []
        for conditions in _chunks(where):
            query = sa.select(*wanted).where(*_clauses(t, conditions))
            query = query.order_by(*ordered, *t.primary_key.columns).limit(limit)
            rows += [dict(row) for row in self._connection.execute(query).mappings()]
        return rows

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Insert or replace rows by primary key."""
        listed = list(rows)
        if not listed:
            return
        t = metadata.tables[table]
        keys = [column.name for column in t.primary_key]
        insert = sqlite.insert(t)
        others = {name: insert.excluded[name] for name in listed[0] if name not in keys}
        self._connection.execute(insert.on_conflict_do_update(keys, set_=others), listed)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows whose primary key is free."""
        if listed := list(rows):
            insert = sqlite.insert(metadata.tables[table]).on_conflict_do_nothing()
            self._connection.execute(insert, listed)

    def update(self, table: str, values: Row, *where: Where) -> int:
        """Change columns of matching rows."""
        t = metadata.tables[table]
        return sum(
            self._connection.execute(sa.update(t).where(*_clauses(t, part)).values(values)).rowcount
            for part in _chunks(where)
        )

    def delete(self, table: str, *where: Where) -> int:
        """Delete matching rows."""
        t = metadata.tables[table]
        return sum(
            self._connection.execute(sa.delete(t).where(*_clauses(t, part))).rowcount
            for part in _chunks(where)
        )

    def count(self, table: str, *where: Where) -> int:
        """Count matching rows."""
        t = metadata.tables[table]
        query = sa.select(sa.func.count()).select_from(t)
        parts = [query.where(*_clauses(t, part)) for part in _chunks(where)]
        return sum(self._connection.execute(part).scalar_one() for part in parts)


class SqliteDatabase:
    """One SQLite file in WAL mode, private to its owner, brought up to the schema when opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        self._engine = sa.create_engine(
            f"sqlite:///{path}",
            poolclass=sa.StaticPool,
            connect_args={"timeout": limits.BUSY_SECONDS, "check_same_thread": False},
        )
        sa.event.listen(self._engine, "connect", _prepare)
        sa.event.listen(self._engine, "begin", _begin)
        with _faults(path):
            _migrate(self._engine)

    @contextmanager
    def reading(self) -> Iterator[SqlTables]:
        """Open a consistent view of the file."""
        with _faults(self._path), self._engine.connect() as connection, connection.begin():
            yield SqlTables(connection)

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[SqlTables]:
        """Open the one write transaction, waiting for others at most the busy limit."""
        with _faults(self._path), self._engine.connect() as connection:
            driver = connection.connection.dbapi_connection
            assert driver is not None
            driver.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            with connection.execution_options(write=True).begin():
                yield SqlTables(connection)

    def flaws(self) -> list[str]:
        """Return what SQLite's own check finds."""
        with self._engine.connect() as connection:
            try:
                found = connection.exec_driver_sql("PRAGMA integrity_check(5)").scalars().all()
            except sa.exc.DatabaseError as error:
                return [f"{self._path}: {error.orig}"]
        return [f"{self._path}: {line}" for line in found if line != "ok"]

    def scrub(self) -> None:
        """Fold the WAL into the file and empty it; deleted content is overwritten already."""
        with _faults(self._path), self._engine.connect() as connection:
            driver = connection.connection.dbapi_connection
            assert driver is not None
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            driver.execute("VACUUM")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()


def copy_into_memory(path: Path) -> "SqliteDatabase":
    """Return a private copy of a SQLite file that lives in memory only."""
    database = object.__new__(SqliteDatabase)
    database._path = path
    database._engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    sa.event.listen(database._engine, "connect", _prepare)
    sa.event.listen(database._engine, "begin", _begin)
    with database._engine.connect() as connection:
        target = connection.connection.dbapi_connection
        if path.exists():
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as origin:
                origin.backup(target)  # type: ignore[arg-type]
    _migrate(database._engine)
    return database


def _prepare(driver: Any, _: object) -> None:
    driver.isolation_level = None
    driver.text_factory = lambda data: data.decode("utf-8", "replace")
    for pragma in ("journal_mode=WAL", "secure_delete=ON", "foreign_keys=ON"):
        driver.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _migrate(engine: sa.Engine) -> None:
    """Run the migrations that are missing, in one transaction."""
    from twice.store.migrations import HEAD, upgrade

    with engine.connect() as connection:
        if _version(connection) != HEAD:
            upgrade(connection.execution_options(write=True))


def _version(connection: sa.Connection) -> str:
    with connection.begin():
        if not sa.inspect(connection).has_table("alembic_version"):
            return ""
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found or "")


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except sa.exc.OperationalError as error:
        if "locked" in str(error.orig) or "busy" in str(error.orig):
            raise Busy(
                f"The store {path} stayed locked for {limits.BUSY_SECONDS:g} seconds.",
                hint="Another Twice is at work; try again when it is done.",
            ) from error
        raise Broken(
            f"The store {path} cannot be used: {error.orig}.",
            hint="Check free space and permissions; twice verify says more.",
        ) from error
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
        raise Broken(
            f"The store {path} is damaged: {getattr(error, 'orig', error)}.",
            hint="Move it away and restore a backup; twice dream reads the sessions again.",
        ) from error


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


def _clauses(table: sa.Table, where: Sequence[Where]) -> list[sa.ColumnElement[bool]]:
    clauses: list[sa.ColumnElement[bool]] = []
    for name, op, value in where:
        column = table.c[name]
        match op:
            case "=":
                clauses.append(column == value)
            case "in":
                clauses.append(column.in_(list(value)))
            case "<":
                clauses.append(column < value)
            case ">":
                clauses.append(column > value)
    return clauses
