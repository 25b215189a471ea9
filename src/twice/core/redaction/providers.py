"""Secrets known by their own shape: the keys and tokens that providers hand out."""

import base64
import re
import string
from collections.abc import Iterator
from functools import lru_cache

from twice.core.redaction.values import Span, is_placeholder, is_random, is_wordy

# What keys begin with, up to the "_", "-" or "." before a long run. Behind these anything is a
# key that is not merely words in lower case.
_CERTAIN = {
    "github-token": "gh[opsur]_ github_pat_",
    "gitlab-token": "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-",
    "slack-token": "xox[a-z]- xox[a-z].xox[a-z]- xapp-",
    "stripe-key": "[rsp]k_(?:live|test|prod)_ whsec_",
    "anthropic-key": "sk-ant-",
    "openai-key": "sk-(?:proj|svcacct|admin|None)-",
    "google-key": "ya29. GOCSPX-",
    "age-key": "AGE-SECRET-KEY-",
    "shopify-token": "shp[a-z]{2}_",
    "square-token": "sq0[a-z]{3}-",
    "docker-token": "dckr_[a-z]{3}_",
    "vault-token": "hv[bsr].",
    "sendgrid-key": "SG.",
    "digitalocean-token": "do[opr]_v1_",
    "airtable-token": "pat[A-Za-z0-9]{14}.",
    "fly-token": "fm[12][ar]?_ fo1_",
    "razorpay-key": "rzp_(?:live|test)_",
    "plaid-token": "access-(?:sandbox|development|production)-",
    "planetscale-token": "pscale_[a-z]{2,5}_",
}
# These are words too, so what follows must look made by a machine.
_LIKELY = {
    "huggingface-token": "hf_ api_org_",
    "npm-token": "npm_",
    "pypi-token": "pypi-",
    "sonar-token": "sq[apu]_",
    "discord-token": "mfa.",
    "dropbox-token": "sl.",
    "mailgun-key": "key-",
    "api-key": r"""
        aio_ api_live. api_test. bkaj_ bkua_ cal_live_ CCIPAT_ CCIPRJ_ cfat_ CFPAT- cfut_ ck_
        CLOJARS_ crsr_ cs_ csk- dnkey- dp.(?:pt|st|ct|sa|scim|audit). dt0[a-z]\d\d. dub_
        duffel_live_ duffel_test_ e2b_ figd_ figu_ fio-u- FLWSECK- FLWSECK_ fw_ glc_ glsa_ gsk_
        hcaik_ hcxik_ HRKU- jina_ lin_(?:api|oauth)_ live_ llx- lsv2_(?:pt|sk)_ mdb_sa_sk_
        mlsn. napi_ nfp_ npg_ NR(?:AA|AK|II|JS|RA)- ntn_ nvapi- ops_ os_v2_app_ p8e- pa-
        packagist_[a-z]{3}_ pat-[a-z]{2}\d- pat. pcsk_ pdl_[a-z]{4}_apikey_ phs_ phx_ PMAK- pnu_
        pplx- [ps]k- [ps]k. [ps]k_ pul- r8_ rdme_ re_ rk_ rnd_ rpa_ rubygems_
        s-s4t2(?:af|ud)-
        samsara_api_ sat. sb_secret_ sbp_ secret_ sgp_ shippo_[a-z]{4}_ signkey-[a-z]{4,7}- sktsec_
        slk_ sm_[aps]at_ sntry[su]_ syt_ tfp_ tgp_v1_ tk-us- tr_(?:dev|prod)_ tskey-[a-z]{3,9}-
        tvly- ucat_ vc[aikprt]_ vercel_blob_rw_ waka_ wks_ wrkaus- xa[ap]t- xai- xkeysib-
        xnd_[a-z]{4,11}_ xsmtpsib- zpka_
        """,
}
_PREFIXES = {
    prefix: kind
    for table in (_CERTAIN, _LIKELY)
    for kind, prefixes in table.items()
    for prefix in prefixes.split()
}
_ALTERNATIVES = sorted(_PREFIXES, key=len, reverse=True)
_BEGINNING = re.compile("|".join(f"({each.replace('.', '[.]')})" for each in _ALTERNATIVES))
_KINDS = tuple(_PREFIXES[each] for each in _ALTERNATIVES)
_STEM = re.compile(
    r"(?<![A-Za-z0-9])(?:" + "|".join(each[:-1].replace(".", "[.]") for each in _PREFIXES) + r")\Z"
)
_STEM_END = re.compile(
    "|".join({re.split(r"[_.-](?![^(\[]*[)\]])", each[:-1])[-1] for each in _PREFIXES})
)
_STEM_CHARS = 28

# Where to look: at what joins a beginning to a long run. The beginning is then read backwards,
# which takes a tenth of the time that a search for each beginning would.
_JOINTS = tuple(re.compile(rf"{joint}(?=[A-Za-z0-9_+/=-]{{14}})") for joint in ("_", "-", r"\."))
_BODY = re.compile(r"[A-Za-z0-9_=+/~%.-]{10,512}")
_MACHINE_MADE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]{10})(?:[A-Za-z]*\d+[A-Za-z]|[A-Za-z]+\d{5})"
    r"|(?=[A-Za-z]*(?:\d|[A-Z]{2})|([A-Za-z]{1,8})\1{2})[A-Za-z0-9]{24}|eyJ[A-Za-z0-9_-]{8}"
)
_NOT_WORDS = re.compile(r"[A-Z]|\d[a-z]|[a-z]\d|[a-z]{16}|\d{9}")
_ONLY_NAMED = re.compile(r"(?:\d-)?[A-Za-z_.-]*(?:token|string|key|here)", re.IGNORECASE)
# A value is taken whole, also where its shape alone would end at a + or a slash.
_TAIL = re.compile(r"(?:[A-Za-z0-9_+/=~%-]|\.(?=[A-Za-z0-9]))*")

# The secret of a key that is named first: ``key:secret``.
_PAIRED = re.compile(r":((?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{16,256}={0,2})(?![\w.:/-])")
# The rest of a value that a screen, an e-mail or a shell broke in two: alone on its line, and
# nothing but a value.
_WRAPPED = re.compile(
    r"(?:[ ]?\\)?\r?\n[ \t>]{0,8}"
    r"((?=[\w+/.%-]*\d)(?=[\w+/.%-]*[A-Z])(?=[\w+/.%-]*[a-z])[\w+/.%-]{8,512}={0,2})"
    r"(?=[\s\"'`,;)]|\\|\Z)"
)
_WRAPPED_LINES = 100

# Behind a beginning that nobody told us: nothing but letters and digits, at random, and many.
_RUNS = tuple(re.compile(rf"{joint}([A-Za-z0-9]{{32,512}})") for joint in "_-")
_UNKNOWN_STEM = re.compile(
    r"(?<![\w/+=.%-])(?!sha|md\d|hash|integrity|digest|checksum)"
    r"(?:[a-z][a-z0-9]{1,15}|[A-Z][A-Z0-9]{1,15})(?:[_-](?:[a-z0-9]{1,10}|[A-Z0-9]{1,10})){0,2}\Z"
)

_KEY = "[A-Za-z0-9_-]"
_WORD = "[A-Za-z0-9]"
_ENDED = f"(?!{_WORD})"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# So many begin with an A that they are looked for together; a group's name is the kind.
_AFTER_A = re.compile(
    "A(?:"
    + "|".join(
        f"(?P<{kind}>{rest})"
        for kind, rest in {
            "aws_key": rf"(?:KIA|SIA|BIA|CCA|GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{{16,512}}{_ENDED}"
            r"|BSK[A-Za-z0-9+/=]{60,512}|3T[A-Z0-9][A-Z2-7]{16}(?![A-Z0-9])",
            "onepassword_key": "3-[A-Z0-9]{6}-[A-Z0-9-]{20,40}",
            "octopus_key": rf"PI-[A-Z0-9]{{26}}{_ENDED}",
            "google_key": rf"Iza{_KEY}{{30,512}}",
            "atlassian_token": rf"T[AC]TT3[A-Za-z0-9_=-]{{20,512}}|T(?:BB|TA){_WORD}{{24,512}}",
            "artifactory_key": rf"KCp{_WORD}{{40,512}}",
            "api_key": rf"(?:KLT|QVN){_KEY}{{30,512}}|KID{_WORD}{{32}}{_ENDED}",
            "twitter_token": "A{19}[A-Za-z0-9%]{40,512}",
            "twilio_key": "C[0-9a-f]{32}(?![0-9a-f])",
        }.items()
    )
    + ")"
)
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
# What others begin with, which is quick to find, and what follows: with a limit, so that a run of
# a million characters is not read a million times. A group is what is taken; else it is the whole.
_UNJOINED = tuple(
    (beginning, kind, re.compile(re.escape(beginning) + rest))
    for kind, shapes in {
        "aws-key": {"amzn.mws.": "[0-9a-f-]{36}"},
        "google-key": {"1//0": rf"{_KEY}{{30,512}}"},
        "artifactory-key": {"cmVmd": rf"{_WORD}{{48,512}}"},
        "alibaba-key": {"LTAI": rf"{_WORD}{{12,30}}{_ENDED}"},
        "twilio-key": {"SK": "[0-9a-fA-F]{32}(?![0-9a-fA-F])"},
        "clickhouse-key": {"4b1d": rf"{_WORD}{{38}}{_ENDED}"},
        "cloudflare-key": {"v1.0-": "[0-9a-f]{24}-[0-9a-f]{100,512}"},
        "facebook-token": {
            "EAA": rf"(?:A(?={_KEY}{{0,60}}\d){_KEY}{{22,512}}|[A-Za-z]{_WORD}{{60,512}})"
        },
        "easypost-key": {"EZ": rf"[AT]K{_WORD}{{50,512}}"},
        "gitlab-token": {"GR1348941": rf"{_KEY}{{16,512}}"},
        "jwt": {
            "eyJ": rf"{_KEY}{{8,512}}={{0,2}}\.[A-Za-z0-9_/+-]{{8,512}}={{0,2}}"
            r"(?:(?:\.[A-Za-z0-9_/+-]{1,512}={0,2}){1,3}|\.)?",
            "ZXlK": "[A-Za-z0-9+/]{60,512}",
        },
        "grafana-key": {"eyJrIjoi": "[A-Za-z0-9+/]{40,512}"},
        "databricks-token": {"dapi": "[0-9a-f]{32}"},
        "crates-token": {"cio": rf"{_WORD}{{32}}{_ENDED}"},
        "nuget-key": {"oy2": f"[a-z0-9]{{43}}{_ENDED}"},
        "api-key": {
            **dict.fromkeys(("sdk-", "sk-lf-", "waka_"), _UUID),
            "oauth:": r"([a-z0-9]{30})(?!\w)",
            "SU": rf"[A-Z2-7]{{56}}{_ENDED}",
            "fc-": "[0-9a-f]{32}(?![0-9a-f-])",
        },
        "fly-token": {"FlyV1 fm": r"\d_[A-Za-z0-9+/=,_-]{20,512}"},
        "webhook": {
            "hooks.slack.com/": r"(?:services|workflows|triggers)/([\w/+-]{16,512})",
            "hooks.zapier.com/hooks/catch/": r"([\w/-]{8,200})",
            "webhooks/": rf"\d{{15,30}}/({_KEY}{{20,512}})",
            "IncomingWebhook/": r"([0-9a-f]{32}[\w/-]{0,80})",
            "/webhook/": f"({_UUID})",
            "/bot/v2/hook/": f"({_UUID})",
        },
        "password-hash": {
            "$argon2": r"(?:id?|d)\$v=\d+\$[\w=,]{1,60}\$[\w+/]{8,90}\$[\w+/]{16,200}",
            "$": r"(?:1|2[abxy]?|5|6|y|apr1)\$[\w./=,-]{1,40}\$?[\w./$]{20,200}",
        },
    }.items()
    for beginning, rest in shapes.items()
)

# Shapes whose middle is easier to find than their beginning: the middle, what follows it, and what
# is before it.
_MIDDLES = tuple(
    (middle, kind, re.compile(re.escape(middle) + rest), re.compile(head + r"\Z"))
    for kind, middle, rest, head in (
        ("salesforce-token", "!AQ", r"[\w.-]{40,512}", rf"\b00D{_WORD}{{12,15}}"),
        ("telegram-token", ":", rf"{_KEY}{{34,36}}(?!{_KEY})", r"\d{6,12}"),
        ("asana-token", ":", r"[0-9a-f]{32}(?!\w)", r"(?<!\w)\d/\d{10,20}"),
        ("azure-secret", "Q~", r"[\w.~-]{31,34}", r"[\w.~-]{3}\d"),
        ("mailchimp-key", "-us", r"\d{1,2}(?!\w)", "[0-9a-f]{32}"),
        ("google-key", "APA91b", rf"{_KEY}{{60,512}}", rf"(?:AAAA{_KEY}{{7}}:)?"),
        ("wallet-key", "prv", rf"{_WORD}{{80,512}}", r"(?<!\w)[xyztuv]"),
        ("newrelic-key", "NRAL", r"(?!\w)", r"(?<!\w)[0-9a-f]{36}"),
        ("terraform-token", ".atlasv1.", r"[\w=-]{40,512}", rf"{_WORD}{{14}}"),
        ("maxmind-key", "_mmk", r"(?!\w)", rf"\b{_WORD}{{6}}_{_WORD}{{29}}"),
        ("facebook-token", "|", r"[\w-]{27,40}(?![\w-])", r"(?<!\d)\d{15,16}"),
        ("authress-key", ".acc", r"[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}", r"\w{5,40}\.\w{4,6}"),
        ("discord-token", ".", rf"{_KEY}{{6}}\.{_KEY}{{27,512}}", rf"\b[MNO]{_KEY}{{22,28}}"),
    )
)
_HEAD_CHARS = 40
_LONG_WORD = re.compile(r"\s\S{16}")  # no key is shorter
_DIGIT = re.compile(r"\d")


def provided(text: str, ascii_text: str) -> Iterator[Span]:
    """Yield the keys of known providers, and what has the shape of one of an unknown provider."""
    if not _LONG_WORD.search(ascii_text) and len(ascii_text[:17].split(maxsplit=1)) > 1:
        return
    for joint in _JOINTS:
        yield from _joined(text, ascii_text, joint)
    for run in _RUNS:
        yield from _unknown(text, ascii_text, run)
    for found in _AFTER_A.finditer(ascii_text):
        start = found.start()
        if not _is_within_word(ascii_text, start) and not is_placeholder(found[0]):
            kind = (found.lastgroup or "").replace("_", "-")
            end = whole(text, found.end())
            yield Span(start, start, end, kind)
            secret = _AWS_SECRET.search(ascii_text, end, end + 120) if kind == "aws-key" else None
            if secret and is_random(secret[0]):
                yield Span(end, *secret.span(), kind)
    for beginning, kind, shape in _UNJOINED:
        if beginning not in ascii_text:
            continue
        for found in shape.finditer(ascii_text):
            if not _is_within_word(ascii_text, found.start()) and not is_placeholder(found[0]):
                start = found.start(found.lastindex or 0)
                yield Span(found.start(), start, whole(text, found.end()), kind)
    for middle, kind, shape, head in _MIDDLES:
        if middle not in ascii_text:
            continue
        for found in shape.finditer(ascii_text):
            before = head.search(ascii_text, max(0, found.start() - _HEAD_CHARS), found.start())
            if (
                before
                and not is_placeholder(found[0])
                and (_DIGIT.search(found[0]) or _DIGIT.search(before[0]))
            ):
                yield Span(before.start(), before.start(), found.end(), kind)
    yield from _encoded_blocks(text, ascii_text)


def whole(text: str, end: int) -> int:
    """Return where a value really ends of which a shape has found the beginning."""
    tail = _TAIL.match(text, end)
    end = tail.end() if tail else end
    for _ in range(_WRAPPED_LINES):
        more = _WRAPPED.match(text, end)
        if more is None or is_wordy(more[1]):
            break
        end = more.end()
    return end


def _is_within_word(ascii_text: str, start: int) -> bool:
    return start > 0 and ascii_text[start].isalnum() and ascii_text[start - 1].isalnum()


def _joined(text: str, ascii_text: str, joint: re.Pattern[str]) -> Iterator[Span]:
    read = 0
    for found in joint.finditer(ascii_text):
        at = found.start()
        if at < read:
            continue
        head = ascii_text[max(0, at - _STEM_CHARS) : at]
        stem = _STEM.search(head) if _may_end_a_stem(_last_word(head)) else None
        if stem is None:
            continue
        start = at - len(stem[0])
        end, kind, read = _known(ascii_text, start)
        if end > start and not _is_within_word(ascii_text, start):
            read = whole(text, end)
            yield Span(start, start, read, kind)
            if secret := _PAIRED.match(ascii_text, read):
                yield Span(secret.start(1), *secret.span(1), kind)


def _known(ascii_text: str, start: int) -> tuple[int, str, int]:
    """Return where a key of a known beginning ends, its kind, and how far all is read."""
    beginning = _BEGINNING.match(ascii_text, start)
    body = _BODY.match(ascii_text, beginning.end()) if beginning else None
    if beginning is None or body is None:
        return start, "", start
    kind = _KINDS[(beginning.lastindex or 1) - 1]
    telling = _NOT_WORDS if kind in _CERTAIN else _MACHINE_MADE
    if not telling.search(body[0]):
        # No part of it is a key, save what may reach beyond its end.
        return start, "", body.end() - 2 * _STEM_CHARS
    named = is_placeholder(ascii_text[start : body.end()]) or _ONLY_NAMED.fullmatch(body[0])
    if named or is_placeholder(body[0]):
        return start, "", start
    return body.end(), kind, body.end()


def _unknown(text: str, ascii_text: str, run: re.Pattern[str]) -> Iterator[Span]:
    for found in run.finditer(ascii_text):
        at = found.start()
        stem = _UNKNOWN_STEM.search(ascii_text, max(0, at - _STEM_CHARS), at)
        if stem is None or is_placeholder(ascii_text[stem.start() : found.end()]):
            continue
        if _is_scrambled(found[1]) and not _is_within_word(ascii_text, stem.start()):
            yield Span(stem.start(), stem.start(), whole(text, found.end()), "api-key")


_LETTERS_AND_DIGITS = string.ascii_letters + string.digits


def _last_word(head: str) -> str:
    return head[len(head.rstrip(_LETTERS_AND_DIGITS)) :]


@lru_cache(maxsize=4096)
def _may_end_a_stem(word: str) -> bool:
    return bool(_STEM_END.fullmatch(word))


def _is_scrambled(run: str) -> bool:
    return is_random(run) and run != run.lower() and run != run.upper()


def _encoded_blocks(text: str, ascii_text: str) -> Iterator[Span]:
    """Yield key blocks that are written in base64, as kubeconfigs hold them."""
    start = ascii_text.find(_ENCODED_DASHES)
    while start >= 0:
        end = whole(text, start)
        try:
            title = base64.b64decode(ascii_text[start : start + 64])
        except ValueError:
            title = b""
        if b"PRIVATE KEY" in title:
            yield Span(start, start, end, "private-key")
        start = ascii_text.find(_ENCODED_DASHES, end)


_ENCODED_DASHES = "LS0tLS1CRUdJTi"  # "-----BEGIN"
