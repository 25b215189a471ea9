"""``twice why``: from an item back to the words that taught it."""

import click

from twice.core.proposals import Refusal
from twice.faces import present
from twice.faces.cli import refuse
from twice.faces.options import as_json, emit, opened


@click.command("why")
@click.argument("item", metavar="ID-or-TEXT")
@as_json
def command(item: str, machine: bool) -> None:
    """Trace an item back to the words that taught it, and to who decided what.

    \b
    Examples:
      twice why prp_49c1f02ab7
      twice why "use pnpm"
    """
    with opened() as app:
        found = app.why(item)
        if isinstance(found, Refusal):
            refuse(found)
        if machine:
            emit({"items": [present.origin(each) for each in found]})
            return
        click.echo("\n\n".join(present.why(each) for each in found))
