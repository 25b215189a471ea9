"""Sentences of a text, as spans, in any script."""

import re

SENTENCE_CHARS = 1_200  # a longer one is no wish that somebody typed; it is passed over

_END = re.compile(  # begins with the signs of all ends, so that everything else is skipped at once
    r"[.!?…。！？\n-](?:(?<=[.!?…])[.!?…]*(?=[\s\"')\]]|$)|(?<=[。！？])[。！？]*|(?<=\n)\n*"
    r"|(?<=\s-)-?(?=\s)|(?<=\w\?)\?*(?=\w))"
)
_SHORT = re.compile(
    r"(?:^|[\s(])(?:e\.?g|i\.?e|etc|vs|cf|resp|z\.?\s?b|d\.?h|bzw|p\.?\s?ex|т\.?\s?е)$", re.I
)
_LEAD = " \t\r\n\u3000*-•–—>#\"'”“»«)"


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences: no span is empty, begins or ends with space.

    >>> text = "no, tabs! 用 pnpm。别用 npm"
    >>> [text[start:end] for start, end in sentences(text)]
    ['no, tabs!', '用 pnpm。', '别用 npm']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.group() == "." and not _ends_sentence(text, start, match.start()):
            continue
        _add(spans, text, start, match.end())
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _ends_sentence(text: str, start: int, dot: int) -> bool:
    if dot == start or text[dot - 1].isspace():
        return False  # `git add .`
    return not _SHORT.search(text, max(start, dot - 8), dot)


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start] in _LEAD:
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))
