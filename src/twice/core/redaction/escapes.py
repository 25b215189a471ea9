"""Text within text: what a JSON string says once its escapes are undone, and where that stood."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from twice.core.redaction.values import Span

_ESCAPE = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["'`\\/nrt])""")
_TELLING = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["nr\\])""")
GAP_CHARS = 1_000
"""Between lines with escapes, read along with them: to start anew takes as long."""
_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_BACKSLASH = "\ue000"  # stands for one that was escaped, until the others are gone
_SAID = (
    *(("\\\\", _BACKSLASH), ('\\"', '"'), ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")),
    *(("\\/", "/"), ("\\'", "'"), ("\\`", "`")),
)


def inner_texts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that have escapes, from where to where; a JSON string is one line."""
    since = until = 0
    for escape in _TELLING.finditer(text) if "\\" in text else ():
        if escape.start() < until:
            continue
        start = text.rfind("\n", until, escape.start()) + 1 or until
        if start > until + GAP_CHARS or until == 0:
            if until:
                yield since, until
            since = start
        until = text.find("\n", escape.end()) + 1 or len(text)
    if until:
        yield since, until


def unescaped(text: str) -> str:
    """Undo one level of escapes; each becomes one character."""
    for escape, said in _SAID:
        text = text.replace(escape, said)
    if "\\u" in text:
        text = _LETTER.sub(lambda letter: chr(int(letter[1], 16)), text)
    return text.replace(_BACKSLASH, "\\")


def outer(spans: list[Span], text: str, start: int) -> Iterator[Span]:
    """Yield where parts of an unescaped text stood, which is what began at ``start`` of a text."""
    escapes = [escape.span() for escape in _ESCAPE.finditer(text)]
    shifts = list(accumulate((end - begin - 1 for begin, end in escapes), initial=start))
    at = [end + start - shift for (_, end), shift in zip(escapes, shifts[1:], strict=True)]

    def place(position: int) -> int:
        return position + shifts[bisect_left(at, position + 1)]

    for span in spans:
        yield Span(place(span.since), place(span.start), place(span.end), span.kind)
