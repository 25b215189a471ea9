"""Words fit the screen, and what is shown is what there is."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from twice.actions.showing import Quote, Shown
from twice.core.encoding import digest
from twice.core.lessons import Instruction, Memory, Workflow
from twice.core.proposals import Content, Evidence, encode_content
from twice.core.states import State, Status
from twice.faces import present
from twice.faces.columns import WIDTH, columns, plain, quoted, shortened, wrapped

LONG = st.text(alphabet=st.sampled_from("ab-é用日🦆\u0301 \t\n\x1b\u202e"), max_size=400)


def shown(
    content: Content | None, *, status: Status = Status.PENDING, project: str = "shop"
) -> Shown:
    """Return a proposal as a reviewer sees it."""
    hash = digest(encode_content(content)) if content else "0" * 64
    state = State("prp_49c1f02ab7", "memory", "prj_1", Status.PENDING, hash, "pol_1", 0, 1)
    quotes = content.evidence if content else ()
    return Shown(state, status, project, content, tuple(Quote(item, "q" * 90) for item in quotes))


def evidence(session: str, at: int | None = 0) -> Evidence:
    return Evidence(session, f"{session}:1:prompt", "", "0" * 64, "claude-code", session, at)


@given(LONG, st.sampled_from(["", "  ", "      ! "]))
def test_wrapped_text_fits_and_loses_no_word(text: str, first: str) -> None:
    assume(text.split())
    lines = wrapped(text, first)
    assert max(map(columns, lines)) <= WIDTH
    kept = "".join(line.removeprefix(first) for line in lines).replace(" ", "")
    assert kept == plain("".join(text.split())).replace(" ", "")


@given(LONG)
def test_quoted_text_fits_and_loses_nothing_but_space_at_the_end(text: str) -> None:
    lines = quoted(text, "  | ")
    assert all(columns(line) <= WIDTH for line in lines)
    kept = "".join(line.removeprefix("  |").removeprefix(" ") for line in lines)
    assert kept.replace(" ", "") == plain("".join(text.expandtabs(4).splitlines())).replace(" ", "")


@given(LONG, st.integers(3, 100))
def test_shortened_text_fits(text: str, width: int) -> None:
    assert columns(shortened(text, width)) <= width


@given(st.text())
def test_nothing_shown_can_steer_a_terminal(text: str) -> None:
    for screen in (plain(text), shortened(text, 40), *wrapped(text, ""), *quoted(text, "")):
        assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in screen)
        assert not set(screen) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")
        screen.encode()


def test_a_card_fits_whatever_its_parts() -> None:
    content = Content(
        "prj_1",
        Memory("用" * 300),
        evidence=tuple(evidence(f"{'s' * 120}{n}") for n in range(30)),
        positive="p" * 200,
        flagged=("f " * 200,),
        rejected_before=True,
    )
    for most in (None, 5):
        card = present.card(shown(content, project="p" * 90), most=most)
        assert max(map(columns, card.splitlines())) <= WIDTH
    assert "Evidence: 30 quotes from 30 sessions" in card
    assert card.endswith("… and 25 more")


def test_a_line_fits_whatever_its_parts() -> None:
    line = present.line(shown(Content("prj_1", Memory("用" * 300)), status=Status.NEEDS_REBASE))
    assert columns(line) <= WIDTH and line.endswith("…")


def test_the_first_quotes_are_of_different_sessions() -> None:
    said = [evidence("one"), evidence("one"), evidence("two")]
    card = present.card(shown(Content("prj_1", Memory("x"), tuple(said))), most=2)
    assert "one:1:prompt" in card and "two:1:prompt" in card


def test_a_time_that_nobody_wrote_is_undated() -> None:
    assert (present.moment(None), present.day(None)) == (None, "undated")
    assert "undated claude-code" in present.card(
        shown(Content("prj_1", Memory("x"), (evidence("one", None),)))
    )


def test_what_was_erased_is_said_to_be() -> None:
    assert "Its text was erased." in present.card(shown(None))
    assert present.line(shown(None)).endswith("(erased)")


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        (Instruction("One.\n\n  Two."), "  One.\n\n    Two."),
        (Workflow("plan", {"tasks": [{"id": "a", "prompt": "Look."}]}), '"prompt": "Look."'),
    ],
)
def test_every_kind_is_shown_whole(lesson: Instruction | Workflow, words: str) -> None:
    assert words in present.card(shown(Content("prj_1", lesson)))


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"sessions": 1, "turns": 2, "items": 0}, "Erased: 1 session, 2 turns."),
        ({"sessions": 0}, "Erased: nothing was left."),
        ({"readings": 1}, "Erased: 1 reading position."),
    ],
)
def test_what_was_erased_is_counted(counts: dict[str, int], words: str) -> None:
    assert present.erased(counts).startswith(words)
