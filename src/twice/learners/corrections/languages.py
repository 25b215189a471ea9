"""Which language a text is written in, as far as a word table exists."""

import re
import struct
from functools import cache
from itertools import compress

from twice.learners.corrections.chunks import Chunks
from twice.learners.corrections.vocabulary import fold, languages, vocabulary

UNKNOWN = "und"  # as BCP 47 calls a language that is not determined
READ_CHARS = 400  # the beginning tells the language
LATIN = ("en", "es", "de", "fr", "it", "nl", "pl", "pt", "tr")
CYRILLIC = ("ru", "uk")

_OTHER = re.compile("[\u0370-\U0010ffff]")  # than Latin
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")
_APOSTROPHE = re.compile("['’]")
_WORD = re.compile(r"(?<![\w/.-])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w/])")
_BEYOND_ASCII = re.compile("[^\0-\x7f]")


def language_of(text: str, previous: str = "") -> str:
    """Return the two-letter language of a text; where its words do not tell, that of the previous.

    It is English where nothing tells.

    >>> language_of("nicht npm, sondern pnpm"), language_of("用 pnpm"), language_of("pnpm!")
    ('de', 'zh', 'en')
    """
    text = text[:READ_CHARS]
    if not text.isascii() and _OTHER.search(text):
        for pattern, language in (
            (_KANA, "ja"),
            (_HANGUL, "ko"),
            (_HAN, "zh"),
            (_UKRAINIAN, "uk"),
        ):
            if pattern.search(text):
                return language
        if _CYRILLIC.search(text):
            best = _best(text, CYRILLIC)
            return best[0] if len(best) == 1 else "ru"
    if not _LATIN.search(text) and _LETTER.search(text):
        return UNKNOWN
    best = _best(text, LATIN)
    if len(best) == 1:
        return best[0]
    default = language_of(previous[-READ_CHARS:]) if previous else "en"
    return default if default in best else best[0]


# The votes for all languages are added up as one number, each in its own bits.
_UNIT = 27_720  # can be shared evenly among as many as twelve
_BITS = 32
_PLACES = {language: place for place, language in enumerate(LATIN + CYRILLIC)}
_COUNTS = struct.Struct(f"<{len(_PLACES)}I")


def _best(text: str, among: tuple[str, ...]) -> list[str]:
    """Return the languages that most of the words are function words of."""
    cast = sum(map(_cast.__getitem__, text.split()))
    if not text.isascii():
        letters = _letters()
        cast += sum(letters.get(letter, 0) for letter in set(_BEYOND_ASCII.findall(text)))
    first = _PLACES[among[0]]
    counts = _COUNTS.unpack(cast.to_bytes(_COUNTS.size, "little"))[first : first + len(among)]
    return list(compress(among, map(max(counts).__eq__, counts)))


_cast = Chunks(lambda chunk: sum(map(_votes, _WORD.findall(chunk))))


def _votes(word: str) -> int:
    """Return the votes of a word: one, shared among the languages that have it."""
    index = _index()
    parts = (word,) if word.isalpha() else (word, *_elided(word))
    shared = (index.get(fold(part), ()) for part in parts)
    return sum(_vote(language, len(found)) for found in shared for language in found)


def _vote(language: str, sharing: int = 1) -> int:
    return _UNIT // sharing << _BITS * _PLACES[language]


def _elided(word: str) -> tuple[str, ...]:
    """Return the parts of "l'option", but not of "don't"."""
    head, *tail = _APOSTROPHE.split(word, maxsplit=1)
    return (head, *tail) if tail and len(tail[0]) > len(head) else ()


@cache
def _index() -> dict[str, tuple[str, ...]]:
    """Return the languages of each function word."""
    index: dict[str, tuple[str, ...]] = {}
    for language in _known():
        for word in vocabulary(language).telltales:
            index[word] = (*index.get(word, ()), language)
    return index


@cache
def _letters() -> dict[str, int]:
    """Return the votes of each letter beyond ASCII that only some languages have."""
    votes: dict[str, int] = {}
    for language in _known():
        for letter in vocabulary(language).letters:
            votes[letter] = votes.get(letter, 0) + _vote(language)
    return votes


def _known() -> tuple[str, ...]:
    return tuple(language for language in LATIN + CYRILLIC if language in languages())
