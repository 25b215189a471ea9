"""JSON as people write it, read with the place of every part, and edited by splicing text.

Comments and trailing commas are read as white space, so that a file that has them keeps them.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from twice.core.errors import BadInput

_DEPTH = 200
_STRING = json.JSONDecoder()
_NOTHING = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_COMMENTS_OF_LINE = re.compile(r"(?:[ \t]*(?:/\*[^\r\n]*?\*/|//[^\r\n]*))*")


class Scalar(NamedTuple):
    """A number, truth value or null, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """One value and where it stands in the text.

    ``value`` is a string, a ``Scalar``, or None for what has ``entries``.
    """

    start: int
    end: int
    kind: str  # "object", "array" or "scalar"
    value: str | Scalar | None = None
    entries: tuple["Entry", ...] = ()

    def named(self, name: str) -> int | None:
        """Return which entry has a name; the last of several holds, as for every JSON reader."""
        found = [index for index, entry in enumerate(self.entries) if entry.name == name]
        return found[-1] if found else None

    def plain(self) -> Any:
        """Return the value alone, for comparing."""
        if self.kind == "object":
            return {entry.name: entry.part.plain() for entry in self.entries}
        if self.kind == "array":
            return [entry.part.plain() for entry in self.entries]
        return self.value


@dataclass(frozen=True, slots=True)
class Entry:
    """One value in an object or array; ``start`` is where its name starts, if it has one.

    ``comma`` is where the comma after it stands, or None.
    """

    start: int
    name: str | None
    part: Part
    comma: int | None


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text to insert at a place, counted in characters of the text before any insertion."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is laid out: its line end, one step of indentation, all on one line or not."""

    newline: str
    step: str
    one_line: bool


def scan(text: str) -> Part:
    """Read a text; raise ``BadInput`` that names the line where it is malformed."""
    root = _value(text, _skip(text, int(text.startswith("\ufeff"))), 0)
    end = _skip(text, root.end)
    if end != len(text):
        raise _flaw(text, end, "something follows after the end")
    return root


def _skip(text: str, at: int) -> int:
    found = _NOTHING.match(text, at)
    assert found is not None
    return found.end()


def _flaw(text: str, at: int, what: str) -> BadInput:
    return BadInput(f"line {text.count(chr(10), 0, at) + 1}: {what}")


def _value(text: str, at: int, depth: int) -> Part:
    if depth > _DEPTH:
        raise _flaw(text, at, "it is nested too deeply")
    first = text[at : at + 1]
    if first and first in "{[":
        return _container(text, at, depth)
    if first == '"':
        value, end = _string(text, at)
        return Part(at, end, "scalar", value)
    found = _SCALAR.match(text, at)
    if found is None:
        raise _flaw(text, at, "a value is missing")
    return Part(at, found.end(), "scalar", Scalar(found.group()))


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _STRING.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _flaw(text, at, "a string is malformed") from error
    return str(value), end


def _container(text: str, start: int, depth: int) -> Part:
    kind, close = ("object", "}") if text[start] == "{" else ("array", "]")
    entries: list[Entry] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        if entries and entries[-1].comma is None:
            raise _flaw(text, at, "a comma or a closing bracket is missing")
        entry = _entry(text, at, kind, depth)
        entries.append(entry)
        at = _skip(text, entry.part.end if entry.comma is None else entry.comma + 1)
    return Part(start, at + 1, kind, None, tuple(entries))


def _entry(text: str, at: int, kind: str, depth: int) -> Entry:
    name, start = None, at
    if kind == "object":
        if text[at : at + 1] != '"':
            raise _flaw(text, at, "a name in quotes is missing")
        name, end = _string(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise _flaw(text, colon, "a colon is missing")
        at = _skip(text, colon + 1)
    part = _value(text, at, depth + 1)
    comma = _skip(text, part.end)
    return Entry(start, name, part, comma if text[comma : comma + 1] == "," else None)


def style_of(text: str, root: Part) -> Style:
    """Return how a text is laid out; two spaces where it does not show."""
    step = _indentation(text, root.entries[0].start) if root.entries else None
    return Style(
        newline="\r\n" if "\r\n" in text else "\n",
        step=step or "  ",
        one_line=bool(root.entries) and "\n" not in text[root.start : root.end],
    )


def _indentation(text: str, at: int) -> str | None:
    """Return the white space before a place, or None where something else stands in its line."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return None if before.strip(" \t") else before


def written(value: object, style: Style, indent: str | None, *, name: str | None = None) -> str:
    """Write a value, with its name if it has one; on one line where ``indent`` is None."""
    head = "" if name is None else json.dumps(name) + ": "
    if indent is None:
        return head + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=style.step)
    return head + lines.replace("\n", style.newline + indent)


Write = Callable[[str | None], str]
"""Writes the new entry for an indentation, or on one line for None."""


def appended(text: str, container: Part, write: Write, style: Style) -> list[Insertion]:
    """Return what to insert so that a container holds one more entry, as its last."""
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    outer = line[: len(line) - len(line.lstrip(" \t"))]
    if not container.entries:
        return [_into_empty(text, container, write, style, outer)]
    last = container.entries[-1]
    if "\n" in text[container.start : container.end]:
        indent = _indentation(text, last.start)
        indent = outer + style.step if indent is None else indent
        new = style.newline + indent + write(indent)
    else:
        new = " " + write(None)
    anchor = last.part.end if last.comma is None else last.comma + 1
    comments = _COMMENTS_OF_LINE.match(text, anchor)
    assert comments is not None
    after = comments.end()
    if last.comma is not None:
        return [Insertion(after, new + ",")]
    if after == anchor:
        return [Insertion(anchor, "," + new)]
    return [Insertion(anchor, ","), Insertion(after, new)]


def _into_empty(text: str, container: Part, write: Write, style: Style, outer: str) -> Insertion:
    at = container.end - 1
    if style.one_line:
        return Insertion(at, write(None))
    indent = outer + style.step
    tail = _indentation(text, at)
    if tail is not None and "\n" in text[container.start : at] and indent.startswith(tail):
        return Insertion(at, indent[len(tail) :] + write(indent) + style.newline + tail)
    return Insertion(at, style.newline + indent + write(indent) + style.newline + outer)


def cuts(text: str, container: Part, index: int) -> list[tuple[int, int]]:
    """Return which spans to cut so that one entry is gone: it, its line and one comma."""
    entry = container.entries[index]
    if len(container.entries) == 1:
        inside = (container.start + 1, container.end - 1)
        rest = text[inside[0] : entry.start] + text[entry.part.end : inside[1]]
        if not rest.strip(" \t\r\n,"):
            return [inside]
    end = entry.part.end if entry.comma is None else entry.comma + 1
    start = _start(text, entry.start, end)
    if start == entry.start:
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    if entry.comma is not None:
        return _joined([(start, entry.part.end), (entry.comma, end)])
    before = container.entries[index - 1].comma if index else None
    own = [] if before is None else [(before, before + 1)]
    return _joined([*own, (start, end)])


def _start(text: str, at: int, end: int) -> int:
    """Return where to cut so that an entry takes its line along, if it has one of its own."""
    start = len(text[:at].rstrip(" \t"))
    line_end = min(text.find("\n", end) % (len(text) + 1), len(text))
    alone = not text[end:line_end].strip(" \t\r")
    for newline in ("\r\n", "\n"):
        if text.endswith(newline, 0, start):
            return start - len(newline) if alone else at
    return start


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] >= start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def insert(text: str, insertions: Sequence[Insertion]) -> str:
    """Return a text with insertions made.

    >>> insert("ad", [Insertion(1, "b"), Insertion(1, "c")])
    'abcd'
    """
    pieces, at = [], 0
    for insertion in insertions:
        pieces += [text[at : insertion.at], insertion.text]
        at = insertion.at
    return "".join([*pieces, text[at:]])


def take_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """Undo ``insert``; None where an inserted text does not stand in its place any more."""
    for insertion in insertions:
        if not text.startswith(insertion.text, insertion.at):
            return None
        text = text[: insertion.at] + text[insertion.at + len(insertion.text) :]
    return text


def cut_out(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[Insertion]]:
    """Return a text without some spans, and the insertions that would bring them back."""
    pieces: list[str] = []
    insertions: list[Insertion] = []
    at = kept = 0
    for start, end in spans:
        pieces.append(text[at:start])
        kept += start - at
        insertions.append(Insertion(kept, text[start:end]))
        at = end
    return "".join([*pieces, text[at:]]), insertions
