"""What a store in a SQLite file keeps to besides the contract: privacy, damage, other processes."""

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.builders import PROJECT, START, batch, known, note, sighting
from tests.contracts.histories import History

from twice.core.decisions import decide_forgetting
from twice.core.errors import Broken, Busy
from twice.store.sql import SqliteDatabase, copy_into_memory
from twice.store.store import RowStore

KEY = "ab" * 32
CANARY = "zanzibarquokka"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the store lies."""
    return tmp_path / "data" / "twice.db"


@contextmanager
def opened(file: Path, *, busy_seconds: float = 5.0) -> Iterator[RowStore]:
    """Open the store as another process would."""
    database = SqliteDatabase(file, busy_seconds=busy_seconds)
    try:
        yield RowStore(database, fresh_key=KEY)
    finally:
        database.close()


def filled(store: RowStore) -> None:
    """Let a little happen."""
    history = History(store)
    store.adopt(known())
    history.change_policy()
    history.approve(history.file(text="Use pnpm."))
    history.reject(history.file(text="Use npm."))
    store.record(batch("s1", [sighting("s1", 0)], turns=["use pnpm, not npm"], keys=["k"]))


def content(store: RowStore) -> object:
    """Return everything that was decided, with its texts and what follows from it."""
    entries = list(store.entries())
    states = store.states()
    texts = store.blobs(state.hash for state in states)
    derived = (store.context(PROJECT), store.rejections(PROJECT), store.policy())
    return entries, states, texts, derived, store.key


# Privacy


def test_the_file_and_its_folder_are_the_owners_alone(file: Path) -> None:
    before = os.umask(0)
    try:
        with opened(file) as store:
            filled(store)
            found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(found) == {"twice.db", "twice.db-wal", "twice.db-shm"}
    assert set(found.values()) == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def raw(file: Path) -> bytes:
    """Return every byte of the database, its journal and its shared memory."""
    return b"".join(path.read_bytes() for path in sorted(file.parent.iterdir()))


def test_a_forgotten_word_is_in_no_byte_of_the_files(file: Path) -> None:
    with opened(file) as store:
        filled(store)
        said = f"never say {CANARY} " * 200
        store.record(batch("s2", [sighting("s2", 0, quote=said[:900])], turns=[said]))
        assert CANARY.encode() in raw(file)
        draft = decide_forgetting("f", sessions=("s2",), items=(), counts={}, actor="person")
        store.forget(["s2"], drafts=[draft], after=store.position(), at=START)
        store.scrub()
        assert CANARY.encode() not in raw(file)
        assert store.flaws() == []
    assert CANARY.encode() not in raw(file)


def test_a_reader_who_holds_old_words_open_is_named_not_passed_over(file: Path) -> None:
    with opened(file) as store, closing(sqlite3.connect(file)) as reader:
        store.record(batch("s2", turns=[CANARY]))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM turns").fetchone()
        store.forget(["s2"], drafts=[note()], after=0, at=START)
        with pytest.raises(Busy):
            _impatient(store, file).scrub()
        reader.rollback()
        store.scrub()
        assert CANARY.encode() not in raw(file)


def _impatient(_: RowStore, file: Path) -> RowStore:
    return RowStore(SqliteDatabase(file, busy_seconds=0), fresh_key=KEY)


# Damage


def test_a_flipped_bit_anywhere_in_the_file_is_found_or_harmless(
    file: Path, tmp_path: Path
) -> None:
    with opened(file) as store:
        filled(store)
        store.scrub()
        whole = content(store)
    sound = file.read_bytes()
    dice = random.Random(20)
    used = [n for n in range(len(sound)) if sound[n]]
    silent = []
    for trial in range(200):
        at, bit = dice.choice(used), dice.randrange(8)
        damaged = bytearray(sound)
        damaged[at] ^= 1 << bit
        copy = tmp_path / "copy" / f"{trial}.db"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(damaged)
        if not found(copy, whole):
            silent.append((at, bit))
        shutil.rmtree(copy.parent)
    assert silent == []


def found(file: Path, whole: object) -> bool:
    """Tell whether damage is reported, or changed nothing of what a store holds."""
    try:
        with opened(file) as store:
            return bool(store.flaws()) or content(store) == whole
    except Broken:
        return True


@pytest.mark.parametrize(
    "data", [b"this is no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_file_that_is_no_store_is_refused_in_one_line(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(data)
    for opening in (SqliteDatabase, copy_into_memory):
        with pytest.raises(Broken) as refused:
            opening(file)
        assert str(file) in refused.value.message
        assert "\n" not in refused.value.message
    assert file.read_bytes() == data


def test_a_copy_in_memory_leaves_the_file_alone(file: Path) -> None:
    with opened(file) as store:
        filled(store)
        store.scrub()
    before = file.read_bytes()
    copy = RowStore(copy_into_memory(file), fresh_key=KEY)
    copy.append([note()], after=copy.position(), at=START)
    assert (copy.flaws(), file.read_bytes()) == ([], before)


# Other processes


def test_a_write_gives_up_when_another_process_keeps_the_store(file: Path) -> None:
    with opened(file, busy_seconds=0) as store, closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy) as refused:
            store.append([note()], after=0, at=1)
        assert "stayed locked" in refused.value.message
        assert store.position() == 0
        other.rollback()
        store.append([note()], after=0, at=1)


WRITER = """
import sys
from pathlib import Path
from tests.builders import note
from twice.core.errors import Conflict
from twice.store.sql import SqliteDatabase
from twice.store.store import RowStore

store = RowStore(SqliteDatabase(Path(sys.argv[1])), fresh_key="ab" * 32)
for number in range(int(sys.argv[3])):
    while True:
        after = store.position()
        try:
            store.append([note(f"{sys.argv[2]} {number}")], after=after, at=number)
        except Conflict:
            continue
        break
    print(number, flush=True)
"""
Start = Callable[[str, int], "subprocess.Popen[str]"]


@pytest.fixture
def start(file: Path) -> Iterator[Start]:
    """Return what starts a process that appends many entries, and says so after each."""
    started: list[subprocess.Popen[str]] = []

    def begin(name: str, number: int) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", WRITER, str(file), name, str(number)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_four_writers_a_check_and_a_kill_lose_no_write(file: Path, start: Start) -> None:
    with opened(file):
        pass
    writers = [start(f"w{n}", 25) for n in range(3)]
    killed = start("killed", 100_000)
    assert killed.stdout is not None
    told = [killed.stdout.readline() for _ in range(5)]
    with opened(file) as store:
        assert store.flaws() == []
        killed.kill()
        told += killed.stdout.readlines()
        said = [writer.communicate(timeout=60)[0] for writer in writers]
        assert [text.split()[-1] for text in said] == ["24"] * 3
        subjects = [entry.subject for entry in store.entries()]
        assert store.flaws() == []
    for name in ("w0", "w1", "w2"):
        assert [s for s in subjects if s.startswith(name)] == [f"{name} {n}" for n in range(25)]
    lasting = [s for s in subjects if s.startswith("killed")]
    heard = [f"killed {line.strip()}" for line in told if line.strip()]
    assert lasting[: len(heard)] == heard
    assert len(lasting) - len(heard) <= 1


def test_processes_that_open_a_new_store_at_once_agree_on_its_key(file: Path, start: Start) -> None:
    assert [start(f"w{n}", 3).wait(timeout=60) for n in range(3)] == [0, 0, 0]
    with opened(file) as store:
        assert (store.position(), store.flaws()) == (9, [])
