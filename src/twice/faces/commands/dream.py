"""``twice dream``: the main job."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from twice.actions.reading import Progress, quiet
from twice.core.policy import Mode
from twice.faces import present, reports
from twice.faces.columns import plain, shortened
from twice.faces.options import as_json, emit, moment_of, of_project, opened, project_id


@click.command("dream")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--mode",
    type=click.Choice([str(mode) for mode in Mode]),
    help="Your consent for this one run; project and repository may lower it.",
)
@click.option("--since", help="Only files that changed since a day (2026-01-31) or age (7d).")
@of_project
@click.option("--dry-run", is_flag=True, help="Show what would be proposed; keep nothing.")
@click.option(
    "--otherwise",
    type=click.Path(path_type=Path, exists=True),
    help="Read this folder where no session is found on this machine.",
)
@as_json
def command(
    paths: tuple[Path, ...],
    mode: str | None,
    since: str | None,
    project: str | None,
    dry_run: bool,
    otherwise: Path | None,
    machine: bool,
) -> None:
    """Read what is new, learn from it, and file proposals.

    Without PATH, the sessions in the agents' own places on this machine are read.

    \b
    Examples:
      twice dream --mode suggest
      twice dream ~/code/shop/.specstory --mode suggest --json
      twice dream --since 7d --dry-run
    """
    from twice.wiring import found_sessions, project_folders

    run_mode = Mode(mode) if mode else None
    with opened(run_mode=run_mode, throwaway=dry_run) as app:
        before = app.met(pass_by=since is None)
        found, unknown = found_sessions(
            paths,
            here=Path.cwd(),
            data=app.kit.data,
            projects=project_folders(app),
            known=before.of,
        )
        if not (found or before.passed or paths) and otherwise is not None:
            say(f"No sessions found on this machine; reading {otherwise} instead.")
            found, unknown = found_sessions([otherwise], here=Path.cwd(), data=app.kit.data)
        elif otherwise is not None:
            files = len(found) + sum(passed.logs for passed in before.passed)
            say(f"Reading {present.counted(files, 'session file')} found on this machine.")
        only = frozenset({project_id(app, project)}) if project else None
        with _progress(machine) as progress:
            report = app.dream(
                found,
                before=before,
                since=moment_of(since, app.kit.now()) if since else None,
                only=only,
                progress=progress,
            )
        report["read"]["unknown"] = [str(path) for path in unknown]
        wanted = set(report["evolution"]["proposals"])
        shown = app.proposals(ids=wanted)
        if machine:
            emit(reports.report(report, shown))
            return
        click.echo(reports.dream(report, shown))
        if unknown:
            count = present.counted(len(unknown), "file")
            say(plain(f"{count} passed over, unknown or not readable; the first: {unknown[0]}"))
        if dry_run:
            say("Dry run: nothing was kept.")


def say(text: str) -> None:
    """Talk to the person, beside the data."""
    click.echo(text, err=True)


@contextlib.contextmanager
def _progress(machine: bool) -> Iterator[Progress]:
    """Show a bar while reading, where a person watches."""
    if machine or not sys.stderr.isatty():
        yield quiet
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def tell(done: int, total: int, path: Path) -> None:
            name = escape(shortened(path.name, 30))
            bar.update(task, completed=done, total=total, description=name)

        yield tell
