"""Small sessions of OpenHands, written by hand in its own formats: older events, and the SDK's."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.sources.samples import DAY, REPLIES, SESSION, TURNS

Event = dict[str, Any]


def at(number: int) -> str:
    """Return a time of the sample day as OpenHands writes it, without a zone."""
    return f"{DAY}T10:{number // 60:02}:{number % 60:02}.000250"


def action(name: str, source: str = "agent", **args: Any) -> Event:
    """Return an action of the older kind."""
    return {"source": source, "message": "", "action": name, "args": args}


def observation(name: str, content: str = "", source: str = "agent", **extras: Any) -> Event:
    """Return an observation of the older kind."""
    what = {"source": source, "message": "", "observation": name}
    return what | {"content": content, "extras": extras}


def asked(text: str, **args: Any) -> Event:
    """Return what a person said, in an event of the older kind."""
    return action("message", "user", content=text, **args)


def answered(text: str) -> Event:
    """Return what the agent said, in an event of the older kind."""
    return action("message", content=text, wait_for_response=True)


def event(kind: str, source: str = "agent", **facts: Any) -> Event:
    """Return an event of the SDK."""
    return {"source": source, **facts, "kind": kind}


def parts(text: str) -> list[dict[str, str]]:
    """Return a text as the SDK keeps it."""
    return [{"type": "text", "text": text}]


def message(text: str, source: str = "user", **facts: Any) -> Event:
    """Return a message of the SDK."""
    role = "user" if source == "user" else "assistant"
    said = {"role": role, "content": parts(text)}
    return event("MessageEvent", source, llm_message=said, **facts)


def numbered(events: Sequence[Event]) -> list[Event]:
    """Return older events as they are written: each with its number and time."""
    return [{"id": n, "timestamp": at(n)} | each for n, each in enumerate(events)]


def named(events: Sequence[Event]) -> list[Event]:
    """Return the SDK's events as they are written: each with its id and time."""
    return [{"id": f"{n:08x}-{SESSION[9:]}", "timestamp": at(n)} | e for n, e in enumerate(events)]


def older(folder: Path, events: Sequence[Event], **metadata: Any) -> Path:
    """Write a session of the older kind; return the file that stands for it."""
    place = folder / "sessions" / SESSION.replace("-", "") / "events"
    place.mkdir(parents=True, exist_ok=True)
    (place.parent / "metadata.json").write_text(json.dumps(metadata))
    for each in numbered(events):
        (place / f"{each['id']}.json").write_text(json.dumps(each))
    return place / "0.json"


def newer(folder: Path, events: Sequence[Event], **state: Any) -> Path:
    """Write a session of the SDK; return the file that stands for it."""
    place = folder / "conversations" / SESSION.replace("-", "") / "events"
    place.mkdir(parents=True, exist_ok=True)
    facts = {"id": SESSION, "workspace": {"working_dir": "/work/shop"}} | state
    (place.parent / "base_state.json").write_text(json.dumps(facts))
    for number, each in enumerate(named(events)):
        (place / f"event-{number:05}-{each['id']}.json").write_text(json.dumps(each))
    return place / f"event-00000-{named(events)[0]['id']}.json"


def by_id(folder: Path, events: Sequence[Event]) -> Path:
    """Write a session as the newer server keeps it; return the file that stands for it."""
    place = folder / "v1_conversations" / SESSION.replace("-", "")
    place.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(named(events)):
        name = f"{(number * 7919) % 256:02x}{each['id'].replace('-', '')[2:]}.json"
        (place / name).write_text(json.dumps(each, indent=2))
    first = named(events)[0]["id"].replace("-", "")
    return place / f"00{first[2:]}.json"


def trajectory(turns: Sequence[str]) -> bytes:
    """Return a session of the older kind as it is downloaded."""
    events = [
        action("system", content="You are OpenHands agent."),
        asked(turns[0]),
        action("recall", "user", recall_type="workspace_context", query=turns[0]),
        action("run", command="npm i", thought=REPLIES[0]),
        observation("run", "always use yarn"),
        *(asked(turns[1]), answered(REPLIES[1])),
        *(asked(turn) for turn in turns[2:]),
    ]
    return json.dumps(numbered(events), indent=2, ensure_ascii=False).encode()


OPENHANDS = trajectory(TURNS)
SYSTEM = event("SystemPromptEvent", system_prompt=parts("You are OpenHands agent.")[0], tools=[])
NEWER = [
    SYSTEM,
    message(TURNS[0], extended_content=parts("always use yarn"), activated_skills=["npm"]),
    event("ActionEvent", thought=parts(REPLIES[0]), action={"kind": "TerminalAction"}),
    event("ObservationEvent", "environment", observation={"content": parts("use yarn")}),
    message(TURNS[1]),
    message(REPLIES[1], "agent"),
    message(TURNS[2]),
]
