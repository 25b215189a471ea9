"""Read the sessions of Copilot CLI: one event a line."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from twice.core.transcript import Kind, Position, Reading, Session, Skipped
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
from twice.sources.wrappings import OWN_SESSION, Words, words_of

EVENTS = "events.jsonl"
STATE = "session-state"
NOT_TYPED = "a prompt of a script or of another agent, not typed by a person"

_NOTHING = msgspec.Raw(b"")
_START = re.compile(rb'"type"\s*:\s*"session\.(?:start|resume)"')
_MESSAGE = re.compile(rb'"type"\s*:\s*"(?:user|assistant)\.message"')
_IDENTITY = re.compile(rb'"(?:copilotVersion|interactionId)"\s*:|"producer"\s*:\s*"copilot-agent"')
_TEMPLATE = re.compile(r"\[\[ ## \w+ ## \]\]")
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s+(.*))?", re.DOTALL)
_REFUSED = "denied-interactively-by-user"

# The first parts of the names of events, and the names that have one part.
_FAMILIES = frozenset({
    *("session", "user", "assistant", "tool", "external_tool", "permission", "system", "hook"),
    *("subagent", "skill", "skills", "model", "mcp", "abort", "user_input", "elicitation"),
    *("exit_plan_mode", "command", "commands", "pending_messages", "capabilities", "sampling"),
    *("auto_mode_switch", "custom_agents", "extensions", "assistant_usage"),
})  # fmt: skip


class _Context(msgspec.Struct, rename="camel"):
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    repository_host: str | None = None


class _Result(msgspec.Struct):
    kind: str | None = None
    feedback: str | None = None


class _Data(msgspec.Struct, rename="camel"):
    """What an event tells. Of a prompt, ``content`` is what was typed."""

    session_id: str | None = None
    context: _Context | None = None
    content: str | None = None
    source: str | None = None
    is_autopilot_continuation: bool | None = None
    parent_tool_call_id: str | None = None
    result: msgspec.Raw = _NOTHING
    answer: str | None = None
    was_freeform: bool | None = None


class _Record(msgspec.Struct, rename="camel"):
    """One event; ``agent_id`` is there where a subagent's work is told."""

    type: str | None = None
    id: str | None = None
    timestamp: str | int | float | None = None
    agent_id: str | None = None
    data: msgspec.Raw = _NOTHING


_RECORD = msgspec.json.Decoder(_Record)
_DATA = msgspec.json.Decoder(_Data)
_RESULT = msgspec.json.Decoder(_Result)


class CopilotCli(FileSource):
    """The sessions of Copilot CLI; ``own`` is the folder in which our own model sessions run."""

    name = "copilot-cli"

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        moved = self._environ.get("COPILOT_HOME")
        home = Path(moved) if moved else Path.home() / ".copilot"
        return [home / STATE] if (home / STATE).is_dir() else []

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix != ".jsonl":
            return False
        if any(
            (_START.search(line) or _MESSAGE.search(line)) and _IDENTITY.search(line)
            for line in head.split(b"\n")
        ):
            return True
        return path.name == EVENTS and path.absolute().parent.parent.name == STATE

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        return follow(path, since, lambda _: _Listener(self.name, path, self._own))


class _Listener(RecordListener[_Record]):
    """What is known of one file while it is read."""

    decoder = _RECORD

    def __init__(self, agent: str, path: Path, own: Path | None) -> None:
        folder = path.absolute().parent
        id = stem_of(Path(f"{folder.name}.jsonl")) if folder.parent.name == STATE else ""
        self.conversation = Conversation(Session(id, agent), stem_of(path))
        self._own = own
        self._talked = False

    def learn(self, line: Line) -> bool:
        record, _ = decode(_RECORD, line.data or b"")
        with suppress(msgspec.MsgspecError):
            if record is not None:
                self._learn(record)
        return self._talked and bool(self.conversation.session.cwd)

    def _learn(self, record: _Record) -> None:
        match record.type:
            case "session.start" | "session.resume":
                self._start(_DATA.decode(record.data))
            case "user.message" if not self._talked and record.agent_id is None:
                content = _DATA.decode(record.data).content or ""
                if words_of(content) is not None:
                    self.conversation.learn(own="marker" if OWN_SESSION in content else "")
                    self._talked = True

    def _start(self, data: _Data) -> None:
        conversation, context = self.conversation, data.context or _Context()
        remote = ""
        if context.repository and context.repository_host:
            remote = f"https://{context.repository_host}/{context.repository}"
        conversation.learn(
            id=data.session_id or conversation.stem,
            cwd=context.cwd,
            branch=context.branch,
            remote=remote,
        )
        conversation.learn(own=own_by_location(conversation.session.cwd, self._own))

    def hear_record(self, record: _Record, line: Line) -> Iterator[Heard]:
        self._learn(record)
        family = (record.type or "").split(".", 1)[0]
        if family not in _FAMILIES:
            yield Skipped(line.seq, f"an unknown type of record: {str(record.type)[:40]}")
            return
        match record.type:
            case "user.message":
                yield from self._hear_prompt(record, line)
            case "assistant.message":
                data = _DATA.decode(record.data)
                if record.agent_id is None and data.parent_tool_call_id is None:
                    at, id = microseconds(record.timestamp), record.id or ""
                    yield from self.conversation.reply(line, data.content or "", at=at, record=id)
            case "permission.completed":
                yield from self._hear_permission(record, line)
            case "user_input.completed":
                data = _DATA.decode(record.data)
                if data.was_freeform and record.agent_id is None:
                    yield from self._say(
                        Words(Kind.ANSWER, (data.answer or "").strip()), record, line
                    )
            case "abort" if record.agent_id is None:
                self.conversation.stop(line)

    def _hear_prompt(self, record: _Record, line: Line) -> Iterator[Heard]:
        data = _DATA.decode(record.data)
        words = _typed_in(data.content or "")
        if words is None:
            return
        if _is_by_hand(record, data):
            yield from self._say(words, record, line)
        else:
            yield Skipped(line.seq, NOT_TYPED)

    def _hear_permission(self, record: _Record, line: Line) -> Iterator[Heard]:
        """Yield the reason that a person gave for refusing a tool; a refusal stops the agent."""
        data = _DATA.decode(record.data)
        result = _RESULT.decode(data.result) if data.result else _Result()
        if result.kind != _REFUSED:
            return
        self.conversation.stop(line)
        yield from self._say(Words(Kind.REFUSAL, (result.feedback or "").strip()), record, line)

    def _say(self, words: Words, record: _Record, line: Line) -> Iterator[Heard]:
        if words.text:
            at, id = microseconds(record.timestamp), record.id or ""
            yield from self.conversation.say(line.seq, words.kind, words.text, at=at, record=id)


def _is_by_hand(record: _Record, data: _Data) -> bool:
    """Tell whether a prompt was typed.

    Skills, the autopilot and agents name themselves as its source. The task that a prompt belongs
    to (``parentAgentTaskId``) tells nothing: prompts that people typed have one as well.
    """
    return (
        record.agent_id is None
        and data.source in (None, "", "user")
        and not data.is_autopilot_continuation
        and data.parent_tool_call_id is None
        and not _TEMPLATE.match((data.content or "").lstrip())
    )


def _typed_in(text: str) -> Words | None:
    """Return what a person typed in a prompt, or None; of a slash command, its arguments."""
    if command := _SLASH_COMMAND.fullmatch(text.strip()):
        arguments = (command[1] or "").strip()
        return Words(Kind.COMMAND, arguments) if arguments else None
    return words_of(text)
