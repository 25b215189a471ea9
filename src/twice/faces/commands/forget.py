"""``twice forget``: erase for good, after a preview."""

import sys

import click

from twice.core.proposals import Refusal
from twice.faces import present
from twice.faces.cli import complain, refuse
from twice.faces.options import as_json, emit, opened


@click.command("forget")
@click.argument("subject", metavar="SESSION-or-ID")
@click.option("--yes", is_flag=True, help="Erase without asking; without it a preview is shown.")
@as_json
def command(subject: str, yes: bool, machine: bool) -> None:
    """Erase a session or an item, and everything that rests on it alone.

    The agent's own log is not touched: remove it as well, or keep the session from being read
    again with --since.

    \b
    Examples:
      twice forget 0b7c2c1e-3f0a-4a52-9a57-2d2f6f5a8a11
      twice forget prp_49c1f02ab7 --yes
    """
    with opened() as app:
        plan = app.plan_forgetting(subject)
        if isinstance(plan, Refusal):
            refuse(plan)
        if not machine:
            click.echo("\n".join(present.forgetting(plan)))
        if not yes:
            if machine:
                emit({"preview": present.plan(plan), "erased": None})
                return
            if not sys.stdin.isatty() or not click.confirm("Erase this for good?"):
                complain("Nothing was erased.", f"twice forget {subject} --yes")
                raise click.exceptions.Exit(1)
        counts = app.forget(plan)
        if isinstance(counts, Refusal):
            refuse(counts)
        if machine:
            emit({"preview": present.plan(plan), "erased": counts})
            return
        click.echo(present.erased(counts))
