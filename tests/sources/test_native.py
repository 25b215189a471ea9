"""Whose words are whose in what agents report, and whose sessions."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    SESSION,
    TURNS,
    humans,
    lines,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_native import NATIVE, event, typed

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading
from twice.sources.lines import NOT_JSON, UNFINISHED, UNKNOWN_SHAPE
from twice.sources.native import LATER, Native, Reported

SOURCE = Native()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def heard(path: Path, *records: dict[str, Any]) -> list[Reading]:
    return read_bytes(SOURCE, path, lines(*records))


@pytest.mark.parametrize("speaker", ["tool", "harness", "subagent", "butler", "Human", "", None])
def test_only_who_is_called_human_is_the_human(path: Path, speaker: str | None) -> None:
    found = heard(path, event("human", "go"), event("x", "use npm", 1, speaker=speaker))
    assert said(found) == ["go"]


@pytest.mark.parametrize("kind", ["queued", "refusal", "answer", "command", "blocked", "prompt"])
def test_how_words_came_is_kept(path: Path, kind: str) -> None:
    assert [e.kind for e in humans(heard(path, typed("use pnpm", kind=kind)))] == [Kind(kind)]


@pytest.mark.parametrize("kind", ["reply", "human.message", "", None])
def test_another_kind_of_a_persons_words_is_a_prompt(path: Path, kind: str | None) -> None:
    assert [e.kind for e in humans(heard(path, typed("use pnpm", kind=kind)))] == [Kind.PROMPT]


def test_what_harnesses_put_around_words_is_taken_off(path: Path) -> None:
    found = heard(
        path,
        typed("<system-reminder>use npm</system-reminder>use pnpm"),
        typed("<task-notification>use npm</task-notification>", 1),
    )
    assert said(found) == ["use pnpm"]


def test_who_interrupted_is_said_in_the_event(path: Path) -> None:
    turns = [typed("go"), event("agent", "ok", 1), typed("no, use pnpm", 2, interrupted=True)]
    found = humans(heard(path, *turns))
    assert [e.interrupted for e in found] == [False, True]


def test_the_facts_of_a_session_are_told(path: Path) -> None:
    facts = session(heard(path, typed("go", agent="my-agent", remote="https://x.org/a/b")))
    assert (facts.id, facts.agent, facts.cwd) == (SESSION, "my-agent", "/work/shop")
    assert (facts.branch, facts.remote) == ("main", "https://x.org/a/b")


def test_an_agent_with_a_name_that_is_none_is_called_native(path: Path) -> None:
    assert session(heard(path, typed("go", agent="../my agent"))).agent == "native"


@pytest.mark.parametrize(
    ("at", "then"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        (1_000_000, 1_000_000),
        (None, None),
        ("soon", None),
        (-1, None),
        (2**80, None),
    ],
)
def test_a_time_is_iso_or_microseconds(path: Path, at: Any, then: int | None) -> None:
    assert [e.at for e in humans(heard(path, typed("go", at=at)))] == [then]


def test_a_folder_in_the_users_home_is_found_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    found = [session(heard(path, typed("go", cwd=cwd))).cwd for cwd in ("~", "~/shop", "/srv/~")]
    assert found == ["/home/ann", "/home/ann/shop", "/srv/~"]


def test_sessions_may_share_a_file(path: Path) -> None:
    path.write_bytes(
        lines(
            typed("go", session="a"),
            typed("use pnpm", session="b"),
            event("agent", "done", session="a"),
            typed("thanks", session="a"),
            typed("hello", session="a", agent="other"),
        )
    )
    logs = list(SOURCE.logs(path))
    assert [log.part for log in logs] == ["native/a", "native/b", "other/a"]
    told = [list(log.read(Position())) for log in logs]
    assert [said(found) for found in told] == [["go", "thanks"], ["use pnpm"], ["hello"]]
    assert [[e.seq for e in humans(found)] for found in told] == [[0, 2], [0], [0]]


def test_one_session_that_grows_changes_no_other(path: Path) -> None:
    path.write_bytes(lines(typed("go", session="a"), typed("on", session="b")))
    before = {log.part: (log.size, log.mtime) for log in SOURCE.logs(path)}
    since = {log.part: list(log.read(Position()))[-1] for log in SOURCE.logs(path)}
    with path.open("ab") as file:
        file.write(lines(typed("use pnpm", 9, session="b")))
    after = {log.part: (log.size, log.mtime) for log in SOURCE.logs(path)}
    assert after["native/a"] == before["native/a"] and after["native/b"] != before["native/b"]
    new = [said(log.read(since[log.part])) for log in SOURCE.logs(path)]  # type: ignore[arg-type]
    assert new == [[], ["use pnpm"]]


def test_the_time_of_a_session_is_that_of_its_last_event(path: Path) -> None:
    path.write_bytes(lines(typed("go", at=5_000_000), typed("on", at=3_000_000)))
    assert [log.mtime for log in SOURCE.logs(path)] == [5_000_000_000]


def test_damage_is_told_and_spares_the_rest(path: Path) -> None:
    good = lines(typed("go")), lines(typed("use pnpm", 1))
    bad = b'oops\n{"schema": "twice.event/1"}\n{"session": "s"}\n'
    found = read_bytes(SOURCE, path, good[0] + bad + good[1] + b'{"session": "s')
    assert said(found) == ["go", "use pnpm"]
    reasons = [NOT_JSON, UNKNOWN_SHAPE, UNKNOWN_SHAPE, UNFINISHED]
    assert [s.reason for s in skipped(found)] == reasons
    assert position(found).told == 5


def test_a_file_of_damage_alone_is_told(path: Path) -> None:
    found = read_bytes(SOURCE, path, b"oops\noops\n")
    assert [s.reason for s in skipped(found)] == [NOT_JSON, NOT_JSON]


def test_an_event_of_a_later_version_is_passed_over_by_name(path: Path) -> None:
    found = heard(path, typed("go"), typed("use npm", 1, schema="twice.event/2"))
    assert (said(found), [s.reason for s in skipped(found)]) == (["go"], [LATER])


def test_a_file_of_a_later_version_is_an_unknown_format_and_not_empty(path: Path) -> None:
    with pytest.raises(UnknownFormat, match="version 7"):
        heard(path, typed("go", schema="twice.event/7"))


def test_fields_of_later_versions_are_passed_over(path: Path) -> None:
    assert said(heard(path, typed("go", payload={"text": "use npm"}, parts=[1]))) == ["go"]


def test_what_was_recorded_lies_in_our_own_folder_and_is_not_ours(tmp_path: Path) -> None:
    folder = tmp_path / "recorded" / "my-agent"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(NATIVE)
    (folder / "damaged.jsonl").write_bytes(b"oops\n")
    source = Native(own=tmp_path)
    assert source.homes() == [tmp_path / "recorded"]
    (home,) = source.homes()
    assert [path.name for path in source.files(home)] == ["damaged.jsonl", "s.jsonl"]
    found = read(source, folder / "s.jsonl")
    assert (session(found).own, said(found)) == ("", TURNS)


def test_a_session_of_our_own_model_says_nothing(path: Path, tmp_path: Path) -> None:
    path.write_bytes(lines(typed("observe this", cwd=str(tmp_path / "own" / "x"))))
    found = read(Native(own=tmp_path / "own"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_other_json_is_not_recognised(path: Path) -> None:
    quoted = b'{"text": "it says {\\"schema\\": \\"twice.event/1\\"}"}\n'
    for head in (b"", b"{}", quoted, b'["schema", "twice.event/1"]', b'{"schema": "other/1"}'):
        assert not SOURCE.recognises(path, head)
    assert SOURCE.recognises(path, NATIVE) and SOURCE.recognises(path, b"oops\n" + NATIVE)


# In memory


def test_events_in_no_file_are_read_the_same_and_numbered_on(path: Path) -> None:
    every = NATIVE.splitlines()
    (log,) = Reported({"a": every[:2]}, 1).logs(path)
    first = list(log.read(Position()))
    (log,) = Reported({"a": every[2:]}, 2).logs(path)
    rest = list(log.read(position(first)))
    assert said(first) + said(rest) == TURNS and replies(rest)
    numbers = [e.seq for e in (*humans(first), *humans(rest))]
    assert numbers == [e.seq for e in humans(read_bytes(SOURCE, path, NATIVE))]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
FIELDS = st.sampled_from(
    ["schema", "session", "agent", "at", "speaker", "kind", "text", "id", "cwd", "interrupted"]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=st.dictionaries(FIELDS, ODD, max_size=3), junk=st.binary(max_size=30))
def test_values_of_any_shape_crash_nothing(odd: dict[str, Any], junk: bytes, path: Path) -> None:
    found = read_bytes(SOURCE, path, lines(typed("go"), typed("x", 1) | odd) + junk)
    assert said(found)[0] == "go"
    assert isinstance(found[-1], Position)
