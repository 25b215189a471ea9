"""The few single writes that happen in an open folder, each announced before and after.

A temporary file is whole and durable before it gets a final name, so nothing half-written ever
stands under one.
"""

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from twice.outlets.handles import (
    CREATE,
    READ,
    Changed,
    Folder,
    Found,
    Missing,
    Unsafe,
    components,
    enter,
    exists,
    faults,
    look,
    names_in,
    open_root,
    reach,
)

if sys.platform != "win32":
    import fcntl

_TEMPORARY = re.compile(r"\.twice-[0-9a-f]{16}\.tmp")

Step = Callable[[str], None]
"""Told right before and right after each single write: "before link", "after link"."""


def silent(name: str) -> None:
    """Do nothing at a step."""


@contextmanager
def marked(step: Step, name: str) -> Iterator[None]:
    """Announce one write before and after it happens."""
    step(f"before {name}")
    yield
    step(f"after {name}")


def make(root: Path, names: tuple[str, ...], *, step: Step = silent) -> Folder | Missing | Unsafe:
    """Open the folder at the end of a path, creating what is missing on the way."""
    here: Folder | Missing | Unsafe = open_root(root)
    for name in names:
        if not isinstance(here, Folder):
            break
        with here:
            if not exists(here, name):
                with marked(step, "create folder"), suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=here.descriptor)
                sync(here)
            below = enter(here, name)
        here = below
    return here


def sync(folder: Folder) -> None:
    """Make the names of a folder durable, where its file system can."""
    try:
        os.fsync(folder.descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


@contextmanager
def temporary(
    folder: Folder, data: bytes, *, like: Found | None = None, step: Step = silent
) -> Iterator[str]:
    """Hold a whole, durable file under a name of ours; take it away again if a write fails.

    ``like`` is the file whose mode and owner it takes. The lock on it tells ``sweep`` that we
    are alive.
    """
    name, descriptor = _claim(folder, step)
    try:
        _fill(descriptor, data, like, step)
        yield name
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder.descriptor)
        raise
    finally:
        os.close(descriptor)


def _claim(folder: Folder, step: Step) -> tuple[str, int]:
    while True:
        name = f".twice-{secrets.token_hex(8)}.tmp"
        with marked(step, "create"):
            descriptor = os.open(name, CREATE, 0o644, dir_fd=folder.descriptor)
        _lock(descriptor, wait=True)
        # Another process may have swept it away before it was locked.
        if os.fstat(descriptor).st_nlink:
            return name, descriptor
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool) -> bool:
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _fill(descriptor: int, data: bytes, like: Found | None, step: Step) -> None:
    with marked(step, "write"):
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    if like is not None:
        with suppress(PermissionError):
            os.chown(descriptor, *like.owner)
        os.chmod(descriptor, like.mode)
    os.fsync(descriptor)


def link(folder: Folder, source: str, name: str, *, step: Step = silent) -> bool:
    """Give a temporary file its final name, over nothing; False where the name was taken."""
    try:
        with marked(step, "link"):
            at = folder.descriptor
            os.link(source, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
    except FileExistsError:
        return False
    sync(folder)
    return True


def unlink(folder: Folder, name: str, *, step: Step = silent) -> None:
    """Take one name out of a folder."""
    with marked(step, "unlink"):
        os.unlink(name, dir_fd=folder.descriptor)
    sync(folder)


def sweep(folder: Folder, *, step: Step = silent) -> tuple[str, ...]:
    """Remove the temporary files of ours that no living process holds."""
    stale = [name for name in names_in(folder) if _TEMPORARY.fullmatch(name)]
    return tuple(name for name in stale if _sweep_one(folder, name, step))


def _sweep_one(folder: Folder, name: str, step: Step) -> bool:
    try:
        descriptor = os.open(name, READ, dir_fd=folder.descriptor)
    except OSError:
        return False
    try:
        about = os.fstat(descriptor)
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        if not ours or not _lock(descriptor, wait=False):
            return False
        with suppress(FileNotFoundError):
            unlink(folder, name, step=step)
        return True
    finally:
        os.close(descriptor)


def put(
    folder: Folder, name: str, data: bytes, *, like: Found | None = None, step: Step = silent
) -> bool:
    """Write a whole new file; False where its name was taken."""
    with temporary(folder, data, like=like, step=step) as source:
        linked = link(folder, source, name, step=step)
        unlink(folder, source, step=step)
    return linked


def remove_same(
    folder: Folder, name: str, found: Found, *, step: Step = silent
) -> Missing | Changed | Unsafe | None:
    """Take a file out of a folder if it is still the one that was read; else say what it is."""
    with marked(step, "unlink"):
        refused = differs(folder, name, found)
        if refused is None:
            os.unlink(name, dir_fd=folder.descriptor)
    sync(folder)
    return refused


def differs(folder: Folder, name: str, found: Found) -> Missing | Changed | Unsafe | None:
    """Say what a name holds now, or None where it is the same file with the same bytes."""
    now = look(folder, name)
    if not isinstance(now, Found):
        return now
    same = now.inode == found.inode and now.data == found.data
    return None if same else Changed(now.digest)


def prune(root: Path, folders: tuple[str, ...], *, step: Step = silent) -> tuple[str, ...]:
    """Remove those of some folders below a root that are empty; return the ones removed."""
    deepest_first = sorted(folders, key=lambda folder: folder.count("/"), reverse=True)
    with faults(root):
        return tuple(folder for folder in deepest_first if _prune_one(root, folder, step))


def _prune_one(root: Path, relative: str, step: Step) -> bool:
    names = components(relative)
    if isinstance(names, Unsafe):
        return False
    parent = reach(root, names[:-1])
    if not isinstance(parent, Folder):
        return False
    with parent:
        folder = enter(parent, names[-1])
        if not isinstance(folder, Folder):
            return False
        with folder:
            sweep(folder, step=step)
            if names_in(folder):
                return False
        with marked(step, "remove folder"):
            return _remove_folder(parent, names[-1])


def _remove_folder(parent: Folder, name: str) -> bool:
    try:
        os.rmdir(name, dir_fd=parent.descriptor)
    except OSError:
        # Somebody put a file into it, or took it away, in the meantime.
        return False
    sync(parent)
    return True
