"""The folder that an editor of the VS Code family had open, as it notes it beside its state.

Each window has a folder of its own in ``workspaceStorage``, with a ``workspace.json`` that names
what was open: a folder, or a file that lists several.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import msgspec

from twice.core import limits
from twice.sources.lines import small

STORAGE = "workspaceStorage"
GLOBAL = "globalStorage"

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(/[^?#]*)?")
_DRIVE = re.compile(r"/([A-Za-z]):(/.*)?")
# What JSON with comments has more than JSON; strings are matched first, so that they stay.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)


class _Opened(msgspec.Struct):
    folder: str | None = None
    workspace: str | None = None
    configuration: str | None = None


class _Listed(msgspec.Struct):
    path: str | None = None
    uri: str | None = None


class _Several(msgspec.Struct):
    folders: list[_Listed] = []


class _Container(msgspec.Struct, rename="camel"):
    host_path: str | None = None


_OPENED = msgspec.json.Decoder(_Opened)
_SEVERAL = msgspec.json.Decoder(_Several)
_CONTAINER = msgspec.json.Decoder(_Container)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a window had open: a folder of this machine, a git remote, or neither."""

    folder: str = ""
    remote: str = ""


NOTHING = Opened()


def user_folders(environ: Mapping[str, str], names: tuple[str, ...]) -> Iterator[Path]:
    """Yield the ``User`` folders that editors with these names have on this machine."""
    if portable := environ.get("VSCODE_PORTABLE"):
        yield from _existing(Path(portable, "user-data", "User"))
    for root in _roots(environ):
        for name in names:
            yield from _existing(root / name / "User")


def _roots(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield where applications keep their data; under WSL those of Windows as well."""
    if moved := environ.get("VSCODE_APPDATA"):
        yield Path(moved)
    if roaming := environ.get("APPDATA"):
        yield Path(roaming)
    yield Path.home() / "Library" / "Application Support"
    yield Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    if environ.get("WSL_DISTRO_NAME"):
        yield from sorted(Path("/mnt/c/Users").glob("*/AppData/Roaming"))


def _existing(folder: Path) -> Iterator[Path]:
    with suppress(OSError):  # another person's, under WSL
        if folder.is_dir():
            yield folder


def opened_in(storage: Path) -> Opened:
    """Return what the window had open whose folder in ``workspaceStorage`` this is."""
    with suppress(msgspec.MsgspecError, RecursionError):
        noted = _OPENED.decode(small(storage / "workspace.json", limits.FOLDER_LIST_BYTES) or b"{}")
        if noted.folder:
            return opened_at(noted.folder)
        if several := noted.workspace or noted.configuration:
            return _one_of_several(opened_at(several).folder)
    return NOTHING


def opened_at(uri: str) -> Opened:
    """Return what a URI names.

    >>> opened_at("file:///work/my%20shop").folder
    '/work/my shop'
    >>> opened_at("vscode-vfs://github/ann/shop").remote
    'https://github.com/ann/shop'
    """
    found = _URI.match(uri)
    if not found:
        return NOTHING
    scheme, host, path = found[1].lower(), unquote(found[2]).lower(), unquote(found[3] or "")
    if scheme == "file":
        return Opened(_local(host, path))
    if scheme == "vscode-remote":
        return Opened(_in_container(unquote(found[2])) or _if_here(path))
    if scheme == "vscode-vfs" and host.partition("+")[0] == "github":
        return Opened(remote=f"https://github.com{path}")
    return NOTHING


def local_path(path: str) -> str:
    """Return a path as this machine writes it, or an empty string where it is none of its own.

    A folder of Windows is none elsewhere; WSL knows it under another name.

    >>> local_path("/work/shop"), local_path("shop")
    ('/work/shop', '')
    """
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:[\\/]", path) else path
    if drive := _DRIVE.fullmatch(path if path.startswith("/") else f"/{path}"):
        if os.name == "nt":
            return f"{drive[1].upper()}:{drive[2] or '/'}"
        return _if_here(f"/mnt/{drive[1].lower()}{drive[2] or '/'}")
    return path if path.startswith("/") else ""


def _local(host: str, path: str) -> str:
    if host in ("", "localhost"):
        return local_path(path)
    if host in ("wsl.localhost", "wsl$"):  # the first part is the name of the distribution
        return _if_here("/" + path.lstrip("/").partition("/")[2])
    return f"//{host}{path}" if os.name == "nt" else ""


def _if_here(path: str) -> str:
    """Return the path of a folder on another system where it is one of this system too."""
    return path if path.startswith("/") and Path(path).is_dir() else ""


def _in_container(host: str) -> str:
    """Return the folder of this machine that a development container was made for."""
    kind, _, made_for = host.partition("+")
    if kind.lower() != "dev-container":
        return ""
    with suppress(ValueError):
        data = bytes.fromhex(made_for.partition("@")[0])
        with suppress(msgspec.MsgspecError, RecursionError):
            return local_path(_CONTAINER.decode(data).host_path or "")
        return local_path(data.decode(errors="replace"))
    return ""


def _one_of_several(listing: str) -> Opened:
    """Return the one folder of a list of folders, or the one that holds them all, if there is.

    In a window with several folders nobody can tell which one was meant.
    """
    if not listing:
        return NOTHING
    text = small(Path(listing), limits.FOLDER_LIST_BYTES).decode("utf-8-sig", errors="replace")
    text = _TRAILING_COMMA.sub(_string, _COMMENT.sub(_string, text))
    with suppress(msgspec.MsgspecError, RecursionError):
        listed = [_folder_of(each, Path(listing).parent) for each in _SEVERAL.decode(text).folders]
        folders = sorted({folder for folder in listed if folder})
        if len(folders) == 1 and all(listed):
            return Opened(folders[0])
        above = os.path.normpath(Path(listing).parent)
        if all(listed) and above in folders and all(Path(f).is_relative_to(above) for f in folders):
            return Opened(above)
    return NOTHING


def _string(found: re.Match[str]) -> str:
    return found[1] or ""


def _folder_of(listed: _Listed, beside: Path) -> str:
    if listed.uri:
        return opened_at(listed.uri).folder
    return os.path.normpath(beside / listed.path) if listed.path else ""
