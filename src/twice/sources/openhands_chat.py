"""Hear the events of one OpenHands session, of either kind."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from twice.core.transcript import Kind, Skipped
from twice.sources.following import Conversation, Heard
from twice.sources.lines import NOT_JSON, TOO_LONG, UNFINISHED, UNKNOWN_SHAPE, Line, decode
from twice.sources.openhands_records import (
    KINDS,
    RECORD,
    Record,
    args_of,
    farewell_of,
    is_template,
    message_of,
    name_in,
    reason_in,
    thought_of,
    typed_in,
)
from twice.sources.times import microseconds
from twice.sources.wrappings import OWN_SESSION, Words

BY_SCRIPT = "a prompt of a script or of another agent, not typed by a person"

_BY_HAND = ("", "gui")  # what started a conversation: the person
_ONE_TEMPLATE = ("suggested_task", "microagent_management")  # a template, and then the person
_STOPS = ("paused", "stopped", "user_rejected")
_TASK = "TASK: "  # what one agent hands to another in the older kind
_SILENT = ("think", "recall", "system", "condensation", "null")


@dataclass(slots=True)
class Chat:
    """What is known of one session while it is read.

    ``trigger`` is what started it, ``last`` the number of the last event that there is, which may
    not be whole yet. Events below ``reached`` are done with; ``talked``: a person spoke in them.
    """

    conversation: Conversation
    trigger: str = ""
    last: int | None = None
    reached: int = 0
    talked: bool = False
    _at_work: bool = False  # the agent, which a person may stop
    _delegated: int | None = None  # the event that another agent was called with
    _refused: str = ""

    def needed(self) -> Iterator[tuple[int, int]]:
        """Yield the places (offset, seq) that the next human turn needs as context."""
        yield from self.conversation.needed()
        if not self.talked:
            yield 0, 0
        if self._delegated is not None:
            yield self._delegated, self._delegated

    def hear(self, seq: int, data: bytes | None) -> Iterator[Heard]:
        """Yield what an event holds."""
        record, flaw = decode(RECORD, data) if data is not None else (None, TOO_LONG)
        if flaw == NOT_JSON and seq == self.last:
            yield Skipped(seq, UNFINISHED)
            return
        self.reached = seq + 1
        if flaw:
            yield Skipped(seq, flaw)
        if record is None:
            return
        try:
            yield from list(self._hear(seq, record))
        except msgspec.MsgspecError:
            yield Skipped(seq, UNKNOWN_SHAPE)

    def _hear(self, seq: int, record: Record) -> Iterator[Heard]:
        if record.kind:
            yield from self._hear_newer(seq, record)
        elif record.action:
            yield from self._hear_action(seq, record, name_in(record.action))
        elif record.observation:
            self._note(seq, name_in(record.observation))
        else:
            yield Skipped(seq, UNKNOWN_SHAPE)

    # The newer kind

    def _hear_newer(self, seq: int, record: Record) -> Iterator[Heard]:
        if record.kind not in KINDS:
            yield Skipped(seq, f"an unknown type of record: {str(record.kind)[:40]}")
            return
        if record.kind != "UserRejectObservation":
            self._refused = ""
        match record.kind, record.source:
            case "MessageEvent", "user" if not record.sender:
                yield from self._hear_person(seq, record, message_of(record))
            case "MessageEvent", "agent":
                yield from self._reply(seq, record, message_of(record), done=True)
            case "ActionEvent", _:
                yield from self._reply(seq, record, thought_of(record))
                farewell = farewell_of(record)
                if farewell is not None:
                    yield from self._reply(seq, record, farewell, done=True)
            case "UserRejectObservation", _ if record.rejection_source in (None, "user"):
                yield from self._hear_refusal(seq, record)
            case (("PauseEvent" | "InterruptEvent"), "user"):
                self._stop(seq)

    def _hear_refusal(self, seq: int, record: Record) -> Iterator[Heard]:
        """Yield the reason for a refusal, which is noted for each of the refused actions."""
        reason, before = reason_in(record), self._refused
        self.conversation.stop(_line(seq))
        self._at_work = False
        self._refused = reason
        if reason and reason != before:
            yield from self._say(seq, record, Words(Kind.REFUSAL, reason))

    # The older kind

    def _hear_action(self, seq: int, record: Record, name: str) -> Iterator[Heard]:
        args = args_of(record)
        match name, record.source:
            case "message", "user":
                text = args.content or ""
                if self._delegated is None or not text.startswith(_TASK):
                    yield from self._hear_person(seq, record, text, args.file_urls or [])
            case "change_agent_state", "user" if args.agent_state in _STOPS:
                self._stop(seq)
            case "delegate", "agent":
                yield from self._reply(seq, record, args.thought or "")
                self._delegated = seq
            case _, "agent" if self._delegated is None and name not in _SILENT:
                text = args.final_thought or args.thought or ""
                if name == "message":
                    text = args.content or ""
                yield from self._reply(seq, record, text, done=name in ("message", "finish"))

    def _note(self, seq: int, observation: str) -> None:
        if observation == "delegate":
            self._delegated = None
        elif observation == "user_rejected":
            self._stop(seq)

    # Both

    def _hear_person(
        self, seq: int, record: Record, text: str, files: list[str] | None = None
    ) -> Iterator[Heard]:
        self._at_work = True
        is_first, self.talked = not self.talked, True
        if is_first:
            self.conversation.learn(own="marker" if OWN_SESSION in text else "")
        words = typed_in(text, files or [])
        if is_template(text) or self._is_of_a_script(is_first=is_first):
            yield Skipped(seq, BY_SCRIPT)
        elif words:
            yield from self._say(seq, record, words)

    def _is_of_a_script(self, *, is_first: bool) -> bool:
        if self.trigger in _ONE_TEMPLATE:
            return is_first
        return self.trigger not in _BY_HAND

    def _say(self, seq: int, record: Record, words: Words) -> Iterator[Heard]:
        at, id = microseconds(record.timestamp), _global_id(record)
        yield from self.conversation.say(seq, words.kind, words.text, at=at, record=id)

    def _reply(self, seq: int, record: Record, text: str, *, done: bool = False) -> Iterator[Heard]:
        self._at_work = not done
        at, id = microseconds(record.timestamp), _global_id(record)
        yield from self.conversation.reply(_line(seq), text, at=at, record=id)

    def _stop(self, seq: int) -> None:
        """Note that the person stopped the agent; one that is done is only put aside."""
        if self._at_work:
            self.conversation.stop(_line(seq))
        self._at_work = False


def _line(seq: int) -> Line:
    """Return a place in the session: events have numbers, and no bytes in a common file."""
    return Line(seq, seq, seq + 1, None, whole=True)


def _global_id(record: Record) -> str:
    """Return the event's own id; the older kind only counts within its session."""
    return record.id if isinstance(record.id, str) else ""
