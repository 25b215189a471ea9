"""Secrets known by their own shape: provider keys, credentials in addresses, key blocks."""

import base64
import re
import string
from collections.abc import Iterator

from twice.core.redaction.values import Span, is_opaque, is_placeholder, words

BLOCK_CHARS = 100_000
"""Between the first and the last line of a key block; what is longer is two things."""

# Where to look. A first pass finds what joins a beginning to a long run; the beginning is then
# read backwards. It takes a tenth of the time that a search for each beginning would.
_JOINTS = tuple(re.compile(rf"{joint}(?=[A-Za-z0-9_+/=-]{{14}})") for joint in ("_", "-", r"\."))
_STEM_ENDS = words(
    """
    AGE CFPAT FLWSECK GOCSPX HRKU NRAK NRJS NRII PMAK SG aio org dckr dop doo dor pt st ct sa
    scim audit figd fio fm1 fm2 fo1 ghp gho ghs ghu ghr pat gsk hf hvs hvb key lin lsv2 mfa nfp
    npm ntn pk pnu pplx pscale pul pypi r8 re rk rnd rubygems sb sbp secret sk sl sntrys sntryu
    sqp squ sqa tfp tvly whsec xai xapp xkeysib ya29
    """
)
_STEM_STARTS = ("gl", "pat", "shp", "sq0", "xox")
_STEM = re.compile(
    r"(?:AGE|CFPAT|FLWSECK|GOCSPX|HRKU|NR(?:AK|JS|II)|PMAK|SG|aio|api_org|dckr|do[opr]"
    r"|dp\.(?:pt|st|ct|sa|scim|audit)|figd|fio|fm[12]|fo1|gh[opsur]|github_pat|gl[a-z]{1,5}|gsk|hf"
    r"|hv[sb]|key|lin|lsv2|mfa|nfp|npm|ntn|pat[A-Za-z0-9]{14}|pk|pnu|pplx|pscale|pul|pypi|r8|re|rk|rnd"
    r"|rubygems|sb|sbp|secret|shp[a-z]{2}|sk|sl|sntry[su]|sq0[a-z]{3}|sq[pua]|tfp|tvly|whsec|xai|xapp"
    r"|xkeysib|xox[a-z]|ya29)\Z"
)
_STEM_CHARS = 20
_LETTERS_AND_DIGITS = string.ascii_letters + string.digits
_UNJOINED = tuple(
    re.compile(beginning)
    for beginning in (
        r"A(?:[A-Z]{2}A[A-Z0-9]{16}|Iza|KCp|TBB|TATT3|C[0-9a-f]{32})",
        *(r"SK[0-9a-f]{32}", "EAA", "GR134", "eyJ", r"dapi[0-9a-f]{16}", r"cio[A-Za-z0-9]{32}"),
        *(r"hooks\.slack", "webhooks/", "1//0"),
    )
)
_WORD = "[A-Za-z0-9]"
_KEY = "[A-Za-z0-9_-]"
# Each with a limit, so that a run of a million characters is not read a million times.
_SHAPES: tuple[tuple[str, str], ...] = (
    ("aws-key", rf"A(?:KIA|SIA|BIA|CCA|GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{{16,512}}(?!{_WORD})"),
    ("github-token", rf"gh[opsur]_{_WORD}{{16,512}}|github_pat_[A-Za-z0-9_]{{20,512}}"),
    ("gitlab-token", rf"gl[a-z]{{1,5}}-[A-Za-z0-9_.=-]{{16,512}}|GR1348941{_KEY}{{16,512}}"),
    ("slack-token", r"xox[a-z](?:\.xox[bp])?-[A-Za-z0-9-]{10,512}|xapp-\d-[A-Za-z0-9-]{10,512}"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{16,512}"),
    ("discord-webhook", rf"webhooks/\d{{15,512}}/{_KEY}{{20,512}}"),
    ("stripe-key", rf"[rsp]k_(?:live|test)_{_WORD}{{10,512}}|whsec_[A-Za-z0-9+/=]{{16,512}}"),
    ("anthropic-key", rf"sk-ant-{_KEY}{{16,512}}"),
    ("openai-key", rf"sk-(?:proj|svcacct|admin|None)-{_KEY}{{16,512}}"),
    ("api-key", rf"[sp]k-{_KEY}{{16,512}}|sk_{_WORD}{{24,512}}|[sp]k\.eyJ{_KEY}{{16,512}}"),
    (
        "google-key",
        rf"AIza{_KEY}{{30,512}}|ya29\.{_KEY}{{16,512}}|GOCSPX-{_KEY}{{16,512}}|1//0{_KEY}{{30,512}}",
    ),
    ("jwt", rf"eyJ{_KEY}{{8,512}}={{0,2}}\.{_KEY}{{8,512}}={{0,2}}(?:\.[A-Za-z0-9_=.-]{{0,512}})?"),
    ("huggingface-token", rf"hf_{_WORD}{{20,512}}|api_org_{_WORD}{{20,512}}"),
    ("npm-token", rf"npm_{_WORD}{{30,512}}"),
    ("pypi-token", rf"pypi-(?:AgE{_KEY}{{16,512}}|{_KEY}{{50,512}})"),
    ("twilio-key", r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])"),
    ("sendgrid-key", rf"SG\.{_KEY}{{16,512}}\.{_KEY}{{16,512}}"),
    ("mailgun-key", r"key-[0-9a-f]{32}"),
    ("digitalocean-token", r"do[opr]_v1_[0-9a-f]{32,512}"),
    ("discord-token", rf"mfa\.{_KEY}{{60,512}}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    (
        "square-token",
        rf"sq0(?:atp|csp|idp)-{_KEY}{{20,512}}|EAAA{_KEY}{{50,512}}|sq[pua]_[0-9a-f]{{40}}",
    ),
    ("facebook-token", rf"EAA[A-Za-z]{_WORD}{{60,512}}"),
    ("atlassian-token", rf"ATATT3[A-Za-z0-9_=-]{{20,512}}|ATBB{_WORD}{{24,512}}"),
    ("docker-token", rf"dckr_(?:pat|oat)_{_KEY}{{20,512}}"),
    ("vault-token", rf"hv[sb]\.{_KEY}{{20,512}}"),
    ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,512}"),
    ("dropbox-token", rf"sl\.{_KEY}{{60,512}}"),
    ("airtable-token", rf"pat{_WORD}{{14}}\.[0-9a-f]{{64}}"),
    ("artifactory-key", rf"AKCp{_WORD}{{40,512}}"),
    ("crates-token", rf"cio{_WORD}{{32}}(?!{_WORD})"),
    ("sonar-token", r"sq[pua]_[0-9a-f]{40}"),
    ("fly-token", r"FlyV1 fm\d_[A-Za-z0-9+/=,_-]{20,512}|f(?:m[12]|o1)_[A-Za-z0-9+/=_-]{20,512}"),
    (
        "api-key",
        r"(?:aio_|api_org_|CFPAT-|dapi|dp\.(?:pt|st|ct|sa|scim|audit)\.|figd_|fio-u-|FLWSECK[-_]"
        r"|gsk_|glc_|glsa_|HRKU-|lin_(?:api|oauth)_|lsv2_(?:pt|sk)_|nfp_|NR(?:AK|JS|II)-|ntn_|pnu_"
        r"|PMAK-|pplx-|pscale_(?:tkn|pw|oauth)_|pul-|r8_|re_|rnd_|rubygems_|sb_secret_|sbp_|secret_"
        r"|sntry[su]_|tfp_|tvly-|xai-|xkeysib-)[A-Za-z0-9_=+/-]{20,512}",
    ),
)
# Their beginnings are words too, so the rest must look made by a machine.
_UNCERTAIN = frozenset({"api-key", "npm-token", "pypi-token"})
_MACHINE_MADE = re.compile(
    r"(?=[A-Za-z]{0,9}\d)[A-Za-z0-9]{10}|[A-Za-z0-9]{24}|eyJ[A-Za-z0-9_-]{8}"
)
_SHAPE = re.compile("|".join(f"(?P<s{n}>{shape})" for n, (_, shape) in enumerate(_SHAPES)))
# A value is taken whole, also where its shape alone would end at a + or a slash.
_TAIL = re.compile(r"(?:[A-Za-z0-9_+/=~%-]|\.(?=[A-Za-z0-9]))*")

# Shapes whose middle is easier to find than their beginning: kind, the middle on, the head.
_MIDDLES: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    (
        "telegram-token",
        re.compile(rf":{_KEY}{{34,36}}(?!{_KEY})"),
        re.compile(r"\d{6,12}\Z"),
    ),
    ("azure-secret", re.compile(r"Q~[\w.~-]{31,34}"), re.compile(r"[\w.~-]{3}\d\Z")),
    ("mailchimp-key", re.compile(r"-us\d{1,2}(?!\w)"), re.compile(r"[0-9a-f]{32}\Z")),
    (
        "terraform-token",
        re.compile(rf"\.atlasv1\.{_KEY}{{40,512}}"),
        re.compile(rf"{_WORD}{{14}}\Z"),
    ),
    (
        "discord-token",
        re.compile(rf"\.{_KEY}{{6}}\.{_KEY}{{27,512}}"),
        re.compile(rf"(?<!{_KEY})[MNO]{_KEY}{{22,28}}\Z"),
    ),
)
_HEAD_CHARS = 40
_DIGIT = re.compile(r"\d")
_SIGNATURE = re.compile(r"sig=([A-Za-z0-9%+/=_-]{20,512})")

_AUTHORITY = re.compile(
    r"""://([^\s:/@"'<>?#\\`\[\]]{0,200}):(?!\d{1,5}(?:[/?#]|$))([^\s"'<>`]{1,400})@(?=[\w\[$<{.-])"""
)
_SCHEME = re.compile(
    r"""(bearer|basic)[ \t]{1,4}["']?([^\s"'`,;<>()\[\]{}\\]{6,4096})""", re.IGNORECASE
)
_OPTIONS = (
    (
        "curl",
        re.compile(
            r"""(?:-u|--user)(?:[ =]|(?<=-u))["']?[^\s:"']{1,100}:([^\s"']{1,400})""",
        ),
    ),
    ("sshpass", re.compile(r"""sshpass[ ]+-p[ ]?["']?([^\s"']{1,400})""")),
    (" login ", re.compile(r"""[ ]login[ ][^\n]{0,80}?[ ]-p[ ]?["']?([^\s"'-][^\s"']{1,400})""")),
)


def shaped(text: str, ascii_text: str, lower: str) -> Iterator[Span]:
    """Yield the secrets of a text that are known by their shape.

    ``ascii_text`` is the text with a question mark for each character outside of ASCII, and
    ``lower`` the same in lower case: they are faster to search.
    """
    yield from _providers(text, ascii_text)
    yield from _middles(text, ascii_text)
    yield from _addresses(text, ascii_text)
    yield from _schemes(text, lower)
    if "-----" in ascii_text:
        yield from _blocks(text)


def _providers(text: str, ascii_text: str) -> Iterator[Span]:
    for joint in _JOINTS:
        starts = (_stem_before(ascii_text, found.start()) for found in joint.finditer(ascii_text))
        yield from _provided(text, (start for start in starts if start is not None))
    for beginning in _UNJOINED:
        yield from _provided(text, (found.start() for found in beginning.finditer(ascii_text)))


def _provided(text: str, starts: Iterator[int]) -> Iterator[Span]:
    read = 0
    for start in starts:
        if start < read or (start and _is_letter_or_digit(text[start - 1])):
            continue
        found = _SHAPE.match(text, start)
        if found is None or is_placeholder(found[0]):
            continue
        kind = _SHAPES[(found.lastindex or 1) - 1][0]
        if kind in _UNCERTAIN and not _MACHINE_MADE.search(found[0]):
            # No part of it is a key, save what may reach beyond its end.
            read = found.end() - 2 * _STEM_CHARS
            continue
        read = _whole(text, found.end())
        yield Span(start, start, read, kind)


def _is_letter_or_digit(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _stem_before(ascii_text: str, at: int) -> int | None:
    head = ascii_text[max(0, at - _STEM_CHARS) : at]
    end = head[len(head.rstrip(_LETTERS_AND_DIGITS)) :]
    if end not in _STEM_ENDS and not end.startswith(_STEM_STARTS):
        return None
    stem = _STEM.search(head)
    return at - len(stem[0]) if stem else None


def _middles(text: str, ascii_text: str) -> Iterator[Span]:
    for kind, middle, head in _MIDDLES:
        for found in middle.finditer(ascii_text):
            before = head.search(ascii_text, max(0, found.start() - _HEAD_CHARS), found.start())
            if before and _DIGIT.search(found[0]):
                yield Span(before.start(), before.start(), found.end(), kind)
    for found in _SIGNATURE.finditer(text):
        if text[found.start() - 1 : found.start()] in ("?", "&"):
            yield Span(found.start(), found.start(1), found.end(1), "azure-signature")


def _addresses(text: str, ascii_text: str) -> Iterator[Span]:
    position = ascii_text.find("://")
    while position >= 0:
        found = _AUTHORITY.match(text, position)
        if found and (not is_placeholder(found[2]) or found[2].lower() in _WEAK):
            yield Span(position, found.start(2), found.end(2), "url-password")
        position = ascii_text.find("://", position + 3)
    for command, option in _OPTIONS:
        if command not in ascii_text:
            continue
        for found in option.finditer(text):
            if not is_placeholder(found[1]):
                yield Span(found.start(), found.start(1), found.end(1), "password")


_WEAK = frozenset({"password", "passwd", "pass", "pwd", "secret", "token", "key", "default"})


def _schemes(text: str, lower: str) -> Iterator[Span]:
    for scheme, is_credential in (("bearer", _is_bearer), ("basic", _is_basic)):
        position = lower.find(scheme)
        while position >= 0:
            found = _SCHEME.match(text, position)
            if found and is_credential(found[2]):
                yield Span(position, found.start(2), _whole(text, found.end(2)), scheme)
            position = lower.find(scheme, position + 5)


def _whole(text: str, end: int) -> int:
    tail = _TAIL.match(text, end)
    return tail.end() if tail else end


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


# --- key blocks ------------------------------------------------------------------------------

_MARK = re.compile(
    r"-----(BEGIN|END) ((?:[A-Z0-9]+ ){0,4}?PRIVATE KEY(?: BLOCK)?|PGP [A-Z ]{3,30}?)-----"
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
_KEY_LINE = re.compile(r"[\s>+|\"'`\\,]*[A-Za-z0-9+/=]{1,400}[\s\"'`\\,]*")


def _blocks(text: str) -> Iterator[Span]:
    opened: re.Match[str] | None = None
    done = 0
    for mark in _MARK.finditer(text):
        if mark[1] == "BEGIN":
            if opened:
                yield from _truncated(text, opened, mark.start())
            opened = mark
            continue
        if opened and _is_key(text, opened.end(), mark.start()):
            yield Span(opened.start(), opened.start(), mark.end(), _kind_of(mark))
        elif opened:
            yield from _truncated(text, opened, mark.start())
        else:
            yield from _headless(text, mark, done)
        opened, done = None, mark.end()
    if opened:
        yield from _truncated(text, opened, len(text))


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
        yield Span(opened.start(), opened.start(), lines.end(), _kind_of(opened))


def _headless(text: str, mark: re.Match[str], floor: int) -> Iterator[Span]:
    """Yield a block whose beginning was cut off: the key-like lines before its last line."""
    start = mark.start()
    floor = max(floor, start - BLOCK_CHARS)
    while start > floor:
        line_start = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[line_start:start]
        if len(line) > _LINE_CHARS or (line.strip() and not _KEY_LINE.fullmatch(line)):
            break
        start = line_start
    if _KEY_RUN.search(text, start, mark.start()):
        yield Span(start, start, mark.end(), _kind_of(mark))
