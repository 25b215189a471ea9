"""What a person typed within what Cursor writes down of a message."""

import re
from collections.abc import Iterator

import msgspec

from twice.core.transcript import Kind
from twice.sources.times import microseconds
from twice.sources.wrappings import Words, words_of

UNMARKED = "a message without the mark around what was typed"

_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)
_ADDED = re.compile(
    r"<(attached_files|system_reminder|system_notification|cursor_commands|external_links"
    r"|image_files|open_and_recently_viewed_files|manually_attached_skills|code_selection"
    r"|terminal_selection|additional_data|git_status|user_info|rules|timestamp)\b[^>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_PLAN = re.compile(
    r"^Implement the plan as specified\b.*"
    r"(?:it is attached for your reference|To-do's from the plan have already been created)",
    re.DOTALL | re.MULTILINE,
)
_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# What the editor's button "Copy request details" gives, down to the end of the stack.
_REQUEST_ERROR = re.compile(
    rf"^Request ID: {_ID}[ \t]*\n(?:.*\n){{0,40}}?\w*Error: .*(?:\n[ \t]+at .*)*"
    rf"|^Request ID: {_ID}[ \t]*$",
    re.MULTILINE,
)
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s+(.*))?", re.DOTALL)

_TIME = re.compile(
    r"<timestamp>\s*(?:\w+,\s*)?(\w{3})\w*\s+(\d{1,2}),\s+(\d{4}),\s+(\d{1,2}):(\d\d)\s+([AP])M"
    r"(?:\s*\(UTC(?:([+-])(\d{1,2})(?::?(\d\d))?)?\))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class _Node(msgspec.Struct):
    """A part of an editor's text: a word, a paragraph, or the whole of it."""

    type: str | None = None
    text: str | None = None
    children: list["_Node"] = []


class _Rich(msgspec.Struct):
    root: _Node | None = None


_RICH = msgspec.json.Decoder(_Rich)


def typed_in(text: str) -> Words | None:
    """Return what a person typed in the text of a message, or None.

    A text that a button puts in, and the details of an error that are pasted, are no words.

    >>> typed_in("use pnpm").text
    'use pnpm'
    >>> typed_in("Implement the plan as specified, it is attached for your reference.") is None
    True
    """
    if _PLAN.search(text):
        return None
    text = _REQUEST_ERROR.sub("", _ADDED.sub("", text)).strip()
    if command := _SLASH_COMMAND.fullmatch(text):
        arguments = (command[1] or "").strip()
        return Words(Kind.COMMAND, arguments) if arguments else None
    return words_of(text)


def query_in(text: str) -> str | None:
    """Return what stands between the marks of what was typed, or None where there are none.

    >>> query_in("<user_info>Linux</user_info><user_query>use pnpm</user_query>")
    'use pnpm'
    """
    found = _QUERY.findall(text) if "<user_query>" in text else None
    return "\n\n".join(part.strip() for part in found) if found else None


def time_in(text: str) -> int | None:
    """Return when a message was sent, in microseconds of UTC; without a zone it is taken as UTC.

    >>> time_in("<timestamp>Sunday, Apr 26, 2026, 9:53 PM (UTC-4)</timestamp>")
    1777254780000000
    """
    found = _TIME.search(text)
    if not found or found[1].lower() not in _MONTHS:
        return None
    hour = int(found[4]) % 12 + (12 if found[6] == "P" else 0)
    zone = f"{found[7]}{int(found[8]):02}:{found[9] or '00'}" if found[7] else "Z"
    month = _MONTHS.index(found[1].lower()) + 1
    return microseconds(f"{found[3]}-{month:02}-{int(found[2]):02}T{hour:02}:{found[5]}:00{zone}")


def is_only_added(text: str) -> bool:
    """Tell whether a text consists of nothing but what is put beside a person's words."""
    return not _ADDED.sub("", text).strip()


def plain(rich: str) -> str:
    """Return the words of an editor's text, a paragraph a line; none where it is damaged."""
    try:
        root = _RICH.decode(rich).root
        return "".join(_words_in(root)).strip() if root else ""
    except (msgspec.MsgspecError, RecursionError):
        return ""


def _words_in(node: _Node) -> Iterator[str]:
    if node.type == "linebreak":
        yield "\n"
    yield node.text or ""
    for child in node.children:
        yield from _words_in(child)
    if node.type == "paragraph":
        yield "\n"
