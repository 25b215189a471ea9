"""Small sessions as an agent reports them, written by hand."""

from collections.abc import Sequence
from typing import Any

from tests.sources.samples import SESSION, TURNS, at, lines
from tests.sources.samples_chats import in_turn

SCHEMA = "twice.event/1"


def event(speaker: str, text: str, number: int = 0, /, **more: Any) -> dict[str, Any]:
    """Return an event of the sample session."""
    return {
        "schema": SCHEMA,
        "session": SESSION,
        "agent": "native",
        "at": at(number % 60),
        "speaker": speaker,
        "text": text,
        "id": f"event-{number}",
        "cwd": "/work/shop",
        "branch": "main",
    } | more


def typed(text: str, number: int = 0, /, **more: Any) -> dict[str, Any]:
    """Return what a person typed."""
    return event("human", text, number, **{"kind": "prompt"} | more)


def native_having(turns: Sequence[str]) -> bytes:
    """Return the sample session with these turns."""
    speakers = {"user": "human", "assistant": "agent"}
    said = [event(speakers[r], text, n) for n, (r, text) in enumerate(in_turn(turns))]
    return lines(said[0], event("tool", "always use yarn", 50, kind="tool.result"), *said[1:])


NATIVE = native_having(TURNS)
