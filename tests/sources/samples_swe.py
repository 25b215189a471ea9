"""Small trajectories of SWE-agent and mini-SWE-agent, written by hand in their own formats."""

import json
from collections.abc import Sequence
from typing import Any

from tests.sources.samples import REPLIES, TURNS

Message = dict[str, Any]

TEMPLATE = (
    "Please solve this issue: always use npm\n\nYou can execute bash commands and edit files."
)
REFUSED = "Commands not executed. The user rejected your commands with the following message: "


def said(role: str, content: Any, **more: Any) -> Message:
    """Return a message."""
    return {"role": role, "content": content} | more


def reply(text: str, seconds: float = 1_772_618_400.25) -> Message:
    """Return what mini's model replied, with its time."""
    return said("assistant", text, extra={"timestamp": seconds, "actions": [], "cost": 0.01})


def interrupted(text: str, how: str = "UserInterruption") -> Message:
    """Return what a person said to mini, as it was handed to the model."""
    return said("user", text, extra={"interrupt_type": how})


def mini(messages: Sequence[Message], **info: Any) -> bytes:
    """Return a trajectory of mini."""
    document = {"info": {"mini_version": "2.4.6"} | info, "messages": list(messages)}
    document["trajectory_format"] = "mini-swe-agent-1.1"  # type: ignore[assignment]
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def swe(history: Sequence[Message], **more: Any) -> bytes:
    """Return a trajectory of SWE-agent."""
    document = {"trajectory": [], "history": list(history), "info": {"exit_status": "submitted"}}
    return json.dumps(document | more, indent=2).encode()


def watched(turns: Sequence[str]) -> bytes:
    """Return a trajectory of mini without a template, so that all of its prompts are typed."""
    return mini([
        said("system", "You are a helpful assistant."),
        interrupted(f"The user added a new task: {turns[0]}", "UserNewTask"),
        reply(REPLIES[0]),
        interrupted(f"{REFUSED}{turns[1]}", "UserRejection"),
        said("user", "<returncode>0</returncode>\nalways use yarn", extra={"returncode": 0}),
        reply(REPLIES[1], 1_772_618_460.5),
        *(interrupted(f"Interrupted by user: {turn}") for turn in turns[2:]),
    ])  # fmt: skip


MINI = watched(TURNS)
SWE = [
    said("system", "SETTING: You are an autonomous programmer.", agent="main"),
    said("user", "Here is a demonstration. Always use npm.", agent="main", is_demo=True),
    said("user", "We're currently solving the following issue. Use npm.", agent="main"),
    said("assistant", "I look around.", agent="main", action="ls", thought="I look around."),
    said("user", "main.py\n(Open file: n/a)", agent="main"),
]
