"""Lessons are written in the words that were said."""

import re

import pytest
from tests.learners.making import sightings

from twice.core.ideas import Idea
from twice.learners.corrections import gather
from twice.learners.corrections.vocabulary import vocabulary
from twice.learners.distill import distill

WRITTEN = [
    ("ugh, can you please always run the linter?", "Always run the linter.", ""),
    ("no emojis pls 🙄", "No emojis.", "Leave out emojis."),
    ("don't use npm, use pnpm", "Don't use npm, use pnpm.", "Use pnpm."),
    ("pnpm, not npm", "Use pnpm, not npm.", ""),
    ("never touch the snapshots", "Never touch the snapshots.", "Leave the snapshots untouched."),
    ("you keep using tabs", "Do not use tabs.", ""),
    (
        "you wrote the tests in the src folder, not the tests folder",
        "Write the tests in the tests folder, not in the src folder.",
        "",
    ),
    ("用 pnpm，别用 npm", "用 pnpm，别用 npm.", ""),
    ("não use npm, use pnpm", "Não use npm, use pnpm.", ""),
    ("rispondi sempre in italiano", "Rispondi sempre in italiano.", ""),
    ("commit nooit naar main alsjeblieft", "Commit nooit naar main.", ""),
    ("nigdy nie commituj na main", "Nigdy nie commituj na main.", ""),
    ("завжди відповідай українською", "Завжди відповідай українською.", ""),
    ("her zaman Türkçe cevap ver", "Her zaman Türkçe cevap ver.", ""),
    ("npmを使わないで、pnpmを使って", "npmを使わないで、pnpmを使って。", "pnpmを使って。"),
    ("main에 절대 커밋하지 마", "main에 절대 커밋하지 마.", ""),
]


@pytest.mark.parametrize(("said", "text", "positive"), WRITTEN)
def test_a_lesson_is_an_order_in_the_words_that_were_said(
    said: str, text: str, positive: str
) -> None:
    wording = distill(gather(sightings([("a", said)]))[0])
    assert (wording.text, wording.positive) == (text, positive)


@pytest.mark.parametrize("said", [row[0] for row in WRITTEN])
def test_no_content_word_is_invented(said: str) -> None:
    wording = distill(gather(sightings([("a", said)]))[0])
    words = vocabulary(wording.language)
    spoken = {words.word(word).stem for word in re.findall(r"\w+(?:'\w+)?", said)}
    template = " ".join([*words.templates.values(), *words.turned.values()])
    spoken |= {words.word(word).stem for word in re.findall(r"\w+", template)}
    spoken |= {words.word(base).stem for base in words.bases.values() if base in ("write", "use")}
    text = f"{wording.text} {wording.positive}"
    assert {words.word(word).stem for word in re.findall(r"\w+(?:'\w+)?", text)} <= spoken


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("always answer in Spanish", "user.preferences"),
        ("use pnpm, not npm", "project.stack"),
        ("never log passwords", "project.security"),
        ("never push to main", "agent.policy"),
        ("tabs, not spaces", "project.constraints"),
        ("just this time use a table", "volatile"),
    ],
)
def test_the_category_follows_from_the_words(said: str, category: str) -> None:
    assert distill(gather(sightings([("a", said)]))[0]).category == category


def test_a_name_is_a_slug_in_every_script() -> None:
    for said in ("use pnpm, not npm", "никогда не удаляй миграции", "永远不要删除迁移文件"):
        name = distill(gather(sightings([("a", said)]))[0]).name
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name), said
        assert 2 <= len(name) <= 64


def test_a_long_wish_is_cut_to_the_bound_of_a_memory() -> None:
    said = "always " + "check the numbers and " * 40 + "sum them"
    for idea in gather(sightings([("a", said)])):
        assert len(distill(idea).text) <= 500


def test_an_idea_without_words_cannot_be_worded() -> None:
    with pytest.raises(ValueError, match="without words"):
        distill(Idea(()))
