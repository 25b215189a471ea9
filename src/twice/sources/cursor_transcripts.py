"""Read the transcripts that Cursor's agents write beside its databases: one message a line."""

import glob
from collections.abc import Iterator
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.transcript import Session, Skipped
from twice.sources.cursor_chats import STORE, note_beside
from twice.sources.cursor_records import decoded
from twice.sources.cursor_words import UNMARKED, is_only_added, query_in, time_in, typed_in
from twice.sources.following import Conversation, Heard, RecordListener, own_by_location
from twice.sources.lines import Line, decode, small, stem_of
from twice.sources.workspaces import local_path
from twice.sources.wrappings import OWN_SESSION

TRANSCRIPTS = "agent-transcripts"

_SUBAGENTS = "subagents"
_STOPPED = ("aborted", "cancelled", "canceled", "interrupted")
_REDACTED = "[REDACTED]"  # stands for what the agent thought


class _Block(msgspec.Struct):
    type: object = None
    text: object = None


class _Message(msgspec.Struct):
    content: list[_Block | str] | str | None = None


class _Record(msgspec.Struct):
    """A message of the person or the agent, or a note on the turn."""

    role: object = None
    type: object = None
    status: object = None
    message: _Message | None = None


class _Trusted(msgspec.Struct, rename="camel"):
    """What Cursor notes of a project: its folder, under one of these names."""

    workspace_path: object = None
    workspace: object = None
    root_path: object = None
    path: object = None


_RECORD = msgspec.json.Decoder(_Record)
_TRUSTED = msgspec.json.Decoder(_Trusted)


def is_transcript(path: Path) -> bool:
    """Tell whether a file lies where Cursor keeps transcripts.

    >>> is_transcript(Path("projects/work-shop/agent-transcripts/1a/1a.jsonl"))
    True
    """
    return path.suffix == ".jsonl" and TRANSCRIPTS in path.parts[-5:-1]


def is_of_a_subagent(path: Path) -> bool:
    """Tell whether another agent wrote the prompts of a transcript."""
    return path.parent.name == _SUBAGENTS


def session_id(path: Path) -> str:
    """Return the session that a transcript is of, by its name, or by its folder's."""
    return stem_of(Path(f"{path.parent.name}.jsonl") if path.stem == "transcript" else path)


def stores_of(path: Path) -> list[Path]:
    """Return the databases of the command line that hold the session of a transcript."""
    project = _project_of(path)
    if project is None:
        return []
    chats = project.parent.parent / "chats"
    return sorted(chats.glob(f"*/{glob.escape(session_id(path))}/{STORE}"))


class Listener(RecordListener[_Record]):
    """What is known of one transcript while it is read."""

    decoder = _RECORD

    def __init__(self, agent: str, path: Path, own: Path | None) -> None:
        id = session_id(path)
        self.conversation = Conversation(Session(id, agent, cwd=_folder_of(path)), id)
        self.conversation.learn(own=own_by_location(self.conversation.session.cwd, own))
        self._talked = False

    def learn(self, line: Line) -> bool:
        """Take in what the first words tell of the session; tell whether these were met."""
        record, _ = decode(_RECORD, line.data or b"")
        if record and record.role == "user" and not self._talked:
            typed = query_in(_text_of(record))
            self._know(typed or "")
        return self._talked

    def hear_record(self, record: _Record, line: Line) -> Iterator[Heard]:
        """Yield what a record says."""
        match record.role:
            case "user":
                yield from self._hear_person(_text_of(record), line)
            case "assistant":
                yield from self.conversation.reply(line, _text_of(record), at=None)
            case None if record.type == "turn_ended":
                if record.status in _STOPPED:
                    self.conversation.stop(line)
            case None:
                yield Skipped(line.seq, f"an unknown type of record: {str(record.type)[:40]}")

    def _hear_person(self, text: str, line: Line) -> Iterator[Heard]:
        typed = query_in(text)
        if typed is None:
            if not is_only_added(text):
                yield Skipped(line.seq, UNMARKED)
            return
        self._know(typed)
        if words := typed_in(typed):
            yield from self.conversation.say(line.seq, words.kind, words.text, at=time_in(text))

    def _know(self, typed: str) -> None:
        """Take in the first words, which tell whether the session is our own."""
        if not self._talked and typed_in(typed):
            self.conversation.learn(own="marker" if OWN_SESSION in typed else "")
            self._talked = True


def _text_of(record: _Record) -> str:
    content = record.message.content if record.message else None
    blocks = content if isinstance(content, list) else [content]
    texts = []
    for block in blocks:
        text = block if isinstance(block, str) or block is None else block.text
        is_text = not isinstance(block, _Block) or block.type == "text"
        if is_text and isinstance(text, str) and text.strip() != _REDACTED:
            texts.append(text)
    return "\n".join(texts)


def _folder_of(path: Path) -> str:
    """Return the folder of a session, as it is noted beside the transcripts, or with its chat.

    The name of the project's folder tells it only roughly: all signs in it became dashes.
    """
    project = _project_of(path)
    if project is None:
        return ""
    for name in (".workspace-trusted", "repo.json"):
        noted = decoded(_TRUSTED, small(project / name, limits.FOLDER_LIST_BYTES)) or _Trusted()
        for folder in (noted.workspace_path, noted.workspace, noted.root_path, noted.path):
            if isinstance(folder, str) and local_path(folder):
                return local_path(folder)
    return next((folder for store in stores_of(path) if (folder := note_beside(store))), "")


def _project_of(path: Path) -> Path | None:
    """Return the folder in which Cursor keeps what it knows of a project."""
    return next((p.parent for p in path.absolute().parents if p.name == TRANSCRIPTS), None)
