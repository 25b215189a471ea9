"""What is assigned to a secret's name: ``NAME=value``, YAML, JSON, XML, code, options, calls."""

import re
from typing import NamedTuple

from twice.core.redaction.sentences import ends_clause, is_predicate, is_sentence, is_state
from twice.core.redaction.values import (
    MASK,
    Span,
    has_digit_and_letter,
    is_code,
    is_identifier,
    is_opaque,
    is_ordinary,
    is_placeholder,
    is_random,
    is_type,
    is_word,
    is_wordy,
)
from twice.core.redaction.vocabulary import kind_of_name

VALUE_CHARS = 1_024
"""Of a value without quotes, to tell what it is; a longer one goes whole."""


class Separator(NamedTuple):
    """What stands between a name and its value.

    ``loose``: it may as well join other things, so that the value itself must look secret.
    """

    start: int
    end: int
    mark: str
    loose: bool = False


_ASSIGN = re.compile(
    r"""(?:[ ]\([^()\n]{1,40}\))?(?:\\{0,3}["'`]|\]|\*\*|\}(?=[ ]?=[ ]?["'])){0,3}[ \t]{0,16}
        (?P<mark>:[ ]?[&A-Za-z_][\w.\[\]<>&'?, |]{0,40}?[ ]?=(?!=)|=>|:{1,3}=|\?{1,2}=|={1,3}|!==?
          |:(?!:)|：|＝)
        (?:\*\*)?[ \t]{0,16}
        (?:\n[ \t]{0,8}(?=["'])|\\\n[ \t]{0,16}|[|>][+-]?\d?[ ]{0,4}\n[ \t>]{0,16}
          |<<[-~]?["']?\w{1,20}["']?\n[ \t>]{0,16}|!!str[ ])?""",
    re.VERBOSE,
)
_OPTION = re.compile(r"[ \t]{1,4}(?!-)")
_TAG = re.compile(r"(?:\s[^<>\n]{1,80})?>(?=[^\s<]{1,4096}</)")
_VALUE_OF = re.compile(
    r"""\\?["']?[\s>,{]{0,16}\\?["']?(?:android:)?(?:value|default|content)\\?["']?[ ]?[:=][ ]?"""
    r"""|[ ][\w() ]{0,40}?default[ ]{1,4}(?=')""",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"""["'][ ]?,[ ]?(?=["'])|\((?=["'])|["'][^<>\n"']{0,40}>(?=[^\s<]{1,4096}</)"""
)

_NEXT_LINE = re.compile(
    r"[\"'`*]{0,3}[ \t]{0,4}(:?)[ \t*]{0,4}\r?\n(?:[ \t>]{0,16}\r?\n)?[ \t>]{0,16}"
    r"(?=[^\s:]{4,400}[ \t]{0,16}(?:[\r\n]|\Z))"
)
_SHORT_LINE = re.compile(r"(?:^|[\n\"])[^\n\"]{0,40}\Z")

_WRAPPED = re.compile(
    r"""(?!.{0,40}(?:get|env|read|load|input|prompt))[A-Za-z_][\w.:$]{0,40}\((?=["'])"""
)
_QUOTED = re.compile(
    r'''(?:[bfrucBFRUN@$&]{1,2})?("""|\'\'\'|\\{0,3}["'`])((?:(?!\1)(?:\\.|[^\\\n\r])){0,4096})\1'''
)
_CONTINUED = re.compile(r"""'(?:"'"'|\\''|')([^'\n]{1,400})(?=')""")
_BARE = re.compile(rf"\S{{1,{VALUE_CHARS}}}")
_CLOSING = re.compile("[，。；、」』】）”»]")
_ESCAPED_END = re.compile(r"""\\[nr]|\\+["']""")
_NO_PAIR = re.compile(r"[^\s=]{8}")
_BARE_MORE = re.compile(r"\S*")
_NEXT_PAIR = re.compile(r"""[,;&|}\])"'`]+\s?["'`]?[A-Za-z_][\w.-]{0,40}["'`]?[=:]""")
_USER_FIRST = re.compile(r"[\w.@+-]{1,64} / (?=\S{4})")
_USER = re.compile(r"(?:user|login|e?mail)[\w ]{0,10}[:=]", re.IGNORECASE)
_FIELD = re.compile(r"(?:id|type|src|source|name|env|file)=")
_SYMBOL = re.compile(r"[^\w\s.,;:'/-]")
_GROUPS = re.compile(r"[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){3,7}(?=[\s\"']|\Z)")
_WORDS_OF_LINE = re.compile(
    r"[\w!?$%&*+-]{2,20}(?: [\w!?$%&*+-]{2,20}){2,9}(?=[ \t]*(?:[\r\n\"\\]|\Z))"
)
_OPENING = tuple("「『“«‘（")
_UNSPACED = re.compile(r"[\u3000-\ud7af]")


def separator_after(text: str, start: int, end: int) -> Separator | None:
    """Find what stands between a name and its value; None in a sentence."""
    found = _NEXT_LINE.match(text, end)
    if found and (found[1] or _SHORT_LINE.search(text, max(0, start - 42), start)):
        return Separator(found.start(), found.end(), found[0], loose=True)
    found = _ASSIGN.match(text, end)
    if found is None and "-" in (text[start : start + 1], text[start - 1 : start]):
        found = _OPTION.match(text, end)
    if found is None and text[start - 1 : start] == "<":
        found = _TAG.match(text, end)
    if found:
        return Separator(found.start(), found.end(), found[0])
    found = _VALUE_OF.match(text, end)
    if found:
        return Separator(found.start(), found.end(), ":")
    found = _JOINED.match(text, end)
    return Separator(found.start(), found.end(), found[0], loose=True) if found else None


def assigned(text: str, start: int, separator: Separator, kind: str) -> Span | None:
    """Find the value that is assigned to a name."""
    name, at = text[start : separator.start], separator.end
    both = text[start - 1 : start] == "/" or name.lower().startswith("cred")
    user = _USER_FIRST.match(text, at) if both else None
    if user:
        at, kind = user.end(), "password"
    at += text[at : at + 1] in _OPENING
    wrapped = _WRAPPED.match(text, at)
    quoted = _QUOTED.match(text, wrapped.end() if wrapped else at)
    loose = separator.loose or wrapped is not None
    if quoted and (kind != "pass" or separator.mark[-1:] in "=:(>"):
        return _quoted(text, quoted, start, separator._replace(loose=loose), kind)
    if separator.loose and separator.mark.strip(" \t")[-1] not in ">\n":
        return None
    found = _bare(text, start, at, name, kind, separator)
    if found and loose and not looks_secret(text[found.start : found.end]):
        return None
    return found


def looks_secret(value: str) -> bool:
    """Tell whether a value alone shows that it is a secret, whatever stands before it."""
    if is_ordinary(value) or (" " in value and not _SYMBOL.search(value)):
        return False
    if is_identifier(value) and (value.isalpha() or _has_joints(value)):
        return False
    return has_digit_and_letter(value) or is_opaque(value)


def _quoted(
    text: str, quoted: re.Match[str], start: int, separator: Separator, kind: str
) -> Span | None:
    name, end = text[start : separator.start], quoted.end(2)
    if quoted[1] == "'":
        for _ in range(8):
            more = _CONTINUED.match(text, end)
            end = more.end() if more else end
    value = text[quoted.start(2) : end]
    if is_placeholder(value) or value.lower() == name.lower() or MASK.search(value):
        return None
    exported = separator.mark == "=" and name == name.upper()
    if is_sentence(value) and not (exported and has_digit_and_letter(value)):
        return None
    if is_type(value) or (is_identifier(value) and _is_a_name(value, kind)):
        return None
    if quoted[1] == "`" and " " in value and exported:
        return None  # what a shell runs
    if (separator.loose and not looks_secret(value)) or not fits(kind, name, value, given=True):
        return None
    if name.strip("-").lower() == "pwd" and ("/" in value or "\\" in value):
        return None
    return Span(start, quoted.start(2), end, "password" if kind == "pass" else kind.rstrip("?"))


def _is_a_name(value: str, kind: str) -> bool:
    """Tell whether a value is itself what something is called: ``"password": "user_password"``."""
    return kind_of_name(value) not in (None, "key?", "pass") or (
        kind in ("token", "key", "key?") and ("_" in value or "." in value) and not is_opaque(value)
    )


def fits(kind: str, name: str, value: str, *, given: bool) -> bool:
    """Tell whether a value may be of a kind; ``given``: it stands where code gives a value."""
    if kind == "key?":
        if "_" in name and name == name.upper():
            return len(value) >= 8 and is_opaque(value)
        return is_random(value)
    if kind not in ("token", "key"):
        return True
    if is_ordinary(value) and len(value) < 12:
        return False
    if given and len(value) >= 6 and has_digit_and_letter(value) and not is_ordinary(value):
        return True
    if is_opaque(value) or (len(value) >= 16 and value.isalnum()):
        return True
    return len(value) >= 16 and bool(re.search(r"[+/=~]", value)) and "://" not in value


def _bare(
    text: str, start: int, at: int, name: str, kind: str, separator: Separator
) -> Span | None:
    unsure = kind == "key?" and not _NO_PAIR.match(text, at)
    found = None if unsure else _BARE.match(text, at)
    if found is None:
        return None
    value = _cut(found[0], text, start, kind)
    if is_placeholder(value) or MASK.match(value) or value.lower() == name.lower():
        return None
    several = _several(text, at, name, kind)
    if several:
        return Span(start, at, several, kind)
    if not _is_bare_secret(text, start, at + len(value), name, value, kind, separator.mark):
        return None
    end = at + len(value)
    if len(value) > VALUE_CHARS - 8:
        more = _BARE_MORE.match(text, end)
        end = more.end() if more else end
    return Span(start, at, end, "password" if kind == "pass" else kind.rstrip("?"))


def _several(text: str, at: int, name: str, kind: str) -> int:
    """Return where a password of several words ends, as mail providers and phrases have them."""
    groups = _GROUPS.match(text, at) if kind == "password" else None
    if groups and not is_sentence(groups[0][:19]):
        return groups.end()
    line = _WORDS_OF_LINE.match(text, at) if name.lower().endswith("phrase") else None
    return line.end() if line and not is_sentence(line[0]) else 0


def _cut(value: str, text: str, start: int, kind: str) -> str:
    """Leave out what follows a value without a space: the next pair, a closing bracket."""
    before = text[max(0, start - 1) : start]
    if before in ("?", "&"):
        value, more, _ = value.partition("&")
        value = value if more else value.partition("#")[0]
    if before in ("<", '"', "'", "."):
        value = value.split("</", 1)[0]
    if not value.isascii():
        value = _CLOSING.split(value, maxsplit=1)[0]
    if "\\" in value:
        value = _ESCAPED_END.split(value, maxsplit=1)[0]
    following = _NEXT_PAIR.search(value)
    if following:
        value = value[: following.start()]
    for quote in "\"'`":
        if quote in value:
            value = value.split(quote, 1)[0] or value
    if kind in ("token", "key", "key?"):
        value = value.partition(",")[0].partition(";")[0].rstrip("?!")
    return value.rstrip(",;)]}>\"'`")


def _is_bare_secret(
    text: str, start: int, end: int, name: str, value: str, kind: str, mark: str
) -> bool:
    if len(value) < 3 or (value.startswith(("~/", "/", "./")) and kind not in ("token", "key")):
        return False
    tight = mark in ("=", "＝")
    if (
        is_code(value)
        or (is_ordinary(value) and not value.isdigit())
        or (_UNSPACED.match(value) and not has_digit_and_letter(value))
    ):
        return False
    if kind in ("token", "key") and is_identifier(value) and "-" in value and kind_of_name(value):
        return False  # the name of a header
    if _FIELD.match(value) or ("-" in text[max(0, start - 2) : start] and _is_named(value)):
        return False
    if mark == ":" and "." in name and kind in ("token", "key"):
        return False  # a package: io.jsonwebtoken:jjwt-api
    if kind == "pass" and not tight:
        user = _USER.search(text, max(0, start - 80), start)
        likely = looks_secret(value) or (user and not is_predicate(value))
        if mark[-1:] == ">" and text.startswith("</", end):
            return bool(likely)
        marks = (":", "=", "=>", "==") if looks_secret(value) else (":",)
        return mark.strip("*\"'`] \t") in marks and bool(likely) and ends_clause(text, end)
    if kind == "key?":
        return fits(kind, name, value, given=tight)
    if name.upper() == name and tight:
        return not (kind in ("token", "key") and is_word(value) and len(value) < 6)
    if kind in ("token", "key"):
        named = is_identifier(value) and is_wordy(value)
        compound = kind == "key" or kind_of_name(name) == "token" != name.lower()
        return fits(kind, name, value.rstrip(".!?"), given=tight or compound) and not named
    if is_word(value) or is_identifier(value):
        option = "-" in text[max(0, start - 2) : start] or name.startswith("-")
        in_call = text[end : end + 1] in (")", ",") and tight
        tight = tight and not is_state(value)
        named_only = mark[:1] == ">" or (
            not in_call and tight and "_" not in value and "." not in value
        )
        closed = looks_secret(value) and text[end : end + 1] in ("}", "]")
        last_word = ends_clause(text, end) and not is_predicate(value.strip(".,;"))
        return option or named_only or closed or (last_word and not _has_joints(value))
    return not value.isdigit() or len(value) >= 4


def _is_named(value: str) -> bool:
    """Tell whether a value is what a secret is called: ``--secret dbPassword``."""
    return is_identifier(value) and _has_joints(value) and kind_of_name(value) is not None


def _has_joints(value: str) -> bool:
    """Tell whether a value is a name of several words, as variables have."""
    return bool(re.search(r"[a-z](?:[_.]|(?=[A-Z]))[A-Za-z]", value))
