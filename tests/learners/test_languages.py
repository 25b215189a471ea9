"""Every language is heard on invented turns of its own; no opposed pair is ever called the same."""

from pathlib import Path

import pytest

from twice.core.ideas import relation
from twice.learners.corrections import fingerprint, notice

HERE = Path(__file__).parent / "languages"
NAMES = sorted(path.stem for path in HERE.glob("[a-z][a-z].tsv"))


def rows(name: str) -> list[list[str]]:
    lines = (HERE / f"{name}.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines[1:] if line]


def heard(previous: str, text: str) -> str:
    signals = notice(text, previous=previous)
    return max(signals, key=lambda signal: signal.confidence).kind if signals else "none"


@pytest.mark.parametrize("name", [*NAMES, *(f"held_{name}" for name in NAMES)])
def test_wishes_are_told_from_talk(name: str) -> None:
    told = [(kind, heard(previous, text)) for kind, _, previous, text in rows(name)]
    hits = sum("none" not in pair for pair in told)
    false = sum(kind == "none" != found for kind, found in told)
    wishes = sum(kind != "none" for kind, _ in told)
    assert hits / max(1, hits + false) >= (0.92 if name.startswith("held") else 0.95)
    assert hits / wishes >= (0.65 if name.startswith("held") else 0.80)
    assert sum(kind == found != "none" for kind, found in told) / max(1, hits) >= 0.85


@pytest.mark.parametrize("name", NAMES)
def test_pairs_relate_as_their_words_say(name: str) -> None:
    told = [
        (expected, str(relation(fingerprint(one, name), fingerprint(other, name))))
        for one, other, expected in rows(f"pairs_{name}")
    ]
    assert sum(expected == found for expected, found in told) / len(told) >= 0.90
    assert [pair for pair in told if pair[1] == "same" and pair[0] != "same"] == []
