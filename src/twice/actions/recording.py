"""Take in the events that an agent reports: check each, clean it, and keep what the mode allows.

Where text may be kept, a clean event goes to the spool, from where the next dream reads it. Where
only counts and hashes may be kept, events are held in memory and read at the end of the run, as a
dream reads a session; nothing of them is on disk. Where nothing may be kept, none is taken.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from twice.actions.keeping import is_forgotten
from twice.actions.kit import Kit, Opened, shorten
from twice.actions.reading import read
from twice.actions.spooling import erase_waiting
from twice.core import limits
from twice.core.encoding import encode
from twice.core.errors import BadInput
from twice.core.native import EVENT, LATEST, NATIVE, SCHEMA, SESSION_CHARS, NativeEvent, is_name
from twice.core.places import Elsewhere
from twice.core.policy import Effective, Mode
from twice.core.redaction import redact
from twice.core.transcript import Session

Given = bytes | Mapping[str, object] | None
"""An event as it is handed in: a line of JSON, or its fields; None where it is too long."""

FORGOTTEN = "its session was forgotten on your command"

_Of = tuple[str, str]  # an agent and its session


@dataclass(frozen=True, slots=True)
class About:
    """What is so of events that do not say it themselves."""

    agent: str = ""
    session: str = ""
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """An event that was not taken: its number, from 1, and why."""

    number: int
    reason: str


@dataclass(slots=True)
class Recording:
    """What became of the events of one run.

    ``kept`` wait for the next dream; of those ``observed`` there are counts and hashes, no text.
    ``sessions`` is how many they are part of, ``shortened`` how many had a longer text than is
    kept. ``refused`` were not taken; the first of them are ``named``. ``closed``: why none was.
    """

    kept: int = 0
    observed: int = 0
    sessions: int = 0
    shortened: int = 0
    refused: int = 0
    named: list[Refused] = field(default_factory=list)
    closed: str = ""

    def refuse(self, number: int, reason: str) -> None:
        """Count an event that is not taken, and name it where few were named before."""
        self.refused += 1
        if len(self.named) < limits.REFUSED_LISTED:
            self.named.append(Refused(number, reason))


def record(
    kit: Kit,
    batches: Iterable[Iterable[tuple[int, Given]]],
    *,
    effective: Effective,
    about: About,
) -> Recording:
    """Take in numbered events; those of a batch are safe on disk before the next one is asked for.

    ``effective`` is the mode of the user's side of the chain, without project and repository.
    """
    if effective.mode is Mode.OFF:
        return Recording(closed=f"the mode is off ({effective.reason})")
    recorder = _Recorder(kit, about)
    for batch in batches:
        for number, given in batch:
            recorder.take(number, given)
        recorder.flush()
    recorder.observe()
    return recorder.told()


class _Recorder:
    """What is known while events come in: where sessions belong, and what waits to be kept."""

    def __init__(self, kit: Kit, about: About) -> None:
        self._kit = kit
        self._about = about
        self._recording = Recording()
        self._run = kit.fresh("rec")
        self._forgotten = kit.store.forgotten()
        self._taken = self._bytes = self._held_bytes = 0
        self._sessions: set[_Of] = set()
        self._places: dict[tuple[str, str], str] = {}  # folder and remote, and the project's root
        self._folders: dict[_Of, str] = {}
        self._modes: dict[str, Effective] = {}
        self._waiting: dict[_Of, list[tuple[int, bytes]]] = {}
        self._held: dict[_Of, list[bytes]] = {}

    def take(self, number: int, given: Given) -> None:
        """Check one event and clean it; it is kept at the next flush."""
        try:
            event = self._checked(_event_of(given))
            of = (event.agent or NATIVE, event.session or "")
            mode = self._mode_of(of, event)
        except BadInput as fault:
            self._recording.refuse(number, fault.message)
            return
        line = msgspec.json.encode(event)
        self._bytes += len(line)
        if self._bytes > limits.RECORD_BYTES:
            mebibytes = limits.RECORD_BYTES // 1024 // 1024
            self._recording.refuse(number, f"more than {mebibytes} MiB in one run")
        elif mode.keeps_text:
            self._waiting.setdefault(of, []).append((number, line))
        else:
            self._hold(of, line)

    def flush(self) -> None:
        """Write to the spool what waits, session by session."""
        kept = {of for of, events in self._waiting.items() if self._append(of, events)}
        self._forgotten = self._kit.store.forgotten()
        late = {of for of in kept if is_forgotten(self._kit, of[1], self._forgotten)}
        if late:  # somebody had them forgotten while they were written
            erase_waiting(self._kit, {session for _, session in late})
        for of, events in self._waiting.items():
            if of in late:
                self._refuse(events, FORGOTTEN)
            elif of in kept:
                self._recording.kept += len(events)
                self._sessions.add(of)
            else:
                mebibytes = limits.RECORDED_BYTES // 1024 // 1024
                self._refuse(events, f"its session holds {mebibytes} MiB already")
        self._waiting.clear()
        self._modes.clear()

    def _append(self, of: _Of, events: list[tuple[int, bytes]]) -> bool:
        agent, session = of
        return self._kit.spool.append(agent, session, [line for _, line in events])

    def _refuse(self, events: list[tuple[int, bytes]], reason: str) -> None:
        for number, _ in events:
            self._recording.refuse(number, reason)

    def observe(self) -> None:
        """Read what is held in memory, as a dream does, and let go of it."""
        if self._held:
            lines = {f"held/{agent}/{id}": held for (agent, id), held in self._held.items()}
            read(self._kit, [Opened(self._kit.reported(lines), self._kit.data)])
            self._recording.observed += sum(map(len, self._held.values()))
            self._sessions |= self._held.keys()
        self._held, self._held_bytes = {}, 0

    def told(self) -> Recording:
        """Return what became of all events."""
        self._recording.sessions = len(self._sessions)
        return self._recording

    def _hold(self, of: _Of, line: bytes) -> None:
        self._held.setdefault(of, []).append(line)
        self._held_bytes += len(line)
        count = sum(map(len, self._held.values()))
        if count >= limits.HELD_EVENTS or self._held_bytes >= limits.HELD_BYTES:
            self.observe()

    def _checked(self, event: NativeEvent) -> NativeEvent:
        """Return an event as it may be kept: complete and clean."""
        about, kit = self._about, self._kit
        agent = event.agent or about.agent or NATIVE
        session = _identifier(event.session or about.session, "session")
        if event.schema not in (None, SCHEMA):
            raise BadInput(f"its schema is not {SCHEMA}")
        if not is_name(agent) or not is_name(event.kind or "x"):
            raise BadInput("its agent or its kind is no name")
        if not event.speaker:
            raise BadInput("it does not say who spoke")
        if not session:
            raise BadInput("it names no session")
        given = encode(event.text or "").decode()
        clean = redact(given, (str(kit.home),), (kit.home.name,)).text
        self._recording.shortened += len(clean) > limits.TURN_CHARS
        self._taken += 1
        return NativeEvent(
            schema=SCHEMA,
            session=session,
            agent=agent,
            at=kit.now() if event.at is None else _moment(event.at),
            speaker=event.speaker if is_name(event.speaker) else "harness",
            kind=event.kind,
            text=clean[: limits.TURN_CHARS],
            id=_identifier(event.id, "id") or f"{self._run}{self._taken:06x}",
            cwd=self._folder((agent, session), event.cwd),
            branch=_clean(event.branch),
            remote=_clean(event.remote),
            interrupted=event.interrupted,
        )

    def _folder(self, of: _Of, cwd: str | None) -> str | None:
        """Return the folder of an event as it is kept; a session stays where it was last."""
        folder = encode(cwd or self._folders.get(of) or self._about.cwd).decode()
        if not folder:
            return None
        if not Path(folder).is_absolute():
            raise BadInput("its cwd is no absolute path")
        self._folders[of] = folder
        return shorten(folder, self._kit.home)

    def _mode_of(self, of: _Of, event: NativeEvent) -> Mode:
        """Return what may be kept of an event; raise where nothing may."""
        kit, (agent, session) = self._kit, of
        if is_forgotten(kit, session, self._forgotten):
            raise BadInput(FORGOTTEN)
        where = (self._folders.get(of, ""), event.remote or "")
        if where not in self._places:
            place = kit.place(Session(session, agent, cwd=where[0], remote=where[1]), ())
            root = "" if isinstance(place, Elsewhere) else shorten(place.root, kit.home)
            self._places[where] = root
        root = self._places[where]
        if root not in self._modes:
            self._modes[root] = kit.mode_of(root)
        if self._modes[root].mode is Mode.OFF:
            raise BadInput(f"the mode is off there ({self._modes[root].reason})")
        return self._modes[root].mode


def _event_of(given: Given) -> NativeEvent:
    if given is None:
        raise BadInput(f"it is longer than {limits.EVENT_BYTES // 1024} KiB")
    try:
        if isinstance(given, bytes):
            return EVENT.decode(given.removeprefix(b"\xef\xbb\xbf"))
        plain = msgspec.to_builtins(dict(given), enc_hook=str, str_keys=True)
        event = msgspec.convert(plain, NativeEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"it is no event: {error}") from error
    if len(event.text or "") > limits.EVENT_BYTES:
        return _event_of(None)
    return event


@lru_cache(maxsize=64)  # a session's branch and remote seldom change
def _clean(text: str | None) -> str | None:
    return redact(encode(text).decode()).text if text else None


@lru_cache(maxsize=256)
def _identifier(text: str | None, what: str) -> str:
    """Return a name that others gave; raise where it may hold anything else."""
    text = encode(text or "").decode()
    if len(text) > SESSION_CHARS:
        raise BadInput(f"its {what} is longer than {SESSION_CHARS} characters")
    if any(unicodedata.category(character)[0] == "C" for character in text):
        raise BadInput(f"its {what} holds a character that cannot be seen")
    if redact(text).secrets:
        raise BadInput(f"a secret may stand in its {what}")
    return text


def _moment(at: str | int) -> int:
    """Return a time in microseconds of UTC; one without a zone is UTC."""
    try:
        if isinstance(at, str):
            time = datetime.fromisoformat(at.strip())
            time = time if time.tzinfo else time.replace(tzinfo=UTC)
            at = round(time.timestamp() * 1_000_000)
    except (ValueError, OverflowError) as error:
        raise BadInput("its time is none") from error
    if not 0 <= at < LATEST:
        raise BadInput("its time is none")
    return at
