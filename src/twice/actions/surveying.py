"""What there is to learn from, looked at without keeping anything: agents, files, human turns."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from twice.actions.kit import Opened
from twice.core.errors import UnknownFormat
from twice.core.limits import TURN_CHARS
from twice.core.redaction import redact
from twice.core.transcript import Event, Position, Session, Skipped, Speaker
from twice.ports import Log

Clean = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Survey:
    """The sessions of one agent. ``first`` and ``last``, UTC in microseconds, span them."""

    agent: str
    sessions: int
    size_bytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that the system would not let us read, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What was found, what of it cannot be read, and what looks like a session of nobody known."""

    agents: tuple[Survey, ...]
    unreadable: tuple[Unread, ...]
    unknown: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Retention:
    """How long an agent keeps its sessions, and the setting in a file that says so."""

    agent: str
    title: str
    days: int
    setting: str
    file: Path


@dataclass(frozen=True, slots=True)
class Said:
    """One human turn; ``index`` is its number, from 0, among those of its session in this run."""

    agent: str
    index: int
    event: Event


Glance = Callable[[Opened, Log], tuple[str, int]]
"""Tells of a log which session it holds, and when that was."""


def by_place(opened: Opened, log: Log) -> tuple[str, int]:
    """Return where a session lies and when it was changed last, without a look into it."""
    return f"{opened.path}\0{log.part}", log.mtime // 1_000


def by_start(opened: Opened, log: Log) -> tuple[str, int]:
    """Return a session's id and when it began, reading no further.

    Without a time in it, it is when it was changed. Raises ``OSError`` where it cannot be read.
    """
    id, changed = by_place(opened, log)
    for item in log.read(Position()):
        match item:
            case Session(id=named):
                id = named or id
            case Event(at=int(at)):
                return id, at
    return id, changed


def survey(found: Sequence[Opened]) -> tuple[Survey, ...]:
    """Return how much each agent left, by name; a file that is gone meanwhile is not counted."""
    return _survey(found, by_place)[0]


def overview(found: Sequence[Opened], unknown: Iterable[Path]) -> Overview:
    """Return what each agent left, from when to when, and which files cannot be read or told."""
    agents, unreadable = _survey(found, by_start)
    strange = []
    for path in unknown:
        fault = _fault_of(path)
        if fault is None:
            strange.append(path)
        else:
            unreadable.append(fault)
    return Overview(agents, tuple(unreadable), tuple(strange))


def said(found: Iterable[Opened], clean: Clean) -> Iterator[Said | Skipped | Unread]:
    """Yield every human turn as it is read, and what was passed over; ``clean`` redacts."""
    numbers: dict[str, int] = {}
    for opened in found:
        try:
            for log in opened.source.logs(opened.path):
                yield from _said_in(log, opened.source.name, numbers, clean)
        except (OSError, UnknownFormat) as error:
            yield _unread(opened.path, error)


def _said_in(
    log: Log, agent: str, numbers: dict[str, int], clean: Clean
) -> Iterator[Said | Skipped]:
    for item in log.read(Position()):
        match item:
            case Event(speaker=Speaker.HUMAN, session=session):
                index = numbers.get(session, 0)
                numbers[session] = index + 1
                # Cleaned before it is cut: a secret that lies across the bound goes whole.
                text = clean(item.text)[:TURN_CHARS]
                yield Said(agent, index, replace(item, text=text))
            case Skipped():
                yield item


def clean_for(home: Path) -> Clean:
    """Return what takes secrets and home folders out of a text."""
    return lambda text: redact(text, (str(home),), (home.name,)).text


def as_typed(text: str) -> str:
    """Return a text as it is."""
    return text


def _survey(found: Sequence[Opened], glance: Glance) -> tuple[tuple[Survey, ...], list[Unread]]:
    begun: dict[str, dict[str, int]] = {}
    sizes: Counter[str] = Counter()
    unreadable: list[Unread] = []
    for opened in found:
        agent = opened.source.name
        try:
            logs = [(log.size, glance(opened, log)) for log in opened.source.logs(opened.path)]
            sizes[agent] += _size(opened.path, sum(size for size, _ in logs))
        except FileNotFoundError:
            continue
        except (OSError, UnknownFormat) as error:
            unreadable.append(_unread(opened.path, error))
            continue
        sessions = begun.setdefault(agent, {})
        for _, (id, at) in logs:
            sessions[id] = min(at, sessions.get(id, at))
    agents = tuple(
        Survey(agent, len(times), sizes[agent], min(times.values()), max(times.values()))
        for agent, times in sorted(begun.items())
        if times
    )
    return agents, unreadable


def _size(path: Path, told: int) -> int:
    """Return the bytes of a file's sessions; those in a database cannot be weighed one by one."""
    return max(told, path.stat().st_size) if path.is_file() else told


def _fault_of(path: Path) -> Unread | None:
    """Return why a file cannot be read, or None where it can."""
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        return _unread(path, error)
    return None


def _unread(path: Path, error: OSError | UnknownFormat) -> Unread:
    if isinstance(error, UnknownFormat):
        return Unread(path, error.message)
    return Unread(path, error.strerror or str(error))
