"""What every source keeps to, whatever its agent writes."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources import (
    samples,
    samples_aider,
    samples_chats,
    samples_cursor,
    samples_native,
    samples_opencode,
    samples_openhands,
    samples_otel,
    samples_swe,
    samples_vscode,
)
from tests.sources.samples import humans, position, read, read_bytes, replies, said, session

from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Position, Session, Skipped
from twice.ports import Source
from twice.sources.aider import HISTORY, Aider
from twice.sources.chatgpt import ChatGpt
from twice.sources.claude_ai import ClaudeAi
from twice.sources.claude_code import ClaudeCode
from twice.sources.codex import Codex
from twice.sources.copilot_cli import CopilotCli
from twice.sources.cursor import Cursor
from twice.sources.gemini_cli import GeminiCli
from twice.sources.native import Native
from twice.sources.opencode import OpenCode
from twice.sources.openhands import OpenHands
from twice.sources.otel_genai import OtelGenAi
from twice.sources.specstory import SpecStory
from twice.sources.swe_agent import SweAgent
from twice.sources.vscode_chat import VsCodeChat


@dataclass(frozen=True)
class Case:
    """A source, and the sample session in one of its layouts.

    ``made`` writes the session with other turns, where its bytes cannot simply be replaced: a
    database, or a document with lengths or digests in it. ``appended``: the file grows at its end,
    as logs do; others are written anew. ``spares``: damage within the file spares the rest of it.
    """

    source: Source
    name: str
    data: bytes
    made: Callable[[Sequence[str]], bytes] | None = None
    appended: bool = True
    spares: bool = True

    def having(self, old: str, new: str) -> bytes:
        """Return the session with other words in its turns."""
        if self.made:
            return self.made([turn.replace(old, new) for turn in samples.TURNS])
        return self.data.replace(old.encode(), new.encode())

    def until_the_last_turn(self) -> bytes:
        """Return the session as it was before the person spoke last."""
        if self.made:
            return self.made(samples.TURNS[:-1])
        return self.data[: self.data.rindex(b"\n", 0, self.data.index("réponds".encode())) + 1]


CASES = {
    "claude-code": Case(ClaudeCode(), f"{samples.SESSION}.jsonl", samples.CLAUDE),
    "codex": Case(Codex(), f"rollout-{samples.DAY}-{samples.SESSION}.jsonl", samples.CODEX),
    "codex-bare": Case(Codex(), "rollout-old.jsonl", samples.CODEX_BARE),
    "gemini-cli": Case(GeminiCli(), "session-a.json", samples.GEMINI),
    "gemini-cli-log": Case(GeminiCli(), "session-b.jsonl", samples.GEMINI_LOG),
    "copilot-cli": Case(CopilotCli(), "events.jsonl", samples.COPILOT),
    "vscode-chat": Case(VsCodeChat(), "chat.json", samples_vscode.VSCODE),
    "vscode-chat-log": Case(VsCodeChat(), "chat.jsonl", samples_vscode.VSCODE_LOG),
    "cursor": Case(
        Cursor(),
        "state.vscdb",
        samples_cursor.EDITOR,
        made=samples_cursor.editor_with,
        appended=False,
        spares=False,
    ),
    "cursor-chat": Case(
        Cursor(),
        "store.db",
        samples_cursor.STORE,
        made=samples_cursor.store_with,
        appended=False,
        spares=False,
    ),
    "cursor-transcript": Case(Cursor(), "cursor.jsonl", samples_cursor.TRANSCRIPT),
    "specstory-1": Case(SpecStory(), "2026-03-04_10-00-shop.md", samples.SPECSTORY_1),
    "specstory-2": Case(SpecStory(), "2026-03-04_10-00-00Z-shop.md", samples.SPECSTORY_2),
    "aider": Case(Aider(), HISTORY, samples_aider.AIDER),
    "openhands": Case(
        OpenHands(),
        "trajectory.json",
        samples_openhands.OPENHANDS,
        made=samples_openhands.trajectory,
        appended=False,
    ),
    "swe-agent": Case(
        SweAgent(),
        "shop.traj.json",
        samples_swe.MINI,
        made=samples_swe.watched,
        appended=False,
    ),
    "chatgpt": Case(
        ChatGpt(),
        "conversations.json",
        samples_chats.CHATGPT,
        made=lambda turns: samples_chats.export(samples_chats.chatgpt_having(turns)),
        appended=False,
    ),
    "opencode": Case(
        OpenCode(),
        "opencode.db",
        samples_opencode.DATABASE,
        made=samples_opencode.database,
        appended=False,
        spares=False,
    ),
    "opencode-2": Case(
        OpenCode(),
        "opencode-2.db",
        samples_opencode.SECOND_DATABASE,
        made=samples_opencode.second_database,
        appended=False,
        spares=False,
    ),
    "opencode-export": Case(
        OpenCode(),
        "export.json",
        samples_opencode.EXPORT,
        made=lambda turns: samples_opencode.export(samples_opencode.session_of(turns)),
        appended=False,
    ),
    "claude-ai": Case(
        ClaudeAi(),
        "conversations-000.json",
        samples_chats.CLAUDE_AI,
        made=lambda turns: samples_chats.export(samples_chats.claude_ai_having(turns)),
        appended=False,
    ),
    "otel-genai": Case(OtelGenAi(), "spans.jsonl", samples_otel.OTEL, samples_otel.otel_having),
    "native": Case(Native(), "recorded.jsonl", samples_native.NATIVE),
}
APPENDED = [name for name, case in CASES.items() if case.appended]
SPARING = [name for name, case in CASES.items() if case.spares]
CUTS = {name: st.integers(0, len(case.data)) for name, case in CASES.items()}
in_tmp_path = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_every_human_turn_is_found_and_nothing_else(case: Case, tmp_path: Path) -> None:
    found = read_bytes(case.source, tmp_path / case.name, case.data)
    assert said(found) == samples.TURNS
    assert replies(found) == samples.REPLIES
    assert samples.skipped(found) == []


def test_the_session_comes_first_and_the_position_last(case: Case, tmp_path: Path) -> None:
    found = read_bytes(case.source, tmp_path / case.name, case.data)
    assert isinstance(found[0], Session)
    assert [isinstance(item, Position) for item in found].count(True) == 1
    assert session(found).agent == case.source.name
    assert {e.session for e in found if isinstance(e, Event)} == {session(found).id}


def test_records_are_numbered_the_same_at_every_reading(case: Case, tmp_path: Path) -> None:
    first = read_bytes(case.source, tmp_path / case.name, case.data)
    numbers = [event.seq for event in humans(first)]
    assert numbers == sorted(set(numbers))
    assert read(case.source, tmp_path / case.name) == first


def test_a_file_that_did_not_grow_tells_nothing_twice(case: Case, tmp_path: Path) -> None:
    first = read_bytes(case.source, tmp_path / case.name, case.data)
    again = read(case.source, tmp_path / case.name, position(first))
    assert said(again) == []
    assert position(again) == position(first)


def test_a_turn_that_comes_later_is_told_with_what_it_answers(case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.name
    first = read_bytes(case.source, path, case.until_the_last_turn())
    path.write_bytes(case.data)
    rest = read(case.source, path, position(first))
    assert said(first) + said(rest) == samples.TURNS
    assert replies(rest)[-1:] == samples.REPLIES[-1:]


@pytest.mark.parametrize("name", APPENDED)
@in_tmp_path
@given(data=st.data())
def test_a_file_cut_anywhere_is_read_on_without_loss(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    case = CASES[name]
    path = tmp_path / case.name
    told: list[Event] = []
    since = Position()
    for cut in [*sorted(data.draw(st.lists(CUTS[name], max_size=4))), len(case.data)]:
        path.write_bytes(case.data[:cut])
        found = read(case.source, path, since)
        since = position(found)
        told += humans(found)
    whole = humans(read(case.source, path))
    if case.source.name == "specstory":  # its last turn may grow, and is told again under its key
        told = list({(event.seq, event.kind): event for event in told}.values())
    assert told == whole


@pytest.mark.parametrize("name", CASES)
@in_tmp_path
@given(junk=st.binary(max_size=300), data=st.data())
def test_no_bytes_crash_a_reader(
    name: str, junk: bytes, data: st.DataObject, tmp_path: Path
) -> None:
    case = CASES[name]
    place = data.draw(CUTS[name])
    path = tmp_path / case.name
    with suppress(UnknownFormat, OSError):
        found = read_bytes(case.source, path, case.data[:place] + junk + case.data[place:])
        assert found == [] or isinstance(found[-1], Position)
    case.source.recognises(path, junk)


BY_LINE = (
    *("claude-code", "codex", "codex-bare", "gemini-cli-log", "copilot-cli", "vscode-chat-log"),
    *("native", "cursor-transcript"),
)


@pytest.mark.parametrize("name", BY_LINE)
@in_tmp_path
@given(
    kind=st.sampled_from(
        [
            *("user", "assistant", "system", "attachment", "queue-operation", "message"),
            *("event_msg", "response_item", "session_meta", "turn_context", "gemini", "info"),
            *("user.message", "assistant.message", "permission.completed", "session.start"),
        ]
    ),
    record=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        *("type", "message", "content", "payload", "uuid", "git", "cwd", "data"),
                        *("id", "text", "toolCalls", "context", "result", "messages"),
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
    ),
)
def test_records_of_any_shape_do_not_crash_a_reader(
    name: str, kind: str, record: object, tmp_path: Path
) -> None:
    case = CASES[name]
    data = case.data + samples.lines(
        {"type": kind, "payload": record, "message": record, "content": record},
        {"type": kind, "attachment": record, "operation": record, "origin": record},
        {"type": kind, "data": record, "id": "x", "displayContent": record, "toolCalls": record},
        {"type": record},
        {"$set": record, "messages": record},
    )
    assert said(read_bytes(case.source, tmp_path / case.name, data))[:3] == samples.TURNS


@pytest.mark.parametrize("name", SPARING)
def test_windows_line_ends_and_a_bom_change_nothing(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    data = b"\xef\xbb\xbf" + case.data.replace(b"\n", b"\r\n")
    found = read_bytes(case.source, tmp_path / case.name, data)
    assert said(found) == samples.TURNS
    assert case.source.recognises(tmp_path / case.name, data)


@pytest.mark.parametrize("name", SPARING)
def test_nul_bytes_lose_nothing_else(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    place = case.data.index(b"\n") + 1
    data = case.data[:place] + bytes(500) + b"\n" + case.data[place:]
    assert said(read_bytes(case.source, tmp_path / case.name, data)) == samples.TURNS


def test_a_very_long_turn_is_cut_and_this_is_said(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.TURN_CHARS", 17)
    monkeypatch.setattr("twice.core.limits.READ_CHARS", 17)
    found = read_bytes(case.source, tmp_path / case.name, case.data)
    assert said(found) == ["set up the shop", "use pnpm, not npm", "réponds en frança"]
    assert len(samples.skipped(found)) == 2


@pytest.mark.parametrize("name", APPENDED)
def test_a_file_that_was_written_anew_is_read_from_its_start(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / case.name
    first = read_bytes(case.source, path, case.data + case.data)
    path.write_bytes(case.data)
    assert said(read(case.source, path, position(first))) == samples.TURNS


def test_its_own_files_are_recognised_and_no_others(case: Case, tmp_path: Path) -> None:
    for other in CASES.values():
        (tmp_path / other.name).write_bytes(other.data)
    found = list(case.source.files(tmp_path))
    assert found == [tmp_path / c.name for c in _sorted_of(case.source.name)]


def _sorted_of(agent: str) -> list[Case]:
    return sorted((c for c in CASES.values() if c.source.name == agent), key=lambda c: c.name)


def test_our_own_session_says_nothing(case: Case, tmp_path: Path) -> None:
    data = case.having("set up the shop", "<twice-own-session> You are a reader of turns")
    found = read_bytes(case.source, tmp_path / case.name, data)
    assert session(found).own == "marker"
    assert humans(found) == []


def test_the_marker_later_in_a_session_is_only_talk(case: Case, tmp_path: Path) -> None:
    data = case.having("réponds", "what is <twice-own-session>? réponds")
    found = read_bytes(case.source, tmp_path / case.name, data)
    assert session(found).own == ""
    assert len(humans(found)) == 3


def test_what_we_put_into_a_prompt_is_not_the_human(case: Case, tmp_path: Path) -> None:
    block = "<twice-context version='1'>always use yarn</twice-context> use pnpm"
    data = case.having("use pnpm", block)
    assert said(read_bytes(case.source, tmp_path / case.name, data)) == samples.TURNS


def test_a_file_is_never_changed(case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.name
    read_bytes(case.source, path, case.data)
    path.chmod(0o444)
    read(case.source, path)
    assert path.read_bytes() == case.data
    assert [p.name for p in tmp_path.iterdir()] == [case.name]


def test_a_line_beyond_the_limit_is_passed_over_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 1000)
    for name in BY_LINE:
        case = CASES[name]
        place = case.data.index(b"\n") + 1
        data = case.data[:place] + b'{"type":"' + b"x" * 700_000 + b'"}\n' + case.data[place:]
        found = read_bytes(case.source, tmp_path / case.name, data)
        assert said(found) == samples.TURNS
        assert [item.seq for item in found if isinstance(item, Skipped)] == [1]
