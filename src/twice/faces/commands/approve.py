"""``twice approve``: say yes to one proposal."""

import click

from twice.faces import present
from twice.faces.options import as_json, decided, emit, expected_hash, opened


@click.command("approve")
@click.argument("id")
@expected_hash
@click.option("--override", is_flag=True, help="Approve although it quotes a risky phrase.")
@as_json
def command(id: str, expected: str, override: bool, machine: bool) -> None:
    """Approve what waits: memories flow into the next session, skills become files.

    \b
    Examples:
      twice approve prp_49c1f02ab7
      twice approve prp_49c1f02ab7 --hash 5d1c… --json
    """
    with opened() as app:
        shown = decided(app, id, app.approve(id, expected=expected, override=override))
        if machine:
            emit(present.proposal(shown))
            return
        click.echo(present.line(shown))
        click.echo(present.effect(shown))
        click.echo(f"Undo it exactly: twice rollback {id}")
