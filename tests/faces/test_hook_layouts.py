"""The hook finds the project of a folder by the rules of the sources, however folders lie."""

import os
import random
import sqlite3
import unicodedata
from pathlib import Path

import pytest

from twice.actions.kit import shorten, shorten_key
from twice.core.places import Elsewhere
from twice.faces import hook
from twice.sources.projects import identify

NAMES = ("a", "b", "code", "é", unicodedata.normalize("NFD", "é"), ".bare", "x.git")
KINDS = ("repository", "bare", "pointer", "worktree", "pruned", "damaged", "link", "marked")


class Layout:
    """Folders below a home and beside it, some of which are repositories in any shape."""

    def __init__(self, base: Path, chance: random.Random) -> None:
        self.home, self.chance = base / "home", chance
        self.home.mkdir()
        self.folders, self.commons = [self.home], [base / "nowhere"]
        for _ in range(chance.randint(2, 9)):
            folder = chance.choice([*self.folders, base]) / chance.choice(NAMES)
            folder.mkdir(exist_ok=True)
            self.folders.append(folder)
        for _ in range(chance.randint(1, 6)):
            self.furnish(chance.choice(self.folders), chance.choice(KINDS))

    def furnish(self, folder: Path, kind: str) -> None:
        """Make a folder a repository of some shape, unless it is one."""
        marker, common = folder / ".git", self.chance.choice(self.commons)
        if marker.exists() or marker.is_symlink() or (folder / "HEAD").exists():
            return
        match kind:
            case "repository":
                marker.mkdir()
                url = self.chance.choice(("git@github.com:ann/x.git", str(self.home / "far"), ""))
                (marker / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
                self.commons.append(marker)
            case "bare":
                (folder / "HEAD").touch()
                for name in ("objects", "refs"):
                    (folder / name).mkdir()
                self.commons.append(folder)
            case "pointer":
                marker.write_text(f"gitdir: {common}\n")
            case "worktree":
                entry = common / "worktrees" / "w"
                entry.mkdir(parents=True, exist_ok=True)
                (entry / "commondir").write_text("../..\n")
                marker.write_text(f"gitdir: {entry}\n")
            case "pruned":
                marker.write_text(f"gitdir: {common}/worktrees/gone\n")
            case "damaged":
                marker.write_bytes(b"\0\xff")
            case "link":
                marker.symlink_to(common)
            case _:
                (folder / "package.json").touch()


@pytest.mark.parametrize("seed", range(60))
def test_the_hook_agrees_with_the_sources_in_every_folder(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(Path(os.path.realpath(tmp_path)), random.Random(seed))
    home = layout.home
    monkeypatch.setenv("HOME", str(home))
    known = layout.chance.sample(layout.folders, layout.chance.randint(0, 2))
    store = sqlite3.connect(":memory:")
    store.execute("CREATE TABLE projects (root TEXT)")
    roots = [(shorten(folder, home),) for folder in known]
    store.executemany("INSERT INTO projects VALUES (?)", roots)
    for folder in (path for path in [*tmp_path.rglob("*"), tmp_path] if path.is_dir()):
        place = identify(str(folder), home=home, known_roots=known)
        keys = [] if isinstance(place, Elsewhere) else place.keys
        expected = [shorten_key(key, home) for key in keys]
        found = [key for key in hook._keys(store, str(folder)) if key != "remote:"]
        assert found == expected, folder
    store.close()
