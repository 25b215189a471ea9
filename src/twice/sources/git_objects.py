"""Read objects of a git repository through git itself: nothing is checked out, fetched or written.

What a repository's own settings could make git run (monitors, hooks, transports) is off.
"""

import os
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from typing import BinaryIO

from twice.core import limits

NO_GIT = "git is not installed, and only git can read what is kept in it"

_FIXED = (
    *("git", "--no-pager", "--no-replace-objects"),
    *("-c", "core.fsmonitor=", "-c", f"core.hooksPath={os.devnull}"),
)
_ENVIRON = {
    "GIT_ALLOW_PROTOCOL": "",  # nothing is fetched, also by a git that does not know the next one
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Ref:
    """A name for a commit: the tree of that commit, and its time in seconds of UTC."""

    name: str
    tree: str
    at: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder in a tree."""

    name: str
    id: str
    is_tree: bool


class Objects:
    """The objects of one repository; ``folder`` is the one that all its worktrees share.

    Every method raises ``OSError`` where git is missing, fails, or takes too long.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._folder = folder
        kept = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
        self._environ = kept | _ENVIRON

    def refs(self, *patterns: str) -> list[Ref]:
        """Return the refs that match, by name."""
        form = "--format=%(refname)%00%(tree)%00%(committerdate:unix)"
        with self._answer("for-each-ref", form, *patterns) as answer:
            rows = [line.decode(errors="replace").rstrip("\n").split("\0") for line in answer]
        return [Ref(name, tree, int(at or 0)) for name, tree, at in rows if tree]

    def left_out(self, trees: Collection[str]) -> frozenset[str]:
        """Return what of these trees is not here, because the repository is a partial clone.

        To ask such a repository for anything that it left out makes an older git give up.
        """
        if not _is_partial(self._folder):
            return frozenset()
        options = ("--objects", "--no-walk", "--missing=print", "--no-object-names", "--stdin")
        with self._answer("rev-list", *options, given=trees) as answer:
            return frozenset(x[1:].decode().strip() for x in answer if x.startswith(b"?"))

    def sizes(self, ids: Collection[str]) -> dict[str, int]:
        """Return the size in bytes of each object that is there."""
        with self._answer("cat-file", "--batch-check", given=ids) as answer:
            rows = [line.split() for line in answer]
        return {row[0].decode(): int(row[2]) for row in rows if len(row) == 3}

    def each(self, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each object that is there, one at a time."""
        with self._answer("cat-file", "--batch", given=ids) as answer:
            while head := answer.readline().split():
                if len(head) == 3:
                    yield head[0].decode(), answer.read(int(head[2]))
                    answer.read(1)  # the newline that follows an object

    def trees(self, ids: Collection[str]) -> dict[str, list[Entry]]:
        """Return what lies in each folder that is there."""
        return {id: list(_entries(data, len(id) // 2)) for id, data in self.each(ids)}

    def write(self, id: str, to: BinaryIO) -> None:
        """Write an object's bytes to a file, in flat memory."""
        self._run(("cat-file", "blob", id), None, to)

    @contextmanager
    def _answer(self, *arguments: str, given: Iterable[str] | None = None) -> Iterator[BinaryIO]:
        """Give what git prints, from a file, so that it is in memory only as far as it is read."""
        with ExitStack() as stack:
            asked: BinaryIO | None = None
            if given is not None:
                asked = stack.enter_context(tempfile.TemporaryFile())
                asked.writelines(id.encode() + b"\n" for id in given)
                asked.seek(0)
            answer = stack.enter_context(tempfile.TemporaryFile())
            self._run(arguments, asked, answer)
            answer.seek(0)
            yield answer

    def _run(self, arguments: Iterable[str], given: BinaryIO | None, to: BinaryIO) -> None:
        with tempfile.TemporaryFile() as said:
            try:
                done = subprocess.run(
                    [*_FIXED, f"--git-dir={self._folder}", *arguments],
                    stdin=given or subprocess.DEVNULL,
                    stdout=to,
                    stderr=said,
                    env=self._environ,
                    timeout=limits.GIT_SECONDS,
                    check=False,
                )
            except FileNotFoundError as fault:
                raise OSError(EIO, NO_GIT) from fault
            except subprocess.TimeoutExpired as fault:
                why = f"git took longer than {limits.GIT_SECONDS} seconds to read it"
                raise OSError(EIO, why) from fault
            if done.returncode:
                said.seek(0)
                first = said.readline(1_000).decode(errors="replace").strip()
                raise OSError(EIO, f"git does not read it: {first or done.returncode}")


def _is_partial(folder: Path) -> bool:
    """Tell whether a repository was told to leave out what its remote has (``partialclone``)."""
    try:
        with (folder / "config").open("rb") as file:
            settings = file.read(limits.GIT_FILE_BYTES).lower()
    except FileNotFoundError:
        return False
    return b"promisor" in settings or b"partialclone" in settings


def _entries(tree: bytes, id_bytes: int) -> Iterator[Entry]:
    """Yield the entries of a tree object: mode, name, zero, id."""
    place = 0
    while 0 <= (end := tree.find(b"\0", place)) <= len(tree) - id_bytes - 1:
        mode, _, name = tree[place:end].partition(b" ")
        place = end + 1 + id_bytes
        yield Entry(name.decode(errors="replace"), tree[end + 1 : place].hex(), mode == b"40000")
