"""Read the sessions of Codex: rollout files with an envelope, and the older ones without."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from twice.core.transcript import Position, Reading, Session, Skipped
from twice.sources.following import (
    Conversation,
    Heard,
    RecordListener,
    follow,
    own_by_location,
)
from twice.sources.lines import (
    Line,
    decode,
    stem_of,
)
from twice.sources.logs import FileSource
from twice.sources.times import microseconds
from twice.sources.wrappings import OWN_SESSION, is_interrupt, words_of

BY_SCRIPT = "a prompt of a script or of another agent, not typed by a person"

_NOTHING = msgspec.Raw(b"")
_ROLLOUT = re.compile(r"rollout-.*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ENVELOPE = re.compile(
    rb'"type"\s*:\s*"(session_meta|turn_context|response_item|event_msg|compacted)"'
)
_BARE = re.compile(rb'"record_type"\s*:\s*"state"|"type"\s*:\s*"(input|output)_text"')
_CWD = re.compile(r"<cwd>(.*?)</cwd>|^Current working directory: (.+)$", re.MULTILINE)

_TYPES = frozenset({
    *("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"),
    *("message", "function_call", "function_call_output", "reasoning", "custom_tool_call"),
    *("custom_tool_call_output", "web_search_call", "local_shell_call", "ghost_snapshot"),
})  # fmt: skip


class _Git(msgspec.Struct):
    branch: str | None = None
    repository_url: str | None = None


class _Part(msgspec.Struct):
    type: str | None = None
    text: str | None = None


class _Payload(msgspec.Struct):
    """What an envelope holds: facts of the session, an event, or an item of the conversation."""

    type: str | None = None
    id: str | None = None
    forked_from_id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    source: msgspec.Raw = _NOTHING
    thread_source: msgspec.Raw = _NOTHING
    git: _Git | None = None
    kind: str | None = None
    role: str | None = None
    message: msgspec.Raw = _NOTHING
    content: msgspec.Raw = _NOTHING


class _Record(msgspec.Struct):
    """One line: an envelope, or a bare item of the older format."""

    type: str | None = None
    record_type: str | None = None
    timestamp: str | int | float | None = None
    payload: msgspec.Raw = _NOTHING
    id: str | None = None
    git: _Git | None = None
    role: str | None = None
    content: msgspec.Raw = _NOTHING


_TYPED = (None, "plain")  # kinds of user messages; the others were injected
_RECORD = msgspec.json.Decoder(_Record)
_PAYLOAD = msgspec.json.Decoder(_Payload)
_PARTS = msgspec.json.Decoder(str | list[_Part] | None)


class Codex(FileSource):
    """The sessions of Codex; ``own`` is the folder in which our own model sessions run."""

    name = "codex"

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        moved = self._environ.get("CODEX_HOME")
        home = Path(moved) if moved else Path.home() / ".codex"
        folders = (home / "sessions", home / "archived_sessions")
        return [folder for folder in folders if folder.is_dir()]

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix != ".jsonl":
            return False
        if any(_ENVELOPE.search(x) and b'"payload"' in x for x in head.split(b"\n")):
            return True
        return bool(_BARE.search(head) or _ROLLOUT.fullmatch(path.stem))

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        return follow(path, since, lambda _: _Listener(self.name, path, self._own))


class _Listener(RecordListener[_Record]):
    """What is known of one file while it is read."""

    decoder = _RECORD

    def __init__(self, agent: str, path: Path, own: Path | None) -> None:
        self.conversation = Conversation(Session("", agent), stem_of(path))
        self._own = own
        self._started = False
        self._talked = False
        self._by_hand = True
        self._reply = ""

    def learn(self, line: Line) -> bool:
        record, _ = decode(_RECORD, line.data or b"")
        with suppress(msgspec.MsgspecError):
            if record is not None:
                self._learn(record)
                self._meet(_prompt_of(record))
        return self._talked

    def hear_record(self, record: _Record, line: Line) -> Iterator[Heard]:
        self._learn(record)
        at = microseconds(record.timestamp)
        match record.type:
            case "event_msg":
                yield from self._hear_event(_PAYLOAD.decode(record.payload), line, at)
            case "response_item":
                yield from self._hear_item(_PAYLOAD.decode(record.payload), line, at)
            case "message":
                yield from self._hear_bare(record, line, at)
            case other if other is not None and other not in _TYPES:
                yield Skipped(line.seq, f"an unknown type of record: {other[:40]}")

    def _learn(self, record: _Record) -> None:
        match record.type:
            case "session_meta":
                self._start(_PAYLOAD.decode(record.payload))
            case "turn_context":
                self._settle_in(_PAYLOAD.decode(record.payload).cwd)
            case None if record.record_type is None and record.id:
                git = record.git or _Git()
                self.conversation.learn(id=record.id, branch=git.branch, remote=git.repository_url)

    def _start(self, meta: _Payload) -> None:
        """Take in the first facts; those after it belong to sessions copied into this one."""
        if self._started:
            if meta.id != self.conversation.session.id:
                self.conversation.learn(origin=meta.id)
            return
        self._started = True
        self.conversation.learn(origin=meta.forked_from_id)
        git = meta.git or _Git()
        self.conversation.learn(id=meta.id, branch=git.branch, remote=git.repository_url)
        self._settle_in(meta.cwd)
        source, thread = bytes(meta.source), bytes(meta.thread_source)
        self._by_hand = not (
            meta.originator == "codex_exec"
            or source in (b'"exec"', b'"mcp"')
            or source.startswith(b"{")
            or thread.startswith(b"{")
            or thread == b'"subagent"'
        )

    def _settle_in(self, cwd: str | None) -> None:
        conversation = self.conversation
        conversation.learn(cwd=cwd)
        conversation.learn(own=own_by_location(conversation.session.cwd, self._own))

    def _hear_event(self, event: _Payload, line: Line, at: int | None) -> Iterator[Heard]:
        match event.type:
            case "user_message" if event.kind in _TYPED:
                yield from self._say(_text_of(event.message), line, at)
            case "agent_message":
                yield from self._answer(_text_of(event.message), line, at)
            case "turn_aborted":
                self.conversation.stop(line)

    def _hear_item(self, item: _Payload, line: Line, at: int | None) -> Iterator[Heard]:
        """Yield the agent's words; a person's stand in an event, beside what was injected."""
        if item.type == "message" and item.role == "assistant":
            yield from self._answer(_text_of(item.content), line, at)

    def _hear_bare(self, record: _Record, line: Line, at: int | None) -> Iterator[Heard]:
        text = _text_of(record.content)
        if record.role == "assistant":
            yield from self._answer(text, line, at)
        elif record.role == "user" and is_interrupt(text):
            self.conversation.stop(line)
        elif record.role == "user":
            yield from self._say(text, line, at)

    def _answer(self, text: str, line: Line, at: int | None) -> Iterator[Heard]:
        """Yield a reply once: it stands in an event, and in an item of the conversation."""
        if text != self._reply:
            self._reply = text
            yield from self.conversation.reply(line, text, at=at)

    def _meet(self, text: str) -> None:
        """Learn from a text of the user's role: the folder, or that the session is our own."""
        if text.lstrip().startswith("<environment_context>") and (cwd := _CWD.search(text)):
            self._settle_in(cwd[1] or cwd[2])
        if words_of(text) is None:
            return
        if not self._talked and OWN_SESSION in text:
            self.conversation.learn(own="marker")
        self._talked = True

    def _say(self, text: str, line: Line, at: int | None) -> Iterator[Heard]:
        self._meet(text)
        words = words_of(text)
        if words is None:
            return
        self._reply = ""
        if self._by_hand:
            yield from self.conversation.say(line.seq, words.kind, words.text, at=at)
        else:
            yield Skipped(line.seq, BY_SCRIPT)


def _prompt_of(record: _Record) -> str:
    """Return the text of a record in which a person may have typed, or an empty string."""
    if record.type == "message" and record.role == "user":
        return _text_of(record.content)
    if record.type != "event_msg":
        return ""
    event = _PAYLOAD.decode(record.payload)
    is_prompt = event.type == "user_message" and event.kind in _TYPED
    return _text_of(event.message) if is_prompt else ""


def _text_of(content: msgspec.Raw) -> str:
    """Return the text of a message, a string or a list of parts."""
    found = _PARTS.decode(content)
    if isinstance(found, list):
        return "\n\n".join(part.text for part in found if part.text)
    return found or ""
