"""``twice status``: how things are."""

from pathlib import Path

import click

from twice.faces import present
from twice.faces.options import as_json, emit, opened


@click.command("status")
@as_json
def command(machine: bool) -> None:
    """Show the mode that holds here and why, what waits, and the last dream."""
    with opened() as app:
        health = app.status(Path.cwd())
        if machine:
            emit({**present.health(health), "data": str(app.kit.data)})
            return
        for line in present.health_lines(health, app.kit.data):
            click.echo(line)
