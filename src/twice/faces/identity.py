"""Projects, and which of them read as one, as JSON values and as text."""

from collections.abc import Sequence
from typing import Any

from twice.actions.joining import Joining, Listed
from twice.core.ledger import Entry
from twice.faces import present
from twice.faces.columns import WIDTH, quoted, shortened, wrapped

_KINDS = {"git": "git folder", "remote": "remote", "path": "folder"}


def project(item: Listed) -> dict[str, Any]:
    """Return one project with its own numbers as JSON values."""
    return {
        "id": item.project.id,
        "name": item.project.name,
        "folder": item.project.root,
        "gone": item.gone,
        "known_by": [{"kind": kind, "value": value} for kind, value in _known_by(item)],
        "sessions": item.sessions,
        "turns": item.turns,
        "first": present.moment(item.first),
        "last": present.moment(item.last),
        "waiting": item.waiting,
        "approved": item.approved,
    }


def _known_by(item: Listed) -> list[tuple[str, str]]:
    """Return what a project is known by, strongest first: a kind, and a folder or remote."""
    found = [key.partition(":") for key in item.project.keys]
    kinds = list(_KINDS)
    return [
        (_KINDS[kind], value)
        for kind, _, value in sorted(found, key=lambda key: (kinds.index(key[0]), key[2]))
    ]


def projects(found: Sequence[tuple[Listed, ...]]) -> dict[str, Any]:
    """Return every known project as JSON values, each with those that read as it."""
    return {
        "projects": [
            {
                **project(head),
                "joined": [
                    {**project(item), "since": present.moment(item.project.joined)}
                    for item in others
                ],
            }
            for head, *others in found
        ]
    }


def project_lines(found: Sequence[tuple[Listed, ...]]) -> list[str]:
    """Write every known project, each with its folder, so that equal names are told apart."""
    if not found:
        return ["No project is known yet. Next: twice dream"]
    lines: list[str] = []
    for head, *others in found:
        lines += ["", *_described(head, "")]
        for item in others:
            lines += [f"  joined {present.day(item.project.joined)}:", *_described(item, "    ")]
        if others:
            lines += wrapped(f"together: {_numbers([head, *others])}", "  ", "    ")
    return lines[1:]


def _described(item: Listed, indent: str) -> list[str]:
    lines = _short(item, indent)
    for kind, value in _known_by(item):
        if value != item.project.root:
            lines += quoted(f"known by {kind} {value}", f"{indent}  ")
    return lines


def _short(item: Listed, indent: str) -> list[str]:
    room = WIDTH - len(indent) - len(item.project.id) - 2
    return [
        f"{indent}{shortened(item.project.name, room)}  {item.project.id}",
        *quoted(item.project.root + (" (gone)" if item.gone else ""), f"{indent}  "),
        *wrapped(_numbers([item]), f"{indent}  ", f"{indent}    "),
    ]


def _numbers(items: Sequence[Listed]) -> str:
    sessions, turns, waiting, approved = (
        sum(numbers)
        for numbers in zip(
            *((item.sessions, item.turns, item.waiting, item.approved) for item in items),
            strict=True,
        )
    )
    first = min((item.first for item in items if item.first is not None), default=None)
    last = max((item.last for item in items if item.last is not None), default=None)
    days = sorted({present.day(at) for at in (first, last) if at is not None})
    counts = [present.counted(sessions, "session"), present.counted(turns, "human turn")]
    said = ", ".join([*counts, *([" to ".join(days)] if days else [])])
    return f"{said}; {waiting:,} waiting, {approved:,} approved"


def joining(plan: Joining, entry: Entry | None) -> dict[str, Any]:
    """Return what a link joins as JSON values; ``entry`` says that it was done."""
    return {
        "project": project(plan.this),
        "into": project(plan.that),
        "told": plan.told,
        "left_out": plan.left_out,
        "against": [list(pair) for pair in plan.against],
        "entry": entry.seq if entry else None,
    }


def joining_lines(plan: Joining) -> list[str]:
    """Write what a link would join, and what sessions would be told."""
    lines = [*_short(plan.this, ""), "reads from now on as", *_short(plan.that, ""), ""]
    lines += wrapped(_told(plan), "")
    for one, two in plan.against:
        lines += wrapped(f"{one} and {two} want different things: roll one back.", "! ", "  ")
    return lines


def _told(plan: Joining) -> str:
    if not plan.told:
        return "Nothing is approved in either of them yet."
    room = f"; {plan.left_out:,} more have no room" if plan.left_out else ""
    return f"New sessions in both are told {present.counted(plan.told, 'approved memory')}{room}."


def parting(plan: Joining, entry: Entry | None) -> dict[str, Any]:
    """Return what an unlink takes apart as JSON values; ``entry`` says that it was done."""
    return {
        "project": project(plan.this),
        "from": project(plan.that),
        "staying": list(plan.staying),
        "entry": entry.seq if entry else None,
    }


def parting_lines(plan: Joining) -> list[str]:
    """Write what an unlink would take apart, and what would stay."""
    lines = [*_short(plan.this, ""), "reads from now on as itself, and not any more as"]
    lines += _short(plan.that, "")
    if plan.staying:
        stays = f"Filed for both since then, and staying with {plan.that.label}: "
        lines += ["", *wrapped(stays + ", ".join(plan.staying), "")]
    return lines
