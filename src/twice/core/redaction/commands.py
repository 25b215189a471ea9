"""Secrets handed to a command or to a call: ``mysql -pX``, ``login("ann", "X")``."""

import re
from collections.abc import Iterator

from twice.core.redaction.values import (
    MASK,
    Span,
    has_digit_and_letter,
    is_known_harmless,
    is_ordinary,
    is_placeholder,
    is_random,
)

LINE_CHARS = 300
"""Between a command and its password."""

_USER = r"[\"']?[^\s:\"']{0,100}:"
# A flag, by what follows its first dash, and the commands of which it holds the password; some
# allow no space there, and some want the name of a user first.
_FLAGS = {
    first: tuple((re.compile(flag), re.compile(commands)) for flag, commands in flags)
    for first, flags in {
        "p": (
            (r"p(?=[^\s-])", r"\b(?:mysql|mariadb|7z)"),
            (r"p ?", r"\b(?:sshpass|mongo|cqlsh|twine|certutil|psexec)|\w login\b"),
            (r"pw ", r"\b(?:plink|pscp)\b"),
            (r"pass(?:in|out)? (?:pass:)?(?!(?:env|file|fd):|stdin)", r"\bopenssl\b"),
        ),
        "P": ((r"P ?", r"\b(?:un)?zip\b|\b(?:sqlcmd|mosquitto|ssh-keygen)"),),
        "N": ((r"N ?", r"\bssh-keygen\b"),),
        "a": ((r"a ", r"\bredis-cli\b"), (rf"a {_USER}", r"\bhttps?\b")),
        "w": ((r"w ?", r"\bldap\w+"),),
        "k": ((r"k ", r"\bopenssl\b"), (r"keypass ", r"\b(?:keytool|jarsigner)\b")),
        "s": ((r"storepass ", r"\b(?:keytool|jarsigner)\b"),),
        "u": (
            (r"u ?[\"']?(?=[^\s:\"']{8,100}:(?:[\"'\s]|\Z))", r"\bcurl\b"),
            (rf"u ?{_USER}", r"\bcurl\b"),
            (r"u ?[\w.@-]+,", r"\blftp\b"),
        ),
        "U": ((rf"U ?{_USER}", r"\bcurl\b"), (r"U ?[\"']?[\w\\./-]+%", r"\b(?:smb|rpc)client\b")),
        "b": (
            (r"b [\"']?[\w.-]{1,64}=", r"\bcurl\b"),
            (r"\w*b[^\n|>;]* (?=\S+[ \t]*(?:$|[\n|>;]))", r"\bhtpasswd\b"),
        ),
        "n": ((r"nb[^\n|>;]* (?=\S+[ \t]*(?:$|[\n|>;]))", r"\bhtpasswd\b"),),
        "h": ((r"hp(?=[^\s-])", r"\brar\b"),),
        "t": ((r"t (?=[\w-]{20})", r"\b(?:codecov|doctl|vercel|netlify|railway|snyk|tea)\b"),),
        "E": ((r"E ?[\"']?[^\s:\"']{1,100}:", r"\bcurl\b"),),
        "-": (
            (r"-(?:proxy-)?cert[ =][\"']?[^\s:\"']{1,100}:(?![\\/])", r"\bcurl\b"),
            (rf"-(?:proxy-)?user[ =]{{1,3}}{_USER}", r"\bcurl\b"),
            (r"-cookie[ =][\"']?[\w.-]{1,64}=", r"\bcurl\b"),
            (rf"-auth[ =]{_USER}", r"\bhttps?\b"),
            (rf"-user[ =]{_USER}(?=\S*\d)(?=\S*[A-Za-z])", r"\betcdctl\b"),
            (r"-value[ =]", r"\bsecret|\bsecure"),
        ),
    }.items()
}
# What stands at such a place may be any word of a sentence, so it must not be only a word.
_PLACES = {
    needle: re.compile(place)
    for needle, place in {
        "mc alias set": r" \S+ \S+ ",
        "alias set": r"(?<=mc alias set) \S+ \S+ \S+ ",
        "config set --secret": r" \S+ ",
        "base64 -d": r"(?:ecode)?[\"']?[ \t]{0,9}\n(?=\S{8,200}[ \t]*(?:\n|\Z))",
        "openssl rand": r"[^\n]{0,40}\n(?=\S{8,200}[ \t]*(?:\n|\Z))",
        "acl setuser": r" \S+ (?:\S+ ){0,6}?>",
        "setcookie": r" ",
        "auth-user-pass>": r"\s{1,4}\S+\s{1,4}",
        "signtool": r" [^\n]{0,200}? /p ",
        "nickserv": r" (?i:identify|id|register|auth) (?:\S+ (?=\S))?",
        "securestring": r"(?: -string)? (?=[\"'])",
        "net use": r"(?:r \w+| [^\n]{0,9}\\\\\S+)(?: /user:\S+)? (?![/*])",
        "login": r"(?<=(?:cargo|vault|wandb) login) (?:--relogin )?(?!-)",
        "community": r"(?:(?<=snmp-server community)| string(?:[:=]| is)?) ",
        "add_user": r" \w+ ",
        "change_password": r" \w+ ",
        "unseal": r" ",
        "wpa_passphrase": r" (?:\"[^\"\n]+\"|\S+) ",
    }.items()
}
_WORD = re.compile(
    r"""(?:"(?:\\.|[^"\\\n]){0,400}"|'[^'\n]{0,400}'|\\[^"'nrt]|[^\s"'|;&<>()`\\]){1,400}""",
)
_REST = {quote: re.compile(rf"[^{quote}\n]{{1,400}}") for quote in "\"'"}
_PORTS = re.compile(r"[\d.]*:?\d+:\d+\S*|\d+/\w+")
_READS_A_PASSWORD = re.compile(
    r"\| ?(?:sudo -S|chpasswd|[^\n|]{0,80}(?:--password-stdin|--stdin|--passphrase-fd))"
)
_ECHOED = re.compile(
    r"""(?:echo|printf) (?:-n |['"]?%s(?:\\n)?['"]? )?["']?([^\n|]{3,400}?)["']? ?\Z"""
)
_PAIR = re.compile(r"""\( ?["'][^"'\n]{1,80}["'], ?["']([^"'\n]{3,200})["']""")
# The name of an account and a key: only where the second is one by itself.
_PAIR_OF_KEYS = re.compile(r"""\( ?["'][^"'\n]{1,80}["'], ?["']([\w+/=.-]{24,512})["']""")
_SINGLE = re.compile(r"""\( ?["']([\w+/=.-]{20,512})["']""")
# The name of a user and a password, about to be encoded.
_BEFORE_COLON = r"""["']?[^"'\s:(]{1,80}:"""
_ENCODED = re.compile(
    rf"""(?:echo|printf) (?:-n )?{_BEFORE_COLON}([^"'\n|]{{3,200}}?)["']? ?\| ?base64"""
)
_TO_ENCODE = re.compile(rf"""\( ?b?(?=["']){_BEFORE_COLON}([^"'\n]{{3,200}})["']""")
_ENCODER = re.compile(r"(?:\bbtoa|Buffer\.from|b64encode|base64_?encode|Base64\.\w{1,9})\Z", re.I)
_PAIR_CALLEE = re.compile(
    r"(?:auth\w*|log_?in|sign_?in|begin|credentials?)[ =:]{0,3}\Z", re.IGNORECASE
)
_SINGLE_CALLEE = re.compile(r"(?:client|login|auth\w*|configure|init|connect)\Z", re.IGNORECASE)
_CALLEE_CHARS = 24


def handed(text: str, lower: str) -> Iterator[Span]:
    """Yield the passwords that the commands and calls of a text are given."""
    position = lower.find(" -")
    while position >= 0:
        for flag, commands in _FLAGS.get(text[position + 2 : position + 3], ()):
            found = flag.match(text, position + 2, position + LINE_CHARS)
            if found and commands.search(lower, _line_start(text, position), position + 1):
                yield from _argument(text, position, found.end(), found[0])
        position = lower.find(" -", position + 2)
    for needle in filter(lower.__contains__, _PLACES):
        yield from _placed(text, lower, needle, _PLACES[needle])
    for pipe in _READS_A_PASSWORD.finditer(text) if "|" in text else ():
        echoed = _ECHOED.search(text, _line_start(text, pipe.start()), pipe.start())
        if echoed and not is_placeholder(echoed[1]) and not MASK.search(echoed[1]):
            yield Span(echoed.start(), *echoed.span(1), "password")
    if "base64" in lower:
        for found in _ENCODED.finditer(text):
            if _is_given(found[1], _PAIR):
                yield Span(found.start(), *found.span(1), "password")
    if "(" in text:
        yield from _called(text)


def _called(text: str) -> Iterator[Span]:
    for given, callee in (
        (_PAIR, _PAIR_CALLEE),
        (_PAIR_OF_KEYS, _SINGLE_CALLEE),
        (_TO_ENCODE, _ENCODER),
        (_SINGLE, _SINGLE_CALLEE),
    ):
        for found in given.finditer(text):
            head = max(0, found.start() - _CALLEE_CHARS)
            if _is_given(found[1], given) and callee.search(text, head, found.start()):
                yield Span(head, *found.span(1), "password")


def _line_start(text: str, position: int) -> int:
    """Return where a command begins; a backslash continues it on the next line."""
    since = max(0, position - LINE_CHARS)
    newline = text.rfind("\n", since, position)
    while newline > since and text[newline - 1] == "\\":
        newline = text.rfind("\n", since, newline)
    return max(newline + 1, since)


def _placed(text: str, lower: str, needle: str, place: re.Pattern[str]) -> Iterator[Span]:
    position = lower.find(needle)
    while position >= 0:
        found = place.match(text, position + len(needle), position + LINE_CHARS)
        for span in _argument(text, position, found.end(), "") if found else ():
            if has_digit_and_letter(text[span.start : span.end]):
                yield span
        position = lower.find(needle, position + len(needle))


def _argument(text: str, since: int, start: int, flag: str) -> Iterator[Span]:
    """Yield the word of a command that starts here or in the flag before, without its quotes."""
    found = next((shape for quote, shape in _REST.items() if quote in flag), _WORD).match(
        text, start
    )
    if found is None:
        return
    start, end = found.span()
    value = found[0]
    if value[0] == value[-1] and value[0] in "\"'" and len(value) > 1:
        start, end, value = start + 1, end - 1, value[1:-1]
    harmless = (
        len(value) < 3 or is_placeholder(value) or _PORTS.fullmatch(value) or value.startswith("-")
    )
    if not harmless and not MASK.search(value):
        yield Span(since, start, end, "password")


def _is_given(value: str, shape: re.Pattern[str]) -> bool:
    if is_placeholder(value) or MASK.search(value):
        return False
    if shape is _SINGLE:
        return is_random(value)
    if shape is _PAIR_OF_KEYS:
        return is_random(value) or is_known_harmless(value)
    return has_digit_and_letter(value) and " " not in value and not is_ordinary(value)
