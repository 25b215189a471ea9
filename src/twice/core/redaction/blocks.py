"""Keys that fill several lines or fields: PEM and PGP blocks, PuTTY's files, JSON web keys."""

import re
from collections.abc import Iterator

from twice.core.redaction.values import MASK, Span, is_placeholder

BLOCK_CHARS = 100_000
"""Between the first and the last line of a key block; what is longer is two things."""

_MARK = re.compile(
    r"---- ?(BEGIN|END) "
    r"((?:[A-Z0-9]+ ){0,4}?PRIVATE KEY(?: BLOCK)?|PGP (?!PUBLIC|SIGNATURE)[A-Z ]{3,30}?"
    r"|OpenVPN Static key V\d) ?-{4,5}"
)
_LINE_START = r"(?:\\[nrt]|[\s>+|\"'`\\,])*"
_KEY_LINES = re.compile(
    rf"(?:{_LINE_START}"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\n]{0,200}"
    r"|[A-Za-z0-9+/=]{20,400}(?![A-Za-z0-9+/=])))+"
    rf"(?:{_LINE_START}(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{{1,76}}"
    r"(?=\s{0,9}(?:\n|\Z|[\"'`]|\\n|\.\.\.|…)))?"
)
_LINE_CHARS = 1_000
_KEY_RUN = re.compile(r"[A-Za-z0-9+/=]{30}")
_KEY_TAIL = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{30,400}\s?\Z")
_KEY_LINE = re.compile(r"[\s>+|\"'`\\,]*[A-Za-z0-9+/=]{1,400}[\s\"'`\\,]*")

_PUTTY = re.compile(
    rf"Private-Lines: ?\d{{1,4}}"
    rf"(?:{_LINE_START}(?!Private)[A-Za-z0-9+/=]{{8,100}}(?![A-Za-z0-9+/=:]))+"
    rf"(?:{_LINE_START}Private-(?:MAC|Hash): ?[0-9a-fA-F]{{16,128}})?"
)
_WEB_KEY = re.compile(r"""\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s?:\s?\\?"([A-Za-z0-9_=+/-]{16,2048})""")
_XML_KEY = re.compile(r"<(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=\s]{16,4096})</")


# What Kubernetes keeps secret, whatever its name.
_MANIFEST = re.compile(r"kind:[ ]?[\"']?secret\b", re.IGNORECASE)
_MANIFEST_CHARS = 8_000
_DATA = re.compile(
    r"^([ \t]*)(?:stringData|data):[ \t]*\r?\n((?:\1[ \t]+\S.*\n?){1,100})", re.MULTILINE
)
_ENTRY = re.compile(
    r"^[ \t]+[\w.-]{1,80}:[ ]{0,4}(?:[|>][+-]?\r?\n[ \t]+)?[\"']?([^\s\"'|>][^\s\"']{3,4096})",
    re.MULTILINE,
)


def blocks(text: str) -> Iterator[Span]:
    """Yield the key blocks of a text, whole ones and such as were cut off at either end."""
    if "----" in text:
        yield from _marked(text)
    if "kind:" in text:
        yield from _manifests(text)
    if "Private-Lines" in text:
        for found in _PUTTY.finditer(text):
            yield Span(found.start(), found.start(), found.end(), "private-key")
    for needle, shape in (("kty", _WEB_KEY), ("<D>", _XML_KEY)):
        if needle in text:
            for found in shape.finditer(text):
                yield Span(found.start(), found.start(1), found.end(1), "private-key")


def _manifests(text: str) -> Iterator[Span]:
    done = 0
    for kind in _MANIFEST.finditer(text):
        if kind.start() < done:
            continue
        since = max(0, kind.start() - _MANIFEST_CHARS)
        since = max(since, text.rfind("\n---", since, kind.start()))
        done = min(len(text), kind.end() + _MANIFEST_CHARS)
        until = text.find("\n---", kind.end(), done)
        done = until if until >= 0 else done
        for data in _DATA.finditer(text, since, done):
            for entry in _ENTRY.finditer(text, data.start(2), data.end(2)):
                if not is_placeholder(entry[1]) and not MASK.search(entry[1]):
                    yield Span(min(data.start(), kind.start()), *entry.span(1), "secret")


def _marked(text: str) -> Iterator[Span]:
    opened: re.Match[str] | None = None
    done = 0
    for mark in _MARK.finditer(text):
        start = _start(text, mark)
        if mark[1] == "BEGIN":
            if opened:
                yield from _truncated(text, opened, start)
            opened = mark
            continue
        if opened and _is_key(text, opened.end(), start):
            since = _start(text, opened)
            yield Span(since, since, mark.end(), _kind_of(mark))
        elif opened:
            yield from _truncated(text, opened, start)
        else:
            yield from _headless(text, mark, done)
        opened, done = None, mark.end()
    if opened:
        yield from _truncated(text, opened, len(text))


def _start(text: str, mark: re.Match[str]) -> int:
    """Return where a line of four dashes or five begins; the shape has found the last four."""
    return mark.start() - (text[max(0, mark.start() - 1) : mark.start()] == "-")


def _kind_of(mark: re.Match[str]) -> str:
    return "pgp-block" if "PGP" in mark[2] else "private-key"


def _is_key(text: str, start: int, end: int) -> bool:
    if end - start > BLOCK_CHARS:
        return False
    if _KEY_RUN.search(text, start, end):
        return True
    inside = text[start:end].replace("\\n", "\n")
    lines = [line.strip(" \t\r\"'`\\,>+|") for line in inside.split("\n")]
    lines = [line for line in lines if line]
    return bool(lines) and all(_is_key_line(line) for line in lines)


def _is_key_line(line: str) -> bool:
    if re.fullmatch(r"[A-Z][A-Za-z-]+: .*", line):
        return True
    return bool(re.fullmatch(r"[A-Za-z0-9+/=_-]+", line)) and not is_placeholder(line)


def _truncated(text: str, opened: re.Match[str], limit: int) -> Iterator[Span]:
    lines = _KEY_LINES.match(text, opened.end(), min(limit, opened.end() + BLOCK_CHARS))
    if lines:
        start = _start(text, opened)
        yield Span(start, start, lines.end(), _kind_of(opened))


def _headless(text: str, mark: re.Match[str], floor: int) -> Iterator[Span]:
    """Yield a block whose beginning was cut off: the key-like lines before its last line."""
    start = end = _start(text, mark)
    floor = max(floor, start - BLOCK_CHARS)
    while start > floor:
        line_start = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[line_start:start]
        if len(line) > _LINE_CHARS or (line.strip(" \t\r\n>") and not _KEY_LINE.fullmatch(line)):
            tail = _KEY_TAIL.search(line[-_LINE_CHARS:])
            start -= len(tail[0]) if tail else 0
            break
        start = line_start
    if _KEY_RUN.search(text, start, end):
        yield Span(start, start, mark.end(), _kind_of(mark))
