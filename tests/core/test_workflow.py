"""A plan is version 2 to the letter, or it is refused."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from tests.builders import plan

from twice.core import limits
from twice.core.workflow import flaw

Plan = dict[str, Any]


def test_a_plan_of_read_only_tasks_with_audits_holds() -> None:
    assert flaw(plan()) == ""


def _with(path: str, value: object) -> Callable[[Plan], None]:
    def change(plan: Plan) -> None:
        *way, last = path.split(".")
        here: Any = plan
        for key in way:
            here = here[int(key) if key.isdigit() else key]
        if value is None:
            del here[last]
        else:
            here[last] = value

    return change


DEVIATIONS = {
    "another version": _with("version", 1),
    "a version that is a text": _with("version", "2"),
    "no name": _with("name", None),
    "no description": _with("description", None),
    "another key": _with("schedule", "daily"),
    "no tasks": _with("tasks", []),
    "another kind": _with("tasks.0.kind", "shell"),
    "another mode": _with("tasks.0.mode", "write"),
    "another permission": _with("tasks.0.permission", "allow"),
    "another key in a task": _with("tasks.0.command", "rm"),
    "no prompt": _with("tasks.0.prompt", None),
    "an empty prompt": _with("tasks.0.prompt", ""),
    "no contract": _with("tasks.1.contract", None),
    "no goal": _with("tasks.0.contract.goal", ""),
    "no criteria": _with("tasks.0.contract.criteria", []),
    "an empty criterion": _with("tasks.0.contract.criteria", [""]),
    "no independent audit": _with("tasks.0.contract.audit", "self"),
    "host checks": _with("tasks.0.contract.checks", ["make test"]),
    "no list of checks": _with("tasks.0.contract.checks", None),
    "another key in a contract": _with("tasks.0.contract.host", True),
    "the same id twice": _with("tasks.1.id", "a"),
    "an empty id": _with("tasks.0.id", ""),
    "an unknown dependency": _with("tasks.1.dependsOn", ["z"]),
    "itself as dependency": _with("tasks.1.dependsOn", ["b"]),
    "a circle": _with("tasks.0.dependsOn", ["b"]),
    "too many bytes": _with("description", "x" * limits.WORKFLOW_BYTES),
}


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_a_plan_with_a_deviation_is_refused_in_one_line(deviation: str) -> None:
    changed = copy.deepcopy(plan())
    DEVIATIONS[deviation](changed)
    found = flaw(changed)
    assert found
    assert "\n" not in found


def test_a_plan_with_too_many_tasks_is_refused() -> None:
    changed: Plan = copy.deepcopy(plan())
    task = changed["tasks"][0]
    changed["tasks"] = [{**task, "id": f"t{n}"} for n in range(limits.WORKFLOW_TASKS + 1)]
    assert flaw(changed)
