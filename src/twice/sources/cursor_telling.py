"""Tell a conversation of Cursor, however it is kept: its messages in order, each known by a key."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from twice.core.transcript import Position, Reading, Session, Skipped
from twice.sources.databases import Damaged
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import Line
from twice.sources.wrappings import OWN_SESSION, Words

MISSING = "a message that is listed, but is not there"
DAMAGED = "a message in a damaged part of the database"

_CONTEXT = 40  # messages before what is new that are read again, for what the person answers


@dataclass(frozen=True, slots=True)
class Message:
    """What one message says, if anything.

    ``words`` are the person's, within the ``text`` of the whole message; without them, the text is
    the agent's. ``stopped``: the person stopped the agent here, or refused a tool.
    """

    text: str = ""
    words: Words | None = None
    at: int | None = None
    record: str = ""
    stopped: bool = False


SILENCE = Message()


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its facts, what each message is known by, and how one of them is read."""

    session: Session
    keys: Sequence[str]
    message: Callable[[int], Message | Skipped]


def tell(talk: Talk, since: Position, own: Path | None) -> Iterator[Reading]:
    """Yield what a conversation holds from a position on, and last where to read on.

    A person may take messages back and say others in their place. The position knows by a check
    sum which messages were told; where these are not the same any more, all is told again, and
    the record ids tell what is new. Messages at the end that are listed only, and are still to be
    written, are told when they are there.
    """
    if fingerprint(talk.keys[: since.told]) != since.seq:
        since = Position()
    conversation = Conversation(talk.session, talk.session.id)
    conversation.learn(own=own_by_location(talk.session.cwd, own))
    shown: Session | None = None
    told = 0
    for heard in _hear(talk, since, conversation):
        if conversation.session is not shown:
            yield (shown := conversation.session)
        if shown.own:
            break
        if isinstance(heard, int):
            told = heard + 1
        elif is_new(heard, since):
            yield heard
    keys = talk.keys if shown and shown.own else talk.keys[:told]
    yield Position(0, fingerprint(keys), talk.session.id, len(keys))


def fingerprint(keys: Iterable[str]) -> int:
    """Return a check sum of messages, by what they are known by; 0 of none."""
    return zlib.crc32("\n".join(keys).encode(errors="replace"))


def _hear(talk: Talk, since: Position, conversation: Conversation) -> Iterator[Heard | int]:
    """Yield what is heard, and the place of each message that is there."""
    yield -1
    talked = False
    for seq in range(len(talk.keys)):
        if talked and seq < since.told - _CONTEXT:
            yield seq  # the first words are always read: they tell whose session it is
            continue
        message = _message(talk, seq)
        if not isinstance(message, Skipped) or message.reason != MISSING:
            yield seq
        if isinstance(message, Skipped):
            yield message
            continue
        line = Line(seq, 0, 0, None, whole=True)
        at, record = message.at, message.record
        if words := message.words:
            if not talked and OWN_SESSION in message.text:
                conversation.learn(own="marker")
            talked = True
            yield from conversation.say(seq, words.kind, words.text, at=at, record=record)
        else:
            yield from conversation.reply(line, message.text, at=at, record=record)
        if message.stopped:
            conversation.stop(line)


def _message(talk: Talk, seq: int) -> Message | Skipped:
    try:
        return talk.message(seq)
    except Damaged:
        return Skipped(seq, DAMAGED)
