"""What can be learned, and the words in it."""

import msgspec
import pytest
from tests.builders import LESSONS, candidate

from twice.core.lessons import KINDS, Instruction, Memory, kind_of, title_of, words_of
from twice.core.proposals import decode_content, encode_content, review_hash


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_survives_the_store_and_shows_its_words_in_one_line(kind: str) -> None:
    content = candidate(LESSONS[kind]).content
    assert kind_of(content.lesson) == kind
    assert decode_content(encode_content(content)) == content
    assert title_of(content.lesson)
    assert "\n" not in title_of(content.lesson)


def test_the_words_of_a_plan_are_all_that_an_agent_would_read() -> None:
    words = words_of(LESSONS["workflow"])
    assert {"look-around", "Looks around", "Look.", "Know", "told"} <= set(words.splitlines())


def test_the_review_hash_covers_everything_that_is_seen() -> None:
    content = candidate().content
    changes: dict[str, object] = {
        "project": "other", "lesson": Memory("Other."), "evidence": (), "positive": "p",
        "against": content.evidence, "words": "s1", "origin": "person", "replaces": "prp_9",
        "rejected_before": True, "flagged": ("line",), "joined": "verbosity: short",
    }  # fmt: skip
    assert set(changes) == set(content.__struct_fields__)
    hashes = {
        review_hash(msgspec.structs.replace(content, **{name: value}))
        for name, value in changes.items()
    }
    assert len(hashes | {review_hash(content)}) == len(changes) + 1


def test_what_words_alone_join_is_encoded_as_before_there_was_another_way() -> None:
    content = candidate().content
    assert b"joined" not in encode_content(content)
    joined = msgspec.structs.replace(content, joined="verbosity: short")
    assert decode_content(encode_content(joined)) == joined


@pytest.mark.parametrize(
    "text",
    ['{"kind":"memory","text":1}', '{"kind":"spell"}', '{"kind":"memory","text":"x","power":9}'],
)
def test_what_is_no_lesson_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Memory | Instruction)
