"""Read the chats of VS Code: one document each, or the newer logs of changes."""

import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading, Session, Skipped
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import BOM, Line, stem_of
from twice.sources.logs import FileSource
from twice.sources.times import from_milliseconds
from twice.sources.vscode_records import CAROUSEL, PLAN, Chat, Part, Request, Turn, read_chat
from twice.sources.workspaces import GLOBAL, STORAGE, opened_at, opened_in, user_folders
from twice.sources.wrappings import OWN_SESSION, Words, words_of

CHATS = "chatSessions"
EMPTY_WINDOWS = "emptyWindowChatSessions"
SUFFIXES = (".json", ".jsonl")
EDITORS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "VSCodium - Insiders")
SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server")
BY_AGENT = "a prompt of another agent, not typed by a person"
OFFERED = "a prompt that the agent offered and a person chose"

# A session starts with flat facts, its requests after them. Nothing here is possessive: early
# versions of Python 3.11 match such groups wrongly. One way leads through a text, so none is slow.
_LIST = rb"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_VALUE = rb'(?:"(?:[^"\\]|\\.)*"|\{[^{}]*\}|' + _LIST + rb"|[\w.+-]+)"
_FLAT = rb'(?:(?!"requests")"\w+"\s*:\s*' + _VALUE + rb'\s*,\s*)*"requests"\s*:\s*\['
_DOCUMENT = re.compile(rb"\s*\{\s*(" + _FLAT + rb")")
_INITIAL = re.compile(rb'\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{\s*(' + _FLAT + rb")")
_IDENTITY = re.compile(rb'"responderUsername"\s*:|"version"\s*:[^{}]*"(?:sessionId|creationDate)"')
_INITIAL_IDENTITY = re.compile(rb'"(?:responderUsername|sessionId|creationDate)"\s*:')

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TERMINAL_NOTE = re.compile(r"^\[Terminal (?:\S+ )?notification: ", re.MULTILINE)
_CONTINUE = re.compile(r'[\w ]{1,40}: "Continue to iterate\?"')
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s+(.*))?", re.DOTALL)
_ABSENT = "The user is not available to respond and will review your work later."
_ADDRESSED = ("agent", "subcommand", "slash", "prompt")  # the kinds of parts of "@workspace /fix"
_WITHIN = ("inlineReference", "codeblockUri", "markdownVuln", "markdownContent")
_CANCELLED = 2
_DENIED = 0


class VsCodeChat(FileSource):
    """The chats of VS Code; ``own`` is the folder in which our own model sessions run."""

    name = "vscode-chat"
    suffixes: tuple[str, ...] = SUFFIXES

    def __init__(self, *, own: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._own = own
        self._environ = environ

    def homes(self) -> list[Path]:
        data = Path(self._environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
        served = [Path.home() / server / "data" / "User" for server in SERVERS]
        found: dict[Path, None] = {}
        for user in (*user_folders(self._environ, EDITORS), *served, data / "code-server" / "User"):
            for folder in (
                *sorted(user.glob(f"{STORAGE}/*/{CHATS}")),
                user / GLOBAL / EMPTY_WINDOWS,
            ):
                if folder.is_dir():
                    found[folder] = None
        return list(found)

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix not in SUFFIXES:
            return False
        head = head.removeprefix(BOM)
        if found := _DOCUMENT.match(head):
            is_ours = _IDENTITY.search(found[1])
        else:
            found = _INITIAL.match(head) if path.suffix == ".jsonl" else None
            is_ours = _INITIAL_IDENTITY.search(found[1]) if found else None
        return bool(is_ours) or is_in_chats(path)

    def _read(self, path: Path, since: Position) -> Iterator[Reading]:
        chat = read_chat(path)
        if not chat.end:
            yield from chat.skipped
            yield since
            return
        if chat.known is False:
            raise UnknownFormat(f"{path.name} is no chat of VS Code in a layout that is known.")
        if chat.end < since.offset or _fingerprint(chat, since.told) != since.seq:
            since = Position()
        reader = _Reader(Conversation(_session_of(self.name, path, chat), stem_of(path)), chat)
        conversation = reader.conversation
        conversation.learn(id=conversation.stem)
        conversation.learn(own=own_by_location(conversation.session.cwd, self._own))
        shown: Session | None = None
        for heard in (None, *chat.skipped, *reader.hear()):
            if conversation.session != shown:
                yield (shown := conversation.session)
            if conversation.session.own:
                break
            if heard and is_new(heard, since):
                yield heard
        told = chat.count
        yield Position(chat.end, _fingerprint(chat, told), conversation.session.id, told)


def is_in_chats(path: Path) -> bool:
    """Tell whether a file lies where VS Code keeps chats.

    >>> is_in_chats(Path("User/workspaceStorage/1a2b/chatSessions/a.jsonl"))
    True
    """
    parts = path.absolute().parts
    return parts[-2:-1] == (EMPTY_WINDOWS,) or (
        parts[-2:-1] == (CHATS,) and parts[-4:-3] == (STORAGE,)
    )


def _fingerprint(chat: Chat, told: int) -> int:
    """Return a check sum of what was said below a number.

    A person may take back what was said, and a log is written anew once it is long. Then numbers
    mean something else, and what was told is told again; its record ids say so.
    """
    keys = "\n".join(key for key, number in chat.numbers.items() if number < told)
    return zlib.crc32(keys.encode(errors="replace"))


def _session_of(agent: str, path: Path, chat: Chat) -> Session:
    facts, opened = chat.facts, opened_in(path.absolute().parent.parent)
    session = Session(_text(facts.session_id), agent, cwd=opened.folder, remote=opened.remote)
    if working := opened_at(_text(facts.working_directory)).folder:
        session = replace(session, cwd=working)
    repository = facts.repo_data if isinstance(facts.repo_data, dict) else {}
    return replace(
        session,
        remote=session.remote or _text(repository.get("remoteUrl")),
        branch=_text(repository.get("localBranch")),
    )


def _text(value: object) -> str:
    """Return a text, also where it is kept as markdown, or an empty string."""
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, str) else ""


@dataclass(slots=True)
class _Reader:
    """What is known of a session while it is told from its start."""

    conversation: Conversation
    chat: Chat
    _offered: frozenset[str] = frozenset()
    _talked: bool = False

    def hear(self) -> Iterator[Heard | None]:
        """Yield what was said, and None after each request."""
        for place, turn in enumerate(self.chat.turns):
            if not _is_undone(turn.request):
                yield from self._hear_person(place, turn)
                yield from self._hear_agent(place, turn)
                self._offered = _offered_by(turn.request)
            yield None

    def _hear_person(self, place: int, turn: Turn) -> Iterator[Heard]:
        request, seq = turn.request, self.chat.numbers[turn.key(place)]
        words = _typed_in(request, _text(self.chat.facts.initial_location))
        if words is None or _is_of_the_harness(request):
            return
        if not self._talked and OWN_SESSION in _message(request):
            self.conversation.learn(own="marker")
        self._talked = True
        if request.origin or request.request_source:
            yield Skipped(seq, BY_AGENT)
        elif words.text in self._offered:
            yield Skipped(seq, OFFERED)
        else:
            id, at = _text(request.request_id), from_milliseconds(request.timestamp)
            record = id if _UUID.search(id) else ""
            yield from self.conversation.say(seq, words.kind, words.text, at=at, record=record)

    def _hear_agent(self, place: int, turn: Turn) -> Iterator[Heard]:
        """Yield the answer up to each question in it, and what the person replied to that."""
        at = from_milliseconds(turn.request.timestamp)
        line = Line(self.chat.numbers[turn.key(place)], 0, 0, None, whole=True)
        said: list[str] = []
        for index, part in enumerate(turn.parts):
            said.append(_said_by(part))
            if _is_refused(part):
                yield from self._reply(line, said, at)
                self.conversation.stop(line)
            for question, words in _answers_in(part):
                yield from self._reply(line, said, at)
                seq = self.chat.numbers[turn.answer_key(place, index, question)]
                yield from self.conversation.say(seq, words.kind, words.text, at=at)
        yield from self._reply(line, said, at)
        if _is_cancelled(turn.request):
            self.conversation.stop(line)

    def _reply(self, line: Line, said: list[str], at: int | None) -> Iterator[Heard]:
        text = "".join(said)
        said.clear()
        yield from self.conversation.reply(line, text, at=at)


def _said_by(part: Part) -> str:
    """Return the words of a part of an answer; a tool stands between two paragraphs."""
    if part.kind is None:
        return _text(part.value)
    return _text(part.content) or ("" if part.kind in _WITHIN else "\n")


def _message(request: Request) -> str:
    """Return the whole text of what was sent; old sessions have nothing but that."""
    message = request.message
    return _text(message.get("text")) if isinstance(message, dict) else _text(message)


def _typed_in(request: Request, location: str) -> Words | None:
    """Return what a person typed in a request, or None.

    Whom it is for ("@workspace") is no part of it. After a command stand its arguments; what
    ``/explain`` and, in an editor, ``/fix`` get from a button is a message of the compiler, and
    cannot be told from what is typed.
    """
    text = _message(request)
    if note := _TERMINAL_NOTE.search(text):
        text = text[: note.start()]
    length, command = _addressed(request)
    text = text[length:].strip()
    if _CONTINUE.fullmatch(text) or command == "explain":
        return None
    if command == "fix" and location.startswith("editor"):
        return None
    if not command and (found := _SLASH_COMMAND.fullmatch(text)):
        command, text = "/", (found[1] or "").strip()
    words = words_of(text)
    return replace(words, kind=Kind.COMMAND) if words and command else words


def _addressed(request: Request) -> tuple[int, str]:
    """Return how long the start is that says whom a request is for, and the command in it."""
    message = request.message if isinstance(request.message, dict) else {}
    parts, text = message.get("parts"), _message(request)
    length, command = 0, ""
    for part in parts if isinstance(parts, list) else ():
        kind, end = _kind_and_end(part)
        if not isinstance(end, int) or (kind not in _ADDRESSED and text[length:end].strip()):
            break
        if kind in _ADDRESSED[1:]:
            command = text[length:end].strip().removeprefix("/")
        length = max(length, end)
    return length, command


def _kind_and_end(part: object) -> tuple[object, object]:
    """Return the kind of a part of a message, and where it ends."""
    if not isinstance(part, dict):
        return None, None
    reach = part.get("range")
    return part.get("kind"), reach.get("endExclusive") if isinstance(reach, dict) else None


def _is_undone(request: Request) -> bool:
    """Tell whether a person took a request back: the next one that is sent removes it."""
    removed = request.should_be_removed_on_send
    partly = isinstance(removed, dict) and removed.get("afterUndoStop")
    return bool(request.is_hidden or (removed and not partly))


def _is_of_the_harness(request: Request) -> bool:
    """Tell whether a request came from the editor itself, or from a button."""
    mode = request.mode_info if isinstance(request.mode_info, dict) else {}
    return bool(
        request.is_system_initiated
        or request.confirmation
        or request.hidden_from_transcript
        or request.request_hidden_from_transcript
        or "applyCodeBlock" in (mode.get("telemetryModeId"), mode.get("modeId"))
    )


def _offered_by(request: Request) -> frozenset[str]:
    """Return the prompts that are offered below an answer."""
    offers = request.followups if isinstance(request.followups, list) else []
    return frozenset(_text(each.get("message")) for each in offers if isinstance(each, dict))


def _is_cancelled(request: Request) -> bool:
    state = request.model_state
    value = state.get("value") if isinstance(state, dict) else None
    return value == _CANCELLED or request.is_canceled is True


def _is_refused(part: Part) -> bool:
    """Tell whether a part is a tool that the person did not allow."""
    given = part.is_confirmed
    reason = given.get("type") if isinstance(given, dict) else given
    return part.kind == "toolInvocationSerialized" and reason == _DENIED


def _answers_in(part: Part) -> Iterator[tuple[str, Words]]:
    """Yield what a person answered in words of their own, by question.

    What is typed into a prompt of the terminal, or answered in the person's place, is no answer.
    """
    data = part.data if isinstance(part.data, dict) else {}
    if part.kind == PLAN:
        text = _text(data.get("feedbackOverall")) or _text(data.get("feedback"))
        if words := words_of(text):
            kind = Kind.REFUSAL if data.get("rejected") else Kind.ANSWER
            yield next(iter(data)), replace(words, kind=kind)
    elif part.kind == CAROUSEL and not part.terminal_id and not part.auto_reply:
        offered = _options(part.questions)
        for question, answer in data.items():
            free = answer.get("freeformValue") if isinstance(answer, dict) else answer
            words = words_of(_text(free))
            if words and words.text not in offered and not words.text.startswith(_ABSENT):
                yield question, replace(words, kind=Kind.ANSWER)


def _options(questions: object) -> frozenset[str]:
    """Return the choices that questions offer."""
    found: list[str] = []
    for question in questions if isinstance(questions, list) else ():
        options = question.get("options") if isinstance(question, dict) else None
        for option in options if isinstance(options, list) else ():
            if isinstance(option, dict):
                found += (_text(option.get("label")), _text(option.get("value")))
    return frozenset(found)
