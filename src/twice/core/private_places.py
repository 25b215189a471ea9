"""Home folders, user names and e-mail addresses in a text."""

import re
from collections.abc import Iterator

from twice.core.secret_values import Span, words

_SEGMENT = r"[^\s/\\:*?\"'<>|`,;()\[\]{}$~]{1,64}"
_WEB_FILE = r"(?![\w-]+\.(?:html?|css|jsx?|tsx?|png|jpe?g|svg|gif|webp|ico|php|vue|mdx?|json)\b)"
_UNIX_HOME = re.compile(
    rf"(?<![\w.~\]-])(?:/mnt/[a-z]|/var|/private|/System/Volumes/Data|/host_mnt)?"
    rf"/(?:home|Users)/(?!Shared\b){_WEB_FILE}{_SEGMENT}"
)
_WINDOWS_HOME = re.compile(
    rf"(?<!\w)[A-Za-z]:(\\{{1,4}}|/)Users(?:\\{{1,4}}|/)(?!Public\b|Default\b){_SEGMENT}",
    re.IGNORECASE,
)
_FLAT_HOME = re.compile(r"(?<!\w)(?:C-)?-(?:home|Users)-(?!Shared\b)[A-Za-z0-9_]{1,64}(?=-)")
_EMAIL_HEAD = re.compile(r"[A-Za-z0-9._%+-]{1,64}\Z")
_EMAIL_TAIL = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_COMMON_NAMES = words(
    """
    admin app build coder dev docker git home node nobody root runner test ubuntu user vscode
    """
)


def homes_in(text: str, lower: str, homes: tuple[str, ...]) -> Iterator[Span]:
    """Yield the home folders in a text: the ones given, and every ``/home/x`` or ``C:\\Users\\x``."""
    if "/home/" in lower or "/users/" in lower:
        for found in _UNIX_HOME.finditer(text):
            yield Span(found.start(), found.start(), found.end(), "home")
    if ":\\" in lower or ":/users" in lower:
        for found in _WINDOWS_HOME.finditer(text):
            yield Span(found.start(), found.start(), found.end(), "home")
    if "-home-" in lower or "-users-" in lower:
        for found in _FLAT_HOME.finditer(text):
            yield Span(found.start(), found.start(), found.end(), "home")
    for home in homes:
        if len(home.strip("/\\")) > 2 and home in text:
            pattern = re.compile(rf"(?<![\w.~-]){re.escape(home.rstrip('/'))}(?![\w-])")
            for found in pattern.finditer(text):
                yield Span(found.start(), found.start(), found.end(), "home")


def users_in(text: str, users: tuple[str, ...]) -> Iterator[Span]:
    """Yield the given user names as whole words; names such as "root" say nothing of a person."""
    for user in users:
        if len(user) < 3 or user.lower() in _COMMON_NAMES or user not in text:
            continue
        pattern = re.compile(rf"(?<![^\W_]){re.escape(user)}(?![^\W_])")
        for found in pattern.finditer(text):
            yield Span(found.start(), found.start(), found.end(), "user")


def emails_in(text: str) -> Iterator[Span]:
    """Yield the e-mail addresses in a text."""
    position = text.find("@")
    while position >= 0:
        head = _EMAIL_HEAD.search(text[max(0, position - 64) : position])
        tail = _EMAIL_TAIL.match(text, position)
        if head and tail:
            yield Span(position - len(head[0]), position - len(head[0]), tail.end(), "email")
        position = text.find("@", position + 1)
