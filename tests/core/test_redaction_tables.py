"""Tables of secrets and of look-alikes, each written before the rules were tried on it."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from twice.core import redaction
from twice.core.redaction import redact

MASK = re.compile(r"\[redacted:[a-z-]+\]")
PIECE = 6  # characters of a secret that tell something, as long as they stand nowhere else
TABLES = (
    *("cases", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


@cache
def table(name: str) -> list[tuple[str, str, str]]:
    """Return (verdict, text, value) of a table."""
    file = Path(__file__).with_name(f"redaction_{name}.tsv")
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        (row[0], *(plain(part) for part in (row[1], row[2] if row[0] == "secret" else "")))
        for row in rows
        if not row[0].startswith("#")
    ]


def plain(part: str) -> str:
    """Undo what keeps fakes from looking real, and a row on one line."""
    return part.replace("|", "").replace("⏎", "\n").replace("¦", "|")


def cases() -> list[tuple[str, str, str]]:
    return [row for name in TABLES for row in table(name)]


def secrets() -> list[tuple[str, str]]:
    return [(text, value) for verdict, text, value in cases() if verdict == "secret"]


def harmless() -> list[str]:
    return [text for verdict, text, _ in cases() if verdict == "clean"]


def left(value: str, text: str, clean: str) -> str:
    """Return a piece of a secret that is left of it in a clean text, or nothing."""
    clean, rest = MASK.sub("\0", clean), text.replace(value, "\0")
    pieces = [value[at : at + PIECE] for at in range(max(1, len(value) - PIECE + 1))]
    return next((piece for piece in pieces if piece in clean and piece not in rest), "")


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def test_the_tables_are_large_enough() -> None:
    assert len(secrets()) >= 1_000 and len(harmless()) >= 1_000
    assert all(value and value in text for text, value in secrets())


@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_left_of_any_secret(name: str) -> None:
    rows = [(text, value) for verdict, text, value in table(name) if verdict == "secret"]
    kept = [(text, clean) for text, value in rows if left(value, text, clean := redact(text).text)]
    assert not kept, "\n".join(map(repr, kept))


@pytest.mark.parametrize("name", TABLES)
def test_at_most_one_in_a_hundred_harmless_texts_is_touched(name: str) -> None:
    rows = [text for verdict, text, _ in table(name) if verdict == "clean"]
    touched = [(text, clean) for text in rows if (clean := redact(text).text) != text]
    assert len(touched) <= len(rows) / 100, "\n".join(map(repr, touched))


def test_every_secret_counts_as_one() -> None:
    assert all(redact(text).secrets >= 1 for text, _ in secrets())


# --- within other texts ----------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2])
def test_nothing_is_left_of_a_secret_within_json(depth: int) -> None:
    kept = []
    for text, value in secrets():
        for _ in range(depth):
            text, value = quoted(text), quoted(value)[1:-1]
            text = f'{{"role": "user", "text": {text}}}'
        if left(value, text, clean := redact(text).text):
            kept.append((text, clean))
    assert not kept, "\n".join(map(repr, kept))


def test_hardly_any_harmless_text_is_touched_within_json() -> None:
    texts = [f'{{"text": {quoted(text)}}}' for text in harmless()]
    touched = [text for text in texts if redact(text).text != text]
    assert len(touched) <= len(texts) / 100, "\n".join(map(repr, touched))


@pytest.mark.parametrize(("before", "after"), [("Hi!\n", "\nThen go on."), ("```\n", "\n```\n")])
def test_nothing_is_left_of_a_secret_between_other_lines(before: str, after: str) -> None:
    kept = []
    for text, value in secrets():
        whole = before + text + after
        if left(value, whole, clean := redact(whole).text):
            kept.append((text, clean))
    assert not kept, "\n".join(map(repr, kept))


# --- across borders --------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_no_secret_survives_where_a_window_ends(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each secret is put across both borders of a window: its end, and where it is cut."""
    window = 4_096
    monkeypatch.setattr(redaction, "WINDOW_CHARS", window)
    line = "Please run the tests again.\n"
    for text, value in secrets():
        for border in (window, window * 7 // 8):
            at = border - text.index(value) - int(len(value) * share)
            before = (line * (at // len(line) + 1))[: at - 1] + "\n"
            whole = before + text + "\n" + line * 20
            assert not left(value, whole, redact(whole).text), (border, text)
