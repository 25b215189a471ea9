"""Text that fits the screen, in columns as a terminal counts them, with nothing to steer it."""

import re
import unicodedata

WIDTH = 80

_STEERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters and those that turn the direction of writing: they could hide what is said."""


def plain(text: str) -> str:
    r"""Show what could steer a terminal as what it is, so that a reviewer sees the words as kept.

    >>> plain("never\x1b[2Kalways")
    'never\\x1b[2Kalways'
    """
    return _STEERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> columns("pnpm"), columns("用 pnpm")
    (4, 7)
    """
    return len(text) if text.isascii() else sum(_column(character) for character in text)


def _column(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(text: str, width: int) -> str:
    """Cut a text to a number of columns.

    >>> shortened("Use pnpm, not npm.", 9)
    'Use pnpm…'
    """
    flat = plain(" ".join(text.split()))
    return flat if columns(flat) <= width else _fitting(flat, width - 1).rstrip() + "…"


def wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Break a text into lines of 80 columns; ``first`` and ``rest`` are what they start with.

    >>> wrapped("Use pnpm, not npm.", "- ", "  ")
    ['- Use pnpm, not npm.']
    """
    indent = first if rest is None else rest
    lines, line, is_empty = [], first, True
    for word in plain(" ".join(text.split())).split(" "):
        gap = "" if is_empty else " "
        if columns(line + gap + word) <= WIDTH:
            line, is_empty = line + gap + word, False
            continue
        if not is_empty:
            lines.append(line)
            line = indent
        while columns(line + word) > WIDTH:
            part = _fitting(word, WIDTH - columns(line))
            lines.append(line + part)
            line, word = indent, word[len(part) :]
        line, is_empty = line + word, False
    return [*lines, line.rstrip()]


def _fitting(text: str, width: int) -> str:
    """Return as much of a text's beginning as fits; at least one character."""
    used = 0
    for at, character in enumerate(text):
        used += _column(character)
        if used > width and at:
            return text[:at]
    return text


def quoted(text: str, first: str) -> list[str]:
    """Show every line of a text with its own spaces, each started with ``first``, in 80 columns."""
    lines = []
    for given in text.expandtabs(4).splitlines():
        line = plain(given)
        while columns(first + line) > WIDTH:
            part = _fitting(line, WIDTH - columns(first))
            space = part.rfind(" ")
            if part[:space].strip() and space > 0:
                part = part[: space + 1]
            lines.append((first + part).rstrip())
            line = line[len(part) :]
        lines.append((first + line).rstrip())
    return lines
