"""Write docs/reference/commands.md from the commands themselves: ``python -m tools.reference``."""

from pathlib import Path

import click

from twice.faces.cli import COMMANDS, twice
from twice.faces.options import Branching

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
HEAD = """\
# Commands

What each command says of itself with `--help`. Written by `python -m tools.reference`; do not edit.

```text
{help}
```
"""
PART = """
## `twice {name}`

```text
{help}
```
"""


def page() -> str:
    """Return the page."""
    whole = twice.make_context("twice", [], resilient_parsing=True)
    parts = [HEAD.format(help=_help(whole, twice))]
    for name in COMMANDS:
        command = twice.get_command(whole, name)
        assert command is not None
        context = command.make_context(name, [], parent=whole, resilient_parsing=True)
        parts.append(PART.format(name=name, help=_help(context, command)))
        for word, other in command.others.items() if isinstance(command, Branching) else ():
            full = f"{name} {word}"
            inner = other.make_context(full, [], parent=whole, resilient_parsing=True)
            parts.append(PART.format(name=full, help=_help(inner, other)))
    return "".join(parts)


def _help(context: click.Context, command: click.Command) -> str:
    context.max_content_width = context.terminal_width = 80
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
