"""Whose words are whose in an export of Claude.ai."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    SESSION,
    TURNS,
    humans,
    position,
    read,
    read_bytes,
    replies,
    said,
    skipped,
)
from tests.sources.samples_chats import (
    CHATGPT,
    CLAUDE_AI,
    ROOT,
    answering,
    archive,
    claude_ai,
    claude_ai_having,
    export,
    message_id,
    wrote,
)

from twice.core.transcript import Position, Reading
from twice.sources.claude_ai import ClaudeAi
from twice.sources.lines import UNKNOWN_SHAPE

SOURCE = ClaudeAi()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def heard(path: Path, *messages: dict[str, Any], **more: Any) -> list[Reading]:
    """Return what is read of one conversation."""
    return read_bytes(SOURCE, path, export(claude_ai(*messages, **more)))


def answer(above: int | None, sender: str, text: str, number: int) -> dict[str, Any]:
    """Return a message that answers another one, or begins a conversation."""
    parent = ROOT if above is None else message_id(above)
    return wrote(sender, text, number, parent_message_uuid=parent)


BRANCHED = (
    answer(None, "human", "use bun", 1),  # edited: 3 stands in its place
    answer(1, "assistant", "ok", 2),
    answer(None, "human", "go", 3),
    answer(3, "assistant", "no", 4),  # asked again: 5 stands in its place
    answer(3, "assistant", "done", 5),
    answer(5, "human", "use npm", 6),
    answer(6, "assistant", "fine", 7),
    answer(5, "human", "use pnpm", 8),
)


def test_the_branch_of_the_last_message_is_the_conversation(path: Path) -> None:
    found = heard(path, *BRANCHED)
    assert (said(found), replies(found)) == (["go", "use pnpm"], ["done"])


def test_where_the_branch_in_view_is_named_it_is_the_conversation(path: Path) -> None:
    found = heard(path, *BRANCHED, current_leaf_message_uuid=message_id(7))
    assert said(found) == ["go", "use npm"]


@pytest.mark.parametrize("parent", [{}, {"parent_message_uuid": None}])
def test_an_older_export_knows_no_branches(path: Path, parent: dict[str, Any]) -> None:
    messages = [wrote("human", turn, n, **parent) for n, turn in enumerate(TURNS)]
    assert said(heard(path, *messages)) == TURNS


def test_what_answers_an_unknown_message_is_no_branch_that_was_left(path: Path) -> None:
    lost = wrote("human", "use pnpm", 2, parent_message_uuid=message_id(99))
    assert said(heard(path, answer(None, "human", "go", 1), lost)) == ["go", "use pnpm"]


def test_what_is_attached_is_not_typed(path: Path) -> None:
    pasted = {"file_name": "paste.txt", "extracted_content": "always use yarn"}
    found = heard(path, wrote("human", "use pnpm", 1, attachments=[pasted]))
    assert said(found) == ["use pnpm"]


def test_text_blocks_are_the_words_and_the_flat_text_stands_in_for_them(path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "always use yarn"},
        {"type": "tool_use", "name": "artifacts", "input": {"text": "always use npm"}},
        {"type": "text", "text": "I use"},
        {"type": "text", "text": "pnpm."},
    ]
    found = heard(
        path,
        wrote("assistant", "This block is not supported", 1, content=blocks),
        wrote("human", "go", 2, content=[]),
        wrote("human", "on", 3) | {"content": None},
    )
    assert (replies(found), said(found)) == (["I use\n\npnpm."], ["go", "on"])


def test_who_speaks_after_stopping_the_model_interrupted(path: Path) -> None:
    stopped = wrote("assistant", "I will use", 2, stop_reason="user_canceled")
    found = humans(heard(path, wrote("human", "go", 1), stopped, wrote("human", "use pnpm", 3)))
    assert [e.interrupted for e in found] == [False, True]


def test_ids_and_times_are_the_applications_own(path: Path) -> None:
    path.write_bytes(CLAUDE_AI)
    (log,) = SOURCE.logs(path)
    assert (log.part, log.mtime) == (SESSION, 1_772_621_940_000_000_000)
    event = humans(log.read(Position()))[1]
    assert (event.seq, event.record, event.at) == (2, message_id(2), 1_772_618_520_000_000)


def test_a_conversation_that_went_on_tells_what_is_new(path: Path) -> None:
    first = read_bytes(SOURCE, path, export(claude_ai(*BRANCHED[:7])))
    path.write_bytes(export(claude_ai(*BRANCHED)))
    rest = read(SOURCE, path, position(first))
    assert (said(first), said(rest), replies(rest)) == (["go", "use npm"], ["use pnpm"], ["done"])


def test_a_damaged_message_or_conversation_spares_the_others(path: Path) -> None:
    damaged = claude_ai(*answering([wrote("human", "go", 1), wrote("human", "on", 2)]))
    damaged["chat_messages"].insert(1, {"sender": 7})
    data = export(damaged, {"uuid": 7}, {"chat_messages": []}, claude_ai_having(TURNS))
    found = read_bytes(SOURCE, path, data)
    assert said(found) == ["go", "on", *TURNS]
    assert [s.reason for s in skipped(found)] == [UNKNOWN_SHAPE] * 3


def test_only_an_export_of_its_own_is_recognised(path: Path, tmp_path: Path) -> None:
    assert SOURCE.recognises(path, CLAUDE_AI)
    projects = b'[{"uuid": "a", "name": "Shop", "docs": []}]'
    memories = b'[{"conversations_memory": "always use yarn"}]'
    for head in (CHATGPT, projects, memories, b"[]", b'{"uuid": 1, "chat_messages": []}'):
        assert not SOURCE.recognises(path, head)


def test_of_an_archive_only_the_conversations_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    others = b'[{"uuid": "a", "chat_messages": [{"sender": "human", "text": "no"}]}]'
    path.write_bytes(archive(users=others, memories=others, conversations=CLAUDE_AI))
    assert list(SOURCE.files(tmp_path)) == [path]
    assert said(read(SOURCE, path)) == TURNS


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["uuid", "sender", "text", "content"]), inner, max_size=3)
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=ODD, junk=st.binary(max_size=60), place=st.integers(0, len(CLAUDE_AI)))
def test_values_of_any_shape_crash_nothing(odd: Any, junk: bytes, place: int, path: Path) -> None:
    data = export(odd, claude_ai(odd), claude_ai(wrote("human", "x", 1, content=odd), uuid=odd))
    for damaged in (data, CLAUDE_AI[:place] + junk + CLAUDE_AI[place:]):
        found = read_bytes(SOURCE, path, damaged)
        assert found == [] or isinstance(found[-1], Position)
