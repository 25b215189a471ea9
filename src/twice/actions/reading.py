"""Read what is new in session files, and keep of it what the mode allows."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from twice.actions.kit import Kit, Opened, shorten
from twice.core import limits
from twice.core.encoding import encode, keyed, text_digest
from twice.core.ideas import Sighting, Signal, core_key
from twice.core.kept import Batch, Depth, KeptSession, KeptTurn, ReadFile, depth_of
from twice.core.places import Elsewhere
from twice.core.policy import Mode
from twice.core.redaction import Redaction, redact
from twice.core.transcript import Anchor, Event, Position, Session, Skipped, Speaker, is_opaque

_HEAD_BYTES = 512
_REPLY_CHARS = 40  # an agent's words of this length do not happen twice by chance

Progress = Callable[[int, int, Path], None]


def quiet(done: int, total: int, path: Path) -> None:
    """Tell nobody how far a reading is."""


@dataclass(slots=True)
class Tally:
    """What a reading met, counted for the report."""

    files: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    sessions: set[str] = field(default_factory=set)
    turns: int = 0
    signals: int = 0
    sightings: int = 0
    secrets: int = 0
    elsewhere: Counter[str] = field(default_factory=Counter)
    own: Counter[str] = field(default_factory=Counter)
    gone: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """A human event with the agent's words before it, as far as they are kept in hand."""

    event: Event
    previous: str


@dataclass(slots=True)
class Heard:
    """Everything that one reading of one file yielded."""

    session: Session | None = None
    turns: list[Turn] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Run:
    """One reading of many files: the policy revision that it started under, and what it met."""

    kit: Kit
    revision: str
    tally: Tally
    started: int
    roots: dict[str, str]
    folders: frozenset[str]
    forgotten: frozenset[str]
    modes: dict[str, Mode] = field(default_factory=dict)

    def mode_of(self, root: str) -> Mode:
        """Return the effective mode of a project's folder, asked once in a run."""
        if root not in self.modes:
            self.modes[root] = self.kit.mode_of(root).mode
        return self.modes[root]

    def mode_of_project(self, project: str) -> Mode:
        """Return the effective mode of a known project."""
        return self.mode_of(self.roots.get(project, ""))


def read(
    kit: Kit,
    found: Iterable[Opened],
    *,
    since: int | None = None,
    progress: Progress = quiet,
) -> Tally:
    """Read every file from where the last reading stopped; each is kept whole or not at all.

    ``since`` (UTC in microseconds) leaves out files that did not change after it.
    """
    tally = Tally()
    roots = {project.id: project.root for project in kit.store.projects()}
    known = kit.store.files()
    listed = list(found)
    run = _Run(
        kit=kit,
        revision=kit.revision(),
        tally=tally,
        started=kit.now(),
        roots=roots,
        folders=_folders(kit, listed, known),
        forgotten=kit.store.forgotten(),
    )
    for done, opened in enumerate(listed):
        progress(done, len(listed), opened.path)
        try:
            _read_file(run, opened, known, since)
        except OSError as error:
            tally.files["unreadable"] += 1
            tally.unreadable.append(f"{shorten(opened.path, kit.home)}: {error.strerror}")
    return tally


def _folders(kit: Kit, listed: list[Opened], known: dict[str, ReadFile]) -> frozenset[str]:
    """Return the recorded folders of sessions that are new, so that order does not matter."""
    folders = set()
    for opened in listed:
        if keyed(kit.store.key, str(opened.path)) not in known:
            folders |= _folder_of(opened)
    return frozenset(folders)


def _folder_of(opened: Opened) -> set[str]:
    """Return the folder that a file's first facts name, reading no further than these."""
    try:
        for item in opened.source.read(opened.path, Position()):
            return {item.cwd} if isinstance(item, Session) and item.cwd else set()
    except OSError:
        pass
    return set()


def _read_file(run: _Run, opened: Opened, known: dict[str, ReadFile], since: int | None) -> None:
    kit, tally = run.kit, run.tally
    stat = opened.path.stat()
    if since is not None and stat.st_mtime_ns // 1_000 < since:
        tally.files["older"] += 1
        return
    key = keyed(kit.store.key, str(opened.path))
    before = known.get(key)
    if before is not None and _unchanged(run, before, stat.st_size, stat.st_mtime_ns):
        tally.files["unchanged"] += 1
        tally.projects.add(before.project)
        return
    head = _head(kit, opened.path)
    start = _start(run, before, stat.st_size, head)
    heard = hear(opened.source.read(opened.path, start))
    tally.skipped.update(heard.skipped)
    if heard.session is None and start.told == 0:
        tally.files["without a session"] += 1
        return
    session = _storable(heard.session or Session(start.session, opened.source.name))
    forgotten = keyed(kit.store.key, session.id) in run.forgotten
    if forgotten:
        session = replace(session, own="forgotten on your command")
    project, root = _settle(run, session, before)
    mode = run.mode_of(root)
    if mode is Mode.OFF:
        tally.files["left alone: mode off"] += 1
        return
    depth = depth_of(mode)
    file = ReadFile(
        key=key,
        source=opened.source.name,
        path=shorten(opened.path, kit.home) if depth is Depth.TEXT and not forgotten else "",
        size=stat.st_size,
        mtime=stat.st_mtime_ns,
        offset=heard.position.offset,
        seq=heard.position.seq,
        told=heard.position.told,
        session=_session_id(kit, session.id, Depth.HASH if forgotten else depth),
        project=project,
        policy=run.revision,
        depth=depth,
        head=head,
    )
    tally.files["read"] += 1
    if session.own or not project:
        kit.store.record(Batch(file))
        return
    tally.sessions.add(session.id)
    tally.turns += len(heard.turns)
    tally.projects.add(project)
    batch = _batch(run, file, session, heard.turns, fresh=start.told == 0)
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
        return before.project, run.roots.get(before.project, "")
    place = run.kit.place(session, run.folders)
    if isinstance(place, Elsewhere):
        run.tally.elsewhere[place.reason] += 1
        return "", ""
    if place.gone:
        run.tally.gone.add(session.id)
    if run.mode_of(shorten(place.root, run.kit.home)) is Mode.OFF:
        return "", place.root
    project = run.kit.adopt(place)
    run.roots.setdefault(project, shorten(place.root, run.kit.home))
    return project, run.roots[project]


def _unchanged(run: _Run, before: ReadFile, size: int, mtime: int) -> bool:
    if (before.size, before.mtime, before.policy) != (size, mtime, run.revision):
        return False
    return before.depth is Depth.TEXT or not run.mode_of_project(before.project).keeps_text


def _start(run: _Run, before: ReadFile | None, size: int, head: str) -> Position:
    """Return where to read on: the beginning under a new policy, or of another file."""
    if before is None or before.policy != run.revision:
        return Position()
    if size < before.offset or head != before.head:
        return Position()
    if before.depth is Depth.HASH and run.mode_of_project(before.project).keeps_text:
        return Position()
    return Position(before.offset, before.seq, before.session, before.told)


def _head(kit: Kit, path: Path) -> str:
    """Return a keyed hash of a file's first line, or of as much of it as a glance shows."""
    with path.open("rb") as file:
        first = file.read(_HEAD_BYTES).split(b"\n", 1)[0]
    return keyed(kit.store.key, hashlib.sha256(first).hexdigest())


def _session_id(kit: Kit, id: str, depth: Depth) -> str:
    """Return the id as it is kept: one that is no mere number may hold words."""
    if depth is Depth.TEXT or is_opaque(id):
        return id
    return keyed(kit.store.key, id)[:32]


def _record_id(kit: Kit, id: str, depth: Depth) -> str:
    return _session_id(kit, id, depth) if id else ""


def _batch(run: _Run, file: ReadFile, session: Session, turns: list[Turn], *, fresh: bool) -> Batch:
    kit = run.kit
    redacted = [_clean(kit, turn.event.text) for turn in turns]
    found = list(_sightings(run, file, session, turns, redacted))
    times = [turn.event.at for turn in turns if turn.event.at is not None]
    text = file.depth is Depth.TEXT
    return Batch(
        file=file,
        session=KeptSession(
            id=file.session,
            agent=session.agent,
            project=file.project,
            lineage="",
            branch=session.branch if text else "",
            path=file.path,
            started=min(times, default=None),
            ended=max(times, default=None),
            turns=len(turns),
        ),
        fresh=fresh,
        keys=tuple(dict.fromkeys(key for turn in turns for key in _lineage_keys(kit, turn))),
        turns=tuple(_kept_turns(file, turns, redacted)) if text else (),
        sightings=tuple(sighting for sighting, _ in found),
        starts=tuple(start for _, start in found),
    )


def _clean(kit: Kit, text: str) -> Redaction:
    """Redact a turn, then cut it: a secret that lies across the bound goes whole."""
    clean = redact(text, (str(kit.home),))
    return replace(clean, text=clean.text[: limits.TURN_CHARS])


def _lineage_keys(kit: Kit, turn: Turn) -> Iterator[str]:
    """Yield what tells a copy of a turn from a repetition: its id, its moment, its occasion.

    Where records have ids, these tell; agents say the same thing twice more often than one thinks.
    """
    event = turn.event
    if event.record:
        yield keyed(kit.store.key, f"record:{event.record}")
    if event.at is not None:
        yield keyed(kit.store.key, f"moment:{event.at}:{event.text}")
    if not event.record and len(turn.previous) >= _REPLY_CHARS:
        occasion = " ".join(turn.previous.split())
        yield keyed(kit.store.key, f"occasion:{occasion}:{event.text}")


def _kept_turns(file: ReadFile, turns: list[Turn], redacted: list[Redaction]) -> Iterator[KeptTurn]:
    for turn, clean in zip(turns, redacted, strict=True):
        event = turn.event
        yield KeptTurn(
            session=file.session,
            place=event.record or f"{event.seq}:{event.kind}",
            seq=event.seq,
            kind=event.kind,
            at=event.at,
            record=event.record,
            text=clean.text,
        )


def _sightings(
    run: _Run,
    file: ReadFile,
    session: Session,
    turns: list[Turn],
    redacted: list[Redaction],
) -> Iterator[tuple[Sighting, int]]:
    kit, tally = run.kit, run.tally
    for turn, clean in zip(turns, redacted, strict=True):
        signals = kit.learner.notice(
            clean.text, previous=turn.previous, interrupted=turn.event.interrupted
        )
        tally.signals += len(signals)
        for signal in signals:
            if signal.fingerprint.empty:
                continue  # "that's wrong" says nothing that could recur
            if "[redacted:" in signal.sentence and file.depth is Depth.TEXT:
                tally.secrets += 1
                continue
            yield (
                _sighting(kit, file, session, turn.event, clean.text, signal, run.started),
                signal.start,
            )


def _sighting(
    kit: Kit,
    file: ReadFile,
    session: Session,
    event: Event,
    text: str,
    signal: Signal,
    now: int,
) -> Sighting:
    keeps_text = file.depth is Depth.TEXT
    hashed = text_digest(text) if keeps_text else keyed(kit.store.key, text)
    quote = signal.sentence[: limits.QUOTE_CHARS]
    return Sighting(
        idea=keyed(kit.store.key, core_key(signal.fingerprint)),
        project=file.project,
        agent=session.agent,
        lineage="",
        anchor=Anchor(
            file.session, event.seq, event.kind, _record_id(kit, event.record, file.depth), hashed
        ),
        kind=signal.kind,
        scope=signal.scope,
        confidence=signal.confidence,
        at=event.at,
        recorded=now,
        revision=file.policy,
        language=signal.language,
        quote=encode(quote).decode() if keeps_text else None,
        fingerprint=signal.fingerprint if keeps_text else None,
    )
