"""Keep the ledger's record of what the user allows in step with the user's file."""

from collections.abc import Mapping

from twice.actions.kit import retried
from twice.core.decisions import decide_policy
from twice.core.policy import Policy
from twice.ports import Store


def record_policy(
    store: Store,
    policy: Policy,
    *,
    projects: Mapping[str, str],
    at: int,
    revision: str,
    actor: str,
) -> str:
    """Return the current revision; record ``revision`` where the policy is not the last one."""

    def once() -> str:
        after = store.position()
        recorded = store.policy()
        plain = {**policy.plain(), "projects": dict(projects)}
        if recorded is not None and recorded.plain == plain:
            return recorded.revision
        draft = decide_policy(policy, revision=revision, projects=dict(projects), actor=actor)
        store.append([draft], after=after, at=at)
        return revision

    return retried(once)
