"""``twice sources``: what there is to learn from, and every human turn in it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from twice.actions.kit import Opened
from twice.actions.surveying import Said, Unread, as_typed, clean_for, overview, said
from twice.core.transcript import Skipped
from twice.faces import present, reports
from twice.faces.columns import plain
from twice.faces.options import Branching, as_json, emit, emit_line
from twice.settings import data_folder


@click.command("turns")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--raw", is_flag=True, help="Do not take secrets and home folders out.")
@as_json
def turns(paths: tuple[Path, ...], raw: bool, machine: bool) -> None:
    """Print every human turn in the sessions below PATHS, in their order.

    With --json, each turn is one JSON object on a line of its own. Nothing is kept.

    \b
    Examples:
      twice sources turns ~/.claude/projects
      twice sources turns examples/sessions --json
      twice sources turns session.jsonl --json --raw
    """
    found, unknown = _found(paths)
    if raw:
        _say("Not redacted: secrets and home folders are shown as they were typed.")
    session = ""
    skipped: Counter[str] = Counter()
    for item in said(found, as_typed if raw else clean_for(Path.home())):
        match item:
            case Said() if machine:
                emit_line(reports.said(item))
            case Said():
                if item.event.session != session:
                    session = item.event.session
                    click.echo(reports.said_in(item))
                click.echo("\n".join(reports.said_lines(item)))
            case Skipped(reason=reason):
                skipped[reason] += 1
            case Unread():
                _say(reports.unread(item))
    if skipped:
        _say("Passed over: " + ", ".join(f"{n:,} × {why}" for why, n in skipped.items()) + ".")
    if unknown:
        count = present.counted(len(unknown), "file")
        _say(f"{count} passed over, unknown or not readable; the first: {unknown[0]}")


@click.command("sources", cls=Branching, others={"turns": turns})
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@as_json
def command(paths: tuple[Path, ...], machine: bool) -> None:
    """Show which sessions lie on this machine or below PATHS, and what cannot be read.

    Nothing is kept, whatever the mode. Each agent is listed with the number of its session files,
    their size, and when the first and the last of them began. To see what was said in them:
    twice sources turns PATHS.

    \b
    Examples:
      twice sources
      twice sources ~/backup/claude --json
      twice sources turns examples/sessions --json
    """
    from twice.wiring import retentions, session_homes

    data = data_folder()
    seen = overview(*_found(paths or session_homes(here=Path.cwd(), data=data)))
    kept = retentions(data)
    if machine:
        emit(reports.overview(seen, kept))
        return
    where = "below the given paths" if paths else "on this machine"
    lines = reports.overview_lines(seen, kept, where=where, home=Path.home())
    click.echo("\n".join(lines))


def _found(paths: Sequence[Path]) -> tuple[list[Opened], tuple[Path, ...]]:
    from twice.wiring import found_sessions

    return found_sessions(paths, here=Path.cwd(), data=data_folder())


def _say(text: str) -> None:
    """Talk to the person, beside the data."""
    click.echo(plain(text), err=True)
