"""Projects that read as one: rows stay each project's own, and are asked for together."""

from collections.abc import Iterable, Sequence

from twice.core.joined import LINKED, UNLINKED
from twice.core.ledger import Draft, Entry
from twice.store.rows import Tables


def derive(tables: Tables, entry: Entry) -> None:
    """Bring the links up to date with an entry that joins a project or takes it apart."""
    if entry.kind == LINKED:
        row = {"project": entry.subject, "reads_as": entry.project, "at": entry.at}
        tables.put("links", [row])
    else:
        tables.delete("links", ("project", "=", entry.subject))


def head_of(tables: Tables, project: str) -> str:
    """Return the id of the project that one reads as: mostly itself."""
    found = tables.select("links", ("project", "=", project), columns=("reads_as",))
    return str(found[0]["reads_as"]) if found else project


def members(tables: Tables, project: str) -> list[str]:
    """Return the ids of all that read as one with a project, itself and their head among them."""
    head = head_of(tables, project)
    joined = tables.select("links", ("reads_as", "=", head), columns=("project",))
    return [head, *(row["project"] for row in joined)]


def concerned(tables: Tables, drafts: Sequence[Draft]) -> set[str]:
    """Return the ids of all projects for which what is about to be appended changes something."""
    joining = (draft for draft in drafts if draft.kind in (LINKED, UNLINKED))
    named = {draft.project for draft in drafts} | {draft.subject for draft in joining}
    return all_members(tables, named)


def all_members(tables: Tables, projects: Iterable[str]) -> set[str]:
    """Return the ids of all that read as one with any of some projects."""
    return {member for project in set(projects) for member in members(tables, project)}
