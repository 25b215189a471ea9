"""Secrets in tables: what stands below a heading such as "password" in Markdown, CSV and SQL."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from twice.core.redaction.assigned import fits, looks_secret
from twice.core.redaction.values import MASK, Span, is_placeholder

LINE_CHARS = 1_000
ROWS = 200

_BORDER = re.compile(r"[\s*`\"']{0,6}[|,;)\n]")
_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-{2,}[-:| \t]{0,400}\n")
_NAMES = re.compile(r"[\w \"'.`-]{1,40}(?:[,;\t][\w \"'.`-]{1,40}){1,40}")
_INSERTED = re.compile(r"[\w\s,\"'`]{0,400}\)\s{0,9}values?\s{0,9}(?=\()", re.IGNORECASE)
_TUPLE = re.compile(r"[\s,]{0,9}\(([^()\n]{1,1000})\)")
_CELL = re.compile(r"[\s*`\"']*(.*?)[\s*`\"']*")


class _Table(NamedTuple):
    mark: str
    column: int
    rows: Iterator[tuple[int, int]]


def below(text: str, start: int, end: int, kind: str) -> Iterator[Span]:
    """Yield the values in the column of which the name of a secret is the heading."""
    table = _table(text, start, end) if _BORDER.match(text, end) else None
    if table is None:
        return
    heading = text[_line_start(text, start) : end]
    for row in islice(table.rows, ROWS):
        if text.startswith(heading, row[0]):
            return
        cells = text[slice(*row)].split(table.mark)
        if len(cells) <= table.column:
            continue
        at = row[0] + len(table.mark.join(cells[: table.column])) + (table.column > 0)
        found = _CELL.fullmatch(cells[table.column])
        if found and _is_secret(text[start:end], found[1], kind):
            shown = "password" if kind == "pass" else kind.rstrip("?")
            yield Span(start, at + found.start(1), at + found.end(1), shown)


def _table(text: str, start: int, end: int) -> _Table | None:
    since = _line_start(text, start)
    newline = text.find("\n", end, end + LINE_CHARS)
    heading, within = text[since : max(newline, end)], start - since
    if newline >= 0:
        rule = _RULE.match(text, newline + 1) if "|" in heading else None
        if rule:
            return _Table("|", heading.count("|", 0, within), _lines(text, rule.end(), "|"))
        if _NAMES.fullmatch(heading):
            mark = next(mark for mark in ",;\t" if mark in heading)
            index = heading.count(mark, 0, within)
            if heading.split(mark)[index].strip(" \"'`") == text[start:end]:
                return _Table(mark, index, _lines(text, newline + 1, mark * heading.count(mark)))
    opened = heading.rfind("(", 0, within)
    inserted = _INSERTED.match(text, end) if opened >= 0 else None
    if inserted is None:
        return None
    return _Table(",", heading.count(",", opened, within), _tuples(text, inserted.end()))


def _line_start(text: str, position: int) -> int:
    since = max(0, position - LINE_CHARS)
    return max(text.rfind("\n", since, position) + 1, since)


def _lines(text: str, start: int, marks: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of a table: those that have as many marks as the heading."""
    while start < len(text):
        newline = text.find("\n", start, start + LINE_CHARS)
        end = newline if newline >= 0 else min(len(text), start + LINE_CHARS)
        if text.count(marks[0], start, end) < len(marks):
            return
        yield start, end
        start = end + 1


def _tuples(text: str, start: int) -> Iterator[tuple[int, int]]:
    while found := _TUPLE.match(text, start):
        yield found.span(1)
        start = found.end()


def _is_secret(name: str, value: str, kind: str) -> bool:
    if is_placeholder(value) or MASK.search(value) or not looks_secret(value):
        return False
    return fits("password" if kind == "pass" else kind, name, value, given=True)
