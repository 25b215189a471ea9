"""What a value looks like: opaque as secrets are, or a placeholder, an ordinary word, code."""

import math
import re
from collections import Counter
from typing import NamedTuple


class Span(NamedTuple):
    """A part of a text to take out.

    ``since`` is where what gives it away begins: "password is" before the value itself.
    """

    since: int
    start: int
    end: int
    kind: str


def words(text: str) -> frozenset[str]:
    """Return the words of a table that is written as a text."""
    return frozenset(text.split())


JUDGED_CHARS = 256
"""Of a value, to tell what it is; a longer one does not change its nature."""

MASKED_BEFORE = "[redacted:"
MASK = re.compile(r"\[redacted:[a-z-]{1,40}\]")

_PLACEHOLDER = re.compile(
    r"""
    \[redacted.* | \[[a-z _-]+\] | \[[\w-]+\][+*?]?
  | <[^>]*>.* | <[a-z_/-].* | \{\{?[^}]*\}?\}.* | \$\{.* | \$\(.*
  | \$[a-z_]+\d?\W* | %\(?[a-z_]\w*\)?[s%]? | \#\{.* | @\w+@ | __\w+__ | `.*
  | .{0,12}(?:\*{3,}|•{3,}|…|\.{3,}).{0,8}
  | [\w-]{0,16}?(?:x{4,}|0{8,}|_{3,})[x0_.-]*
  | (?:your|insert|enter|replace|put|paste|add|change|example|sample|dummy)
        (?:[-_ .]\D*|(?:api|auth)?(?:token|key|secret|password)s?\w{0,8})
  | x{3} | .*x{10}.* | .*\#{8}.* | (?:[a-z0-9]{2,8}[-_]){1,2}your[-_ .]\D*
  | pk_(?:live|test|prod)_\w*  # for everyone to see
  | required\b.* | (?:change_?me|example|dummy|placeholder|redacted|removed|masked|hidden)\W*
  | (?:none|null|nil|undefined|true|false|todo|tbd|n/a|empty|unset|yes|no|on|off|default)\W*
  | (?:the|my|a|an)[-_](?:api[-_])?(?:key|token|secret|password)(?:[-_]?here)?
  | .*[-_](?:here|goes[-_]here|placeholder)
  | (?:password|passwd|secret|token|api[-_]?key|key|value|string|text|pass|pwd|passphrase)s?\W*
  | (?:op|vault|keychain|env|file|arn|ssm|projects|sm|awssm|gcpsm):/?/?[a-z].* | arn:aws.*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_TYPES = words(
    """
    any array bar basic baz bearer bigint body bool boolean bytes bytearray callable char cookie
    date datetime dict digest enum env field file float foo form hash header input int integer
    iterable jwt keychain keyring list literal map name never number object optional option param
    password path prompt query record required result secretstr sequence set stdin str string
    symbol text tok tuple type union unknown uuid val varchar vault void
    """
)
_CODE = re.compile(
    r"""
    (?:await|new|return|lambda|function|async|typeof|not|if|self|this|cls|process|os|env|environ
       |config|settings|secrets|params?|req|request|res|args?|opts?|options|props|ctx|context|data
       |import|std|crate|super)\b(?:[.\[(:?!-].*|$)
  | [A-Za-z_$][\w$.:]*(?:->\w+)*(?:<[\w$.,|\[\]]{1,80}>)?\??!?[(\[].*
  | [@:*&][A-Za-z_]{3,} | https?://[^\s@]*
  | &(?:'\w+|mut|str|String|\[u8\])[,);]* | (?:[a-z-]+\.){1,3}(?:io|com|org|dev|net)/\S*
  | (?:Optional|List|Dict|Union|Literal|Option|Result|Secret|Promise|Array|Record)[\[<].*
  | [(\[{|>&!*/\\+=-].{0,2} | [({\[].* | [?]\s.* | !\w+ | => .* | \#[0-9a-fA-F]{3,8}[;,]?
    """,
    re.VERBOSE | re.DOTALL,
)

_DOTTED = re.compile(r"[&*]?[A-Za-z_$](?:[A-Za-z_$]|\d(?!\d\d))*(?:\??\.[A-Za-z_$]+)+[;,)\]}]*")

_ORDINARY = re.compile(
    r"""
    v?\d+(?:\.\d+){1,3}(?:[-+][a-z0-9.]+)? | v\d+ | \d{4}-\d\d-\d\d\S* | \d\d:\d\d\S*
  | \d+(?:[.,]\d+)*(?:%|[kmgtKMGT]?[bB]?|ms|s|m|h|d|min|px|em|rem|x|tokens?|chars?)\W*
  | [A-Za-z]?[a-z]{1,11}-?\d{1,4}\W*
  | (?i:sha|md|hmac|rsa|ecdsa|ed|aes|utf|base|rfc)
        (?:[-_]?\d{1,5}(?:[-_:/.]\S*|[a-z]{0,4}\d?)\W*|[-_]\S{1,20})
  | [a-z]+://\S* | (?:\.{0,2}/|~/|[A-Za-z]:[\\/])\S* | \S*/\S*\.[a-z]{1,5}\d?\W*
  | [\w-]+\.[a-z]{2,4}
  | @?[a-z][\w.-]*/[a-z][\w./-]* | \#?\d+\W* | [A-Z]{2,6}-\d+\W* | \S+\(\S*
  | id_(?:rsa|dsa|ecdsa|ed25519)\S* | \d+/(?:tcp|udp)
    """,
    re.VERBOSE,
)
_SHOUTED = re.compile(r"[A-Z]+(?:-[A-Z0-9]+)+|[A-Z]{3,}(?:-[A-Za-z]+){2,}")
_ALGORITHM = re.compile(
    r"v?\d{1,4}(?:\.\d+)*[a-z]{0,3}|id_(?:rsa|dsa|ecdsa|ed25519).*"
    r"|(?:oauth|sha|md|base|utf|argon|bcrypt|pbkdf|hs|rs|es)[-_]?\d{1,4}(?:\.\d)?[a-z]{0,3}"
    r"(?:[-_/](?:sha)?\d{1,3}){0,2}",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(
    r"(?:0x|sha\d+[:-])?[0-9a-f]{7,}|(?:[\w.]{1,20}-){1,6}[0-9a-f]{32,}", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_UNSPEAKABLE = re.compile(
    r"[bcdfghjklmnpqrstvwxz]{6}|\A[b-df-hj-np-tv-xz]{5,}\Z|\A[B-DF-HJ-NP-TV-XZ]{5,}\Z"
)


def is_placeholder(value: str) -> bool:
    """Tell whether a value only stands for a secret: empty, ``<token>``, ``$TOKEN``, ``xxxx``."""
    value = value[:JUDGED_CHARS].strip()
    if not value.strip("\"'`") or (len(value) < 4 and not any(map(str.isalnum, value))):
        return True
    return bool(_PLACEHOLDER.fullmatch(value))


def is_code(value: str) -> bool:
    """Tell whether a bare value is a type, a call or a reference rather than a secret."""
    value = value[:JUDGED_CHARS]
    if is_type(value):
        return True
    dotted = _DOTTED.fullmatch(value) and (
        is_wordy(value) or (len(value) <= 24 and not _is_in_bits(value))
    )
    return bool(dotted or _CODE.fullmatch(value))


def is_type(value: str) -> bool:
    """Tell whether a value is only the name of a type, of a place or of a rule."""
    return value.strip(",;)]}").lower() in _TYPES


def is_word(value: str) -> bool:
    """Tell whether a value is one word of letters, as prose has them."""
    bare = value.strip(".,;:!?)]}'\"").replace("-", "").replace("'", "").replace("’", "")
    return bare.isalpha() and (bare.islower() or bare.istitle())


def is_identifier(value: str) -> bool:
    """Tell whether a value is a name made of words: ``user_token``, ``accessToken``."""
    return bool(
        re.fullmatch(r"[A-Za-z_]+(?:[-.][A-Za-z_]+)*\d?", value[:JUDGED_CHARS].strip(".,;:!?)]}"))
    )


def is_known_harmless(value: str) -> bool:
    """Tell whether a value is a git SHA or another digest, or a UUID."""
    return bool(_UUID.fullmatch(value) or _HEX.fullmatch(value))


def is_opaque(value: str) -> bool:
    """Tell whether a value looks made by a machine or a careful person, not like prose or code."""
    value = value[:JUDGED_CHARS]
    if len(value) < 6 or _has_ordinary_shape(value):
        return False
    letters = any(map(str.isalpha, value))
    if letters and any(map(str.isdigit, value)):
        return not is_wordy(value) or len(value) >= 12
    if len(value) >= 10 and _SHOUTED.fullmatch(value):
        return True
    return letters and bool(re.search(r"[a-zA-Z][!@#$%^&*+]+[a-zA-Z]", value))


def has_digit_and_letter(value: str) -> bool:
    """Tell whether a value mixes digits and letters, as the shortest passwords do."""
    value = value[:JUDGED_CHARS]
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_ordinary(value: str) -> bool:
    """Tell whether a short value with digits is a version or the name of an algorithm."""
    return bool(_ALGORITHM.fullmatch(value[:JUDGED_CHARS]))


def is_random(value: str) -> bool:
    """Tell whether a long value has the entropy of a key; digests and UUIDs do not count."""
    value = value[:JUDGED_CHARS]
    if len(value) < 20 or is_known_harmless(value) or _has_ordinary_shape(value):
        return False
    digits = sum(map(str.isdigit, value))
    mixed = not value.islower() and not value.isupper()
    if digits < 2 or digits > len(value) * 0.7 or is_wordy(value):
        return False
    return entropy(value) >= (3.3 if mixed else 3.6)


def is_wordy(value: str) -> bool:
    """Tell whether a value is mostly made of words, joined in any way."""
    words = _WORDS.findall(value)
    long_words = sum(
        len(word)
        for word in words
        if len(word) >= 4 and word.isalpha() and not _UNSPEAKABLE.search(word)
    )
    return long_words >= 0.6 * sum(map(len, words))


def _has_ordinary_shape(value: str) -> bool:
    path = len(value) >= 32 and "/" in value and "://" not in value
    return bool(_ORDINARY.fullmatch(value)) and not (
        path and not is_wordy(value) and _is_in_bits(value)
    )


def _is_in_bits(value: str) -> bool:
    """Tell whether letters, capitals and digits alternate as no name has them."""
    parts = _WORDS.findall(value)
    mixed = any(map(str.isdigit, value)) and any(map(str.isupper, value))
    length = 2.5 if len(parts) < 6 else 3
    return mixed and len(parts) > 3 and sum(map(len, parts)) <= length * len(parts)


def entropy(value: str) -> float:
    """Return the Shannon entropy of a value's characters, in bits for each."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
