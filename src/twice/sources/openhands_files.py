"""Find the events of OpenHands: a file for each, in one folder for each session."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from twice.core import limits
from twice.sources.lines import BOM, decode
from twice.sources.openhands_records import METADATA, RECORD, STATE, Metadata, State

EVENTS = "events"
BY_ID = "v1_conversations"  # where the files of events are named by their ids alone

_NUMBERED = re.compile(r"(?:event-(\d{5,})-[0-9a-fA-F-]{8,}|(\d+))\.json")
_EVENT = rb'\{\s*"id"\s*:\s*(?:\d+|"[^"\\]+")\s*,\s*"timestamp"\s*:\s*"[^"\\]+"\s*,\s*"source"\s*:'
_ONE = re.compile(rb"\s*" + _EVENT)
_MANY = re.compile(rb"\s*\[\s*" + _EVENT)
_FIRST_BY_ID = re.compile(rb'\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"\\]*"|null)\s*,)*\s*"system_prompt"\s*:')
_PLACES = ("sessions", "conversations")
_CACHE = "event_cache"
_SUBAGENTS = "subagents"
_SESSION = re.compile(r"(?:trajectory[-_])?([0-9a-f][0-9a-f-]{22,})")
_HEX = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Numbered = list[tuple[int, Path]]


def homes_in(environ: Mapping[str, str]) -> list[Path]:
    """Return the folders that hold conversations of this machine, as far as they are there."""
    named = (environ.get(name) for name in ("FILE_STORE_PATH", "OH_PERSISTENCE_DIR"))
    kept = environ.get("OPENHANDS_PERSISTENCE_DIR")
    bases = [Path(base).expanduser() for base in (kept, *named) if base]
    bases += [Path.home() / ".openhands", Path.home() / ".openhands-state"]
    found = [Path(moved)] if (moved := environ.get("OPENHANDS_CONVERSATIONS_DIR")) else []
    for base in bases:
        found += [base / "sessions", base / "conversations", base / BY_ID]
        found += [*sorted(base.glob("users/*/conversations")), *sorted(base.glob(f"*/{BY_ID}"))]
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def is_first_event(path: Path) -> bool:
    """Tell whether a file stands for its session: it is the first event of those with numbers.

    >>> is_first_event(Path("a/events/0.json")), is_first_event(Path("a/events/1.json"))
    (True, False)
    """
    return path.parent.name == EVENTS and _number_of(path.name) == 0


def is_later_event(path: Path) -> bool:
    """Tell whether a file is part of a session that another file stands for, or of a subagent's."""
    if path.parent.name == EVENTS and (_number_of(path.name) or 0) > 0:
        return True
    return path.parent.name == _CACHE or is_of_a_subagent(path)


def is_of_a_subagent(path: Path) -> bool:
    """Tell whether an event is of a session that the agent had with another one."""
    return path.parent.name == EVENTS and path.parent.parent.parent.name == _SUBAGENTS


def is_session(path: Path, head: bytes) -> bool:
    """Tell from the name and the first bytes whether a file stands for a session."""
    if path.suffix != ".json" or is_later_event(path):
        return False
    head = head.removeprefix(BOM)
    if is_first_event(path):
        is_named = path.name.startswith("event-") or path.parent.parent.parent.name in _PLACES
        return is_named or bool(_ONE.match(head))
    if path.absolute().parent.parent.name == BY_ID:
        return bool(_FIRST_BY_ID.match(head))
    return bool(_MANY.match(head))


def is_document(path: Path) -> bool:
    """Tell whether a file holds all events of its session."""
    return not is_first_event(path) and path.absolute().parent.parent.name != BY_ID


def events_beside(path: Path) -> Numbered:
    """Return the events of a session under their numbers, in order."""
    folder = path.parent
    return _by_number(folder) if is_first_event(path) else list(enumerate(_by_time(folder)))


def stamp_of(path: Path) -> tuple[int, int]:
    """Return the bytes of all events of a session, and when the last of them was written."""
    events = [event for _, event in _by_number(path.parent)]
    stats = [event.stat() for event in events or path.parent.glob("*.json")]
    changed = max((stat.st_mtime_ns for stat in stats), default=0)
    return sum(stat.st_size for stat in stats), changed


def content_of(path: Path) -> bytes | None:
    """Return the bytes of a file, or None for one beyond the limit."""
    with path.open("rb") as file:
        data = file.read(limits.LINE_BYTES + 1)
    return data.removeprefix(BOM) if len(data) <= limits.LINE_BYTES else None


def id_in(path: Path) -> str:
    """Return the session's id as the name of its folder or file tells it, or nothing.

    >>> id_in(Path("sessions/ab12/events/0.json"))
    'ab12'
    """
    path = path.absolute()
    if is_document(path):
        found = _SESSION.fullmatch(path.stem)
        name = found[1] if found else ""
    else:
        name = (path.parent.parent if is_first_event(path) else path.parent).name
    return name.replace("-", "") if _HEX.fullmatch(name) else name


def state_beside(path: Path) -> State:
    """Return what the SDK notes of a session beside its events."""
    return decode(STATE, _small(path.parent.parent / "base_state.json"))[0] or State()


def metadata_beside(path: Path) -> Metadata:
    """Return what the server notes of a session beside its events."""
    return decode(METADATA, _small(path.parent.parent / "metadata.json"))[0] or Metadata()


def _number_of(name: str) -> int | None:
    found = _NUMBERED.fullmatch(name)
    return int(found[1] or found[2]) if found else None


def _by_number(folder: Path) -> Numbered:
    found: dict[int, Path] = {}
    for event in sorted(folder.iterdir()):
        number = _number_of(event.name)
        if number is not None:
            found.setdefault(number, event)
    return sorted(found.items())


def _by_time(folder: Path) -> Iterator[Path]:
    """Yield the events of a folder in the order of the times that stand in them.

    Those that cannot be read come last: they may not be whole yet.
    """
    times: list[tuple[bool, str, Path]] = []
    for event in folder.glob("*.json"):
        data = content_of(event)
        record, _ = decode(RECORD, data) if data else (None, "")
        times.append((record is None, str(record.timestamp if record else ""), event))
    yield from (path for *_, path in sorted(times))


def _small(path: Path) -> bytes:
    """Return the bytes of a note, or none where there is none that can be read."""
    with suppress(OSError):
        return content_of(path) or b""
    return b""
