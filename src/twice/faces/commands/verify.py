"""``twice verify``: check everything against everything."""

import click

from twice.faces import present
from twice.faces.options import as_json, emit, opened


@click.command("verify")
@click.option("--rebuild", is_flag=True, help="Make the derived tables anew from the ledger first.")
@click.option("--secrets", is_flag=True, help="Scan every text that is kept for secrets as well.")
@as_json
def command(rebuild: bool, secrets: bool, machine: bool) -> None:
    """Check the ledger's chain, the texts, the derived tables and every published file.

    What was interrupted is finished. Exit 0: all is well. Exit 1: one line for each thing that
    needs a person.

    \b
    Examples:
      twice verify
      twice verify --secrets --json
      twice verify --rebuild
    """
    with opened() as app:
        verdict = app.verify(rebuild=rebuild, secrets=secrets)
    if machine:
        emit(
            {
                "sound": verdict.sound,
                "entries": verdict.entries,
                "receipts": verdict.receipts,
                "flaws": verdict.flaws,
                "mended": verdict.mended,
            }
        )
    else:
        for line in verdict.mended:
            click.echo(f"Mended: {line}.")
        if verdict.sound:
            entries = present.counted(verdict.entries, "ledger entry")
            files = present.counted(verdict.receipts, "published file")
            click.echo(f"All is well: {entries}, {files}.")
    for flaw in verdict.flaws if not machine else ():
        click.echo(flaw, err=True)
    if not verdict.sound:
        raise click.exceptions.Exit(1)
