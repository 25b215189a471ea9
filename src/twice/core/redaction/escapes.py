"""Text within text: what a JSON string says once its escapes are undone, and where that stood."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from twice.core.redaction.values import Span

_ESCAPE = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["'`\\/nrt])""")
_TELLING = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["nr])""")
_SAID = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}


class Inner(NamedTuple):
    """A part of a text without one level of escapes.

    ``at`` has the position behind each escape, in this text, and ``shifts`` how much farther on
    what follows stood in the outer one.
    """

    text: str
    at: list[int]
    shifts: list[int]

    def outer(self, span: Span) -> Span:
        """Return where a part of this text stands in the outer one."""
        since, start, end = map(self._outer, (span.since, span.start, span.end))
        return Span(since, start, end, span.kind)

    def _outer(self, position: int) -> int:
        return position + self.shifts[bisect_left(self.at, position + 1)]


def inner_texts(text: str) -> Iterator[Inner]:
    """Undo one level of escapes in every run of lines that have some; a JSON string is one line."""
    since = until = 0
    for escape in _TELLING.finditer(text) if "\\" in text else ():
        if escape.start() < until:
            continue
        start = text.rfind("\n", until, escape.start()) + 1 or until
        if start > until > since:
            yield _unescaped(text, since, until)
        since = start if start > until or until == 0 else since
        until = text.find("\n", escape.end()) + 1 or len(text)
    if until > since:
        yield _unescaped(text, since, until)


def _unescaped(text: str, start: int, end: int) -> Inner:
    pieces: list[str] = []
    at: list[int] = []
    longer = [start]
    length, read = 0, start
    for escape in _ESCAPE.finditer(text, start, end):
        said = _said(escape[0])
        pieces += (text[read : escape.start()], said)
        length += escape.start() - read + len(said)
        read = escape.end()
        at.append(length)
        longer.append(len(escape[0]) - len(said))
    return Inner("".join((*pieces, text[read:end])), at, list(accumulate(longer)))


def _said(escape: str) -> str:
    if escape[1] == "u":
        return chr(int(escape[2:], 16))
    return _SAID.get(escape, escape[1])
