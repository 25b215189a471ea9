"""Workflow plans, version 2: read-only agent tasks, each with a contract, in an acyclic order."""

from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

import msgspec

from twice.core.limits import WORKFLOW_BYTES, WORKFLOW_TASKS


class Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a task must reach, and that somebody else judges it. There are no host checks."""

    goal: str
    criteria: list[str]
    audit: Literal["independent"]
    checks: list[Any]


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One agent task that may read and must ask."""

    id: str
    kind: Literal["agent"]
    mode: Literal["read"]
    permission: Literal["ask"]
    prompt: str
    contract: Contract
    dependsOn: list[str] = []  # noqa: N815 - the plan's own key


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole plan."""

    version: Literal[2]
    name: str
    description: str
    tasks: list[Task]


def flaw(plan: dict[str, Any]) -> str:
    """Return what is wrong with a plan, in one line, or nothing."""
    if len(msgspec.json.encode(plan)) > WORKFLOW_BYTES:
        return f"the plan is larger than {WORKFLOW_BYTES} bytes"
    try:
        checked = msgspec.convert(plan, Plan)
    except msgspec.ValidationError as error:
        return str(error)
    return _flaw_of_tasks(checked.tasks)


def _flaw_of_tasks(tasks: list[Task]) -> str:
    names = [task.id for task in tasks]
    if not 1 <= len(tasks) <= WORKFLOW_TASKS:
        return f"a plan has 1 to {WORKFLOW_TASKS} tasks"
    if len(set(names)) != len(names):
        return "two tasks have the same id"
    for task in tasks:
        if task.contract.checks:
            return f"task {task.id} has host checks"
        contract = task.contract
        if not (
            task.id
            and task.prompt
            and contract.goal
            and contract.criteria
            and all(contract.criteria)
        ):
            return f"task {task.id or '?'} lacks an id, a prompt, a goal or criteria"
        if unknown := [name for name in task.dependsOn if name not in names]:
            return f"task {task.id} depends on {unknown[0]}, which does not exist"
    try:
        TopologicalSorter({task.id: task.dependsOn for task in tasks}).prepare()
    except CycleError:
        return "the tasks depend on each other in a circle"
    return ""
