"""What a person typed in their own words, without what they pasted or quoted."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from twice.learners.corrections.vocabulary import introductions

PASTED_HEADINGS = 2  # that many Markdown headings make a pasted document
QUOTED_WORDS = 3  # a quotation of that many words is a sentence of somebody else
INTRODUCED_CHARS = 120  # of a sentence before its colon
BLOCKS = 200  # tags looked at in one turn

_INJECTED = (  # what harnesses put into the human's slot, by how it begins
    "[Request interrupted",
    "Caveat: The messages below",
    "Operation stopped by hook",
    "This session is being continued from a previous conversation",
    "Stop hook feedback",
    "<local-command",
    "<command-",
    "Base directory for this skill",
    "# AGENTS.md instructions",
    "API Error",
)
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)", re.M)
_TAG = re.compile(r"<([A-Za-z][\w:-]{1,40})(?:\s[^<>\n]{0,300})?>")
_QUOTED = re.compile(
    r"\"[^\"\n]{0,600}\"|“[^”\n]{0,600}”|„[^“”\n]{0,600}[“”]|«[^»\n]{0,600}»|»[^«\n]{0,600}«"
    r"|「[^」\n]{0,600}」|『[^』\n]{0,600}』|'(?<!\w')[^'\n]{2,400}'(?!\w)|‘[^’\n]{0,400}’"
    r"|`[^`\n]{0,600}`"
)
_URL = re.compile(r"\b(?:https?|ftp|file|ssh)://\S+")
_AGENTS = (
    r"(?:assistant|agent|ai|bot|claude|codex|cursor|copilot|gemini|(?:chat)?gpt[-\w.]*|asistente"
    r"|assistent|ассистент|агент|助手)"
)
_ROLE = re.compile(
    rf"^[ \t*_#\[]*(?:{_AGENTS}|user|human|system|usuario|utilisateur|benutzer|nutzer"
    r"|пользователь|用户)[*_\]]*\s?[:：]",
    re.I | re.M,
)
_ASSISTANT = re.compile(rf"^[ \t*_#\[]*{_AGENTS}[*_\]]*\s?[:：]", re.I | re.M)
_MAIL = re.compile(
    r"^(?:From|Von|De|От|发件人)\s?[:：] ?\S.*\n(?:.+\n){0,4}?"
    r"(?:Subject|Betreff|Objet|Asunto|Тема|主题)\s?[:：]",
    re.M,
)
_SCRIPTED = re.compile(  # what a program says, in the place of a person
    r"\s*(?:You are an? (?:[\w-]+,? ){0,4}(?:agent|assistant|bot|expert|observer|extractor"
    r"|summari[sz]er|reviewer|engineer|developer|specialist|model|analyst|consolidator)\b"
    r"|(?:Scheduled|Daily|Weekly|Nightly) (?:report|task|run|job)\b[^\n]{0,40}\d{4}-\d\d-\d\d)"
)
_HEADING = re.compile(r"^#{1,6} \S", re.M)
_MACHINE = re.compile(
    r"\s*(?:>|//|/\*|\*/|\$ |❯|➜|#!|#include|@@|\+\+\+ |--- |\+ |diff --git|\|"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERR|ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|FAIL|PASS|npm ERR!|npm WARN)\b[\]:! ]"
    r"|at \S+ \(|File \"|Traceback \(|\w*(?:Error|Exception|Warning): |exit (?:code )?\d"
    r"|(?:export|import|const|let|var|def|class|function|public|private|return) [\w{*(]\S* ?"
    r"(?:=|\(|\{|from |:|;|$)|[✓✗✘⨯•] )"
)
_SCORED = re.compile(r"\bconfidence: ?[01]?\.\d")  # a line of some memory's log
_SYMBOL = re.compile(r"[{}()\[\];=<>|\\$&+]")


_COLON = re.compile(r"[:：](?![\w/])")
_CLOSED = re.compile(r"[\n.!?。！？]")
_LINE_END = re.compile(r"[ \t*_]*\n")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]


def own_words(text: str) -> str:
    """Return the text with everything that is not the person's own words blanked out.

    The result has the length of the text, so spans hold in both.
    """
    if text.lstrip().startswith(_INJECTED) or _SCRIPTED.match(text):
        return " " * len(text)
    signs = frozenset(_SIGN.findall(text))
    for find, needed in _FINDERS:
        if not needed or not signs.isdisjoint(needed):
            text = _blank(text, find(text))
    return text


def _blank(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        if start >= done:
            parts += (text[done:start], "\n" if "\n" in text[start:end] else " ")
            parts.append(" " * (end - start - 1))
            done = end
    if not done:
        return text
    parts.append(text[done:])
    return "".join(parts)


def _fences(text: str) -> Iterator[Span]:
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        fence = match.group(1)
        if opened is None:
            opened = match.start(), fence
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]):
            yield opened[0], match.end()
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _tags(text: str) -> Iterator[Span]:
    done = 0
    for _ in range(BLOCKS):
        match = _TAG.search(text, done)
        if match is None:
            return
        close = text.find(f"</{match.group(1)}>", match.end())
        done = match.end()
        if close >= 0:
            done = close + len(match.group(1)) + 3
            yield match.start(), done
    yield done, len(text)


def _dialogue(text: str) -> Iterator[Span]:
    """Blank a pasted conversation: later paragraphs of a reply carry no label of their own."""
    if _ASSISTANT.search(text) and (first := _ROLE.search(text)):
        yield first.start(), len(text)


def _mails(text: str) -> Iterator[Span]:
    """Blank a pasted letter, from its head on."""
    if head := _MAIL.search(text):
        yield head.start(), len(text)


def _introduced(text: str) -> Iterator[Span]:
    """Blank what somebody else's words are introduced by a colon before: "Tom wrote: …".

    Up to the end of the paragraph; where a line of its own introduces them, all that follows.
    """
    theirs, ours = _quoting()
    done = 0
    for colon in itertools.islice(_COLON.finditer(text), BLOCKS):
        if colon.start() < done:
            continue
        before = text[max(done, colon.start() - INTRODUCED_CHARS) : colon.start()]
        before = _CLOSED.split(before)[-1]
        if not theirs.search(before) or ours.search(before):
            continue
        below = _LINE_END.match(text, colon.end())
        close = None if below else _PARAGRAPH.search(text, colon.end())
        done = close.start() if close else len(text)
        yield colon.start() - len(before), done


@cache
def _quoting() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what introduces words of others, and what introduces the person's own."""
    verbs, selves = introductions()
    spaced = _alternatives(verb for verb in verbs if verb[0] < "\u2e80")
    dense = _alternatives(verb for verb in verbs if verb[0] >= "\u2e80")
    said = rf"(?:(?<!\w)(?=\w)(?:{spaced})\b|(?=[\u2e80-\uffff])(?:{dense}))"
    own = rf"(?<![\w])(?:{'|'.join(selves)})(?:\W+\w+){{0,2}}?\W*{said}"
    return re.compile(said, re.I), re.compile(own, re.I)


def _alternatives(phrases: Iterable[str]) -> str:
    """Return a pattern of phrases by their first letter, so that few are tried at each place."""
    ends: dict[str, list[str]] = {}
    for phrase in phrases:
        ends.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in ends.items())


def _document(text: str) -> Iterator[Span]:
    headings = list(_HEADING.finditer(text))
    if len(headings) >= PASTED_HEADINGS:
        yield headings[0].start(), len(text)


def _lines(text: str) -> Iterator[Span]:
    start = 0
    trace = False
    scored = "confidence:" in text
    for line in text.split("\n"):
        end = start + len(line)
        trace = line.startswith("Traceback (") or (trace and bool(line.strip()))
        if trace or _MACHINE.match(line) or (scored and _SCORED.search(line)) or _coded(line):
            yield start, end
        start = end + 1


def _coded(line: str) -> bool:
    """Tell code and logs by their signs: more than one in eight characters, or a closing brace."""
    line = line.strip()
    if line.endswith((";", "{", "};", "*/", "-->")):
        return True
    return len(line) > 24 and len(_SYMBOL.findall(line[:2_000])) * 8 > len(line[:2_000])


def _quotations(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        quoted = match.group()
        if len(quoted.split()) >= QUOTED_WORDS or _wordless(quoted):
            yield match.span()


def _wordless(quoted: str) -> bool:
    """Tell a quotation in a script without spaces: it is long, and has no Latin letter."""
    return len(quoted) > 8 and quoted[1] > "\u2e7f"


def _addresses(text: str) -> Iterator[Span]:
    return (match.span() for match in _URL.finditer(text)) if "://" in text else iter(())


# With the signs, one of which must be there; where none is named, it looks in any text.
_FINDERS: tuple[tuple[Finder, frozenset[str]], ...] = (
    (_fences, frozenset("`~")),
    (_tags, frozenset("<")),
    (_mails, frozenset(":：")),
    (_dialogue, frozenset(":：")),
    (_introduced, frozenset(":：")),
    (_document, frozenset("#")),
    (_lines, frozenset()),
    (_quotations, frozenset("\"“„«»「『'‘`")),
    (_addresses, frozenset(":")),
)
_SIGN = re.compile(f"[{''.join(frozenset().union(*[needed for _, needed in _FINDERS]))}]")
