"""Our group among the session-start hooks in the text of Claude Code's settings.

Everything here is text in, text out; nothing but our own group is ever written or cut.
"""

import json
from dataclasses import dataclass
from typing import Any

from twice.core.errors import BadInput
from twice.core.proposals import Refusal
from twice.outlets import jsonc
from twice.outlets.jsonc import Insertion, Part, Style

EVENT = "SessionStart"
TIMEOUT_SECONDS = 5
_PROGRAM = ("twice/faces/hook.py", "twice\\faces\\hook.py")
_BY_HAND = "twice hook session-start"


@dataclass(frozen=True, slots=True)
class Spliced:
    """Settings with the hook in them.

    ``insertions`` are what was put into the text without it. ``made`` is the outermost thing that
    is ours: the ``group``, the ``event`` around it, all ``hooks``, or the whole ``file``.
    """

    text: str
    insertions: tuple[Insertion, ...]
    made: str


@dataclass(frozen=True, slots=True)
class _Hook:
    """A hook that runs our program: which group it is in, its command, and if that is all ours."""

    group: int
    command: Part
    whole: bool


def group_of(command: str) -> dict[str, Any]:
    """Return the group that we put in; without a matcher it holds for every way to start."""
    handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    return {"hooks": [handler]}


def fresh(command: str) -> str:
    """Return settings that hold nothing but the hook."""
    return json.dumps({"hooks": {EVENT: [group_of(command)]}}, indent=2, ensure_ascii=False) + "\n"


def put_in(text: str, command: str, *, made: str = "group") -> Spliced | Refusal | None:
    """Return the settings with the hook, or None where they have it.

    A hook of ours with another command is renewed in its place; ``made`` is what was ours then.
    Raises ``BadInput`` where the text is malformed.
    """
    root = _root(text)
    standing = _ours(root)
    if any(hook.command.value != command for hook in standing):
        return _renewed(text, standing, command, made)
    if standing or any(_BY_HAND in str(handler.value) for _, handler in _commands(root)):
        return None
    return _added(text, root, command)


def take_out(text: str, made: str) -> str | Refusal | None:
    """Return the settings without the hook, or None where they do not have it.

    What stands around the hook goes with it if we made it and nothing else is in it. Raises
    ``BadInput`` where the text is malformed.
    """
    without = None
    while standing := _ours(_root(text)):
        cut = _bared(text, standing[0], made)
        if isinstance(cut, Refusal):
            return cut
        text = without = cut[0]
    return without


def holds(text: str) -> bool:
    """Tell whether the hook is in there; raise ``BadInput`` where the text is malformed."""
    return bool(_ours(_root(text)))


def _root(text: str) -> Part:
    if not text.strip("\ufeff \t\r\n"):
        raise BadInput("it is empty")
    root = jsonc.scan(text)
    if root.kind != "object":
        raise BadInput("it is no object")
    return root


def _inner(part: Part | None, name: str) -> Part | None:
    index = part.named(name) if part is not None else None
    return None if part is None or index is None else part.entries[index].part


def _commands(root: Part) -> list[tuple[int, Part]]:
    """Return the commands of all session-start hooks, each with the number of its group."""
    groups = _inner(_inner(root, "hooks"), EVENT)
    found = []
    for number, group in enumerate(groups.entries if groups else ()):
        handlers = _inner(group.part, "hooks")
        for handler in handlers.entries if handlers else ():
            command = _inner(handler.part, "command")
            if command is not None and isinstance(command.value, str):
                found.append((number, command))
    return found


def _ours(root: Part) -> list[_Hook]:
    groups = _inner(_inner(root, "hooks"), EVENT)
    found = []
    for number, command in _commands(root):
        assert groups is not None
        if any(program in str(command.value) for program in _PROGRAM):
            whole = groups.entries[number].part.plain() == _plain(group_of(str(command.value)))
            found.append(_Hook(number, command, whole))
    return found


def _plain(value: object) -> Any:
    """Return a value as the scanner gives it."""
    return jsonc.scan(json.dumps(value)).plain()


def _added(text: str, root: Part, command: str) -> Spliced | Refusal:
    group = group_of(command)
    hooks = _inner(root, "hooks")
    event = _inner(hooks, EVENT)
    if hooks is not None and hooks.kind != "object":
        return Refusal("shape", '"hooks" is no object there', "Mend it first; nothing was changed.")
    if event is not None and event.kind != "array":
        return Refusal("shape", f'"{EVENT}" is no list there', "Mend it first.")
    style = jsonc.style_of(text, root)
    if event is not None:
        insertions, made = _append(text, event, group, style), "group"
    elif hooks is not None:
        insertions, made = _append(text, hooks, [group], style, EVENT), "event"
    else:
        insertions, made = _append(text, root, {EVENT: [group]}, style, "hooks"), "hooks"
    spliced = jsonc.insert(text, insertions)
    expected = root.plain()
    expected.setdefault("hooks", {}).setdefault(EVENT, []).append(_plain(group))
    if jsonc.scan(spliced).plain() != expected:
        return Refusal("unsure", "it is laid out in a way that cannot be edited safely")
    return Spliced(spliced, tuple(insertions), made)


def _append(
    text: str, container: Part, value: object, style: Style, name: str | None = None
) -> list[Insertion]:
    def write(indent: str | None) -> str:
        return jsonc.written(value, style, indent, name=name)

    return jsonc.appended(text, container, write, style)


def _renewed(text: str, standing: list[_Hook], command: str, made: str) -> Spliced:
    """Write another command into hooks of ours, changing nothing else."""
    for hook in reversed(standing):
        string = json.dumps(command, ensure_ascii=False)
        text = text[: hook.command.start] + string + text[hook.command.end :]
    bared = _bared(text, _ours(_root(text))[0], made)
    return Spliced(text, () if isinstance(bared, Refusal) else tuple(bared[1]), made)


def _bared(text: str, hook: _Hook, made: str) -> tuple[str, list[Insertion]] | Refusal:
    """Cut one group of ours out; refuse where a person changed it."""
    if not hook.whole:
        return Refusal("edited", "the hook there was changed by hand", "Take it out by hand.")
    root = _root(text)
    container, number, expected = _outermost(text, root, hook, made)
    without, insertions = jsonc.cut_out(text, jsonc.cuts(text, container, number))
    if jsonc.scan(without).plain() != expected:
        return Refusal("unsure", "the hook cannot be taken out safely", "Take it out by hand.")
    return without, insertions


def _outermost(text: str, root: Part, hook: _Hook, made: str) -> tuple[Part, int, Any]:
    """Return the entry to cut: the group, or what we made around it if nothing else is in it.

    The last is what the settings say afterwards.
    """
    hooks = _inner(root, "hooks")
    event = _inner(hooks, EVENT)
    assert hooks is not None and event is not None
    expected = root.plain()
    del expected["hooks"][EVENT][hook.group]
    container, number = event, hook.group
    for outer, name, ours in (
        (hooks, EVENT, {"event", "hooks", "file"}),
        (root, "hooks", {"hooks", "file"}),
    ):
        index = outer.named(name)
        inner = text[container.start : container.entries[number].start]
        inner += text[container.entries[number].part.end : container.end]
        if made not in ours or index is None or inner.strip(" \t\r\n,[]{}"):
            break
        container, number = outer, index
        del (expected["hooks"] if outer is hooks else expected)[name]
    return container, number, expected
