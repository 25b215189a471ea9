"""What is passed over undecoded in a Claude Code session says nothing.

Of lines written as Claude Code writes them most are passed over; of lines written with spaces
none. Both must tell the same, whatever is in them.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.sources.samples import (
    claude,
    humans,
    position,
    queue,
    read,
    read_bytes,
    refused,
    reply,
    result,
    said,
    skipped,
    typed,
)

from twice.sources.claude_code import ClaudeCode
from twice.sources.claude_silence import is_silent

Record = dict[str, Any]

TEXTS = (
    *("use pnpm", "", "{", 'a file with "type":"text" in it', '}]},"uuid":', "[{}]},", "é\u2028"),
    *("our questions", "User has answered your questions: yes", refused("use pnpm")),
    *("[Request interrupted by user for tool use]", '{"type":"text","text":"use npm"}'),
    "<task-notification>use pnpm</task-notification>",
)
ANSWERS = {
    "questions": [{"question": "Which?", "options": [{"label": "npm"}]}],
    "answers": {"Which?": "npm, but pnpm here"},
}
QUEUED = {"type": "queued_command", "commandMode": "prompt", "origin": {"kind": "human"}}


class Maker(random.Random):
    """Makes records of every kind, without ids of their own, so that none is taken for a copy."""

    def record(self) -> Record:
        record = self.choice([self.from_a_tool, self.from_a_tool, self.talk, self.other])()
        return _with_last(record, "type") if self.random() < 0.5 else record

    def from_a_tool(self) -> Record:
        blocks = [self.result()] + ([self.block()] if self.random() < 0.2 else [])
        return _with_last(claude("user", blocks, 1, uuid=None), "uuid") | self.more()

    def talk(self) -> Record:
        kind = self.choice(["user", "assistant", "assistant", "progress", "brand-new"])
        blocks = [self.block() for _ in range(self.randint(1, 3))]
        content = self.choice([blocks, blocks, self.words()])
        return claude(kind, content, 1, uuid=None, **self.more())

    def other(self) -> Record:
        words = self.words()
        return self.choice(
            [
                {"type": "progress", "data": {"message": typed(words)}},
                {"type": "attachment", "attachment": QUEUED | {"prompt": words}},
                {"type": "attachment", "attachment": {"type": "todo", "prompt": words}},
                {"type": "system", "subtype": "local_command", "content": _command(words)},
                {"type": "system", "subtype": "informational", "content": _blocked(words)},
                {"type": "system", "subtype": "turn_duration", "content": words},
                {"type": "brand-new", "data": {"type": "progress", "text": words}},
                {"type": "brand-new", "attachment": {"type": "attachment", "text": words}},
                {"type": "file-history-snapshot", "snapshot": {"type": "text"}},
                queue(self.choice(["enqueue", "dequeue", "remove", "popAll"]), words),
            ]
        )

    def block(self) -> Record:
        words = self.words()
        return self.choice(
            [
                text(words),
                {"type": "thinking", "thinking": words, "signature": "x"},
                {"type": "tool_use", "name": "Write", "input": {"content": words}},
                self.result(),
            ]
        )

    def result(self) -> Record:
        words = self.words()
        content = self.choice([words, words, [], [text(words)], [text(words), text("and npm")]])
        start = [{"tool_use_id": "t", "type": "tool_result"}, {"type": "tool_result"}]
        end = [{}, {"is_error": False}, {"is_error": True}, {"cache": {"type": "text"}}]
        return self.choice(start) | {"content": content} | self.choice(end)

    def words(self) -> str:
        return self.choice(TEXTS)

    def more(self) -> Record:
        more = {
            "isSidechain": self.random() < 0.3,
            "isMeta": True,
            "toolDenialKind": "user-rejected",
            "toolUseResult": self.choice(["Error: no", {"file": {"type": "text"}}, ANSWERS]),
        }
        return {key: value for key, value in more.items() if self.random() < 0.3}


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def _command(words: str) -> str:
    return f"<command-name>/fix</command-name><command-args>{words}</command-args>"


def _blocked(words: str) -> str:
    return f"Operation blocked by hook: no\n\nOriginal prompt: {words}"


def _with_last(record: Record, key: str) -> Record:
    return {k: v for k, v in record.items() if k != key} | {key: record[key]}


def compact(record: Record) -> bytes:
    """Return a line as Claude Code writes it."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def spaced(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.mark.parametrize("seed", range(40))
def test_lines_passed_over_would_have_told_nothing(path: Path, seed: int) -> None:
    make = Maker(seed)
    records = [make.record() for _ in range(60)]
    session = [typed("set up the shop"), reply("I used npm.", 1), *records, typed("and again", 2)]
    quick = read_bytes(ClaudeCode(), path, b"".join(map(compact, session)))
    whole = read_bytes(ClaudeCode(), path, b"".join(map(spaced, session)))
    assert quick[:-1] == whole[:-1]
    assert position(quick).seq == position(whole).seq
    assert not any(is_silent(spaced(record)) for record in records)


SILENT = [
    result("use pnpm", 1),
    result("Exit code 1", 1, error=True),
    claude("user", [{"type": "tool_result", "content": [text("use pnpm")]}], 1),
    _with_last(claude("assistant", [{"type": "thinking", "thinking": "use pnpm"}], 1), "type"),
    _with_last(claude("assistant", [{"type": "tool_use", "input": {"x": "pnpm"}}], 1), "type"),
    {"attachment": {"type": "todo", "content": "use pnpm"}, "type": "attachment"},
    {"type": "progress", "data": {"message": typed("use pnpm")}},
    {"type": "system", "subtype": "turn_duration", "durationMs": 1},
    {"type": "file-history-snapshot", "snapshot": {}},
]


@pytest.mark.parametrize("record", SILENT)
def test_most_of_a_session_is_passed_over(record: Record) -> None:
    assert is_silent(compact(record))
    assert not is_silent(compact(record)[:-1]), "it may still grow"
    assert not is_silent(b"x" + compact(record)), "it is no JSON"


def test_an_unknown_type_of_record_is_named_whatever_it_holds(path: Path) -> None:
    block = {"type": "thinking", "thinking": "use pnpm"}
    record = claude("brand-new", [block], more=reply("use pnpm"))
    data = [typed("go"), reply("ok", 1), record, _with_last(record, "type")]
    found = read_bytes(ClaudeCode(), path, b"".join(map(compact, data)))
    assert [(s.seq, s.reason) for s in skipped(found)] == [
        (seq, "an unknown type of record: brand-new") for seq in (2, 3)
    ]


def test_what_is_no_json_at_all_is_damage_among_silent_lines(path: Path) -> None:
    data = [compact(typed("go")), compact(result("x", 1)), b"{broken}\n", compact(result("y", 2))]
    found = read_bytes(ClaudeCode(), path, b"".join(data))
    assert [(s.seq, s.reason) for s in skipped(found)] == [(2, "not a JSON record")]


def test_facts_that_come_late_are_learned_though_all_else_is_silent(path: Path) -> None:
    late = [result("x", n, gitBranch=branch) for n, branch in ((1, ""), (2, "topic"), (3, "main"))]
    data = [typed("go", gitBranch=""), *late, typed("use pnpm", 4)]
    found = read_bytes(ClaudeCode(), path, b"".join(map(compact, data)))
    assert [getattr(item, "branch", None) for item in found][:3] == ["", None, "topic"]
    assert said(found) == ["go", "use pnpm"]


def test_a_session_that_ends_in_silence_is_read_to_its_end(path: Path) -> None:
    data = b"".join(map(compact, [typed("go"), *(result("x", n) for n in range(1, 50))]))
    found = read_bytes(ClaudeCode(), path, data)
    assert (position(found).offset, position(found).seq) == (len(data), 50)
    path.write_bytes(data + compact(typed("use pnpm", 50)))
    assert said(read(ClaudeCode(), path, position(found))) == ["use pnpm"]
    assert [e.seq for e in humans(read_bytes(ClaudeCode(), path, path.read_bytes()))] == [0, 50]


def test_a_line_that_still_grows_behind_silent_ones_is_where_to_read_on(path: Path) -> None:
    data = b"".join(map(compact, [typed("go"), *(result("x", n) for n in range(1, 50))]))
    grown = data + compact(result("y", 50)) + compact(typed("use pnpm", 51))
    first = position(read_bytes(ClaudeCode(), path, data))
    path.write_bytes(grown[:-9])
    found = read(ClaudeCode(), path, first)
    assert humans(found) == []
    assert (position(found).seq, position(found).told) == (51, 51)
    path.write_bytes(grown)
    assert said(read(ClaudeCode(), path, position(found))) == ["use pnpm"]
