"""Which project a folder belongs to, over real repositories."""

import os
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.places import Elsewhere, Place
from twice.sources import projects
from twice.sources.folders import as_here, temporary_folders
from twice.sources.projects import Landmarks, identify
from twice.sources.remotes import normalised_remote, remote_of


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
        assert place(folder, home).keys == place(shop, home).keys


def test_a_deleted_worktree_is_found_in_the_repository_that_lists_it(
    shop: Path, home: Path
) -> None:
    beside, inside = home / "code" / "shop-fix", shop / ".worktrees" / "inner"
    git(shop, "worktree", "add", str(beside), "-b", "fix")
    git(shop, "worktree", "add", str(inside), "-b", "inner")
    shutil.rmtree(beside)
    shutil.rmtree(inside)
    assert place(beside / "src", home, known_roots=[shop]).keys == place(shop, home).keys
    assert place(inside, home).keys == place(shop, home).keys


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


def test_a_worktree_that_is_listed_relatively_is_found_when_it_is_lost(
    shop: Path, home: Path
) -> None:
    entry = shop / ".git" / "worktrees" / "fix"
    entry.mkdir(parents=True)
    (entry / "gitdir").write_text("../../../../shop-fix/.git\n")
    lost = place(home / "code" / "shop-fix" / "src", home, known_roots=[shop / "apps"])
    assert lost.keys == place(shop, home).keys
    assert lost.later == (f"path:{home / 'code' / 'shop-fix'}",)


def test_a_worktree_that_was_met_is_known_after_git_has_removed_it(shop: Path, home: Path) -> None:
    beside = home / "code" / "shop-fix"
    git(shop, "worktree", "add", str(beside), "-b", "fix")
    (beside / "src").mkdir()
    met = place(beside / "src", home)
    git(shop, "worktree", "remove", str(beside))
    lost = place(beside, home, known_roots=[shop])
    assert set(lost.keys) <= {*met.keys, *met.later}
    below = place(beside / "src", home, known_roots=[shop, beside])
    assert below.keys == lost.keys


def test_a_repository_inside_a_worktree_has_nothing_of_it(shop: Path, home: Path) -> None:
    beside = home / "code" / "shop-fix"
    git(shop, "worktree", "add", str(beside), "-b", "fix")
    inner = beside / "tools"
    inner.mkdir()
    git(inner, "init")
    assert place(inner, home).later == ()
    assert place(beside, home).later == (f"path:{beside}",)


def test_a_bare_repository_and_its_worktrees_are_named_for_people(home: Path, shop: Path) -> None:
    git(home, "clone", "--bare", str(shop), str(home / "tools.git"))
    hidden = home / "app"
    hidden.mkdir()
    git(home, "clone", "--bare", str(shop), str(hidden / ".bare"))
    (hidden / ".git").write_text("gitdir: ./.bare\n")
    git(hidden, "worktree", "add", str(hidden / "main"), "-b", "one")
    assert place(home / "tools.git" / "hooks", home).name == "tools"
    assert {place(f, home).keys[0] for f in (hidden, hidden / "main", hidden / ".bare")} == {
        f"git:{hidden}/.bare"
    }
    assert {place(f, home).root for f in (hidden, hidden / "main", hidden / ".bare")} == {
        str(hidden)
    }


def test_a_separate_git_folder_is_not_where_people_work(home: Path, shop: Path) -> None:
    git(home, "clone", "--separate-git-dir", str(home / "gitdir"), str(shop), "apart")
    assert place(home / "apart", home).root == str(home / "apart")


def test_a_submodule_is_a_project_of_its_own(home: Path, shop: Path) -> None:
    lib = home / "lib"
    lib.mkdir()
    git(lib, "init")
    git(lib, "commit", "--allow-empty", "-m", "Start")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", str(lib), "vendor/lib")
    found = place(shop / "vendor" / "lib", home)
    assert (found.root, found.name) == (str(shop / "vendor" / "lib"), "lib")
    assert not set(found.keys) & set(place(shop, home).keys)
    git(shop / "vendor" / "lib", "worktree", "add", str(home / "lib-fix"), "-b", "fix")
    beside = place(home / "lib-fix", home)
    assert (beside.keys, beside.root) == (found.keys, found.root)


@pytest.mark.parametrize("inside", [".git", ".git/hooks", ".git/refs/heads"])
def test_a_folder_of_gits_own_is_of_its_repository(shop: Path, home: Path, inside: str) -> None:
    assert place(shop / inside, home) == place(shop, home)


def test_what_is_left_of_a_deleted_folder_lies_in_its_repository(shop: Path, home: Path) -> None:
    found = place(shop / "packages" / "old" / "src", home)
    assert (found, found.gone) == (place(shop, home), False)


def test_a_folder_that_becomes_a_repository_or_ceases_to_be_one_keeps_a_key(home: Path) -> None:
    notes = home / "notes"
    notes.mkdir()
    before = place(notes, home)
    git(notes, "init")
    during = place(notes, home)
    shutil.rmtree(notes)
    after = place(notes, home)
    assert before.keys == after.keys == (f"path:{notes}",)
    assert set(before.keys) < set(during.keys)


def test_clones_of_one_remote_share_a_key(shop: Path, home: Path) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:ann/shop.git")
    lost = place("/gone/shop", home, remote="https://github.com/ann/shop")
    assert set(lost.keys) & set(place(shop, home).keys) == {"remote:github.com/ann/shop"}
    assert lost.name == "shop"


def test_forks_with_different_remotes_stay_apart(shop: Path, home: Path) -> None:
    fork = home / "fork"
    git(home, "clone", str(shop), str(fork))
    git(shop, "remote", "add", "origin", "git@github.com:ann/shop.git")
    git(fork, "remote", "set-url", "origin", "git@github.com:bob/shop.git")
    assert not set(place(shop, home).keys) & set(place(fork, home).keys)


def test_a_remote_that_a_session_recorded_counts_beside_todays(shop: Path, home: Path) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:ann/shop.git")
    found = place(shop, home, remote="git@github.com:ann/old-name.git")
    assert found.keys[1:3] == ("remote:github.com/ann/shop", "remote:github.com/ann/old-name")


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


def test_a_clone_in_temp_is_known_by_its_remote_alone(home: Path, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    found = place(temp / "x", home, temp=(temp,), remote="git@github.com:ann/shop.git")
    assert (found.keys, found.name) == (("remote:github.com/ann/shop",), "shop")


def test_a_home_with_a_remote_is_no_project(home: Path) -> None:
    for cwd in (str(home), "/", "/Users/ann"):
        assert identify(cwd, remote="github.com:ann/dotfiles", home=home) == Elsewhere("home")


def test_what_was_a_project_in_temp_stays_one_when_it_is_gone(home: Path, tmp_path: Path) -> None:
    folder, temp = tmp_path / "temp" / "x", (tmp_path / "temp",)
    marks = Landmarks([folder], [folder, tmp_path / "temp" / "y"], home=home)
    assert place(folder / "src", home, temp=temp, known_roots=marks).root == str(folder)
    gone = identify(str(tmp_path / "temp" / "y"), home=home, temp=temp, known_roots=marks)
    assert gone == Elsewhere("temp")


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


SAME = {
    "github.com/ann/shop": [
        "git@github.com:ann/shop.git",
        "github.com:ann/shop",
        "git@github.com:/ann/shop.git",
        "ssh://git@github.com:22/ann/shop",
        "ssh://git@github.com/ann/shop.git/",
        "https://user:secret@GitHub.com/ann/shop.git/",
        "https://x-access-token:ghp_1@github.com/Ann/Shop",
        "git://github.com/ann/shop",
        "git+ssh://git@github.com/ann/shop.git",
        "HTTPS://GITHUB.COM/ann/shop.git",
        "ssh://git@ssh.github.com:443/ann/shop.git",
        "git@ssh.github.com:ann/shop.git",
        "http://www.github.com//ann//shop/",
        "https://github.com./ann/shop",
        "https://user:p@ss@github.com/ann/shop",
    ],
    "gitlab.com/group/sub/shop": [
        "git@gitlab.com:group/sub/shop.git",
        "ssh://git@altssh.gitlab.com:443/group/sub/shop.git",
    ],
    "dev.azure.com/org/project/repo": [
        "https://dev.azure.com/org/project/_git/repo",
        "https://ann@dev.azure.com/Org/Project/_git/Repo",
        "git@ssh.dev.azure.com:v3/org/project/repo",
        "ssh://git@ssh.dev.azure.com:22/v3/org/project/repo",
        "https://org.visualstudio.com/project/_git/repo",
        "org@vs-ssh.visualstudio.com:v3/org/project/repo",
        "https://org.visualstudio.com/DefaultCollection/project/_git/repo",
    ],
    "dev.azure.com/org/repo/repo": [
        "https://dev.azure.com/org/_git/repo",
        "https://org.visualstudio.com/_git/repo",
    ],
    "git.example.org/Team/Shop": [
        "ssh://git@git.example.org:2222/Team/Shop.git",
        "https://GIT.example.org/Team/Shop",
    ],
    "/srv/git/shop": [
        "file:///srv/git/shop.git",
        "/srv/git/shop.git/",
        "file://localhost/srv/git/shop",
        "/srv/git/shop/.git",
    ],
    "": [
        "",
        "../shop",
        "shop",
        "https://h",
        "https://h/",
        "http://h:x/a",
        "ssh://git@[::1]/a",
        "git@[::1]:a",
        "1://h/p",
        "ann@host:",
        "host:.git",
    ],
}


@pytest.mark.parametrize(("far", "url"), [(far, url) for far, urls in SAME.items() for url in urls])
def test_a_remote_is_the_same_however_it_is_spelt(far: str, url: str) -> None:
    assert normalised_remote(url) == far


@pytest.mark.parametrize(
    ("config", "url"),
    [
        ('[remote "origin"]\n\turl = a:b\n[remote "other"]\n\turl = c:d\n', "a:b"),
        ('[remote "up"]\n\turl = c:d\n[branch "x"]\n\turl = no\n', "c:d"),
        ('[remote "one"]\nurl = a:b\n[remote "two"]\nurl = c:d\n', ""),
        ('  [remote "origin"]\n  URL="a:b"\n', "a:b"),
        ("[core]\n\tbare = false\n\x00\xff", ""),
    ],
)
def test_the_remote_is_origin_or_the_only_one(config: str, url: str) -> None:
    assert remote_of(config) == url


# How folders are written


@pytest.mark.parametrize(
    ("recorded", "here"),
    [
        (r"C:\Users\ann\src\app", "/mnt/c/Users/ann/src/app"),
        ("c:/Users/ann/src/app", "/mnt/c/Users/ann/src/app"),
        (r"\\wsl$\Ubuntu\home\ann\app", "/home/ann/app"),
        (r"\\wsl.localhost\Ubuntu-24.04\home\ann\app", "/home/ann/app"),
        ("//wsl$/Ubuntu/home/ann/app", "/home/ann/app"),
        (r"\\wsl$\Ubuntu", "/"),
        (r"\\server\share\app", "//server/share/app"),
        ("/home/ann/app", "/home/ann/app"),
    ],
)
def test_a_folder_of_windows_is_where_linux_sees_it(recorded: str, here: str) -> None:
    assert as_here(recorded) == here


def test_a_folder_is_the_same_on_both_sides_of_a_machine(home: Path) -> None:
    windows = place(r"C:\Users\ann\src\app", home)
    assert windows == place("/mnt/c/Users/ann/src/app", home)
    assert (windows.name, windows.gone) == ("app", True)


@pytest.mark.parametrize(
    "recorded",
    ["", ".", "src/app", "../app", "app\0le", "/half/\ud83d", "/" + "x" * 5_000, "x:"],
)
def test_what_names_no_folder_is_missing_and_never_the_current_one(
    shop: Path, home: Path, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert identify(recorded, home=home) == Elsewhere("missing")


@given(
    st.text(max_size=40)
    | st.text("/\\\\.:~$CWcwsl \0\ud800é", max_size=40)
    | st.text(max_size=20).map(lambda text: f"/{text}"),
    st.text("@:/.a[] \0", max_size=20),
)
def test_any_words_in_the_place_of_a_folder_have_an_answer(recorded: str, remote: str) -> None:
    found = identify(recorded, remote=remote, home=Path("/nobody"))
    if isinstance(found, Place):
        assert Path(found.root).is_absolute() and found.name
        assert not Path(found.root).is_relative_to(Path.cwd()) or recorded[0] in "/\\~"
    else:
        assert found.reason in ("missing", "home", "temp")


def test_other_spellings_of_a_folder_are_that_folder(shop: Path, home: Path) -> None:
    (home / "link").symlink_to(shop / "apps")
    for folder in (f"{shop}/", f"{shop}/apps/../apps/web/.", f"{home}//code/shop", "~/code/shop"):
        assert place(folder, home) == place(shop, home)
    assert place(home / "link" / "web", home) == place(shop, home)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
def test_letters_with_signs_are_one_name_however_they_are_spelt(
    home: Path, form: str, on_disk: str
) -> None:
    folder = home / unicodedata.normalize(on_disk, "café")
    folder.mkdir()
    git(folder, "init")
    recorded = home / unicodedata.normalize(form, "café")
    composed = home / unicodedata.normalize("NFC", "café")
    for cwd in (recorded, recorded / "gone" / "né"):
        found = place(cwd, home)
        assert found.keys[0] == f"git:{composed}/.git"
        assert Path(found.root).is_dir()
    lost = place(home / unicodedata.normalize(form, "lös") / "x", home)
    assert lost.keys == (f"path:{home}/{unicodedata.normalize('NFC', 'lös')}/x",)


def test_folders_that_an_agent_would_file_under_one_name_are_two(home: Path) -> None:
    assert not set(place("/w/a-b", home).keys) & set(place("/w/a/b", home).keys)


@pytest.mark.parametrize(
    "recorded",
    [
        "/private/tmp/x", "/private/var/folders/ab/c1/T/x", "/var/folders/ab/c1/T/x", "/dev/shm/x",
        r"C:\Users\ann\AppData\Local\Temp\x", r"c:\windows\temp\x", "/run/user/1000/x",
        r"C:\Users\ANN~1\AppData\Local\Temp", "/mnt/c/Users/ann/AppData/Local/Temp/x/y",
    ],
)  # fmt: skip
def test_temporary_folders_of_every_system_are_no_project(home: Path, recorded: str) -> None:
    assert identify(recorded, home=home) == Elsewhere("temp")


@pytest.mark.parametrize(
    "recorded",
    ["/Users/ann", "/home/somebody-else", "C:\\Users\\ann\\", "C:\\", "C:\\Users", "/root", "/home",
     "/Users", "/mnt/c/Users/ann", "/"],
)  # fmt: skip
def test_homes_of_every_system_are_no_project(home: Path, recorded: str) -> None:
    assert identify(recorded, home=home) == Elsewhere("home")


def test_a_home_of_another_machine_takes_no_folder_in(home: Path) -> None:
    known = [Path("/Users/ann"), Path("C:\\Users\\ann"), home]
    for cwd in ("/Users/ann/src/app", r"C:\Users\ann\src\app", str(home / "gone" / "app")):
        assert place(cwd, home, known_roots=known).name == "app"


def test_a_home_under_another_name_takes_no_folder_in(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other-name"
    other.symlink_to(home)
    assert identify(str(home), home=other) == Elsewhere("home")
    assert place(home / "notes", other, known_roots=[home]).name == "notes"


def test_what_is_temporary_follows_the_environment(home: Path, tmp_path: Path) -> None:
    own = tmp_path / "scratch"
    assert own in temporary_folders(str(own), home)
    for named in ("", "scratch", "/", str(home), str(home.parent)):
        assert temporary_folders(named, home) == temporary_folders("", home)
    inside = temporary_folders(str(home / "tmp"), home)
    assert identify(str(home / "tmp" / "x"), home=home, temp=inside) == Elsewhere("temp")
    assert place(home / "app", home, temp=inside).name == "app"


def test_a_repository_cannot_name_a_folder_of_others_as_its_own(home: Path, shop: Path) -> None:
    git(home, "clone", "--bare", str(shop), str(home / "odd.git"))
    git(home / "odd.git", "config", "core.worktree", str(shop))
    assert place(home / "odd.git", home).root == str(home / "odd.git")


def test_settings_kept_in_a_hidden_repository_of_the_home_are_no_project(home: Path) -> None:
    git(home, "init", "--bare", ".dotfiles")
    assert place(home / "notes", home).name == "notes"
    git(home / ".dotfiles", "config", "core.worktree", str(home))  # it is not believed
    assert place(home / ".dotfiles" / "hooks", home).keys[0].startswith("path:")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_may_not_be_looked_into_is_gone(home: Path) -> None:
    closed = home / "closed"
    (closed / "app").mkdir(parents=True)
    closed.chmod(0)
    try:
        assert place(closed / "app", home).gone
    finally:
        closed.chmod(0o700)


# Many


def test_many_lost_folders_are_looked_for_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        entry = home / "code" / f"r{number}" / ".git" / "worktrees" / "w"
        entry.mkdir(parents=True)
        (entry / "gitdir").write_text(f"{home}/trees/w{number}/.git\n")
    read: list[Path] = []
    text = projects._text
    monkeypatch.setattr(projects, "_text", lambda path: read.append(path) or text(path))
    marks = Landmarks(home.glob("code/*"), home=home)
    found = [
        place(home / "trees" / f"w{number % 300}" / f"{number}", home, known_roots=marks)
        for number in range(3_000)
    ]
    assert {item.name for item in found} == {f"r{number}" for number in range(300)}
    assert len(read) < 300 * 3 + 3_000


def test_damaged_git_files_are_no_repository(home: Path) -> None:
    folder = home / "odd"
    folder.mkdir()
    (folder / ".git").write_bytes(b"\x00\xff not a pointer")
    assert place(folder, home).keys == (f"path:{folder}",)
