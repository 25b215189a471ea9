"""``twice project``: which projects are known, and which of them read as one."""

import sys
from collections.abc import Callable
from typing import Any

import click

from twice.actions.joining import Joining
from twice.core.ledger import Entry
from twice.core.proposals import Refusal
from twice.faces import identity
from twice.faces.cli import complain, refuse
from twice.faces.options import Branching, as_json, emit, opened

_sure = click.option("--yes", is_flag=True, help="Do it without asking.")
_dry = click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")


@click.command("list")
@as_json
def listing(machine: bool) -> None:
    """List every known project: where it lies, how it is known, and what was read of it.

    \b
    Examples:
      twice project list
      twice project list --json
    """
    with opened() as app:
        found = app.projects()
    if machine:
        emit(identity.projects(found))
        return
    click.echo("\n".join(identity.project_lines(found)))


@click.command("link")
@click.argument("project")
@click.argument("into")
@_sure
@_dry
@as_json
def link(project: str, into: str, yes: bool, dry_run: bool, machine: bool) -> None:
    """Let PROJECT read as INTO from now on, as after a move or in several repositories.

    Their sessions count together, and new ones in either are told the same. Each is named by its
    id, its name, or a folder of it, which may be gone. Undo it exactly: twice project unlink.

    \b
    Examples:
      twice project link ~/old/shop ~/code/shop
      twice project link prj_49c1f02ab7 shop --dry-run
    """
    with opened() as app:
        plan = app.plan_link(project, into)
        if isinstance(plan, Refusal):
            refuse(plan)
        if not machine:
            click.echo("\n".join(identity.joining_lines(plan)))
        entry = _carried_out(
            plan, app.link, "Join them", f"link {project} {into}", yes, dry_run, machine
        )
        if machine:
            emit(identity.joining(plan, entry))
        elif entry:
            click.echo(f"Joined (entry {entry.seq}). Undo: twice project unlink {entry.subject}")


@click.command("unlink")
@click.argument("project")
@_sure
@_dry
@as_json
def unlink(project: str, yes: bool, dry_run: bool, machine: bool) -> None:
    """Let PROJECT read as itself again, with all that was read and decided of it.

    What was filed for both while they were joined stays with the other one.

    \b
    Examples:
      twice project unlink ~/old/shop
      twice project unlink prj_49c1f02ab7 --yes --json
    """
    with opened() as app:
        plan = app.plan_unlink(project)
        if isinstance(plan, Refusal):
            refuse(plan)
        if not machine:
            click.echo("\n".join(identity.parting_lines(plan)))
        entry = _carried_out(
            plan, app.unlink, "Take them apart", f"unlink {project}", yes, dry_run, machine
        )
        if machine:
            emit(identity.parting(plan, entry))
        elif entry:
            click.echo(f"Taken apart (entry {entry.seq}).")


def _carried_out(
    plan: Joining,
    verb: Callable[[Joining], Entry | Refusal],
    question: str,
    command: str,
    yes: bool,
    dry_run: bool,
    machine: bool,
) -> Entry | None:
    """Carry out what was previewed, if a person wants it; return the ledger's entry of it."""
    if dry_run or (machine and not yes):
        click.echo("Dry run: nothing was changed.", err=machine)
        return None
    if not yes and not (sys.stdin.isatty() and click.confirm(f"{question}?")):
        complain("Nothing was changed.", f"twice project {command} --yes")
        raise click.exceptions.Exit(1)
    outcome = verb(plan)
    if isinstance(outcome, Refusal):
        refuse(outcome)
    return outcome


_OTHERS: dict[str, Any] = {"list": listing, "link": link, "unlink": unlink}


@click.command("project", cls=Branching, others=_OTHERS)
@as_json
@click.pass_context
def command(context: click.Context, machine: bool) -> None:
    """List the known projects, or tell which of them are one: list, link, unlink.

    A project is a git repository with all its worktrees and clones of one remote, or a folder.
    What was moved, renamed or spread over several repositories is joined by hand.

    \b
    Examples:
      twice project list
      twice project link ~/old/shop ~/code/shop
      twice project unlink ~/old/shop
    """
    context.invoke(listing, machine=machine)
