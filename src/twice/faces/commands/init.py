"""``twice init``: look around, choose a mode, install the hook; or take it out again."""

import difflib
import sys
from pathlib import Path
from typing import Any

import click

from twice.actions.surveying import Survey, survey
from twice.core.errors import BadInput
from twice.core.policy import Mode
from twice.core.proposals import Refusal
from twice.core.redaction import redact
from twice.faces import reports
from twice.faces.cli import refuse
from twice.faces.options import as_json, emit, opened
from twice.outlets.claude_settings import Change, ClaudeSettings
from twice.settings import data_folder, read_user_file

MEANINGS = {
    Mode.OFF: "nothing is read, kept or proposed",
    Mode.OBSERVE: "count what recurs; no text is kept",
    Mode.SUGGEST: "keep redacted quotes and propose; you review everything",
    Mode.AUTO_SAFE: "as suggest, and approve the categories that you set to auto",
}


@click.command("init")
@click.option("--mode", type=click.Choice([str(mode) for mode in Mode]), help="How far to go.")
@click.option("--yes", is_flag=True, help="Ask nothing: keep the mode, off at first; no hook.")
@click.option(
    "--hook/--no-hook", default=None, help="Tell new sessions of Claude Code what you approved."
)
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@click.option("--uninstall", is_flag=True, help="Take the hook out: the exact bytes come back.")
@as_json
def command(
    mode: str | None, yes: bool, hook: bool | None, dry_run: bool, uninstall: bool, machine: bool
) -> None:
    """Find agents and sessions, choose a mode, install the hook. Run it as often as you like.

    \b
    Examples:
      twice init
      twice init --yes --mode suggest --hook
      twice init --dry-run --hook
      twice init --uninstall
    """
    from twice.wiring import found_sessions, now, session_start_hook

    asking = not (yes or dry_run or uninstall or (mode is not None and hook is not None))
    if asking and not sys.stdin.isatty():
        raise BadInput(
            "twice init asks questions, and there is no terminal to answer them.",
            hint="twice init --yes, with --mode and --hook as you want them.",
        )
    data = data_folder()
    settings = session_start_hook(data)
    if uninstall:
        _finish({"hook": _uninstall(settings, dry_run, machine)}, dry_run, machine, [])
        return
    agents = survey(found_sessions((), here=Path.cwd(), data=data)[0])
    _say(_found(agents), machine)
    chosen = _mode(data, mode, asking, dry_run, machine)
    done = _install(settings, now(), hook, asking, dry_run, machine)
    outcome = {
        "agents": [reports.survey(item) for item in agents],
        "mode": str(chosen),
        "hook": done,
    }
    _finish(outcome, dry_run, machine, _next(chosen, bool(agents)))


def _say(lines: list[str], machine: bool) -> None:
    for line in lines:
        click.echo(line, err=machine)


def _finish(outcome: dict[str, Any], dry_run: bool, machine: bool, lines: list[str]) -> None:
    if machine:
        emit({**outcome, "dry_run": dry_run})
        return
    _say(["Dry run: nothing was changed."] if dry_run else lines, machine)


def _found(agents: tuple[Survey, ...]) -> list[str]:
    if not agents:
        return ["No sessions of coding agents were found on this machine.", ""]
    return ["Found on this machine:", *map(reports.survey_line, agents), ""]


def _mode(data: Path, wanted: str | None, asking: bool, dry_run: bool, machine: bool) -> Mode:
    """Choose the mode and set it; without a wish or an answer it stays as it is."""
    from twice.wiring import change_setting

    current = read_user_file(data).file.evolution
    if wanted is None and asking:
        _say(["How far may Twice go?"], machine)
        _say([f"  {mode!s:<10} {meaning}" for mode, meaning in MEANINGS.items()], machine)
        choice = click.Choice([str(mode) for mode in Mode])
        wanted = click.prompt("Mode", type=choice, default=str(current), err=machine)
    chosen = Mode(wanted or current)
    if not dry_run and chosen is not current:
        with opened() as app:
            change_setting(app, lambda document: document.update({"evolution": str(chosen)}))
    _say([f"Mode: {chosen} ({MEANINGS[chosen]}).", ""], machine)
    return chosen


def _install(
    settings: ClaudeSettings,
    now: int,
    wanted: bool | None,
    asking: bool,
    dry_run: bool,
    machine: bool,
) -> dict[str, Any]:
    """Install the hook if it is wanted, after the exact change was shown."""
    outcome = {"path": str(settings.path), "command": settings.command}
    if wanted is False or (wanted is None and not asking):
        standing = "installed" if settings.is_installed() else "not installed"
        _say([f"Session-start hook for Claude Code: {standing}."], machine)
        return {**outcome, "standing": standing, "changed": False}
    planned = settings.installing(at=now)
    if isinstance(planned, Refusal):
        refuse(planned)
    if not isinstance(planned, Change):
        _say(["Session-start hook for Claude Code: installed already."], machine)
        return {**outcome, "standing": "installed", "changed": False}
    _say(["Session-start hook for Claude Code:", *_difference(planned)], machine)
    if wanted is None and not click.confirm("Write this?", default=True, err=machine):
        return {**outcome, "standing": "not installed", "changed": False}
    if not dry_run:
        _carry_out(settings, planned)
        _say([f"Installed in {settings.path}. Undo: twice init --uninstall"], machine)
    return {**outcome, "standing": "installed", "changed": True}


def _uninstall(settings: ClaudeSettings, dry_run: bool, machine: bool) -> dict[str, Any]:
    planned = settings.removing()
    if isinstance(planned, Refusal):
        refuse(planned)
    if not isinstance(planned, Change) or planned.before == planned.after:
        if isinstance(planned, Change) and not dry_run:
            _carry_out(settings, planned)
        _say(["There is no hook of Twice in the settings of Claude Code."], machine)
        return {"path": str(settings.path), "standing": "not installed", "changed": False}
    _say(_difference(planned), machine)
    if not dry_run:
        _carry_out(settings, planned)
        _say([f"Taken out of {planned.path}. Your data stays; so does the mode."], machine)
    return {"path": str(planned.path), "standing": "not installed", "changed": True}


def _carry_out(settings: ClaudeSettings, planned: Change) -> None:
    if (refusal := settings.carry_out(planned)) is not None:
        refuse(refusal)


def _difference(change: Change) -> list[str]:
    """Return the exact change as a diff; secrets in the lines around it are not shown."""
    before, after = (
        [line.rstrip("\r\n") for line in (data or b"").decode().splitlines(keepends=True)]
        for data in (change.before, change.after)
    )
    old = "/dev/null" if change.before is None else str(change.path)
    new = "/dev/null" if change.after is None else str(change.path)
    lines = difflib.unified_diff(before, after, old, new, n=2, lineterm="")
    return redact("\n".join(lines)).text.splitlines()


def _next(mode: Mode, found: bool) -> list[str]:
    if mode is Mode.OFF:
        return ["Next: twice dream --mode suggest   (reads for this once; the mode stays off)"]
    if not found:
        return ["Next: work with your agent, then: twice dream"]
    return ["Next: twice dream, then: twice review"]
