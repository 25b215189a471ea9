"""Find the files of sessions: where agents keep them, or below what a person names."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from twice.core.errors import UnknownFormat, Unreadable
from twice.ports import Known, Reader, Source
from twice.sources.aider import Aider
from twice.sources.chat_exports import is_named_like_one
from twice.sources.chatgpt import ChatGpt
from twice.sources.claude_ai import ClaudeAi
from twice.sources.claude_code import ClaudeCode, is_of_a_subagent
from twice.sources.codex import Codex
from twice.sources.copilot_cli import CopilotCli
from twice.sources.cursor import Cursor
from twice.sources.entire import Entire
from twice.sources.gemini_cli import GeminiCli, is_in_chats
from twice.sources.lines import UNKNOWN, head_of, walk
from twice.sources.logs import FileSource
from twice.sources.native import Native
from twice.sources.opencode import OpenCode, is_named_like_its_database
from twice.sources.openhands import OpenHands
from twice.sources.openhands_files import is_later_event
from twice.sources.otel_genai import OtelGenAi
from twice.sources.packed import Unpacked, is_packed, plain
from twice.sources.specstory import HISTORY, SpecStory
from twice.sources.swe_agent import SweAgent
from twice.sources.vscode_chat import VsCodeChat

_NOT_SESSIONS = frozenset({"history.jsonl", "journal.jsonl", "session_index.jsonl"})


@dataclass(frozen=True, slots=True)
class Opened:
    """The session files found, each once, and those that look like one but no source knows."""

    files: tuple[tuple[Reader, Path], ...]
    unknown: tuple[Path, ...] = ()

    def __iter__(self) -> Iterator[tuple[Reader, Path]]:
        return iter(self.files)


def sources(*, own: Path | None = None, projects: Sequence[Path] = ()) -> tuple[Source, ...]:
    """Return every source. ``own``: where our own model sessions run, which are never mined.

    ``projects``: folders whose own history is read where they keep one.
    """
    natives = (
        GeminiCli(own=own),  # first: its mark is the strictest, and the start of a file decides
        VsCodeChat(own=own),
        CopilotCli(own=own),
        Cursor(own=own),
        OpenCode(own=own),
        ClaudeCode(own=own),
        Codex(own=own),
        SpecStory(projects=projects),
        Aider(own=own, projects=projects),
        OpenHands(own=own),
        SweAgent(own=own),
        ChatGpt(),
        ClaudeAi(),
        Native(own=own),
        OtelGenAi(own=own),
    )
    return (*natives, Entire(natives=natives, projects=projects))


def nothing(_: str) -> Known:
    """Know of no agent's files."""
    return UNKNOWN


def discover(
    among: Sequence[Source], known: Callable[[str], Known] = nothing
) -> Iterator[tuple[Reader, Path]]:
    """Yield the session files in the agents' own places on this machine, source by source.

    ``known`` returns what is known of the files of the agent with a name.
    """
    for source in among:
        for home in source.homes():
            files = source.files(home, known(source.name))
            yield from ((_reader(source, path), path) for path in files)


def _reader(source: Source, path: Path) -> Reader:
    """Return what reads a file of a source: where it is packed, it is unpacked first."""
    if not is_packed(path):
        return source
    return Unpacked(source, several=isinstance(source, FileSource) and source.several)


def open_paths(paths: Iterable[Path], among: Sequence[Source]) -> Opened:
    """Return the session files that are given or lie below given folders, in a stable order.

    Raises ``Unreadable`` for a path that is not there or may not be read, and ``UnknownFormat``
    for a single file that no source recognises.
    """
    found: dict[Path, tuple[Reader, Path]] = {}
    unknown: dict[Path, None] = {}
    for path in paths:
        for file, source in _below(path, among):
            if source is None:
                unknown[file] = None
            else:
                found.setdefault(file.resolve(), (_reader(source, file), file))
    return Opened(tuple(found.values()), tuple(unknown))


def _below(path: Path, among: Sequence[Source]) -> Iterator[tuple[Path, Source | None]]:
    if path.is_dir():
        stores = dict(_stores_in(path, among))
        yield from stores.items()
        if path.resolve() in stores:
            return  # nobody's sessions lie in files of its own
        suffixes = tuple(sorted({suffix for source in among for suffix in source.suffixes}))
        for file in walk(path, suffixes):
            if not _is_beside_sessions(file):
                yield from _in_folder(file, among)
        return
    if path.exists() and not path.is_file():
        raise Unreadable(f"Cannot read {path}: it is neither a file nor a folder.")
    try:
        source = _source_of(path, among) or _source_by_content(path, among)
    except OSError as fault:
        raise Unreadable(f"Cannot read {path}: {fault.strerror or fault}.") from fault
    if source is None:
        names = ", ".join(each.name for each in among)
        raise UnknownFormat(
            f"No source recognises {path} as a session.", hint=f"Files of these are read: {names}."
        )
    yield path, source


def _stores_in(path: Path, among: Sequence[Source]) -> Iterator[tuple[Path, Source]]:
    """Yield what holds sessions without files for them, as a repository does."""
    for source in among:
        if not source.suffixes:
            yield from ((x, source) for x in source.files(path, UNKNOWN))


def _in_folder(file: Path, among: Sequence[Source]) -> Iterator[tuple[Path, Source | None]]:
    """Yield a file with its source; other markdown and JSON is no surprise, and left out."""
    try:
        source = _source_of(file, among)
    except OSError:
        source = None
    if source or _should_be_a_session(file):
        yield file, source


def _should_be_a_session(file: Path) -> bool:
    """Tell whether a file looks like a session: by its ending, or by where it lies."""
    match file.suffix:
        case ".md":
            return file.parent.parts[-2:] == HISTORY
        case ".json":
            return is_in_chats(file) or is_named_like_one(file)
        case ".db":
            return is_named_like_its_database(file)
        case ".traj":  # which other programs write, too
            return False
        case ".vscdb" | ".zip":
            return False
    return True


def _source_of(path: Path, among: Sequence[Source]) -> Source | None:
    head = head_of(path)
    return next((source for source in among if source.recognises(plain(path), head)), None)


def _source_by_content(path: Path, among: Sequence[Source]) -> Source | None:
    """Return the source of a file that a person named, whatever its own name ends with."""
    head = head_of(path)
    named = ((source, Path(f"{path}{end}")) for source in among for end in source.suffixes)
    return next((source for source, name in named if source.recognises(name, head)), None)


def _is_beside_sessions(file: Path) -> bool:
    """Tell whether a file is known to hold something else than one person's session."""
    return file.name in _NOT_SESSIONS or is_of_a_subagent(file) or is_later_event(file)
