"""``twice hook``: what an agent runs; the installed line runs the same program without us."""

import click

from twice.faces import hook
from twice.settings import data_folder


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("event")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def command(event: str, rest: tuple[str, ...]) -> None:
    """Answer an agent's hook: JSON on stdin, what the agent expects on stdout, always exit 0.

    EVENT is session-start (for --client claude-code); every other one is answered by silence.
    twice init installs a faster line that does the same.

    \b
    Examples:
      twice hook session-start --client claude-code
    """
    hook.run([event, *rest], data=str(data_folder()))
