"""What Entire keeps of sessions in a project's repository, read out of git."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faces.desk import Desk, seated
from tests.sources import samples
from tests.sources.samples import humans, position, read, replies, said, session, skipped
from tests.sources.samples_entire import V1, Checkpoints, commit, git, note, repository

from twice.core.encoding import text_digest
from twice.core.transcript import Event, Position
from twice.sources.entire import NOT_HERE, UNKNOWN_AGENT, Entire
from twice.sources.git_objects import Objects
from twice.sources.places import open_paths, sources
from twice.store.sql import SqliteDatabase

OTHER = "99999999-2222-4333-8444-555555555555"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def kept(tmp_path: Path) -> Checkpoints:
    """Return a repository without checkpoints yet."""
    return Checkpoints(repository(tmp_path / "shop"))


def entire(*projects: Path, **more: str) -> Entire:
    """Return the source, looking into these projects."""
    environ = dict(os.environ) | more
    return Entire(natives=sources()[:-1], projects=projects, environ=environ)


def found(folder: Path) -> list[tuple[str, list[str]]]:
    """Return each session's name and what people said in it."""
    source = entire(folder)
    logs = [log for home in source.homes() for log in source.logs(home)]
    return [(log.part, said(list(log.read(Position())))) for log in logs]


def upto(data: bytes, count: int) -> bytes:
    """Return the first records of a session."""
    return b"".join(data.splitlines(keepends=True)[:count])


def test_a_growing_session_is_one_however_many_checkpoints_have_it(kept: Checkpoints) -> None:
    for count in (1, 4, 6):
        kept.add(samples.SESSION, upto(samples.CLAUDE, count))
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_it_is_read_as_its_agent_reads_it(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE, branch="pay")
    (folder,) = entire(kept.folder).homes()
    items = read(entire(kept.folder), folder)
    alone = kept.folder / f"{samples.SESSION}.jsonl"
    alone.write_bytes(samples.CLAUDE)
    native = read(next(s for s in sources() if s.name == "claude-code"), alone)
    assert [i for i in items if isinstance(i, Event)] == [i for i in native if isinstance(i, Event)]
    assert replies(items) == samples.REPLIES
    told = session(items)
    assert (told.id, told.agent, told.branch) == (samples.SESSION, "claude-code", "main")
    assert Path(told.root) == kept.folder


@pytest.mark.parametrize(
    ("agent", "name", "data"),
    [
        ("Codex", "codex", samples.CODEX),
        ("Gemini CLI", "gemini-cli", samples.GEMINI),
        ("Gemini CLI", "gemini-cli", samples.GEMINI_LOG),
        ("Copilot CLI", "copilot-cli", samples.COPILOT),
        ("Claude Code", "claude-code", samples.CLAUDE),
    ],
)
def test_every_agent_is_known_by_what_it_wrote(
    agent: str, name: str, data: bytes, kept: Checkpoints
) -> None:
    kept.add(samples.SESSION, data, agent=agent)
    items = read(entire(kept.folder), kept.folder / ".git")
    assert said(items) == samples.TURNS
    assert session(items).agent == name


def test_two_sessions_of_one_checkpoint_are_two(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    other = samples.CODEX.replace(samples.SESSION.encode(), OTHER.encode())
    kept.add(OTHER, other, slot=1, agent="Codex")
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS), (OTHER, samples.TURNS)]


def test_a_transcript_cut_into_pieces_is_one(kept: Checkpoints) -> None:
    lines = samples.CLAUDE.splitlines()
    kept.add(samples.SESSION, b"\n".join(lines[:2]), b"\n".join(lines[2:4]), b"\n".join(lines[4:]))
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_a_document_cut_into_documents_is_one_session(kept: Checkpoints) -> None:
    document = json.loads(samples.GEMINI)
    parts = [
        json.dumps({"messages": document["messages"][at:to]}).encode()
        for at, to in ((0, 2), (2, 4), (4, None))
    ]
    kept.add(samples.SESSION, *parts, agent="Gemini CLI")
    items = read(entire(kept.folder), kept.folder / ".git")
    assert said(items) == samples.TURNS
    assert replies(items) == samples.REPLIES
    assert session(items).id == samples.SESSION
    numbers = [event.seq for event in humans(items)]
    assert numbers == sorted(set(numbers))


def test_the_first_versions_kept_in_each_checkpoint_only_what_was_new(kept: Checkpoints) -> None:
    lines = samples.CLAUDE.splitlines(keepends=True)
    name = f"2026-03-04-{samples.SESSION}"
    kept.add(name, b"".join(lines[:4]))
    kept.add(name, b"".join(lines[3:5]))
    kept.add(f"2026-03-05-{samples.SESSION}", b"".join(lines[5:]))
    items = read(entire(kept.folder), kept.folder / ".git")
    assert said(items) == samples.TURNS
    assert session(items).id == samples.SESSION
    numbers = [event.seq for event in humans(items)]
    assert numbers == sorted(set(numbers))


def test_a_later_copy_that_is_shorter_is_read_besides(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, upto(samples.CODEX, 5) + b" " * 5_000, agent="Codex")
    kept.add(samples.SESSION, samples.CODEX, agent="Codex")
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_what_was_told_is_not_told_again_when_the_session_grows(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, upto(samples.CLAUDE, 4))
    source, folder = entire(kept.folder), kept.folder / ".git"
    (before,) = source.logs(folder)
    first = list(before.read(Position()))
    kept.add(samples.SESSION, samples.CLAUDE.replace(b"added 3", b"added REDACTED"))
    (after,) = source.logs(folder)
    assert (after.part, after.size > before.size) == (before.part, True)
    second = list(after.read(position(first)))
    assert said(first) + said(second) == samples.TURNS
    assert replies(second)[-1:] == samples.REPLIES[-1:]
    assert said(list(after.read(position(second)))) == []


def test_copies_that_were_kept_otherwise_are_told_from_their_start(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, upto(samples.CODEX, 5) + b" " * 5_000, agent="Codex")
    kept.add(samples.SESSION, upto(samples.CODEX, 5), agent="Codex")
    source, folder = entire(kept.folder), kept.folder / ".git"
    first = read(source, folder)
    kept.add(samples.SESSION, samples.CODEX + b" " * 6_000, agent="Codex")
    assert said(read(source, folder, position(first))) == samples.TURNS


def test_a_session_that_did_not_change_looks_the_same(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)

    def looks() -> list[tuple[str, int, int]]:
        logs = entire(kept.folder).logs(kept.folder / ".git")
        return [(log.part, log.size, log.mtime) for log in logs]

    before = looks()
    kept.add(OTHER, samples.CODEX, agent="Codex")
    assert looks()[:1] == before
    place = "ab/0000000001/0"
    rewritten = {f"{place}/full.jsonl": samples.CLAUDE.replace(b"3 packages", b"4 packages")}
    commit(kept.folder, V1, rewritten)
    assert looks()[0][:2] == before[0][:2]
    assert looks()[0][2] != before[0][2]


def test_what_is_kept_is_looked_up_once_until_it_changes(
    kept: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    trees = Objects.trees
    monkeypatch.setattr(Objects, "trees", lambda *given: looked.append(1) or trees(*given))
    kept.add(samples.SESSION, samples.CLAUDE)
    source, folder = entire(kept.folder), kept.folder / ".git"
    assert len(list(source.logs(folder))) == 1
    once = len(looked)
    assert len(list(source.logs(folder))) == 1
    assert len(looked) == once
    kept.add(OTHER, samples.CODEX, agent="Codex")
    assert len(list(source.logs(folder))) == 2


def test_an_id_that_was_hidden_is_none(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE.replace(b'"record-3"', b'"REDACTED"'))
    records = [event.record for event in humans(read(entire(), kept.folder / ".git"))]
    assert records == ["record-0", "", "record-5"]


def test_a_folder_of_another_machine_is_not_the_project(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    assert session(read(entire(), kept.folder / ".git")).cwd == ""
    here = json.dumps(str(kept.folder / "web")).encode()
    kept.add(OTHER, samples.CLAUDE.replace(b'"/work/shop"', here))
    assert session(read(entire(), kept.folder / ".git")).cwd == str(kept.folder / "web")


def test_a_checkpoint_on_a_ref_of_its_own_is_found(kept: Checkpoints) -> None:
    files = {"0/full.jsonl": samples.CLAUDE, "0/metadata.json": note(samples.SESSION)}
    ulid = "01KXGTTNGCEACC83QZEJ5YAF0D"
    commit(kept.folder, f"refs/entire/checkpoints/0D/{ulid}", files | {"metadata.json": b"{}"})
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_the_second_layout_keeps_facts_and_words_apart(kept: Checkpoints) -> None:
    place = "ab/0123456789/0"
    ref = "refs/entire/checkpoints/v2"
    commit(kept.folder, f"{ref}/main", {f"{place}/metadata.json": note(samples.SESSION)})
    raw = {f"{place}/raw_transcript": samples.CLAUDE}
    commit(kept.folder, f"{ref}/full/current", raw)
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_the_oldest_layout_had_one_session_in_a_checkpoint(kept: Checkpoints) -> None:
    place = "ab/0123456789"
    facts = note(f"2026-01-01-{samples.SESSION}")
    files = {f"{place}/full.jsonl": samples.CLAUDE, f"{place}/metadata.json": facts}
    commit(kept.folder, V1, files)
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_a_session_before_its_first_commit_is_found(kept: Checkpoints) -> None:
    place = f".entire/metadata/{samples.SESSION}"
    files = {f"{place}/full.jsonl": samples.CLAUDE, "src/full.jsonl": samples.CODEX}
    commit(kept.folder, "refs/heads/entire/0a1b2c3-e3b0c4", files)
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_other_branches_hold_no_checkpoints(kept: Checkpoints) -> None:
    files = {"ab/0123456789/0/full.jsonl": samples.CLAUDE}
    commit(kept.folder, "refs/heads/feature", files)
    commit(kept.folder, "refs/heads/entire/trails/v1", files)
    assert found(kept.folder) == []


def test_a_branch_that_was_deleted_is_gone(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    git(kept.folder, "update-ref", "-d", V1)
    assert found(kept.folder) == []


def test_packed_refs_are_found(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    git(kept.folder, "pack-refs", "--all", "--prune")
    git(kept.folder, "gc", "-q")
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_a_clone_finds_what_its_remote_had(kept: Checkpoints, tmp_path: Path) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    git(tmp_path, "clone", "-q", str(kept.folder), "clone")
    assert found(tmp_path / "clone") == [(samples.SESSION, samples.TURNS)]


def test_a_bare_clone_and_a_worktree_are_looked_into(kept: Checkpoints, tmp_path: Path) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    git(tmp_path, "clone", "-q", "--bare", str(kept.folder), "bare.git")
    git(kept.folder, "worktree", "add", "-q", str(tmp_path / "tree"))
    for folder in (tmp_path / "bare.git", tmp_path / "tree", kept.folder, kept.folder / ".git"):
        opened = open_paths([folder], sources())
        assert [(source.name, len(read(source, path)) > 3) for source, path in opened] == [
            ("entire", True)
        ]
    assert found(tmp_path / "tree") == [(samples.SESSION, samples.TURNS)]
    (kept.folder / "web").mkdir()
    assert entire(tmp_path / "tree").homes() == entire(kept.folder / "web").homes()


def test_what_a_partial_clone_left_out_is_said_and_never_fetched(
    kept: Checkpoints, tmp_path: Path
) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    kept.add(OTHER, samples.CODEX + b" " * 20_000, agent="Codex")
    git(kept.folder, "config", "uploadpack.allowFilter", "true")
    url = f"file://{kept.folder}"
    git(tmp_path, "clone", "-q", "--filter=blob:limit=10k", url, "clone")
    assert found(tmp_path / "clone") == [(samples.SESSION, samples.TURNS), (OTHER, [])]
    items = read(entire(), tmp_path / "clone" / ".git")
    assert [item.reason for item in skipped(items)] == [NOT_HERE]
    *_, lost = entire().logs(tmp_path / "clone" / ".git")
    assert (lost.part, lost.size, lost.mtime // 10**9) == (OTHER, 0, 1772622120)
    shutil.rmtree(kept.folder)
    assert found(tmp_path / "clone") == [(samples.SESSION, samples.TURNS), (OTHER, [])]


def test_a_lost_blob_leaves_the_copy_before_it(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, upto(samples.CLAUDE, 4))
    kept.add(samples.SESSION, samples.CLAUDE)
    id = git(kept.folder, "rev-parse", f"{V1}:ab/0000000002/0/full.jsonl").decode().strip()
    (kept.folder / ".git" / "objects" / id[:2] / id[2:]).unlink(missing_ok=True)
    for pack in (kept.folder / ".git" / "objects" / "pack").glob("*"):
        pytest.skip(f"git packed at once: {pack.name}")
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS[:2])]


def test_an_agent_that_nobody_knows_is_named(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, b'{"a": 1}\n', agent="Factory AI Droid")
    items = read(entire(), kept.folder / ".git")
    assert [item.reason for item in skipped(items)] == [f"{UNKNOWN_AGENT}: Factory AI Droid"]


def test_notes_that_are_damaged_leave_the_words(kept: Checkpoints) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    for flaw in (b"{", b'{"session_id": 7}', b"\xff", b"[" * 100_000):
        commit(kept.folder, V1, {"ab/0000000001/0/metadata.json": flaw})
        assert found(kept.folder) == [("ab/0000000001/0", samples.TURNS)]


def test_without_git_this_is_said(kept: Checkpoints, tmp_path: Path) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    with pytest.raises(OSError, match="git is not installed"):
        list(entire(PATH=str(tmp_path)).logs(kept.folder / ".git"))
    with pytest.raises(OSError, match="git does not read it"):
        (kept.folder / ".git" / "HEAD").write_text("nothing")
        list(entire().logs(kept.folder / ".git"))


def test_a_git_that_hangs_is_ended(
    kept: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setattr("twice.core.limits.GIT_SECONDS", 0.1)
    with pytest.raises(OSError, match=r"longer than 0\.1 seconds"):
        list(entire(PATH=f"{tmp_path}:{os.environ['PATH']}").logs(kept.folder / ".git"))


def test_settings_of_the_repository_run_nothing(kept: Checkpoints, tmp_path: Path) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external"):
        git(kept.folder, "config", name, str(trap))
    git(kept.folder, "config", "core.hooksPath", str(tmp_path))
    git(kept.folder, "config", "alias.cat-file", f"!{trap}")
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]
    assert not (tmp_path / "sprung").exists()


def test_where_git_was_told_to_look_does_not_matter(
    kept: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "elsewhere"))
    assert found(kept.folder) == [(samples.SESSION, samples.TURNS)]


def test_nothing_is_written_and_nothing_is_left(
    kept: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add(samples.SESSION, samples.CLAUDE)
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))

    def everything() -> dict[Path, tuple[int, int]]:
        stats = {path: path.stat() for path in kept.folder.rglob("*")}
        return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}

    before = everything()
    source = entire(kept.folder)
    for log in source.logs(source.homes()[0]):
        reading = log.read(Position())
        next(reading)
        (folder,) = private.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
        assert isinstance(reading, Iterator)
        del reading
        assert list(private.iterdir()) == []
        assert said(list(log.read(Position()))) == samples.TURNS
    assert everything() == before
    assert list(private.iterdir()) == []


def test_our_own_session_says_nothing(kept: Checkpoints) -> None:
    start = b"<twice-own-session> You are a reader of turns"
    kept.add(samples.SESSION, samples.CLAUDE.replace(b"set up the shop", start))
    items = read(entire(), kept.folder / ".git")
    assert session(items).own == "marker"
    assert humans(items) == []


def test_a_folder_that_is_no_repository_has_none(tmp_path: Path) -> None:
    assert entire(tmp_path).homes() == []
    assert list(entire().files(tmp_path)) == []


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk whose project is a repository."""
    with seated(Desk(tmp_path)) as made:
        repository(made.work)
        yield made


def wishing(id: str, minute: int) -> bytes:
    """Return a session in which a person wishes something."""
    records = (
        samples.typed(f"look at page {minute}", minute, uuid=f"{id}-0"),
        samples.reply("I used npm to install it.", minute + 1, uuid=f"{id}-1"),
        samples.typed("No, use pnpm instead of npm", minute + 2, uuid=f"{id}-2"),
    )
    return samples.lines(*(record | {"sessionId": id} for record in records))


def test_a_dream_in_a_repository_counts_each_session_once(desk: Desk) -> None:
    kept = Checkpoints(desk.work)
    one, two = wishing(samples.SESSION, 1), wishing(OTHER, 9)
    kept.add(samples.SESSION, upto(one, 2))
    kept.add(samples.SESSION, one)
    native = desk.home / ".claude" / "projects" / "-work" / f"{samples.SESSION}.jsonl"
    native.parent.mkdir(parents=True)
    native.write_bytes(one.replace(b"/work/shop", str(desk.work).encode()))
    first = desk.twice("dream", "--mode", "suggest", "--json").value
    assert first["read"]["files"] == {
        "read": 2,
        "of sessions that their agents kept themselves": 1,
    }
    assert (first["read"]["sessions"], first["proposals"]) == (1, [])
    again = desk.twice("dream", "--mode", "suggest", "--json").value
    assert again["read"]["files"] == {"unchanged": 2}
    kept.add(OTHER, two)
    second = desk.twice("dream", "--mode", "suggest", "--json").value
    (proposal,) = second["proposals"]
    assert {row["session"] for row in proposal["evidence"]} == {samples.SESSION, OTHER}
    assert {row["agent"] for row in proposal["evidence"]} == {"claude-code"}


def test_what_the_agent_kept_goes_before_its_checkpoint(desk: Desk) -> None:
    kept = Checkpoints(desk.work)
    one, two = wishing(samples.SESSION, 1), wishing(OTHER, 9)
    for id, data in ((samples.SESSION, one), (OTHER, two)):
        kept.add(id, data.replace(b"look at page", b"look at [REDACTED]"))
    desk.twice("dream", "--mode", "suggest")
    native = desk.home / ".claude" / "projects" / "-work" / f"{samples.SESSION}.jsonl"
    native.parent.mkdir(parents=True)
    native.write_bytes(one.replace(b"/work/shop", str(desk.work).encode()))
    desk.twice("dream", "--mode", "suggest")
    (proposal,) = desk.twice("review", "--list", "--json").value["proposals"]
    assert len(proposal["evidence"]) == 2
    store = SqliteDatabase(desk.data / "twice.db")
    with store.reading() as tables:
        sessions = {row["id"]: row["turns"] for row in tables.select("sessions")}
        turns = {row["text"]: row["session"] for row in tables.select("turns")}
    store.close()
    assert sessions == {samples.SESSION: 2, OTHER: 2}
    assert turns[text_digest("look at page 1")] == samples.SESSION


def test_checkpoints_are_listed_among_the_sessions(desk: Desk) -> None:
    Checkpoints(desk.work).add(samples.SESSION, samples.CLAUDE)
    agents = desk.twice("sources", "--json").value["agents"]
    assert [(row["agent"], row["sessions"]) for row in agents] == [("entire", 1)]
    shown = desk.twice("sources", "turns", str(desk.work / ".git"), "--json").out
    assert [json.loads(line)["text"] for line in shown.splitlines()] == samples.TURNS
