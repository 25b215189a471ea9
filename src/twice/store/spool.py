"""The spool: files to which the events that agents report are appended, until a dream reads them.

One file for each session. A line is there whole or not at all: whoever appends holds a lock, takes
away what a process that was killed left of its last line, and takes back what the disk refused.
No link is followed below the data folder.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from twice.core import limits
from twice.core.encoding import text_digest
from twice.core.errors import Busy, Fault
from twice.core.native import event_in

FOLDER = "recorded"
_ENDING = ".jsonl"
_UNDONE = ".tmp"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_BLOCK_BYTES = 64 * 1024
_POLL_SECONDS = 0.005  # others hold the lock for the time of one write

_CLOSED = getattr(os, "O_CLOEXEC", 0)
_SAFELY = _CLOSED | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_ROOT = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSED
_BELOW = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFELY
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | _SAFELY
_READ = os.O_RDONLY | _SAFELY
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY


class FileSpool:
    """The files below one data folder. See ``ports.Spool`` for the verbs."""

    def __init__(self, data: Path, *, busy_seconds: float = limits.BUSY_SECONDS) -> None:
        self._data = data
        self._busy_seconds = busy_seconds

    def path_of(self, agent: str, session: str) -> Path:
        name = session if _SAFE.fullmatch(session) else text_digest(session)[:32]
        return self._data / FOLDER / agent / f"{name}{_ENDING}"

    def append(self, agent: str, session: str, lines: Sequence[bytes]) -> bool:
        path = self.path_of(agent, session)
        data = b"".join(line + b"\n" for line in lines)
        with self._alone(), _faults(path), ExitStack() as opened:
            folder = self._enter(opened, agent, make=True)
            descriptor = os.open(path.name, _APPEND, 0o600, dir_fd=folder)
            opened.callback(os.close, descriptor)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Fault(f"Cannot write {path}: it is no regular file.")
            _mend(descriptor)
            before = os.fstat(descriptor).st_size
            if before + len(data) > limits.RECORDED_BYTES:
                return False
            try:
                _write(descriptor, data)
                os.fsync(descriptor)
                if not before:
                    os.fsync(folder)  # so that its new name is there, too
            except OSError:
                os.ftruncate(descriptor, before)
                raise
        return True

    def lines(self) -> Iterator[tuple[Path, int, bytes]]:
        for agent in self._agents():
            with _faults(self._data / FOLDER / agent), ExitStack() as opened:
                folder = self._enter(opened, agent)
                for name in _named(folder, _ENDING):
                    path = self._data / FOLDER / agent / name
                    for number, line in enumerate(_lines(folder, name)):
                        yield path, number, line

    def erase(self, unwanted: Callable[[bytes], bool]) -> int:
        erased = 0
        if not self._agents():
            return 0
        with self._alone():
            for agent in self._agents():
                with _faults(self._data / FOLDER / agent), ExitStack() as opened:
                    folder = self._enter(opened, agent)
                    for name in _named(folder, _UNDONE):
                        os.unlink(name, dir_fd=folder)
                    erased += sum(
                        _erase(folder, name, unwanted) for name in _named(folder, _ENDING)
                    )
                    os.fsync(folder)
                with suppress(OSError):  # it is not empty
                    (self._data / FOLDER / agent).rmdir()
        return erased

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold off everybody else who writes here; the system lets go where we are killed."""
        with _faults(self._data):
            self._data.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(self._data / f"{FOLDER}.lock", timeout=self._busy_seconds, mode=0o600)
        try:
            with lock.acquire(poll_interval=_POLL_SECONDS):
                yield
        except Timeout as error:
            raise Busy(
                "Others record without a pause.", hint="Try again when they are done."
            ) from error

    def _agents(self) -> list[str]:
        folder = self._data / FOLDER
        with _faults(folder):
            if not folder.is_dir() or folder.is_symlink():
                return []
            return sorted(each.name for each in folder.iterdir() if not each.is_symlink())

    def _enter(self, opened: ExitStack, agent: str, *, make: bool = False) -> int:
        """Return the open folder of an agent, going through no link."""
        here = os.open(self._data, _ROOT)
        opened.callback(os.close, here)
        for name in (FOLDER, agent):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=here)
            here = os.open(name, _BELOW, dir_fd=here)
            opened.callback(os.close, here)
        return here


def _mend(descriptor: int) -> None:
    """Let the file end with a whole line.

    A last line without its end is what a killed process left. Where it is an event all the same,
    a dream may have read it, and it stays.
    """
    size = os.fstat(descriptor).st_size
    rest = b""
    while b"\n" not in rest and len(rest) < size:
        start = max(size - len(rest) - _BLOCK_BYTES, 0)
        rest = os.pread(descriptor, size - len(rest) - start, start) + rest
    torn = rest.rpartition(b"\n")[2]
    if not torn:
        return
    if event_in(torn) is None:
        os.ftruncate(descriptor, size - len(torn))
    else:
        _write(descriptor, b"\n")


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _named(folder: int, ending: str) -> list[str]:
    """Return the regular files of a folder with an ending, sorted."""
    with os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if entry.name.endswith(ending) and entry.is_file(follow_symlinks=False)
        )


def _lines(folder: int, name: str) -> Iterator[bytes]:
    with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
        yield from (line.rstrip(b"\n") for line in file)


def _erase(folder: int, name: str, unwanted: Callable[[bytes], bool]) -> int:
    """Write a file anew without some lines, or take it away; return how many went."""
    if not any(map(unwanted, _lines(folder, name))):
        return 0
    undone = name + _UNDONE
    gone = kept = 0
    with os.fdopen(os.open(undone, _MAKE, 0o600, dir_fd=folder), "wb") as file:
        for line in _lines(folder, name):
            if unwanted(line):
                gone += 1
            else:
                file.write(line + b"\n")
                kept += 1
        file.flush()
        os.fsync(file.fileno())
    if kept:
        os.replace(undone, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)
        os.unlink(undone, dir_fd=folder)
    return gone


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    """Say what the system refuses as a fault of ours."""
    try:
        yield
    except OSError as error:
        raise Fault(
            f"Cannot use {path}: {error.strerror or error}.",
            hint="Check the folder, its permissions and free space; links are not followed there.",
        ) from error
