"""The migrations add up to the schema, whole or not at all, and never guess at a newer one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from twice.core.errors import Broken
from twice.store import migrations
from twice.store.migrations import HEAD, upgrade
from twice.store.migrations.tables import metadata
from twice.store.schema import TABLES
from twice.store.sql import SqliteDatabase


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the store lies."""
    return tmp_path / "twice.db"


def scripts() -> ScriptDirectory:
    """Return all migrations."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return ScriptDirectory.from_config(config)


def shape(driver: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return every table and index with its statement."""
    listed = "SELECT name, coalesce(sql, '') FROM sqlite_master ORDER BY name"
    return list(driver.execute(listed))


def test_they_end_where_the_program_expects() -> None:
    assert scripts().get_heads() == [HEAD]


def test_they_add_up_to_the_schema(file: Path) -> None:
    SqliteDatabase(file).close()
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_every_table_has_the_columns_that_are_written(file: Path) -> None:
    SqliteDatabase(file).close()
    with closing(sqlite3.connect(file)) as driver:
        for name, table in TABLES.items():
            found = driver.execute(f"PRAGMA table_info({name})").fetchall()
            assert {row[1] for row in found} == {column.name for column in table.columns}, name
            keys = sorted((row[5], row[1]) for row in found if row[5])
            assert tuple(key for _, key in keys) == table.key_names, name
        made = {name for name, _ in shape(driver) if not name.startswith("sqlite_")}
    indexes = {index for table in TABLES.values() for index, _ in table.indexes}
    assert made == set(TABLES) | indexes | {"alembic_version"}


def test_a_store_that_is_up_to_date_is_left_alone(file: Path) -> None:
    SqliteDatabase(file).close()
    before = file.read_bytes()
    SqliteDatabase(file).close()
    assert file.read_bytes() == before


class Interrupted(BaseException):
    """The process ends here."""


def test_one_that_is_interrupted_leaves_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = next(iter(scripts().walk_revisions()))
    made = script.module.upgrade

    def half() -> None:
        made()
        raise Interrupted

    with closing(sqlite3.connect(file, isolation_level=None)) as driver:
        monkeypatch.setattr(
            "alembic.script.base.Script._from_path", _with_upgrade(half), raising=True
        )
        with pytest.raises(Interrupted):
            upgrade(driver, file)
        driver.rollback()
        assert shape(driver) == []
        monkeypatch.undo()
        upgrade(driver, file)
        assert len(shape(driver)) > len(TABLES)


def _with_upgrade(half: object) -> object:
    from alembic.script.base import Script

    original = Script._from_path.__func__  # type: ignore[attr-defined]

    def load(cls: type[Script], *arguments: object) -> Script | None:
        script = original(cls, *arguments)
        if script is not None:
            script.module.upgrade = half
        return script  # type: ignore[no-any-return]

    return classmethod(load)


def test_a_store_of_a_newer_version_is_refused_in_one_line(file: Path) -> None:
    SqliteDatabase(file).close()
    with closing(sqlite3.connect(file)) as driver:
        driver.execute("UPDATE alembic_version SET version_num = '9999'")
        driver.commit()
        before = shape(driver)
    with pytest.raises(Broken) as refused:
        SqliteDatabase(file)
    assert "newer" in refused.value.message
    assert "\n" not in refused.value.message
    assert refused.value.hint
    with closing(sqlite3.connect(file)) as driver:
        assert shape(driver) == before
