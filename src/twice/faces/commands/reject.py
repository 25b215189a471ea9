"""``twice reject``: say no to one proposal."""

import click

from twice.faces import present
from twice.faces.options import as_json, decided, emit, expected_hash, opened


@click.command("reject")
@click.argument("id")
@click.option("--reason", default="", help="Why; kept with the rejection.")
@expected_hash
@as_json
def command(id: str, reason: str, expected: str, machine: bool) -> None:
    """Reject what waits. It stays rejected until new conversations support it.

    \b
    Examples:
      twice reject prp_49c1f02ab7 --reason "only for that one task"
    """
    with opened() as app:
        shown = decided(app, id, app.reject(id, reason=reason, expected=expected))
        if machine:
            emit(present.proposal(shown))
            return
        click.echo(present.line(shown))
        click.echo("It returns only with new evidence, once, marked as rejected before.")
