"""Secrets known by what they are called: where a name stands, and where its value may be."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from twice.core.redaction.assigned import assigned, separator_after
from twice.core.redaction.columns import below
from twice.core.redaction.sentences import (
    contrasted,
    is_predicate,
    nearby,
    nearby_before,
    said,
    said_before,
)
from twice.core.redaction.values import (
    MASK,
    MASKED_BEFORE,
    Span,
    has_digit_and_letter,
    is_code,
    is_opaque,
    is_placeholder,
    is_word,
)
from twice.core.redaction.vocabulary import (
    FOREIGN,
    NEEDLES,
    SPELLED,
    kind_of_name,
)

NAME_CHARS = 64

_LEFT = re.compile(r"(?<![\w.-])[\w.-]+\Z")
_RIGHT = re.compile(r"[\w\-]*")
_OWNER = re.compile(r"([A-Za-z]{2,20})[ \t]\Z")
_SETTER = re.compile(r"(?:set|with|use|hash|verify|validate|check|update)_?(?=[A-Za-z])")
_ARN = re.compile(r"\barn:aws[\w:/-]*\Z")
_ASCII = bytes(range(128))
_NO_VALUE = (*",.)([/", "")
_OF_A_TABLE = re.compile(r" (?:primaria|for[áa]nea|externa|p[úu]blica|única|compuesta)")
_NUMBER = re.compile(r"[ ]\d{1,2}(?=:)")

_COOKIE = re.compile(
    r"""["'`]{0,2}(?:[,\s]{1,9}["']?value["']?)?[ \t]{0,4}(:|=)[ \t]{0,4}(["'`]?)
        (?=[\w.$%-]{1,64}=[^\s;"'])([^\n\r"'`]{3,4096})""",
    re.VERBOSE,
)
_COOKIE_NAME = re.compile(
    r"sess|sid|auth|token|jwt|csrf|xsrf|login|remember|secret|key|user|id$|^[a-z]$", re.IGNORECASE
)
_COOKIE_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority"})
_AUTHORIZATION = re.compile(
    r"""\\?["'`]{0,2}\]?(?:[,\s]{1,9}["']?value["']?)?[ \t]{0,4}[:=,][ \t]{0,4}\\?["'`]?
        (?:([a-z][\w-]{1,30})[ \t]{1,4})?([^\s"'`]{3,4096})""",
    re.VERBOSE | re.IGNORECASE,
)
_AUTHORIZATION_SCHEMES = frozenset({"bearer", "basic", "token", "apikey", "api-key", "key", "bot"})
_WHOLE_LINE = frozenset({"digest", "aws4-hmac-sha256", "oauth", "hawk"})
_REST = re.compile(r"[^\n\r'`]{3,4096}")


def named(text: str, lower: str) -> Iterator[Span]:
    """Yield the secrets of a text that are known by the name that stands with them.

    ``lower`` is the text in lower case, with a question mark for what is not ASCII.
    """
    for needle in filter(lower.__contains__, NEEDLES):
        yield from _at_each(text, lower, needle)
    for needle in filter(lower.__contains__, SPELLED):
        yield from _at_each(text, lower, needle, SPELLED[needle])
    if text.isascii():
        return
    foreign = text.encode("utf-8", "surrogatepass").translate(None, delete=_ASCII)
    for letters, masked, needle, foreign_kind in FOREIGN:
        if letters in foreign and masked in lower:
            yield from _at_each(text, text, needle, foreign_kind)


class _Name(NamedTuple):
    start: int
    end: int
    kind: str


def _at_each(text: str, haystack: str, needle: str, kind: str | None = None) -> Iterator[Span]:
    position = haystack.find(needle)
    while position >= 0:
        spelled = _spelled(position, needle, kind) if kind else None
        name = spelled or _name_at(text, position, needle)
        found = _valued(text, name) if name else None
        if found is not None:
            yield found
            if (second := contrasted(text, found)) is not None:
                yield second
        elif name:
            yield from below(text, *name)
        # A value is not searched again: it may hold the same word a thousand times.
        after = max(found.end, position + 1) if found else position + len(needle)
        position = haystack.find(needle, after)


def _spelled(position: int, needle: str, kind: str) -> _Name:
    start = position + len(needle) - len(needle.lstrip())
    return _Name(start, start + len(needle.strip()), kind)


def _name_at(text: str, position: int, needle: str) -> _Name | None:
    """Return the name of a secret around a needle, if it is one."""
    left = _LEFT.search(text, max(0, position - NAME_CHARS), position)
    right = _RIGHT.match(text, position, position + NAME_CHARS)
    start = left.start() if left else position
    end = right.end() if right else position + len(needle)
    if text.startswith(MASKED_BEFORE, start - 10) or text.startswith("redacted:", start):
        return None
    if text.startswith("://", start - 3):  # the name of a user
        return None
    name = text[start:end]
    if needle == "cookie":
        return _Name(start, end, "cookie")
    if needle == "auth" and name.lower().endswith("authorization"):
        return _Name(start, end, "authorization")
    kind = kind_of_name(name)
    if kind is None and text[end : end + 1] == "(":
        kind = kind_of_name(_SETTER.sub("", name))
    if kind == "token" and text[end : end + 1] == "/":  # the name of a package
        return None
    if kind is None or _ARN.search(text, max(0, start - 90), start):
        return None
    before = text[max(0, start - 10) : start].lower()
    if kind == "key?" and before.endswith(":"):
        return None
    if name == "clave" and ("palabra" in before or _OF_A_TABLE.match(text, end)):
        return None
    if kind == "key?" and (owner := _OWNER.search(text, max(0, start - 24), start)):
        owned = kind_of_name(f"{owner[1]}_{name}")
        if owned != "key?":
            return _Name(owner.start(), end, owned) if owned else None
    if kind == "key?" and text[end : end + 1] in _NO_VALUE:
        return None
    return _Name(start, end, kind)


def _valued(text: str, name: _Name) -> Span | None:
    """Find the value of a secret of which the name stands here."""
    start, end, kind = name
    if kind == "cookie":
        return _cookie(text, start, end)
    if kind == "authorization":
        return _authorization(text, start, end)
    number = _NUMBER.match(text, end)
    separator = separator_after(text, start, number.end() if number else end)
    if separator:
        found = assigned(text, start, separator, kind)
    elif kind == "key?":
        found = None
    elif kind == "pass":
        found = said(text, start, end, kind)
    else:
        found = said(text, start, end, kind) or said_before(text, start, end, kind)
    if kind == "pass":
        return found
    return found or nearby(text, start, end, kind) or nearby_before(text, start, kind)


def _cookie(text: str, start: int, end: int) -> Span | None:
    found = _COOKIE.match(text, end)
    if found is None or MASK.match(found[3]):
        return None
    header = found[1] == ":" or text[start:end].lower() == "set-cookie"
    pairs = (pair.partition("=") for pair in found[3].split(";"))
    if not any(_is_telling(name, value, header) for name, _, value in pairs):
        return None
    return Span(start, found.start(3), found.start(3) + len(found[3].rstrip()), "cookie")


def _is_telling(name: str, value: str, header: bool) -> bool:
    """Tell whether a cookie lets anyone in who has it."""
    if name.strip().lower() in _COOKIE_ATTRIBUTES or is_placeholder(value):
        return False
    if not header:
        return is_opaque(value)
    return has_digit_and_letter(value) or bool(_COOKIE_NAME.search(name.strip()))


def _authorization(text: str, start: int, end: int) -> Span | None:
    found = _AUTHORIZATION.match(text, end)
    if found is None:
        return None
    scheme, value = (found[1] or "").lower(), found[2]
    if scheme in _WHOLE_LINE:
        rest = _REST.match(text, found.start(2))
        value = rest[0] if rest else value
    value = value.rstrip(",;)]}\\ ")
    if is_placeholder(value) or MASK.search(value) or is_code(value):
        return None
    if scheme not in _AUTHORIZATION_SCHEMES and not is_opaque(value):
        return None
    if is_word(value) and (len(value) < 8 or is_predicate(value)):
        return None
    return Span(start, found.start(2), found.start(2) + len(value), "authorization")
