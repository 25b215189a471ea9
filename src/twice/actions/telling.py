"""What a session is told, and how things are."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twice.actions.kit import Kit
from twice.core.gates import waits
from twice.core.joined import heads, names
from twice.core.policy import Effective
from twice.core.recall import Context, Standing, choose


@dataclass(frozen=True, slots=True)
class Told:
    """What new sessions of a project are told: the text, what it shows, what did not fit."""

    project: str
    text: str
    shown: tuple[Standing, ...]
    left_out: tuple[Standing, ...]


def told(kit: Kit, project: str) -> Told:
    """Return what the session-start hook prints, and why the rest is not in it."""
    items = kit.store.standing(project)
    by_id = {item.id: item for item in items}
    head = heads(kit.store.projects()).get(project)
    name = head.name if head else project
    chosen: Context = choose(items, name=name)
    return Told(
        name,
        kit.store.context(project),
        tuple(by_id[id] for id in chosen.shown),
        tuple(by_id[id] for id in chosen.left_out),
    )


@dataclass(frozen=True, slots=True)
class Health:
    """How things are. Times are UTC in microseconds."""

    mode: Effective
    revision: str
    project: str
    waiting: int
    waiting_here: int
    in_force_here: int
    sessions: int
    last_dream: int | None
    agents: tuple[str, ...]


def health(kit: Kit, root: Path, project: str) -> Health:
    """Tell the effective mode for a folder, what waits, and the last dream."""
    revision = kit.revision()
    waiting = [state for state in kit.store.states() if waits(state, revision)]
    report = last_report(kit)
    sessions = kit.store.sessions()
    known = kit.store.projects()
    here = {state.id for state in kit.store.states(project=project)} if project else set()
    return Health(
        mode=kit.mode_of(str(root)),
        revision=revision,
        project=names(known).get(project, ""),
        waiting=len(waiting),
        waiting_here=sum(state.id in here for state in waiting),
        in_force_here=len(kit.store.standing(project)) if project else 0,
        sessions=len(sessions),
        last_dream=report["ended"] if report else None,
        agents=tuple(sorted({session.agent for session in sessions})),
    )


def last_report(kit: Kit) -> dict[str, Any] | None:
    """Return the report of the last dream."""
    data = kit.store.last_report()
    report: dict[str, Any] | None = json.loads(data) if data else None
    return report
