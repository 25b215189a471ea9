"""What is fuzzed: every source with the files that it reads, in each of their layouts."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path

from tests.contracts.test_sources import CASES
from tests.fuzz import faked_git
from tests.fuzz.mutating import lines
from tests.sources import samples, samples_opencode, samples_openhands

from twice.ports import Source
from twice.sources.opencode import OpenCode
from twice.sources.openhands import OpenHands

FOUND = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Target:
    """A source, a sample of what it reads, and how the bytes of such a sample become files."""

    source: Source
    sample: bytes
    write: Callable[[Path, bytes], Path]

    @property
    def module(self) -> str:
        """Return where the source is at home."""
        modules = (kind.__module__ for kind in type(self.source).__mro__)
        return next(module for module in modules if module.startswith("twice."))


def _file(name: str, folder: Path, data: bytes) -> Path:
    """Write the one file that a session is."""
    path = folder / name
    path.write_bytes(data)
    return path


def _tree(names: list[str], first: str, folder: Path, data: bytes) -> Path:
    """Write a session that is many files; the sample has them one a line."""
    for name, line in zip_longest(names, data.split(b"\n")[: len(names)], fillvalue=b""):
        path = folder / str(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(line)
    return folder / first


def _of_tree(source: Source, make: Callable[[Path], Path]) -> Target:
    """Return a target whose sample is what ``make`` writes into a folder."""
    with folder() as made:
        first = make(made).relative_to(made).as_posix()
        paths = sorted(path for path in made.rglob("*") if path.is_file())
        names = [path.relative_to(made).as_posix() for path in paths]
        sample = lines([json.loads(path.read_bytes()) for path in paths])
    return Target(source, sample, partial(_tree, names, first))


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder in memory where there is one, since files are written by the thousand."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    made = Path(tempfile.mkdtemp(prefix="twice-fuzz-", dir=memory))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def found(name: str) -> list[Path]:
    """Return the files with which a fuzzer broke a source once."""
    return sorted(path for path in (FOUND / name).glob("*") if path.is_file())


_NOTE = {"session_id": samples.SESSION, "created_at": samples.at(9), "agent": "Claude Code"}
_OPENCODE = samples_opencode.session_of(samples.TURNS)
TARGETS = {
    **{name: Target(c.source, c.data, partial(_file, c.name)) for name, c in CASES.items()},
    "entire": Target(faked_git.FakedEntire(), lines([_NOTE]) + samples.CLAUDE, faked_git.write),
    "opencode-tree": _of_tree(
        OpenCode(), lambda at: samples_opencode.write_tree(at / "storage", _OPENCODE)
    ),
    "opencode-older-tree": _of_tree(
        OpenCode(), lambda at: samples_opencode.write_older_tree(at / "storage", _OPENCODE)
    ),
    "openhands-newer": _of_tree(
        OpenHands(), lambda at: samples_openhands.newer(at, samples_openhands.NEWER)
    ),
    "openhands-older": _of_tree(
        OpenHands(),
        lambda at: samples_openhands.older(at, json.loads(samples_openhands.OPENHANDS)),
    ),
    "openhands-by-id": _of_tree(
        OpenHands(), lambda at: samples_openhands.by_id(at, samples_openhands.NEWER)
    ),
}
