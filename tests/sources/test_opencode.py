"""Whose words are whose in a session of OpenCode, and that no store of it is overlooked."""

import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources import samples_opencode as made
from tests.sources.samples import (
    REPLIES,
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
from tests.sources.samples_opencode import Message, Store, asked, part, refused, reply, typed
from tests.sources.test_databases import agent, folder_of, in_wal

from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Kind, Position, Reading
from twice.sources.lines import NOT_JSON, UNFINISHED, UNKNOWN_SHAPE
from twice.sources.opencode import DAMAGED, OpenCode
from twice.sources.opencode_files import LONG_PART
from twice.sources.opencode_turns import BY_AGENT, BY_SCRIPT

SOURCE = OpenCode(environ={})
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

Kept = Callable[..., list[Reading]]


def in_tree(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    return read(SOURCE, made.write_tree(folder / "storage", messages, **facts))


def in_older_tree(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    return read(SOURCE, made.write_older_tree(folder / "storage", messages, **facts))


def in_export(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    return read_bytes(SOURCE, folder / "full.jsonl", made.export(messages, **facts))


def in_database(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    with Store(folder / "opencode.db") as store:
        store.write(messages, **facts)
    return read(SOURCE, folder / "opencode.db")


def in_second(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    with Store(folder / "opencode.db", first=False, second=True) as store:
        store.write_second(made.entries(messages), **facts)
    return read(SOURCE, folder / "opencode.db")


def in_second_export(folder: Path, messages: Sequence[Message], **facts: Any) -> list[Reading]:
    info = made.info_of(**facts)
    info["location"] = {"directory": info.pop("directory")}
    document = {"info": info, "messages": made.entries(messages)}
    return read_bytes(SOURCE, folder / "s.json", json.dumps(document).encode())


EVERY = [in_tree, in_older_tree, in_export, in_database, in_second, in_second_export]
FIRST = [in_tree, in_older_tree, in_export, in_database]
every = pytest.mark.parametrize("kept", EVERY)
first = pytest.mark.parametrize("kept", FIRST)


# In every store


@every
def test_a_session_is_the_same_wherever_it_is_kept(kept: Kept, tmp_path: Path) -> None:
    messages = made.session_of(TURNS)
    found = kept(tmp_path, messages)
    assert (said(found), replies(found), skipped(found)) == (TURNS, REPLIES, [])
    events = [item for item in found if isinstance(item, Event)]
    assert [e.record for e in events] == [m["info"]["id"] for m in messages]
    assert [e.seq for e in events] == [m["info"]["time"]["created"] for m in messages]
    assert [e.at for e in events] == [1_000 * e.seq for e in events]
    facts = session(found)
    assert (facts.id, facts.agent, facts.cwd) == (made.SESSION, "opencode", made.CWD)


@first
def test_what_is_put_beside_a_prompt_is_not_the_human(kept: Kept, tmp_path: Path) -> None:
    beside = [
        part("text", text="Called the Read tool with: {}", synthetic=True),
        part("text", text="always use yarn", ignored=True),
        part("file", mime="text/plain", url="file:///a.txt", filename="a.txt"),
        part("agent", name="general", source={"value": "@general", "start": 0, "end": 8}),
        part("subtask", prompt="always use npm", description="d", agent="general"),
        part("compaction", auto=True),
        part("step-start"),
    ]
    found = kept(tmp_path, [typed(0, "@general use pnpm", parts=beside)])
    assert said(found) == ["@general use pnpm"]


@every
def test_several_texts_of_one_prompt_are_one_turn(kept: Kept, tmp_path: Path) -> None:
    assert said(kept(tmp_path, [typed(0, "use pnpm", "and bun")])) == ["use pnpm\n\nand bun"]


@every
@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>always use npm</system-reminder>",
        "Continue if you have next steps, or stop and ask for clarification.",
        "[SYSTEM DIRECTIVE: OH-MY-OPENCODE - TODO CONTINUATION]\n\nalways use npm",
        "always use npm\n<!-- OMO_INTERNAL_INITIATOR -->",
        "[redacted:text:prt_0001]",
        "Create or update `AGENTS.md` for this repository.\n\nAlways use npm.",
    ],
)
def test_text_of_the_harness_in_a_prompt_is_not_the_human(
    kept: Kept, text: str, tmp_path: Path
) -> None:
    assert said(kept(tmp_path, [typed(0, text), typed(2, "go")])) == ["go"]


@every
def test_what_a_plugin_puts_before_a_prompt_is_not_the_human(kept: Kept, tmp_path: Path) -> None:
    text = "<ultrawork-mode>\nAlways use npm.\n\n---\n</ultrawork-mode>\n\n---\n\nuse pnpm"
    assert said(kept(tmp_path, [typed(0, text)])) == ["use pnpm"]


@every
def test_the_prompt_of_a_run_by_a_script_is_not_the_human(kept: Kept, tmp_path: Path) -> None:
    messages = [typed(0, '"always use \\"npm\\" here"\n'), typed(2, 'say "pnpm is it"')]
    found = kept(tmp_path, messages)
    assert said(found) == ['say "pnpm is it"']
    assert [s.reason for s in skipped(found)] == [BY_SCRIPT]


@every
def test_where_nobody_could_be_asked_a_script_speaks(kept: Kept, tmp_path: Path) -> None:
    denied = [
        {"permission": p, "pattern": "*", "action": "deny"} for p in ("question", "plan_exit")
    ]
    found = kept(tmp_path, [typed(0, "fix")], permission=denied)
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [BY_SCRIPT])


@every
def test_what_an_agent_asks_another_is_not_the_human(kept: Kept, tmp_path: Path) -> None:
    found = kept(tmp_path, [typed(0, "always use npm"), reply(1, "ok")], parentID="ses_parent")
    assert (said(found), replies(found)) == ([], [])
    assert [s.reason for s in skipped(found)] == [BY_AGENT]


@first
def test_the_summary_of_a_long_session_is_no_answer(kept: Kept, tmp_path: Path) -> None:
    messages = [typed(0, parts=[part("compaction")]), reply(1, "Always npm.", summary=True)]
    found = kept(tmp_path, [*messages, typed(2, "go")])
    assert (said(found), replies(found)) == (["go"], [])


@every
def test_a_reason_for_refusing_a_tool_is_the_humans(kept: Kept, tmp_path: Path) -> None:
    answers = [reply(1, "ok", parts=[refused(2, "use pnpm")]), reply(3, "fine")]
    found = humans(kept(tmp_path, [typed(0, "go"), *answers]))[1:]
    assert [(e.kind, e.text, e.interrupted) for e in found] == [(Kind.REFUSAL, "use pnpm", True)]
    assert found[0].record == f"{made.id_of(1)}:call2"
    assert found[0].at == 1_000 * made.moment(2)


@every
def test_who_speaks_after_refusing_a_tool_interrupted(kept: Kept, tmp_path: Path) -> None:
    found = kept(tmp_path, [typed(0, "go"), reply(1, "ok", parts=[refused(2)]), typed(3, "no")])
    assert [(e.text, e.interrupted) for e in humans(found)] == [("go", False), ("no", True)]


@every
def test_who_speaks_after_stopping_the_agent_interrupted(kept: Kept, tmp_path: Path) -> None:
    stopped = reply(1, "ok", error={"name": "MessageAbortedError", "data": {}})
    found = kept(tmp_path, [typed(0, "go"), stopped, typed(3, "no")])
    assert [e.interrupted for e in humans(found)] == [False, True]


@every
def test_only_a_free_answer_to_a_question_is_the_humans(kept: Kept, tmp_path: Path) -> None:
    chosen = asked(2, [["npm"], ["pg", "use pnpm"]], ["npm", "yarn"], ["pg", "sqlite"])
    other = asked(3, [["yarn"]], ["npm", "yarn"])
    found = kept(tmp_path, [typed(0, "go"), reply(1, parts=[chosen, other])])
    answers = humans(found)[1:]
    assert [(e.kind, e.text) for e in answers] == [(Kind.ANSWER, "use pnpm")]
    assert replies(found) == ["Which one?\nWhich one?"]


@every
def test_an_answer_that_comes_later_is_told_then(kept: Kept, tmp_path: Path) -> None:
    waiting = asked(2, [], ["npm"], status="running")
    started = kept(tmp_path, [typed(0, "go"), reply(1, parts=[waiting])])
    for path in tmp_path.iterdir():
        if path.suffix == ".db":
            path.unlink()
    kept(
        tmp_path, [typed(0, "go"), reply(1, parts=[asked(2, [["pnpm"]], ["npm"])]), reply(4, "ok")]
    )
    [path] = [p for p in tmp_path.rglob("*") if p.suffix == ".db" or SOURCE.recognises(p, head(p))]
    assert said(read(SOURCE, path, position(started))) == ["pnpm"]


def head(path: Path) -> bytes:
    return path.read_bytes()[:500] if path.is_file() else b"no"


@every
def test_what_is_typed_while_the_agent_is_busy_was_queued(kept: Kept, tmp_path: Path) -> None:
    busy = reply(1, "ok")
    busy["info"]["time"]["completed"] = made.moment(3)
    found = kept(tmp_path, [typed(0, "go"), busy, typed(2, "use pnpm"), typed(4, "more")])
    assert [e.kind for e in humans(found)] == [Kind.PROMPT, Kind.QUEUED, Kind.PROMPT]


@every
def test_what_was_taken_back_is_no_part_of_the_session(kept: Kept, tmp_path: Path) -> None:
    messages = [typed(0, "go"), reply(1, "ok"), typed(2, "use npm"), reply(3, "npm")]
    found = kept(tmp_path, messages, revert={"messageID": made.id_of(2), "snapshot": "x"})
    assert (said(found), replies(found)) == (["go"], ["ok"])


@every
def test_what_was_taken_back_only_in_part_stays_in_part(kept: Kept, tmp_path: Path) -> None:
    messages = [typed(0, "go"), reply(1, "ok"), typed(2, "use npm")]
    found = kept(tmp_path, messages, revert={"messageID": made.id_of(1), "partID": "prt_1"})
    assert (said(found), replies(found)) == (["go"], ["ok"])


@every
def test_turns_after_others_were_taken_back_are_told(kept: Kept, tmp_path: Path) -> None:
    before = kept(tmp_path, [typed(0, "go"), typed(2, "use npm"), typed(4, "use yarn")])
    (tmp_path / "later").mkdir()
    after = [typed(0, "go"), typed(5, "use pnpm")]
    kept(tmp_path / "later", after)
    [path] = [
        p for p in (tmp_path / "later").rglob("*") if p.is_file() and SOURCE.recognises(p, head(p))
    ]
    assert said(read(SOURCE, path, position(before))) == ["use pnpm"]


@every
def test_a_session_in_our_own_folder_says_nothing(kept: Kept, tmp_path: Path) -> None:
    kept(tmp_path, [typed(0, "observe this")], directory=str(tmp_path / "own"))
    source = OpenCode(own=tmp_path / "own", environ={})
    [path] = [p for p in tmp_path.rglob("*") if p.is_file() and SOURCE.recognises(p, head(p))]
    found = read(source, path)
    assert (session(found).own, said(found)) == ("location", [])


# Commands


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    work = tmp_path / "home" / "work" / "shop"
    (work / ".opencode" / "command").mkdir(parents=True)
    return work


def command(work: Path, text: str, name: str = "c") -> None:
    file = work / ".opencode" / "command" / "deep" / f"{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"---\ndescription: d\n---\n{text}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("template", "text", "words"),
    [
        ("Ship it with all the care there is.", "Ship it with all the care there is.", []),
        (
            "Ship it with all the care there is.",
            "Ship it with all the care there is.\n\nuse pnpm",
            ["use pnpm"],
        ),
        (
            "Fix with all the care there is: $ARGUMENTS\nRun all tests.",
            "Fix with all the care there is: the login\nRun all tests.",
            ["the login"],
        ),
        (
            "Compare with all care $1 and $2 here",
            "Compare with all care npm and pnpm too here",
            ["npm pnpm too"],
        ),
        (
            "Look at the whole status !`git status` now",
            "Look at the whole status clean\n now",
            [],
        ),
        ("Say what there is to say: $ARGUMENTS", "Say what there is to say:", []),
        ("Short: $ARGUMENTS", "Short: use pnpm", ["Short: use pnpm"]),
        ("Ship it with all the care there is.", "Ship it with all the care.", ["Ship it with"]),
    ],
)
def test_of_a_command_only_the_arguments_are_the_humans(
    work: Path, tmp_path: Path, template: str, text: str, words: list[str]
) -> None:
    command(work, template)
    found = humans(in_database(tmp_path, [typed(0, text)], directory=str(work / "src")))
    assert [e.text[: len(w)] for e, w in zip(found, words, strict=True)] == words
    if text.startswith(template.split("$")[0]) and not template.startswith("Short"):
        assert {e.kind for e in found} <= {Kind.COMMAND}


def test_commands_of_the_configuration_are_known(work: Path, tmp_path: Path) -> None:
    template = "Fix this with the greatest care: $ARGUMENTS"
    config = tmp_path / "home" / ".config" / "opencode" / "opencode.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"command": {"fix": {"template": template}}}))
    text = "Fix this with the greatest care: use pnpm"
    found = humans(in_database(tmp_path, [typed(0, text)], directory=str(work)))
    assert [(e.kind, e.text) for e in found] == [(Kind.COMMAND, "use pnpm")]


def test_of_a_skill_that_was_called_only_the_arguments_are_the_humans(tmp_path: Path) -> None:
    end = "Base directory for this skill: /s\nRelative paths in this skill (e.g., scripts/) are"
    text = f"Always use pypdf.\n\n{end} relative to this base directory."
    found = in_database(tmp_path, [typed(0, text), typed(2, f"{text}\n\nmerge them")])
    assert [(e.kind, e.text) for e in humans(found)] == [(Kind.COMMAND, "merge them")]


def test_what_is_told_its_own_command_is_the_humans(tmp_path: Path) -> None:
    text = "Create or update `AGENTS.md` for this repository.\n\nUser-provided focus or constraints"
    text += " (honor these):\nbe brief\n\n## How to investigate\n\nAlways use npm."
    found = humans(in_database(tmp_path, [typed(0, text)]))
    assert [(e.kind, e.text) for e in found] == [(Kind.COMMAND, "be brief")]


# Both generations in one database


def test_a_session_that_was_taken_over_is_told_once(tmp_path: Path) -> None:
    messages = made.session_of(TURNS)
    more = made.entry_of(typed(9, "one more"))
    with Store(tmp_path / "opencode.db", second=True) as store:
        store.write(messages)
        store.write_second([*made.entries(messages), more])
    [log] = SOURCE.logs(tmp_path / "opencode.db")
    found = list(log.read(Position()))
    assert said(found) == [*TURNS, "one more"]
    assert len({e.record for e in humans(found)}) == 4


def test_sessions_of_either_generation_alone_are_seen(tmp_path: Path) -> None:
    with Store(tmp_path / "opencode.db", second=True) as store:
        store.write([typed(0, "use pnpm")], id="ses_old")
        store.write_second(made.entries([typed(2, "use bun")]), id="ses_new", fork="ses_old")
    found = read(SOURCE, tmp_path / "opencode.db")
    assert said(found) == ["use bun", "use pnpm"]
    assert [log.part for log in SOURCE.logs(tmp_path / "opencode.db")] == ["ses_new", "ses_old"]
    assert session(found[:1]).origin == "ses_old"


def test_a_prompt_that_both_wrote_under_ids_of_their_own_is_told_once(tmp_path: Path) -> None:
    copy = made.entry_of(typed(0, "use pnpm")) | {"id": "msg_other"}
    with Store(tmp_path / "opencode.db", second=True) as store:
        store.write([typed(0, "use pnpm")])
        store.write_second([copy, made.entry_of(typed(3, "use pnpm"))])
    assert said(read(SOURCE, tmp_path / "opencode.db")) == ["use pnpm", "use pnpm"]


def test_what_was_taken_back_before_a_session_was_taken_over_stays_so(tmp_path: Path) -> None:
    messages = [typed(0, "go"), typed(2, "use npm")]
    with Store(tmp_path / "opencode.db", second=True) as store:
        store.write(messages, revert={"messageID": made.id_of(2)})
        store.write_second(made.entries([*messages, typed(4, "use pnpm")]))
    assert said(read(SOURCE, tmp_path / "opencode.db")) == ["go", "use pnpm"]


def test_a_note_of_the_migration_is_not_the_human(tmp_path: Path) -> None:
    note = "[Attachment unavailable after migration: a.png (image/png)]"
    assert said(in_second(tmp_path, [typed(0, "use pnpm", note)])) == ["use pnpm"]


def test_other_entries_of_the_second_generation_say_nothing(tmp_path: Path) -> None:
    others = [
        {"id": f"msg_{n}", "type": kind, "time": {"created": made.moment(n)}, "text": "use npm"}
        for n, kind in enumerate(["synthetic", "system", "skill", "compaction", "shell"])
    ]
    idle = {"id": "msg_i", "type": "idle", "outcome": "interrupted", "time": {"created": 0}}
    idle["time"] = {"created": made.moment(8)}
    new = {"id": "msg_n", "type": "brand-new", "time": {"created": made.moment(9)}}
    with Store(tmp_path / "opencode.db", first=False, second=True) as store:
        store.write_second([*others, idle, new, made.entry_of(typed(20, "use pnpm"))])
    found = read(SOURCE, tmp_path / "opencode.db")
    assert [(e.text, e.interrupted) for e in humans(found)] == [("use pnpm", True)]
    assert [s.reason for s in skipped(found)] == ["an unknown type of record: brand-new"]


# Layouts


def test_a_layout_that_nobody_knows_is_a_fault_and_not_zero_sessions(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE conversations (id, words)")
    with pytest.raises(UnknownFormat):
        read(SOURCE, path)


def test_sessions_of_a_generation_to_come_are_a_fault_beside_those_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with Store(path) as store:
        store.write([typed(0, "use pnpm")])
        store.connection.execute("CREATE TABLE session_v3 (id)")
    assert said(read(SOURCE, path)) == ["use pnpm"]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO session_v3 VALUES ('ses_1')")
        connection.commit()
    logs = SOURCE.logs(path)
    assert said(next(logs).read(Position())) == ["use pnpm"]
    with pytest.raises(UnknownFormat, match="session_v3"):
        next(logs)


@pytest.mark.parametrize("data", [b"", None])
def test_an_empty_database_has_no_sessions(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "opencode.db"
    if data is None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM")
    else:
        path.write_bytes(data)
    assert SOURCE.recognises(path, path.read_bytes())
    assert read(SOURCE, path) == []


def test_columns_that_older_versions_do_not_have_are_not_missed(tmp_path: Path) -> None:
    with Store(tmp_path / "opencode.db") as store:
        store.write([typed(0, "use pnpm")])
        for column in ("revert", "permission", "parent_id", "time_updated"):
            store.connection.execute(f"ALTER TABLE session DROP COLUMN {column}")
    assert said(read(SOURCE, tmp_path / "opencode.db")) == ["use pnpm"]


def test_in_the_first_months_a_message_held_its_parts_and_its_folder(tmp_path: Path) -> None:
    path = made.write_older_tree(tmp_path / "storage", [], directory="")
    folder = path.parents[1] / "message" / made.SESSION
    folder.mkdir(parents=True)
    metadata = {"time": {"created": made.START}, "assistant": {"path": {"cwd": "/work/old"}}}
    text = [part("text", text="use pnpm"), part("tool-invocation", toolInvocation={})]
    prompt = {"id": "msg_1", "role": "user", "parts": text, "metadata": metadata}
    answer = {"id": "msg_2", "role": "assistant", "path": {"cwd": "/work/shop"}, "parts": []}
    for each in (prompt, answer):
        (folder / f"{each['id']}.json").write_text(json.dumps(each))
    found = read(SOURCE, path)
    assert (said(found), session(found).cwd) == (["use pnpm"], "/work/shop")
    assert humans(found)[0].at == 1_000 * made.START


def test_text_before_an_exported_document_is_passed_over(tmp_path: Path) -> None:
    data = b"Exporting session: ses_1\n" + made.EXPORT
    path = tmp_path / "export.json"
    assert SOURCE.recognises(path, data)
    assert said(read_bytes(SOURCE, path, data)) == TURNS


def test_an_export_may_have_any_name(tmp_path: Path) -> None:
    assert said(read_bytes(SOURCE, tmp_path / "backup", made.EXPORT)) == TURNS
    assert said(read_bytes(SOURCE, tmp_path / "backup.bak", made.DATABASE)) == TURNS


# Where they lie


def test_all_stores_in_the_agents_own_place_are_found(tmp_path: Path) -> None:
    data = tmp_path / "opencode"
    trees = [
        made.write_tree(data / "storage", [typed(0, "a")], id="ses_a"),
        made.write_older_tree(data / "project" / "p" / "storage", [typed(0, "b")], id="ses_b"),
    ]
    names = ["opencode-beta.db", "opencode.db", "other.db", "opencode.db-wal"]
    for name in names:
        (data / name).write_bytes(made.DATABASE)
    source = OpenCode(environ={"XDG_DATA_HOME": str(tmp_path)})
    [home] = source.homes()
    expected = [data / "opencode-beta.db", data / "opencode.db", *trees]
    assert sorted(source.files(home)) == sorted(expected)


@pytest.mark.parametrize("chosen", ["mine.db", "{tmp}/elsewhere/mine.sqlite"])
def test_a_database_that_the_person_chose_is_found(tmp_path: Path, chosen: str) -> None:
    chosen = chosen.format(tmp=tmp_path)
    (tmp_path / "opencode").mkdir()
    path = tmp_path / "opencode" / chosen
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(made.DATABASE)
    environ = {"XDG_DATA_HOME": str(tmp_path), "OPENCODE_DB": chosen}
    source = OpenCode(environ=environ)
    assert [p for home in source.homes() for p in source.files(home)] == [path]
    assert source.recognises(path, made.DATABASE)
    assert said(read(source, path)) == TURNS


def test_a_database_in_memory_is_none(tmp_path: Path) -> None:
    environ = {"XDG_DATA_HOME": str(tmp_path), "OPENCODE_DB": ":memory:"}
    assert OpenCode(environ=environ).homes() == []


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("state.vscdb", b"SQLite format 3\0"),
        ("other.db", b"SQLite format 3\0"),
        ("storage/message/ses_1/msg_1.json", b'{"id": "msg_1"}'),
        ("storage/part/msg_1/prt_1.json", b'{"id": "prt_1"}'),
        ("storage/session/message/ses_1/msg_1.json", b'{"id": "msg_1"}'),
        ("storage/session/global/other.json", b'{"id": "x"}'),
        ("openapi.json", b'{"info": {"title": "x"}, "id": "ses_"}'),
        ("notes.json", b"{}"),
    ],
)
def test_other_files_are_not_recognised(tmp_path: Path, name: str, head: bytes) -> None:
    assert not SOURCE.recognises(tmp_path / name, head)


def test_a_session_of_the_tree_changes_when_a_message_comes(tmp_path: Path) -> None:
    path = made.write_tree(tmp_path / "storage", [typed(0, "go")])
    os.utime(path, ns=(0, 0))
    folder = tmp_path / "storage" / "message" / made.SESSION
    os.utime(folder, ns=(1, 1))
    [before] = SOURCE.logs(path)
    (folder / "msg_new.json").write_text("{}")
    [after] = SOURCE.logs(path)
    assert (before.size, before.mtime) == (after.size, 1)
    assert after.mtime > before.mtime


@pytest.mark.parametrize("second", [False, True])
def test_a_session_of_a_database_changes_when_a_message_comes(tmp_path: Path, second: bool) -> None:
    def stamps(count: int) -> list[tuple[int, int]]:
        path = tmp_path / f"opencode-{count}.db"
        with Store(path, first=not second, second=second) as store:
            messages = made.session_of(TURNS)[:count]
            if second:
                store.write_second(made.entries(messages))
            else:
                store.write(messages)
        return [(log.size, log.mtime) for log in SOURCE.logs(path)]

    assert len({*stamps(1), *stamps(2), *stamps(3)}) == 3


def test_the_time_of_a_session_is_that_of_its_last_message(tmp_path: Path) -> None:
    messages = [typed(0, "go"), typed(50, "use pnpm")]
    for second in (False, True):
        path = tmp_path / f"opencode-{second}.db"
        with Store(path, first=not second, second=second) as store:
            if second:
                store.write_second(made.entries(messages))
            else:
                store.write(messages)
        [log] = SOURCE.logs(path)
        assert log.mtime == made.moment(50) * 1_000_000


# A living database


def test_rows_that_are_only_in_the_wal_are_seen_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with Store(path) as store:
        store.connection.execute("CREATE TABLE words (word)")
        store.write([typed(0, "use pnpm")], id="ses_1")
    row = '\'msg_2\', \'ses_1\', 9, 9, \'{"role": "user", "time": {"created": 2000000000000}}\''
    text = "'prt_2', 'msg_2', 'ses_1', 9, 9, '{\"type\": \"text\", \"text\": \"use bun\"}'"
    with agent(path) as write:
        in_wal(write)
        before = read(SOURCE, path)
        write("BEGIN")
        write(f"INSERT INTO message VALUES ({row})")
        write(f"INSERT INTO part VALUES ({text})")
        assert said(read(SOURCE, path)) == ["use pnpm"]
        write("COMMIT")
        files = folder_of(path)
        assert said(read(SOURCE, path, position(before))) == ["use bun"]
        assert folder_of(path) == files


def test_a_prompt_whose_text_is_not_there_yet_is_told_once_it_is(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    before = in_database(tmp_path, [typed(0, "go"), reply(1, "ok"), typed(2)])
    with closing(sqlite3.connect(path)) as connection:
        data = json.dumps(part("text", text="use pnpm"))
        row = ("prt_x", made.id_of(2), made.SESSION, 0, 0, data)
        connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.commit()
    assert said(before) == ["go"]
    assert said(read(SOURCE, path, position(before))) == ["use pnpm"]


def test_a_database_that_another_locks_for_good_is_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    in_database(tmp_path, made.session_of(TURNS))
    with agent(path) as write:
        write("PRAGMA locking_mode = EXCLUSIVE")
        write("BEGIN EXCLUSIVE")
        assert said(read(SOURCE, path)) == TURNS


# Damage


def test_a_damaged_database_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(made.DATABASE[:100] + bytes(5_000))
    with pytest.raises(OSError, match=r"malformed|not a database"):
        read(SOURCE, path)


def test_damage_in_one_session_spares_the_others(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with Store(path) as store:
        for number in range(9):
            store.write([typed(0, f"turn {number} {'x' * 9_000}")], id=f"ses_{number}")
            store.connection.execute(f"UPDATE message SET id = id || '{number}'")
            store.connection.execute(f"UPDATE part SET id = id || '{number}'")
            store.connection.execute("UPDATE part SET message_id = (SELECT m.id FROM message m"
                " WHERE m.session_id = part.session_id)")  # fmt: skip
    data = path.read_bytes()
    place = data.index(b"turn 4 xxx") // 4096 * 4096
    path.write_bytes(data[:place] + b"\xff" * 4096 + data[place + 4096 :])
    found = read(SOURCE, path)
    assert len(said(found)) in range(1, 9)
    assert DAMAGED in {s.reason for s in skipped(found)}


@pytest.mark.parametrize("kept", [in_tree, in_database])
def test_a_damaged_part_is_passed_over_and_said(kept: Kept, tmp_path: Path) -> None:
    kept(tmp_path, [typed(0, "use npm", "use pnpm")])
    database = tmp_path / "opencode.db"
    if database.exists():
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("UPDATE part SET data = '{\"type\": ' WHERE data LIKE '%use npm%'")
            connection.commit()
        found = read(SOURCE, database)
    else:
        broken = next((tmp_path / "storage" / "part").rglob("*-000.json"))
        broken.write_text('{"type": ')
        found = read(SOURCE, next((tmp_path / "storage" / "session").rglob("*.json")))
    assert (said(found), [s.reason for s in skipped(found)]) == (["use pnpm"], [NOT_JSON])


def test_a_damaged_message_is_passed_over_and_said(tmp_path: Path) -> None:
    in_database(tmp_path, [typed(0, "use npm"), typed(2, "use pnpm")])
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
        connection.execute("UPDATE message SET data = x'00ff' WHERE id = ?", (made.id_of(0),))
        connection.commit()
    found = read(SOURCE, tmp_path / "opencode.db")
    assert (said(found), [s.reason for s in skipped(found)]) == (["use pnpm"], [NOT_JSON])


@pytest.mark.parametrize("kept", [in_tree, in_database])
def test_pictures_are_not_read_and_a_huge_text_is_said(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.PART_BYTES", 1_000)
    picture = part("file", mime="image/png", url="data:image/png;base64," + "A" * 5_000)
    found = kept(tmp_path, [typed(0, "use pnpm", "x" * 5_000, parts=[picture])])
    assert (said(found), [s.reason for s in skipped(found)]) == (["use pnpm"], [LONG_PART])


def test_facts_that_cannot_be_read_leave_a_session_alone(tmp_path: Path) -> None:
    path = made.write_tree(tmp_path / "storage", [typed(0, "always use npm")])
    path.write_text('{"id": "ses_x", "parentID": 5}')
    found = read(SOURCE, path)
    assert [s.reason for s in skipped(found)] == [UNKNOWN_SHAPE]
    assert isinstance(found[-1], Position)
    assert said(found) == []


def test_an_export_that_is_not_whole_yet_is_read_on_later(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    found = read_bytes(SOURCE, path, made.EXPORT[:-60])
    assert [s.reason for s in skipped(found)] == [UNFINISHED]
    path.write_bytes(made.EXPORT)
    assert said(read(SOURCE, path, position(found))) == TURNS


def test_half_characters_and_strange_bytes_are_replaced(tmp_path: Path) -> None:
    data = made.EXPORT.replace("🙂".encode(), b"\\ud83d \xff")
    assert (
        said(read_bytes(SOURCE, tmp_path / "e.json", data))[1] == "use pnpm, not npm \ufffd \ufffd"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.floats(0, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
)
NAMES = ("id", "role", "time", "type", "text", "parts", "info", "state", "tool", "error", "content")


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    record=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5), kind=st.sampled_from(NAMES)
)
def test_records_of_any_shape_do_not_crash_a_reader(
    record: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    odd: Message = {"info": {**typed(0)["info"], **record}, "parts": [record, {kind: record}]}
    tool = part("tool", tool="question", state={"status": "completed", **record})
    messages = [odd, record, reply(1, parts=[tool, record]), typed(5, "use pnpm")]
    document = {"info": made.info_of(), "messages": messages}
    data = json.dumps(document).encode()
    assert "use pnpm" in said(read_bytes(SOURCE, tmp_path / "e.json", data))
    path = tmp_path / "opencode.db"
    path.unlink(missing_ok=True)
    with Store(path, second=True) as store:
        store.write([typed(5, "use pnpm")])
        rows = [("msg_a", "message"), ("msg_b", "session_message")]
        for id, table in rows:
            more = ("user", 7) if table == "session_message" else ()
            store._insert(table, id, made.SESSION, *more, 0, 0, json.dumps(record))
        store._insert("part", "prt_a", "msg_a", made.SESSION, 0, 0, json.dumps(tool))
    assert "use pnpm" in said(read(SOURCE, path))


# Real sessions


@pytest.mark.skipif(not (CORPUS / "opencode").is_dir(), reason="the corpus is not here")
def test_real_sessions_are_read_without_a_flaw() -> None:
    folders = [CORPUS / "opencode", CORPUS / "opencode-sqlite"]
    paths = [path for folder in folders for path in SOURCE.files(folder)]
    assert len(paths) == 6
    for path in paths:
        found = read(SOURCE, path)
        assert said(found)
        assert skipped(found) == []
