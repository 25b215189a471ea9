"""Read the sessions of Gemini CLI: one JSON document each, and the newer logs that are replayed."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.transcript import Kind, Position, Reading, Session, Skipped
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.gemini_records import TYPES, Item, Record, has_cancelled, open_file, text_of
from twice.sources.lines import BOM, UNKNOWN_SHAPE, Line, small, stem_of
from twice.sources.logs import FileSource
from twice.sources.times import microseconds
from twice.sources.wrappings import OWN_SESSION, Words, words_of

CHATS = "chats"
SUFFIXES = (".json", ".jsonl")
BY_AGENT = "a prompt of another agent, not typed by a person"

_CANCELLED = ("Request cancelled.", "User cancelled the request.")
# A session starts with flat facts, the hash of its project among them.
_FACTS = re.compile(
    rb'\s*\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|\[[^\[\]{}]*\]|null)\s*,\s*)*"projectHash"\s*:'
)
_REFERENCED = re.compile(
    r"^--- Content from referenced (?:files|resources) ---"
    r"(?:.*^--- End of content ---[ \t]*$|.*)",
    re.DOTALL | re.MULTILINE,
)
_HOOK_CONTEXT = re.compile(r"<hook_context>.*?(?:</hook_context>|\Z)", re.DOTALL)
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s+(.*))?", re.DOTALL)
_CONTINUE = ("System: Please continue.", "Please continue.")
_HARNESS_STARTS = (
    "This is the Gemini CLI. We are setting up the context for our chat",
    "<session_context>",
    "<state_snapshot>",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:\n```sh",
)


class _Folders(msgspec.Struct):
    projects: dict[str, str] = {}


_FOLDERS = msgspec.json.Decoder(_Folders)


class GeminiCli(FileSource):
    """The sessions of Gemini CLI; ``own`` is the folder in which our own model sessions run."""

    name = "gemini-cli"
    suffixes: tuple[str, ...] = SUFFIXES

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        return sorted(p for p in (self._home() / "tmp").glob(f"*/{CHATS}") if p.is_dir())

    def recognises(self, path: Path, head: bytes) -> bool:
        return path.suffix in SUFFIXES and bool(_FACTS.match(head.removeprefix(BOM)))

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        since = since if path.stat().st_size >= since.offset else Position()
        file = open_file(path)
        items = file.items()
        if file.count < since.told and file.end:  # it was written anew
            since = Position()
        reader = _Reader(Conversation(Session("", self.name), stem_of(path)), self._own)
        reader.folders = _folders_of(path, self._home())
        conversation = reader.conversation
        shown: Session | None = None
        for heard in reader.hear(items):
            if conversation.session.id and conversation.session != shown:
                yield (shown := conversation.session)
            if conversation.session.own:
                break
            if heard and (not file.end or is_new(heard, since)):
                yield heard
        if not file.end:
            yield since
            return
        conversation.learn(id=conversation.stem)
        if conversation.session != shown:
            yield conversation.session
        yield Position(file.end, file.count, conversation.session.id, file.count)

    def _home(self) -> Path:
        return Path(self._environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini"


def is_in_chats(path: Path) -> bool:
    """Tell whether a file lies where Gemini CLI keeps sessions.

    >>> is_in_chats(Path(".gemini/tmp/shop/chats/session-1.json"))
    True
    """
    return path.parent.name == CHATS and path.parent.parent.parent.name == "tmp"


@dataclass(slots=True)
class _Reader:
    """What is known of one file while it is read."""

    conversation: Conversation
    own: Path | None
    folders: Mapping[str, str] = field(default_factory=dict)
    _by_hand: bool = True
    _talked: bool = False

    def hear(self, items: Iterable[Item]) -> Iterator[Heard | None]:
        """Yield what was said, and None for each record that said nothing."""
        for item in items:
            if isinstance(item, Skipped):
                yield item
                continue
            seq, record = item
            self._learn(record)
            try:
                yield from list(self._hear(seq, record))
            except msgspec.MsgspecError:
                yield Skipped(seq, UNKNOWN_SHAPE)
            yield None

    def _learn(self, record: Record) -> None:
        conversation = self.conversation
        cwd = self.folders.get(record.project_hash or "") or self.folders.get("")
        conversation.learn(id=record.session_id, cwd=cwd)
        conversation.learn(own=own_by_location(conversation.session.cwd, self.own))
        if record.kind == "subagent":
            self._by_hand = False

    def _hear(self, seq: int, record: Record) -> Iterator[Heard]:
        line = Line(seq, 0, 0, None, whole=True)
        match record.type:
            case "user":
                yield from self._hear_person(seq, record)
            case "gemini" if self._by_hand:
                text, at = text_of(record.content), microseconds(record.timestamp)
                yield from self.conversation.reply(line, text, at=at, record=record.id or "")
                if has_cancelled(record):
                    self.conversation.stop(line)
            case "info":
                if text_of(record.content).strip() in _CANCELLED:
                    self.conversation.stop(line)
            case str() as other if other not in TYPES and other != "session_metadata":
                yield Skipped(seq, f"an unknown type of record: {other[:40]}")

    def _hear_person(self, seq: int, record: Record) -> Iterator[Heard]:
        text = text_of(record.display_content) or text_of(record.content)
        words = _typed_in(text)
        if words is None:
            return
        if not self._talked and OWN_SESSION in text:
            self.conversation.learn(own="marker")
        self._talked = True
        if not self._by_hand:
            yield Skipped(seq, BY_AGENT)
            return
        at, id = microseconds(record.timestamp), record.id or ""
        yield from self.conversation.say(seq, words.kind, words.text, at=at, record=id)


def _typed_in(text: str) -> Words | None:
    """Return what a person typed in a message of the user's type, or None.

    >>> _typed_in("read @a.md\\n--- Content from referenced files ---\\nuse npm").text
    'read @a.md'
    >>> _typed_in("System: Please continue.") is None
    True
    """
    text = _HOOK_CONTEXT.sub("", _REFERENCED.sub("", text)).strip()
    if text in _CONTINUE or text.startswith(_HARNESS_STARTS):
        return None
    if command := _SLASH_COMMAND.fullmatch(text):
        arguments = (command[1] or "").strip()
        return Words(Kind.COMMAND, arguments) if arguments else None
    return words_of(text)


def _folders_of(path: Path, home: Path) -> dict[str, str]:
    """Return the project folders known by the hash of their path; of this file's own under ``""``.

    They stand in a list in the agent's home, and in a note beside the sessions of each.
    """
    path = path.absolute()
    if not is_in_chats(path):
        return {_hash_of(cwd): cwd for cwd in _listed(home)}
    kept = path.parent.parent
    listed = _listed(kept.parent.parent)
    known = {_hash_of(cwd): cwd for cwd in listed}
    named = {name: cwd for cwd, name in listed.items()}
    noted = small(kept / ".project_root", limits.FOLDER_LIST_BYTES).decode(errors="replace").strip()
    own = known.get(kept.name) or named.get(kept.name) or noted
    return known | ({"": own} if Path(own).is_absolute() else {})


def _hash_of(folder: str) -> str:
    return hashlib.sha256(folder.encode(errors="replace")).hexdigest()


def _listed(home: Path) -> dict[str, str]:
    """Return the folders that the agent lists, each with the name it gave it."""
    with suppress(msgspec.MsgspecError, RecursionError):
        return _FOLDERS.decode(
            small(home / "projects.json", limits.FOLDER_LIST_BYTES) or b"{}"
        ).projects
    return {}
