"""Read the chat histories of Aider: one markdown file, to which every session is appended.

Aider writes no zone with its times, so they are taken as UTC. Only the start of a session has one,
which is therefore the time of all its turns.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from twice.core.transcript import Position, Reading, Session
from twice.ports import Known, Log
from twice.sources.aider_chat import Chat
from twice.sources.aider_parts import Part, begins_with_a_session, parts
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import UNKNOWN, head_of, known_files, read_lines

HISTORY = ".aider.chat.history.md"

_MOVED = "AIDER_CHAT_HISTORY_FILE"


class Aider:
    """The history that Aider keeps in each of the given projects, or where it was told to."""

    name = "aider"
    suffixes: tuple[str, ...] = (".md",)

    def __init__(
        self,
        *,
        own: Path | None = None,
        projects: Sequence[Path] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._own = own
        self._projects = projects
        self._environ = environ

    def homes(self) -> list[Path]:
        """Return the histories themselves, so that nothing else of a project is looked at."""
        named = Path(self._environ.get(_MOVED) or HISTORY)
        found = dict.fromkeys(project / named for project in self._projects)
        return [path for path in found if self._is_history(path)]

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        if folder.is_file():
            return iter((folder,))
        return known_files(folder, self.suffixes, self.recognises, known)

    def recognises(self, path: Path, head: bytes) -> bool:
        return path.name == HISTORY or begins_with_a_session(head)

    def logs(self, path: Path) -> Iterator[Log]:
        changed = path.stat().st_mtime_ns
        for part in parts(path):
            mtime = changed if part.ended is None else part.ended * 1_000
            yield Log(part.name, part.end - part.start, mtime, partial(self._read, path, part))

    def _is_history(self, path: Path) -> bool:
        with suppress(OSError):
            return path.is_file() and self.recognises(path, head_of(path))
        return False

    def _read(self, path: Path, part: Part, since: Position) -> Iterator[Reading]:
        root = str(path.absolute().parent)
        session = Session("", self.name, root=root, own=own_by_location(root, self._own))
        chat = Chat(Conversation(session, part.id_with("")), part.began, part.id_with)
        shown: Session | None = None
        for heard in _hear(chat, path, part):
            session = chat.conversation.session
            if session.id and session != shown:
                yield (shown := session)
            if session.id and session.own:
                break
            same = since.session in ("", session.id)  # else the history was written anew
            if heard and is_new(heard, since if same else Position()):
                yield heard
        yield Position(part.end - part.start, chat.lines, chat.conversation.session.id, chat.told)


def _hear(chat: Chat, path: Path, part: Part) -> Iterator[Heard | None]:
    """Yield what a session holds, and None in the end, when all is known of it."""
    for line in read_lines(path, part.start):
        if line.end > part.end:
            break
        yield from chat.hear(line)
    yield from chat.end(finished=part.ended is not None)
    yield None
