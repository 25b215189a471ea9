"""Messages typed while the agent was busy: what became of them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from twice.core import limits

KEPT_TEXTS = 50


class Fate(Enum):
    """What became of a queued message, as far as is known."""

    OPEN = "open"
    SENT = "sent"  # in the middle of a turn; often no other record repeats it
    HANDED = "handed over"  # at the end of a turn; a record with the same text follows


@dataclass(slots=True)
class Message:
    """One queued message: where it stands, its words, or nothing where no person typed it."""

    seq: int
    offset: int
    text: str
    at: int | None
    fate: Fate = Fate.OPEN


@dataclass(slots=True)
class Queue:
    """The messages that a later record may still repeat or withdraw, oldest first.

    ``told``: messages before this record were yielded at the end of an earlier reading, since the
    file may never have grown.
    """

    told: int
    _messages: list[Message] = field(default_factory=list)
    _given_up: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_TEXTS))

    def __bool__(self) -> bool:
        return bool(self._messages)

    @property
    def at_rest(self) -> bool:
        """Tell whether no message is one that the agent's next record settles."""
        return not self._messages or all(m.fate is Fate.OPEN for m in self._messages)

    def add(self, message: Message) -> None:
        """Put a message at the end."""
        self._messages.append(message)

    def send(self) -> None:
        """Mark the oldest open message as sent in the middle of a turn."""
        self._mark_oldest(Fate.SENT)

    def hand_over(self) -> None:
        """Mark the oldest open message as one that a record of its own will repeat."""
        self._mark_oldest(Fate.HANDED)

    def pull_back(self) -> None:
        """Drop the open messages: the person took them back to edit them."""
        self._messages = [m for m in self._messages if m.fate is not Fate.OPEN]

    def repeats(self, text: str) -> bool:
        """Take out the message that a record repeats; tell whether it was told already."""
        for message in self._messages:
            if message.text == text:
                self._messages.remove(message)
                return message.seq < self.told
        if text not in self._given_up:
            return False
        self._given_up.remove(text)
        return True

    def settled(self, seq: int) -> list[Message]:
        """Take out what nothing will repeat any more, at an answer of the agent's; return the sent.

        What waits for too long counts as sent.
        """
        late = seq - limits.QUEUE_RECORDS
        done = [m for m in self._messages if m.fate is not Fate.OPEN or m.seq < late]
        if done:
            self._messages = [m for m in self._messages if m not in done]
            self._given_up += [m.text for m in done if m.text and m.fate is Fate.OPEN]
        return [m for m in done if m.text and m.fate is not Fate.HANDED]

    def rest(self) -> list[Message]:
        """Return the messages that are still here, and keep them."""
        return [m for m in self._messages if m.text]

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield where (offset, seq) the messages stand."""
        yield from ((m.offset, m.seq) for m in self._messages)

    def _mark_oldest(self, fate: Fate) -> None:
        for message in self._messages:
            if message.fate is Fate.OPEN:
                message.fate = fate
                return
