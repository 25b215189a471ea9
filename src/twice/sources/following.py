"""Follow a growing file of JSON records: what is new in it, and where to read on."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Generic, Protocol

import msgspec

from twice.core import limits
from twice.core.transcript import Event, Kind, Position, Reading, Session, Skipped, Speaker
from twice.sources.lines import (
    TOO_LONG,
    UNFINISHED,
    UNKNOWN_SHAPE,
    Line,
    Record,
    Silence,
    decode,
    never,
    read_lines,
)

LEFT_OUT = f"what a turn holds beyond {limits.TURN_CHARS} characters"

Heard = Event | Skipped


@dataclass(slots=True)
class Conversation:
    """What a reader keeps in hand of one session: its facts, and what the next turn answers.

    ``stem`` of the file is the session's id where no record tells one. ``untold``: the number of
    a record that may hold a person's words, which only more of the file can tell. ``silent``
    tells the lines in which there is now nothing to hear or to learn.
    """

    session: Session
    stem: str
    interrupted: bool = False
    untold: int | None = None
    silent: Silence = never
    _replies: deque[tuple[int, int, int]] = field(default_factory=deque)  # offset, seq, length
    _kept: int = 0  # of their characters
    _answered: bool = True
    _stopped: tuple[int, int] | None = None

    def learn(self, **facts: str | None) -> None:
        """Take in facts of the session; the first value of each stays."""
        for name, value in facts.items():
            if value and not getattr(self.session, name):
                self.session = replace(self.session, **{name: value})

    def stop(self, line: Line) -> None:
        """Note that the person stopped the agent."""
        self.interrupted = True
        self._stopped = (line.start, line.seq)

    def reply(self, line: Line, text: str, *, at: int | None, record: str = "") -> list[Heard]:
        """Return the agent's words; of very long ones the end, which is what a person answers."""
        text = text.strip()
        if not text:
            return []
        if self.interrupted:
            self._listen_on()
        if not self._answered:
            self._replies.clear()
            self._kept = 0
            self._answered = True
        self._replies.append((line.start, line.seq, len(text)))
        self._kept += len(text)
        while self._kept - self._replies[0][2] >= limits.PREVIOUS_CHARS:
            self._kept -= self._replies.popleft()[2]
        return [self._event(line.seq, Kind.REPLY, text[-limits.TURN_CHARS :], at, record)]

    def say(
        self, seq: int, kind: Kind, text: str, *, at: int | None, record: str = ""
    ) -> Iterator[Heard]:
        """Yield what the person said, and what was left out of it."""
        interrupted = self.interrupted
        self._listen_on()
        self._answered = False
        yield self._event(seq, kind, text[: limits.READ_CHARS], at, record, interrupted)
        if len(text) > limits.TURN_CHARS:
            yield Skipped(seq, LEFT_OUT)

    def say_meanwhile(
        self, seq: int, text: str, *, at: int | None, record: str = ""
    ) -> Iterator[Heard]:
        """Yield what the person typed while the agent was busy, which answers no interruption."""
        yield self._event(seq, Kind.QUEUED, text[: limits.READ_CHARS], at, record)
        if len(text) > limits.TURN_CHARS:
            yield Skipped(seq, LEFT_OUT)

    def _event(
        self,
        seq: int,
        kind: Kind,
        text: str,
        at: int | None,
        record: str,
        interrupted: bool = False,
    ) -> Event:
        if not self.session.id:
            self.learn(id=self.stem)
        speaker = Speaker.AGENT if kind is Kind.REPLY else Speaker.HUMAN
        return Event(self.session.id, seq, kind, speaker, text, at, record, interrupted)

    def needed(self) -> Iterator[tuple[int, int]]:
        """Yield the places (offset, seq) that the next human turn needs as context."""
        yield from ((offset, seq) for offset, seq, _ in self._replies)
        if self._stopped:
            yield self._stopped

    def _listen_on(self) -> None:
        self.interrupted = False
        self._stopped = None


@lru_cache(maxsize=256)  # asked at every record, of the few folders of one session
def own_by_location(cwd: str, own: Path | None) -> str:
    """Return ``location`` when a session ran in the folder of our own model sessions."""
    if not cwd or own is None:
        return ""
    folders = (own.absolute(), own.resolve())
    return "location" if any(Path(cwd).is_relative_to(folder) for folder in folders) else ""


class Listener(Protocol):
    """What understands the lines of one agent's file."""

    conversation: Conversation

    def learn(self, line: Line) -> bool:
        """Take the facts of the session from a line of the head; tell whether all are known."""
        ...

    def hear(self, line: Line) -> Iterable[Heard]:
        """Return what a line holds; of one that may still be growing, ``UNFINISHED`` at most."""
        ...

    def end(self) -> Iterator[Heard]:
        """Yield what was held back until more of the file would be known."""
        ...

    def waiting(self) -> Iterator[tuple[int, int]]:
        """Yield where (offset, seq) queued messages stand whose fate is open."""
        ...


class RecordListener(Generic[Record]):
    """A listener to lines that are one record each, none of which waits for a later one."""

    decoder: msgspec.json.Decoder[Record]

    def hear(self, line: Line) -> Iterable[Heard]:
        """Return what the record of a line says, and what is wrong with the line."""
        record, flaw = decode(self.decoder, line.data or b"")
        if record is None:
            return [Skipped(line.seq, flaw if line.whole else UNFINISHED)]
        try:
            heard = list(self.hear_record(record, line))
        except msgspec.MsgspecError:
            heard = [Skipped(line.seq, UNKNOWN_SHAPE)]
        return [Skipped(line.seq, flaw), *heard] if flaw else heard

    def hear_record(self, record: Record, line: Line) -> Iterable[Heard]:
        """Return what a record says; one of a shape that is not known raises ``MsgspecError``."""
        raise NotImplementedError

    def end(self) -> Iterator[Heard]:
        """Yield nothing: nothing was held back."""
        return iter(())

    def waiting(self) -> Iterator[tuple[int, int]]:
        """Yield nothing: nothing is queued."""
        return iter(())


def follow(path: Path, since: Position, listen: Callable[[int], Listener]) -> Iterator[Reading]:
    """Yield what a file holds from a position on, and last the position to read on from.

    A file that became shorter was written anew, and is read from its start.
    """
    listener = listen(since.told)
    conversation = listener.conversation
    if since.offset:
        conversation.learn(id=since.session)
        _read_head(path, since, listener)
    shown: Session | None = None
    reached = (since.offset, since.seq)
    for heard, done in _hear(path, since, listener):
        if conversation.session is not shown and conversation.session.id:
            yield (shown := conversation.session)
        if conversation.session.own:
            yield Position(session=conversation.session.id)
            return
        if heard is not None and is_new(heard, since):
            yield heard
        reached = done or reached
    if reached[1] < since.told:
        yield from follow(path, Position(), listen)
    else:
        yield from _close(since, listener, shown, reached)


def _read_head(path: Path, since: Position, listener: Listener) -> None:
    """Learn again what only the start of the file tells about the session."""
    for line in read_lines(path):
        if line.start >= min(since.offset, limits.HEAD_BYTES):
            return
        if line.data and listener.learn(line):
            return


def _hear(
    path: Path, since: Position, listener: Listener
) -> Iterator[tuple[Heard | None, tuple[int, int] | None]]:
    """Yield each thing heard, and up to where (offset, seq) the file is done with."""
    conversation = listener.conversation
    lines = read_lines(path, since.offset, since.seq, silence=lambda: conversation.silent)
    for line in lines:
        if not line.whole and line.start > since.offset:
            yield None, (line.start, line.seq)
        if line.blank:
            if not line.whole:
                return
        elif line.data is None:
            yield Skipped(line.seq, TOO_LONG if line.whole else UNFINISHED), None
            if not line.whole:
                return
        else:
            for heard in listener.hear(line):
                yield heard, None
                if isinstance(heard, Skipped) and heard.reason == UNFINISHED:
                    return
        yield None, (line.end, line.seq + 1)


def _close(
    since: Position, listener: Listener, shown: Session | None, reached: tuple[int, int]
) -> Iterator[Reading]:
    """Yield what was held back, and the position before all that the next turn may need."""
    conversation = listener.conversation
    conversation.learn(id=conversation.stem)
    if conversation.session is not shown:
        yield conversation.session
    yield from (heard for heard in listener.end() if is_new(heard, since))
    told = reached[1] if conversation.untold is None else conversation.untold
    offset, seq = min([reached, *conversation.needed(), *listener.waiting()])
    yield Position(offset, seq, conversation.session.id, max(told, since.told))


def is_new(heard: Heard, since: Position) -> bool:
    """Tell whether a thing is context, or was not yielded by an earlier reading."""
    if heard.seq >= since.told:
        return True
    return isinstance(heard, Event) and heard.speaker is not Speaker.HUMAN
