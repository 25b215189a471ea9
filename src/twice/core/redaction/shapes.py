"""Secrets known by their shape: keys, credentials in addresses and headers, key blocks."""

import base64
import re
from collections.abc import Iterator

from twice.core.redaction.blocks import blocks
from twice.core.redaction.providers import provided, whole
from twice.core.redaction.values import (
    Span,
    is_known_harmless,
    is_opaque,
    is_placeholder,
    is_random,
)

_AUTHORITY = re.compile(
    r"""://([^\s:/@"'<>?#\\`\[\]]{0,200}):(?!\d{1,5}(?:[/?#]|$))([^\s"'<>`]{1,400})@(?=[\w\[$<{.-])"""
)
_USER_ONLY = re.compile(r"://([A-Za-z0-9_.~%-]{16,200})@(?=[\w\[])")
_WEAK = frozenset({"password", "passwd", "pass", "pwd", "secret", "token", "key", "default"})
_FIELDS = {
    "oracle:": re.compile(r"oracle:\w{3,5}:\w{1,30}/([^\s@\"'/]{1,200})@"),
    "sqlplus ": re.compile(r"sqlplus (?:-\w+ )*\w{1,30}/([^\s@\"'/]{1,200})@"),
    "WIFI:": re.compile(r"WIFI:[^\n]{0,120}?\bP:((?:\\.|[^;\n\\]){3,120})"),
    "]:": re.compile(r"\]:\d{2,5}[ \t]{1,9}[^\s:]{1,100}:([^\s:]{3,200})(?=\s|\Z)"),
    " : ": re.compile(r' : (?:EAP|NTLM|PSK|XAUTH) "([^"\n]{3,200})"'),
    ":5432:": re.compile(r":5432:(?:[\w.*-]{1,64}:){2}([^\s:]{3,200})(?=\s|\Z)"),
    ":*:": re.compile(r":\*:(?:[\w.*-]{1,64}:){1,2}([^\s:]{3,200})(?=\s|\Z)"),
}
_QUERY = re.compile(
    r"(?:sig|signature|code|auth|hmac|x-(?:amz|goog)-(?:signature|security-token))="
    r"([A-Za-z0-9%+/=_.~-]{16,2048})",
    re.IGNORECASE,
)
_QUERY_CHARS = 24
_SIGNED = ("sig=", "signature=", "code=", "token=", "hmac=")
_SCHEME = re.compile(
    r"""(bearer|basic)[ \t]{1,4}["']?([^\s"'`,;<>()\[\]{}\\]{6,4096})""", re.IGNORECASE
)


def shaped(text: str, ascii_text: str, lower: str) -> Iterator[Span]:
    """Yield the secrets of a text that are known by their shape.

    ``ascii_text`` is the text with a question mark for each character outside of ASCII, and
    ``lower`` the same in lower case: they are faster to search.
    """
    yield from provided(text, ascii_text)
    yield from _addresses(text, ascii_text)
    yield from _queries(text, lower)
    yield from _schemes(text, lower)
    yield from blocks(text)


def _addresses(text: str, ascii_text: str) -> Iterator[Span]:
    position = ascii_text.find("://")
    while position >= 0:
        found = _AUTHORITY.match(text, position)
        if found and not _is_example(found[1], found[2]):
            first = 1 if _is_key(found[1]) else 2
            yield Span(position, found.start(first), found.end(2), "url-password")
        alone = _USER_ONLY.match(text, position)
        if alone and _is_key(alone[1]):
            yield Span(position, *alone.span(1), "url-password")
        position = ascii_text.find("://", position + 3)
    for needle in filter(ascii_text.__contains__, _FIELDS):
        for found in _FIELDS[needle].finditer(text):
            yield Span(found.start(), *found.span(1), "password")


def _is_example(user: str, password: str) -> bool:
    if password in _WEAK:
        return user in ("user", "username")
    return is_placeholder(password)


def _is_key(user: str) -> bool:
    """Tell whether the name of a user is itself a key."""
    long_run = len(user) >= 32 and user.isalnum() and sum(map(str.isdigit, user)) >= 4
    return len(user) >= 16 and (is_random(user) or long_run)


def _queries(text: str, lower: str) -> Iterator[Span]:
    """Yield the signatures and codes that open an address to whoever has it."""
    for needle in filter(lower.__contains__, _SIGNED):
        position = lower.find(needle)
        while position >= 0:
            head = max(0, position - _QUERY_CHARS)
            start = max(text.rfind("?", head, position), text.rfind("&", head, position)) + 1
            found = _QUERY.match(text, start) if start else None
            if found and _is_key_or_digest(found[1]):
                yield Span(start, *found.span(1), "signature")
            position = lower.find(needle, position + len(needle))


def _is_key_or_digest(value: str) -> bool:
    return not is_placeholder(value) and (is_opaque(value) or is_known_harmless(value))


def _schemes(text: str, lower: str) -> Iterator[Span]:
    for scheme, is_credential in (("bearer", _is_bearer), ("basic", _is_basic)):
        position = lower.find(scheme)
        while position >= 0:
            found = _SCHEME.match(text, position)
            if found and is_credential(found[2]):
                yield Span(position, found.start(2), whole(text, found.end(2)), scheme)
            position = lower.find(scheme, position + 5)


def _is_bearer(value: str) -> bool:
    return not is_placeholder(value) and is_opaque(value.rstrip(".:!?"))


def _is_basic(value: str) -> bool:
    value = value.rstrip(".:!?")
    if is_placeholder(value) or not re.fullmatch(r"[A-Za-z0-9+/_-]{6,}={0,2}", value):
        return False
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_")
    except ValueError:
        return False
    return (b":" in decoded and decoded.isascii()) or value.endswith("=") or is_opaque(value)
