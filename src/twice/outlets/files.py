"""Whole files put into, and taken out of, a person's folders: over nothing, and undone exactly.

Nothing half-written ever stands under a final name. Every call may be cut off at any write:
the same call again, or ``tidy``, leaves the tree clean.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from twice.core.limits import FILE_BYTES
from twice.outlets.edits import Replaced, replace
from twice.outlets.handles import (
    Changed,
    Folder,
    Found,
    Missing,
    Unsafe,
    components,
    exists,
    faults,
    look,
    missing,
    open_root,
    reach,
)
from twice.outlets.writes import Step, make, marked, prune, put, remove_same, silent, sweep

__all__ = [
    "Changed",
    "Intact",
    "Missing",
    "Published",
    "Replaced",
    "Retired",
    "Step",
    "Unsafe",
    "intact",
    "missing_folders",
    "prune",
    "publish",
    "replace",
    "retire",
    "silent",
    "tidy",
]


@dataclass(frozen=True, slots=True)
class Published:
    """A new file stands: its digest, and the folders that were created for it."""

    digest: str
    created: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Intact:
    """The file holds exactly the bytes that were published."""


@dataclass(frozen=True, slots=True)
class Retired:
    """A file was moved away, whole, to ``path``; ``pruned`` are the folders taken away."""

    path: Path
    pruned: tuple[str, ...]


def missing_folders(root: Path, relative: str) -> tuple[str, ...] | Unsafe:
    """Return the folders that ``publish`` would create, outermost first.

    A receipt that is written before the publication names them, so that a crash on the way
    does not lose which folders were ours.
    """
    names = components(relative)
    if isinstance(names, Unsafe):
        return names
    return missing(root, names[:-1])


def publish(root: Path, relative: str, data: bytes, *, step: Step = silent) -> Published | Unsafe:
    """Write a new file below a root; refuse where anything has its name.

    Raises ``Fault`` where the disk refuses; then nothing of the attempt is left.
    """
    if not data:
        return Unsafe("it would be an empty file", relative)
    if len(data) > FILE_BYTES:
        return Unsafe("it is too large to be handled", relative)
    with faults(root / relative):
        created = missing_folders(root, relative)
        if isinstance(created, Unsafe):
            return created
        try:
            refused = _publish(root, tuple(relative.split("/")), data, step)
        except OSError:
            prune(root, created)
            raise
        if refused is not None:
            prune(root, created)
            return refused
    return Published(hashlib.sha256(data).hexdigest(), created)


def _publish(root: Path, names: tuple[str, ...], data: bytes, step: Step) -> Unsafe | None:
    taken = Unsafe("something with this name exists already", str(root.joinpath(*names)))
    folder = make(root, names[:-1], step=step)
    if isinstance(folder, Missing):
        return Unsafe("the folder is gone", str(root.joinpath(*names[:-1])))
    if isinstance(folder, Unsafe):
        return folder
    with folder:
        sweep(folder, step=step)
        if exists(folder, names[-1]) or not put(folder, names[-1], data, step=step):
            return taken
    return None


def intact(root: Path, relative: str, digest: str) -> Intact | Missing | Changed | Unsafe:
    """Compare a published file with the SHA-256 (hex) of the bytes it was published with."""
    names = components(relative)
    if isinstance(names, Unsafe):
        return names
    with faults(root / relative):
        folder = reach(root, names[:-1])
        if not isinstance(folder, Folder):
            return folder
        with folder:
            return _compare(look(folder, names[-1]), digest)


def _compare(found: Found | Missing | Unsafe, digest: str) -> Intact | Missing | Changed | Unsafe:
    if not isinstance(found, Found):
        return found
    return Intact() if found.digest == digest else Changed(found.digest)


def retire(
    root: Path,
    relative: str,
    digest: str,
    destination: Path,
    *,
    created: tuple[str, ...] = (),
    step: Step = silent,
) -> Retired | Missing | Changed | Unsafe:
    """Move an intact file to ``destination/<its name>``, be it on another disk.

    ``created`` are folders that a publication made; those that are empty now are removed. A
    file that was moved before is reported as retired again.
    """
    names = components(relative)
    if isinstance(names, Unsafe):
        return names
    kept = destination / names[-1]
    with faults(root / relative):
        folder = reach(root, names[:-1])
        if isinstance(folder, Unsafe):
            return folder
        if isinstance(folder, Missing):
            outcome: Missing | Changed | Unsafe | None = _moved_before(kept, digest)
        else:
            with folder:
                outcome = _retire(folder, names[-1], digest, kept, step)
        if outcome is not None:
            return outcome
        return Retired(kept, prune(root, created, step=step))


def _retire(
    folder: Folder, name: str, digest: str, kept: Path, step: Step
) -> Missing | Changed | Unsafe | None:
    sweep(folder, step=step)
    found = look(folder, name)
    if isinstance(found, Missing):
        return _moved_before(kept, digest)
    if isinstance(found, Unsafe):
        return found
    if found.digest != digest:
        return Changed(found.digest)
    refused = _keep(found, kept, step)
    return refused or remove_same(folder, name, found, step=step)


def _moved_before(kept: Path, digest: str) -> Missing | None:
    folder = reach(kept.parent, ())
    if not isinstance(folder, Folder):
        return Missing()
    with folder:
        found = look(folder, kept.name)
    return None if isinstance(found, Found) and found.digest == digest else Missing()


def _keep(found: Found, kept: Path, step: Step) -> Unsafe | None:
    with marked(step, "create folder"):
        for made in (*reversed(kept.parent.parents), kept.parent):
            made.mkdir(mode=0o700, exist_ok=True)
    folder = open_root(kept.parent)
    if isinstance(folder, Unsafe):
        return folder
    with folder:
        sweep(folder, step=step)
        if not exists(folder, kept.name):
            put(folder, kept.name, found.data, like=found, step=step)
        copy = look(folder, kept.name)
    if isinstance(copy, Found) and copy.data == found.data:
        return None
    return Unsafe("another file is kept under this name", str(kept))


def tidy(folder: Path, *, step: Step = silent) -> tuple[str, ...]:
    """Remove temporary files that a crash of ours left right in a folder; return their names."""
    with faults(folder):
        here = open_root(folder)
        if isinstance(here, Unsafe):
            return ()
        with here:
            return sweep(here, step=step)
