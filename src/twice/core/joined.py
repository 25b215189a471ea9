"""Projects that read as one: which they are, what they are called, and who may be joined."""

from collections import Counter
from collections.abc import Iterable, Sequence

from twice.core.decisions import Decision
from twice.core.kept import KnownProject
from twice.core.ledger import Draft
from twice.core.limits import JOINED
from twice.core.proposals import Refusal

LINKED, UNLINKED = "project.linked", "project.unlinked"


def groups(known: Iterable[KnownProject]) -> list[tuple[KnownProject, ...]]:
    """Return the projects that read as one, together: first the one that gives them its name."""
    found: dict[str, list[KnownProject]] = {}
    for project in sorted(known, key=lambda project: bool(project.reads_as)):
        found.setdefault(project.reads_as or project.id, []).append(project)
    return [tuple(group) for group in found.values()]


def heads(known: Iterable[KnownProject]) -> dict[str, KnownProject]:
    """Return for the id of each project the one that it reads as: mostly itself."""
    return {project.id: group[0] for group in groups(known) for project in group}


def labels(known: Sequence[KnownProject]) -> dict[str, str]:
    """Return a name for the id of each project that no other has: with its folder, if need be.

    >>> labels([KnownProject("a", "app", "~/a", False), KnownProject("b", "app", "~/b", False)])
    {'a': 'app (~/a)', 'b': 'app (~/b)'}
    """
    often = Counter(project.name for project in known)
    return {
        project.id: f"{project.name} ({project.root})" if often[project.name] > 1 else project.name
        for project in known
    }


def names(known: Sequence[KnownProject]) -> dict[str, str]:
    """Return for the id of each project what people are shown: the name of what it reads as."""
    first = heads(known)
    own = labels(list({head.id: head for head in first.values()}.values()))
    return {id: own[head.id] for id, head in first.items()}


def decide_link(project: str, into: str, *, known: Sequence[KnownProject], actor: str) -> Decision:
    """Let one project read as another from now on; its rows stay its own.

    Two deep at most: what gives others its name reads as itself.
    """
    named, reads_as = labels(known), {one.id: one.reads_as for one in known}
    this, that = named[project], named[into]
    if project == into:
        return Refusal("same", f"Not joined: {this} is one project already.", "twice project list")
    if reads_as[project]:
        other = named[reads_as[project]]
        return _not(f"{this} reads as {other} already", f"twice project unlink {project}")
    if reads_as[into] == project:
        return _not(f"{that} reads as {this} already", f"twice project unlink {into}")
    if reads_as[into]:
        other = named[reads_as[into]]
        hint = f"twice project link {project} {reads_as[into]}"
        return _not(f"{that} reads as {other} itself", hint)
    joined = [one for one in known if one.reads_as == project]
    if joined:
        others = ", ".join(named[one.id] for one in joined[:3])
        hint = f"twice project unlink {joined[0].id}, then join each of them."
        return _not(f"{this} has others in it: {others}", hint)
    if sum(one.reads_as == into for one in known) >= JOINED:
        return _not(f"{that} has {JOINED} others in it, which is the limit", "twice project list")
    return (Draft(LINKED, project, into, actor, {"into": into}),)


def decide_unlink(project: str, *, known: Sequence[KnownProject], actor: str) -> Decision:
    """Let a project read as itself again."""
    found = next(one for one in known if one.id == project)
    if not found.reads_as:
        joined = [one for one in known if one.reads_as == project]
        hint = f"twice project unlink {joined[0].id}" if joined else "twice project list"
        reason = f"Not taken apart: {labels(known)[project]} reads as itself."
        return Refusal("apart", reason, hint)
    return (Draft(UNLINKED, project, found.reads_as, actor, {"from": found.reads_as}),)


def _not(reason: str, hint: str) -> Refusal:
    return Refusal("joined", f"Not joined: {reason}.", hint)
