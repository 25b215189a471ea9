"""Invented turns and pairs in six languages, each a member of a kind."""

from pathlib import Path

import pytest

from twice.core.ideas import relation
from twice.learners.corrections import fingerprint, notice

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


@pytest.mark.parametrize(("kind", "previous", "text"), rows("turns.tsv"))
def test_a_turn_is_a_correction_a_preference_or_nothing(
    kind: str, previous: str, text: str
) -> None:
    signals = notice(text, previous=previous)
    heard = max(signals, key=lambda signal: signal.confidence).kind if signals else "none"
    assert heard == kind


@pytest.mark.parametrize(("language", "one", "other", "expected"), rows("pairs.tsv"))
def test_a_pair_relates_as_its_words_say(
    language: str, one: str, other: str, expected: str
) -> None:
    assert relation(fingerprint(one, language), fingerprint(other, language)) == expected
