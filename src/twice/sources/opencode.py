"""Read the sessions of OpenCode: its database, the older tree of files, and exported sessions."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from twice.core.transcript import Position, Reading, Session, Skipped
from twice.ports import Known, Log
from twice.sources.databases import Damaged, is_database, opened
from twice.sources.following import Conversation, own_by_location
from twice.sources.lines import UNKNOWN, known_files
from twice.sources.logs import whole
from twice.sources.opencode_commands import Commands
from twice.sources.opencode_database import Kept, Sessions
from twice.sources.opencode_files import (
    is_export,
    is_in_tree,
    messages_folder,
    read_document,
    read_facts,
    read_tree,
)
from twice.sources.opencode_records import Facts
from twice.sources.opencode_turns import Turns

DAMAGED = "a session in a damaged part of a database"

_DATABASE = re.compile(r"opencode[\w.-]*\.db")
_DOCUMENTS = (".json", ".jsonl")


class OpenCode:
    """The sessions of OpenCode; ``own`` is the folder in which our own model sessions run."""

    name = "opencode"
    suffixes: tuple[str, ...] = (".db", *_DOCUMENTS)

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ
        self._commands = Commands(environ)

    def homes(self) -> list[Path]:
        chosen = self._chosen()
        folders = [self._data()] + ([chosen.parent] if chosen and chosen.is_file() else [])
        return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        if folder in self.homes():
            yield from self._kept_in(folder)
        else:
            yield from known_files(folder, self.suffixes, self.recognises, known)

    def recognises(self, path: Path, head: bytes) -> bool:
        if is_database(head) or not head:
            return bool(_DATABASE.fullmatch(path.name)) or path == self._chosen()
        if is_in_tree(path):
            return b'"id"' in head
        return path.suffix in _DOCUMENTS and is_export(head)

    def logs(self, path: Path) -> Iterator[Log]:
        if path.suffix not in _DOCUMENTS and _is_database(path):
            yield from self._in_database(path)
        elif is_in_tree(path):
            yield self._in_tree(path)
        else:
            yield from whole(path, self._read_document)

    def _data(self) -> Path:
        base = self._environ.get("XDG_DATA_HOME")
        return Path(base or Path.home() / ".local" / "share") / "opencode"

    def _chosen(self) -> Path | None:
        """Return the database that a person chose instead of the usual one."""
        name = self._environ.get("OPENCODE_DB", "")
        return self._data() / name if name and name != ":memory:" else None

    def _kept_in(self, folder: Path) -> Iterator[Path]:
        """Yield databases and sessions of the tree, past the many files of their messages."""
        chosen = self._chosen()
        for path in sorted(folder.glob("*.db")):
            if _DATABASE.fullmatch(path.name) or path == chosen:
                yield path
        if chosen and chosen.parent == folder and chosen.suffix != ".db":
            yield chosen
        if folder == self._data():
            projects = sorted(folder.glob("project/*/storage"))
            for storage in (folder / "storage", *projects):
                yield from (p for p in sorted(storage.glob("session/*/*.json")) if is_in_tree(p))

    def _in_database(self, path: Path) -> Iterator[Log]:
        with opened(path) as database:
            sessions = Sessions(database)
            for kept in sessions.listed():
                read = partial(self._read_kept, sessions, kept)
                yield Log(kept.facts.id, kept.size, kept.mtime, read)

    def _read_kept(self, sessions: Sessions, kept: Kept, since: Position) -> Iterator[Reading]:
        try:
            yield from self._turns(kept.facts).readings(partial(sessions.messages, kept), since)
        except Damaged:
            yield Skipped(since.told, DAMAGED)
            yield Position(0, since.told, kept.facts.id, since.told)

    def _in_tree(self, path: Path) -> Log:
        stat = path.stat()
        changed = stat.st_mtime_ns
        with suppress(OSError):
            changed = max(changed, messages_folder(path).stat().st_mtime_ns)
        return Log("", stat.st_size, changed, partial(self._read_tree, path))

    def _read_tree(self, path: Path, since: Position) -> Iterator[Reading]:
        facts, flaw = read_facts(path)
        if flaw:
            yield Skipped(0, flaw)
            yield since
            return
        yield from self._turns(facts).readings(partial(read_tree, path), since)

    def _read_document(self, path: Path, since: Position) -> Iterator[Reading]:
        facts, messages, flaw = read_document(path)
        if flaw and not (messages and since.told):
            yield Skipped(0, flaw)
        if flaw and not messages:
            yield since
        else:
            yield from self._turns(facts).readings(lambda: messages, since)

    def _turns(self, facts: Facts) -> Turns:
        session = Session(facts.id, self.name, cwd=facts.directory, origin=facts.origin)
        conversation = Conversation(session, facts.id)
        conversation.learn(own=own_by_location(facts.directory, self._own))
        return Turns(facts, conversation, self._commands, self._own)


def _is_database(path: Path) -> bool:
    """Tell whether to read a file as a database: one may have any name, an export too."""
    with path.open("rb") as file:
        head = file.read(16)
    return path.suffix == ".db" or is_database(head)


def is_named_like_its_database(path: Path) -> bool:
    """Tell whether a file is named as OpenCode names its databases.

    >>> is_named_like_its_database(Path("opencode-beta.db"))
    True
    """
    return bool(_DATABASE.fullmatch(path.name))
