"""``twice status``: how things are."""

from pathlib import Path

import click

from twice.faces import reports
from twice.faces.options import as_json, emit, opened


@click.command("status")
@as_json
def command(machine: bool) -> None:
    """Show the mode that holds here and why, what waits, and the last dream.

    \b
    Examples:
      twice status
      twice status --json
    """
    with opened() as app:
        health = app.status(Path.cwd())
        if machine:
            emit({**reports.health(health), "data": str(app.kit.data)})
            return
        for line in reports.health_lines(health, app.kit.data):
            click.echo(line)
