"""Whose words are whose in an export of ChatGPT."""

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
    session,
    skipped,
)
from tests.sources.samples_chats import (
    CHATGPT,
    CLAUDE_AI,
    archive,
    chain,
    chatgpt,
    chatgpt_having,
    export,
    message_id,
)
from tests.sources.samples_chats import said as message

from twice.core.transcript import Position, Reading
from twice.sources.chatgpt import NOT_TYPED, ChatGpt
from twice.sources.claude_ai import ClaudeAi
from twice.sources.lines import UNFINISHED, UNKNOWN_SHAPE

SOURCE = ChatGpt()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def heard(path: Path, *messages: Any, **more: Any) -> list[Reading]:
    """Return what is read of one conversation without branches."""
    return read_bytes(SOURCE, path, export(chatgpt(chain(*messages), **more)))


def test_the_way_from_the_last_message_to_the_root_is_the_conversation(path: Path) -> None:
    start = chain(message("user", "go", 1), message("assistant", "done", 2))
    left = chain(message("user", "use npm", 3), message("assistant", "ok", 4), first=message_id(2))
    now = chain(
        message("user", "use pnpm", 5), message("assistant", "fine", 6), first=message_id(2)
    )
    found = read_bytes(SOURCE, path, export(chatgpt(start | left | now, message_id(6))))
    assert (said(found), replies(found)) == (["go", "use pnpm"], ["done", "fine"])


def test_without_a_last_message_the_newest_one_is_it(path: Path) -> None:
    mapping = chain(message("user", "go", 1)) | chain(
        message("user", "use pnpm", 9), first=message_id(1)
    )
    left = chain(message("user", "use npm", 5), first=message_id(1))
    found = read_bytes(SOURCE, path, export(chatgpt(mapping | left, "gone")))
    assert said(found) == ["go", "use pnpm"]


def test_a_prompt_that_was_edited_later_is_told_at_the_next_reading(path: Path) -> None:
    mapping = chain(message("user", "go", 1), message("assistant", "done", 2))
    old = chain(
        message("user", "use npm", 3),
        message("assistant", "ok", 4),
        message("user", "thanks", 5),
        first=message_id(2),
    )
    first = read_bytes(SOURCE, path, export(chatgpt(mapping | old)))
    new = chain(message("user", "use pnpm", 6), first=message_id(2))
    path.write_bytes(export(chatgpt(new | old | mapping, message_id(6))))
    rest = read(SOURCE, path, position(first))
    assert (said(first), said(rest)) == (["go", "use npm", "thanks"], ["use pnpm"])
    assert replies(rest) == ["done"]


def test_what_the_application_puts_in_the_persons_place_is_not_typed(path: Path) -> None:
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    standing = {"metadata": {"is_user_system_message": True}}
    found = heard(
        path,
        message("user", "always use yarn", 1, **hidden),
        message("user", "always use npm", 2, **standing),
        message("system", "always use bun", 3),
        message("user", "go", 4),
    )
    assert said(found) == ["go"]


def test_a_suggestion_that_was_clicked_is_not_typed(path: Path) -> None:
    found = heard(path, message("user", "Plan a trip", 1, metadata={"is_starter_prompt": True}))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [NOT_TYPED])


def test_pictures_and_files_are_no_words_but_what_was_dictated_is(path: Path) -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "use pnpm", "direction": "in"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "x", "text": "no"},
        {"content_type": "image_asset_pointer", "asset_pointer": "x"},
        "and no npm",
        "",
    ]
    assert said(heard(path, message("user", None, 1, parts=parts))) == ["use pnpm\n\nand no npm"]


@pytest.mark.parametrize(
    "facts",
    [
        {"recipient": "canmore.create_textdoc"},
        {"channel": "analysis"},
        {"content": {"content_type": "thoughts", "thoughts": []}},
        {"content": {"content_type": "code", "text": "x"}},
        {"author": {"role": "tool", "name": "web.run"}},
    ],
)
def test_what_is_not_said_to_the_person_is_no_reply(path: Path, facts: dict[str, Any]) -> None:
    assert replies(heard(path, message("assistant", "always use yarn", 1, **facts))) == []


def test_who_speaks_after_stopping_the_model_interrupted(path: Path) -> None:
    stopped = {"finish_details": {"type": "interrupted"}}
    found = heard(
        path,
        message("user", "go", 1),
        message("assistant", "I will use", 2, metadata=stopped),
        message("user", "use pnpm", 3),
    )
    assert [(e.text, e.interrupted) for e in humans(found)] == [("go", False), ("use pnpm", True)]


def test_ids_and_times_are_the_applications_own(path: Path) -> None:
    (log,) = SOURCE.logs(_written(path, CHATGPT))
    assert (log.part, log.mtime) == (SESSION, 1_772_618_490_250_000_000)
    found = list(log.read(Position()))
    assert next((e.record, e.at) for e in humans(found)) == (message_id(1), 1_772_618_401_250_000)
    assert (session(found).id, session(found).cwd) == (SESSION, "")


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_every_conversation_is_a_session_of_its_own(path: Path) -> None:
    ids = [f"chat-{n}" for n in range(3)]
    chats = [
        chatgpt(chain(message("user", f"say {id}", 1)), conversation_id=id, id=id) for id in ids
    ]
    logs = list(SOURCE.logs(_written(path, export(*chats))))
    assert [log.part for log in logs] == ids
    assert len({log.size for log in logs}) == 1
    read_by_part = [said(log.read(Position())) for log in SOURCE.logs(path)]
    assert read_by_part == [["say chat-0"], ["say chat-1"], ["say chat-2"]]


def test_a_list_within_an_object_is_read_too(path: Path) -> None:
    data = b'{"conversations": ' + CHATGPT + b"}"
    assert said(read_bytes(SOURCE, path, data)) == TURNS
    assert SOURCE.recognises(path, data)


# Damage


def test_a_damaged_conversation_spares_the_others(path: Path) -> None:
    good = chatgpt(chain(message("user", "use pnpm", 1)))
    data = export(chatgpt({"x": 1}) | {"mapping": [7]}, {}, chatgpt_having(TURNS), good)
    found = read_bytes(SOURCE, path, data)
    assert said(found) == [*TURNS, "use pnpm"]
    assert [s.reason for s in skipped(found)] == [UNKNOWN_SHAPE, UNKNOWN_SHAPE]


def test_a_damaged_message_spares_the_others(path: Path) -> None:
    odd = message("assistant", "x", 2) | {"content": 7}
    found = heard(path, message("user", "go", 1), odd, message("user", "use pnpm", 3))
    assert said(found) == ["go", "use pnpm"]
    assert [s.reason for s in skipped(found)] == [UNKNOWN_SHAPE]


def test_an_export_that_is_cut_off_tells_what_is_whole(path: Path) -> None:
    data = export(chatgpt_having(TURNS), chatgpt_having(["lost"]))
    found = read_bytes(SOURCE, path, data[:-100])
    assert (said(found), [s.reason for s in skipped(found)]) == (TURNS, [UNFINISHED])


def test_a_ring_of_messages_ends(path: Path) -> None:
    mapping = chain(message("user", "go", 1), message("user", "use pnpm", 2))
    mapping[message_id(1)]["parent"] = message_id(2)
    assert said(read_bytes(SOURCE, path, export(chatgpt(mapping)))) == ["go", "use pnpm"]


def test_a_conversation_of_many_thousand_messages_is_read(path: Path) -> None:
    messages = [message("user", f"turn {n}", n) for n in range(5_000)]
    assert len(said(heard(path, *messages))) == 5_000


NAMES = st.sampled_from(
    ["id", "parent", "message", "content", "parts", "author", "role", "create_time", "metadata"]
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=ODD, junk=st.binary(max_size=60), place=st.integers(0, len(CHATGPT)))
def test_values_of_any_shape_crash_nothing(odd: Any, junk: bytes, place: int, path: Path) -> None:
    node = {"parent": None, "message": odd}
    data = export(odd, chatgpt({"a": odd, "b": node}), chatgpt({"a": node}, update_time=odd))
    for damaged in (data, CHATGPT[:place] + junk + CHATGPT[place:]):
        found = read_bytes(SOURCE, path, damaged)
        assert found == [] or isinstance(found[-1], Position)


# Files and archives


def test_only_an_export_of_its_own_is_recognised(path: Path, tmp_path: Path) -> None:
    assert SOURCE.recognises(path, CHATGPT) and SOURCE.recognises(tmp_path / "mine.json", CHATGPT)
    for head in (CLAUDE_AI, b"[]", b"{}", b'[{"mapping": {}}]', b'{"mapping": {"create_time": 1}}'):
        assert not SOURCE.recognises(path, head)


def test_an_archive_is_read_as_it_was_downloaded(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    second = export(chatgpt(chain(message("user", "one more", 1)), conversation_id="b"))
    path.write_bytes(
        archive(x__user=b"{}", **{"x__conversations-001": second, "x__conversations-000": CHATGPT})
    )
    assert list(SOURCE.files(tmp_path)) == [path]
    assert said(read(SOURCE, path)) == [*TURNS, "one more"]
    assert list(ClaudeAi().files(tmp_path)) == []


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", archive(notes=CHATGPT)])
def test_another_archive_is_not_recognised(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "export.zip").write_bytes(data)
    assert list(SOURCE.files(tmp_path)) == []


def test_an_archive_beyond_the_bound_is_said_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(archive(conversations=CHATGPT))
    monkeypatch.setattr("twice.core.limits.ARCHIVE_BYTES", len(CHATGPT) - 1)
    with pytest.raises(OSError, match="it holds more than"):
        list(SOURCE.logs(path))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_is_an_error_of_reading_and_no_crash(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "export.zip"
    whole = archive(conversations=CHATGPT)
    place = data.draw(st.integers(0, len(whole)))
    junk = data.draw(st.binary(max_size=20))
    cut = data.draw(st.integers(0, 20))
    path.write_bytes(whole[:place] + junk + whole[place + cut :])
    SOURCE.recognises(path, b"PK")
    try:
        read(SOURCE, path)
    except OSError as error:
        assert error.strerror
