"""Home folders, user names and e-mail addresses in a text."""

import re
from collections.abc import Iterator

from twice.core.redaction.values import Span, words

_SEGMENT = r"[^\s/\\:*?\"'<>|`,;()\[\]{}$~]{1,64}"
_WEB_FILE = r"(?![\w-]+\.(?:html?|css|jsx?|tsx?|png|jpe?g|svg|gif|webp|ico|php|vue|mdx?|json)\b)"
_UNIX_HOME = re.compile(rf"/(?:home|Users)/(?!Shared\b){_WEB_FILE}{_SEGMENT}")
_UNIX_MOUNT = re.compile(
    r"(?<![\w.~\]-])(?:/mnt/[a-z]|/var|/private|/System/Volumes/Data|/host_mnt)?\Z"
)
_MOUNT_CHARS = 24
_WINDOWS_HOME = re.compile(rf"Users(?:\\{{1,4}}|/)(?!Public\b|Default\b){_SEGMENT}", re.IGNORECASE)
_WINDOWS_DISK = re.compile(r"(?<!\w)[A-Za-z]:(?:\\{1,4}|/)\Z")
_FLAT_HOME = re.compile(r"-(?:home|Users)-(?!Shared\b)[A-Za-z0-9_]{1,64}(?=-)")
_FLAT_DISK = re.compile(r"(?<!\w)(?:[A-Z]-)?\Z")
_HOMES = (
    ("/home/", _UNIX_HOME, _UNIX_MOUNT),
    ("/users/", _UNIX_HOME, _UNIX_MOUNT),
    ("users", _WINDOWS_HOME, _WINDOWS_DISK),
    ("-home-", _FLAT_HOME, _FLAT_DISK),
    ("-users-", _FLAT_HOME, _FLAT_DISK),
)
_EMAIL_HEAD = re.compile(r"[A-Za-z0-9._%+-]{1,64}\Z")
_EMAIL_TAIL = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_COMMON_NAMES = words(
    """
    admin app build coder dev docker git home node nobody root runner test ubuntu user vscode
    april art bill brook chase chip clay cliff cooper dale dean drew faith frank gene glen grace
    grant guy hope hunter jack jay joy june lane mark mason max may miles nick page pat pierce ray
    reed rich rob rose sky will
    """
)  # of machines, and those that are words, too


def homes_in(text: str, lower: str, homes: tuple[str, ...]) -> Iterator[Span]:
    """Yield the home folders in a text: those given, every ``/home/x`` and ``C:\\Users\\x``."""
    for needle, shape, before in _HOMES:
        position = lower.find(needle)
        while position >= 0:
            found = shape.match(text, position)
            head = before.search(text, max(0, position - _MOUNT_CHARS), position)
            if found and head:
                yield Span(head.start(), head.start(), found.end(), "home")
            position = lower.find(needle, position + 1)
    for home in homes:
        if len(home.strip("/\\")) > 2 and home in text:
            pattern = re.compile(rf"(?<![\w.~-]){re.escape(home.rstrip('/'))}(?![\w-])")
            for found in pattern.finditer(text):
                yield Span(found.start(), found.start(), found.end(), "home")


def users_in(text: str, users: tuple[str, ...]) -> Iterator[Span]:
    """Yield the given user names as whole words; "root" and "mark" say nothing of a person."""
    for user in users:
        if len(user) < 3 or user.lower() in _COMMON_NAMES:
            continue
        start = text.find(user)
        while start >= 0:
            end = start + len(user)
            if not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
                yield Span(start, start, end, "user")
            start = text.find(user, end)


def emails_in(text: str) -> Iterator[Span]:
    """Yield the e-mail addresses in a text."""
    position = text.find("@")
    while position >= 0:
        head = _EMAIL_HEAD.search(text[max(0, position - 64) : position])
        tail = _EMAIL_TAIL.match(text, position)
        if head and tail:
            yield Span(position - len(head[0]), position - len(head[0]), tail.end(), "email")
        position = text.find("@", position + 1)
