"""Secrets known by what people say of them: "my password is …", "use token …"."""

import re

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
    is_random,
    is_word,
    is_wordy,
    words,
)

_FOR = (
    r"(?:[ \t]{1,4}(?:for|of|to|on|in|from|at|para|pour|für|de|del|do|da|der|des|voor|van|dla|per"
    r"|von|you|we|i|that|which|they|для|до|за|из|к|на|от|för|till|til|na|pro|za|pentru|για)"
    r"(?:[ \t]{1,4}[\w.@'’/-]{1,30}){1,5}?)?"
)
# What may stand between the name of a secret and what is said of it.
_NEW = (
    r"(?:[ \t](?:new|old|current|temporary|base|value|here|now|admin|root|nuev[ao]|nov[ao]"
    r"|nuov[ao]|antigu[ao]"
    r"|d['’]ordine|nouveau|actuel|provisoire|neu|новый|старый|mea|saya|anda|שלי|של|πρόσβασης))?"
)
_SAID = re.compile(
    r"(?:'s|’s)?"
    + _NEW
    + _FOR
    + r"""[ \t]{0,4}(?:
        (?<![^\s\W])(?:is|are|was|were|being|becomes|es|é|est|ist|c['’]est|lautet|heißt|heisst|to
          |jest|è|будет|это|є|является|такой|olarak|equals|är|er|je|este|είναι|هي|هو|היא|הוא|है|là
          |adalah|ialah|(?<=salasana[ ])on|(?<=nani[ ])on|wurde[ ]auf
          |(?:(?:has|was|got)[ ])?(?:been[ ])?(?:changed|reset|updated|set)[ ]to
          |should[ ]be|will[ ]be|must[ ]be)(?![\w%#$@!&+/=~^.-])[ \t]{0,4}
        (?:(?:now|still|set[ ]to|currently|actually|just)\b[ \t]{0,4})?:?
      | ,[ ]which[ ]is[ ] | [;,][ ]it(?:['’]s|[ ]is)[ ] | [:=：—–→➜➡👉]\ufe0f? | ->
      | (?:是|为|為|は|が|に|은|는|을|คือ)[:：]?
    )[ \t]{0,4}""",
    re.VERBOSE | re.IGNORECASE,
)
# The same with words in between that say whose it is, where they are many.
_SAID_LATER = re.compile(
    r"(?:[ \t][^\s\d:]{1,20}){1,5}?[ \t]"
    r"(هي|هو|là|היא|είναι|adalah|est|ist|es|è|é|är|er|je|este|to|jest)[ \t]{1,4}"
)
_GIVEN = re.compile(
    r"(?:'s)?"
    + _NEW
    + r"(?:[ \t](?:от|до|для|к|на|из)(?:[ \t][\w-]{1,30}){1,3}?(?=[ \t]{1,4}[^\s\d]{0,60}\d))?"
    + r"(?:[ \t]{1,4}(?:called |named |number |--? )?|(?=[「『“«]))"
)
_SAID_VALUE = re.compile(
    r"""(["'`“«「‘*]{0,2})(?![}\])>,;|&\\/:=-])"""
    r"""([^\s"'`”»」’，。、；\u3000-\u9fff\uac00-\ud7af]{3,4096})"""
)
_ESCAPED_END = re.compile(r"\\[nr]")
_REVERSED = re.compile(
    r"""(?:^|[\s"'`(])([^\s"'`]{6,200})["'`]?[ ](?:is|as|for|es|ist|est)[ ]
        (?:(?:my|the|our|your|mi|la|el|das|mein|le|mon)[ ])?(?:[\w-]{1,20}[ ]){0,2}\Z""",
    re.VERBOSE,
)
_NAME_ENDS = re.compile(r"[\"'`*]{0,3}(?:[.,;!?)\n]|\Z|[ ](?:for|in|on|of|to|at|and|everywhere)\b)")
_NAMED = re.compile(
    r"(?<!\S)([^\s()]{6,200})(?: [a-z]{2,8})? \((?:(?:the|my|our) )?(?:\w{2,12} )?\Z"
)
_OWNED = re.compile(
    r"\b(?:my|our|the|mi|minha|mon|mein|meine|mijn|moje|мой|его)\b[^.;!?\n]{0,60}\Z", re.I
)
_PREDICATE_ENDING = re.compile(
    r"\w+(?:ed|ing|ly|able|ible|ive|less|ful|ory|ent|ant|al|ic|ado|ida|ido|ada|iert|isch|é|ée)"
)
_PREDICATES = words(
    """
    a also always an at bad base64 basic bearer been being broken by case correcta correcto dead
    default disabled due easy empty enabled encryption errada expired falsch false fausse fine for
    free from full gone good hard here how in incorrect incorrecta incorrecto invalid it its just
    kept known leer less long lost mandatory missing more must my never new no none not now null
    nötig obligatoire obrigatória ok okay old on one only optional our part plain plaintext public
    required richtig right safe same secret sensitive sent set short shown stale still stolen strong
    stuck text that the there this too true unknown up very weak what when where which why with
    wrong your
    """
)
_FOUR_FOURS = re.compile("[a-z]{4}(?:-[a-z]{4}){3}")  # as Apple makes them for programs
_CLAUSE_END = re.compile(
    r"\\{0,3}[\"'`][ \t]*[}\]]|\\{0,3}[\"'`]?[ \t]*(?:[.,;!)](?!\w)|\\n|[\r\n]|\Z"
    r"|(?:and|but|not|y|und|et|e|instead)\b)",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"""["'`”»」*)]{1,3}""")
_PHRASE = re.compile(r"""(["'`])((?:[\w!?$%&+*-]{1,40} ){1,5}[\w!?$%&+*-]{2,40})\1""")
_COMPOUND = re.compile("[A-Za-z]+(?:_[a-z]+|(?<=[a-z])[A-Z][a-z]+)+\\d?")  # passwordHash2
_CHANGED = re.compile(r"""[ ]from[ ]["'`]?([^\s"'`]{5,200}?)["'`]?(?=[ ]to[ ])""")
_CONTRASTED = re.compile(
    r"""["'`]?[,;]?[ ](?:(?:and|but)[ ])?(?:not|instead[ ]of|rather[ ]than|never|with|by|to|or|and
        |over|(?:the[ ])?(?:new|old|other|real|right|correct)(?:[ ]one)?[ ](?:is|was)|no|nicht|statt
        |pas|niet|nie|не|en[ ]lugar[ ]de|em[ ]vez[ ]de|->|→
        |(?:the|das|der|die)[ ](?:one[ ])?(?:for|of|from|von|für)[ ][\w.-]{1,30}[ ](?:is|ist))[ ]
        (?:the[ ])?(?:old[ ]|new[ ])?(?:one[ ])?["'`]?([^\s"'`,;]{6,512})""",
    re.VERBOSE | re.IGNORECASE,
)
_DISMISSED = re.compile(
    r"""(?:don['’]?t[ ]use|do[ ]not[ ]use|stop[ ]using|instead[ ]of|replace|forget|never[ ]use)[ ]
        ["'`]?([^\s"'`,;]{6,200})["'`]?[^.!?\n]{0,30}[,;:.]?[ ](?:(?:the|my|our|use)[ ])?
        (?:(?:new|right|correct|real)[ ])?\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_DISMISSED_CHARS = 280
REVERSED_CHARS = 260  # a secret said before its name, and what joins the two
_COPULA = re.compile(" (?:is|as|for|es|ist|est) ")
CONTEXT_CHARS = 120  # between a secret's name and a random-looking value
_OWN_NAME = re.compile(
    r"""(?<![\w-])(?!(?:API|api)\b)[\w-]+["'`]{0,2}[ \t]?(?:[:=]|=>)[ \t]?\\?["'`]?\Z"""
)
_OWN_PAIR = re.compile(r"[A-Za-z_][A-Za-z_.-]{1,40}=[^=]")
BEFORE_CHARS = 80
_ALONE = re.compile(
    r"""(?:(?<=[\s"'`(])|\A)([A-Za-z0-9+/_][A-Za-z0-9+/=_.~-]{19,79})(?=[\s"'`,.;)])"""
)
_NEARBY = re.compile(r"[A-Za-z0-9+/_][A-Za-z0-9+/=_.~\-]{19,512}")


_SENTENCE_WORDS = words(
    """
    a an and at be by for from in is it must not of on or please should the to with you your
    """
)


def ends_clause(text: str, end: int) -> bool:
    """Tell whether nothing follows a word that would make it part of a phrase."""
    return bool(_CLAUSE_END.match(text, end))


def is_state(word: str) -> bool:
    """Tell whether a word is known to say something about a secret."""
    return word.strip(".,;:!?").lower() in _PREDICATES


def is_predicate(word: str) -> bool:
    """Tell whether a word says something about a secret, as in "the password is wrong"."""
    return word.lower() in _PREDICATES or bool(_PREDICATE_ENDING.fullmatch(word.lower()))


def is_sentence(value: str) -> bool:
    """Tell whether a quoted text is a message to people rather than a passphrase."""
    parts = value.split()
    return len(parts) > 1 and (
        len(parts) > 6
        or (parts[0].istitle() and parts[0].isalpha())
        or any(part.lower() in _SENTENCE_WORDS for part in parts)
    )


def said(text: str, start: int, end: int, kind: str) -> Span | None:
    """Find the value that follows in a sentence: "… password for the db is X", "use token X"."""
    changed = _CHANGED.match(text, end) if kind in ("password", "secret") else None
    if changed and has_digit_and_letter(changed[1]) and not is_ordinary(changed[1]):
        return Span(start, *changed.span(1), kind)
    said = _SAID.match(text, end) or _SAID.match(text, _plain_end(text, end))
    later = None if said or kind != "password" else _SAID_LATER.match(text, end)
    if later and later[1] == "to" and text[start:end].isascii():
        later = None
    given = said or later or _GIVEN.match(text, end)
    if given is None:
        return None
    found = _SAID_VALUE.match(text, given.end())
    phrase = _PHRASE.match(text, given.end())
    told = said or text[start:end].lower().endswith("phrase")
    if phrase and told and kind in ("password", "secret") and not is_sentence(phrase[2]):
        return Span(start, phrase.start(2), phrase.end(2), kind)
    if found is None:
        return None
    whole = _ESCAPED_END.split(found[2], maxsplit=1)[0].rstrip(".,;:)]}*\\")
    value = whole.rstrip("!?")
    if not value or is_placeholder(value) or MASK.search(value):
        return None
    if value.lower().startswith(text[start:end].lower()) and _COMPOUND.fullmatch(value):
        return None
    if not _is_said_secret(text, start, found, value, kind, said is not None):
        return None
    shown = "password" if kind == "pass" else kind.rstrip("?")
    return Span(start, found.start(2), found.start(2) + len(whole), shown)


def contrasted(text: str, first: Span) -> Span | None:
    """Find the other of two values of which a sentence prefers one: "use X, not Y"."""
    found = _CONTRASTED.match(text, first.end)
    if found is None:
        since = max(0, first.since - _DISMISSED_CHARS)
        found = _DISMISSED.search(text, since, first.since)
    if found is None or is_placeholder(found[1]) or MASK.search(found[1]):
        return None
    whole = found[1].rstrip(".:)]}")
    value = whole.rstrip("!?")
    likely = first.kind == "password" and has_digit_and_letter(value) and not is_ordinary(value)
    if not (likely or is_opaque(value)) or is_code(value):
        return None
    return Span(
        min(first.since, found.start()), found.start(1), found.start(1) + len(whole), first.kind
    )


def _plain_end(text: str, end: int) -> int:
    closing = _CLOSING.match(text, end)
    return closing.end() if closing else end


def _is_said_secret(
    text: str, start: int, found: re.Match[str], value: str, kind: str, verb: bool
) -> bool:
    if kind == "key?":
        return is_random(value)
    enclosed = text[start - 1 : start] == "(" and ")" in text[found.end(2) - 1 : found.end(2) + 1]
    if is_opaque(value):
        marked = any(character in "!@#$%^&*" for character in found[2])
        return not is_code(value) and (
            verb or marked or enclosed or kind != "pass" or _is_pw(text, start)
        )
    likely = has_digit_and_letter(value) and not is_ordinary(value)
    if value.startswith(("~/", "/", "./")):
        return False
    if is_code(value) or kind in ("token", "key"):
        return verb and kind == "key" and likely and len(value) >= 6 and not is_code(value)
    if kind == "pass":
        return likely and (verb or (len(value) >= 6 and (enclosed or _is_pw(text, start))))
    if likely or _FOUR_FOURS.fullmatch(value):
        return True
    if not verb:
        return False
    if found[1] and len(value) >= 4 and not is_predicate(value) and is_word(value):
        return True
    if not value.isascii() or len(value) < 4:
        return False
    if is_word(value):
        owned = _OWNED.search(text[max(0, start - 80) : start])
        ends = ends_clause(text, found.start(2) + len(value))
        return bool(owned) and ends and not is_predicate(value)
    return not is_identifier(value) and any(not c.isalpha() for c in value.strip("-_/."))


def _is_pw(text: str, start: int) -> bool:
    """Tell whether a name is "pw", which nothing else than a password is called."""
    return text[start : start + 2].lower() == "pw"


def _is_scrambled(value: str) -> bool:
    mixed = value not in (value.lower(), value.upper())
    return mixed and is_opaque(value) and not is_wordy(value)


def said_before(text: str, start: int, end: int, kind: str) -> Span | None:
    """Find the value that a sentence names first: "X is my password", "X (password)"."""
    named = _NAMED.search(text, max(0, start - REVERSED_CHARS), start)
    if (
        named
        and has_digit_and_letter(named[1])
        and not is_ordinary(named[1])
        and (not named[1].isalnum() or (text[end : end + 1] == ")" and _is_scrambled(named[1])))
        and not (is_code(named[1]) or MASK.search(named[1]))
    ):
        return Span(named.start(1), *named.span(1), kind)
    head_start = max(0, start - REVERSED_CHARS)
    head = text[head_start:start]
    found = _REVERSED.search(head) if _COPULA.search(head[-64:]) else None
    if found is None or is_placeholder(found[1]) or MASK.search(found[1]):
        return None
    value = found[1]
    likely = kind == "password" and has_digit_and_letter(value) and not is_ordinary(value)
    if is_code(value) or not (likely and _NAME_ENDS.match(text, end)):
        likely = is_opaque(value) and not is_code(value) and not is_identifier(value)
    if not likely:
        return None
    return Span(
        head_start + found.start(1), head_start + found.start(1), head_start + found.end(1), kind
    )


def nearby(text: str, start: int, end: int, kind: str) -> Span | None:
    """Find a random-looking value close behind the name of a secret."""
    limit = min(len(text), end + CONTEXT_CHARS)
    stop = text.find(MASKED_BEFORE, end, limit)
    for found in _NEARBY.finditer(text, end, limit if stop < 0 else stop):
        if text.count("\n", end, found.start()) > 2:
            return None
        whole = _NEARBY.match(text, found.start())
        value = whole[0].rstrip(".") if whole else ""
        if _OWN_NAME.search(text, max(end, found.start() - 48), found.start()):
            continue
        if _OWN_PAIR.match(value) or found.start() == end:
            continue
        if is_random(value) and not is_placeholder(value):
            return Span(start, found.start(), found.start() + len(value), kind.rstrip("?"))
    return None


def nearby_before(text: str, start: int, kind: str) -> Span | None:
    """Find a random-looking value shortly before the name of a secret, on the same line."""
    since = max(0, start - BEFORE_CHARS)
    since = max(text.rfind("\n", since, start) + 1, since)
    for found in _ALONE.finditer(text, since, start):
        value = found[1].rstrip(".")
        mixed = value not in (value.lower(), value.upper())
        own = _OWN_NAME.search(text, max(0, found.start() - 48), found.start(1))
        if mixed and not own and is_random(value) and not is_placeholder(value):
            start = found.start(1)
            return Span(start, start, start + len(value), kind.rstrip("?"))
    return None
