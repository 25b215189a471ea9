"""Tell what a person typed in the spans and records of one session of an OpenTelemetry export.

Two kinds of records tell it:

1. Agents report prompts under names of their own (``claude_code.user_prompt`` and the like), where
   they were told to export the text. These are what was typed, commands apart, and are taken as
   such, unless the agent says that a script ran it.
2. Calls under the GenAI conventions carry messages with roles. ``user`` there is whoever asked the
   model: a person, but also a program's template, a tool's output, or another agent. So such a
   message is a person's only where all of this is so: the call names the conversation that it is
   part of (``gen_ai.conversation.id``), as programs do that hold a dialog; it is the outermost
   one, made within no tool and no other agent's run, as far as the file tells; and no agent of the
   first kind made it, which reports its prompts itself. Where an outermost run of an agent has
   messages, its own calls to models, with what it puts around them, do not speak. All else is the
   harness's.

Each call repeats what was said before; a message counts once. A session without a recorded folder
(``process.working_directory`` of the resource) belongs to no project.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from twice.core.encoding import encode
from twice.core.transcript import Kind, Session, Skipped
from twice.sources.following import Conversation, Heard, own_by_location
from twice.sources.lines import UNFINISHED, Line
from twice.sources.otel_messages import Said, messages_of
from twice.sources.otlp import Entry
from twice.sources.wrappings import OWN_SESSION, Words, words_of

BY_SCRIPT = "a prompt of a script, not typed by a person"
NOT_EXPORTED = "a prompt whose text was not exported"
CUT_OFF = "messages that were cut off when they were exported"

_CONVERSATION = "gen_ai.conversation.id"
_SESSION = (_CONVERSATION, "session.id", "conversation.id", "sessionId")
_OPERATION = "gen_ai.operation.name"
_AGENT, _TOOL = "invoke_agent", "execute_tool"
_CALLS = frozenset({"", "chat", "generate_content", "text_completion", _AGENT})
_REPORTING = re.compile(r"claude-code|codex|gemini-cli|qwen-code")  # names of services
_PROMPT = re.compile(r"(?:claude_code|codex|gemini_cli|qwen-code)\.user_prompt")
_PROMPTS, _REPLIES = "user_prompt", "assistant_response"
_BY_HAND = frozenset({"cli", "claude-vscode", "claude-desktop"})
_UNSAID = frozenset({"", "<REDACTED>", "[REDACTED]"})
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s+(.*))?", re.DOTALL)


def session_of(entry: Entry) -> str:
    """Return the session that a record names, or nothing."""
    return entry.text(*_SESSION)


def is_telling(entry: Entry) -> bool:
    """Tell whether a record may be part of a conversation at all."""
    is_call = any(name.startswith("gen_ai.") for name in entry.attributes)
    return is_call or _is_prompt(entry) or _is_reply(entry)


def _is_prompt(entry: Entry) -> bool:
    names = (entry.name, entry.body if isinstance(entry.body, str) else "")
    return any(map(_PROMPT.fullmatch, names)) or (entry.name == _PROMPTS and _is_claude(entry))


def _is_reply(entry: Entry) -> bool:
    return entry.name.removeprefix("claude_code.") == _REPLIES and _is_claude(entry)


def _is_claude(entry: Entry) -> bool:
    body = entry.body if isinstance(entry.body, str) else ""
    named = (entry.scope, body, entry.name, entry.text("service.name"))
    return any("claude_code" in name or name.startswith("claude-code") for name in named)


@dataclass(slots=True)
class _Span:
    """What is known of a span: where it stands, what it does, whether messages went into it."""

    parent: str
    operation: str
    asked: bool = False


class OtelReader:
    """What is known of one session while its records are read, first of all once to learn them."""

    def __init__(self, session: Session, own: Path | None) -> None:
        self.count = 0  # messages so far, told or not: so their numbers stay
        self._conversation = Conversation(session, session.id)
        self._own = own
        self._spans: dict[tuple[str, str], _Span] = {}
        self._sessions: dict[str, str] = {}  # by trace
        self._dialogs: dict[str, str] = {}
        self._reports = False
        self._talked = False
        self._told: Counter[bytes] = Counter()
        self._calls: dict[tuple[str, ...], Counter[bytes]] = defaultdict(Counter)

    @property
    def session(self) -> Session:
        """What is known of the session by now."""
        return self._conversation.session

    def learn(self, entries: Iterable[Entry | str]) -> None:
        """Take in how the spans stand to each other, and the facts of the session."""
        for entry in entries:
            if isinstance(entry, str):
                continue
            session = session_of(entry)
            if session:
                self._sessions.setdefault(entry.trace, session)
            if dialog := entry.text(_CONVERSATION):
                self._dialogs.setdefault(entry.trace, dialog)
            if entry.is_span:
                span = self._span(entry)
                span.parent, span.operation = entry.parent, entry.text(_OPERATION)
            if entry.span and any(said.by_user for said in messages_of(entry)):
                self._span(entry).asked = True
            if session == self.session.id:
                self._reports = self._reports or _is_prompt(entry)
                self._learn_facts(entry)

    def _span(self, entry: Entry) -> _Span:
        return self._spans.setdefault((entry.trace, entry.span), _Span("", ""))

    def _learn_facts(self, entry: Entry) -> None:
        folders = entry.attributes.get("workspace.host_paths")
        one = folders[0] if isinstance(folders, list) and len(folders) == 1 else None
        cwd = entry.text("process.working_directory") or (one if isinstance(one, str) else "")
        self._conversation.learn(
            cwd=cwd,
            branch=entry.text("vcs.ref.head.name"),
            remote=entry.text("vcs.repository.url.full"),
        )
        self._conversation.learn(own=own_by_location(self.session.cwd, self._own))

    def skip(self, reason: str) -> Skipped:
        """Return damage under a number of its own; what is not finished yet has none."""
        seq = self.count
        self.count += reason != UNFINISHED
        return Skipped(seq, reason)

    def hear(self, entry: Entry) -> Iterator[Heard]:
        """Yield what a person or the agent said in a record."""
        if (session_of(entry) or self._sessions.get(entry.trace, "")) != self.session.id:
            return
        if _is_prompt(entry):
            yield from self._hear_prompt(entry)
        elif _is_reply(entry):
            self.count += 1
            text = entry.text("response")
            if text not in _UNSAID and not entry.text("agent.name"):
                yield from self._reply(self.count - 1, text, entry)
        else:
            yield from self._hear_call(entry)

    def _hear_prompt(self, entry: Entry) -> Iterator[Heard]:
        """Yield a prompt that an agent reports itself."""
        text = entry.text("prompt")
        if text in _UNSAID:
            yield self.skip(NOT_EXPORTED)
        elif _is_by_script(entry):
            yield self.skip(BY_SCRIPT)
        else:
            self.count += 1
            record = entry.text("message.uuid", "prompt.id", "prompt_id")
            yield from self._say(self.count - 1, _typed_in(text), entry, record)

    def _hear_call(self, entry: Entry) -> Iterator[Heard]:
        """Yield what is new in the messages of a call."""
        speaks = self._speaks(entry)
        call = (entry.name, str(entry.is_span), entry.trace, entry.span)
        met = self._calls[call] if entry.span else Counter()
        new: list[tuple[int, Said]] = []
        for said in messages_of(entry):
            self.count += 1
            if not speaks:
                continue
            if said.flaw:
                yield Skipped(self.count - 1, CUT_OFF)
                continue
            mark = blake2b(encode(f"{said.by_user}{said.text}"), digest_size=16).digest()
            met[mark] += 1
            if met[mark] > self._told[mark]:
                self._told[mark] = met[mark]
                new.append((self.count - 1, said))
        asked = max((seq for seq, said in new if said.by_user), default=-1)
        for seq, said in new:
            if said.by_user:
                record = entry.span if seq == asked and entry.is_span else ""
                yield from self._say(seq, words_of(said.text), entry, record)
            else:
                yield from self._reply(seq, said.text, entry)

    def _speaks(self, entry: Entry) -> bool:
        """Tell whether the messages of a call are between a person and whom the person asked."""
        named = entry.text(_CONVERSATION) or self._dialogs.get(entry.trace, "")
        is_reporting = _REPORTING.match(entry.text("service.name"))
        if self._reports or is_reporting or named != self.session.id:
            return False
        operation = entry.text(_OPERATION)
        if not entry.is_span and (span := self._spans.get((entry.trace, entry.span))):
            operation = span.operation or operation
        return operation in _CALLS and self._is_outermost(entry, operation)

    def _is_outermost(self, entry: Entry, operation: str) -> bool:
        agents = 0
        seen = {entry.span}
        own = self._spans.get((entry.trace, entry.span))
        above = own.parent if own else entry.parent
        while above and above not in seen:
            seen.add(above)
            span = self._spans.get((entry.trace, above))
            if span is None:
                break
            if span.operation == _TOOL or (span.operation == _AGENT and span.asked):
                return False
            agents += span.operation == _AGENT
            above = span.parent
        return agents <= (operation != _AGENT)

    def _say(self, seq: int, words: Words | None, entry: Entry, record: str) -> Iterator[Heard]:
        if words is None:
            return
        if not self._talked and OWN_SESSION in words.text:
            self._conversation.learn(own="marker")
        self._talked = True
        yield from self._conversation.say(seq, words.kind, words.text, at=entry.at, record=record)

    def _reply(self, seq: int, text: str, entry: Entry) -> Iterator[Heard]:
        line = Line(seq, 0, 0, None, whole=True)
        yield from self._conversation.reply(line, text, at=entry.at)


def _is_by_script(entry: Entry) -> bool:
    """Tell whether an agent says that a script ran it, or that nobody sat at its terminal."""
    entrypoint = entry.text("app.entrypoint")
    if entrypoint:
        return entrypoint not in _BY_HAND
    return (
        entry.attributes.get("interactive") in (False, "false")
        or "codex_exec" in (entry.text("service.name"), entry.text("originator"))
        or entry.text("terminal.type") == "non-interactive"
    )


def _typed_in(text: str) -> Words | None:
    """Return what a person typed in a prompt; of a slash command, its arguments."""
    if command := _SLASH_COMMAND.fullmatch(text.strip()):
        arguments = (command[1] or "").strip()
        return Words(Kind.COMMAND, arguments) if arguments else None
    return words_of(text)
