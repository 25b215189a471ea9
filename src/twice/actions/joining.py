"""Projects: which are known, and which of them read as one on a person's word."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from twice.actions.gating import in_force
from twice.actions.kit import Kit, retried, shorten, shorten_key
from twice.core.decisions import Decision
from twice.core.gates import contradicted, waits
from twice.core.joined import decide_link, decide_unlink, groups, labels
from twice.core.kept import KeptSession, KnownProject
from twice.core.ledger import Entry
from twice.core.lessons import Memory
from twice.core.places import Elsewhere
from twice.core.proposals import Refusal
from twice.core.recall import choose
from twice.core.states import IN_FORCE, State
from twice.core.transcript import Session


@dataclass(frozen=True, slots=True)
class Listed:
    """A project with its own numbers, without those of what was joined to it.

    ``first`` and ``last``, UTC in microseconds, span its sessions; ``joined`` is when it was
    joined to another. ``approved`` are its items in force.
    """

    project: KnownProject
    label: str
    gone: bool
    sessions: int
    turns: int
    first: int | None
    last: int | None
    waiting: int
    approved: int


def listed(kit: Kit) -> list[tuple[Listed, ...]]:
    """Return every known project, those that read as one together, by name."""
    known = kit.store.projects()
    describe = _describing(kit, known)
    found = [tuple(describe(project) for project in group) for group in groups(known)]
    return sorted(found, key=lambda group: (group[0].label.casefold(), group[0].project.id))


def _describing(kit: Kit, known: Sequence[KnownProject]) -> Callable[[KnownProject], Listed]:
    """Return what counts the rows of a project, after reading them all once."""
    revision, named = kit.revision(), labels(known)
    sessions: dict[str, list[KeptSession]] = {}
    for session in kit.store.sessions():
        sessions.setdefault(session.project, []).append(session)
    states: dict[str, list[State]] = {}
    for state in kit.store.states():
        states.setdefault(state.project, []).append(state)

    def describe(project: KnownProject) -> Listed:
        own, items = sessions.get(project.id, []), states.get(project.id, [])
        return Listed(
            project=project,
            label=named[project.id],
            gone=kit.is_gone(project.root),
            sessions=len(own),
            turns=sum(session.turns for session in own),
            first=min((s.started for s in own if s.started is not None), default=None),
            last=max((s.ended for s in own if s.ended is not None), default=None),
            waiting=sum(waits(state, revision) for state in items),
            approved=sum(state.status in IN_FORCE for state in items),
        )

    return describe


@dataclass(frozen=True, slots=True)
class Joining:
    """What a link would join, or an unlink take apart.

    ``this`` reads as ``that``. New sessions of both are told ``told`` memories while they are
    joined, ``left_out`` more have no room; ``against`` are approved memories of both that want
    different things. ``staying`` were filed since they were joined, and stay with ``that``.
    """

    this: Listed
    that: Listed
    told: int = 0
    left_out: int = 0
    against: tuple[tuple[str, str], ...] = ()
    staying: tuple[str, ...] = ()


def find(
    kit: Kit, wanted: str, among: Sequence[KnownProject] | None = None
) -> KnownProject | Refusal:
    """Return the project that a person names by its id, its name, or a folder of it.

    Of several with one name that read as one, it is the one that they read as. ``among`` are all
    known projects, unless told otherwise.
    """
    known = kit.store.projects() if among is None else among
    found = [project for project in known if project.id == wanted] or _named(kit, wanted, known)
    if len(found) > 1 and len({project.reads_as or project.id for project in found}) == 1:
        found = [project for project in found if not project.reads_as] or found
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"{project.id} ({project.root})" for project in found)
        reason = f"Several projects are named {wanted!r}."
        return Refusal("ambiguous", reason, f"Name one by its id: {ids}.")
    listed = ", ".join(sorted(labels(known).values())[:8]) or "none yet"
    return Refusal("unknown", f"There is no project {wanted!r}.", f"Known: {listed}.")


def _named(kit: Kit, wanted: str, known: Sequence[KnownProject]) -> list[KnownProject]:
    """Return the projects of a name or else of a folder, which a path is even if it is gone."""
    is_path = "/" in wanted or "\\" in wanted or wanted in (".", "..", "~")
    if not is_path and (found := [project for project in known if project.name == wanted]):
        return found
    path = wanted if "\\" in wanted else str(Path(wanted).expanduser().absolute())
    root = shorten(path, kit.home)
    if found := [project for project in known if project.root == root]:
        return found
    place = kit.place(Session("", "", cwd=path), ()) if is_path else Elsewhere("missing")
    if isinstance(place, Elsewhere):
        return []
    owners = {key: project for project in known for key in project.keys}
    keys = (shorten_key(key, kit.home) for key in place.keys)
    return [owners[key] for key in keys if key in owners][:1]


def plan_link(kit: Kit, this: str, that: str) -> Joining | Refusal:
    """Return what joining one project to another would do, touching nothing."""
    project, into = find(kit, this), find(kit, that)
    if isinstance(project, Refusal):
        return project
    if isinstance(into, Refusal):
        return into
    known = kit.store.projects()
    refused = decide_link(project.id, into.id, known=known, actor=kit.actor)
    if isinstance(refused, Refusal):
        return refused
    describe = _describing(kit, known)
    standing = [*kit.store.standing(project.id), *kit.store.standing(into.id)]
    context = choose(standing, name=into.name)
    return Joining(
        this=describe(project),
        that=describe(into),
        told=len(context.shown),
        left_out=len(context.left_out),
        against=tuple(_against(kit, project.id, into.id)),
    )


def _against(kit: Kit, this: str, that: str) -> list[tuple[str, str]]:
    """Return pairs of approved memories of two projects that want different things."""
    other = in_force(kit, that)
    pairs = ((item.id, contradicted(Memory(item.text), other, item.meaning))
             for item in in_force(kit, this))  # fmt: skip
    return [(one, two) for one, two in pairs if two]


def plan_unlink(kit: Kit, this: str) -> Joining | Refusal:
    """Return what taking a project apart again would do, touching nothing."""
    known = kit.store.projects()
    project = find(kit, this, [one for one in known if one.reads_as])
    if isinstance(project, Refusal) and project.code == "unknown":
        project = find(kit, this)
    if isinstance(project, Refusal):
        return project
    refused = decide_unlink(project.id, known=known, actor=kit.actor)
    if isinstance(refused, Refusal):
        return refused
    describe = _describing(kit, known)
    that = next(one for one in known if one.id == project.reads_as)
    since = project.joined or 0
    staying = (s.id for s in kit.store.states() if s.project == that.id and s.filed >= since)
    return Joining(describe(project), describe(that), staying=tuple(staying))


def link(kit: Kit, plan: Joining) -> Entry | Refusal:
    """Join what was previewed: from now on the one project reads as the other."""
    this, that = plan.this.project.id, plan.that.project.id
    return _append(kit, lambda known: decide_link(this, that, known=known, actor=kit.actor))


def unlink(kit: Kit, plan: Joining) -> Entry | Refusal:
    """Take apart what was previewed: the project reads as itself again."""
    this = plan.this.project.id
    return _append(kit, lambda known: decide_unlink(this, known=known, actor=kit.actor))


def _append(kit: Kit, decide: Callable[[Sequence[KnownProject]], Decision]) -> Entry | Refusal:
    def once() -> Entry | Refusal:
        after = kit.store.position()
        decision = decide(kit.store.projects())
        if isinstance(decision, Refusal):
            return decision
        (entry,) = kit.store.append(decision, after=after, at=kit.now())
        return entry

    return retried(once)
