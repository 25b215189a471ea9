"""Read the trajectories of SWE-agent and of mini-SWE-agent: one JSON document each.

A script starts them with a template around an issue. In SWE-agent's no person speaks at all; what a
person did in the model's place to make a demonstration is no wish. Who watches mini-SWE-agent at
work may interrupt it, refuse its commands with a reason, and give it a new task in the end.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading, Session, Skipped
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import BOM, UNFINISHED, Line, decode, stem_of
from twice.sources.logs import FileSource
from twice.sources.wrappings import OWN_SESSION, words_of

SUFFIXES = (".traj", ".traj.json")
BY_SCRIPT = "a prompt of a script or of another agent, not typed by a person"
TOO_LARGE = f"a document larger than {limits.DOCUMENT_BYTES // 1024 // 1024} MiB"

_NOTHING = msgspec.Raw(b"")
_START = re.compile(
    rb'\s*(?:\{\s*"(?:environment|trajectory|history|info|replay_config|attempts|messages'
    rb'|instance_id|trajectory_format)"\s*:|\[\s*\{\s*"role"\s*:)'
)
_TYPED = re.compile(
    r"(?:(?P<stopped>Interrupted by user)|The user added a new task|(?P<refused>Commands? not"
    r" executed\. The user rejected your commands? with the following message)): (?P<words>.*)",
    re.DOTALL,
)
_NO_WORDS = "Temporary interruption caught."


class _Environment(msgspec.Struct):
    cwd: str | None = None


class _Config(msgspec.Struct):
    environment: _Environment | None = None
    environment_type: str | None = None


class _Info(msgspec.Struct):
    config: _Config | None = None


class _Document(msgspec.Struct):
    """A trajectory: SWE-agent's has a history, or one in each of its attempts, mini's messages."""

    history: list[msgspec.Raw] | None = None
    messages: list[msgspec.Raw] | None = None
    attempts: list[msgspec.Raw] | None = None
    trajectory: msgspec.Raw = _NOTHING
    info: msgspec.Raw = _NOTHING

    @property
    def is_known(self) -> bool:
        """Tell whether this is a trajectory in a layout that is known."""
        lists = (self.history, self.messages, self.attempts)
        return bool(self.trajectory) or any(each is not None for each in lists)


class _Extra(msgspec.Struct):
    interrupt_type: str | None = None
    timestamp: float | None = None


class _Part(msgspec.Struct):
    text: str | None = None


class _Message(msgspec.Struct):
    role: str | None = None
    content: str | list[str | _Part] | None = None
    is_demo: bool | None = None
    timestamp: float | str | None = None
    extra: _Extra | None = None

    @property
    def text(self) -> str:
        """Return the text of the message."""
        parts = self.content if isinstance(self.content, list) else [self.content]
        texts = (part if isinstance(part, str) else part.text for part in parts if part is not None)
        return "\n".join(text for text in texts if text)

    @property
    def at(self) -> int | None:
        """Return when the message was written, in microseconds."""
        seconds = (self.extra and self.extra.timestamp) or self.timestamp
        if isinstance(seconds, float) and 0 < seconds < _LATEST:
            return round(seconds * 1_000_000)
        return None


_LATEST = 1e11  # seconds; what lies behind it is no time
_DOCUMENT = msgspec.json.Decoder(_Document)
_INFO = msgspec.json.Decoder(_Info)
_MESSAGE = msgspec.json.Decoder(_Message)

_Heard = tuple[int, _Message | None, str]
"""A message under its number, or what is wrong with it."""


class SweAgent(FileSource):
    """The trajectories of SWE-agent and mini; ``own`` is where our own model sessions run."""

    name = "swe-agent"
    suffixes: tuple[str, ...] = SUFFIXES

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        kept = self._environ.get("SWE_AGENT_TRAJECTORY_DIR")
        found = [_home_of_mini(self._environ), *([Path(kept)] if kept else [])]
        return [folder for folder in found if folder.is_dir()]

    def recognises(self, path: Path, head: bytes) -> bool:
        return path.name.endswith(SUFFIXES) and bool(_START.match(head.removeprefix(BOM)))

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        with path.open("rb") as file:
            data = file.read(limits.DOCUMENT_BYTES + 1)
        document, flaw = _document_in(data)
        if document is None:
            yield Skipped(0, flaw)
            yield since
            return
        if not document.is_known:
            raise UnknownFormat(f"{path.name} is no trajectory in a layout that is known.")
        messages = list(_messages_in(document))
        cwd = _folder_in(document)
        id = _id_of(messages) or stem_of(path)
        session = Session(id, self.name, cwd=cwd, own=own_by_location(cwd, self._own))
        if since.session != id or len(data) < since.offset or len(messages) < since.told:
            since = Position()  # it was written anew, as mini does at every run
        reader = _Reader(Conversation(session, id), by_hand=document.messages is not None)
        yield (shown := session)
        if flaw:
            yield from (each for each in [Skipped(0, flaw)] if is_new(each, since))
        for heard in reader.hear(messages):
            if reader.conversation.session != shown:
                yield (shown := reader.conversation.session)
            if shown.own:
                break
            if is_new(heard, since):
                yield heard
        yield Position(len(data), len(messages), id, len(messages))


class _Reader:
    """What is known of a trajectory while it is read; only mini's is watched by a person."""

    def __init__(self, conversation: Conversation, *, by_hand: bool) -> None:
        self.conversation = conversation
        self._by_hand = by_hand
        self._begun = False
        self._at: int | None = None

    def hear(self, messages: list[_Heard]) -> Iterator[Heard]:
        """Yield what was said, and what was passed over."""
        for seq, message, flaw in messages:
            if flaw:
                yield Skipped(seq, flaw)
            if message is not None and not message.is_demo:
                self._at = message.at or self._at
                yield from self._hear(Line(seq, 0, 0, None, whole=True), message)

    def _hear(self, line: Line, message: _Message) -> Iterator[Heard]:
        if message.role == "assistant":
            yield from self.conversation.reply(line, message.text, at=self._at)
        elif message.role == "user":
            is_first, self._begun = not self._begun, True
            if is_first:
                self.conversation.learn(own="marker" if OWN_SESSION in message.text else "")
            if found := self._typed_in(message):
                yield from self._hear_person(line, found)
            elif is_first:
                yield Skipped(line.seq, BY_SCRIPT)

    def _typed_in(self, message: _Message) -> re.Match[str] | None:
        """Return what a person typed within a message; what commands gave back has extras too."""
        if not self._by_hand or (message.extra and not message.extra.interrupt_type):
            return None
        return _TYPED.match(message.text)

    def _hear_person(self, line: Line, found: re.Match[str]) -> Iterator[Heard]:
        if found["stopped"] or found["refused"]:
            self.conversation.stop(line)
        words = words_of(found["words"])
        if words and words.text != _NO_WORDS:
            kind = Kind.REFUSAL if found["refused"] else Kind.PROMPT
            yield from self.conversation.say(line.seq, kind, words.text, at=self._at)


def _document_in(data: bytes) -> tuple[_Document | None, str]:
    """Return a document, and what is wrong with it; the first of mini's are mere messages."""
    if len(data) > limits.DOCUMENT_BYTES:
        return None, TOO_LARGE
    text = data.removeprefix(BOM)
    if text.lstrip().startswith(b"["):
        text = b'{"messages":' + text + b"}"
    document, flaw = decode(_DOCUMENT, text)
    is_cut = document is None and not data.rstrip().endswith((b"}", b"]"))
    return document, UNFINISHED if is_cut else flaw


def _messages_in(document: _Document) -> Iterator[_Heard]:
    """Yield the messages of a document under their numbers."""
    found = document.history or document.messages or []
    if not found:
        attempts = (decode(_DOCUMENT, bytes(raw))[0] for raw in document.attempts or ())
        found = [raw for attempt in attempts if attempt for raw in attempt.history or ()]
    for seq, raw in enumerate(found):
        yield seq, *decode(_MESSAGE, bytes(raw))


def _folder_in(document: _Document) -> str:
    """Return the folder of this machine that the agent worked in, where it was set."""
    info = decode(_INFO, bytes(document.info))[0] if document.info else None
    config = (info and info.config) or _Config()
    is_here = (config.environment_type or "").endswith(".LocalEnvironment")
    folder = (config.environment and config.environment.cwd) or ""
    return folder if is_here and Path(folder).is_absolute() else ""


def _id_of(messages: list[_Heard]) -> str:
    """Return an id, the same for every copy of what a trajectory begins with, or nothing."""
    said = [each for _, each, _ in messages if each and each.text and not each.is_demo]
    first = [next((m.text for m in said if m.role == role), "") for role in ("user", "assistant")]
    facts = "\0".join([*first, str(next((m.at for m in said if m.at), ""))])
    return hashlib.sha256(facts.encode(errors="replace")).hexdigest()[:32] if said else ""


def _home_of_mini(environ: Mapping[str, str]) -> Path:
    """Return where mini keeps its settings, and its last run."""
    if named := environ.get("MSWEA_GLOBAL_CONFIG_DIR"):
        return Path(named)
    name, home = "mini-swe-agent", Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / name
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / name / name
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / name
