"""``twice review``: walk through what waits."""

import sys

import click
import msgspec

from twice.actions.showing import Shown
from twice.app import App
from twice.core.errors import BadInput
from twice.core.lessons import Instruction, Lesson, Memory, Skill, Workflow
from twice.core.limits import LISTED
from twice.core.proposals import Refusal
from twice.core.states import Status
from twice.faces import present
from twice.faces.cli import complain, refuse
from twice.faces.options import as_json, decided, emit, of_project, opened, project_id

_WAITING = (Status.PENDING, Status.NEEDS_REBASE)
_QUOTES = 5  # shown before somebody asks for all


@click.command("review")
@click.argument("id", required=False)
@click.option("--list", "listing", is_flag=True, help="List instead of asking.")
@click.option("--status", help="Only this status, or all: pending, approved, rejected, stale, …")
@click.option("--refresh", is_flag=True, help="Look again at what ID would replace, first.")
@of_project
@as_json
def command(
    id: str | None,
    listing: bool,
    status: str | None,
    refresh: bool,
    project: str | None,
    machine: bool,
) -> None:
    """Walk through what waits: evidence, then approve, edit, reject or skip.

    With --list --json, scripts get the last 50 proposals of every status, newest first.

    \b
    Examples:
      twice review
      twice review prp_49c1f02ab7
      twice review --list --status pending
      twice review --list --json
    """
    with opened() as app:
        if id is not None:
            shown = decided(app, id, app.refresh(id)) if refresh else app.show(id)
            if isinstance(shown, Refusal):
                refuse(shown)
            found = [shown]
        else:
            of = project_id(app, project) if project else None
            limit = LISTED if listing or machine else None
            statuses = _statuses(status, every=machine)
            found = app.proposals(project=of, statuses=statuses, limit=limit)
        if machine:
            emit({"proposals": [present.proposal(item) for item in found]})
        elif listing or not sys.stdin.isatty():
            _list(found, detailed=id is not None)
        else:
            _walk(app, list(reversed(found)))


def _statuses(wanted: str | None, *, every: bool) -> tuple[Status, ...]:
    if wanted == "all" or (wanted is None and every):
        return ()
    if wanted is None:
        return (*_WAITING, Status.STALE, Status.BLOCKED)
    plain = wanted.replace("-", " ").replace("_", " ")
    if plain not in set(Status):
        known = ", ".join(str(status) for status in Status)
        raise BadInput(f"There is no status {wanted!r}.", hint=f"One of: {known}, all.")
    return (Status(plain),)


def _list(found: list[Shown], *, detailed: bool) -> None:
    for item in found:
        click.echo(present.card(item) if detailed else present.line(item))
    if not found:
        click.echo("Nothing waits.", err=True)


def _walk(app: App, found: list[Shown]) -> None:
    """Ask for each one that waits; what was decided elsewhere meanwhile is refused by its hash."""
    waiting = [item for item in found if item.status in _WAITING]
    if not waiting:
        for item in found:
            click.echo(present.card(item))
        click.echo("Nothing waits. twice review --list --status all shows what was decided.")
        return
    decided = 0
    for number, item in enumerate(waiting, 1):
        click.echo(f"\n{number} of {len(waiting)}\n\n{present.card(item, most=_QUOTES)}\n")
        answer = _ask(app, item)
        if answer == "q":
            break
        decided += answer in ("a", "r")
    left = len(waiting) - decided
    click.echo(f"\n{decided} decided, {left} still waiting. Undo any approval: twice rollback ID")


def _ask(app: App, item: Shown) -> str:
    """Ask until one proposal is decided or skipped; return the key."""
    while True:
        answer = click.prompt(_keys(item), default="s", show_default=False).strip().lower()[:1]
        match answer:
            case "m":
                click.echo("\n" + present.card(item) + "\n")
            case "a":
                if _approve(app, item):
                    return answer
            case "r":
                reason = click.prompt("Why not", default="", show_default=False)
                outcome = app.reject(item.state.id, reason=reason, expected=item.state.hash)
                if not _said(outcome):
                    click.echo("Rejected. It returns only with new evidence, once.")
                    return answer
            case "e" | "p":
                changed = _edited(app, item, positive=answer == "p")
                if changed is not None:
                    item = changed
                    click.echo("\n" + present.card(item, most=_QUOTES) + "\n")
            case "f" if item.status is Status.NEEDS_REBASE:
                if not _said(app.refresh(item.state.id)):
                    item = _again(app, item)
            case "s" | "q":
                return answer
            case _:
                complain(f"There is no answer {answer!r}; type the letter in brackets.")


def _again(app: App, item: Shown) -> Shown:
    """Show a proposal as it is now."""
    after = app.show(item.state.id)
    if isinstance(after, Refusal):
        return item
    click.echo("\n" + present.card(after, most=_QUOTES) + "\n")
    return after


def _keys(item: Shown) -> str:
    other = " [p]ositive wording" if item.content and item.content.positive else ""
    fresh = " re[f]resh" if item.status is Status.NEEDS_REBASE else ""
    more = max(len(item.evidence), len(item.against)) > _QUOTES
    return f"[a]pprove [e]dit{other}{fresh} [r]eject [s]kip{' [m]ore' if more else ''} [q]uit"


def _approve(app: App, item: Shown) -> bool:
    override = False
    if item.content is not None and item.content.flagged:
        override = click.confirm("It quotes a risky phrase. Approve it all the same?")
        if not override:
            return False
    outcome = app.approve(item.state.id, expected=item.state.hash, override=override)
    if _said(outcome):
        return False
    after = app.show(item.state.id)
    if not isinstance(after, Refusal):
        click.echo(present.effect(after))
    return True


def _said(outcome: object) -> bool:
    """Say a refusal, and tell whether there was one."""
    if isinstance(outcome, Refusal):
        complain(outcome.reason, outcome.hint)
        return True
    return False


def _edited(app: App, item: Shown, *, positive: bool) -> Shown | None:
    if item.content is None:
        return None
    if positive:
        text: str | None = item.content.positive
        if not text:
            complain("There is no other wording for this one.")
            return None
    else:
        text = _from_editor(_editable(item.content.lesson))
    lesson = _changed(item.content.lesson, text)
    if lesson is None or lesson == item.content.lesson:
        complain("Nothing was changed.")
        return None
    outcome = app.edit(item.state.id, lesson, expected=item.state.hash)
    if _said(outcome):
        return None
    after = app.show(item.state.id)
    return None if isinstance(after, Refusal) else after


def _from_editor(text: str) -> str | None:
    """Return a text as a person left it in the editor; None where nothing was saved."""
    try:
        return click.edit(text, extension=".md")
    except click.ClickException as error:
        complain(error.format_message(), "name an editor that works: export EDITOR=nano")
        return None


def _editable(lesson: Lesson) -> str:
    match lesson:
        case Memory(text=text) | Instruction(text=text):
            return text
        case Skill(body=body):
            return body
        case Workflow(plan=plan):
            return msgspec.json.format(msgspec.json.encode(plan)).decode()


def _changed(lesson: Lesson, text: str | None) -> Lesson | None:
    if text is None or not text.strip():
        return None
    match lesson:
        case Memory() | Instruction():
            return msgspec.structs.replace(lesson, text=text.strip())
        case Skill():
            return msgspec.structs.replace(lesson, body=text)
        case Workflow():
            try:
                return msgspec.structs.replace(lesson, plan=msgspec.json.decode(text, type=dict))
            except msgspec.DecodeError as error:
                complain(f"This is no JSON: {error}.")
                return None
