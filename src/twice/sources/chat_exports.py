"""Chats that people downloaded from a web application: one long list, in a file or an archive.

There is no folder in them, so they belong to no project; they can be read all the same. One
conversation is in memory at a time, and each is a session of its own within the file.
"""

import errno
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from twice.core import limits
from twice.core.transcript import Position, Reading, Session, Skipped
from twice.ports import Log
from twice.sources.elements import Element, elements
from twice.sources.following import Conversation, Heard, is_new
from twice.sources.lines import BOM, UNFINISHED, Line
from twice.sources.logs import FileSource, nanoseconds
from twice.sources.wrappings import OWN_SESSION, Words

ARCHIVE = ".zip"
SUFFIXES = (".json", ARCHIVE)
TOO_LARGE = f"a conversation larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"

_LISTED = re.compile(r"conversations(?:-\d+)?\.json")
_LIST = re.compile(rb'\s*(?:\[|(\{)\s*"conversations"\s*:\s*\[)\s*\{')


@dataclass(frozen=True, slots=True)
class Message:
    """What was said at one point: ``words`` by the person, ``reply`` by the model, or neither.

    ``seq`` is its number in the order of time, in which what comes later stands later.
    ``stopped``: the person stopped the model there. ``flaw``: why it was passed over.
    """

    seq: int
    record: str = ""
    at: int | None = None
    words: Words | None = None
    reply: str = ""
    stopped: bool = False
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation: its id, when it was changed last (microseconds of UTC), its messages.

    ``count`` is how many messages it holds, those of abandoned branches too.
    """

    id: str
    changed: int | None
    count: int
    messages: Callable[[], Sequence[Message]]


class ChatExport(FileSource):
    """The chats of one application's exports. They lie where the person put them.

    ``marks`` stand in the beginning of a list of its conversations, each of them.
    """

    name: str
    marks: Sequence[re.Pattern[bytes]]
    suffixes: tuple[str, ...] = SUFFIXES
    several = True

    def homes(self) -> list[Path]:
        """Return no folder: nobody knows where they are."""
        return []

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file, or one in an archive, lists conversations of this application."""
        if path.suffix != ARCHIVE:
            return path.suffix in SUFFIXES and self._is_list(head)
        with suppress(OSError), _faults():
            return any(self._is_list(file.read(limits.HEAD_BYTES)) for file in _files(path))
        return False

    def logs(self, path: Path) -> Iterator[Log]:
        """Yield the conversations as sessions, one in memory at a time."""
        changed = path.stat().st_mtime_ns
        with _faults():
            for file in _files(path):
                head = file.read(limits.HEAD_BYTES).removeprefix(BOM)
                if path.suffix == ARCHIVE and not self._is_list(head):
                    continue
                file.seek(0)
                found = _LIST.match(head)
                for element in elements(file, 2 if found and found[1] else 1):
                    yield _log(element, self.name, self.understand, changed)

    @abstractmethod
    def understand(self, data: bytes) -> Chat | str:
        """Return the conversation that an element of the list is, or why it is none."""

    def _is_list(self, head: bytes) -> bool:
        begins = bool(_LIST.match(head.removeprefix(BOM)))
        return begins and all(mark.search(head) for mark in self.marks)


def is_named_like_one(path: Path) -> bool:
    """Tell whether a file has the name under which chats are exported.

    >>> is_named_like_one(Path("conversations-001.json"))
    True
    """
    return bool(_LISTED.fullmatch(path.name))


def _log(
    element: Element, agent: str, understand: Callable[[bytes], Chat | str], changed: int
) -> Log:
    """Return one conversation as a session; a damaged one tells only that it is damaged."""
    flaw = TOO_LARGE if element.data is None else "" if element.whole else UNFINISHED
    chat = flaw or understand(element.data or b"")
    if isinstance(chat, str):
        read = partial(_read_damage, Skipped(element.seq, chat))
        return Log(f"#{element.seq}", element.length, changed, read)
    at = changed if chat.changed is None else nanoseconds(chat.changed)
    return Log(chat.id, element.length, at, partial(_read, chat, agent, element.length))


def _read_damage(damage: Skipped, since: Position) -> Iterator[Reading]:
    yield damage
    yield since


def _read(chat: Chat, agent: str, size: int, since: Position) -> Iterator[Reading]:
    conversation = Conversation(Session(chat.id, agent), chat.id)
    messages = chat.messages()
    first = next((m.words.text for m in messages if m.words), "")
    conversation.learn(own="marker" if OWN_SESSION in first else "")
    yield conversation.session
    if conversation.session.own:
        yield Position(session=chat.id)
        return
    for message in messages:
        for heard in _hear(conversation, message):
            if is_new(heard, since):
                yield heard
    yield Position(size, chat.count, chat.id, chat.count)


def _hear(conversation: Conversation, message: Message) -> Iterator[Heard]:
    line = Line(message.seq, 0, 0, None, whole=True)
    at, record = message.at, message.record
    if message.flaw:
        yield Skipped(message.seq, message.flaw)
    elif message.words:
        words = message.words
        yield from conversation.say(message.seq, words.kind, words.text, at=at, record=record)
    elif message.reply:
        yield from conversation.reply(line, message.reply, at=at, record=record)
    if message.stopped:
        conversation.stop(line)


# Files and archives


def _files(path: Path) -> Iterator[BinaryIO]:
    """Yield the list that a file is, or those in an archive, one open at a time."""
    if path.suffix != ARCHIVE:
        with path.open("rb") as file:
            yield file
        return
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        names = [info for info in archive.infolist() if is_named_like_one(Path(info.filename))]
        if sum(info.file_size for info in names) > limits.ARCHIVE_BYTES:
            gibibytes = limits.ARCHIVE_BYTES // 1024**3
            raise OSError(errno.EFBIG, f"it holds more than {gibibytes} GiB of conversations")
        for info in sorted(names, key=lambda info: info.filename):
            with archive.open(info) as member:
                yield member  # type: ignore[misc]  # all that is asked of it is read and seek


@contextmanager
def _faults() -> Iterator[None]:
    """Say what is wrong with an archive as the system says what is wrong with a file."""
    import zlib
    from zipfile import BadZipFile

    try:
        yield
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise OSError(errno.EIO, "the archive is damaged, or encrypted") from error
