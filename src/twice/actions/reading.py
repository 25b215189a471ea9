"""Read what is new in session files, and keep of it what the mode allows."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from twice.actions.keeping import Tally, Turn, batch_of, lineage_keys, session_id
from twice.actions.kit import Kit, Opened, shorten
from twice.actions.met import Folder, Met, Settled
from twice.core import limits
from twice.core.encoding import encode, keyed
from twice.core.errors import UnknownFormat
from twice.core.kept import Batch, Depth, ReadFile, depth_of
from twice.core.places import Elsewhere, Place
from twice.core.policy import Mode
from twice.core.transcript import Event, Position, Session, Skipped, Speaker, is_unique
from twice.ports import Log

_HEAD_BYTES = 512

Progress = Callable[[int, int, Path], None]


def quiet(done: int, total: int, path: Path) -> None:
    """Tell nobody how far a reading is."""


@dataclass(slots=True)
class Heard:
    """Everything that one reading of one file yielded."""

    session: Session | None = None
    turns: list[Turn] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Run:
    """One reading of many files: the policy revision that it started under, and what was met.

    What did not change after ``since`` is too old to be read now. ``open`` are folders with files
    that need another look, however little changes in them.
    """

    kit: Kit
    revision: str
    tally: Tally
    met: Met
    since: int | None
    folders: frozenset[Path]
    forgotten: frozenset[str]
    settled: dict[Folder, Settled] = field(default_factory=lambda: defaultdict(Settled))
    open: set[Folder] = field(default_factory=set)
    adopted: dict[Place, str] = field(default_factory=dict)
    sources: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def leave(self, opened: Opened, why: str) -> None:
        """Count a session that is not kept: its folder needs another look."""
        self.tally.files[why] += 1
        self.open.add(_folder(opened))

    def reads_elsewhere(self, file: ReadFile) -> bool:
        """Tell whether the session of a file is kept from another source, too."""
        if not self.sources:
            for read in self.met.files.values():
                self.sources[read.session] |= {read.source} if read.project else set()
        return bool(self.sources[file.session] - {file.source})

    def adopt(self, place: Place) -> str:
        """Return the id of the project at a place."""
        if place not in self.adopted:
            self.adopted[place] = self.kit.adopt(place)
        return self.adopted[place]

    def forgets(self, session: Session, turns: list[Turn]) -> bool:
        """Tell whether a person had a session erased, or one that this is a copy of."""
        if not self.forgotten:
            return False
        names = {session.id, *self.kit.store.lineages_met(lineage_keys(self.kit, turns))}
        hashed = {keyed(self.kit.store.key, name) for name in names}
        return bool(self.forgotten & (names | hashed))


def read(
    kit: Kit,
    found: Iterable[Opened],
    *,
    before: Met | None = None,
    since: int | None = None,
    progress: Progress = quiet,
) -> Tally:
    """Read every session from where the last reading stopped; each is kept whole or not at all.

    ``before`` tells what was met before, and which folders were passed by. ``since`` (UTC in
    microseconds) leaves out sessions that did not change after it.
    """
    tally = Tally(kit.now())
    before = before or Met(kit)
    for passed in before.passed:
        tally.files["unchanged"] += passed.logs
        tally.projects |= passed.projects
    listed = list(found)
    run = _Run(
        kit=kit,
        revision=before.revision,
        tally=tally,
        met=before,
        since=since,
        folders=_folders(before, listed),
        forgotten=kit.store.forgotten(),
    )
    for done, opened in enumerate(listed):
        progress(done, len(listed), opened.path)
        try:
            for log in opened.source.logs(opened.path):
                _read_log(run, opened, log)
        except OSError as error:
            _pass_over(run, opened, error.strerror or str(error))
        except UnknownFormat as fault:
            _pass_over(run, opened, fault.message)
    before.note(run.settled, run.open)
    return tally


def _pass_over(run: _Run, opened: Opened, reason: str) -> None:
    run.leave(opened, "unreadable")
    run.tally.unreadable.append(f"{shorten(opened.path, run.kit.home)}: {reason}")


def _folder(opened: Opened) -> Folder:
    return opened.source.name, opened.path.parent


def _folders(met: Met, listed: list[Opened]) -> frozenset[Path]:
    """Return the recorded folders of sessions that are new, so that order does not matter."""
    folders: set[Path] = set()
    for opened in listed:
        if met.name(opened.path) in met.files:
            continue
        with suppress(OSError, UnknownFormat):  # its own reading, which follows, says why
            for log in opened.source.logs(opened.path):
                if met.name(opened.path, log.part) not in met.files:
                    folders |= _folder_of(log)
    return frozenset(folders)


def _folder_of(log: Log) -> set[Path]:
    """Return the folder that a session's first facts name, reading no further than these."""
    for item in log.read(Position()):
        return {Path(item.cwd)} if isinstance(item, Session) and item.cwd else set()
    return set()


def _read_log(run: _Run, opened: Opened, log: Log) -> None:
    kit, tally = run.kit, run.tally
    if run.since is not None and log.mtime // 1_000 < run.since:
        run.leave(opened, "older")
        return
    key = run.met.name(opened.path, log.part)
    before = run.met.files.get(key)
    if before is not None and _unchanged(run, before, log):
        tally.files["unchanged"] += 1
        tally.projects.add(before.project)
        run.settled[_folder(opened)].add(before)
        return
    head = "" if log.part else _head(kit, opened.path)
    start = _start(run, before, log, head)
    heard = hear(log.read(start))
    tally.skipped.update(heard.skipped)
    if heard.session is None and start.told == 0:
        run.leave(opened, "without a session")
        return
    session = _storable(heard.session or Session(start.session, opened.source.name))
    forgotten = run.forgets(session, heard.turns)
    if forgotten:
        session = replace(session, own="forgotten on your command")
    project, root = _settle(run, session, before)
    mode = run.met.mode_of(root)
    if mode is Mode.OFF:
        run.leave(opened, "left alone: mode off")
        return
    depth = depth_of(mode)
    file = ReadFile(
        key=key,
        source=opened.source.name,
        path=shorten(opened.path, kit.home) if depth is Depth.TEXT and not forgotten else "",
        size=log.size,
        mtime=log.mtime,
        offset=heard.position.offset,
        seq=heard.position.seq,
        told=heard.position.told,
        session=session_id(kit, session.id, Depth.HASH if forgotten else depth),
        project=project,
        policy=run.revision,
        depth=depth,
        head=head,
    )
    tally.files["read"] += 1
    run.settled[_folder(opened)].add(file)
    if session.own or not project:
        kit.store.record(Batch(file))
    else:
        _keep(run, file, session, heard.turns, fresh=start.told == 0)


def _keep(run: _Run, file: ReadFile, session: Session, turns: list[Turn], *, fresh: bool) -> None:
    """Keep what a reading adds; what the agent itself kept goes before what others wrote down."""
    kit, tally = run.kit, run.tally
    elsewhere = is_unique(session.id) and run.reads_elsewhere(file)
    if session.restated and elsewhere:
        tally.files["of sessions that their agents kept themselves"] += 1
        kit.store.record(Batch(file._replace(project="")))
        return
    run.sources[file.session].add(file.source)
    tally.sessions.add(session.id)
    tally.turns += len(turns)
    tally.projects.add(file.project)
    batch = batch_of(kit, tally, file, session, turns, fresh=fresh, instead=fresh and elsewhere)
    tally.sightings += kit.store.record(batch).sightings


def _storable(session: Session) -> Session:
    """Return a session whose names no store refuses: half a character becomes ``?``."""
    id, branch = encode(session.id).decode(), encode(session.branch).decode()
    return replace(session, id=id, branch=branch)


def hear(readings: Iterable[object]) -> Heard:
    """Gather one file's readings, keeping of the agent only its last words."""
    heard = Heard()
    previous = ""
    for item in readings:
        match item:
            case Event(speaker=Speaker.HUMAN):
                if len(item.text) > limits.READ_CHARS:
                    heard.skipped["a human turn was longer than the limit"] += 1
                    item = replace(item, text=item.text[: limits.READ_CHARS])
                heard.turns.append(Turn(item, previous))
            case Event(speaker=Speaker.AGENT, text=text):
                previous = text[-limits.PREVIOUS_CHARS :]
            case Session():
                heard.session = item
            case Skipped(reason=reason):
                heard.skipped[reason] += 1
            case Position():
                heard.position = item
    return heard


def _settle(run: _Run, session: Session, before: ReadFile | None) -> tuple[str, str]:
    """Return the project of a session and its folder; both are empty where it has none."""
    if session.own:
        run.tally.own[session.own] += 1
        return "", ""
    if before is not None and before.project and not (session.cwd or session.root):
        return before.project, run.met.roots.get(before.project, "")
    place = run.kit.place(session, run.folders)
    if isinstance(place, Elsewhere):
        run.tally.elsewhere[place.reason] += 1
        return "", ""
    if place.gone:
        run.tally.gone.add(session.id)
    if run.met.mode_of(shorten(place.root, run.kit.home)) is Mode.OFF:
        return "", place.root
    project = run.adopt(place)
    run.met.roots.setdefault(project, shorten(place.root, run.kit.home))
    return project, run.met.roots[project]


def _unchanged(run: _Run, before: ReadFile, log: Log) -> bool:
    if (before.size, before.mtime, before.policy) != (log.size, log.mtime, run.revision):
        return False
    return before.depth is Depth.TEXT or not run.met.mode_of_project(before.project).keeps_text


def _start(run: _Run, before: ReadFile | None, log: Log, head: str) -> Position:
    """Return where to read on: the beginning under a new policy, or of another file."""
    if before is None or before.policy != run.revision:
        return Position()
    if log.size < before.offset or head != before.head:
        return Position()
    if before.depth is Depth.HASH and run.met.mode_of_project(before.project).keeps_text:
        return Position()
    return Position(before.offset, before.seq, before.session, before.told)


def _head(kit: Kit, path: Path) -> str:
    """Return a keyed hash of a file's first line, or of as much of it as a glance shows."""
    with path.open("rb") as file:
        first = file.read(_HEAD_BYTES).split(b"\n", 1)[0]
    return keyed(kit.store.key, hashlib.sha256(first).hexdigest())
