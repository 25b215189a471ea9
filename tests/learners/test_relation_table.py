"""The table of relations, row by row: signs decide, not the number of shared words."""

import pytest

from twice.core.ideas import Relation, relation
from twice.learners.corrections import fingerprint

TABLE = [
    ("en", "Don't use npm, use pnpm", "en", "Use pnpm instead of npm", "same"),
    ("en", "pnpm, not npm!", "en", "Actually use pnpm rather than npm", "same"),
    (
        "en",
        "you changed it in the main workspace, not the session",
        "en",
        "you're not using the session workspace; stop editing the main one",
        "same",
    ),
    ("en", "Use npm instead of pnpm", "en", "Use pnpm instead of npm", "opposed"),
    ("en", "never commit to main", "en", "please don't ever commit to main", "same"),
    ("en", "Always answer in Spanish", "en", "Answer in English", "competing"),
    ("es", "No uses npm, usa pnpm", "es", "Usa pnpm en lugar de npm", "same"),
    ("zh", "不要用 npm，用 pnpm", "zh", "用 pnpm 而不是 npm", "same"),
]
FURTHER = [
    # a complaint reverses the order of its words
    ("en", "you used npm, not pnpm", "en", "use pnpm, not npm", "same"),
    ("en", "you used npm, not pnpm", "en", "npm, not pnpm", "opposed"),
    ("en", "why are you using tabs? use spaces", "en", "spaces instead of tabs", "same"),
    # order in time
    ("en", "format the code before you push", "en", "before pushing, format the code", "same"),
    ("en", "lint first, format second", "en", "format first, lint second", "opposed"),
    ("en", "don't release without asking me", "en", "ask me before you release", "same"),
    ("en", "release without asking me", "en", "ask me before you release", "opposed"),
    # another value of the same thing
    ("en", "indent with 4 spaces", "en", "indent with 2 spaces", "competing"),
    ("en", "use tabs", "en", "use spaces", "competing"),
    ("en", "retry 3 times", "en", "retry 5 times", "competing"),
    # the same words about other things
    ("en", "don't edit snapshots", "en", "don't delete snapshots", "different"),
    ("en", "keep branches small", "en", "keep classes small", "different"),
    # other languages
    ("de", "nimm yarn, nicht npm", "de", "yarn statt npm", "same"),
    ("de", "schreib Kommentare", "de", "schreib keine Kommentare", "opposed"),
    ("fr", "n'utilise pas yarn, utilise bun", "fr", "bun au lieu de yarn", "same"),
    ("fr", "ne touche pas au cache", "fr", "touche au cache", "opposed"),
    ("ru", "не используй yarn, используй bun", "ru", "bun вместо yarn", "same"),
    ("ru", "пиши комментарии", "ru", "не пиши комментарии", "opposed"),
    ("es", "nunca toques la carpeta dist", "es", "no toques la carpeta dist", "same"),
    ("zh", "先测试再发布", "zh", "先发布再测试", "opposed"),
    # across languages, where the words are the same
    ("en", "use pnpm, not npm", "de", "nimm pnpm statt npm", "same"),
    ("en", "answer in German", "de", "antworte auf Deutsch", "same"),
]


@pytest.mark.parametrize(("one_in", "one", "other_in", "other", "expected"), TABLE + FURTHER)
def test_signs_and_order_decide_how_two_wishes_relate(
    one_in: str, one: str, other_in: str, other: str, expected: str
) -> None:
    a, b = fingerprint(one, one_in), fingerprint(other, other_in)
    assert relation(a, b) is Relation(expected), (a, b)
    assert relation(b, a) is Relation(expected)
