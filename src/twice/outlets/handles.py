"""Folders and files opened by descriptor, through no symlink.

A path is walked component by component from its root. Whoever swaps a folder for a link while
we work gets a refusal: a descriptor stays with the folder that it was opened on.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from twice.core.errors import Fault
from twice.core.limits import FILE_BYTES, FOLDER_DEPTH

_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSED
# Non-blocking, or a named pipe would hold us for ever.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CLOSED
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSED
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class Unsafe:
    """A path that is left alone, and why; both are shown to a person as they are."""

    reason: str
    path: str


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no such file."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The file holds other bytes than expected; ``digest`` is of what it holds."""

    digest: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a regular file held when it was read, and which file that was."""

    data: bytes
    inode: tuple[int, int]
    mode: int
    owner: tuple[int, int]

    @property
    def digest(self) -> str:
        """SHA-256 of the exact bytes, in hex."""
        return hashlib.sha256(self.data).hexdigest()


class Folder:
    """An open folder; closes its descriptor at the end of a ``with`` block."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self.descriptor = descriptor
        self.path = path

    def __enter__(self) -> "Folder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


def components(relative: str) -> tuple[str, ...] | Unsafe:
    """Split a path below a root; refuse one that could leave it or enter ``.git``.

    >>> components(".agents/skills/x/SKILL.md")
    ('.agents', 'skills', 'x', 'SKILL.md')
    """
    names = tuple(relative.split("/"))
    if len(names) > FOLDER_DEPTH:
        return Unsafe("the path is too deep", relative)
    if any(name in ("", ".", "..") for name in names):
        return Unsafe("the path does not stay below its folder", relative)
    if any(character < " " or character in "\\\x7f" for character in relative):
        return Unsafe("the path holds a character that is not allowed", relative)
    if any(is_git(name) for name in names):
        return Unsafe("nothing is written inside .git", relative)
    return names


def is_git(name: str) -> bool:
    """Tell whether some file system would take a name for ``.git``."""
    return _INVISIBLE.sub("", name).rstrip(". ").casefold() in (".git", "git~1")


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a fault that names the file."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise Fault(f"Cannot write {path}: {why}.", hint=_HINTS.get(error.errno or 0, "")) from None


_HINTS = {
    errno.ENOSPC: "Free some disk space, then try again.",
    errno.EACCES: "Check who may write to this folder, then try again.",
    errno.EROFS: "The folder is on a read-only disk.",
    errno.EPERM: "This file system may not allow hard links; move the project to one that does.",
}


def open_root(root: Path) -> Folder | Unsafe:
    """Open the folder that everything else is below."""
    if os.open not in os.supports_dir_fd or os.link not in os.supports_dir_fd:
        raise Fault(
            "Files cannot be written safely on this system.",
            hint="Use Linux, macOS or the Windows Subsystem for Linux.",
        )
    try:
        descriptor = os.open(root, _FOLDER)
    except FileNotFoundError:
        return Unsafe("the folder is gone", str(root))
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        return Unsafe("it is a symlink or not a folder", str(root))
    folder = Folder(descriptor, root)
    if any(is_git(name) for name in Path(os.path.realpath(root)).parts) or _is_bare(folder):
        os.close(descriptor)
        return Unsafe("nothing is written inside .git", str(root))
    return folder


def _is_bare(folder: Folder) -> bool:
    return all(exists(folder, name) for name in ("HEAD", "objects", "refs"))


def exists(folder: Folder, name: str) -> bool:
    """Tell whether a name is taken in any form, be it a link to nothing."""
    try:
        os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def names_in(folder: Folder) -> list[str]:
    """Return the names in a folder, sorted."""
    with os.scandir(folder.descriptor) as entries:
        return sorted(entry.name for entry in entries)


def enter(folder: Folder, name: str) -> Folder | Missing | Unsafe:
    """Open a folder right below another one."""
    path = folder.path / name
    try:
        return Folder(os.open(name, _FOLDER, dir_fd=folder.descriptor), path)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        return Unsafe("it is a symlink or not a folder", str(path))


def reach(root: Path, names: tuple[str, ...]) -> Folder | Missing | Unsafe:
    """Open the folder at the end of a path below a root."""
    here: Folder | Missing | Unsafe = open_root(root)
    for name in names:
        if not isinstance(here, Folder):
            break
        with here:
            below = enter(here, name)
        here = below
    return here


def missing(root: Path, names: tuple[str, ...]) -> tuple[str, ...] | Unsafe:
    """Return the folders of a path that do not exist yet, outermost first."""
    for depth in range(len(names) + 1):
        here = reach(root, names[:depth])
        if isinstance(here, Unsafe):
            return here
        if isinstance(here, Missing):
            return tuple("/".join(names[:end]) for end in range(depth, len(names) + 1))
        os.close(here.descriptor)
    return ()


def look(folder: Folder, name: str) -> Found | Missing | Unsafe:
    """Read one regular file whole; anything else under its name is refused."""
    path = str(folder.path / name)
    try:
        descriptor = os.open(name, READ, dir_fd=folder.descriptor)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):
            raise
        return Unsafe("it is a symlink or not a regular file", path)
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return Unsafe("it is a symlink or not a regular file", path)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        return Unsafe("it is too large to be handled", path)
    identity, owner = (about.st_dev, about.st_ino), (about.st_uid, about.st_gid)
    return Found(data, identity, stat.S_IMODE(about.st_mode), owner)
