"""Whose words are whose in the conversations that Cursor's editor keeps."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    REPLIES,
    SESSION,
    TURNS,
    humans,
    position,
    read,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_cursor import (
    BEGUN,
    EDITOR,
    HEADS,
    bubble,
    composer,
    editor_with,
    id_of,
    put,
    reply,
    write,
)

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading
from twice.sources.cursor import Cursor
from twice.sources.cursor_telling import DAMAGED, MISSING
from twice.sources.lines import TOO_LONG, UNKNOWN_SHAPE

SOURCE = Cursor()
OTHER = "bbbbbbbb-2222-4333-8444-555555555555"
in_tmp_path = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "User" / "globalStorage" / "state.vscdb"


def heard(path: Path, *bubbles: dict[str, Any], **facts: Any) -> list[Reading]:
    return read(SOURCE, put(path, composer(*bubbles, **facts)))


def parts(path: Path) -> list[tuple[str, int]]:
    return [(log.part, log.size) for log in SOURCE.logs(path)]


@contextmanager
def running(path: Path) -> Iterator[sqlite3.Connection]:
    """Have the editor run on a database, which merges nothing from its WAL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        yield connection


def test_each_message_is_known_by_its_id_and_its_time(path: Path) -> None:
    first, second = humans(heard(path, bubble("use pnpm", 1), bubble("use ruff", 2)))
    assert (first.record, second.record) == (id_of(1), id_of(2))
    assert first.at == 1_772_618_460_000_000
    assert second.seq > first.seq


def test_a_message_without_a_time_has_that_of_its_conversation(path: Path) -> None:
    assert humans(heard(path, bubble("use pnpm", 1, createdAt=None)))[0].at == BEGUN * 1_000
    timed = bubble("use pnpm", 1, createdAt=None, timingInfo={"clientRpcSendTime": 1_500.5})
    assert humans(heard(path, timed))[0].at == 1_500_500


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"isSimulatedMsg": True}, "a message that Cursor sends to itself"),
        ({"isPlanExecution": True}, "the button that builds a plan"),
        ({"text": "", "richText": ""}, "a message that is nothing but an image"),
        ({"text": "Implement the plan as specified, it is attached for your reference. Go."}, ""),
        ({"text": "Request ID: 1c7d61f4-1111-4222-8333-444455556666"}, "a pasted request id"),
        ({"text": "/summarize"}, "a command without arguments"),
    ],
)
def test_what_nobody_typed_is_no_turn(path: Path, more: dict[str, Any], what: str) -> None:
    found = heard(path, bubble("use pnpm", 1), bubble("always use yarn", 2) | more)
    assert said(found) == ["use pnpm"], what


def test_an_error_that_is_pasted_is_cut_out_of_a_turn(path: Path) -> None:
    text = (
        "Request ID: 1c7d61f4-1111-4222-8333-444455556666\n"
        '[{"error":"ERROR_BAD_REQUEST"}]\n'
        "ConnectError: [invalid_argument] Error\n"
        "    at i1e (vscode-file://workbench.js:1:2)\n"
        "    at async Xkn (vscode-file://workbench.js:3:4)\n"
        "try it again with pnpm"
    )
    assert said(heard(path, bubble(text, 1))) == ["try it again with pnpm"]


def test_the_arguments_of_a_command_are_the_humans(path: Path) -> None:
    (event,) = humans(heard(path, bubble("/commit without a body", 1)))
    assert (event.kind, event.text) == (Kind.COMMAND, "without a body")


def test_where_only_the_editor_s_text_is_kept_its_words_are_told(path: Path) -> None:
    def paragraph(*nodes: dict[str, Any]) -> dict[str, Any]:
        return {"type": "paragraph", "children": nodes, "version": 1}

    mention = {"type": "mention", "text": "@shop.py", "version": 1}
    rich = {
        "root": {
            "type": "root",
            "children": [
                paragraph({"type": "text", "text": "use pnpm in "}, mention),
                paragraph({"type": "text", "text": "not"}, {"type": "linebreak"}, {"text": "npm"}),
            ],
        }
    }
    found = heard(path, bubble("", 1, richText=json.dumps(rich)))
    assert said(found) == ["use pnpm in @shop.py\nnot\nnpm"]


def test_messages_that_are_not_shown_are_not_told(path: Path) -> None:
    rows = composer(bubble("use pnpm", 1), bubble("always use yarn", 2), bubble("use yarn", 3))
    headers = rows[f"composerData:{SESSION}"]["fullConversationHeadersOnly"]
    headers[1]["grouping"] = {"isRenderable": False}
    headers[2]["grouping"] = {"isRenderable": True, "isSimulatedMsg": True}
    assert said(read(SOURCE, put(path, rows))) == ["use pnpm"]


def test_thoughts_tools_and_summaries_are_no_replies(path: Path) -> None:
    found = heard(
        path,
        bubble("set up", 1),
        reply("They like yarn.", 2, isThought=True),
        reply("Ran yarn.", 3, capabilityType=15, toolFormerData={"name": "run_terminal_cmd"}),
        reply("The person likes yarn.", 4, capabilityType=22),
        reply("The person likes yarn.", 5, isSummary=True),
        reply("I used npm.", 6),
        bubble("use pnpm", 7),
    )
    assert replies(found) == ["I used npm."]
    assert said(found) == ["set up", "use pnpm"]


@pytest.mark.parametrize(
    "refused",
    [
        {"toolFormerData": {"userDecision": "rejected"}},
        {"toolFormerData": {"additionalData": {"userDecision": "rejected"}}},
        {"errorDetails": {"error": "ERROR_USER_ABORTED_REQUEST"}},
    ],
)
def test_what_follows_a_stop_or_a_refusal_interrupts(path: Path, refused: dict[str, Any]) -> None:
    asked = bubble("set up", 1), reply("", 2, **refused), bubble("use pnpm", 3), bubble("more", 4)
    assert [event.interrupted for event in humans(heard(path, *asked))] == [False, True, False]


def test_a_tool_that_was_let_run_interrupts_nothing(path: Path) -> None:
    allowed = {"toolFormerData": {"userDecision": "accepted", "status": "completed"}}
    asked = bubble("set up", 1), reply("", 2, **allowed), bubble("use pnpm", 3)
    assert not any(event.interrupted for event in humans(heard(path, *asked)))


@pytest.mark.parametrize(
    "facts",
    [
        {"subagentInfo": {"parentComposerId": OTHER, "subagentType": 3}},
        {"isBestOfNSubcomposer": True},
        {"isSpec": True},
        {"createdFromBackgroundAgent": {"bcId": "bc-1"}},
    ],
)
def test_conversations_of_agents_are_no_persons(path: Path, facts: dict[str, Any]) -> None:
    assert heard(path, bubble("always use yarn", 1), **facts) == []
    put(path, composer(bubble("use pnpm", 1), id=OTHER))
    assert said(read(SOURCE, path)) == ["use pnpm"]


@pytest.mark.parametrize("where", ["table", "item"])
def test_a_list_of_heads_tells_when_a_conversation_changed(path: Path, where: str) -> None:
    rows = composer(bubble("use pnpm", 1)) | composer(bubble("use yarn", 2), id=OTHER)
    heads = [
        {"composerId": SESSION, "lastUpdatedAt": BEGUN + 9_000, "createdOnBranch": "shop"},
        {"composerId": OTHER, "lastUpdatedAt": BEGUN, "subagentInfo": {"subagentType": 3}},
    ]
    put(
        path, rows, {"composer.composerHeaders": {"allComposers": heads}} if where == "item" else {}
    )
    if where == "table":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(HEADS)
            for head, is_subagent in zip(heads, (0, 1), strict=True):
                connection.execute(
                    "INSERT INTO composerHeaders (composerId, lastUpdatedAt, isSubagent, value)"
                    " VALUES (?, ?, ?, ?)",
                    (head["composerId"], head["lastUpdatedAt"], is_subagent, json.dumps(head)),
                )
            connection.commit()
    (log,) = SOURCE.logs(path)
    assert (log.part, log.size, log.mtime) == (SESSION, 1, (BEGUN + 9_000) * 1_000_000)
    found = read(SOURCE, path)
    assert said(found) == ["use pnpm"]
    assert session(found).branch == "shop"


def test_drafts_are_no_sessions(path: Path) -> None:
    put(path, composer(text="always use yarn") | composer(bubble("use pnpm", 1), id=OTHER))
    assert parts(path) == [(OTHER, 1)]
    path.unlink()
    put(path, composer(text="always use yarn"))
    assert parts(path) == []


def test_a_conversation_without_an_id_is_none(path: Path) -> None:
    put(path, composer(bubble("use pnpm", 0)) | composer(bubble("use npm", 1), id=""))
    assert [part for part, _ in parts(path)] == [SESSION]


def test_a_time_that_no_database_can_hold_is_cut(path: Path) -> None:
    put(path, composer(bubble("use pnpm", 1), lastUpdatedAt=253_402_300_000_000))
    (log,) = SOURCE.logs(path)
    assert log.mtime < 2**63


@pytest.mark.parametrize("where", ["composer", "window", "map"])
def test_older_conversations_hold_their_messages_themselves(path: Path, where: str) -> None:
    asked = [bubble("use pnpm", 1), reply("I used pnpm.", 2), bubble("thanks", 3)]
    facts = {"composerId": SESSION, "createdAt": BEGUN, "lastUpdatedAt": BEGUN + 5}
    if where == "map":
        held = {b["bubbleId"]: b for b in asked}
        rows = composer(*asked, conversationMap=held)
        found = read(
            SOURCE, put(path, {k: v for k, v in rows.items() if not k.startswith("bubble")})
        )
    elif where == "composer":
        found = read(
            SOURCE, put(path, {f"composerData:{SESSION}": facts | {"conversation": asked}})
        )
    else:
        listed = {"allComposers": [facts | {"conversation": asked}, {"composerId": OTHER}]}
        found = read(SOURCE, put(path, items={"composer.composerData": listed}))
    assert (said(found), replies(found)) == (["use pnpm", "thanks"], ["I used pnpm."])
    assert session(found).id == SESSION


def test_the_chats_of_the_first_versions_are_told_without_what_was_put_to_them(path: Path) -> None:
    key = "workbench.panel.aichat.view.aichat.chatdata"
    tab = {
        "tabId": OTHER,
        "lastSendTime": BEGUN,
        "bubbles": [
            {"type": "user", "id": id_of(1), "rawText": "use pnpm", "text": "always use yarn"},
            {"type": "ai", "id": id_of(2), "rawText": "I used pnpm."},
            {"type": "user", "id": id_of(3), "rawText": "thanks"},
        ],
    }
    found = read(SOURCE, put(path, items={key: {"tabs": [tab, {"tabId": "empty"}]}}))
    assert (said(found), replies(found)) == (["use pnpm", "thanks"], ["I used pnpm."])
    assert (session(found).id, humans(found)[0].at) == (OTHER, BEGUN * 1_000)


def test_values_that_are_json_within_json_are_read(path: Path) -> None:
    rows = composer(bubble("use pnpm", 1))
    put(path, {key: json.dumps(json.dumps(value)) for key, value in rows.items()})
    assert said(read(SOURCE, path)) == ["use pnpm"]


def test_values_may_be_bytes_or_text(path: Path) -> None:
    rows = composer(bubble("use pnpm", 1))
    put(path, {key: json.dumps(value).encode() for key, value in rows.items()})
    assert said(read(SOURCE, path)) == ["use pnpm"]


def test_a_message_beyond_the_limit_is_passed_over_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 10_000)
    huge = bubble("always use yarn", 2, images=["x" * 20_000])
    found = heard(path, bubble("use pnpm", 1), huge, bubble("use ruff", 3))
    assert said(found) == ["use pnpm", "use ruff"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(1, TOO_LONG)]


def test_a_conversation_beyond_the_limit_is_passed_over_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 10_000)
    put(path, composer(bubble("always use yarn", 1), context="x" * 20_000))
    put(path, composer(bubble("use pnpm", 1), id=OTHER))
    found = read(SOURCE, path)
    assert said(found) == ["use pnpm"]
    assert [s.reason for s in skipped(found)] == [TOO_LONG]


@pytest.mark.parametrize("damage", ["[]", '"', "", "{", b"\xff\xfe", '{"type": {}, "text": []}'])
def test_a_damaged_message_is_passed_over(path: Path, damage: str | bytes) -> None:
    rows = composer(bubble("use pnpm", 1), bubble("always use yarn", 2), bubble("use ruff", 3))
    found = read(SOURCE, put(path, rows | {f"bubbleId:{SESSION}:{id_of(2)}": damage}))
    assert said(found) == ["use pnpm", "use ruff"]


def test_a_message_that_is_not_there_is_said(path: Path) -> None:
    rows = composer(bubble("use pnpm", 1), bubble("always use yarn", 2), bubble("use ruff", 3))
    del rows[f"bubbleId:{SESSION}:{id_of(2)}"]
    found = read(SOURCE, put(path, rows))
    assert said(found) == ["use pnpm", "use ruff"]
    assert [(s.seq, s.reason) for s in skipped(found)] == [(1, MISSING)]


def test_messages_that_are_listed_before_they_are_written_are_told_later(path: Path) -> None:
    rows = composer(bubble("use pnpm", 1), bubble("use ruff", 2), reply("Done.", 3))
    late = {key: rows.pop(key) for key in list(rows) if key.endswith((id_of(2), id_of(3)))}
    first = read(SOURCE, put(path, rows))
    rest = read(SOURCE, put(path, late), position(first))
    assert (said(first), said(rest)) == (["use pnpm"], ["use ruff"])
    assert said(read(SOURCE, path, position(rest))) == []


@pytest.mark.parametrize("damaged", ["message", "conversation"])
def test_a_damaged_page_spares_the_others(path: Path, damaged: str) -> None:
    long = "always use yarn" * 2_000
    asked = bubble(long if damaged == "message" else "use yarn", 2)
    put(path, composer(asked, text=long if damaged == "conversation" else ""))
    put(path, composer(bubble("use pnpm", 1), id=OTHER))
    data = path.read_bytes()
    page = (data.index(b"always use yarnalways") // 4096 + 2) * 4096  # where the long text goes on
    path.write_bytes(data[:page] + b"\xff" * 4 + data[page + 4 :])
    found = read(SOURCE, path)
    assert said(found) == ["use pnpm"]
    assert [s.reason for s in skipped(found)] == [DAMAGED]


def test_what_a_running_editor_has_not_merged_yet_is_told(path: Path) -> None:
    with running(path) as editor:
        write(editor, composer(bubble("use pnpm", 1)), {})
        before = sorted(p.name for p in path.parent.iterdir())
        assert SOURCE.recognises(path, path.read_bytes()[:4096])
        first = read(SOURCE, path)
        write(editor, composer(bubble("use pnpm", 1), bubble("use ruff", 2)), {})
        rest = read(SOURCE, path, position(first))
        assert (said(first), said(rest)) == (["use pnpm"], ["use ruff"])
        assert sorted(p.name for p in path.parent.iterdir()) == before


def test_a_conversation_that_grows_is_told_on_with_what_is_answered(path: Path) -> None:
    asked = [bubble("set up", 0), *(reply(f"Step {n}.", n) for n in range(1, 90))]
    first = heard(path, *asked)
    rest = heard_on(path, position(first), *asked, bubble("use pnpm", 90))
    assert said(rest) == ["use pnpm"]
    assert replies(rest)[-1] == "Step 89."
    assert len(replies(rest)) < 50


def heard_on(path: Path, since: Position, *bubbles: dict[str, Any]) -> list[Reading]:
    return read(SOURCE, put(path, composer(*bubbles)), since)


def test_other_words_in_the_place_of_ones_taken_back_are_told(path: Path) -> None:
    asked = [bubble("set up", 1), reply("I used npm.", 2), bubble("use yarn", 3), reply("OK", 4)]
    first = heard(path, *asked)
    rest = heard_on(path, position(first), *asked[:2], bubble("use pnpm", 5))
    assert said(rest) == ["set up", "use pnpm"]
    assert humans(rest)[0].record == humans(first)[0].record
    assert said(heard_on(path, position(rest), *asked[:2], bubble("use pnpm", 5))) == []


def test_a_conversation_that_was_deleted_is_not_listed(path: Path) -> None:
    put(path, composer(bubble("use pnpm", 1)) | composer(bubble("use ruff", 2), id=OTHER))
    assert parts(path) == [(SESSION, 1), (OTHER, 1)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM cursorDiskKV WHERE key LIKE ?", (f"%{SESSION}%",))
        connection.commit()
    assert parts(path) == [(OTHER, 1)]


def test_what_was_emptied_is_deleted_too(path: Path) -> None:
    put(path, composer(bubble("use pnpm", 1)) | composer(bubble("use ruff", 2), id=OTHER))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE cursorDiskKV SET value = NULL WHERE key LIKE ?", (f"%{SESSION}%",)
        )
        connection.commit()
    found = read(SOURCE, path)
    assert (said(found), skipped(found)) == (["use ruff"], [])


def test_one_that_is_deleted_while_it_is_read_tells_nothing(path: Path) -> None:
    with running(path) as editor:
        write(editor, composer(bubble("use pnpm", 1)), {})
        (log,) = SOURCE.logs(path)
        for log in SOURCE.logs(path):
            editor.execute("DELETE FROM cursorDiskKV WHERE key LIKE 'composerData:%'")
            editor.commit()
            assert list(log.read(Position(3, 5))) == [Position(3, 5)]


@pytest.mark.parametrize(
    "rows",
    [
        {f"composerData:{SESSION}": {"messages": [{"role": "user", "words": "use pnpm"}]}},
        {f"composerData:{SESSION}": "not JSON"},
        {f"composerData2:{SESSION}": {}, f"bubbleId:{SESSION}:1": {"type": 1, "text": "hi"}},
    ],
)
def test_conversations_of_another_shape_are_an_unknown_format(
    path: Path, rows: dict[str, Any]
) -> None:
    with pytest.raises(UnknownFormat):
        read(SOURCE, put(path, rows))


def test_one_conversation_of_another_shape_is_passed_over(path: Path) -> None:
    put(path, composer(bubble("use pnpm", 1)) | {f"composerData:{OTHER}": {"messages": [1]}})
    found = read(SOURCE, path)
    assert said(found) == ["use pnpm"]
    assert [s.reason for s in skipped(found)] == [UNKNOWN_SHAPE]


def test_a_table_of_another_shape_is_an_unknown_format(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cursorDiskKV (name TEXT, data BLOB)")
        connection.commit()
    with pytest.raises(UnknownFormat):
        read(SOURCE, path)


def test_the_state_of_vs_code_is_not_ours(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
        connection.execute("INSERT INTO ItemTable VALUES ('chat.ChatSessionStore.index', '{}')")
        connection.commit()
    assert not SOURCE.recognises(path, path.read_bytes())
    assert read(SOURCE, path) == []


def test_a_session_below_our_own_folder_says_nothing(path: Path, tmp_path: Path) -> None:
    uri = {"scheme": "file", "fsPath": str(tmp_path / "own" / "a"), "path": str(tmp_path / "own")}
    put(path, composer(bubble("use pnpm", 1), workspaceIdentifier={"id": "x", "uri": uri}))
    found = read(Cursor(own=tmp_path / "own"), path)
    assert session(found).own == "location"
    assert humans(found) == []


def test_words_come_in_the_order_of_the_conversation_not_of_their_keys(path: Path) -> None:
    assert said(heard(path, bubble("use pnpm", 9), bubble("use ruff", 1))) == [
        "use pnpm",
        "use ruff",
    ]


def test_the_sample_has_its_turns_whatever_they_are(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(EDITOR)
    assert (said(read(SOURCE, path)), replies(read(SOURCE, path))) == (TURNS, REPLIES)
    path.write_bytes(editor_with(["hi"]))
    assert said(read(SOURCE, path)) == ["hi"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "text", "rawText", "richText", "bubbleId", "grouping", "createdAt"),
                    *("toolFormerData", "errorDetails", "workspaceUris", "conversation", "uri"),
                    *("fullConversationHeadersOnly", "workspaceIdentifier", "lastUpdatedAt", "id"),
                    *("allComposers", "tabs", "composerId", "tabId", "bubbles", "conversationMap"),
                    *("selectedComposerIds", "trackedGitRepos", "branches", "external", "fsPath"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("odd", ["\\ud800", "\\u0000", "a:b", "%", "\\udfff\\ud800"])
def test_odd_ids_crash_no_reader(path: Path, odd: str) -> None:
    rows = {key: json.dumps(value) for key, value in composer(bubble("hi", 1), id=OTHER).items()}
    key = f"composerData:{OTHER}"
    headers = f'[{{"bubbleId": "{odd}", "type": 1}}, {{"bubbleId": "{id_of(1)}"}}]'
    noted = f'{{"id": "{odd}", "uri": {{"external": "file:///{odd}", "fsPath": "/{odd}"}}}}'
    rows[key] = f'{{"fullConversationHeadersOnly": {headers}, "workspaceIdentifier": {noted}}}'
    assert said(read(SOURCE, put(path, rows))) == ["hi"]


@in_tmp_path
@given(odd=st.lists(JSON, min_size=5, max_size=5))
def test_values_of_any_shape_spare_the_other_conversations(odd: list[Any], path: Path) -> None:
    path.unlink(missing_ok=True)
    message, header, facts, head, window = odd
    listed = {"bubbleId": id_of(1), "type": 1} | (header if isinstance(header, dict) else {})
    rows = {
        f"composerData:{OTHER}": {"fullConversationHeadersOnly": [listed, header]}
        | (facts if isinstance(facts, dict) else {}),
        "composerData:odd": facts,
        f"bubbleId:{OTHER}:{id_of(1)}": message,
        "bubbleId:odd": message,
    }
    items = {"composer.composerHeaders": head, "composer.composerData": window}
    items["workbench.panel.aichat.view.aichat.chatdata"] = window
    put(path, composer(bubble("use pnpm", 1)) | rows, items)
    found = [item for log in SOURCE.logs(path) for item in log.read(Position())]
    assert "use pnpm" in said(found)
