"""Events that an agent reports itself: the documented shape of one, and what it may hold.

``docs/formats/events.md`` says what each field means. Fields that are not here are for later
versions of the format, and are passed over.
"""

import re

import msgspec

from twice.core.transcript import Kind, Speaker

SCHEMA = "twice.event/1"
NATIVE = "native"
"""What an agent is called that does not say its name."""

SESSION_CHARS = 200
LATEST = 253_402_300_800_000_000
"""Microseconds of UTC at the end of the year 9999; what is later is no time."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HUMAN_KINDS = frozenset(Kind) - {Kind.REPLY}


class NativeEvent(msgspec.Struct, omit_defaults=True):
    """One event of a session, as it stands on one line."""

    schema: str | None = None
    session: str | None = None
    agent: str | None = None
    at: str | int | None = None
    speaker: str | None = None
    kind: str | None = None
    text: str | None = None
    id: str | None = None
    cwd: str | None = None
    branch: str | None = None
    remote: str | None = None
    interrupted: bool = False


EVENT = msgspec.json.Decoder(NativeEvent)


def event_in(line: bytes) -> NativeEvent | None:
    """Return the event on a line, or None where it is damaged."""
    try:
        return EVENT.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def is_name(text: str) -> bool:
    """Tell whether a text may be an agent's name, or that of a kind.

    >>> is_name("my-agent"), is_name("../my agent")
    (True, False)
    """
    return bool(_NAME.fullmatch(text))


def speaker_of(event: NativeEvent) -> Speaker:
    """Return who spoke; whoever is not known is the harness.

    >>> speaker_of(NativeEvent(speaker="butler"))
    <Speaker.HARNESS: 'harness'>
    """
    known = {str(speaker): speaker for speaker in Speaker}
    return known.get(event.speaker or "", Speaker.HARNESS)


def kind_of(event: NativeEvent) -> Kind:
    """Return how a person's words came into the session; typed and sent where it does not say."""
    known = {str(kind): kind for kind in _HUMAN_KINDS}
    return known.get(event.kind or "", Kind.PROMPT)
