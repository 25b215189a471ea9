"""Text within text: what a JSON string says once its escapes are undone, and where that stood."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from twice.core.redaction.values import Span

GAP_CHARS = 1_000
"""Between lines with escapes, read along with them: to start anew takes as long."""


class Escapes(NamedTuple):
    """A way to write a text within a text: what tells it, each escape, and what that says.

    The ``sign`` is a single character, which is quick to find, and the ``hints`` are looked for
    next.
    """

    sign: str
    hints: tuple[str, ...]
    telling: re.Pattern[str]
    escape: re.Pattern[str]
    undone: Callable[[str], str]


_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_BACKSLASH = "\ue000"  # stands for one that was escaped, until the others are gone
_SAID = (
    *(("\\\\", _BACKSLASH), ('\\"', '"'), ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")),
    *(("\\/", "/"), ("\\'", "'"), ("\\`", "`")),
)


def _unescaped(text: str) -> str:
    for escape, said in _SAID:
        text = text.replace(escape, said)
    if "\\u" in text:
        text = _LETTER.sub(lambda letter: chr(int(letter[1], 16)), text)
    return text.replace(_BACKSLASH, "\\")


_ENTITY = re.compile("&(?:quot|apos|amp|lt|gt|#34|#39|#x22|#x27);")
_ENTITIES = {
    **dict.fromkeys(("&quot;", "&#34;", "&#x22;"), '"'),
    **dict.fromkeys(("&apos;", "&#39;", "&#x27;"), "'"),
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
}
_PERCENT = re.compile("%([2-7][0-9A-Fa-f])")
# Without width, or only there to turn the direction of a text: a word may be broken by them.
_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")

ESCAPES = (
    Escapes(
        "\\",
        (),
        re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["nrt\\])"""),
        re.compile(r"""\\(?:u[0-9a-fA-F]{4}|["'`\\/nrt])"""),
        _unescaped,
    ),
    Escapes(
        "&",
        ("&quot;", "&apos;", "&#"),
        re.compile("&(?:quot|apos|#34|#39|#x22|#x27);"),
        _ENTITY,
        lambda text: _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], text),
    ),
    Escapes(
        "%",
        ("%22", "%3"),
        re.compile("%(?:22|3[ADad])"),
        _PERCENT,
        lambda text: _PERCENT.sub(lambda escape: chr(int(escape[1], 16)), text),
    ),
)
UNSEEN = Escapes("", (), _UNSEEN, _UNSEEN, lambda text: _UNSEEN.sub("", text))
"""Not escapes, but undone like them: what nobody sees."""


def inner_texts(text: str, escapes: Escapes) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that have escapes, from where to where; a JSON string is one line."""
    if escapes.sign not in text:
        return
    if escapes.hints and not any(map(text.__contains__, escapes.hints)):
        return
    since = until = 0
    for escape in escapes.telling.finditer(text):
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


def outer(spans: list[Span], text: str, start: int, escapes: Escapes) -> Iterator[Span]:
    """Yield where parts of an undone text stood, which is what began at ``start`` of a text."""
    width = 0 if escapes is UNSEEN else 1  # of what an escape becomes
    found = [escape.span() for escape in escapes.escape.finditer(text)]
    shifts = list(accumulate((end - begin - width for begin, end in found), initial=start))
    at = [end + start - shift for (_, end), shift in zip(found, shifts[1:], strict=True)]

    def place(position: int) -> int:
        return position + shifts[bisect_left(at, position + 1)]

    for span in spans:
        yield Span(place(span.since), place(span.start), place(span.end), span.kind)
