"""Secrets, home folders and names taken out of a text before anything else sees it."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from twice.core.redaction.codes import codes
from twice.core.redaction.commands import handed
from twice.core.redaction.escapes import ESCAPES, UNSEEN, inner_texts, outer
from twice.core.redaction.names import named
from twice.core.redaction.private import emails_in, homes_in, users_in
from twice.core.redaction.shapes import shaped
from twice.core.redaction.values import MASK, MASKED_BEFORE, Span, has_digit_and_letter

WINDOW_CHARS = 256 * 1024
"""Looked at as one; a longer text is looked at in several windows."""

_PRIVATE = {"home": "~", "user": "USER", "email": "[redacted:email]"}
# Short words and nothing else: only a name, or the name of a user, can give something away.
_PLAIN = re.compile(r"(?:[A-Za-z']{1,15}(?:[ ,.?!\n]{1,9}|\Z)){1,200}")
_PLAIN_CHARS = 1_000
_PASSES = 4
_LEVELS = 3  # of escapes within escapes
NEAR_CHARS = 16_384
"""Around a finding, looked at again."""
REPEATED = 50
"""Different secrets of one window whose repetitions are looked for."""
_SEEN_AGAIN_CHARS = 4_096  # of each end of a secret that is longer than a window


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was taken out.

    ``start`` and ``end`` are where its replacement stands in the redacted text; ``length`` is
    how many characters it had.
    """

    kind: str
    start: int
    end: int
    length: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """A clean text, and what was taken out of it."""

    text: str
    findings: tuple[Finding, ...] = ()

    @property
    def secrets(self) -> int:
        """How many findings are secrets, not merely homes, user names or e-mail addresses."""
        return sum(finding.kind not in _PRIVATE for finding in self.findings)


class _Private(NamedTuple):
    homes: tuple[str, ...]
    users: tuple[str, ...]
    emails: bool


def redact(
    text: str, homes: tuple[str, ...] = (), users: tuple[str, ...] = (), emails: bool = False
) -> Redaction:
    """Take every secret, home folder and given user name out of a text.

    Redacting twice changes nothing more.

    >>> redact("my database password is hunter2, see /home/ann/notes").text
    'my database password is [redacted:password], see ~/notes'
    """
    private = _Private(homes, users, emails)
    if len(text) <= WINDOW_CHARS:
        return _clean(text, private, _find(text, private))
    pieces: list[str] = []
    findings: list[Finding] = []
    length = 0
    for part in _windows(text, private):
        pieces.append(part.text)
        findings += [
            replace(finding, start=finding.start + length, end=finding.end + length)
            for finding in part.findings
        ]
        length += len(part.text)
    return Redaction("".join(pieces), tuple(findings))


def _windows(text: str, private: _Private) -> Iterator[Redaction]:
    held = ""
    for start in range(0, len(text), WINDOW_CHARS):
        held += text[start : start + WINDOW_CHARS]
        while len(held) > WINDOW_CHARS:
            window = held[:WINDOW_CHARS]
            spans = _find(window, private)
            cut, left = _cut(window, spans)
            yield _clean(held[:cut], private, [span for span in spans if span.end <= cut])
            held = left + held[WINDOW_CHARS:]
    if held:
        yield _clean(held, private, _find(held, private))


def _cut(window: str, spans: list[Span]) -> tuple[int, str]:
    """Choose where a full window ends, and what of it is looked at again with the next one.

    It ends at a line, else at a space, and never within something that is taken out.
    """
    lowest, highest = len(window) // 4, len(window) * 7 // 8
    for separator in ("\n", " ", '"', ","):
        cut = highest
        while (cut := window.rfind(separator, lowest, cut) + 1) > lowest:
            within = next((span for span in spans if span.since < cut < span.end), None)
            if within is None:
                return cut, window[cut:]
            cut = max(within.since, 1)
    across = next((span for span in spans if span.since <= highest < span.end), None)
    if across is None:
        return highest, window[highest:]
    if across.since > 0:
        return across.since, window[across.since :]
    # Something longer than a window: its middle goes now, its ends tell what it is.
    ends = min(_SEEN_AGAIN_CHARS, len(window) // 4)
    return 0, window[:ends] + window[len(window) - ends :]


def _find(text: str, private: _Private) -> list[Span]:
    """Return what is to be taken out, in order and apart from each other."""
    spans = _apart(_search(text, private, _LEVELS))
    return _apart([*spans, *_repeated(text, spans)]) if spans else spans


def _search(text: str, private: _Private, levels: int) -> list[Span]:
    """Find what is to be taken out of a text, and out of the texts that are escaped within it."""
    # Bytes are lowered ten times faster, and each character stays in its place.
    ascii_bytes = text.encode("ascii", "replace")
    ascii_text = text if text.isascii() else ascii_bytes.decode()
    lower = ascii_bytes.lower().decode()
    found = [*named(text, lower), *codes(text, lower)]
    if len(text) < _PLAIN_CHARS and "basic" not in lower and _PLAIN.fullmatch(text):
        return [*found, *users_in(text, private.users)]
    found += [
        *shaped(text, ascii_text, lower),
        *handed(text, lower),
        *homes_in(text, lower, private.homes),
        *users_in(text, private.users),
        *(emails_in(text) if private.emails else ()),
    ]
    for escapes in (*ESCAPES, *(() if text.isascii() else (UNSEEN,))) if levels else ():
        for start, end in inner_texts(text, escapes):
            part = text[start:end]
            if inner := _search(escapes.undone(part), private, levels - 1):
                found += outer(inner, part, start, escapes)
    if found and MASKED_BEFORE in text:
        masks = [(mask.end(), mask.start()) for mask in MASK.finditer(text)]
        found = [span for span in found if not _touches(span, masks)]
    return found


def _repeated(text: str, spans: list[Span]) -> list[Span]:
    """Find where a secret that was given away once stands again with nothing beside it."""
    values = {text[span.start : span.end]: span.kind for span in spans if _is_telling(text, span)}
    return [
        Span(start, start, start + len(value), kind)
        for value, kind in list(values.items())[:REPEATED]
        for start in _standing_alone(text, value)
    ]


def _standing_alone(text: str, value: str) -> Iterator[int]:
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
            yield start
        start = text.find(value, end)


def _is_telling(text: str, span: Span) -> bool:
    length = span.end - span.start
    return (
        span.kind not in _PRIVATE
        and 6 <= length <= _SEEN_AGAIN_CHARS
        and has_digit_and_letter(text[span.start : span.end])
    )


def _touches(span: Span, masks: list[tuple[int, int]]) -> bool:
    """Tell whether a span overlaps one of the masks, given in order by where they end."""
    at = bisect_left(masks, (span.start + 1, 0))
    return at < len(masks) and masks[at][1] < span.end


def _apart(found: list[Span]) -> list[Span]:
    """Join spans that overlap; a secret's kind goes before a home's, that before a user's.

    What was only given away from within another secret is none: its name is gone.
    """
    joined: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if joined and joined[-1].start <= span.since < joined[-1].end <= span.start:
            continue
        if not joined or span.start >= joined[-1].end:
            joined.append(span)
            continue
        last = joined[-1]
        kind = max(last.kind, span.kind, key=_rank)
        since = min(last.since, span.since)
        joined[-1] = Span(since, last.start, max(last.end, span.end), kind)
    return joined


def _rank(kind: str) -> int:
    """Rank kinds of secrets before others, and ``github-token`` before a mere ``token``."""
    return {"user": 0, "home": 1, "email": 1}.get(kind, 2 + ("-" in kind))


def _clean(text: str, private: _Private, spans: list[Span]) -> Redaction:
    """Replace what was found, and look again: what is gone may have hidden something."""
    if not spans:
        return Redaction(text)
    done = _replace(text, spans)
    for _ in range(_PASSES if done.secrets else 0):
        again = _find_again(done, private)
        if not again:
            break
        done = _replace(done.text, again, done.findings)
    return done


def _find_again(done: Redaction, private: _Private) -> list[Span]:
    """Look again around what is gone; farther away nothing has changed."""
    spans: list[Span] = []
    for start, end in _surroundings(done):
        spans += [
            Span(start + span.since, start + span.start, start + span.end, span.kind)
            for span in _find(done.text[start:end], private)
        ]
    return _apart([*spans, *_repeated(done.text, spans)])


def _surroundings(done: Redaction) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text around its findings, from space to space and apart."""
    text, since, until = done.text, -1, -1
    for finding in done.findings:
        start = max(0, finding.start - NEAR_CHARS)
        if start > until:
            if until >= 0:
                yield since, until
            space = text.find(" ", start, finding.start) if start else -1
            since = max(start, space)
        until = min(len(text), finding.end + NEAR_CHARS)
        if until < len(text):
            until = max(text.rfind(" ", finding.end, until), finding.end + 1)
    if until >= 0:
        yield since, until


def _replace(text: str, spans: list[Span], before: tuple[Finding, ...] = ()) -> Redaction:
    pieces: list[str] = []
    findings: list[Finding] = []
    at = length = 0
    for span in spans:
        shown = _PRIVATE.get(span.kind, f"[redacted:{span.kind}]")
        pieces += (text[at : span.start], shown)
        length += span.start - at + len(shown)
        findings.append(Finding(span.kind, length - len(shown), length, span.end - span.start))
        at = span.end
    pieces.append(text[at:])
    kept = [_moved(finding, spans, findings) for finding in before]
    every = [*findings, *(finding for finding in kept if finding is not None)]
    return Redaction("".join(pieces), tuple(sorted(every, key=lambda finding: finding.start)))


def _moved(finding: Finding, spans: list[Span], made: list[Finding]) -> Finding | None:
    """Say where an earlier finding stands after others were made; None where it was swallowed."""
    shift = 0
    for span, new in zip(spans, made, strict=True):
        if span.start < finding.end and finding.start < span.end:
            return None
        if span.end <= finding.start:
            shift = new.end - span.end
    return replace(finding, start=finding.start + shift, end=finding.end + shift)
