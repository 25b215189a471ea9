"""``twice record``: take in what an agent reports of its sessions."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from twice.actions.recording import About
from twice.core import limits
from twice.faces import reports
from twice.faces.cli import complain
from twice.faces.options import as_json, emit, opened

_BLOCK_BYTES = 256 * 1024

Numbered = list[tuple[int, bytes | None]]


@click.command("record")
@click.option("--agent", default="", help="The agent's name, of events that do not say it.")
@click.option("--session", default="", help="The session's id, of events that do not say it.")
@click.option(
    "--cwd",
    type=click.Path(path_type=Path),
    help="The folder that it works in, of events that do not say it; this one, unless given.",
)
@as_json
def command(agent: str, session: str, cwd: Path | None, machine: bool) -> None:
    """Take in the events that an agent reports itself: JSON on stdin, one event a line.

    Secrets and home folders are taken out of each before it is kept. The next dream reads them as
    it reads the sessions of other agents. In mode observe no text is kept, in mode off nothing.
    What is wrong with a line is said with its number; the others are kept all the same.

    \b
    Examples:
      echo '{"session": "s1", "speaker": "human", "text": "Use pnpm, not npm."}' |
        twice record --agent my-agent
      my-agent --events | twice record --agent my-agent --json
    """
    about = About(agent, session, str((cwd or Path.cwd()).absolute()))
    with opened() as app:
        told = app.record(_batches(sys.stdin.buffer), about)
    if told.closed:
        complain(f"Nothing was recorded and nothing is kept: {told.closed}.", "twice settings")
        raise click.exceptions.Exit(1)
    if machine:
        emit(reports.recording(told))
    else:
        click.echo(reports.recorded(told))
    for refused in told.named:
        complain(f"Line {refused.number}: {refused.reason}.")
    if told.refused > len(told.named):
        complain(f"{told.refused - len(told.named):,} more lines were refused.")
    if told.refused:
        raise click.exceptions.Exit(1)


def _batches(stream: BinaryIO) -> Iterator[Numbered]:
    """Yield the lines of a stream as soon as they come, numbered; None for one that is too long."""
    number = 1
    begun = bytearray()
    is_too_long = False
    while block := _some(stream):
        *ended, rest = block.split(b"\n")
        batch: Numbered = []
        for part in ended:
            begun += part
            line = None if is_too_long or len(begun) > limits.EVENT_BYTES else bytes(begun)
            if line is None or line.strip(b" \t\r\xef\xbb\xbf"):
                batch.append((number, line))
            number, begun, is_too_long = number + 1, bytearray(), False
        begun += rest
        if len(begun) > limits.EVENT_BYTES:
            begun, is_too_long = bytearray(), True
        if batch:
            yield batch
    if begun or is_too_long:
        yield [(number, None if is_too_long else bytes(begun))]


def _some(stream: BinaryIO) -> bytes:
    """Return what has come by now; nothing at the end."""
    read1 = getattr(stream, "read1", stream.read)
    found: bytes = read1(_BLOCK_BYTES)
    return found
