"""What must hold for any words."""

import unicodedata
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from twice.core.ideas import Relation, relation
from twice.learners.corrections import fingerprint, notice
from twice.learners.corrections.pieces import pieces
from twice.learners.corrections.vocabulary import languages, vocabulary

TOOLS = st.sampled_from(["npm", "pnpm", "tabs", "spaces", "vitest", "rebase", "emojis", "main"])
FRAMES = st.sampled_from(
    [
        ("en", "use {a}, not {b}", "please"),
        ("en", "never use {a} with {b}", "pls"),
        ("en", "use {a} instead of {b} in this repo", "thanks"),
        ("en", "you keep using {a}, not {b}", "please"),
        ("es", "nunca uses {a}, usa {b}", "por favor"),
        ("de", "nimm {a} statt {b}", "bitte"),
        ("fr", "utilise {a} au lieu de {b}", "stp"),
        ("ru", "используй {a} вместо {b}", "пожалуйста"),
        ("zh", "用 {a} 而不是 {b}", "谢谢"),
        ("de", "committe nie größere Änderungen mit {a} und {b}", "danke"),
        ("es", "mantén los párrafos de {a} después de {b}", "gracias"),
    ]
)
WISHES = st.builds(
    lambda frame, a, b: (frame[0], frame[1].format(a=a, b=b), frame[2]), FRAMES, TOOLS, TOOLS
)


@given(WISHES)
def test_case_does_not_matter(wish: tuple[str, str, str]) -> None:
    language, text, _ = wish
    assert fingerprint(text.upper(), language) == fingerprint(text, language)


@given(WISHES, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_unicode_form_does_not_matter(wish: tuple[str, str, str], form: str) -> None:
    language, text, _ = wish
    assert fingerprint(unicodedata.normalize(form, text), language) == fingerprint(text, language)


@given(WISHES, st.sampled_from([".", "!", "!!", "…", " ?", "。", "！", " :", ";", " ,"]))
def test_punctuation_at_the_end_does_not_matter(wish: tuple[str, str, str], end: str) -> None:
    language, text, _ = wish
    assert fingerprint(text + end, language) == fingerprint(text, language)


@given(WISHES)
def test_politeness_does_not_matter(wish: tuple[str, str, str]) -> None:
    language, text, polite = wish
    plain = fingerprint(text, language)
    assert fingerprint(f"{text} {polite}", language) == plain
    assert fingerprint(f"{polite}, {text}", language) == plain


@given(WISHES, WISHES)
def test_relation_is_symmetric_and_opposed_is_never_same(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    a, b = fingerprint(one[1], one[0]), fingerprint(other[1], other[0])
    found = relation(a, b)
    assert relation(b, a) is found
    if found is Relation.SAME:
        assert not (a.wanted & b.unwanted or a.unwanted & b.wanted)


@given(TOOLS, TOOLS)
def test_the_reverse_of_a_contrast_is_opposed(a: str, b: str) -> None:
    one, other = fingerprint(f"use {a}, not {b}", "en"), fingerprint(f"use {b}, not {a}", "en")
    assert relation(one, other) is (Relation.DIFFERENT if a == b else Relation.OPPOSED)


PARTS = "don't never use npm you always n'utilise не нет nicht 不要 用 è ``` > o , . ! ? ` \" ' < :"
WORDS = st.sampled_from([*PARTS.split(), "instead of", "\n", "\u0301", "\u200b", "\U0001f600"])


@given(st.text(max_size=300) | st.lists(WORDS, max_size=60).map(" ".join), st.text(max_size=80))
def test_any_text_can_be_heard_and_spans_lie_inside(text: str, previous: str) -> None:
    for signal in notice(text, previous=previous):
        assert 0 <= signal.start < signal.end <= len(text)
        assert text[signal.start : signal.end] == signal.sentence
        assert 0 <= signal.confidence <= 1
        assert signal.reasons


MARKS = ["", "", "", ",", ".", "!!", "?", ":", ";", '"', "'", "(", ")", "…", "--", "#", "。", "\n"]


@cache
def table_words(language: str) -> list[str]:
    """Return all that a table names: marks of any length, verbs, nouns, values."""
    words = vocabulary(language)
    marks = [
        " ".join(phrase)
        for seconds in words.phrases.values()
        for phrases in seconds.values()
        for phrase, _ in phrases
    ]
    return sorted({*words.marks, *marks, *words.stems, *words.canonical, *words.bases.values()})


@st.composite
def mixtures(draw: st.DrawFn) -> tuple[str, str]:
    language = draw(st.sampled_from(languages()))
    word = st.sampled_from(table_words(language))
    ending = st.sampled_from(MARKS)
    parts = draw(
        st.lists(st.tuples(ending, word, ending, st.sampled_from([" ", " ", "", "\u3000"])))
    )
    return language, "".join(map("".join, parts))


@given(mixtures() | st.tuples(st.sampled_from(languages()), st.text()))
def test_a_sentence_reads_alike_word_by_word_and_as_a_whole(mixture: tuple[str, str]) -> None:
    language, text = mixture
    words = vocabulary(language)
    quick = [piece[:3] for piece in pieces(text, words, placed=False)]
    assert quick == [piece[:3] for piece in pieces(text, words)]
