"""Each language is one table, and every table is whole."""

import tomllib
from pathlib import Path

import pytest

import twice.learners.corrections as corrections
from twice.core.policy import Category
from twice.learners.corrections import notice
from twice.learners.corrections.vocabulary import languages, vocabulary

WORDS = Path(corrections.__file__).parent / "words"
NEEDED = [
    "negators",
    "orders",
    "nominal",
    "contrasts",
    "prohibitions",
    "halts",
    "joins",
    "habits",
    "lasting",
    "once",
    "politeness",
    "fillers",
    "exasperation",
    "rejects",
    "declines",
    "complaints",
    "omissions",
    "self",
    "pronouns",
    "requests",
    "wishes",
    "tastes",
    "customs",
    "memos",
    "questions",
    "conditionals",
    "hypotheticals",
    "others",
    "reported",
    "reports",
    "faults",
    "undo",
    "meant",
    "reasons",
    "acted",
    "stops",
]


@pytest.mark.parametrize("language", languages())
def test_a_table_has_what_the_rules_look_for(language: str) -> None:
    table = tomllib.loads((WORDS / f"{language}.toml").read_text("utf-8"))
    assert [role for role in NEEDED if not table["marks"].get(role)] == []
    assert {"manner", "practice", "task"} <= set(table["verbs"])
    assert {"use", "only", "forbid", "swap", "leave_out", "leave_alone"} <= set(table["templates"])
    assert set(table["categories"]) <= set(Category)
    assert vocabulary(language).language == language


def test_no_role_is_misspelt_in_another_table() -> None:
    english = tomllib.loads((WORDS / "en.toml").read_text("utf-8"))
    known = set(english["marks"]) | {"reversals", "earlier", "addressed", "rivals", "denies"}
    known |= {"counters", "negated"}
    known |= {"happened", "imperatives", "finals"}  # where the verb comes last
    for language in languages():
        table = tomllib.loads((WORDS / f"{language}.toml").read_text("utf-8"))
        assert set(table["marks"]) <= known, language


def test_a_script_without_a_table_is_not_heard() -> None:
    assert "ka" not in languages()
    for text in ("npmを使わないで、yarnを使って", "npm 쓰지 말고 yarn 써"):
        assert notice(text) == () or {"ja", "ko"} & set(languages())


def test_a_word_that_many_languages_have_votes_for_each_alike() -> None:
    import sys

    telling = sys.modules["twice.learners.corrections.languages"]
    for word, found in telling._index().items():
        cast = telling._votes(word) if telling._WORD.fullmatch(word) else 0
        counts = telling._COUNTS.unpack(cast.to_bytes(telling._COUNTS.size, "little"))
        votes = dict(zip(telling._PLACES, counts, strict=True))
        assert len({votes[name] for name in found}) == 1, word
        assert not cast or {name for name, count in votes.items() if count} == set(found), word
    assert telling.language_of("please") == "en"
