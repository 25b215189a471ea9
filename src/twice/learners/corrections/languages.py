"""Which language a text is written in, as far as a word table exists."""

import re

from twice.learners.corrections.vocabulary import fold, languages, vocabulary

READ_CHARS = 600  # the beginning tells the language
LATIN = ("en", "es", "de", "fr", "it", "nl", "pl", "pt", "tr")

_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENGLISH_BONUS = 0.5  # decides ties


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
    words = [fold(word) for word in _WORD.findall(text)]
    best, most = default, 0.0
    for language in languages():
        if language not in LATIN:
            continue
        telltales = vocabulary(language).telltales
        score = 0.0 + sum(word in telltales for word in words)
        if not text.isascii():
            score += sum(letter in text for letter in vocabulary(language).letters)
        score += _ENGLISH_BONUS if language == default and score else 0
        if score > most:
            best, most = language, score
    return best
