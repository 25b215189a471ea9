"""Projects that were learned to the end: until something changes in them, nothing is to be done."""

import json
from collections.abc import Mapping

from twice.actions.kit import Kit
from twice.actions.proposing import Learned, learn
from twice.core.policy import Policy

_COUNTS = ("corrections", "preferences", "recurring", "opposed", "scheduled", "waiting")


def learn_what_changed(
    kit: Kit, project: str, policy: Policy, revision: str, notes: Mapping[str, str]
) -> Learned:
    """Learn a project, unless a note says that a second look would find the same.

    The store takes a note away with any change of the evidence and the decisions it rests on;
    the policy and the version of Twice stand in it.
    """
    mark = f"{kit.engine} {revision} {policy.mode}"
    if quiet := _recalled(notes.get(project, ""), mark):
        return quiet
    learned = learn(kit, project, policy)
    if not (learned.refused or learned.saved or learned.left_over):
        counts = {name: getattr(learned, name) for name in _COUNTS}
        counts["waiting"] += len(learned.filed)
        kit.store.note(project, json.dumps({"mark": mark, **counts}), after=learned.after)
    return learned


def _recalled(note: str, mark: str) -> Learned | None:
    """Return what a note says, or None where it is another time's."""
    found = json.loads(note) if note else {}
    if found.pop("mark", "") != mark:
        return None
    return Learned(**found)
