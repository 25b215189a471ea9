"""The folders that sessions recorded, as this machine writes them; which are nobody's project."""

import os
import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from twice.core.limits import FOLDER_CHARS

_DISK = re.compile(r"([A-Za-z]):[\\/]+(.*)", re.DOTALL)
_WSL = re.compile(r"[\\/]{2}wsl(?:\$|\.localhost)[\\/]+[^\\/]+(.*)", re.DOTALL | re.IGNORECASE)
_HOME = re.compile(r"/(?:home|Users|mnt/[a-z]/Users)(?:/[^/]+)?|/mnt/[a-z]|/root|/var/root")
_HOME_THERE = re.compile(r"/root|/home|/Users")
_TEMP = re.compile(
    r"(?:/private)?/var/folders/.*|/private/(?:var/)?tmp(?:/.*)?|/dev/shm(?:/.*)?|"
    r"/run/user/[0-9]+(?:/.*)?|/mnt/[a-z]/(?:Users/[^/]+/AppData/Local|Windows)/Temp(?:/.*)?",
    re.IGNORECASE | re.DOTALL,
)


def as_here(recorded: str) -> str:
    r"""Write a folder of Windows as WSL sees it, whichever of its names was recorded.

    >>> as_here(r"C:\Users\ann\src\app"), as_here(r"\\wsl$\Ubuntu\home\ann\app")
    ('/mnt/c/Users/ann/src/app', '/home/ann/app')
    """
    if os.sep == "\\":
        return recorded
    if found := _DISK.fullmatch(recorded):
        return f"/mnt/{found[1].lower()}/" + found[2].replace("\\", "/")
    if found := _WSL.fullmatch(recorded):
        return found[1].replace("\\", "/") or "/"
    return recorded.replace("\\", "/") if recorded.startswith("\\\\") else recorded


def folder_of(recorded: str, *, home: Path) -> Path | None:
    """Return a recorded folder as a real path of this machine; None for what names no folder.

    Where it is there under another spelling of its letters (NFC, NFD), that spelling is taken.
    """
    if not recorded or len(recorded) > FOLDER_CHARS or "\0" in recorded:
        return None
    path = as_here(recorded)
    if path == "~" or path.startswith("~/"):
        path = str(home) + path[1:]
    if not Path(path).is_absolute():
        return None
    try:
        return Path(os.path.realpath(_spelt(path)))
    except UnicodeEncodeError:  # half a character: no system has such a name
        return None


def _spelt(path: str) -> str:
    """Return a path in the spelling of what is there of it, and in NFC where nothing is."""
    if path.isascii():
        return path
    composed = Path(unicodedata.normalize("NFC", path))
    spellings = (Path(path), composed, Path(unicodedata.normalize("NFD", path)))
    for above in range(len(composed.parts) - 1):
        for spelt in spellings:
            there = spelt.parents[above - 1] if above else spelt
            if is_folder(there):
                return str(there.joinpath(*composed.parts[len(there.parts) :]))
    return str(composed)


def one_spelling(text: str) -> str:
    """Return a name in the one form that names are compared in."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def homes_of(home: Path) -> tuple[Path, ...]:
    """Return the home folder under both of its names: as it is set, and as it really lies."""
    return tuple({home, Path(os.path.realpath(home))})


def is_home(path: Path, homes: tuple[Path, ...], *, gone: bool) -> bool:
    """Tell a home folder, or what holds such or disks: of this machine, or of another one."""
    shape = _HOME if gone else _HOME_THERE
    return path in homes or path == Path(path.anchor) or bool(shape.fullmatch(str(path)))


def is_temporary(path: Path, temp: Collection[Path], homes: tuple[Path, ...]) -> bool:
    """Tell a temporary folder of this machine or another one; a home that lies in one is none."""
    inside = [home for home in homes if _lies_in(path, home)]
    for folder in temp:
        if _lies_in(path, folder) and not any(_lies_in(home, folder) for home in inside):
            return True
    return not inside and bool(_TEMP.fullmatch(str(path)))


def _lies_in(path: Path, folder: Path) -> bool:
    """Tell whether a path is a folder or lies in it, faster than paths themselves do."""
    text, around = str(path), str(folder)
    return text == around or text.startswith(around.rstrip(os.sep) + os.sep)


def temporary_folders(named: str, home: Path) -> frozenset[Path]:
    """Return where this machine keeps temporary files.

    ``named`` is what the environment says; a folder that holds the home, or everything, is none.
    """
    found = {Path(os.path.realpath(folder)) for folder in ("/tmp", "/var/tmp")}
    if Path(named).is_absolute():
        path = Path(os.path.realpath(named))
        found |= {path} if not any(h.is_relative_to(path) for h in homes_of(home)) else set()
    return frozenset(found)


def is_folder(path: Path) -> bool:
    """Tell whether a folder is there, as far as we may look."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Tell whether a file is there, as far as we may look."""
    try:
        return path.is_file()
    except OSError:
        return False
