"""Files of a person edited as a whole: compare, swap at once, and put back exactly."""

import os
from dataclasses import dataclass
from pathlib import Path

from twice.core.limits import FILE_BYTES
from twice.outlets.handles import (
    Changed,
    Folder,
    Found,
    Missing,
    Unsafe,
    components,
    faults,
    look,
    missing,
)
from twice.outlets.writes import (
    Step,
    differs,
    make,
    marked,
    prune,
    put,
    remove_same,
    silent,
    sweep,
    sync,
    temporary,
    unlink,
)


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file holds the new bytes.

    ``path`` is the real file that was edited, behind any link. ``wrote`` is False where it held
    them before. ``folders`` were created, or pruned where the file was removed.
    """

    path: Path
    wrote: bool
    folders: tuple[str, ...] = ()


def replace(
    path: Path,
    old: bytes | None,
    new: bytes | None,
    *,
    within: Path,
    created: tuple[str, ...] = (),
    step: Step = silent,
) -> Replaced | Missing | Changed | Unsafe:
    """Swap the bytes of a whole file if it still holds ``old``; its mode and links stay.

    ``old`` None: there is no such file yet. ``new`` None: remove it, and the folders of
    ``created`` that are empty then. A link is followed where it ends below ``within``.
    """
    if old is None and not new:
        return Unsafe("it would be an empty file", str(path))
    if new is not None and len(new) > FILE_BYTES:
        return Unsafe("it is too large to be handled", str(path))
    root = Path(os.path.realpath(within))
    names = _resolved(path, root)
    if isinstance(names, Unsafe):
        return names
    with faults(path):
        folders = missing(root, names[:-1])
        if isinstance(folders, Unsafe):
            return folders
        wrote = _replace_or_leave(root, names, old, new, folders, step)
        if not isinstance(wrote, bool):
            return wrote
        changed = prune(root, created, step=step) if new is None else folders
    return Replaced(root.joinpath(*names), wrote, changed)


def _resolved(path: Path, root: Path) -> tuple[str, ...] | Unsafe:
    real = Path(os.path.realpath(path))
    if path.is_symlink() and not real.exists():
        return Unsafe("it is a link to nothing", str(path))
    if not real.is_relative_to(root) or real == root:
        return Unsafe("it is outside of its folder", str(path))
    return components(real.relative_to(root).as_posix())


def _replace_or_leave(
    root: Path,
    names: tuple[str, ...],
    old: bytes | None,
    new: bytes | None,
    folders: tuple[str, ...],
    step: Step,
) -> bool | Missing | Changed | Unsafe:
    if folders and old is not None:
        return Missing() if new is not None else False
    try:
        wrote = _replace(root, names, old, new, step)
    except OSError:
        prune(root, folders)
        raise
    if not isinstance(wrote, bool):
        prune(root, folders)
    return wrote


def _replace(
    root: Path, names: tuple[str, ...], old: bytes | None, new: bytes | None, step: Step
) -> bool | Missing | Changed | Unsafe:
    folder = make(root, names[:-1], step=step)
    if not isinstance(folder, Folder):
        return folder
    with folder:
        sweep(folder, step=step)
        now = look(folder, names[-1])
        if isinstance(now, Unsafe):
            return now
        if (now.data if isinstance(now, Found) else None) == new:
            return False
        return _swap(folder, names[-1], now, old, new, step)


def _swap(
    folder: Folder,
    name: str,
    now: Found | Missing,
    old: bytes | None,
    new: bytes | None,
    step: Step,
) -> bool | Missing | Changed | Unsafe:
    if isinstance(now, Missing):
        if old is not None or new is None:
            return now
        return put(folder, name, new, step=step) or _taken(folder, name)
    if now.data != old:
        return Changed(now.digest)
    if not now.mode & 0o200:
        return Unsafe("it is read-only", str(folder.path / name))
    if new is None:
        return remove_same(folder, name, now, step=step) or True
    return _overwrite(folder, name, now, new, step) or True


def _taken(folder: Folder, name: str) -> Missing | Changed | Unsafe:
    now = look(folder, name)
    return Changed(now.digest) if isinstance(now, Found) else now


def _overwrite(
    folder: Folder, name: str, now: Found, new: bytes, step: Step
) -> Missing | Changed | Unsafe | None:
    at = folder.descriptor
    with temporary(folder, new, like=now, step=step) as source:
        with marked(step, "rename"):
            # As late as can be: a person may have saved the file while we wrote ours.
            refused = differs(folder, name, now)
            if refused is None:
                os.rename(source, name, src_dir_fd=at, dst_dir_fd=at)
        if refused is not None:
            unlink(folder, source, step=step)
        sync(folder)
    return refused
