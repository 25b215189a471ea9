"""Events that wait are whole lines, whatever happens to those who write them."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from twice.core import limits
from twice.core.errors import Busy, Fault
from twice.store.spool import FOLDER, FileSpool

WHOLE = b'{"schema":"twice.event/1","session":"s1","text":"use pnpm"}'


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "data")


def texts(spool: FileSpool) -> list[bytes]:
    """Return the lines that wait."""
    return [line for _, _, line in spool.lines()]


def run(data: Path, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a process that has a spool."""
    start = "import os, signal, sys\nfrom pathlib import Path\nfrom twice.store import spool\n"
    made = f"here = spool.FileSpool(Path({str(data)!r}), busy_seconds=60)\n"
    return subprocess.Popen([sys.executable, "-c", start + made + program, *arguments])


def test_what_was_appended_is_there_line_by_line(spool: FileSpool) -> None:
    assert spool.append("a", "s1", [b"{1}", b"{2}"]) and spool.append("a", "s1", [b"{3}"])
    assert spool.append("b", "s1", [b"{4}"])
    found = [(path.parent.name, path.name, n, line) for path, n, line in spool.lines()]
    assert found == [
        ("a", "s1.jsonl", 0, b"{1}"),
        ("a", "s1.jsonl", 1, b"{2}"),
        ("a", "s1.jsonl", 2, b"{3}"),
        ("b", "s1.jsonl", 0, b"{4}"),
    ]


def test_nothing_waits_where_nothing_was_recorded(spool: FileSpool) -> None:
    assert (texts(spool), spool.erase(lambda _: True)) == ([], 0)


@pytest.mark.parametrize("session", ["../../x", "a/b", ".", "..", "x" * 300, "é", "a b", ""])
def test_no_name_of_a_session_leaves_the_folder(
    spool: FileSpool, session: str, tmp_path: Path
) -> None:
    path = spool.path_of("a", session)
    assert path.parent == tmp_path / "data" / FOLDER / "a" and len(path.name) < 120
    assert spool.append("a", session, [b"{}"])
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_files_are_the_owners_alone(spool: FileSpool, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        spool.append("a", "s1", [b"{}"])
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {0o700, 0o600}


# Those who were killed


@pytest.mark.parametrize("torn", [b'{"session":"s', b"x", b'{"session":"s1"}{"', b"\xff\0"])
def test_what_a_killed_process_left_of_a_line_goes(spool: FileSpool, torn: bytes) -> None:
    spool.append("a", "s1", [b"{1}"])
    with spool.path_of("a", "s1").open("ab") as file:
        file.write(torn)
    spool.append("a", "s1", [b"{2}"])
    assert texts(spool) == [b"{1}", b"{2}"]


def test_a_whole_event_without_its_end_stays(spool: FileSpool) -> None:
    spool.append("a", "s1", [b"{1}"])
    with spool.path_of("a", "s1").open("ab") as file:
        file.write(WHOLE)
    spool.append("a", "s1", [b"{2}"])
    assert texts(spool) == [b"{1}", WHOLE, b"{2}"]


def test_a_torn_line_alone_and_longer_than_a_block_goes(spool: FileSpool) -> None:
    path = spool.path_of("a", "s1")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"text":"' + b"x" * 200_000)
    spool.append("a", "s1", [b"{2}"])
    assert texts(spool) == [b"{2}"]


KILLED = """
real, left = os.write, int(sys.argv[1])
def write(descriptor, data):
    real(descriptor, bytes(data)[:left])
    os.kill(os.getpid(), signal.SIGKILL)
spool.os.write = write
here.append("a", "s1", [b'{"session":"s1","text":"one"}', b'{"session":"s1","text":"two"}'])
"""


@pytest.mark.parametrize("written", [0, 1, 15, 29, 30, 31, 58, 60])
def test_a_kill_in_the_middle_of_a_write_loses_nothing_else(
    spool: FileSpool, written: int, tmp_path: Path
) -> None:
    spool.append("a", "s1", [b"{0}"])
    assert run(tmp_path / "data", KILLED, str(written)).wait() == -signal.SIGKILL
    spool.append("a", "s1", [b"{9}"])
    found = texts(spool)
    assert (found[0], found[-1]) == (b"{0}", b"{9}")
    both = [b'{"session":"s1","text":"one"}', b'{"session":"s1","text":"two"}']
    assert found[1:-1] == both[: len(found) - 2]


WRITER = """
name = sys.argv[1]
for number in range(25):
    line = f'{{"writer": {name}, "number": {number}, "filler": "{"x" * 3000}"}}'.encode()
    here.append("a", f"s{number % 2}", [line, line])
"""


def test_of_eight_who_write_at_once_no_line_is_mixed_or_lost(
    spool: FileSpool, tmp_path: Path
) -> None:
    import json

    writers = [run(tmp_path / "data", WRITER, str(number)) for number in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    found = [json.loads(line) for line in texts(spool)]
    for number in range(8):
        mine = [item["number"] for item in found if item["writer"] == number]
        assert sorted(mine) == sorted([*range(25)] * 2)


def test_who_waits_too_long_is_told_so(spool: FileSpool, tmp_path: Path) -> None:
    hurried = FileSpool(tmp_path / "data", busy_seconds=0.05)
    with spool._alone(), pytest.raises(Busy, match="Others record"):
        hurried.append("a", "s1", [b"{}"])


# The disk


def test_what_the_disk_refuses_leaves_no_trace(
    spool: FileSpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append("a", "s1", [b"{1}"])
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data)[:-5])

    monkeypatch.setattr("twice.store.spool.os.write", write)
    with pytest.raises(Fault, match="No space left"):
        spool.append("a", "s1", [b'{"text":"a longer line"}'])
    monkeypatch.undo()
    assert texts(spool) == [b"{1}"]


def test_a_session_does_not_outgrow_its_bound(
    spool: FileSpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RECORDED_BYTES", 10)
    assert spool.append("a", "s1", [b"{1}", b"{2}"])
    assert not spool.append("a", "s1", [b"{3}", b"{4}"])
    assert spool.append("b", "s1", [b"{5}"])
    assert texts(spool) == [b"{1}", b"{2}", b"{5}"]


def folder_link(data: Path, other: Path) -> None:
    data.mkdir()
    (data / FOLDER).symlink_to(other)


def agent_link(data: Path, other: Path) -> None:
    (data / FOLDER).mkdir(parents=True)
    (data / FOLDER / "a").symlink_to(other)


def file_link(data: Path, other: Path) -> None:
    (data / FOLDER / "a").mkdir(parents=True)
    (data / FOLDER / "a" / "s1.jsonl").symlink_to(other / "s1.jsonl")


def pipe(data: Path, other: Path) -> None:
    (data / FOLDER / "a").mkdir(parents=True)
    os.mkfifo(data / FOLDER / "a" / "s1.jsonl")


@pytest.mark.parametrize("made", [folder_link, agent_link, file_link, pipe])
def test_no_link_is_followed_and_no_pipe_holds_us(
    spool: FileSpool, made: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "a").mkdir(parents=True)
    (other / "s1.jsonl").write_bytes(b"{0}\n")
    made(tmp_path / "data", other)
    with pytest.raises(Fault, match="Cannot"):
        spool.append("a", "s1", [b"{1}"])
    assert (texts(spool), spool.erase(lambda _: True)) == ([], 0)
    assert (other / "s1.jsonl").read_bytes() == b"{0}\n"


# Erasing


def test_unwanted_lines_go_and_the_others_stay(spool: FileSpool) -> None:
    spool.append("a", "s1", [b"{1}", b"{2}"])
    spool.append("b", "s2", [b"{2}"])
    assert spool.erase(lambda line: line == b"{2}") == 2
    assert texts(spool) == [b"{1}"]
    assert not spool.path_of("b", "s2").parent.exists()
    assert spool.append("b", "s2", [b"{3}"])


def test_what_an_interrupted_erasure_left_goes_with_the_next(
    spool: FileSpool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append("a", "s1", [b"{1}", b"{2}"])
    before = spool.path_of("a", "s1").read_bytes()

    def replace(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("twice.store.spool.os.replace", replace)
    with pytest.raises(KeyboardInterrupt):
        spool.erase(lambda line: line == b"{2}")
    monkeypatch.undo()
    assert spool.path_of("a", "s1").read_bytes() == before
    assert spool.erase(lambda line: line == b"{1}") == 1
    assert [path.name for path in (tmp_path / "data" / FOLDER / "a").iterdir()] == ["s1.jsonl"]
    assert texts(spool) == [b"{2}"]
