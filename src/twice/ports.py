"""The seams of the house: what a source, a learner and a store must offer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from twice.core.ideas import Explanation, Fingerprint, Idea, Relation, Sighting, Signal
from twice.core.kept import (
    Batch,
    KeptSession,
    KeptTurn,
    KnownProject,
    PolicyNow,
    ReadFile,
    Recorded,
)
from twice.core.ledger import Draft, Entry
from twice.core.lessons import Lesson
from twice.core.proposals import Refusal
from twice.core.recall import Standing
from twice.core.receipts import Destination, OnDisk, Receipt
from twice.core.states import State, Status
from twice.core.transcript import Position, Reading
from twice.core.wording import Wording


@dataclass(frozen=True, slots=True)
class Log:
    """One session where it lies: a file of its own, or a part of a file or of a database.

    ``part`` is the session's name within the file, empty where the file is the session. ``size``
    (bytes) and ``mtime`` (UTC in nanoseconds) change when the session does. ``read`` yields what
    it holds from a position on: damage becomes ``Skipped``, and the last item is a ``Position``.
    A part is read before the next one is asked for, or not at all.
    """

    part: str
    size: int
    mtime: int
    read: Callable[[Position], Iterator[Reading]]


class Known(Protocol):
    """What is known of an agent's files, so that they need not be looked into again."""

    def file(self, path: Path) -> bool:
        """Tell whether a file is known to be the agent's: it is not opened for this."""
        ...

    def folder(self, path: Path, listing: str) -> bool:
        """Tell whether the files right in a folder were all read while it held just these.

        ``listing`` tells their names, sizes and times. None of them is yielded then.
        """
        ...


class Reader(Protocol):
    """A reader of one agent's session files. It never writes, and holds one session at most."""

    name: str  # "claude-code", "codex", "specstory": what `agent` says in evidence

    def logs(self, path: Path) -> Iterator[Log]:
        """Yield the sessions that a file holds, in a stable order; each is read before the next.

        Raises ``OSError`` where it cannot be opened, and ``UnknownFormat`` where it is one of this
        agent's files in a layout that nobody here knows.
        """
        ...


class Source(Reader, Protocol):
    """A reader that finds the session files of its agent, too."""

    suffixes: tuple[str, ...]  # what the names of its files end with

    def homes(self) -> list[Path]:
        """Return the folders where the agent keeps its sessions on this machine, if they exist."""
        ...

    def files(self, folder: Path, known: Known) -> Iterator[Path]:
        """Yield the session files of this agent below a folder, in a stable order.

        Those ``known`` to be its own are not opened for it.
        """
        ...

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell from the name and the first bytes whether a file is one of this agent's sessions."""
        ...


class Learner(Protocol):
    """What hears signals in single turns and gathers them into ideas."""

    def notice(
        self, text: str, *, previous: str = "", interrupted: bool = False
    ) -> tuple[Signal, ...]:
        """Return the signals of one human turn; ``previous`` is what the agent said before."""
        ...

    def explain(self, text: str, *, previous: str = "", language: str = "") -> Explanation:
        """Return what is heard in one human turn and why, and what was too weak.

        ``language`` is told from the words where it is empty.
        """
        ...

    def reasons(self) -> dict[str, str]:
        """Return what each name among the reasons of a signal stands for, in a sentence."""
        ...

    def fingerprint(self, text: str, *, language: str = "") -> Fingerprint | None:
        """Return what a whole text wants and does not want, or None where it says neither."""
        ...

    def relation(self, one: str, other: str, *, languages: tuple[str, str] = ("", "")) -> Relation:
        """Return how two wishes stand to each other."""
        ...

    def gather(self, sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
        """Return the distinct ideas of one project's sightings, strongest first."""
        ...

    def distill(self, idea: Idea) -> Wording:
        """Write the lesson that an idea teaches, in the clearest of its own words."""
        ...


class Store(Protocol):
    """What is kept: the ledger with its texts, and what was read. One contract, every database."""

    key: bytes  # of this installation, for keyed hashes

    def position(self) -> int:
        """Return the number of the ledger's last entry, or 0."""
        ...

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the ledger in order."""
        ...

    def append(
        self,
        drafts: Sequence[Draft],
        *,
        after: int,
        at: int,
        blobs: Mapping[str, bytes] | None = None,
    ) -> tuple[Entry, ...]:
        """Append where the ledger still ends at ``after``; raise ``Conflict`` otherwise."""
        ...

    def policy(self) -> PolicyNow | None:
        """Return the policy recorded last."""
        ...

    def state(self, id: str) -> State | None:
        """Return one proposal."""
        ...

    def states(
        self,
        *,
        project: str | None = None,
        statuses: Sequence[Status] = (),
        limit: int | None = None,
    ) -> list[State]:
        """Return proposals, newest first."""
        ...

    def rejections(self, project: str) -> dict[str, frozenset[str]]:
        """Return for each rejected idea the lineages that supported it then."""
        ...

    def forgotten(self) -> frozenset[str]:
        """Return the keyed hashes of the sessions that a person had erased."""
        ...

    def blobs(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Return the texts that are still there, by digest."""
        ...

    def standing(self, project: str) -> list[Standing]:
        """Return the approved memories of a project."""
        ...

    def context(self, project: str) -> str:
        """Return what sessions of a project are told."""
        ...

    def files(self) -> dict[str, ReadFile]:
        """Return how far every file was read, by its key."""
        ...

    def lineages_met(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the lineages that any of these keys was met in."""
        ...

    def record(self, batch: Batch) -> Recorded:
        """Keep what one reading of one file adds, in one short transaction."""
        ...

    def sightings(self, project: str) -> tuple[Sighting, ...]:
        """Return the evidence of a project."""
        ...

    def turns(self, session: str) -> list[KeptTurn]:
        """Return the kept human turns of a session."""
        ...

    def session(self, id: str) -> KeptSession | None:
        """Return one session of the index."""
        ...

    def sessions(self, project: str | None = None) -> list[KeptSession]:
        """Return the index of sessions."""
        ...

    def projects(self) -> list[KnownProject]:
        """Return every known project."""
        ...

    def adopt(
        self, project: KnownProject, *, is_gone: Callable[[str], bool] = lambda _: False
    ) -> str:
        """Return the id of the project with any of these keys, making it where none has.

        ``is_gone`` tells of a project's folder that it is not there now; then the new one counts.
        """
        ...

    def expire(self, now: int) -> dict[str, int]:
        """Drop evidence beyond its bounds; return how much, by reason."""
        ...

    def forget(
        self, sessions: Iterable[str], *, drafts: Sequence[Draft], after: int, at: int
    ) -> dict[str, int]:
        """Erase sessions and append what was decided about it, whole or not at all."""
        ...

    def notes(self) -> dict[str, str]:
        """Return what was noted of projects in which nothing changed since."""
        ...

    def note(self, project: str, text: str, *, after: int) -> None:
        """Note of a project what holds until its evidence or its decisions change.

        Nothing is noted where the ledger does not end at ``after`` any more.
        """
        ...

    def folder_notes(self) -> dict[str, str]:
        """Return what was noted of folders with sessions, by a keyed hash of their place."""
        ...

    def note_folders(self, noted: Mapping[str, str]) -> None:
        """Note of folders what holds until a person has something forgotten."""
        ...

    def save_report(self, id: str, *, at: int, body: bytes) -> None:
        """Keep the report of a dream."""
        ...

    def last_report(self) -> bytes | None:
        """Return the newest report."""
        ...

    def flaws(self) -> list[str]:
        """Check files, chain, texts and derived tables; return one line for each damage."""
        ...

    def rebuild(self) -> None:
        """Make the derived tables anew from ledger and texts."""
        ...

    def needs_scrub(self) -> bool:
        """Tell whether traces of what was erased may be left in the files."""
        ...

    def scrub(self) -> None:
        """Leave no trace of what was erased in the files."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class Spool(Protocol):
    """Where events that agents report wait for a dream, each on a line, clean before it is given.

    Raises ``Fault`` where the disk refuses, and ``Busy`` where others write without a pause.
    """

    def path_of(self, agent: str, session: str) -> Path:
        """Return the file that a session is kept in; an agent's name is one of a folder."""
        ...

    def append(self, agent: str, session: str, lines: Sequence[bytes]) -> bool:
        """Append lines to a session, all or none; False where it would outgrow its bound."""
        ...

    def lines(self) -> Iterator[tuple[Path, int, bytes]]:
        """Yield every line that waits, with its file and its number in it, from 0."""
        ...

    def erase(self, unwanted: Callable[[bytes], bool]) -> int:
        """Leave no trace of the lines that are unwanted; return how many there were."""
        ...


class Outlet(Protocol):
    """Where an approved lesson becomes a file, and is taken back."""

    def render(self, lesson: Lesson) -> bytes:
        """Return the exact bytes of the file that a lesson becomes; none where it becomes none."""
        ...

    def destinations(
        self, lesson: Lesson, *, id: str, root: Path, agents: Collection[str]
    ) -> tuple[Destination, ...] | Refusal:
        """Return where a lesson's file goes, or why it cannot go there now."""
        ...

    def publish(self, receipt: Receipt, root: Path, data: bytes) -> Refusal | None:
        """Write one new file over nothing; refuse where anything is in the way."""
        ...

    def on_disk(self, receipt: Receipt, root: Path) -> OnDisk:
        """Compare a published file with its receipt."""
        ...

    def retire(self, receipt: Receipt, root: Path, folder: Path) -> Path | Refusal:
        """Move an intact file into ``folder``; one that was moved already is moved."""
        ...

    def retired(self, receipt: Receipt, folder: Path) -> bool:
        """Tell whether a file lies whole where ``retire`` moves it."""
        ...

    def tidy(self, receipt: Receipt, root: Path) -> None:
        """Remove what an interrupted publication left at or beside its destination."""
        ...
