"""Read the sessions of OpenHands: of its server and older command line, and of its newer SDK.

Times without a zone are those of the machine that wrote them, often a container's; they are taken
as UTC.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.core.transcript import Position, Reading, Session, Skipped
from twice.ports import Known, Log
from twice.sources.following import Conversation, is_new, own_by_location
from twice.sources.lines import BOM, UNFINISHED, UNKNOWN, decode, head_of, walk
from twice.sources.logs import whole
from twice.sources.openhands_chat import Chat
from twice.sources.openhands_files import (
    Numbered,
    content_of,
    events_beside,
    homes_in,
    id_in,
    is_document,
    is_later_event,
    is_session,
    metadata_beside,
    stamp_of,
    state_beside,
)
from twice.sources.openhands_records import RECORD, records_in

TOO_LARGE = f"a document larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"

Item = tuple[int, bytes | None]
"""An event's bytes under its number; None where there are too many of them."""


class OpenHands:
    """The sessions of OpenHands; ``own`` is the folder in which our own model sessions run."""

    name = "openhands"
    suffixes: tuple[str, ...] = (".json",)

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        return homes_in(self._environ)

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        """Yield the first event of each session; the others are not opened to be told from it."""
        for path in walk(folder, self.suffixes):
            if not is_later_event(path) and (known.file(path) or self._is_readable_session(path)):
                yield path

    def recognises(self, path: Path, head: bytes) -> bool:
        return is_session(path, head)

    def logs(self, path: Path) -> Iterator[Log]:
        if is_document(path):
            yield from whole(path, self._read_document)
            return
        first, _ = decode(RECORD, content_of(path) or b"")
        if first is not None and not first.is_known:
            raise UnknownFormat(f"{path.name} is an event in a layout that is not known.")
        yield Log("", *stamp_of(path), partial(self._read_events, path))

    def _is_readable_session(self, path: Path) -> bool:
        try:
            return is_session(path, head_of(path))
        except OSError:
            return True  # its reading will say why

    def _read_events(self, path: Path, since: Position) -> Iterator[Reading]:
        events = events_beside(path)
        state, metadata = state_beside(path), metadata_beside(path)
        session = Session(
            id_in(path),
            self.name,
            cwd=state.cwd if Path(state.cwd).is_absolute() else "",
            branch=metadata.selected_branch or "",
            remote=metadata.remote,
            own=own_by_location(state.cwd, self._own),
        )
        last = events[-1][0] if events else 0
        since = since if last + 1 >= since.told else Position()  # else events were taken away
        chat = Chat(Conversation(session, session.id), metadata.trigger or "", last=last)
        chat.reached, chat.talked = since.seq, since.seq > 0
        yield from _tell(chat, _contents(events, since.seq), since)
        offset, seq = min([(chat.reached, chat.reached), *chat.needed()])
        yield Position(offset, seq, session.id, max(chat.reached, since.told))

    def _read_document(self, path: Path, since: Position) -> Iterator[Reading]:
        with path.open("rb") as file:
            data = file.read(limits.DOCUMENT_BYTES + 1)
        if len(data) > limits.DOCUMENT_BYTES:
            yield Skipped(0, TOO_LARGE)
            yield since
            return
        events, flaw = records_in(data.removeprefix(BOM))
        if events is None:
            is_cut = not data.rstrip().endswith(b"]")
            yield Skipped(0, UNFINISHED if is_cut else flaw)
            yield since
            return
        since = since if len(data) >= since.offset and len(events) >= since.told else Position()
        id = id_in(path) or _id_of(events)
        chat = Chat(Conversation(Session(id, self.name), id))
        yield from _tell(chat, enumerate(events), since)
        yield Position(len(data), len(events), id, len(events))


def _contents(events: Numbered, first: int) -> Iterator[Item]:
    """Yield what is in the files of events from a number on, one after the other."""
    for seq, path in events:
        if seq >= first:
            yield seq, content_of(path)


def _tell(chat: Chat, items: Iterable[Item], since: Position) -> Iterator[Reading]:
    """Yield the session, and what is new in its events."""
    yield (shown := chat.conversation.session)
    for seq, data in items:
        for heard in chat.hear(seq, data):
            if chat.conversation.session != shown:
                yield (shown := chat.conversation.session)
            if not shown.own and is_new(heard, since):
                yield heard
        if shown.own or chat.reached <= seq:
            return


def _id_of(events: list[bytes]) -> str:
    """Return an id for a session without one: the same for every copy of what it begins with."""
    first = events[0] if events else b""
    record, _ = decode(RECORD, first)
    named = str(record.timestamp).encode() if record and record.timestamp else first
    return hashlib.sha256(named).hexdigest()[:32]
