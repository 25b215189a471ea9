"""Read the sessions of Cursor: those of its editor, of its command line, and transcripts."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from twice.core.transcript import Position, Reading
from twice.ports import Known, Log
from twice.sources import cursor_chats, cursor_composers, cursor_transcripts
from twice.sources.cursor_chats import BLOBS, STORE
from twice.sources.cursor_composers import VALUES
from twice.sources.cursor_folders import DATABASE
from twice.sources.cursor_transcripts import TRANSCRIPTS
from twice.sources.databases import Stamp, is_database, opened, stamp, tables
from twice.sources.following import follow
from twice.sources.lines import BOM, UNKNOWN, known_files
from twice.sources.logs import whole
from twice.sources.workspaces import GLOBAL, STORAGE, user_folders

EDITORS = ("Cursor", "Cursor Nightly")
CHATS = ("chats", "acp-sessions")

_TRANSCRIPT = re.compile(rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:')
_MARK = b"<user_query>"
_IDS = (
    f"SELECT substr(key, 14) FROM {VALUES} WHERE key >= 'composerData:' AND key < 'composerData;'"
)


class Cursor:
    """The sessions of Cursor; ``own`` is the folder in which our own model sessions run."""

    name = "cursor"
    suffixes: tuple[str, ...] = (".vscdb", ".db", ".jsonl")

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ
        self._kept: dict[Path, tuple[Stamp, frozenset[str]]] = {}

    def homes(self) -> list[Path]:
        found: dict[Path, None] = {}
        for user in user_folders(self._environ, EDITORS):
            databases = [user / GLOBAL / DATABASE, *sorted(user.glob(f"{STORAGE}/*/{DATABASE}"))]
            found |= dict.fromkeys(path.parent for path in databases if path.is_file())
        for data in self._data():
            transcripts = sorted(data.glob(f"projects/*/{TRANSCRIPTS}"))
            folders = [*(data / name for name in CHATS), *transcripts]
            found |= dict.fromkeys(folder for folder in folders if folder.is_dir())
        return list(found)

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        if folder.name != GLOBAL and folder.parent.name != STORAGE:
            yield from known_files(folder, self.suffixes, self.recognises, known)
        elif (folder / DATABASE).is_file():  # what extensions keep beside it is none of ours
            yield folder / DATABASE

    def recognises(self, path: Path, head: bytes) -> bool:
        match path.suffix:
            case ".vscdb":
                if VALUES.encode() in head or set(EDITORS) & set(path.absolute().parts):
                    return True
                return is_database(head) and VALUES in _tables_of(path)
            case ".db" if path.name == STORE and is_database(head):
                is_in_place = set(CHATS) & set(path.absolute().parts[-4:-2])
                return bool(is_in_place) or {BLOBS, "meta"} <= _tables_of(path)
            case ".jsonl":
                is_marked = _MARK in head and _TRANSCRIPT.match(head.removeprefix(BOM))
                return bool(is_marked) or cursor_transcripts.is_transcript(path)
        return False

    def logs(self, path: Path) -> Iterator[Log]:
        match path.suffix:
            case ".vscdb":
                yield from cursor_composers.logs_of(path, self.name, self._own)
            case ".db":
                yield from cursor_chats.logs_of(path, self.name, self._own)
            case _ if not cursor_transcripts.is_of_a_subagent(path) and not self._has(path):
                yield from whole(path, self._follow)

    def _follow(self, path: Path, since: Position) -> Iterator[Reading]:
        make = cursor_transcripts.Listener
        return follow(path, since, lambda _: make(self.name, path, self._own))

    def _has(self, transcript: Path) -> bool:
        """Tell whether the session of a transcript is in a database, which knows more of it."""
        if cursor_transcripts.stores_of(transcript):
            return True
        id = cursor_transcripts.session_id(transcript)
        databases = (user / GLOBAL / DATABASE for user in user_folders(self._environ, EDITORS))
        return any(id in self._ids_in(path) for path in databases)

    def _ids_in(self, path: Path) -> frozenset[str]:
        """Return the ids of the conversations in a database, asked once until it changes."""
        with suppress(OSError):
            now = stamp(path)
            if self._kept.get(path, (None, None))[0] != now:
                with opened(path) as database:
                    rows = database.rows(_IDS) if VALUES in tables(database) else []
                self._kept[path] = now, frozenset(str(id) for (id,) in rows)
            return self._kept[path][1]
        return frozenset()

    def _data(self) -> Iterator[Path]:
        """Yield where the command line keeps its data, now and in older versions."""
        environ, home = self._environ, Path.home()
        yield Path(environ.get("CURSOR_DATA_DIR") or home / ".cursor")
        config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "cursor"
        yield Path(environ.get("CURSOR_CONFIG_DIR") or config)
        yield home / ".cursor-server"


def _tables_of(path: Path) -> set[str]:
    """Return the names of a database's tables, which may stand in its WAL only."""
    with suppress(OSError), opened(path) as database:
        return set(tables(database))
    return set()
