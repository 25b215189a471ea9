"""Choosing approved lessons for a session, inside a budget of characters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from twice.core.limits import CONTEXT_CHARS
from twice.core.policy import Category

OPEN, CLOSE = "<twice-context", "</twice-context>"

_TAG = re.compile(r"<(?=[\s/]*(?:twice|system)-)", re.IGNORECASE)
_NAME_CHARS = 80

_FIRST = (
    Category.SECURITY,
    Category.CONSTRAINTS,
    Category.AGENT,
    Category.USER,
    Category.COMMANDS,
    Category.STACK,
    Category.ARCHITECTURE,
    Category.RELEASE,
    Category.OBJECTIVE,
    Category.TODO,
    Category.UNCATEGORIZED,
)
_RANK = {category: rank for rank, category in enumerate(_FIRST)}


@dataclass(frozen=True, slots=True)
class Standing:
    """One approved memory that holds; ``approved`` is UTC in microseconds."""

    id: str
    text: str
    category: Category
    approved: int


@dataclass(frozen=True, slots=True)
class Context:
    """What a new session is told, which items that shows, and which were left out for space."""

    text: str
    shown: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def choose(items: Sequence[Standing], *, name: str, budget: int = CONTEXT_CHARS) -> Context:
    """Choose what a session is told: by category, then the newest first, as far as it fits.

    ``budget`` is in characters and holds for the whole text. Without items the text is empty.
    """
    if not items:
        return Context("")
    ordered = sorted(
        items, key=lambda item: (_RANK.get(item.category, 99), -item.approved, item.id)
    )
    head = (
        f'{OPEN} project="{_attribute(name)}">\nThe user approved these for every session here.\n'
    )
    tail = f"({len(items)} more left out for space: twice context)\n{CLOSE}\n"
    room = budget - len(head) - len(tail)
    if room < 0:
        return Context("", (), tuple(item.id for item in ordered))
    lines: list[str] = []
    shown: list[str] = []
    for item in ordered:
        line = _line(item)
        if len(line) <= room:
            room -= len(line)
            lines.append(line)
            shown.append(item.id)
    left = tuple(item.id for item in ordered if item.id not in set(shown))
    note = f"({len(left)} more left out for space: twice context)\n" if left else ""
    return Context(head + "".join(lines) + note + CLOSE + "\n", tuple(shown), left)


def _line(item: Standing) -> str:
    return f"- {_plain(item.text)} [{item.id}]\n"


def _plain(text: str) -> str:
    """One line, and nothing in it that could end the block or look like a tag of the harness."""
    return _TAG.sub("‹", " ".join(text.split()))


def _attribute(name: str) -> str:
    """A project's name as it may stand between double quotes."""
    return _plain(re.sub('[<>"]', " ", name))[:_NAME_CHARS]
