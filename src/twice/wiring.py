"""Settings in, App out: the one place that knows every concrete class."""

import os
import secrets
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from filelock import FileLock, Timeout

from twice import __version__, settings
from twice.actions.kit import Kit, Opened, expand, shorten, shorten_key
from twice.actions.policing import record_policy
from twice.actions.recording import About, Given, Recording
from twice.actions.surveying import Retention
from twice.app import App
from twice.core import limits
from twice.core.errors import BadInput, Busy
from twice.core.places import Elsewhere, Place
from twice.core.policy import Effective, Mode, Terms, effective
from twice.core.transcript import Session
from twice.learners.learner import Corrections
from twice.outlets import files, gemini_settings
from twice.outlets.claude_settings import RETENTION, ClaudeSettings
from twice.outlets.publisher import Publisher
from twice.outlets.writes import Step, silent
from twice.ports import Known, Learner, Source, Store
from twice.sources import folders, native, places, projects
from twice.store.spool import FileSpool
from twice.store.sql import SqliteDatabase, copy_into_memory
from twice.store.store import RowStore

STORE = "twice.db"
_BATCH = 1_000  # events that are written at once


def now() -> int:
    """Return the time, UTC in microseconds."""
    return time.time_ns() // 1_000


def fresh(prefix: str) -> str:
    """Return a new random id."""
    return f"{prefix}_{secrets.token_hex(5)}"


def open_app(
    *,
    run_mode: Mode | None = None,
    here: Path | None = None,
    actor: str = "person",
    throwaway: bool = False,
    data: Path | None = None,
    clock: Callable[[], int] = now,
    step: Step = silent,
) -> App:
    """Open Twice with everything that the settings say.

    ``run_mode`` is a person's consent for this one run. ``throwaway`` works on a copy in memory,
    so that nothing is kept. ``step`` is told of every single write of a file.
    """
    folder = data or settings.data_folder()
    database = copy_into_memory(folder / STORE) if throwaway else SqliteDatabase(folder / STORE)
    store = RowStore(database, fresh_key=secrets.token_hex(32))
    home = Path.home()
    here = here or Path.cwd()
    voices = _Voices(folder, home, run_mode)
    kit = Kit(
        store=store,
        spool=FileSpool(folder),
        outlet=Publisher(step=step),
        learner=learner(),
        now=clock,
        fresh=fresh,
        home=home,
        data=folder,
        engine=__version__,
        actor=actor,
        policy=lambda: settings.read_user_file(folder).policy,
        revision=lambda: _revision(store, folder, clock),
        mode_of=voices.mode_of,
        place=_Placer(store, home).place,
        reported=lambda lines: native.Reported(lines, clock(), own=folder),
    )
    return App(
        kit=kit,
        mode=voices.mode_of(""),
        alone=lambda: _lock(folder / "decide.lock"),
        one_dream=lambda: _lock(folder / "dream.lock"),
        project_here=lambda: _known_project(store, here, home),
        project_or_new=lambda: _project_or_new(kit, here),
    )


def record(
    events: Iterable[Mapping[str, object]],
    *,
    agent: str = "",
    session: str = "",
    cwd: str | Path = "",
) -> Recording:
    """Take in events that an agent reports about itself, as ``twice record`` does.

    Each has the fields that ``docs/formats/events.md`` names. ``agent``, ``session`` and ``cwd``
    (the current folder, unless told otherwise) are those of events that do not name their own.
    Raises ``Fault`` where the disk refuses; what is not taken is counted in what is returned.
    """
    about = About(agent, session, str(Path(cwd or Path.cwd()).absolute()))
    app = open_app()
    try:
        return app.record(_batched(events), about)
    finally:
        app.close()


def _batched(events: Iterable[Mapping[str, object]]) -> Iterator[list[tuple[int, Given]]]:
    numbered: Iterator[tuple[int, Given]] = enumerate(events, 1)
    while batch := list(islice(numbered, _BATCH)):
        yield batch


class _Voices:
    """The chain of consent, asked anew at every question, since others may change it."""

    def __init__(self, folder: Path, home: Path, run: Mode | None) -> None:
        self._folder, self._home, self._run = folder, home, run

    def mode_of(self, root: str) -> Effective:
        """Return the mode for a project's folder; an empty one asks for the user's side only."""
        user = settings.read_user_file(self._folder)
        faults = [user.fault] if user.fault else []
        repository: Mode | None = None
        if root:
            repository, fault = settings.read_repository_file(expand(root, self._home))
            faults += [fault] if fault else []
        stored = shorten(root, self._home)
        return effective(
            Terms(
                user=user.file.evolution,
                run=self._run,
                project=user.consent(stored),
                repository=repository,
                faults=tuple(faults),
            )
        )


class _Placer:
    """Finds the project of a session, with the help of those that are known already."""

    def __init__(self, store: Store, home: Path) -> None:
        self._store, self._home = store, home
        self._temp = folders.temporary_folders(os.environ.get("TMPDIR", ""), home)
        self._among: Collection[Path] = ()
        self._marks = projects.Landmarks(home=home)
        self._found: dict[tuple[str, str, str], Place | Elsewhere] = {}

    def place(self, session: Session, among: Collection[Path]) -> Place | Elsewhere:
        """Return where a session belongs; ``among`` are folders of others read with it.

        What is known is looked up once for one and the same ``among``, which is one run; for an
        empty tuple, which asks of one session alone, each time.
        """
        if among is not self._among or among == ():
            self._among, self._found = among, {}
            self._marks = projects.Landmarks(self._known(), among, home=self._home)
        recorded = (session.cwd, session.root, session.remote)
        if recorded not in self._found:
            self._found[recorded] = projects.identify(
                session.cwd,
                remote=session.remote,
                root=session.root,
                home=self._home,
                temp=self._temp,
                known_roots=self._marks,
            )
        return self._found[recorded]

    def _known(self) -> Iterator[Path]:
        """Yield the folders that projects are known by."""
        for project in self._store.projects():
            paths = {key.removeprefix("path:") for key in project.keys if key.startswith("path:")}
            yield from (expand(path, self._home) for path in paths | {project.root} if path)


def _revision(store: Store, folder: Path, clock: Callable[[], int]) -> str:
    """Return the current policy revision, recording a change that was made by hand first."""
    standing = settings.read_user_file(folder)
    recorded = store.policy()
    if standing.fault and recorded is not None:
        return recorded.revision
    consents = {
        name: str(consent.evolution)
        for name, consent in standing.file.projects.items()
        if consent.evolution is not None
    }
    return record_policy(
        store, standing.policy, projects=consents, at=clock(), revision=fresh("pol"), actor="file"
    )


def learner() -> Learner:
    """Return what hears wishes in a person's words."""
    return Corrections()


def change_setting(app: App, change: settings.Change) -> bool:
    """Change the user's file under a fresh policy revision; False where it said so already.

    The file may be a link to one among the user's own; raises ``BadInput`` where it cannot be
    changed, or where somebody else changes it at the same moment.
    """
    folder, home = app.kit.data, app.kit.home
    path = folder / "config.toml"
    with app.alone():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        before = path.read_bytes() if path.exists() else None
        app.kit.revision()
        after = settings.changed(folder, change)
        if after == before:
            return False
        within = home if folder.is_relative_to(home) else folder
        outcome = files.replace(path, before, after, within=within)
        if not isinstance(outcome, files.Replaced):
            reason = outcome.reason if isinstance(outcome, files.Unsafe) else "it changed meanwhile"
            raise BadInput(f"{path} was not changed: {reason}.", hint="Look at it, then try again.")
        if not path.is_symlink():
            path.chmod(0o600)
        app.kit.revision()
    return True


def found_sessions(
    paths: Sequence[Path],
    *,
    here: Path,
    data: Path,
    projects: Iterable[Path] = (),
    known: Callable[[str], Known] | None = None,
) -> tuple[list[Opened], tuple[Path, ...]]:
    """Return session files below given paths, or in the agents' own places where none is given.

    With them come the files that look like sessions of nobody known. ``projects`` are folders
    whose own history is read besides that of ``here``. What is ``known`` of the files in the
    agents' own places is not looked into again.
    """
    folders = tuple(dict.fromkeys((here, *projects)))
    among: tuple[Source, ...] = places.sources(own=data, projects=folders)
    if paths:
        given = places.open_paths(paths, among)
        return [Opened(*each) for each in given], given.unknown
    return [Opened(*each) for each in places.discover(among, known or places.nothing)], ()


def project_folders(app: App) -> tuple[Path, ...]:
    """Return the folders of the projects that are known, as far as they are there."""
    known = app.kit.store.projects()
    return tuple(expand(project.root, app.kit.home) for project in known if not project.gone)


def session_homes(*, here: Path, data: Path) -> tuple[Path, ...]:
    """Return the agents' own places on this machine, as far as they are there."""
    among: tuple[Source, ...] = places.sources(own=data, projects=(here,))
    return tuple(home for source in among for home in source.homes())


def retentions(data: Path) -> tuple[Retention, ...]:
    """Return for each agent that deletes its own sessions after how long it does."""
    claude = session_start_hook(data)
    kept = [Retention("claude-code", "Claude Code", claude.kept_days(), RETENTION, claude.path)]
    settings = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini" / "settings.json"
    if days := gemini_settings.kept_days(settings):
        named = gemini_settings.RETENTION
        kept.append(Retention("gemini-cli", "Gemini CLI", days, named, settings))
    return tuple(kept)


def session_start_hook(data: Path) -> ClaudeSettings:
    """Return Claude Code's user settings, and the hook that belongs into them.

    The hook runs by its path, isolated and without ``site``: that is the fastest start, and the
    same for an editable and a normal installation.
    """
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    home = Path.home()
    folder = Path(chosen).expanduser().absolute() if chosen else home / ".claude"
    program = str(Path(__file__).with_name("faces") / "hook.py")
    line = [sys.executable, "-I", "-S", program, "session-start", "--client", "claude-code"]
    command = shlex.join([*line, "--data", str(data)])
    return ClaudeSettings(folder, command, data / "receipts", home)


def _known_project(store: Store, here: Path, home: Path) -> str:
    """Return the id of the project that a folder belongs to, where it is known.

    The session-start hook finds it by the same rules.
    """
    known = store.projects()
    roots = [expand(project.root, home) for project in known if project.root]
    found = projects.identify(str(here), home=home, known_roots=roots)
    if isinstance(found, Elsewhere):
        return ""
    owners = {key: project.id for project in known for key in project.keys}
    keys = (shorten_key(key, home) for key in found.keys)
    return next((owners[key] for key in keys if key in owners), "")


def _project_or_new(kit: Kit, here: Path) -> str:
    found = kit.place(Session("", "", cwd=str(here)), ())
    if isinstance(found, Elsewhere):
        raise BadInput(
            f"{here} is no project ({found.reason}).",
            hint="Run it in a project's folder, or name one with --project.",
        )
    return kit.adopt(found)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock that the system lets go of when the process ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(path, timeout=limits.BUSY_SECONDS, mode=0o600)
    try:
        with lock:
            yield
    except Timeout as error:
        raise Busy("Another Twice is at work here.", hint="Try again when it is done.") from error
