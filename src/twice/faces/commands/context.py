"""``twice context``: what a new session is told."""

import click

from twice.core.limits import CONTEXT_CHARS
from twice.faces import present
from twice.faces.columns import shortened
from twice.faces.options import as_json, emit, of_project, opened, project_id


@click.command("context")
@of_project
@as_json
def command(project: str | None, machine: bool) -> None:
    """Show what a new session of this project is told, and what was left out.

    \b
    Examples:
      twice context
      twice context --project shop --json
    """
    with opened() as app:
        told = app.context(project_id(app, project))
        if machine:
            emit(present.told(told))
            return
        if not told.text:
            click.echo(f"Nothing is approved for {told.project} yet. Next: twice review")
            return
        click.echo(told.text, nl=False)
        size = f"{len(told.text):,} of {CONTEXT_CHARS:,} characters"
        click.echo(f"{present.counted(len(told.shown), 'item')}, {size}.", err=True)
        for item in told.left_out:
            click.echo(f"Left out for space: {shortened(item.text, 58)}", err=True)
