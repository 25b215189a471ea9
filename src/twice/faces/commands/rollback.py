"""``twice rollback``: undo one approval exactly."""

import click

from twice.faces import present
from twice.faces.options import as_json, decided, emit, expected_hash, opened


@click.command("rollback")
@click.argument("id")
@expected_hash
@click.option("--revision", type=int, help="The receipt's revision that you saw.")
@click.option("--gone", is_flag=True, help="Its file was removed by hand; take it back as it is.")
@as_json
def command(id: str, expected: str, revision: int | None, gone: bool, machine: bool) -> None:
    """Undo an approval exactly, in every mode. Files that you changed are never touched.

    \b
    Examples:
      twice rollback prp_49c1f02ab7
    """
    with opened() as app:
        shown = decided(
            app, id, app.roll_back(id, expected=expected, expected_revision=revision, gone=gone)
        )
        if machine:
            emit({**present.proposal(shown), "retired": present.retired(app.history(id))})
            return
        click.echo(present.line(shown))
        click.echo(present.undone(shown))
        for path in present.retired(app.history(id)):
            click.echo(f"Its file was moved to {path}")
