"""The project that a session belongs to, from its recorded folder and git; never from a name."""

import configparser
import os
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from twice.core.limits import GIT_FILE_BYTES, WORKTREES
from twice.core.places import Elsewhere, Place

# What stands in the folder that people would call the project, and not in one that holds projects.
_MARKERS = (
    ".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "Gemfile", "composer.json", "mix.exs", "CMakeLists.txt", "Makefile", "AGENTS.md", "CLAUDE.md",
    ".claude", ".agents", ".codex", ".cursor", ".specstory", ".twice",
)  # fmt: skip
_SCP = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)")


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository: the folder that all its worktrees share, and where people work in it."""

    common: Path
    root: Path


def identify(
    cwd: str,
    *,
    remote: str = "",
    root: str = "",
    home: Path,
    temp: tuple[Path, ...] = (),
    known_roots: Collection[Path] = (),
) -> Place | Elsewhere:
    """Return the project of a recorded folder, or why it has none.

    In this order: the repository around it (also of a worktree that was deleted), the recorded
    git remote, the folder itself. ``root``, where a project's own history lies, stands for a
    missing ``cwd``; nobody keeps a history in a folder that is temporary to them.
    ``known_roots`` are folders of other sessions, in whose repositories and below which a lost
    folder is looked for.
    """
    recorded = unicodedata.normalize("NFC", cwd or root)
    if not recorded:
        return Elsewhere("missing")
    path = Path(os.path.realpath(recorded))
    gone = not path.is_dir()
    found = repository_around(path, home=home) or _repository_of_lost(path, known_roots, gone)
    if found is not None:
        return Place(_keys(found, remote), str(found.root), found.root.name, gone=False)
    far = normalised_remote(remote)
    if far:
        keys = (f"remote:{far}", f"path:{path}")
        return Place(keys, str(path), far.rpartition("/")[2], gone)
    if path in (home, Path(os.path.realpath(home)), Path(path.anchor)):
        return Elsewhere("home")
    if cwd and any(path.is_relative_to(folder) for folder in temp):
        return Elsewhere("temp")
    folder = _project_above(path, known_roots, home=home, gone=gone)
    return Place((f"path:{folder}",), str(folder), folder.name, not folder.is_dir())


def repository_around(path: Path, *, home: Path) -> Repository | None:
    """Return the repository that a folder, or what is left above it, lies in.

    A home folder that is itself a repository (of settings, say) is nobody's project.
    """
    homes = (home, Path(os.path.realpath(home)))
    for folder in (path, *path.parents):
        if folder in homes:
            return None
        if found := repository_at(folder):
            return found
    return None


def repository_at(folder: Path) -> Repository | None:
    """Return the repository that people work on in a folder, or that is this folder itself."""
    marker = folder / ".git"
    if marker.is_dir():
        return Repository(_common(marker), _root(_common(marker), folder))
    if marker.is_file() and (found := _linked(marker)):
        return found
    if all((folder / name).is_dir() for name in ("objects", "refs")) and (folder / "HEAD").exists():
        common = Path(os.path.realpath(folder))
        return Repository(common, _root(common, common))
    return None


def _linked(marker: Path) -> Repository | None:
    """Return the repository that a ``.git`` file of a worktree or submodule points to."""
    target = _line(marker).partition("gitdir:")[2].strip()
    if not target:
        return None
    folder = Path(os.path.realpath(marker.parent / target))
    common = _common(folder)
    if common.is_dir():
        return Repository(common, _root(common, marker.parent))
    main = _main_of(folder)
    return Repository(main, main.parent) if main is not None else None


def _main_of(folder: Path) -> Path | None:
    """Return the repository of a worktree whose own entry in it was pruned."""
    main = folder.parent.parent
    return main if folder.parent.name == "worktrees" and main.is_dir() else None


def _common(folder: Path) -> Path:
    """Return the folder that all worktrees share (gitrepository-layout, ``commondir``)."""
    named = _line(folder / "commondir").strip()
    return Path(os.path.realpath(folder / named)) if named else Path(os.path.realpath(folder))


def _root(common: Path, worktree: Path) -> Path:
    """Return where people work in a repository: beside ``.git``, for a bare one inside it."""
    if common.name == ".git":
        return common.parent
    return worktree if "modules" in common.parts else common


def _repository_of_lost(path: Path, known_roots: Collection[Path], gone: bool) -> Repository | None:
    """Find the repository that still lists a deleted folder as one of its worktrees."""
    if not gone:
        return None
    for root in known_roots:
        common = _common(root / ".git") if (root / ".git").is_dir() else root
        for entry in _entries(common / "worktrees"):
            listed = Path(_line(entry / "gitdir").strip())
            if listed.name == ".git" and path.is_relative_to(os.path.realpath(listed.parent)):
                return Repository(common, _root(common, root))
    return None


def _project_above(path: Path, known_roots: Collection[Path], *, home: Path, gone: bool) -> Path:
    """Return the outermost known folder that a folder without a repository belongs to.

    A folder that merely holds projects, such as ``~/code``, does not take them in.
    """
    for known in reversed(path.parents):
        if known not in known_roots or known in (home, Path(path.anchor)):
            continue
        holds_others = known.is_dir() and not _is_marked(known) and (gone or _is_marked(path))
        if not holds_others:
            return known
    return path


def _is_marked(folder: Path) -> bool:
    return any((folder / name).exists() for name in _MARKERS)


def _keys(found: Repository, remote: str) -> tuple[str, ...]:
    keys = [f"git:{found.common}"]
    if far := normalised_remote(remote) or normalised_remote(_origin(found.common)):
        keys.append(f"remote:{far}")
    return tuple(keys)


def _origin(common: Path) -> str:
    """Return the URL of the remote ``origin``, as the repository's own file tells it."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(_text(common / "config"))
        return parser.get('remote "origin"', "url", fallback="") or ""
    except configparser.Error:
        return ""


def normalised_remote(url: str) -> str:
    """Write a remote the same however it is reached: host and path, without who asks.

    >>> normalised_remote("git@GitHub.com:ann/shop.git")
    'github.com/ann/shop'
    >>> normalised_remote("https://token@github.com/ann/shop/")
    'github.com/ann/shop'
    """
    url = url.strip()
    found = _URL.fullmatch(url) or _SCP.fullmatch(url)
    if found is None:
        return ""
    path = found[2].strip("/").removesuffix(".git").strip("/")
    return f"{found[1].lower()}/{path}" if path else ""


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:WORKTREES]
    except OSError:
        return []


def _line(path: Path) -> str:
    return _text(path).partition("\n")[0]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(GIT_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
