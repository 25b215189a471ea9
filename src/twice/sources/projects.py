"""The project that a session belongs to, from its recorded folder and git; never from a name."""

import os
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its keys, strongest first, its folder and its name."""

    keys: tuple[str, ...]
    root: Path
    name: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """No project; ``reason`` is ``temp``, ``home`` or ``missing``."""

    reason: str


def identify(
    cwd: str,
    *,
    remote: str = "",
    root: str = "",
    home: Path,
    temp: tuple[Path, ...] = (),
    known_roots: Collection[Path] = (),
) -> Project | Elsewhere:
    """Return the project of a recorded folder."""
    text = unicodedata.normalize("NFC", cwd or root)
    if not text:
        return Elsewhere("missing")
    path = Path(os.path.realpath(text))
    for folder in (path, *path.parents):
        if (folder / ".git").exists():
            return Project((f"git:{folder / '.git'}",), folder, folder.name)
    if path == home or path == Path("/"):
        return Elsewhere("home")
    if any(path == t or t in path.parents for t in temp):
        return Elsewhere("temp")
    return Project((f"path:{path}",), path, path.name, not path.is_dir())
