"""Which project a folder belongs to, over real repositories."""

import shutil
import subprocess
from pathlib import Path

import pytest

from twice.core.places import Elsewhere, Place
from twice.sources.projects import identify, normalised_remote


def git(folder: Path, *arguments: str) -> None:
    """Run git as nobody in particular."""
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def shop(home: Path) -> Path:
    """Return a repository with one commit and a sub-folder."""
    folder = home / "code" / "shop"
    (folder / "apps" / "web").mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "Start")
    return folder


def place(cwd: Path | str, home: Path, **how: object) -> Place:
    found = identify(str(cwd), home=home, **how)  # type: ignore[arg-type]
    assert isinstance(found, Place), found
    return found


def test_sub_folders_belong_to_their_repository(shop: Path, home: Path) -> None:
    assert place(shop / "apps" / "web", home) == place(shop, home)
    assert place(shop, home).name == "shop"


def test_all_worktrees_are_one_project(shop: Path, home: Path) -> None:
    git(shop, "worktree", "add", str(home / "code" / "shop-fix"), "-b", "fix")
    git(shop, "worktree", "add", str(shop / ".worktrees" / "inner"), "-b", "inner")
    for folder in (home / "code" / "shop-fix", shop / ".worktrees" / "inner"):
        assert place(folder, home) == place(shop, home)


def test_a_deleted_worktree_is_found_in_the_repository_that_lists_it(
    shop: Path, home: Path
) -> None:
    beside, inside = home / "code" / "shop-fix", shop / ".worktrees" / "inner"
    git(shop, "worktree", "add", str(beside), "-b", "fix")
    git(shop, "worktree", "add", str(inside), "-b", "inner")
    shutil.rmtree(beside)
    shutil.rmtree(inside)
    assert place(beside / "src", home, known_roots=[shop]) == place(shop, home)
    assert place(inside, home) == place(shop, home)


def test_a_worktree_with_a_pruned_entry_still_knows_its_repository(shop: Path, home: Path) -> None:
    beside = home / "code" / "shop-fix"
    git(shop, "worktree", "add", str(beside), "-b", "fix")
    shutil.rmtree(shop / ".git" / "worktrees")
    assert place(beside, home).keys[0] == place(shop, home).keys[0]


def test_worktrees_of_a_bare_repository_are_one_project(home: Path, shop: Path) -> None:
    bare = home / "bare.git"
    git(home, "clone", "--bare", str(shop), str(bare))
    for name in ("one", "two"):
        git(bare, "worktree", "add", str(home / name), "-b", name)
    assert place(home / "one", home).keys[0] == place(home / "two", home).keys[0]


def test_clones_of_one_remote_share_a_key(shop: Path, home: Path) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:ann/shop.git")
    lost = place("/gone/shop", home, remote="https://github.com/ann/shop")
    assert set(lost.keys) & set(place(shop, home).keys) == {"remote:github.com/ann/shop"}


def test_equal_names_are_not_equal_projects(home: Path) -> None:
    assert not set(place("/a/app", home).keys) & set(place("/b/app", home).keys)


def test_temp_and_home_are_no_project(home: Path, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    (temp / "x").mkdir(parents=True)
    assert identify(str(temp / "x"), home=home, temp=(temp,)) == Elsewhere("temp")
    assert identify(str(home), home=home) == Elsewhere("home")
    assert identify("", home=home) == Elsewhere("missing")


def test_a_history_that_lies_in_temp_is_of_a_project(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "temp" / "x"
    folder.mkdir(parents=True)
    assert place("", home, root=str(folder), temp=(tmp_path / "temp",)).root == str(folder)


def test_a_repository_in_temp_is_a_project(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "temp" / "x"
    folder.mkdir(parents=True)
    git(folder, "init")
    assert place(folder, home, temp=(tmp_path / "temp",)).root == str(folder)


def test_a_home_under_git_takes_no_folder_in(home: Path) -> None:
    git(home, "init")
    (home / "notes").mkdir()
    assert identify(str(home), home=home) == Elsewhere("home")
    assert place(home / "notes", home).name == "notes"


def test_a_folder_below_another_recorded_one_belongs_to_it(home: Path) -> None:
    known = [Path("/w/app"), Path("/w/app/apps/web")]
    assert place("/w/app/apps/web", home, known_roots=known) == place("/w/app", home)


def test_a_folder_that_holds_projects_takes_none_in(home: Path) -> None:
    code = home / "code"
    code.mkdir()
    assert place(code / "one", home, known_roots=[code]).name == "one"
    (code / "package.json").write_text("{}")
    assert place(code / "one", home, known_roots=[code]).name == "code"


def test_a_vanished_folder_is_known_by_its_path(home: Path) -> None:
    found = place("/gone/app", home)
    assert (found.keys, found.gone) == (("path:/gone/app",), True)


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:ann/shop.git",
        "ssh://git@github.com:22/ann/shop",
        "https://user:secret@GitHub.com/ann/shop.git/",
        "git://github.com/ann/shop",
    ],
)
def test_a_remote_is_the_same_however_it_is_reached(url: str) -> None:
    assert normalised_remote(url) == "github.com/ann/shop"


def test_damaged_git_files_are_no_repository(home: Path) -> None:
    folder = home / "odd"
    folder.mkdir()
    (folder / ".git").write_bytes(b"\x00\xff not a pointer")
    assert place(folder, home).keys == (f"path:{folder}",)
