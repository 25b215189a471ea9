"""What is heard in a text is told with its reasons, to people and to scripts."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.faces.desk import Desk, compare, seated

from twice.faces.columns import columns
from twice.learners.corrections.rules import RULES
from twice.learners.corrections.weighing import WEIGHED
from twice.wiring import learner

SHOWN = (
    "No, use pnpm instead of npm",
    "thanks, looks good",
    "maybe we could use tabs some day",
    'Tom wrote: "always use tabs in here, I say". Never commit to main.',
    "ყოველთვის უპასუხე ქართულად",
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as made:
        yield made


def test_it_reads_as_written_down(desk: Desk) -> None:
    told = ""
    for text in SHOWN:
        ran = desk.twice("explain-text", text)
        assert (ran.code, ran.err) == (0, "")
        assert max(map(columns, ran.out.splitlines())) <= 80
        told += f"$ twice explain-text {text!r}\n{ran.out}"
    compare("explain-text.txt", told)


def test_nothing_is_kept(desk: Desk) -> None:
    desk.twice("explain-text", SHOWN[0])
    assert not desk.data.exists()


def test_what_the_agent_said_before_matters(desk: Desk) -> None:
    alone = desk.twice("explain-text", "double quotes", "--json").value
    said = "I wrapped the strings in single quotes."
    answering = desk.twice("explain-text", "double quotes", "--previous", said, "--json").value
    assert alone["signals"] == []
    (signal,) = answering["signals"]
    assert (signal["kind"], signal["span"]) == ("correction", "double quotes")


def test_another_language_may_be_named(desk: Desk) -> None:
    as_told = desk.twice("explain-text", "pnpm, no npm", "--json").value
    words = "usa pnpm, no npm"
    spanish = desk.twice("explain-text", words, "--lang", "es", "--json").value
    assert (as_told["language"], spanish["language"]) == ("en", "es")
    assert spanish["signals"][0]["unwanted"] == ["packages:npm"]


def test_every_line_is_answered_by_one_in_its_order(desk: Desk) -> None:
    asked = [
        {"text": "Use pnpm instead of npm", "previous": None, "lang": "en"},
        {"text": "thanks"},
        {"text": "thanks\u2028never use npm"},
    ]
    lines = "".join(f"{json.dumps(line)}\n\n" for line in asked)
    ran = desk.twice("explain-text", "--stdin", "--json", given=lines)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [[s["span"] for s in answer["signals"]][:1] for answer in answers] == [
        ["Use pnpm instead of npm"],
        [],
        ["thanks\u2028never use npm"],
    ]
    assert ran.code == 0


def test_a_line_that_cannot_be_read_is_answered_by_its_fault(desk: Desk) -> None:
    lines = '{"text": "Use pnpm, not npm"}\n{"text": 3}\nnonsense\n{"text": "ok"}\n'
    ran = desk.twice("explain-text", "--stdin", "--json", given=lines)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, True, False]
    assert answers[1]["error"].startswith("line 2: ")
    assert (ran.code, ran.err.count("\n")) == (1, 1)


def test_pairs_are_related(desk: Desk) -> None:
    pairs = (
        ("use pnpm, not npm", "pnpm instead of npm", "same"),
        ("use pnpm, not npm", "npm instead of pnpm", "opposed"),
        ("always answer in Spanish", "answer in English", "competing"),
        ("use pnpm, not npm", "never commit to main", "different"),
    )
    lines = "".join(json.dumps({"a": a, "b": b}) + "\n" for a, b, _ in pairs)
    ran = desk.twice("explain-text", "--pairs", given=lines)
    found = [json.loads(line)["relation"] for line in ran.out.splitlines()]
    assert found == [expected for _, _, expected in pairs]


def test_the_languages_of_a_pair_may_differ(desk: Desk) -> None:
    pair = {"a": "pnpm, no npm", "lang_a": "es", "b": "pnpm, not npm"}
    ran = desk.twice("explain-text", "--pairs", given=json.dumps(pair))
    assert json.loads(ran.out) == {"relation": "same"}


@pytest.mark.parametrize("arguments", [(), ("text", "--stdin"), ("text", "--pairs"), ("--wild",)])
def test_wrong_usage_is_told_in_one_line(desk: Desk, arguments: tuple[str, ...]) -> None:
    ran = desk.twice("explain-text", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_every_rule_says_what_it_looks_for() -> None:
    reasons = learner().reasons()
    assert reasons.keys() == {*(rule.name for rule in RULES), WEIGHED}
    assert all(reason.endswith(".") for reason in reasons.values())


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.characters() | st.sampled_from("'\"`<>\n.,! usenotnpm"), max_size=300))
def test_an_explanation_holds_the_signals_of_the_text_and_its_spans(text: str) -> None:
    hears = learner()
    found = hears.explain(text)
    assert found.signals == hears.notice(text)
    for signal in (*found.signals, *found.doubts):
        assert text[signal.start : signal.end] == signal.sentence
    assert all(text[start:end].strip() for start, end in found.set_aside)
