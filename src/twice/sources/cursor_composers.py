"""Read the conversations that Cursor's editor keeps in its databases.

One database has the conversations of all folders; each window has one besides, which held those of
its folder itself in the first versions.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.core.transcript import Position, Reading, Session, Skipped, is_unique
from twice.ports import Log
from twice.sources.cursor_folders import (
    ITEMS,
    LISTED,
    named_by_windows,
    noted_in,
    of_uris,
)
from twice.sources.cursor_records import (
    Bubble,
    Composer,
    Header,
    bubble_in,
    composer_in,
    composers_in,
    headers_in,
    items_in,
    named_in,
    tabs_in,
    tool_in,
)
from twice.sources.cursor_telling import DAMAGED, MISSING, SILENCE, Message, Talk, tell
from twice.sources.cursor_words import typed_in
from twice.sources.databases import Damaged, Database, opened, stamp, tables
from twice.sources.lines import TOO_LONG, UNKNOWN_SHAPE
from twice.sources.logs import nanoseconds
from twice.sources.times import from_milliseconds
from twice.sources.workspaces import NOTHING, STORAGE, Opened, opened_in

VALUES = "cursorDiskKV"

_HEADS = "composerHeaders"
_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_COUNTS = (
    "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1) AS composer, count(*)"
    f" FROM {VALUES} WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY composer"
)
_COMPOSERS = (
    f"SELECT key FROM {VALUES} WHERE key >= 'composerData:' AND key < 'composerData;'"
    " AND value IS NOT NULL ORDER BY key"  # NULL stands for what was deleted
)
_HEAD_ROWS = (
    f"SELECT composerId, lastUpdatedAt, isSubagent, CAST(value AS BLOB) FROM {_HEADS}"
    " WHERE length(CAST(value AS BLOB)) <= ?"
)
_PERSON = (1, "user")
_AGENT = (2, "ai", "assistant")
_SILENT = (15, 22, 30)  # kinds of bubbles: a tool, a summary of what was before, a thought
_ABORTED = b"USER_ABORTED"


def logs_of(path: Path, agent: str, own: Path | None) -> Iterator[Log]:
    """Yield the conversations in a database of the editor.

    Raises ``UnknownFormat`` where it holds some, but none in a layout that is known.
    """
    with opened(path) as database:
        held = tables(database)
        for table in sorted({VALUES, ITEMS} & held.keys()):
            if not held[table] >= {"key", "value"}:
                raise UnknownFormat(f"{path.name} has a table {table} in an unknown layout.")
        editor = _Editor(database, path, held, agent, own)
        if VALUES in held:
            yield from editor.composers()
        if ITEMS in held:
            yield from editor.listed()
            yield from editor.chats()
        if editor.unknown and not editor.known:
            raise UnknownFormat(f"{path.name} has conversations of Cursor in an unknown layout.")


@dataclass(slots=True)
class _Bubbles:
    """The messages of a conversation: where each stands, and how one of them is got."""

    headers: list[Header]
    get: Callable[[int], Bubble | Skipped]
    begun: int | None

    def keys(self) -> list[str]:
        """Return what each message is known by: its id, or its place where it has none."""
        ids = (header.bubble_id for header in self.headers)
        return [id if isinstance(id, str) else f"#{place}" for place, id in enumerate(ids)]

    def message(self, place: int) -> Message | Skipped:
        """Return what a message says; one that is not shown says nothing."""
        header = self.headers[place]
        if not header.is_shown:
            return SILENCE
        bubble = self.get(place)
        if isinstance(bubble, Skipped):
            return bubble
        return _said_by(bubble, bubble.type if bubble.type is not None else header.type, self.begun)

    def opened(self) -> Opened:
        """Return the folder that the person's first message notes."""
        place = next((n for n, h in enumerate(self.headers) if h.type in _PERSON), None)
        with suppress(Damaged):
            bubble = None if place is None else self.get(place)
            return of_uris(bubble.workspace_uris) if isinstance(bubble, Bubble) else NOTHING
        return NOTHING


class _Editor:
    """One database while it is read; ``known`` and ``unknown`` tell what layouts were met."""

    def __init__(
        self,
        database: Database,
        path: Path,
        held: dict[str, frozenset[str]],
        agent: str,
        own: Path | None,
    ) -> None:
        self._database = database
        self._path = path.absolute()
        self._held = held
        self._agent = agent
        self._own = own
        self._was_read = False
        self.known = False
        self.unknown = False

    def composers(self) -> Iterator[Log]:
        """Yield the conversations of all folders.

        The size of one is the number of its bubbles, which stand in the index: to weigh them all
        would be to read them all. Empty ones are drafts, and those of agents are not a person's.
        """
        counts: dict[str, int] = dict(self._database.rows(_COUNTS))
        keys = self._database.rows(_COMPOSERS)
        self.unknown = not keys and bool(counts or self._heads)
        for (key,) in keys:
            id = key.removeprefix("composerData:")
            head, count = self._heads.get(id), counts.get(id, 0)
            if head is None or not count:
                with suppress(Damaged):
                    head = composer_in(self._value(VALUES, key) or b"")
            if head is None or not (count or head.has_a_known_shape):
                head, count = head or Composer(), count or 1  # its reading says what is wrong
            size = count or head.length
            if id and size and not head.is_of_an_agent:
                yield from self._log(id, size, head.updated, partial(self._read, id, head))

    def listed(self) -> Iterator[Log]:
        """Yield the conversations that the database of a window holds itself."""
        for composer in composers_in(self._value(ITEMS, LISTED) or b"")[0]:
            id, size = composer.composer_id, len(items_in(composer.conversation))
            if id and isinstance(id, str) and size and not composer.is_of_an_agent:
                read = partial(self._tell, id, composer, composer)
                yield from self._log(id, size, composer.updated, read)

    def chats(self) -> Iterator[Log]:
        """Yield the chats of the first versions."""
        for tab in tabs_in(self._value(ITEMS, _CHATS) or b""):
            size = len(items_in(tab.bubbles))
            if size and tab.tab_id and isinstance(tab.tab_id, str):
                chat = Composer(conversation=tab.bubbles, created_at=tab.last_send_time)
                read = partial(self._tell, tab.tab_id, chat, chat)
                yield from self._log(f"chat:{tab.tab_id}", size, chat.updated, read)

    def _log(
        self, part: str, size: int, at: int | None, read: Callable[[Position], Iterator[Reading]]
    ) -> Iterator[Log]:
        self._was_read = False
        mtime = stamp(self._path)[1] if at is None else nanoseconds(at)
        yield Log(part, size, mtime, read)
        self.known = self.known or not self._was_read  # what is left unread was read before

    def _read(self, id: str, head: Composer, since: Position) -> Iterator[Reading]:
        self._was_read = True
        try:
            data = self._value(VALUES, f"composerData:{id}")
        except Damaged:
            yield Skipped(0, DAMAGED)
            yield since
            return
        if composer := composer_in(data or b""):
            yield from self._tell(id, composer, head, since)
            return
        if data is not None:  # else it was deleted meanwhile
            self.unknown = self.unknown or bool(data)
            yield Skipped(0, UNKNOWN_SHAPE if data else TOO_LONG)
        yield since

    def _tell(
        self, id: str, composer: Composer, head: Composer, since: Position
    ) -> Iterator[Reading]:
        self._was_read = True
        if not composer.has_a_known_shape:
            self.unknown = True
            yield Skipped(0, UNKNOWN_SHAPE)
            yield since
            return
        self.known = True
        if composer.is_of_an_agent:
            yield since
            return
        bubbles = self._bubbles(id, composer)
        at = self._opened(id, composer, head, bubbles)
        branch = composer.branch or head.branch
        session = Session(id, self._agent, cwd=at.folder, remote=at.remote, branch=branch)
        yield from tell(Talk(session, bubbles.keys(), bubbles.message), since, self._own)

    def _bubbles(self, id: str, composer: Composer) -> _Bubbles:
        begun = from_milliseconds(composer.created_at)
        headers = headers_in(composer.full_conversation_headers_only)
        if headers:
            inline = named_in(composer.conversation_map)
            return _Bubbles(headers, partial(self._bubble, id, headers, inline), begun)
        held = [bubble_in(raw) for raw in items_in(composer.conversation)]
        places = [Header(b.name, b.type) if b else Header() for b in held]
        return _Bubbles(places, lambda n: held[n] or Skipped(n, UNKNOWN_SHAPE), begun)

    def _bubble(
        self, id: str, headers: list[Header], inline: dict[str, msgspec.Raw], place: int
    ) -> Bubble | Skipped:
        name = str(headers[place].bubble_id)
        data = inline.get(name) or self._value(VALUES, f"bubbleId:{id}:{name}")
        if data is None:
            return Skipped(place, MISSING)
        if not data:
            return Skipped(place, TOO_LONG)
        return bubble_in(data) or Skipped(place, UNKNOWN_SHAPE)

    def _value(self, table: str, key: str) -> bytes | None:
        """Return a value; of one beyond the limit, an empty one, and None where there is none."""
        found = self._database.rows(
            "SELECT CASE WHEN length(data) <= ? THEN data ELSE x'' END"
            f" FROM (SELECT CAST(value AS BLOB) AS data FROM {table} WHERE key = ?)"
            " WHERE data IS NOT NULL",
            (limits.LINE_BYTES, key),
        )
        return found[0][0] if found else None

    def _opened(self, id: str, composer: Composer, head: Composer, bubbles: _Bubbles) -> Opened:
        """Return the folder of a conversation, from who knows it best."""
        found = noted_in((composer, head), self._user)
        if found == NOTHING:
            found = self._windows.get(id, NOTHING)
        if found == NOTHING:
            found = opened_in(self._path.parent)
        return bubbles.opened() if found == NOTHING else found

    @property
    def _user(self) -> Path:
        """Return the editor's folder."""
        folder = self._path.parent
        return folder.parent.parent if folder.parent.name == STORAGE else folder.parent

    @cached_property
    def _windows(self) -> dict[str, Opened]:
        return named_by_windows(self._user)

    @cached_property
    def _heads(self) -> dict[str, Composer]:
        """Return what is listed of the conversations: when they changed, and whose they are."""
        found: dict[str, Composer] = {}
        if ITEMS in self._held:
            for head in composers_in(self._value(ITEMS, "composer.composerHeaders") or b"")[0]:
                if isinstance(head.composer_id, str):
                    found[head.composer_id] = head
        if self._held.get(_HEADS, frozenset()) >= {
            "composerId",
            "lastUpdatedAt",
            "isSubagent",
            "value",
        }:
            for id, updated, subagent, value in self._database.rows(
                _HEAD_ROWS, (limits.LINE_BYTES,)
            ):
                head = composer_in(value or b"") or Composer()
                head.last_updated_at = updated or head.last_updated_at
                head.subagent_info = head.subagent_info or subagent
                found[id] = head
        return found


def _said_by(bubble: Bubble, type: object, begun: int | None) -> Message:
    """Return what a bubble says; times were written into bubbles only later."""
    record = bubble.name if isinstance(bubble.name, str) and is_unique(bubble.name) else ""
    at = bubble.at or begun
    if type in _PERSON:
        text = "" if bubble.is_simulated_msg or bubble.is_plan_execution else bubble.words
        words = typed_in(text)
        return Message(text, words, at, record) if words else SILENCE
    tool = tool_in(bubble.tool_former_data)
    stopped = bool(tool and tool.was_refused) or _ABORTED in bytes(bubble.error_details)
    silent = bubble.is_thought or bubble.is_summary or bubble.capability_type in _SILENT
    text = bubble.words if type in _AGENT and not silent else ""
    return Message(text, None, at, record, stopped)
