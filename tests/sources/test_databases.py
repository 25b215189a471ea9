"""How an agent's database is read: everything that is in it, and nothing written."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from twice.sources.databases import CHANGING, TOO_LARGE, Database, opened, stamp, tables

ALL = "SELECT word FROM words ORDER BY rowid"
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
print("ready", flush=True)
for line in sys.stdin:
    connection.execute(line)
    print("done", flush=True)
"""

Write = Callable[[str], None]


@contextmanager
def agent(path: Path) -> Iterator[Write]:
    """Run another process that has a database open, and dies without closing it."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        given, told = process.stdin, process.stdout
        assert told.readline() == "ready\n"

        def write(statement: str) -> None:
            given.write(statement + "\n")
            given.flush()
            assert told.readline() == "done\n"

        yield write
        process.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "agent's 100% #1?.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE words (word)")
        connection.execute("INSERT INTO words VALUES ('merged')")
        connection.commit()
    return path


def words(path: Path) -> list[object]:
    with opened(path) as database:
        return [word for (word,) in database.rows(ALL)]


def folder_of(path: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        p.name: (p.stat().st_mtime_ns, p.stat().st_ino, p.read_bytes())
        for p in path.parent.iterdir()
    }


def in_wal(write: Write) -> None:
    write("PRAGMA journal_mode = WAL")
    write("PRAGMA wal_autocheckpoint = 0")
    write("INSERT INTO words VALUES ('in the WAL')")


def test_a_database_that_nobody_uses_is_read_and_left_alone(path: Path) -> None:
    before = folder_of(path)
    assert words(path) == ["merged"]
    assert folder_of(path) == before


def test_one_in_wal_mode_that_nobody_uses_gets_no_files_beside_it(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = folder_of(path)
    assert words(path) == ["merged"]
    assert folder_of(path) == before
    assert list(before) == [path.name]


def test_what_is_only_in_the_wal_of_a_running_agent_is_seen(path: Path) -> None:
    with agent(path) as write:
        in_wal(write)
        before = folder_of(path)
        assert words(path) == ["merged", "in the WAL"]
        assert folder_of(path) == before
        assert len(before) == 3


def test_a_row_is_seen_once_it_is_committed(path: Path) -> None:
    with agent(path) as write:
        in_wal(write)
        with opened(path) as database:
            write("BEGIN")
            write("INSERT INTO words VALUES ('later')")
            assert len(database.rows(ALL)) == 2
            write("COMMIT")
            assert len(database.rows(ALL)) == 3


def test_what_a_killed_agent_left_in_its_wal_is_seen(path: Path) -> None:
    with agent(path) as write:
        in_wal(write)
    before = folder_of(path)
    assert words(path) == ["merged", "in the WAL"]
    assert folder_of(path) == before
    assert len(before) == 3


def test_a_wal_that_lies_alone_beside_the_database_is_read_from_a_copy(path: Path) -> None:
    with agent(path) as write:
        in_wal(write)
    path.with_name(path.name + "-shm").unlink()
    before = folder_of(path)
    assert words(path) == ["merged", "in the WAL"]
    assert folder_of(path) == before


def test_a_private_copy_is_gone_afterwards(
    path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("private")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with agent(path) as write:
        in_wal(write)
    path.with_name(path.name + "-shm").unlink()
    with opened(path) as database:
        database.rows(ALL)
        [copy] = folder.iterdir()
        assert copy.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir()) == []


def test_what_would_have_to_be_copied_beyond_the_limit_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.DATABASE_COPY_BYTES", 1000)
    assert words(path) == ["merged"]
    path.with_name(path.name + "-wal").write_bytes(b"x" * 100)
    with pytest.raises(OSError, match=TOO_LARGE):
        words(path)


def test_the_wal_of_a_database_that_is_locked_for_good_is_read_from_a_copy(path: Path) -> None:
    with agent(path) as write:
        write("PRAGMA locking_mode = EXCLUSIVE")
        in_wal(write)
        before = folder_of(path)
        assert words(path) == ["merged", "in the WAL"]
        assert folder_of(path) == before


def test_a_lock_without_a_change_is_no_hindrance(path: Path) -> None:
    with agent(path) as write:
        write("BEGIN EXCLUSIVE")
        assert words(path) == ["merged"]


def test_a_change_that_was_broken_off_is_taken_back_in_a_copy(path: Path) -> None:
    with agent(path) as write:
        write("PRAGMA cache_size = 1")
        write("PRAGMA cache_spill = 1")
        write("BEGIN")
        write("UPDATE words SET word = 'unsure'")
        write("INSERT INTO words SELECT zeroblob(9000) FROM words")
        write("INSERT INTO words SELECT word FROM words")
        write("INSERT INTO words SELECT word FROM words")
        before = folder_of(path)
        assert len(before) == 2
        assert words(path) == ["merged"]
        assert folder_of(path) == before


def test_a_database_that_changes_under_an_unlocked_reading_is_read_again(path: Path) -> None:
    with opened(path) as database:
        database.rows(ALL)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE words SET word = 'new'")
            connection.commit()
        assert database.rows(ALL) == [("new",)]


def test_one_that_never_rests_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamps = iter(range(1000))
    monkeypatch.setattr("twice.sources.databases._identity", lambda _: (0, next(stamps)))
    with pytest.raises(OSError, match=CHANGING):
        words(path)


def test_the_wal_stays_while_it_is_read_though_the_agent_ends(path: Path) -> None:
    with opened(path) as database:
        with agent(path) as write:
            in_wal(write)
            database.rows("SELECT 1")
        database.close()
        database.rows("SELECT 1")
        before = {p.name for p in path.parent.iterdir()}
        ending = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM words')"
        subprocess.run([sys.executable, "-c", ending, str(path)], check=True)
        assert {p.name for p in path.parent.iterdir()} == before
        assert len(database.rows(ALL)) == 2


def test_a_link_to_a_database_is_read_with_its_wal(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with agent(path) as write:
        in_wal(write)
        assert words(link) == ["merged", "in the WAL"]
        assert stamp(link) == stamp(path)


@pytest.mark.parametrize("damage", ["text", "encrypted", "cut", "page"])
def test_damage_is_a_fault_that_says_what_is_wrong(path: Path, damage: str) -> None:
    data = path.read_bytes()
    wrong = {
        "text": b"not a database " * 100,
        "encrypted": os.urandom(4096),
        "cut": data[:3000],
        "page": data[:4096] + bytes([255]) * 4096,
    }
    path.write_bytes(wrong[damage])
    with pytest.raises(OSError, match=r"not a database|malformed"):
        words(path)


def test_damage_that_sqlite_cannot_even_quote_is_a_fault(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE words", b"CREATE \x80ABLE words"))
    with pytest.raises(OSError, match="can't decode"):
        words(path)


def test_a_query_that_a_database_does_not_understand_is_a_fault(path: Path) -> None:
    with opened(path) as database, pytest.raises(OSError, match="no such table"):
        database.rows("SELECT * FROM other")


def test_what_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open"):
        words(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_has_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with opened(path) as database:
        assert tables(database) == {}


def test_views_and_tables_of_extensions_are_no_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW more AS SELECT * FROM words")
        connection.execute("PRAGMA writable_schema = ON")
        row = "('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING not_here(a)')"
        connection.execute(f"INSERT INTO sqlite_master VALUES {row}")
        connection.commit()
    with opened(path) as database:
        assert tables(database) == {"words": frozenset({"word"})}


def test_broken_characters_are_replaced(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE words SET word = CAST(x'6162ff63' AS TEXT)")
        connection.commit()
    assert words(path) == ["ab\ufffdc"]


def test_the_stamp_changes_with_the_wal(path: Path) -> None:
    before = stamp(path)
    with agent(path) as write:
        in_wal(write)
        after = stamp(path)
    assert after[0] > before[0]


def test_closing_twice_is_harmless(path: Path) -> None:
    database = Database(path)
    database.rows(ALL)
    database.close()
    database.close()
