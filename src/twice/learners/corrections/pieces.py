"""A sentence taken apart: words, marks and breaks, each with what it does."""

import re
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

from twice.learners.corrections.chunks import Chunks
from twice.learners.corrections.vocabulary import (
    NO_ROLES,
    SILENT,
    Roles,
    Vocabulary,
    shared,
    vocabulary,
)

_LETTER = (  # all but the space of Ogham
    "0-9A-Za-z_\u00aa-\u00aa\u00b5\u00ba\u00c0-\u167f\u1681-\u1fff\ua640-\ud7ff\uff10-\uff5a"
)
_TOKEN = re.compile(
    rf"(?P<run>[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)"
    rf"|(?P<word>(?:--?(?=[a-z]))?[@./#]?[{_LETTER}]+(?:[.\-/:@'’+#=][{_LETTER}]+)*[/\-+#]*%?)"
    r"|(?P<break>[,;:.!?…，。；：！？、()（）—–\n]+|--|->|=>)"
)
_SCRIPTS = re.compile(
    "(?P<ending>[\u3041-\u309f]+)|(?P<word>[\u30a1-\u30ff]+)|(?P<pairs>[^\u3041-\u30ff]+)"
)
_CLOSED = frozenset(("closing", "finals", "imperatives"))
_ORDERING = frozenset(("closing", "orders", "negators"))
_SOFT = frozenset(",:，：、()（）-=>")
CHAIN_PIECES = 18  # a longer chain of clauses says more than one thing
CHAIN_BREAKS = 3
_MARKING = frozenset(("habits", "negators", "orders", "contrasts", "nominal", "lasting"))
_CONTINUING = frozenset(("contrasts", "negators", "reversals", "flips", "nominal"))
_JOINING = frozenset(("break", "joins"))
BREAK = frozenset(("break", SILENT))
SHOUTED = frozenset(("break", "hard", "exasperation", SILENT))
HARD_BREAK = frozenset(("break", "hard", SILENT))


class Piece(NamedTuple):
    """A word, a mark of one or more words, or a break. ``start`` and ``end`` are its span.

    They count from the start of the text; where it was not ``placed``, from the last space.
    """

    form: str
    stem: str
    roles: Roles
    start: int
    end: int

    @property
    def silent(self) -> bool:
        """True where it never enters a fingerprint."""
        return SILENT in self.roles


def pieces(text: str, words: Vocabulary, *, placed: bool = True) -> list[Piece]:
    """Take a sentence apart, longest marks first.

    That is quicker where its pieces need not be ``placed``: then words seen before are not read
    again, and spans mean nothing in the text.
    """
    if placed or words.runs or "\n" in text:  # only a space ends a token everywhere
        return _settled(_marked(_tokens(text, words), words), words)
    chunks = map(_read(words.language).__getitem__, text.split())
    return _settled(_marked(list(chain.from_iterable(chunks)), words), words)


def _settled(found: list[Piece], words: Vocabulary) -> list[Piece]:
    """Take a form that is an order or a noun for a noun where a postposition follows it."""
    if words.inflections:
        for i, (piece, after) in enumerate(pairwise(found)):
            if "gerund" in piece.roles and "stops" in after.roles:
                found[i] = piece._replace(roles=piece.roles - _ORDERING)
    return found


@cache
def _read(language: str) -> Chunks[tuple[Piece, ...]]:
    words = vocabulary(language)
    return Chunks(lambda chunk: tuple(_tokens(chunk, words)))


def _tokens(text: str, words: Vocabulary) -> list[Piece]:
    """Take a text apart into single words and breaks."""
    tokens: list[Piece] = []
    known = words.known
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        spoken = match.group()
        start, end = match.span()
        if kind == "word":
            if words.elisions and ("'" in spoken or "’" in spoken):
                tokens += _elided(spoken, start, words)
                continue
            if words.tails:
                tokens += _tailed(spoken, start, words)
                continue
            form, stem, roles = known.get(spoken) or words.word(spoken)
            tokens.append(Piece(form, stem, roles, start, end))
        elif kind == "break":
            roles = BREAK if _SOFT.issuperset(spoken) else HARD_BREAK
            roles = SHOUTED if "!!" in spoken or "！！" in spoken else roles
            tokens.append(Piece(spoken, "", roles, start, end))
        else:
            tokens += _run(spoken, start, words)
    return tokens


def _elided(text: str, start: int, words: Vocabulary) -> list[Piece]:
    head, _, tail = text.replace("’", "'").partition("'")
    if head.casefold() not in words.elisions or not tail:
        return [_word(text, start, words)]
    return [_word(head, start, words), *_elided(tail, start + len(head) + 1, words)]


def _tailed(text: str, start: int, words: Vocabulary) -> list[Piece]:
    found: list[Piece] = []
    parts = words.divide(text)
    for i, part in enumerate(parts):
        if not i:
            word = _word(part, start, words)
            found.append(word._replace(roles=word.roles - _CLOSED) if len(parts) > 1 else word)
        elif part not in words.bound:
            roles = words.word(part).roles | {SILENT}
            found.append(Piece(part, part, roles, start, start + len(part)))
        start += len(part)
    return found


def _word(text: str, start: int, words: Vocabulary) -> Piece:
    form, stem, roles = words.word(text)
    return Piece(form, stem, roles, start, start + len(text))


def _marked(tokens: list[Piece], words: Vocabulary) -> list[Piece]:
    """Make one piece of each mark of several words, the longest first."""
    forms = [token.form for token in tokens]
    found: list[Piece] = []
    done = 0
    for i, seconds in enumerate(map(words.phrases.get, forms[:-1])):
        if seconds is None or i < done:
            continue
        for phrase, roles in seconds.get(forms[i + 1], ()):
            last = i + len(phrase)
            if last == i + 2 or tuple(forms[i:last]) == phrase:
                found += tokens[done:i]
                found += _joined(tokens[i:last], phrase, roles)
                done = last
                break
    return found + tokens[done:] if done else tokens


def _joined(tokens: list[Piece], phrase: tuple[str, ...], roles: Roles) -> list[Piece]:
    """Return a mark as one piece; a name ("the user") stays several words that are said."""
    first, last = tokens[0], tokens[-1]
    if SILENT in roles:
        return [Piece(" ".join(phrase), first.stem, roles, first.start, last.end)]
    return [
        Piece(t.form, t.stem, shared((t.roles - _MARKING) | roles), t.start, t.end) for t in tokens
    ]


def _run(text: str, start: int, words: Vocabulary) -> list[Piece]:
    """Take apart a run of a script without spaces: marks by the table, the rest by its script."""
    found: list[Piece] = []
    rest = i = 0
    ended = text + "$"
    while i < len(text):
        for phrase, roles in words.runs.get(text[i], ()):
            if ended.startswith(phrase, i):
                found += _rest(text, rest, i, start, words)
                at = start + i
                end = min(at + len(phrase), start + len(text))
                stem = words.canonical.get(phrase, phrase)
                if ":" in stem:
                    roles |= {"typed", stem.partition(":")[0]}
                if phrase not in words.bound:
                    found.append(Piece(phrase.rstrip("$"), stem, roles, at, end))
                i = end - start
                rest = i
                break
        else:
            i += 1
    return found + _rest(text, rest, len(text), start, words)


def _rest(text: str, start: int, end: int, offset: int, words: Vocabulary) -> list[Piece]:
    """Take apart what no table knows: Katakana are a word, Hiragana an ending, the rest pairs."""
    found: list[Piece] = []
    for match in _SCRIPTS.finditer(text, start, end):
        if match.lastgroup == "word":
            form, first = match.group(), offset + match.start()
            stem, roles = words.canonical.get(form, form), words.stems.get(form, NO_ROLES)
            found.append(Piece(form, stem, roles, first, first + len(form)))
        elif match.lastgroup == "pairs":
            found += _pairs(text, *match.span(), offset, words)
    return found


def _pairs(text: str, start: int, end: int, offset: int, words: Vocabulary) -> list[Piece]:
    run = text[start:end]
    if len(run) <= 2:
        spans = [(0, len(run))] if run else []
    else:
        spans = [(i, i + 2) for i in range(len(run) - 1)]
    return [
        Piece(
            run[i:j],
            words.canonical.get(run[i:j], run[i:j]),
            words.stems.get(run[i:j], NO_ROLES),
            offset + start + i,
            offset + start + j,
        )
        for i, j in spans
    ]


def parts(found: list[Piece]) -> list[list[Piece]]:
    """Divide a long chain of clauses joined by commas; a contrast stays with what it follows.

    "Do this, and make sure each …" says two things, however long it is.
    """
    chain = len(found) > CHAIN_PIECES and _breaks(found) >= CHAIN_BREAKS
    if not chain and not any("assurances" in piece.roles for piece in found[1:]):
        return [found] if found else []
    divided: list[list[Piece]] = [[]]
    for i, piece in enumerate(found):
        following = found[i + 1].roles if i + 1 < len(found) else NO_ROLES
        ends = chain and "break" in piece.roles and not following & _CONTINUING
        if ends or ("assurances" in following and piece.roles & _JOINING):
            divided.append([])
        else:
            divided[-1].append(piece)
    return [part for part in divided if part]


def _breaks(found: list[Piece]) -> int:
    return len([piece for piece in found if "break" in piece.roles])
