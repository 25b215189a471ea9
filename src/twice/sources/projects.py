"""The project that a session belongs to, from its recorded folder and git; never from a name."""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from twice.core.limits import GIT_FILE_BYTES, WORKTREES
from twice.core.places import Elsewhere, Place
from twice.sources.folders import (
    folder_of,
    homes_of,
    is_file,
    is_folder,
    is_home,
    is_temporary,
    one_spelling,
)
from twice.sources.remotes import normalised_remote, remote_of, worktree_of

# What stands in the folder that people would call the project, and not in one that holds projects.
_MARKERS = (
    ".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "Gemfile", "composer.json", "mix.exs", "CMakeLists.txt", "Makefile", "AGENTS.md", "CLAUDE.md",
    ".claude", ".agents", ".codex", ".cursor", ".specstory", ".twice",
)  # fmt: skip
_BARE = ("objects", "refs")  # folders beside HEAD


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository: the folder that all its worktrees share, and where people work in it."""

    common: Path
    root: Path


class Landmarks:
    """Folders that other sessions were in, and the repositories around them, each asked once.

    A lost folder is looked for in the worktrees that those repositories list, and below the
    folders themselves. ``known`` are folders of projects, ``among`` such as sessions recorded.
    Made once for many questions, it answers each without looking at all.
    """

    def __init__(
        self, known: Iterable[Path] = (), among: Collection[Path] = (), *, home: Path
    ) -> None:
        self.home, self.homes = home, homes_of(home)
        self.known, self._among = frozenset(known), among
        self._real: dict[str, Path | None] = {}
        self._around: dict[Path, Repository | None] = {}

    @cached_property
    def folders(self) -> frozenset[str]:
        """All of the folders, as they really lie."""
        return frozenset(map(str, self._paths))

    @cached_property
    def _paths(self) -> frozenset[Path]:
        recorded = (self.real(str(folder)) for folder in self._among)
        return self.known.union(folder for folder in recorded if folder is not None)

    def real(self, recorded: str) -> Path | None:
        """Return a recorded folder as a real path of this machine, if it names one."""
        if recorded not in self._real:
            self._real[recorded] = folder_of(recorded, home=self.home)
        return self._real[recorded]

    def repository(self, path: Path) -> Repository | None:
        """Return the repository that a folder, or what is left above it, lies in.

        A home folder that is itself a repository (of settings, say) is nobody's project.
        """
        below: list[Path] = []
        found: Repository | None = None
        while path not in self.homes:
            if path in self._around:
                found = self._around[path]
                break
            below.append(path)
            found = repository_at(path)
            if found is not None:
                found = found if found.root not in self.homes else None
                break
            if (above := path.parent) == path:
                break
            path = above
        self._around.update(dict.fromkeys(below, found))
        return found

    def worktree(self, path: Path) -> tuple[Repository, Path] | None:
        """Return the repository that still lists a lost folder's worktree, and that worktree."""
        for folder in _upwards(path) if self._worktrees else ():
            if folder in self._worktrees:
                return self._worktrees[folder], Path(folder)
        return None

    @cached_property
    def _worktrees(self) -> dict[str, Repository]:
        """Every worktree that is listed, with its repository."""
        around = {r for folder in self._paths if (r := self.repository(folder)) is not None}
        found: dict[str, Repository] = {}
        for repository in sorted(around, key=lambda repository: repository.common):
            for folder in _listed_in(repository.common):
                found.setdefault(str(folder), repository)
        return found


def identify(
    cwd: str,
    *,
    remote: str = "",
    root: str = "",
    home: Path,
    temp: Collection[Path] = (),
    known_roots: Landmarks | Collection[Path] = (),
) -> Place | Elsewhere:
    """Return the project of a recorded folder, or why it has none.

    In this order: the repository around it (also of a worktree that was deleted), the recorded
    git remote, the folder itself. ``root``, where a project's own history lies, stands for a
    missing ``cwd``; nobody keeps a history in a folder that is temporary to them. Nor is a folder
    temporary that is a project's already.
    ``known_roots`` are folders of other sessions, in whose repositories and below which a lost
    folder is looked for.
    """
    marks = known_roots
    if not isinstance(marks, Landmarks):
        marks = Landmarks(among=marks, home=home)
    path = marks.real(cwd or root)
    if path is None:
        return Elsewhere("missing")
    gone = not is_folder(path)
    if found := marks.repository(path):
        return _place_of(found, _worktree_around(path), remote)
    if gone and (listed := marks.worktree(path)):
        return _place_of(*listed, remote)
    if is_home(path, marks.homes, gone=gone):
        return Elsewhere("home")
    temporary = bool(cwd) and is_temporary(path, temp, marks.homes)
    if far := normalised_remote(remote):
        own = () if temporary else (_path_key(path),)
        return Place((f"remote:{far}", *own), str(path), _name_in(remote) or path.name, gone)
    folder = _project_above(path, marks, gone=gone)
    if temporary and folder not in marks.known:
        return Elsewhere("temp")
    return Place((_path_key(folder),), str(folder), folder.name, not is_folder(folder))


def _place_of(found: Repository, worktree: Path | None, remote: str) -> Place:
    """Return the project of a repository, in one of whose worktrees a session was.

    It is known by the folder of that worktree, too, once this is deleted and listed no more.
    """
    urls = (remote_of(_text(found.common / "config")), remote)
    far = [f"remote:{url}" for url in map(normalised_remote, urls) if url]
    keys = (f"git:{one_spelling(str(found.common))}", *far, _path_key(found.root))
    name = found.root.name.removesuffix(".git") or str(found.root)
    later = (_path_key(worktree),) if worktree not in (None, found.root) else ()
    return Place(tuple(dict.fromkeys(keys)), str(found.root), name, gone=False, later=later)


def _worktree_around(path: Path) -> Path | None:
    """Return the worktree, beside the main one, that a folder lies in."""
    for folder in (path, *path.parents):
        if is_folder(folder / ".git"):
            return None
        if is_file(folder / ".git"):
            return folder
    return None


def _path_key(path: Path) -> str:
    return f"path:{one_spelling(str(path))}"


def _name_in(remote: str) -> str:
    """Return what a remote calls its repository, in its own letters."""
    return remote.strip().rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]


def repository_around(path: Path, *, home: Path) -> Repository | None:
    """Return the repository that a folder, or what is left above it, lies in."""
    return Landmarks(home=home).repository(path)


def repository_at(folder: Path) -> Repository | None:
    """Return the repository that people work on in a folder, or that is this folder itself."""
    if not is_folder(folder):
        return None
    marker = folder / ".git"
    if is_folder(marker):
        common = Path(os.path.realpath(marker))
        return Repository(common, common.parent if common.name == ".git" else folder)
    if is_file(marker):
        return _linked(marker)
    if is_file(folder / "HEAD") and all(is_folder(folder / n) for n in _BARE):
        common = Path(os.path.realpath(folder))
        return Repository(common, _root(common))
    return None


def _linked(marker: Path) -> Repository | None:
    """Return the repository that a ``.git`` file of a worktree or submodule points to."""
    target = _line(marker).partition("gitdir:")[2].strip()
    if not target:
        return None
    folder = Path(os.path.realpath(marker.parent / target))
    common = _common(folder)
    if is_folder(common):
        is_main = common == folder
        return Repository(common, marker.parent if is_main else _root(common))
    main = _main_of(folder)
    return Repository(main, _root(main)) if main is not None else None


def _main_of(folder: Path) -> Path | None:
    """Return the repository of a worktree whose own entry in it was pruned."""
    main = folder.parent.parent
    return main if folder.parent.name == "worktrees" and is_folder(main) else None


def _common(folder: Path) -> Path:
    """Return the folder that all worktrees share (gitrepository-layout, ``commondir``)."""
    named = _line(folder / "commondir").strip()
    return Path(os.path.realpath(folder / named))


def _root(common: Path) -> Path:
    """Return where people work in a repository: beside ``.git``, for a bare one inside it.

    A submodule names its folder; a bare repository whose name is hidden has its worktrees beside.
    """
    if common.name.startswith("."):
        return common.parent
    if named := worktree_of(_text(common / "config")):
        folder = Path(os.path.realpath(common / named))
        pointer = _line(folder / ".git").partition("gitdir:")[2].strip()
        if pointer and Path(os.path.realpath(folder / pointer)) == common:
            return folder
    return common


def _listed_in(common: Path) -> Iterator[Path]:
    """Yield the folders of the worktrees that a repository lists."""
    try:
        entries = sorted((common / "worktrees").iterdir())[:WORKTREES]
    except OSError:
        return
    for entry in entries:
        listed = Path(_line(entry / "gitdir").strip())
        if listed.name == ".git":
            yield Path(os.path.realpath(entry / listed.parent))


def _project_above(path: Path, marks: Landmarks, *, gone: bool) -> Path:
    """Return the outermost known folder that a folder without a repository belongs to.

    A folder that merely holds projects, such as ``~/code``, does not take them in.
    """
    for above in reversed([*_upwards(path.parent)]):
        if above not in marks.folders:
            continue
        known = Path(above)
        is_there = is_folder(known)
        if is_home(known, marks.homes, gone=not is_there):
            continue
        holds_others = is_there and not _is_marked(known) and (gone or _is_marked(path))
        if not holds_others:
            return known
    return path


def _upwards(path: Path) -> Iterator[str]:
    """Yield a folder and those above it, as text: there are many, and paths are slow to make."""
    text, root = str(path), path.anchor
    while len(text) > len(root):
        yield text
        text = text.rpartition(os.sep)[0]


def _is_marked(folder: Path) -> bool:
    return any(is_file(folder / name) or is_folder(folder / name) for name in _MARKERS)


def _line(path: Path) -> str:
    return _text(path).partition("\n")[0]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(GIT_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
