"""Read the sessions of Claude Code: one JSON record a line."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path

import msgspec

from twice.core.transcript import Kind, Position, Reading, Session, Skipped
from twice.sources.claude_records import (
    ATTACHMENT,
    RECORD,
    TYPES,
    Block,
    Record,
    answers_in,
    blocked_in,
    is_by_hand,
    is_injected,
    message_of,
    origin_kind,
    record_of,
    refusal_in,
    text_of,
    typed_in,
)
from twice.sources.claude_silence import is_silent
from twice.sources.following import Conversation, Heard, follow, own_by_location
from twice.sources.lines import (
    UNFINISHED,
    UNKNOWN_SHAPE,
    Line,
    decode,
    never,
    stem_of,
)
from twice.sources.logs import FileSource
from twice.sources.queued import Message, Queue
from twice.sources.times import microseconds
from twice.sources.wrappings import (
    OWN_SESSION,
    Words,
    is_interrupt,
    queued_words_of,
    words_of,
)

BY_SCRIPT = "a prompt of a script, not typed by a person"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TYPE = re.compile(rb'"type"\s*:\s*"(' + "|".join(sorted(TYPES)).encode() + rb')"')
_IDENTITY = re.compile(rb'"(sessionId|leafUuid|messageId)"\s*:')
_OWN_SESSION = OWN_SESSION.strip("<>").encode()  # writers may escape the brackets


class ClaudeCode(FileSource):
    """The sessions of Claude Code; ``own`` is the folder in which our own model sessions run."""

    name = "claude-code"

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        moved = self._environ.get("CLAUDE_CONFIG_DIR")
        home = Path(moved) if moved else Path.home() / ".claude"
        return [home / "projects"] if (home / "projects").is_dir() else []

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix != ".jsonl" or is_of_a_subagent(path):
            return False
        if any(_TYPE.search(line) and _IDENTITY.search(line) for line in head.split(b"\n")):
            return True
        return path.parent.parent.name == "projects" and bool(_UUID.fullmatch(path.stem))

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        return follow(path, since, lambda told: _Listener(self.name, path, self._own, told))


def is_of_a_subagent(path: Path) -> bool:
    """Tell whether a file holds what agents said to each other, beside the session it is part of.

    >>> is_of_a_subagent(Path("projects/-src-shop/8a3f/subagents/agent-12.jsonl"))
    True
    """
    return path.name.startswith("agent-") or "subagents" in path.parent.parts


class _Listener:
    """What is known of one file while it is read."""

    def __init__(self, agent: str, path: Path, own: Path | None, told: int) -> None:
        stem = stem_of(path)
        session = Session(stem if _UUID.fullmatch(stem) else "", agent)
        self.conversation = Conversation(session, stem)
        self._own = own
        self._talked = False
        self._by_hand: bool | None = None
        self._settled = False
        self._seen: set[str] = set()
        self._queue = Queue(told)
        self._held: list[Heard] = []

    def learn(self, line: Line) -> bool:
        record, _ = decode(RECORD, line.data or b"")
        if record is not None:
            self._learn(record, line)
        return self._talked and bool(self.conversation.session.cwd)

    def hear(self, line: Line) -> Iterable[Heard]:
        record, flaw = record_of(line.data or b"")
        if record is None:
            return [Skipped(line.seq, flaw if line.whole else UNFINISHED)]
        if not self._settled:
            self._learn(record, line)
        waited = bool(self._queue)
        heard = self._hear(record, line)
        if waited or self._queue:
            self._held += heard
            heard = [] if self._queue else self._release()
            self._choose_what_is_silent()
        return [Skipped(line.seq, flaw), *heard] if flaw else heard

    def _choose_what_is_silent(self) -> None:
        """Have every line heard while facts are missing, or the agent's next settles a message."""
        self.conversation.silent = is_silent if self._settled and self._queue.at_rest else never

    def end(self) -> Iterator[Heard]:
        waiting = self._queue.rest()
        if self._by_hand is None and waiting:
            self.conversation.untold = waiting[0].seq
        elif self._by_hand:
            for message in waiting:
                self._held += self._say_queued(message)
        yield from self._release()

    def waiting(self) -> Iterator[tuple[int, int]]:
        return self._queue.places()

    def _release(self) -> list[Heard]:
        held, self._held = self._held, []
        return sorted(held, key=attrgetter("seq"))

    def _learn(self, record: Record, line: Line) -> None:
        conversation = self.conversation
        conversation.learn(id=record.session_id, cwd=record.cwd, branch=record.git_branch)
        if not conversation.session.own:
            conversation.learn(own=own_by_location(conversation.session.cwd, self._own))
        if not self._talked and record.type not in ("attachment", "progress"):
            conversation.learn(own="marker" if _OWN_SESSION in (line.data or b"") else "")
        if record.type in ("user", "assistant") and not record.is_meta:
            self._talked = True
            self._by_hand = is_by_hand(record) or bool(self._by_hand)
        session = conversation.session
        self._settled = bool(self._by_hand and session.id and session.cwd and session.branch)
        self._choose_what_is_silent()

    def _hear(self, record: Record, line: Line) -> list[Heard]:
        match record.type:
            case "user":
                return self._hear_user(record, line)
            case "assistant":
                return self._hear_assistant(record, line)
            case "queue-operation":
                self._hear_queue(record, line)
            case "attachment":
                return self._hear_attachment(record, line)
            case "system":
                return self._hear_system(record, line)
            case other if other not in TYPES:
                return [Skipped(line.seq, f"an unknown type of record: {str(other)[:40]}")]
        return []

    def _hear_user(self, record: Record, line: Line) -> list[Heard]:
        if is_injected(record):
            return []
        message = message_of(record)
        if message is None or message.role == "assistant":
            return [Skipped(line.seq, UNKNOWN_SHAPE)]
        texts, results = message.texts(), message.results()
        if any(is_interrupt(text) for text in texts):
            self.conversation.stop(line)
        words = typed_in(texts)
        if results:
            words += self._refused(record, results, line)
            if answer := answers_in(record, results):
                words.append(Words(Kind.ANSWER, answer))
        return self._say(words, record, line)

    def _refused(self, record: Record, results: list[Block], line: Line) -> list[Words]:
        """Return the reasons given for refusing tools; a refusal stops the agent."""
        found = [refusal_in(result, record.tool_denial_kind) for result in results]
        if any(reason is not None for reason in found):
            self.conversation.stop(line)
        given = "\n\n".join(filter(None, found))
        return [Words(Kind.REFUSAL, given)] if given else []

    def _hear_assistant(self, record: Record, line: Line) -> list[Heard]:
        heard: list[Heard] = []
        if self._queue:
            for sent in self._queue.settled(line.seq):
                heard += self._say_queued(sent)
        message = message_of(record)
        if message is None or message.role == "user":
            return [*heard, Skipped(line.seq, UNKNOWN_SHAPE)]
        if record.is_sidechain or record.is_api_error_message or message.model == "<synthetic>":
            return heard
        if text := "\n\n".join(message.texts()):
            at, uuid = microseconds(record.timestamp), record.uuid or ""
            heard += self.conversation.reply(line, text, at=at, record=uuid)
        return heard

    def _hear_queue(self, record: Record, line: Line) -> None:
        match record.operation:
            case "enqueue":
                words = queued_words_of(text_of(record.content))
                text, at = words.text if words else "", microseconds(record.timestamp)
                self._queue.add(Message(line.seq, line.start, text, at))
            case "remove":
                self._queue.send()
            case "dequeue":
                self._queue.hand_over()
            case "popAll":
                self._queue.pull_back()

    def _say_queued(self, message: Message) -> Iterator[Heard]:
        if self._by_hand:
            text, at = message.text, message.at
            yield from self.conversation.say_meanwhile(message.seq, text, at=at)

    def _hear_attachment(self, record: Record, line: Line) -> list[Heard]:
        if b'"queued_command"' not in (line.data or b""):
            return []
        try:
            attached = ATTACHMENT.decode(record.attachment)
        except msgspec.MsgspecError:
            return [Skipped(line.seq, UNKNOWN_SHAPE)]
        if attached.type != "queued_command" or attached.command_mode != "prompt":
            return []
        if origin_kind(attached.origin) != "human" or is_injected(record):
            return []
        words = queued_words_of(text_of(attached.prompt))
        return self._say([words] if words else [], record, line)

    def _hear_system(self, record: Record, line: Line) -> list[Heard]:
        if record.is_sidechain:
            return []
        if record.subtype == "informational" and (blocked := blocked_in(record)):
            return self._say([Words(Kind.BLOCKED, blocked)], record, line)
        if record.subtype == "local_command":
            words = words_of(text_of(record.content))
            if words and words.kind is Kind.COMMAND:
                return self._say([words], record, line)
        return []

    def _say(self, words: list[Words], record: Record, line: Line) -> list[Heard]:
        """Return what a person typed in a record, unless it was heard before."""
        if not words or record.uuid in self._seen:
            return []
        if not is_by_hand(record):
            return [Skipped(line.seq, BY_SCRIPT)]
        if record.uuid:
            self._seen.add(record.uuid)
        at, uuid = microseconds(record.timestamp), record.uuid or ""
        said: list[Heard] = []
        for word in words:
            if self._queue.repeats(word.text):
                continue
            if word.kind is Kind.QUEUED:
                said += self.conversation.say_meanwhile(line.seq, word.text, at=at, record=uuid)
            else:
                said += self.conversation.say(line.seq, word.kind, word.text, at=at, record=uuid)
        return said
