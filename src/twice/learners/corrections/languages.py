"""Which language a text is written in, as far as a word table exists."""

import re
from functools import cache

from twice.learners.corrections.vocabulary import fold, languages, vocabulary

READ_CHARS = 400  # the beginning tells the language
LATIN = ("en", "es", "de", "fr", "it", "nl", "pl", "pt", "tr")

_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_APOSTROPHE = re.compile("['’]")
_WORD = re.compile(r"(?<![\w/.-])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w/])")


def language_of(text: str, default: str = "en") -> str:
    """Return the two-letter language of a text, or the default where nothing tells.

    >>> language_of("nicht npm, sondern pnpm"), language_of("用 pnpm"), language_of("pnpm!")
    ('de', 'zh', 'en')
    """
    text = text[:READ_CHARS]
    if not text.isascii():
        for pattern, language in (
            (_KANA, "ja"),
            (_HANGUL, "ko"),
            (_HAN, "zh"),
            (_UKRAINIAN, "uk"),
            (_CYRILLIC, "ru"),
        ):
            if pattern.search(text):
                return language
    return _latin(text, default)


def _latin(text: str, default: str) -> str:
    """Return the language that most of the words are function words of."""
    index = _index()
    scores = dict.fromkeys(LATIN, 0.0)
    for word in _WORD.findall(text):
        for part in (word,) if word.isalpha() else (word, *_elided(word)):
            found = index.get(fold(part), ())
            for language in found:
                scores[language] += 1 / len(found)
    if not text.isascii():
        for language, letters in _letters().items():
            scores[language] += sum(letter in text for letter in letters)
    best = max(scores, key=lambda language: scores[language])
    return default if scores[best] <= scores.get(default, 0.0) else best


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
def _letters() -> dict[str, str]:
    return {language: vocabulary(language).letters for language in _known()}


def _known() -> tuple[str, ...]:
    return tuple(language for language in LATIN if language in languages())
