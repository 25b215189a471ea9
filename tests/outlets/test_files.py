"""Whole files are published over nothing, through no symlink, and taken back exactly."""

import errno
import hashlib
import multiprocessing
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.errors import Fault
from twice.outlets import handles
from twice.outlets.files import (
    Changed,
    Intact,
    Missing,
    Published,
    Replaced,
    Retired,
    Unsafe,
    intact,
    missing_folders,
    prune,
    publish,
    replace,
    retire,
    tidy,
)

DATA = b"---\nname: x\n---\n\nbody\n"
DIGEST = hashlib.sha256(DATA).hexdigest()
WHERE = ".agents/skills/x/SKILL.md"


class Crash(BaseException):
    """The process dies; only descriptors are closed."""


def tree(root: Path) -> dict[str, object]:
    """Everything below a folder: bytes, modes, link targets, empty folders."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    return found


def temporaries(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".twice-*.tmp")]


def steps_of(run: Callable[[Callable[[str], None]], object]) -> list[str]:
    seen: list[str] = []
    run(seen.append)
    return seen


def crash_at(count: int) -> Callable[[str], None]:
    left = [count]

    def step(name: str) -> None:
        if left[0] == 0:
            raise Crash(name)
        left[0] -= 1

    return step


def act_at(name: str, act: Callable[[], object]) -> Callable[[str], None]:
    def step(now: str) -> None:
        if now == name:
            act()

    return step


# --- publish ---------------------------------------------------------------------------------


def test_a_published_file_holds_the_exact_bytes_and_names_its_new_folders(tmp_path: Path) -> None:
    (tmp_path / ".agents").mkdir()
    assert missing_folders(tmp_path, WHERE) == (".agents/skills", ".agents/skills/x")
    done = publish(tmp_path, WHERE, DATA)
    assert done == Published(DIGEST, (".agents/skills", ".agents/skills/x"))
    assert (tmp_path / WHERE).read_bytes() == DATA
    assert stat.S_IMODE((tmp_path / WHERE).stat().st_mode) == 0o644 & ~_umask()
    assert intact(tmp_path, WHERE, DIGEST) == Intact()
    assert temporaries(tmp_path) == []


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def test_publish_then_retire_gives_back_the_former_tree(tmp_path: Path) -> None:
    root, kept = tmp_path / "p", tmp_path / "kept"
    (root / ".agents").mkdir(parents=True)
    (root / "other").write_text("theirs")
    before = tree(root)
    done = publish(root, WHERE, DATA)
    assert isinstance(done, Published)
    gone = retire(root, WHERE, DIGEST, kept, created=done.created)
    assert isinstance(gone, Retired) and gone.path == kept / "SKILL.md"
    assert gone.pruned == (".agents/skills/x", ".agents/skills")
    assert tree(root) == before
    assert gone.path.read_bytes() == DATA


@pytest.mark.parametrize("what", ["file", "folder", "link", "dangling", "pipe", "same"])
def test_a_taken_name_is_refused_in_every_form(tmp_path: Path, what: str) -> None:
    target = tmp_path / WHERE
    target.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text("theirs")
    match what:
        case "file":
            target.write_text("theirs")
        case "same":
            target.write_bytes(DATA)
        case "folder":
            target.mkdir()
        case "link":
            target.symlink_to(tmp_path / "elsewhere")
        case "dangling":
            target.symlink_to(tmp_path / "nowhere")
        case "pipe":
            os.mkfifo(target)
    before = tree(tmp_path) if what != "pipe" else None
    assert isinstance(publish(tmp_path, WHERE, DATA), Unsafe)
    assert before is None or tree(tmp_path) == before
    if what not in ("file", "same"):
        assert isinstance(intact(tmp_path, WHERE, DIGEST), Unsafe)


@pytest.mark.parametrize("at", [".agents", ".agents/skills", ".agents/skills/x"])
@pytest.mark.parametrize("kind", ["link", "link inside", "dangling", "file"])
def test_no_folder_on_the_way_may_be_a_link_or_a_file(tmp_path: Path, at: str, kind: str) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    (root / at).parent.mkdir(parents=True)
    (root / "inside").mkdir()
    outside.mkdir()
    match kind:
        case "link":
            (root / at).symlink_to(outside)
        case "link inside":
            (root / at).symlink_to(root / "inside")
        case "dangling":
            (root / at).symlink_to(tmp_path / "nowhere")
        case "file":
            (root / at).write_text("theirs")
    before = tree(tmp_path)
    for outcome in (
        publish(root, WHERE, DATA),
        intact(root, WHERE, DIGEST),
        retire(root, WHERE, DIGEST, tmp_path / "kept"),
        missing_folders(root, WHERE),
    ):
        assert isinstance(outcome, Unsafe) and outcome.path == str(root / at)
    assert tree(tmp_path) == before


def test_a_project_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    outcome = publish(tmp_path / "gone", WHERE, DATA)
    assert outcome == Unsafe("the folder is gone", str(tmp_path / "gone"))
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_became_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert isinstance(publish(tmp_path / "link", WHERE, DATA), Unsafe)
    assert tree(tmp_path / "real") == {}


@pytest.mark.parametrize(
    "relative",
    [
        "",
        "/etc/x",
        "../x",
        "a/../x",
        "a//x",
        "./x",
        "a/.",
        "a\0b",
        "a\nb",
        "a\\b",
        ".git/hooks/x",
        ".git/refs/heads/x",
        "packages/a/.git/x",
        ".GIT/x",
        ".git./x",
        ".g\u200cit/x",
        "GIT~1/x",
        "/".join("d" * 200),
    ],
)
def test_nothing_is_written_outside_or_inside_git(tmp_path: Path, relative: str) -> None:
    (tmp_path / ".git/refs/heads").mkdir(parents=True)
    before = tree(tmp_path)
    assert isinstance(publish(tmp_path, relative, DATA), Unsafe)
    assert tree(tmp_path) == before


def test_a_root_inside_git_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git/refs/heads").mkdir(parents=True)
    assert isinstance(publish(tmp_path / ".git/refs", "heads/x", DATA), Unsafe)
    bare = tmp_path / "bare.git"
    (bare / "objects").mkdir(parents=True)
    (bare / "refs").mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    assert isinstance(publish(bare, "refs/x", DATA), Unsafe)


def test_an_empty_file_is_never_written(tmp_path: Path) -> None:
    assert isinstance(publish(tmp_path, WHERE, b""), Unsafe)
    assert isinstance(replace(tmp_path / "x", None, b"", within=tmp_path), Unsafe)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Fault) as fault:
        publish(tmp_path, WHERE, DATA)
    assert "No space left" in fault.value.message and fault.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_is_cut_short_is_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: whole(fd, bytes(data)[:3]))
    publish(tmp_path, WHERE, DATA)
    assert (tmp_path / WHERE).read_bytes() == DATA


def test_a_file_system_without_links_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "supports_dir_fd", {os.open, no_links})
    with pytest.raises(Fault) as fault:
        publish(tmp_path, WHERE, DATA)
    assert "hard links" in fault.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_system_without_open_at_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set[object]())
    with pytest.raises(Fault) as fault:
        publish(tmp_path, WHERE, DATA)
    assert fault.value.hint


def test_a_person_who_was_first_by_an_instant_keeps_the_file(tmp_path: Path) -> None:
    theirs = act_at("before link", lambda: (tmp_path / WHERE).write_text("theirs"))
    assert isinstance(publish(tmp_path, WHERE, DATA, step=theirs), Unsafe)
    assert (tmp_path / WHERE).read_text() == "theirs"
    assert temporaries(tmp_path) == []


def test_a_folder_swapped_for_a_link_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    (root / ".agents/skills/x").mkdir(parents=True)
    outside.mkdir()

    def swap() -> None:
        (root / ".agents/skills").rename(root / "moved")
        (root / ".agents/skills").symlink_to(outside)

    publish(root, WHERE, DATA, step=act_at("before create", swap))
    assert list(outside.iterdir()) == []


# --- retire ----------------------------------------------------------------------------------


def test_a_changed_file_is_left_alone(tmp_path: Path) -> None:
    publish(tmp_path, WHERE, DATA)
    (tmp_path / WHERE).write_bytes(DATA + b"mine\n")
    digest = hashlib.sha256(DATA + b"mine\n").hexdigest()
    assert intact(tmp_path, WHERE, DIGEST) == Changed(digest)
    assert retire(tmp_path, WHERE, DIGEST, tmp_path / "kept") == Changed(digest)
    assert (tmp_path / WHERE).read_bytes() == DATA + b"mine\n"
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("how", ["in place", "by rename"])
def test_a_file_saved_at_the_last_instant_is_left_alone(tmp_path: Path, how: str) -> None:
    publish(tmp_path, WHERE, DATA)

    def save() -> None:
        if how == "in place":
            (tmp_path / WHERE).write_text("mine")
        else:
            (tmp_path / "new").write_text("mine")
            (tmp_path / "new").rename(tmp_path / WHERE)

    # The first unlink is of the copy's temporary name; saving twice does no harm.
    outcome = retire(tmp_path, WHERE, DIGEST, tmp_path / "kept", step=act_at("before unlink", save))
    assert isinstance(outcome, Changed)
    assert (tmp_path / WHERE).read_text() == "mine"


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    assert intact(tmp_path, WHERE, DIGEST) == Missing()
    assert retire(tmp_path, WHERE, DIGEST, tmp_path / "kept") == Missing()
    publish(tmp_path, WHERE, DATA)
    (tmp_path / WHERE).unlink()
    assert intact(tmp_path, WHERE, DIGEST) == Missing()
    assert retire(tmp_path, WHERE, DIGEST, tmp_path / "kept") == Missing()


def test_retiring_twice_says_the_same(tmp_path: Path) -> None:
    publish(tmp_path, WHERE, DATA)
    first = retire(tmp_path, WHERE, DIGEST, tmp_path / "kept")
    second = retire(tmp_path, WHERE, DIGEST, tmp_path / "kept")
    assert first == second and isinstance(first, Retired)


def test_what_is_kept_is_never_overwritten(tmp_path: Path) -> None:
    publish(tmp_path, WHERE, DATA)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/SKILL.md").write_text("older")
    assert isinstance(retire(tmp_path, WHERE, DIGEST, tmp_path / "kept"), Unsafe)
    assert (tmp_path / "kept/SKILL.md").read_text() == "older"
    assert intact(tmp_path, WHERE, DIGEST) == Intact()


def test_a_folder_that_is_not_empty_is_not_pruned(tmp_path: Path) -> None:
    done = publish(tmp_path, WHERE, DATA)
    assert isinstance(done, Published)
    (tmp_path / ".agents/skills/hand-written").mkdir()
    gone = retire(tmp_path, WHERE, DIGEST, tmp_path / "kept", created=done.created)
    assert isinstance(gone, Retired) and gone.pruned == (".agents/skills/x",)
    assert (tmp_path / ".agents/skills/hand-written").is_dir()


def test_a_file_moves_to_another_file_system(tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    kept = memory / f"twice-test-{os.getpid()}"
    try:
        publish(tmp_path, WHERE, DATA)
        gone = retire(tmp_path, WHERE, DIGEST, kept)
        assert isinstance(gone, Retired) and gone.path.read_bytes() == DATA
        assert not (tmp_path / WHERE).exists()
    finally:
        for file in kept.glob("*"):
            file.unlink()
        kept.rmdir()


# --- replace ---------------------------------------------------------------------------------


def test_a_swap_keeps_the_mode_and_gives_back_the_exact_bytes(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    old, new = b'\xef\xbb\xbf{"a": 1}\r\n', b'\xef\xbb\xbf{"a": 1, "b": 2}\r\n'
    path.write_bytes(old)
    path.chmod(0o600)
    before = tree(tmp_path)
    assert replace(path, old, new, within=tmp_path) == Replaced(path, True)
    assert path.read_bytes() == new and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert replace(path, old, new, within=tmp_path) == Replaced(path, False)
    assert replace(path, new, old, within=tmp_path) == Replaced(path, True)
    assert tree(tmp_path) == before


def test_a_file_that_was_not_there_is_made_and_removed_again(tmp_path: Path) -> None:
    path = tmp_path / ".claude/settings.json"
    made = replace(path, None, b"{}", within=tmp_path)
    assert made == Replaced(path, True, (".claude",))
    gone = replace(path, b"{}", None, within=tmp_path, created=made.folders)
    assert gone == Replaced(path, True, (".claude",))
    assert tree(tmp_path) == {}
    assert replace(path, b"{}", None, within=tmp_path) == Replaced(path, False)


def test_other_bytes_than_were_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("theirs")
    changed = Changed(hashlib.sha256(b"theirs").hexdigest())
    assert replace(path, b"old", b"new", within=tmp_path) == changed
    assert replace(path, b"old", None, within=tmp_path) == changed
    assert replace(path, None, b"new", within=tmp_path) == changed
    assert replace(tmp_path / "none", b"old", b"new", within=tmp_path) == Missing()
    assert replace(tmp_path / "no/ne", b"old", b"new", within=tmp_path) == Missing()
    assert tree(tmp_path) == {"CLAUDE.md": (b"theirs", stat.S_IMODE(path.stat().st_mode))}


@pytest.mark.parametrize("moment", ["before create", "after write", "before rename"])
def test_an_edit_during_the_swap_is_kept(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("old")
    save = act_at(moment, lambda: path.write_text("mine"))
    assert isinstance(replace(path, b"old", b"new", within=tmp_path, step=save), Changed)
    assert path.read_text() == "mine"
    assert temporaries(tmp_path) == []


def test_a_link_inside_is_one_edit_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("old")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    done = replace(tmp_path / "CLAUDE.md", b"old", b"new", within=tmp_path)
    assert done == Replaced(tmp_path / "AGENTS.md", True)
    assert str((tmp_path / "CLAUDE.md").readlink()) == "AGENTS.md"
    assert (tmp_path / "AGENTS.md").read_text() == "new"


@pytest.mark.parametrize("kind", ["file", "folder", "dangling", "loop", "dotdot", "git"])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, kind: str) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    (root / ".git").mkdir(parents=True)
    outside.mkdir()
    (outside / "CLAUDE.md").write_text("old")
    (root / ".git/config").write_text("old")
    path = root / "CLAUDE.md"
    match kind:
        case "file":
            path.symlink_to(outside / "CLAUDE.md")
        case "folder":
            (root / "d").symlink_to(outside)
            path = root / "d/CLAUDE.md"
        case "dangling":
            path.symlink_to(root / "nowhere")
        case "loop":
            path.symlink_to(path)
        case "dotdot":
            path = root / "../outside/CLAUDE.md"
        case "git":
            path.symlink_to(root / ".git/config")
    before = tree(tmp_path)
    assert isinstance(replace(path, b"old", b"new", within=root), Unsafe)
    assert isinstance(replace(path, None, b"new", within=root), Unsafe | Changed)
    assert tree(tmp_path) == before


def test_a_file_made_read_only_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("old")
    path.chmod(0o444)
    assert isinstance(replace(path, b"old", b"new", within=tmp_path), Unsafe)
    assert path.read_text() == "old"


# --- crashes ---------------------------------------------------------------------------------


def everything_clean(root: Path) -> None:
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
        tidy(folder)
    assert temporaries(root) == []


def test_a_crash_at_any_step_of_publishing_is_mended_by_publishing_again(tmp_path: Path) -> None:
    names = steps_of(lambda step: publish(_fresh(tmp_path, "count"), WHERE, DATA, step=step))
    assert len(names) >= 14
    for count, name in enumerate(names):
        root = _fresh(tmp_path, f"p{count}")
        created = missing_folders(root, WHERE)
        assert isinstance(created, tuple)
        with pytest.raises(Crash, match=name):
            publish(root, WHERE, DATA, step=crash_at(count))
        state = intact(root, WHERE, DIGEST)
        assert state in (Intact(), Missing()), name
        if state == Missing():
            assert isinstance(publish(root, WHERE, DATA), Published), name
        everything_clean(root)
        assert retire(root, WHERE, DIGEST, tmp_path / f"k{count}", created=created)
        assert tree(root) == {}, name


def test_a_crash_at_any_step_of_publishing_can_be_given_up(tmp_path: Path) -> None:
    names = steps_of(lambda step: publish(_fresh(tmp_path, "count"), WHERE, DATA, step=step))
    for count in range(len(names)):
        root = _fresh(tmp_path, f"p{count}")
        created = missing_folders(root, WHERE)
        assert isinstance(created, tuple)
        with pytest.raises(Crash):
            publish(root, WHERE, DATA, step=crash_at(count))
        if intact(root, WHERE, DIGEST) == Missing():
            prune(root, created)
            assert tree(root) == {}


def test_a_crash_at_any_step_of_retiring_is_mended_by_retiring_again(tmp_path: Path) -> None:
    def published(name: str) -> Path:
        root = _fresh(tmp_path, name)
        publish(root, WHERE, DATA)
        return root

    created = (".agents", ".agents/skills", ".agents/skills/x")
    first = published("count")
    names = steps_of(
        lambda step: retire(first, WHERE, DIGEST, tmp_path / "kept", created=created, step=step)
    )
    assert len(names) >= 16
    for count, name in enumerate(names):
        root, kept = published(f"p{count}"), tmp_path / f"k{count}"
        with pytest.raises(Crash, match=name):
            retire(root, WHERE, DIGEST, kept, created=created, step=crash_at(count))
        copies = [path for path in (root / WHERE, kept / "SKILL.md") if path.exists()]
        assert copies and all(path.read_bytes() == DATA for path in copies), name
        again = retire(root, WHERE, DIGEST, kept, created=created)
        assert isinstance(again, Retired), name
        assert tree(root) == {}, name
        everything_clean(kept)
        assert [path.name for path in kept.iterdir()] == ["SKILL.md"]


@pytest.mark.parametrize(
    ("old", "new"), [(None, b"new"), (b"old", b"new"), (b"old", None)], ids=str
)
def test_a_crash_at_any_step_of_a_swap_leaves_the_old_or_the_new(
    tmp_path: Path, old: bytes | None, new: bytes | None
) -> None:
    def prepared(name: str) -> Path:
        root = _fresh(tmp_path, name)
        if old is not None:
            (root / "d").mkdir()
            (root / "d/f").write_bytes(old)
        return root

    first = prepared("count")
    names = steps_of(lambda step: replace(first / "d/f", old, new, within=first, step=step))
    for count, name in enumerate(names):
        root = prepared(f"p{count}")
        path = root / "d/f"
        with pytest.raises(Crash, match=name):
            replace(path, old, new, within=root, step=crash_at(count))
        assert (path.read_bytes() if path.exists() else None) in (old, new), name
        assert isinstance(replace(path, old, new, within=root), Replaced), name
        everything_clean(root)
        assert (path.read_bytes() if path.exists() else None) == new, name


def _fresh(tmp_path: Path, name: str) -> Path:
    root = tmp_path / name
    root.mkdir()
    return root


def _die(root: Path, count: int) -> None:
    step = crash_at(count)

    def really(name: str) -> None:
        try:
            step(name)
        except Crash:
            os._exit(9)

    publish(root, WHERE, DATA, step=really)


def test_a_killed_process_leaves_nothing_that_publishing_again_does_not_mend(
    tmp_path: Path,
) -> None:
    fork = multiprocessing.get_context("fork")
    names = steps_of(lambda step: publish(_fresh(tmp_path, "count"), WHERE, DATA, step=step))
    for count in range(len(names)):
        root = _fresh(tmp_path, f"p{count}")
        child = fork.Process(target=_die, args=(root, count))
        child.start()
        child.join()
        assert child.exitcode == 9
        if intact(root, WHERE, DIGEST) == Missing():
            publish(root, WHERE, DATA)
        tidy((root / WHERE).parent)
        assert intact(root, WHERE, DIGEST) == Intact() and temporaries(root) == []


# --- tidy ------------------------------------------------------------------------------------


def test_only_our_own_stale_files_are_swept(tmp_path: Path) -> None:
    stale = tmp_path / ".twice-0123456789abcdef.tmp"
    stale.write_text("half")
    theirs = {".twice-notes.tmp": "a", ".twice-0123456789ABCDEF.tmp": "b", "x.tmp": "c"}
    for name, text in theirs.items():
        (tmp_path / name).write_text(text)
    (tmp_path / ".twice-aaaaaaaaaaaaaaaa.tmp").mkdir()
    (tmp_path / ".twice-bbbbbbbbbbbbbbbb.tmp").symlink_to(tmp_path / "x.tmp")
    assert tidy(tmp_path) == (stale.name,)
    assert {p.name: p.read_text() for p in tmp_path.iterdir() if p.name in theirs} == theirs
    assert len(list(tmp_path.iterdir())) == 5
    assert tidy(tmp_path / "gone") == ()


def test_the_file_of_a_living_writer_is_not_swept(tmp_path: Path) -> None:
    swept: list[tuple[str, ...]] = []
    folder = (tmp_path / WHERE).parent
    outcome = publish(
        tmp_path, WHERE, DATA, step=act_at("before link", lambda: swept.append(tidy(folder)))
    )
    assert swept == [()] and isinstance(outcome, Published)


def _race(root: Path, number: int, results: "multiprocessing.Queue[int]") -> None:
    for index in range(50):
        own = publish(root, f"w/{index}-{number}.json", DATA)
        shared = publish(root, f"w/{index}.json", DATA)
        results.put(1000 * isinstance(own, Published) + isinstance(shared, Published))


def test_of_many_writers_exactly_one_gets_a_name(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    workers = [fork.Process(target=_race, args=(tmp_path, n, results)) for n in range(4)]
    for worker in workers:
        worker.start()
    total = sum(results.get(timeout=60) for _ in range(200))
    for worker in workers:
        worker.join()
    assert total == 200 * 1000 + 50
    assert temporaries(tmp_path) == []


@given(st.text(max_size=40))
def test_no_path_leaves_its_root(relative: str) -> None:
    names = handles.components(relative)
    if isinstance(names, tuple):
        assert not any(name in ("", ".", "..") or "/" in name or "\0" in name for name in names)
        assert "/".join(names) == relative
