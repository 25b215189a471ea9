"""The hook says what was approved, in a blink, and is silent whatever goes wrong."""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from benchmarks.hook import approve_all
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import tree

import twice
from twice.core.limits import CONTEXT_CHARS
from twice.core.proposals import Refusal
from twice.faces import hook
from twice.sources import projects, remotes
from twice.store.migrations import HEAD
from twice.wiring import open_app

PROGRAM = Path(twice.__file__).with_name("faces") / "hook.py"
LINE = [sys.executable, "-I", "-S", str(PROGRAM)]
ASKED = ["session-start", "--client", "claude-code"]
SLOWEST_SECONDS = 1.0
CONFIG = (
    *('[remote "origin"]', '[remote "other"]', "[core]"),
    *("\turl = a:b", 'url="c:d"', "  URL = /e ", "url"),
)


class Machine:
    """A home with a store of its own, in which memories are approved."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "data"
        self.here = home / "work" / "shop"
        (self.here / ".git").mkdir(parents=True)

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.data / "twice.db"

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of the agent."""
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], **more}

    def approve(self, *texts: str, here: Path | None = None) -> None:
        """Approve memories for the project of a folder."""
        app = open_app(data=self.data)
        approve_all(app, here or self.here, texts)
        app.close()

    def told_by_the_app(self, here: Path) -> str:
        """Return what the App tells a session in a folder."""
        app = open_app(data=self.data, here=here)
        try:
            project = app.project_here()
            return app.context(project).text if project else ""
        finally:
            app.close()

    def run(
        self,
        given: bytes | None = None,
        *,
        asked: list[str] | None = None,
        environment: dict[str, str] | None = None,
    ) -> str:
        """Run the hook; return what it tells, after checking that it was silent otherwise."""
        given = json.dumps({"cwd": str(self.here)}).encode() if given is None else given
        started = time.perf_counter()
        done = subprocess.run(
            [*LINE, *(ASKED if asked is None else asked), "--data", str(self.data)],
            input=given,
            env=self.environment() if environment is None else environment,
            cwd=self.home,
            capture_output=True,
            check=False,
        )
        assert time.perf_counter() - started < SLOWEST_SECONDS
        return told(done)

    def tells(self, here: Path) -> str:
        """Return what the hook tells a session in a folder."""
        return self.run(json.dumps({"cwd": str(here)}).encode())


def told(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the context in an answer, which is nothing or shaped as the agent expects."""
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout.decode("utf-8", "strict"))
    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return str(answer["hookSpecificOutput"]["additionalContext"])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("HOME", str(tmp_path))
    return Machine(tmp_path)


# What it says


def test_it_tells_what_was_approved(machine: Machine) -> None:
    machine.approve("Use pnpm instead of npm.", 'Say "señor", «да», 中文 \\ and \t tabs.')
    said = machine.run()
    assert "Use pnpm instead of npm." in said and '"señor", «да», 中文 \\' in said
    assert said == machine.told_by_the_app(machine.here)


def test_it_stays_below_the_bound_of_the_agent(machine: Machine) -> None:
    machine.approve(*(f"Use tool {n} and never tool {n + 1}." for n in range(1_000)))
    said = machine.run()
    assert 8_000 < len(said) <= CONTEXT_CHARS == hook.CONTEXT_CHARS
    assert said == machine.told_by_the_app(machine.here)


def test_a_text_beyond_the_bound_is_damage_and_is_not_told(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    with sqlite3.connect(machine.store) as store:
        store.execute("UPDATE contexts SET text = ?", ("x" * (CONTEXT_CHARS + 1),))
    assert machine.run() == ""


def test_nothing_approved_is_nothing_told(machine: Machine) -> None:
    machine.approve()
    assert machine.run() == ""


def test_another_project_is_told_nothing_of_this_one(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    other = machine.home / "work" / "shop2"
    (other / ".git").mkdir(parents=True)
    assert machine.tells(other) == machine.tells(machine.home / "work") == ""


def test_a_byte_order_mark_and_other_fields_do_no_harm(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    given = {"session_id": "s", "source": "startup", "cwd": str(machine.here), "x": {"cwd": 1}}
    assert "Use pnpm." in machine.run(b"\xef\xbb\xbf" + json.dumps(given, indent=2).encode())


def test_without_input_the_current_folder_counts(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    line = [*LINE, *ASKED, "--data", str(machine.data)]
    for sent in (b"", b'{"source": "startup"}', b'{"cwd": null}'):
        done = subprocess.run(
            line, input=sent, cwd=machine.here, env=machine.environment(), capture_output=True
        )
        assert "Use pnpm." in told(done)


def test_the_environment_names_the_data_before_the_installed_line(
    machine: Machine, tmp_path: Path
) -> None:
    machine.approve("Use pnpm.")
    elsewhere = machine.environment(TWICE_HOME=str(tmp_path / "elsewhere"))
    assert machine.run(environment=elsewhere) == ""
    done = subprocess.run(
        [*LINE, *ASKED, "--data", "/nowhere"],
        input=json.dumps({"cwd": str(machine.here)}).encode(),
        env=machine.environment(TWICE_HOME="~/data"),
        capture_output=True,
    )
    assert "Use pnpm." in told(done)


@pytest.mark.parametrize("name", ["XDG_DATA_HOME", ""])
def test_without_any_word_the_data_is_where_the_settings_say(machine: Machine, name: str) -> None:
    from twice.settings import data_folder

    environment = machine.environment(**({name: str(machine.home / "xdg")} if name else {}))
    code = "import sys; sys.path.insert(0, sys.argv[1]); import hook; print(hook._data_folder(''))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(PROGRAM.parent)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = data_folder({**environment})
    assert done.stdout.strip() == str(expected)


# The same project as everywhere else


def git(folder: Path, *arguments: str) -> None:
    """Run git without the settings of this machine."""
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )


@pytest.fixture
def places(machine: Machine) -> dict[str, Path]:
    """Return folders of one repository, and of one project without git, seen from everywhere."""
    work = machine.home / "work"
    repository, plain = work / "répo", work / "plain"
    for folder in (repository / "apps" / "web", plain / "notes" / "deep"):
        folder.mkdir(parents=True)
    git(repository, "init", "-q")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", "-q", "../tree", "-b", "side")
    (work / "tree" / "inner").mkdir()
    git(work, "clone", "-q", "--separate-git-dir", str(work / "gitdir"), str(repository), "apart")
    git(work, "clone", "-q", "--bare", str(repository), "bare.git")
    git(work / "bare.git", "worktree", "add", "-q", str(work / "of-bare"), "-b", "there")
    (work / "hidden").mkdir()
    git(work / "hidden", "clone", "-q", "--bare", str(repository), ".bare")
    (work / "hidden" / ".git").write_text("gitdir: ./.bare\n")
    (work / unicodedata.normalize("NFD", "né")).mkdir()
    (work / "link").symlink_to(repository / "apps")
    (work / "plain-link").symlink_to(plain)
    return {
        "repository": repository,
        "sub-folder": repository / "apps" / "web",
        "worktree": work / "tree",
        "sub-folder of a worktree": work / "tree" / "inner",
        "link": work / "link",
        "sub-folder through a link": work / "link" / "web",
        "separate git folder": work / "apart",
        "inside the git folder": repository / ".git" / "hooks",
        "bare": work / "bare.git" / "refs",
        "worktree of a bare one": work / "of-bare",
        "beside a hidden bare one": work / "hidden",
        "decomposed": work / unicodedata.normalize("NFD", "né"),
        "composed": work / "né",
        "plain": plain,
        "link to plain": work / "plain-link",
        "no project": work,
        "home": machine.home,
        "root": Path("/"),
        "gone": work / "gone",
    }


def test_the_hook_and_the_app_tell_the_same_everywhere(
    machine: Machine, places: dict[str, Path]
) -> None:
    known = ("repository", "separate git folder", "plain", "bare", "beside a hidden bare one")
    for name in (*known, "decomposed"):
        machine.approve(f"This is {name}.", here=places[name])
    differ = {
        name: (machine.tells(folder), machine.told_by_the_app(folder))
        for name, folder in places.items()
        if machine.tells(folder) != machine.told_by_the_app(folder)
    }
    assert differ == {}


@pytest.mark.parametrize(
    "name",
    ["repository", "sub-folder", "worktree", "sub-folder of a worktree", "link",
     "sub-folder through a link", "inside the git folder"],
)  # fmt: skip
def test_all_of_a_repository_is_one_project(
    machine: Machine, places: dict[str, Path], name: str
) -> None:
    machine.approve("Use pnpm.", here=places["repository"])
    assert "Use pnpm." in machine.tells(places[name])


def test_a_folder_without_git_counts_with_all_below_it(
    machine: Machine, places: dict[str, Path]
) -> None:
    machine.approve("Use pnpm.", here=places["plain"])
    assert "Use pnpm." in machine.tells(places["plain"] / "notes" / "deep")
    assert "Use pnpm." in machine.tells(places["link to plain"])
    assert machine.tells(places["plain"].parent) == ""


@pytest.mark.parametrize(
    "url",
    ["git@github.com:ann/shop.git", "https://token@GitHub.com/ann/shop/", "ssh://git@h:22/a/b.git",
     "http://h:x/a", "https://h", "https://h/", "/srv/git/shop.git", "../shop", "h:a", "h:/a/b",
     "h://a", "file:///srv/shop.git", "a@b@c:d", "", "ann@host:", "git://h/a/b/.git", "x/y:z",
     "C:\\work\\shop", "https://a:b@h/p", "1://h/p", "HTTPS://H/P.git/", "https://a:b@c@h/p",
     "ssh://git@ssh.github.com:443/Ann/Shop.git", "git@ssh.dev.azure.com:v3/Org/project/repo",
     "https://org.visualstudio.com/DefaultCollection/p/_git/r", "https://dev.azure.com/org/_git/r",
     "org@vs-ssh.visualstudio.com:v3/org/p/r", "https://github.com./a/b", "ssh://h@[::1]/a"],
)  # fmt: skip
def test_a_remote_is_written_as_in_the_sources(url: str) -> None:
    assert hook._remote(url) == remotes.normalised_remote(url)


@given(st.text("aB1@:/.+-_ \\", max_size=14))
def test_any_remote_is_written_as_in_the_sources(text: str) -> None:
    for url in (text, f"https://{text}", f"git@{text}", f"h:{text}", f"file://{text}"):
        assert hook._remote(url) == remotes.normalised_remote(url)


@given(st.lists(st.sampled_from(["org", "_git", "v3", "DefaultCollection", "p"]), max_size=5))
def test_any_path_of_azure_is_written_as_in_the_sources(parts: list[str]) -> None:
    for host in ("dev.azure.com", "org.visualstudio.com", "vs-ssh.visualstudio.com"):
        url = f"https://{host}/{'/'.join(parts)}"
        assert hook._remote(url) == remotes.normalised_remote(url)


@given(st.lists(st.sampled_from(CONFIG), max_size=6))
def test_the_remote_of_a_repository_is_read_as_in_the_sources(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "config").write_text("\n".join(lines))
        assert hook._origin(folder) == remotes.remote_of("\n".join(lines))


def test_the_markers_of_a_project_and_the_names_of_hosts_are_those_of_the_sources() -> None:
    assert hook.MARKERS == projects._MARKERS
    assert (hook.SAME_HOST, hook.ANY_CASE) == (remotes._SAME_HOST, remotes._ANY_CASE)


def test_projects_that_read_as_one_are_told_the_same(
    machine: Machine, places: dict[str, Path]
) -> None:
    machine.approve("Use pnpm.", here=places["repository"])
    machine.approve("Use tabs.", here=places["plain"])
    app = open_app(data=machine.data)
    plan = app.plan_link(str(places["plain"]), str(places["repository"]))
    assert not isinstance(plan, Refusal) and not isinstance(app.link(plan), Refusal)
    app.close()
    said = machine.tells(places["plain"])
    assert "Use pnpm." in said and "Use tabs." in said
    for name in ("plain", "repository", "worktree", "link to plain"):
        assert machine.tells(places[name]) == machine.told_by_the_app(places[name]) == said
    app = open_app(data=machine.data)
    parting = app.plan_unlink(str(places["plain"]))
    assert not isinstance(parting, Refusal) and not isinstance(app.unlink(parting), Refusal)
    app.close()
    assert "Use pnpm." not in machine.tells(places["plain"])
    assert "Use tabs." not in machine.tells(places["repository"])


def test_a_fresh_clone_is_known_by_its_remote(machine: Machine, places: dict[str, Path]) -> None:
    first, second = places["repository"], machine.home / "elsewhere"
    git(first, "remote", "add", "origin", "git@github.com:ann/shop.git")
    machine.approve("Use pnpm.", here=first)
    git(machine.home, "clone", "-q", str(first), str(second))
    git(second, "remote", "set-url", "origin", "https://github.com/ann/shop")
    assert "Use pnpm." in machine.tells(second)
    assert machine.tells(second) == machine.told_by_the_app(second)


def test_a_folder_that_becomes_a_repository_stays_its_project(machine: Machine) -> None:
    notes = machine.home / "work" / "notes"
    (notes / "deep").mkdir(parents=True)
    machine.approve("Use pnpm.", here=notes)
    git(notes, "init", "-q")
    for folder in (notes, notes / "deep"):
        assert "Use pnpm." in machine.tells(folder)
        assert machine.tells(folder) == machine.told_by_the_app(folder)


def test_a_clone_of_a_repository_on_this_machine_is_known_by_its_remote(machine: Machine) -> None:
    origin, one, two = (machine.home / name for name in ("origin.git", "one", "two"))
    git(machine.home, "init", "-q", "--bare", str(origin))
    for folder in (one, two):
        git(machine.home, "clone", "-q", str(origin), str(folder))
    machine.approve("Use pnpm.", here=one)
    assert "Use pnpm." in machine.tells(two)
    assert machine.tells(two) == machine.told_by_the_app(two)


def test_a_folder_that_is_named_from_nowhere_is_no_project(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    for folder in ("shop", ".", "..", "work/shop", "C:\\work"):
        assert machine.tells(Path(folder)) == ""


def test_a_project_inside_a_folder_of_projects_is_its_own(machine: Machine) -> None:
    code = machine.home / "code"
    for name, marker in (("one", "package.json"), ("two", "notes.txt")):
        (code / name).mkdir(parents=True)
        (code / name / marker).touch()
    machine.approve("In all of it.", here=code)
    assert machine.tells(code / "one") == machine.told_by_the_app(code / "one") == ""
    assert "In all" in machine.tells(code / "two")
    assert machine.tells(code / "two") == machine.told_by_the_app(code / "two")


# Silence


def test_a_missing_store_is_silence_and_none_is_made(machine: Machine) -> None:
    assert machine.run() == ""
    assert not machine.data.exists()


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"x" * 8_192, bytes(100_000)])
def test_a_store_that_is_none_is_silence(machine: Machine, data: bytes) -> None:
    machine.data.mkdir()
    machine.store.write_bytes(data)
    assert machine.run() == ""
    assert tree(machine.data) == {"twice.db": data}


def test_a_store_that_is_a_folder_or_a_pipe_is_silence(machine: Machine) -> None:
    machine.store.mkdir(parents=True)
    assert machine.run() == ""
    machine.store.rmdir()
    os.mkfifo(machine.store)
    assert machine.run() == ""


def test_a_cut_off_store_is_silence(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    whole = machine.store.read_bytes()
    for length in range(0, len(whole), len(whole) // 12):
        machine.store.write_bytes(whole[:length])
        assert machine.run() in ("", machine_told(whole, machine))


def machine_told(whole: bytes, machine: Machine) -> str:
    """Return what the whole store tells."""
    before = machine.store.read_bytes()
    machine.store.write_bytes(whole)
    try:
        return machine.run()
    finally:
        machine.store.write_bytes(before)


def test_a_store_with_flipped_bits_never_breaks_it(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    whole = machine.store.read_bytes()
    chance = random.Random(7)
    for _ in range(25):
        damaged = bytearray(whole)
        for _ in range(chance.choice([1, 1, 8, 200])):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        machine.store.write_bytes(damaged)
        machine.run()


def test_an_unknown_schema_is_silence(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    with sqlite3.connect(machine.store) as store:
        store.execute("UPDATE alembic_version SET version_num = '9999'")
    assert machine.run() == ""


def test_todays_schema_is_known() -> None:
    assert HEAD in hook.SCHEMAS


HOLD = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    store.execute(statement)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(store: Path, *statements: str) -> Iterator[None]:
    """Let another process hold the store."""
    line = [sys.executable, "-c", HOLD, str(store), *statements]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.kill()


def test_a_store_in_use_is_read_beside_its_readers(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    with held(machine.store, "BEGIN", "SELECT count(*) FROM contexts"):
        assert "Use pnpm." in machine.run()


@pytest.mark.parametrize(
    "statements",
    [
        ("BEGIN IMMEDIATE",),
        ("BEGIN EXCLUSIVE", "DELETE FROM contexts"),
        ("PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM contexts"),
        ("PRAGMA journal_mode=DELETE", "BEGIN EXCLUSIVE", "DELETE FROM contexts"),
        ("PRAGMA journal_mode=DELETE", "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE"),
    ],
)
def test_a_locked_store_is_silence(machine: Machine, statements: tuple[str, ...]) -> None:
    machine.approve("Use pnpm.")
    with held(machine.store, *statements):
        assert machine.run() == ""
    assert machine.told_by_the_app(machine.here) == machine.run() != ""


def test_a_changed_text_is_silence(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    with held(machine.store, "UPDATE contexts SET text = replace(text, 'pnpm', 'qnpm')"):
        assert machine.run() == ""


def test_what_a_killed_writer_left_is_read_without_writing(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    check = zlib.crc32(b"Use yarn.")
    with held(machine.store, f"UPDATE contexts SET text = 'Use yarn.', \"check\" = {check}"):
        pass
    assert Path(f"{machine.store}-wal").stat().st_size
    before = tree(machine.data)
    assert machine.run() == "Use yarn."
    assert tree(machine.data) == before


def test_it_writes_nothing(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    before = {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")}
    assert machine.run()
    assert {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")} == before


def test_a_folder_that_may_only_be_read_is_enough(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    machine.store.chmod(0o400)
    machine.data.chmod(0o500)
    try:
        assert "Use pnpm." in machine.run()
    finally:
        machine.data.chmod(0o700)


@pytest.mark.parametrize(
    "given",
    [b"garbage", b"{", b"[]", b'"x"', b"null", b"7", b"\xff\xfe{}", b"\0" * 100, b"[" * 100_000,
     b'{"cwd": 7}', b'{"cwd": "\\u0000"}', b'{"cwd": "relative"}', b'{"cwd": {"a": 1}}',
     b'{"cwd": "' + b"x" * 100_000 + b'"}', b" " * 8_000_000],
)  # fmt: skip
def test_input_that_is_none_is_silence(machine: Machine, given: bytes) -> None:
    machine.approve("Use pnpm.")
    assert machine.run(given) == ""


@pytest.mark.parametrize(
    "asked",
    [[], ["session-start"], ["session-start", "--client"], ["session-start", "--client", "codex"],
     ["--client", "claude-code"], ["user-prompt", "--client", "claude-code"],
     ["stop", "--client", "claude-code"], ["session-end"], ["--help"], ["\udcff"]],
)  # fmt: skip
def test_what_it_does_not_know_is_silence(machine: Machine, asked: list[str]) -> None:
    machine.approve("Use pnpm.")
    assert machine.run(asked=asked) == ""


def test_no_home_is_no_trouble(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    machine.run(environment={"PATH": os.environ["PATH"]})
    machine.run(environment={"HOME": ""})
    machine.run(environment={"HOME": "/nowhere"})


def test_a_pipe_that_is_never_closed_holds_it_less_than_a_second(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    given = json.dumps({"cwd": str(machine.here)}).encode()
    for sent, expected in ((given, "Use pnpm."), (b"", ""), (given[:9], "")):
        started = time.perf_counter()
        line = [*LINE, *ASKED, "--data", str(machine.data)]
        with subprocess.Popen(
            line,
            cwd=machine.home,
            env=machine.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdin and process.stdout and process.stderr
            process.stdin.write(sent)
            process.stdin.flush()
            assert process.wait(timeout=5) == 0
            assert time.perf_counter() - started < SLOWEST_SECONDS
            output = process.stdout.read()
            assert process.stderr.read() == b""
        assert expected in output.decode() and bool(expected) == bool(output)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
def test_closed_and_full_streams_are_no_trouble(machine: Machine, closed: str) -> None:
    machine.approve("Use pnpm.")
    words = [*LINE, *ASKED, "--data", str(machine.data)]
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *words],
        input=json.dumps({"cwd": str(machine.here)}).encode(),
        env=machine.environment(),
        cwd=machine.home,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_left_is_no_trouble(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*LINE, *ASKED, "--data", str(machine.data)],
        input=json.dumps({"cwd": str(machine.here)}).encode(),
        env=machine.environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_eight_at_once_say_the_same(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    given = json.dumps({"cwd": str(machine.here)}).encode()
    asked = machine.home / "asked.json"
    asked.write_bytes(given)
    running = []
    for _ in range(8):
        with asked.open("rb") as ready:  # as an agent does, which writes at once
            process = subprocess.Popen(
                [*LINE, *ASKED, "--data", str(machine.data)],
                env=machine.environment(),
                stdin=ready,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        running.append(process)
    outcomes = [process.communicate(timeout=10) for process in running]
    assert len(set(outcomes)) == 1 and b"Use pnpm." in outcomes[0][0] and not outcomes[0][1]


# Weight, and the way through the command line


def test_it_imports_next_to_nothing(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    line = [sys.executable, "-I", "-S", "-X", "importtime", str(PROGRAM), *ASKED]
    done = subprocess.run(
        [*line, "--data", str(machine.data)],
        input=json.dumps({"cwd": str(machine.here)}).encode(),
        env=machine.environment(),
        capture_output=True,
        check=True,
    )
    assert b"Use pnpm." in done.stdout
    loaded = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines()}
    assert "_sqlite3" in loaded
    heavy = {"json", "re", "pathlib", "argparse", "typing", "dataclasses", "site", "twice", "click"}
    assert loaded & heavy == set()


def test_the_command_line_does_the_same(machine: Machine) -> None:
    machine.approve("Use pnpm.")
    code = "from twice.faces.cli import main; main()"
    twice_line = [sys.executable, "-c", code, "hook", *ASKED]
    done = subprocess.run(
        twice_line,
        input=json.dumps({"cwd": str(machine.here)}).encode(),
        env=machine.environment(TWICE_HOME=str(machine.data)),
        capture_output=True,
    )
    assert told(done) == machine.run()
    for event in ("stop", "user-prompt", "session-end"):
        done = subprocess.run(
            [*twice_line[:4], event, "--client", "codex", "--new-option"],
            input=b"{}",
            env=machine.environment(TWICE_HOME=str(machine.data)),
            capture_output=True,
        )
        assert told(done) == ""
