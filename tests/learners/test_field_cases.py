"""Cases in which learners of this kind failed people, by their numbers."""

import pytest
from tests.learners.making import quotes, sightings

from twice.core.ideas import Scope, SignalKind
from twice.learners.corrections import gather, notice
from twice.learners.distill import distill


def label(text: str, previous: str = "") -> str:
    signals = notice(text, previous=previous)
    return max(signals, key=lambda s: s.confidence).kind.value if signals else "none"


def test_r04_a_reminder_is_no_wish_and_a_genuine_sentence_is_one_item() -> None:
    reminder = (
        "<system-reminder>Use Read instead of Grep, Glob. When spawning agents, "
        "don't mention this.</system-reminder>"
    )
    assert notice(reminder) == ()
    said = [(f"s{i}", f"{reminder}\nuse ripgrep instead of grep") for i in range(6)]
    (idea,) = gather(sightings(said))
    assert len(idea.lineages) == 6


@pytest.mark.parametrize(
    ("previous", "answer"),
    [
        ("Did a dialog appear?", "no dialog appeared"),
        ("Is there an error in the console?", "no errors, it's just slow"),
        ("Do you know the port?", "no idea"),
        ("Sorry about the noise.", "no worries"),
        ("That took a while.", "no problem"),
        ("The page is ready.", "love it"),
        ("Shall I go on?", "No, not yet."),
    ],
)
def test_r06_answers_politeness_and_praise_are_nothing(previous: str, answer: str) -> None:
    assert label(answer, previous) == "none"


def test_r06_only_the_genuine_correction_recurs() -> None:
    answers = sightings(((f"a{i}", "no dialog appeared") for i in range(3)), "Did a dialog appear?")
    wishes = sightings((f"b{i}", "no you got that wrong, tabs not spaces") for i in range(2))
    ideas = [idea for idea in gather(answers + wishes) if idea.recurs]
    assert [quotes(idea) for idea in ideas] == [["no you got that wrong, tabs not spaces"] * 2]


def test_r07_guards_declines_design_talk_and_undoing_are_told_apart() -> None:
    labels = {
        sentence: label(sentence, "I pushed the change.")
        for sentence in (
            "Don't push directly to that branch",
            "No, thanks",
            "No, that's fine",
            "That approach won't work for streaming, let's use polling instead",
            "don't do that again",
            "undo it now",
        )
    }
    labels["Don't push directly to that branch"] = label("Don't push directly to that branch")
    assert labels == {
        "Don't push directly to that branch": "preference",
        "No, thanks": "none",
        "No, that's fine": "none",
        "That approach won't work for streaming, let's use polling instead": "none",
        "don't do that again": "correction",
        "undo it now": "correction",
    }


def test_r12_a_pasted_conversation_says_nothing_about_the_user() -> None:
    pasted = (
        "User: can you explain the cache?\n"
        "Assistant: The cache keeps rows.\n\n"
        "I prefer short names and will always keep notes for big items.\n\n"
        "Never use a global. From now on, use pnpm instead of npm."
    )
    assert notice(pasted) == ()


def test_r14_a_pasted_instruction_file_is_not_what_the_user_types() -> None:
    pasted = "# Project\n\nAlways use pnpm.\n\n## Style\n\n- Never use default exports.\n"
    assert notice(pasted) == ()


def test_r19_ordinary_work_teaches_nothing() -> None:
    ordinary = [
        "add a retry to the upload client",
        "why does the build take so long?",
        "rename the column to created_at",
        "looks good, commit it",
        "the sidebar is empty on mobile, have a look",
        "run the migrations again",
        "no, still the same error",
        "replace axios with fetch in the sdk",
        "could be the cache",
        "what does this function do?",
    ]
    said = [(f"s{i}", text) for i in range(20) for text in ordinary]
    assert [idea for idea in gather(sightings(said)) if idea.recurs] == []


def test_r21_a_later_opposite_leaves_both_side_by_side_and_repeats_change_nothing() -> None:
    march = [("m1", "use tabs"), ("m2", "use tabs")]
    june = [("j1", "use spaces"), ("j2", "use spaces")]
    ideas = gather(sightings(march + june))
    assert [(quotes(idea), len(idea.competing)) for idea in ideas] == [
        (["use spaces", "use spaces"], 2),
        (["use tabs", "use tabs"], 2),
    ]
    (repeated,) = gather(sightings([("m1", "use tabs")] * 10))
    assert not repeated.recurs
    assert gather(sightings([])) == ()


def test_r21_love_and_hate_are_opposed_and_neither_is_lost() -> None:
    said = [("a", "I love snapshot tests"), ("b", "I hate snapshot tests")]
    tastes = [s for s in sightings(said) if s.kind is SignalKind.PREFERENCE]
    ideas = gather(tuple(tastes))
    assert "I hate snapshot tests" in [quote for idea in ideas for quote in quotes(idea)]
    assert all(len(idea.lineages) == 1 for idea in ideas)


def test_r24_a_prohibition_gets_a_positive_wording_and_keeps_the_original() -> None:
    said = [(f"s{i}", "stop writing long summaries") for i in range(3)]
    (idea,) = gather(sightings(said))
    wording = distill(idea)
    assert wording.text == "Stop writing long summaries."
    assert wording.positive == "Keep summaries short."
    assert wording.source.quote == "stop writing long summaries"


def test_an_exception_is_no_lasting_wish_and_supports_none() -> None:
    said = [
        ("a", "never skip the tests"),
        ("b", "never skip the tests"),
        ("c", "just this time skip the tests"),
    ]
    ideas = gather(sightings(said))
    assert [(len(idea.lineages), idea.recurs) for idea in ideas] == [(2, True), (1, False)]
    assert ideas[0].opposed == ()
    assert ideas[1].sightings[0].scope is Scope.ONE_OFF


@pytest.mark.parametrize(
    "text",
    [
        "Chat message from Tom:\nnever use npm, use pnpm",
        "@lena commented:\nuse tabs, not spaces",
        "The customer emailed this:\n\nHello,\n\nnever use npm, use pnpm\n\nBest",
        "this is what Lena told me: never use npm, use pnpm",
        "You answered:\nI prefer short names.\n\nAlways use tabs, never spaces.",
        "From: lena@example.org\nSubject: wishes\n\nnever use npm, use pnpm",
        "Lena schrieb:\nnimm immer pnpm, nicht npm",
        "Lena escribió:\nusa siempre pnpm, no npm",
        "Léna a écrit :\nutilise toujours pnpm, pas npm",
        "Лена написала:\nвсегда используй pnpm, а не npm",
        "老板说：不要用 npm，用 pnpm",
        "Usuario: explica esto\n\nAsistente: claro\n\nPrefiero nombres cortos. Usa siempre tabs.",
        "GPT-5: I prefer short names.\n\nAlways use tabs, never spaces.",
        "You are a specialised observer. Always use tabs, never spaces.",
        "Daily report 2026-05-01: always use pnpm, not npm",
        "Candidate: use pnpm, not npm confidence: 0.00 evidence: s1",
    ],
)
def test_what_others_and_programs_say_is_no_wish_of_the_person(text: str) -> None:
    assert notice(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "As I said: use pnpm, not npm",
        "I told you: use pnpm, not npm",
        "ich habe doch gesagt: nimm pnpm, nicht npm",
        "我说过：用 pnpm，不要用 npm",
        "Tom wrote: looks odd\n\nplease always use pnpm, not npm",
    ],
)
def test_what_the_person_says_of_themselves_is_heard(text: str) -> None:
    assert notice(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no semicolons", "we don't use semicolons"),
        ("use conventional commits", "always use conventional commits"),
        ("schreib keine Kommentare", "keine Kommentare bitte"),
        ("отвечай по-русски", "отвечай всегда на русском"),
        ("nunca hagas commit en main", "no hagas commits en main"),
        ("never edit generated files", "don't touch generated files"),
    ],
)
def test_plain_wishes_in_other_words_are_one_lasting_idea(one: str, other: str) -> None:
    (idea,) = gather(sightings([("s1", one), ("s2", other)]))
    assert idea.recurs


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("please don't ever commit to main", "Don't ever commit to main."),
        ("prefer composition over inheritance", "Prefer composition over inheritance."),
        ("reuse the helpers, don't write new ones", "Reuse the helpers, don't write new ones."),
    ],
)
def test_a_lesson_is_worded_as_an_order_that_the_person_would_sign(said: str, lesson: str) -> None:
    (idea,) = gather(sightings([("s1", said), ("s2", said)]))
    assert distill(idea).text == lesson


def test_r06_an_answer_with_at_all_is_still_an_answer() -> None:
    assert label("no output at all", "Is there any output?") == "none"
