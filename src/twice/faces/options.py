"""Options that several commands share, and small helpers of the command line."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from twice.actions.showing import Shown
from twice.app import App
from twice.core.errors import BadInput
from twice.core.proposals import Refusal
from twice.core.states import State
from twice.faces.cli import refuse

as_json = click.option("--json", "machine", is_flag=True, help="Print JSON for scripts.")
of_project = click.option("--project", help="Only this project, by its name, id or folder.")
expected_hash = click.option(
    "--hash", "expected", default="", help="The review hash that you saw; another one is refused."
)


class Branching(click.Command):
    """A command that does something else where its first word says so.

    A file with such a name is meant by another spelling of its path: ``./turns``.
    """

    def __init__(self, *arguments: Any, others: Mapping[str, click.Command], **rest: Any) -> None:
        super().__init__(*arguments, **rest)
        self.others = others

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the arguments, as the command that the first of them names."""
        other = self.others.get(args[0]) if args else None
        if other is None:
            return super().make_context(info_name, args, parent, **extra)
        return other.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)


@contextmanager
def opened(**how: Any) -> Iterator[App]:
    """Open Twice for one command, and close it whatever happens."""
    from twice.wiring import open_app

    app = open_app(**how)
    try:
        yield app
    finally:
        app.close()


def emit(value: Any) -> None:
    """Print JSON values."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def emit_line(value: Any) -> None:
    """Print JSON values on one line, whatever a reader of lines takes for a line's end."""
    line = json.dumps(value, ensure_ascii=False)
    for end in ("\x85", "\u2028", "\u2029"):
        line = line.replace(end, f"\\u{ord(end):04x}")
    click.echo(line)


def decided(app: App, id: str, outcome: State | Refusal) -> Shown:
    """Return an item as it stands after a decision; say a refusal and leave with exit code 1."""
    shown = outcome if isinstance(outcome, Refusal) else app.show(id)
    if isinstance(shown, Refusal):
        refuse(shown)
    return shown


def project_id(app: App, wanted: str | None) -> str:
    """Return the id of a project named by a person, or of the one that the current folder is in.

    A project is named by its id, its name or its folder.
    """
    if wanted is None:
        if here := app.project_here():
            return here
        raise BadInput(
            "This folder is no project that Twice knows.",
            hint="Run it in a project's folder, or name one with --project.",
        )
    found = app.find_project(wanted)
    if isinstance(found, Refusal):
        refuse(found)
    return found.id


def moment_of(text: str, now: int) -> int:
    """Read a day (2026-01-31) or an age (7d, 12h) as UTC in microseconds; raise ``BadInput``."""
    units = {"d": "days", "h": "hours", "w": "weeks"}
    if text[:-1].isdigit() and text[-1:] in units and len(text) < 8:
        return now - int(timedelta(**{units[text[-1]]: int(text[:-1])}).total_seconds() * 1_000_000)
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"{text!r} is no day and no age.", hint="Write 2026-01-31 or 7d.") from error
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1_000_000)
