"""``twice explain-text``: what is heard in a text, and why."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import click
import msgspec

from twice.core import limits
from twice.faces.cli import complain
from twice.faces.explaining import explained, explanation
from twice.faces.options import as_json, emit, emit_line
from twice.ports import Learner

Answer = Callable[[bytes], dict[str, Any]]


class _Text(msgspec.Struct):
    """A line of what is asked: a text, and what stood around it."""

    text: str
    previous: str | None = None
    lang: str | None = None


class _Pair(msgspec.Struct):
    """A line of what is asked: two wishes."""

    a: str
    b: str
    lang_a: str | None = None
    lang_b: str | None = None


@click.command("explain-text")
@click.argument("text", required=False)
@click.option("--previous", default="", help="What the agent said before.")
@click.option("--lang", default="", help="Two letters; told from the words, unless given.")
@click.option(
    "--stdin", "lines", is_flag=True, help="Read a JSON object a line: text, previous, lang."
)
@click.option("--pairs", is_flag=True, help="The same, of two wishes: how they relate.")
@as_json
def command(
    text: str | None, previous: str, lang: str, lines: bool, pairs: bool, machine: bool
) -> None:
    """Show what is heard in TEXT as a correction or a preference, and why.

    Nothing is kept. With --stdin, lines of {"text", "previous", "lang"} are read, with --pairs
    lines of {"a", "b"}; only the text and the pair must be there. Each is answered by one line of
    JSON; one that cannot be read by an object with "error", and the exit code is 1.

    \b
    Examples:
      twice explain-text "No, use pnpm instead of npm"
      twice explain-text "double quotes please" --previous "I used single quotes."
      echo '{"text": "use pnpm, not npm"}' | twice explain-text --stdin
      echo '{"a": "use tabs", "b": "never use tabs"}' | twice explain-text --pairs
    """
    from twice.wiring import learner

    hears = learner()
    if (text is None) == (not (lines or pairs)):
        raise click.UsageError("Give either TEXT, or --stdin or --pairs.")
    if text is not None:
        found = hears.explain(text, previous=previous, language=lang)
        if machine:
            emit(explanation(found, hears.reasons()))
        else:
            click.echo(explained(text, found, hears.reasons()))
        return
    if not _answer_all(sys.stdin.buffer, _relating(hears) if pairs else _explaining(hears)):
        raise click.exceptions.Exit(1)


def _explaining(hears: Learner) -> Answer:
    reasons, decoder = hears.reasons(), msgspec.json.Decoder(_Text)

    def answer(line: bytes) -> dict[str, Any]:
        asked = decoder.decode(line)
        previous, language = asked.previous or "", asked.lang or ""
        return explanation(hears.explain(asked.text, previous=previous, language=language), reasons)

    return answer


def _relating(hears: Learner) -> Answer:
    decoder = msgspec.json.Decoder(_Pair)

    def answer(line: bytes) -> dict[str, Any]:
        asked = decoder.decode(line)
        languages = asked.lang_a or "", asked.lang_b or ""
        return {"relation": str(hears.relation(asked.a, asked.b, languages=languages))}

    return answer


def _answer_all(file: BinaryIO, answer: Answer) -> bool:
    """Answer every line, one by one; tell whether all of them could be read."""
    wrong = 0
    for number, line in enumerate(_lines(file), start=1):
        try:
            emit_line(answer(line))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
            wrong += 1
            emit_line({"error": f"line {number}: {fault}"})
    if wrong:
        complain(f"{wrong:,} lines could not be read; each is answered with an error.")
    return not wrong


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not empty; of a longer one than the limit, what fits."""
    while line := file.readline(limits.LINE_BYTES):
        if line.strip():
            yield line
