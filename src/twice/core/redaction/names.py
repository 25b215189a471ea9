"""Secrets known by what they are called: ``NAME=value``, JSON, and what people say of them."""

import re
from collections.abc import Iterator

from twice.core.redaction.sentences import (
    contrasted,
    ends_clause,
    is_predicate,
    is_sentence,
    nearby,
    said,
    said_before,
)
from twice.core.redaction.values import (
    MASK,
    MASKED_BEFORE,
    Span,
    has_digit_and_letter,
    is_code,
    is_identifier,
    is_opaque,
    is_ordinary,
    is_placeholder,
    is_word,
    is_wordy,
)
from twice.core.redaction.vocabulary import KEY_OWNERS, kind_of_name

NAME_CHARS = 64
VALUE_CHARS = 4_096

NEEDLES = (
    *("pass", "pwd", "secret", "token", "key", "cred", "cookie", "_auth", '"auth', "authoriz"),
    *("sessid", "contrase", "senha", "clave", "mot de pa", "kennw", "wachtw", "parola", "sifre"),
)
_FOREIGN_NEEDLES = (
    *("hasł", "şifre", "парол", "токен", "密码", "密碼", "口令", "密钥", "令牌"),
    *("パスワード", "トークン", "비밀번호", "토큰"),
)

_FIRST_UNSPACED = "\u3000"  # scripts that put no space between words begin here
_LEFT = re.compile(r"(?<![\w.-])[\w.-]+\Z")
_RIGHT = re.compile(r"[\w\-]*")

_ASSIGN = re.compile(
    r"""(?:\\?["'`]|\]|\*\*){0,3}[ \t]{0,16}
        (?::[ ]?[A-Za-z_][\w.\[\], |]{0,40}?[ ]?=(?!=)|=>|:=|={1,3}|!==?|:(?!:)|：|＝)
        (?:\*\*)?[ \t]{0,16}(?:\n[ \t]{0,8}(?=["']))?""",
    re.VERBOSE,
)
_OPTION = re.compile(r"[ \t]{1,4}(?!-)")
_TAG = re.compile(r">(?=[^\s<]{1,4096}</)")
_QUOTED = re.compile(r"""(?:[bfru]{1,2})?(\\?["'`])((?:(?!\1)(?:\\.|[^\\\n\r])){0,4096})\1""")
_BARE = re.compile(r"\S{1,4096}")
_BARE_MORE = re.compile(r"\S*")
_PASS_VALUE = re.compile(r"=[^\s=>]|[\s:=>][\"']")
_NEXT_PAIR = re.compile(r"""[,;&|}\])"'`]+\s?["'`]?[A-Za-z_][\w.-]{0,40}["'`]?[=:]""")

_COOKIE = re.compile(
    r"""["'`]{0,2}[ \t]{0,4}(:|=)[ \t]{0,4}(["'`]?)
        (?=[\w.$%-]{1,64}=[^\s;"'])([^\n\r"'`]{3,4096})""",
    re.VERBOSE,
)
_AUTHORIZATION = re.compile(
    r"""\\?["'`]{0,2}\]?[ \t]{0,4}[:=,][ \t]{0,4}\\?["'`]?
        (?:(bearer|basic|token|apikey|api-key|key|bot|digest|negotiate|aws4-hmac-sha256|splunk|jwt)
           [ \t]{1,4})?
        ([^\s"'`]{3,4096})""",
    re.VERBOSE | re.IGNORECASE,
)


_WHOLE_LINE = frozenset({"digest", "aws4-hmac-sha256"})
_REST = re.compile(r"[^\n\r'`]{3,4096}")


def named(text: str, lower: str) -> Iterator[Span]:
    """Yield the secrets of a text that are known by the name that stands with them.

    ``lower`` is the text in lower case, with a question mark for what is not ASCII.
    """
    for needle in NEEDLES:
        yield from _at_each(text, lower, needle)
    if not text.isascii():
        for needle in _FOREIGN_NEEDLES:
            yield from _at_each(text, text, needle)
            if needle[0].lower() != needle[0].upper():
                yield from _at_each(text, text, needle.capitalize())


def _at_each(text: str, haystack: str, needle: str) -> Iterator[Span]:
    position = haystack.find(needle)
    while position >= 0:
        found = _at(text, position, needle)
        if found is not None:
            yield found
            if (second := contrasted(text, found)) is not None:
                yield second
        # A value is not searched again: it may hold the same word a thousand times.
        after = position + len(needle) if found is None else max(found.end, position + 1)
        position = haystack.find(needle, after)


def _at(text: str, position: int, needle: str) -> Span | None:
    start, end = _name_around(text, position, needle)
    if text.startswith(MASKED_BEFORE, start - 10) or text.startswith("redacted:", start):
        return None
    if needle == "cookie":
        return _cookie(text, start, end)
    if needle == "authoriz":
        return _authorization(text, start, end)
    kind = kind_of_name(text[start:end])
    if kind is None and needle in ("key", "mot de pa"):
        start, end, kind = _two_words(text, start, end)
    if kind is None:
        return None
    separator = _separator(text, start, end)
    if kind == "pass":
        if separator is None or not _PASS_VALUE.match(text, separator.end() - 1):
            return None
        return _assigned(text, start, separator, "password")
    if separator:
        found = _assigned(text, start, separator, kind)
    else:
        found = said(text, start, end, kind) or said_before(text, start, kind)
    return found or nearby(text, start, end, kind)


def _name_around(text: str, position: int, needle: str) -> tuple[int, int]:
    if needle >= _FIRST_UNSPACED:
        return position, position + len(needle)
    head = text[max(0, position - NAME_CHARS) : position]
    found = _LEFT.search(head)
    left = len(found[0]) if found else 0
    right = _RIGHT.match(text, position, position + NAME_CHARS)
    return position - left, right.end() if right else position


def _two_words(text: str, start: int, end: int) -> tuple[int, int, str | None]:
    """Take "API key" and "mot de passe" for one name."""
    if text[start:end].lower() == "mot":
        rest = re.compile(r" de passe", re.IGNORECASE).match(text, end)
        return (start, rest.end(), "password") if rest else (start, end, None)
    before = re.search(r"([A-Za-z]{2,20})[ \t]\Z", text[max(0, start - 24) : start])
    if before and text[start:end].lower() == "key" and before[1].lower() in KEY_OWNERS:
        return start - len(before[0]), end, "key"
    return start, end, None


def _separator(text: str, start: int, end: int) -> re.Match[str] | None:
    """Find what stands between a name and its value; None in a sentence."""
    separator = _ASSIGN.match(text, end)
    if separator is None and (text[start : start + 1] == "-" or text[start - 1 : start] == "-"):
        separator = _OPTION.match(text, end)
    if separator is None and text[start - 1 : start] == "<":
        separator = _TAG.match(text, end)
    return separator


def _assigned(text: str, start: int, separator: re.Match[str], kind: str) -> Span | None:
    name = text[start : separator.start()]
    quoted = _QUOTED.match(text, separator.end())
    if quoted:
        return _quoted(quoted, start, name, kind)
    return _bare(text, start, separator.end(), name, kind, separator[0])


def _quoted(quoted: re.Match[str], start: int, name: str, kind: str) -> Span | None:
    value = quoted[2]
    if is_placeholder(value) or value.lower() == name.lower() or MASK.search(value):
        return None
    if is_sentence(value) or (is_identifier(value) and _is_a_name(value, kind)):
        return None
    if kind in ("token", "key") and not _is_token(value, given=True):
        return None
    if name.strip("-").lower() == "pwd" and ("/" in value or "\\" in value):
        return None
    return Span(start, quoted.start(2), quoted.end(2), kind)


def _is_a_name(value: str, kind: str) -> bool:
    """Tell whether a value is itself what something is called: ``"password": "user_password"``."""
    return kind_of_name(value) is not None or (
        kind in ("token", "key") and ("_" in value or "." in value) and not is_opaque(value)
    )


def _is_token(value: str, *, given: bool) -> bool:
    """Tell whether a value may be a key; ``given``: it stands where code gives a value."""
    if given and len(value) >= 6 and has_digit_and_letter(value) and not is_ordinary(value):
        return True
    if is_opaque(value) or (len(value) >= 16 and value.isalnum()):
        return True
    return len(value) >= 16 and bool(re.search(r"[+/=~]", value)) and "://" not in value


def _bare(text: str, start: int, at: int, name: str, kind: str, separator: str) -> Span | None:
    found = _BARE.match(text, at)
    if found is None:
        return None
    value = _cut(found[0], text, start)
    if is_placeholder(value) or MASK.match(value) or value.lower() == name.lower():
        return None
    if not _is_bare_secret(text, start, at + len(value), name, value, kind, separator):
        return None
    end = at + len(value)
    if len(value) == VALUE_CHARS:
        more = _BARE_MORE.match(text, end)
        end = more.end() if more else end
    return Span(start, at, end, kind)


def _cut(value: str, text: str, start: int) -> str:
    """Leave out what follows a value without a space: the next pair, a closing bracket."""
    if text[max(0, start - 1) : start] in ("?", "&"):
        value = re.split(r"[&#]", value, maxsplit=1)[0]
    if text[max(0, start - 1) : start] == "<":
        value = value.split("<", 1)[0]
    following = _NEXT_PAIR.search(value)
    if following:
        value = value[: following.start()]
    for quote in "\"'`":
        if quote in value:
            value = value.split(quote, 1)[0] or value
    return value.rstrip(",;)]}>\"'`")


def _is_bare_secret(
    text: str, start: int, end: int, name: str, value: str, kind: str, separator: str
) -> bool:
    if len(value) < 3 or (value.startswith(("~/", "/", "./")) and kind == "password"):
        return False
    shouted = name.isupper() or name.upper() == name
    tight = separator in ("=", "＝")
    if is_code(value):
        return False
    if shouted and tight:
        return not (kind in ("token", "key") and is_word(value) and len(value) < 6)
    if kind in ("token", "key"):
        named = is_identifier(value) and is_wordy(value)
        return _is_token(value.rstrip(".!?"), given=tight) and not named
    if is_word(value) or is_identifier(value):
        option = "-" in text[max(0, start - 2) : start] or name.startswith("-")
        in_call = text[end : end + 1] in (")", ",") and tight
        named_only = not in_call and tight and "_" not in value and "." not in value
        last_word = ends_clause(text, end) and not is_predicate(value.strip(".,;"))
        return option or named_only or (last_word and not _has_joints(value))
    return not value.isdigit() or len(value) >= 4


def _has_joints(value: str) -> bool:
    """Tell whether a value is a name of several words, as variables have."""
    return bool(re.search(r"[a-z](?:[_.]|(?=[A-Z]))[A-Za-z]", value))


def _cookie(text: str, start: int, end: int) -> Span | None:
    found = _COOKIE.match(text, end)
    if found is None or MASK.match(found[3]):
        return None
    values = [pair.partition("=")[2] for pair in found[3].split(";")]
    if all(is_placeholder(value) for value in values if value):
        return None
    header = found[1] == ":" or text[start:end].lower() == "set-cookie"
    if not header and not any(is_opaque(value) for value in values):
        return None
    return Span(start, found.start(3), found.start(3) + len(found[3].rstrip()), "cookie")


def _authorization(text: str, start: int, end: int) -> Span | None:
    found = _AUTHORIZATION.match(text, end)
    if found is None:
        return None
    value = found[2]
    if (found[1] or "").lower() in _WHOLE_LINE:
        rest = _REST.match(text, found.start(2))
        value = rest[0] if rest else value
    value = value.rstrip(",;)]}\\ ")
    if is_placeholder(value) or MASK.search(value) or is_code(value):
        return None
    if not found[1] and not is_opaque(value):
        return None
    if found[1] and is_word(value) and (len(value) < 8 or is_predicate(value)):
        return None
    return Span(start, found.start(2), found.start(2) + len(value), "authorization")
