"""``twice propose``: hand in a candidate."""

from typing import Any

import click
import msgspec

from twice.actions.proposing import Handed
from twice.core import limits
from twice.core.errors import BadInput
from twice.core.lessons import Lesson
from twice.core.proposals import Refusal
from twice.faces import present
from twice.faces.cli import complain
from twice.faces.options import as_json, emit, of_project, opened, project_id


@click.command("propose")
@click.option("--file", "file", type=click.File("rb"), required=True, help="JSON; - for stdin.")
@of_project
@as_json
def command(file: Any, project: str | None, machine: bool) -> None:
    """Hand in a candidate; it passes the same gates and waits for review.

    The file holds one candidate, a list of them, or {"candidates": [...]}. One is
    {"kind": "memory", "text": "…", "category": "project.commands"} or a skill (name,
    description, body), an instruction (text), a workflow (name, plan); "evidence" may
    cite anchors of turns that were read. One bad candidate never sinks the others.

    \b
    Examples:
      twice propose --file candidates.json --project shop
      echo '{"kind": "memory", "text": "Never deploy on Fridays."}' |
        twice propose --file -
    """
    parts = _parts(file.read(limits.CANDIDATE_FILE_BYTES + 1))
    with opened() as app:
        here = project_id(app, project) if project else app.project_or_new()
        outcomes = [_hand_in(app, here, part) for part in parts]
        ids = {outcome.id for outcome in outcomes if not isinstance(outcome, Refusal)}
        shown = {item.state.id: item for item in app.proposals(ids=ids)}
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refusal)]
    if machine:
        emit(
            {
                "proposals": [present.proposal(item) for item in shown.values()],
                "refused": [{"code": r.code, "reason": r.reason} for r in refused],
            }
        )
    else:
        for item in shown.values():
            click.echo(present.line(item))
        for refusal in refused:
            complain(f"Refused: {refusal.reason}.", refusal.hint)
        if shown:
            click.echo("Next: twice review")
    if refused:
        raise click.exceptions.Exit(1)


def _hand_in(app: Any, project: str, part: Any) -> Any:
    try:
        return app.hand_in(project, _handed(part))
    except msgspec.ValidationError as error:
        return Refusal("malformed", f"the candidate is malformed: {error}")


def _handed(part: Any) -> Handed:
    if not isinstance(part, dict):
        raise msgspec.ValidationError("Expected an object")
    evidence = msgspec.convert(part.pop("evidence", ()), tuple[str, ...])
    lesson: Lesson = msgspec.convert(part, Lesson)
    return Handed(lesson, evidence)


def _parts(data: bytes) -> list[Any]:
    """Return the candidates of a file; raise ``BadInput`` where it holds none."""
    if len(data) > limits.CANDIDATE_FILE_BYTES:
        raise BadInput(f"The file is larger than {limits.CANDIDATE_FILE_BYTES:,} bytes.")
    try:
        value = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"The file is no JSON: {error}.", hint="twice propose --help") from error
    if isinstance(value, dict) and "candidates" in value:
        value = value["candidates"]
    parts = value if isinstance(value, list) else [value]
    if not parts or len(parts) > limits.WAITING:
        raise BadInput(f"A file holds 1 to {limits.WAITING} candidates.")
    return parts
