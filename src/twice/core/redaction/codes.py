"""Secrets made of digits or of words alone, known by what is said before: PINs, recovery codes."""

import re
from collections.abc import Iterator

from twice.core.redaction.values import Span, has_digit_and_letter, is_ordinary

_OWNER_CHARS = 14
_CODE_OWNER = re.compile(
    r"(?:recovery|backup|rescue|scratch|security|verification|one[- ]time|2fa|mfa|otp|sms)[ _-]?\Z"
)
_CODE = r"(?=[a-z-]*\d)[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{3,10}){0,5}"
_CODES = re.compile(
    rf"""s?(?:[ ]for[ ][\w.@ -]{{1,40}}?)?["'*]{{0,3}}
        (?:[ ]?[:=]|[ ](?:is|are|was))?[:\s"'`*>-]{{1,6}}
        ({_CODE}(?:[,;]?[\s`*>-]{{1,4}}{_CODE}){{0,19}})(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)
_PIN = re.compile(
    r"""(?:code|number|for[ ][\w ]{1,30}?)?["'*]{0,3}(?:[ ]?[:=][ ]?|[ ](?:is|was)[ ])["'`*]{0,3}
        (\d{4,8})(?![\w.:%-]|[ ](?:digits|chars|characters|px|ms|bytes|tokens))""",
    re.VERBOSE | re.IGNORECASE,
)
_PHRASE = re.compile(
    r"""["'*]{0,3}[ ]?(?:[:="'`]|is[ ]|was[ ])[\s"'`*:]{0,5}"""
    r"""((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?!\w)"""
)
_LOGIN = re.compile(
    r"(?:[ ](?:with|as|using|is|are)(?=[ ][^\s:]{2,64}:(?!//|\d{1,5}\b)|[^/]{1,70}/))?"
    r"[ :]{1,2}[\w.@+-]{2,64}(?:[ ]?/[ ]?|:(?!//|\d{1,5}\b))(\S{4,64})",
    re.IGNORECASE,
)
_BELOW = re.compile(r"[^\s\w]?\w*[^\n]{0,20}\n\s{0,4}[\w.@+-]{2,64}[ ]?[:/][ ]?(\S{4,64})")
_DISK = re.compile(r"[^\n]{0,80}?(?<!\d)((?:\d{6}-){7}\d{6})(?!\d)")
_TAN = re.compile(r"(?:is |ist |lautet )?(\d{6})(?!\w)")
_LETTERED = re.compile(
    r"[ ]?[\w.@+-]{2,64}[,;/ ]{1,3}p(?:w|wd|ass|assword)?[ ]?[:=][ ]?(\S{4,64})", re.IGNORECASE
)
_NAMES = {
    "code": (_CODES, "code"),
    **dict.fromkeys(("pin", "otp"), (_PIN, "code")),
    **dict.fromkeys(("login", "log in", "get in", "zugangsdaten"), (_LOGIN, "password")),
    "cred": (_BELOW, "password"),
    "bitlocker": (_DISK, "code"),
    "tan ": (_TAN, "code"),
    "u:": (_LETTERED, "password"),
    **dict.fromkeys(("mnemonic", "phrase", "seed words"), (_PHRASE, "phrase")),
}


def codes(text: str, lower: str) -> Iterator[Span]:
    """Yield the recovery codes, PINs and seed phrases that a text names."""
    for needle in filter(lower.__contains__, _NAMES):
        shape, kind = _NAMES[needle]
        position = lower.find(needle)
        while position >= 0:
            found = shape.match(text, position + len(needle))
            if found and _is_name(lower, position, needle) and _is_value(found[1], kind):
                yield Span(max(0, position - _OWNER_CHARS), *found.span(1), kind)
            position = lower.find(needle, position + len(needle))


def _is_value(value: str, kind: str) -> bool:
    return kind != "password" or (has_digit_and_letter(value) and not is_ordinary(value))


def _is_name(lower: str, position: int, needle: str) -> bool:
    if needle == "code":
        return bool(_CODE_OWNER.search(lower, max(0, position - _OWNER_CHARS), position))
    return not lower[position - 1 : position].isalpha()
