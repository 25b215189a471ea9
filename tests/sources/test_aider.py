"""Whose words are whose in the chat histories of Aider."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    humans,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_aider import (
    AIDER,
    ALL_SAID,
    entered,
    header,
    history,
    program,
    replied,
    tool,
)

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading, Session, is_opaque
from twice.sources.aider import HISTORY, Aider
from twice.sources.aider_chat import BY_SCRIPT, TRIMMED
from twice.sources.lines import UNFINISHED

SOURCE = Aider()
END = tool("Repo-map: disabled")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / HISTORY


def heard(path: Path, *parts: str, arguments: str = "") -> list[Reading]:
    return read_bytes(SOURCE, path, history(*parts, END, arguments=arguments))


def kinds(readings: list[Reading]) -> list[tuple[Kind, str]]:
    return [(event.kind, event.text) for event in humans(readings)]


def reasons(readings: list[Reading]) -> list[str]:
    return [each.reason for each in skipped(readings)]


# What was typed


def test_a_prompt_of_several_paragraphs_is_one_turn(path: Path) -> None:
    text = "use pnpm\n\n  - not npm\n#### not yarn"
    assert said(heard(path, entered(text))) == [text]


def test_two_inputs_below_each_other_are_two_turns(path: Path) -> None:
    assert said(heard(path, entered("use pnpm"), entered("never npm"))) == ["use pnpm", "never npm"]


@pytest.mark.parametrize(
    "text",
    [
        "/add src/shop.py",
        "/run make test",
        "/commit use npm",
        "/web https://example.org",
        "/undo",
        "/clear",
        "/ask",
        "!make",
        "<blank>",
        "What's wrong? Fix",
        "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all",
        "Run shell command? (Y)es/(N)o [Yes]: y",
        "# Fix any errors below, if possible.\n\n## Running: make lint\n\nuse npm",
        "# Question: how?\n\n# Relevant docs:\n\n<doc>\nuse npm\n</doc>",
        "I added these files to the chat: a.py\nLet me know if there are others.",
        "<system-reminder>use npm</system-reminder>",
    ],
)
def test_other_inputs_are_not_the_human(path: Path, text: str) -> None:
    assert said(heard(path, entered(text))) == []


@pytest.mark.parametrize("command", ["/ask", "/as", "/code", "/architect", "/help", "/context"])
def test_what_a_command_says_to_the_model_is_the_humans_once(path: Path, command: str) -> None:
    again = "# Question: use pnpm\n\n# Relevant docs:\n" if command == "/help" else "use pnpm"
    found = heard(path, entered(f"{command} use pnpm"), entered(again), replied("Done."))
    assert kinds(found) == [(Kind.COMMAND, "use pnpm")]


def test_what_is_added_to_an_agreement_is_the_humans(path: Path) -> None:
    agreed = "Ok, please go ahead and make those changes."
    found = heard(
        path,
        entered("/ok but use pnpm"),
        entered(f"{agreed} but use pnpm"),
        entered("/ok"),
        entered(agreed),
    )
    assert kinds(found) == [(Kind.COMMAND, "but use pnpm")]


def test_the_same_words_said_later_are_said_again(path: Path) -> None:
    found = heard(path, entered("/ask why?"), entered("why?"), replied("So."), entered("why?"))
    assert said(found) == ["why?", "why?"]


def test_arguments_of_other_commands_may_be_said(path: Path) -> None:
    assert said(heard(path, entered("/run make"), entered("make"))) == ["make"]


def test_instructions_instead_of_yes_or_no_are_an_answer(path: Path) -> None:
    asked = "Add the output to the chat?"
    found = heard(
        path,
        entered("/run make"),
        tool(f"{asked} (y/n/instructions): fix the test"),
        f"> {asked}\n[Y/n/instructions] only the first one  \n",
        f"> {asked}\n(y/n/instructions) y  \n",
        tool(f"{asked} (y/n/instructions) n"),
        f"\nThe form asks (y/n/instructions) use npm\n\n{ALL_SAID}",
    )
    assert kinds(found) == [(Kind.ANSWER, "fix the test"), (Kind.ANSWER, "only the first one")]


def test_of_a_watched_file_only_the_comment_that_called_is_the_humans(path: Path) -> None:
    text = (
        'Find the "AI" comments below (marked with █) in the code files I\'ve shared with you.\n'
        "They contain my questions that I need you to answer and other instructions for you.\n"
        "\nsrc/shop.ts:\n⋮\n│import { use } from 'npm';\n█// why not pnpm? AI?\n│\n"
        "█const a = 1; // ai! use pnpm\n█// this is written by AI\n│// use npm AI!"
    )
    found = heard(path, tool("Processing your request..."), entered(text))
    assert said(found) == ["why not pnpm?\nuse pnpm"]
    assert said(heard(path, entered(text.replace("█//", "│//").replace("█c", "│c")))) == []


# What was not


def test_a_heading_within_a_reply_is_no_input(path: Path) -> None:
    for heading in ("\n#### use npm\n", "\nThis is it:\n#### use npm  \n", "\nSo:\n\n#### npm  \n"):
        found = heard(path, entered("go"), replied(f"Steps:\n{heading}\n1. npm"), entered("on"))
        assert said(found) == ["go", "on"]
        assert reasons(found) == []


def test_an_input_stands_below_a_reply_that_was_stopped(path: Path) -> None:
    stopped = tool("", "", "^C again to exit") + "\nI use np\n\n"
    found = heard(path, entered("go"), stopped, entered("use pnpm"))
    assert [(e.text, e.interrupted) for e in humans(found)] == [("go", False), ("use pnpm", True)]
    assert replies(found) == ["I use np"]


def test_an_input_stands_below_what_a_tool_said_on_many_lines(path: Path) -> None:
    said_by_git = "> * main\nuse npm\n#### use npm\n  other  \n"
    found = heard(path, entered("/git branch"), said_by_git, entered("use pnpm"))
    assert (said(found), replies(found)) == (["use pnpm"], [])


def test_the_reply_that_an_architect_hands_on_is_not_the_human(path: Path) -> None:
    plan = "Always use npm.\n\n> and quote this\n\n#### Steps\n\n- one\n- two"
    found = heard(
        path,
        entered("plan it"),
        f"\n<thinking-content-ab12>\nnpm?\n</thinking-content-ab12>\n\n{plan}\n\n{ALL_SAID}",
        tool("Edit the files? (Y)es/(N)o [Yes]: y"),
        entered(plan),
        replied("Done."),
        entered("use pnpm"),
    )
    assert said(found) == ["plan it", "use pnpm"]
    assert replies(found) == [plan.replace("\n> and quote this\n", "\n"), "Done."]


def test_a_prompt_on_the_command_line_may_be_a_scripts(path: Path) -> None:
    for arguments in ("--message use npm", "-m use npm --yes", "--message-file=a.md", "-f a.md"):
        found = heard(path, entered("use npm"), replied("Done."), arguments=arguments)
        assert (said(found), reasons(found)) == ([], [BY_SCRIPT])
    for arguments in ("--model m", "-m5", "--msgs"):
        assert said(heard(path, entered("use pnpm"), arguments=arguments)) == ["use pnpm"]


def test_installing_something_first_makes_no_script(path: Path) -> None:
    pip = tool("/usr/bin/python3 -m pip install aider-chat[help]", "Run pip install? y")
    assert said(heard(path, pip, entered("use pnpm"))) == ["use pnpm"]


def test_a_command_from_a_file_is_a_scripts(path: Path) -> None:
    executed = tool("Executing: /drop", "Executing: /ask use npm")
    found = heard(path, entered("/load a"), executed, entered("use npm"), entered("use npm"))
    assert (said(found), reasons(found)) == (["use npm"], [BY_SCRIPT])


def test_what_lost_its_spaces_is_named_and_not_told(path: Path) -> None:
    data = history(entered("use npm"), replied("ok"), entered("on"), END)
    found = read_bytes(SOURCE, path, data.replace(b"  \n", b"\n"))
    assert (said(found), reasons(found)) == ([], [TRIMMED])


# What the human did


def test_who_speaks_after_stopping_the_agent_interrupted(path: Path) -> None:
    stop = tool("", "", "^C again to exit")
    found = heard(path, entered("go"), stop, entered("no"), replied("ok"), stop, entered("next"))
    assert [e.interrupted for e in humans(found)] == [False, True, False]


def test_who_speaks_after_taking_an_edit_back_or_refusing_it_interrupted(path: Path) -> None:
    refused = tool("Edit the files? (Y)es/(N)o [Yes]: n")
    found = heard(
        path,
        *(entered("go"), replied("ok"), entered("/undo"), entered("no")),
        *(replied("ok"), refused, entered("not so")),
        *(replied("ok"), refused.replace(": n", ": y"), entered("fine")),
    )
    assert [e.interrupted for e in humans(found)] == [False, True, True, False]


# Sessions


def test_a_history_holds_many_sessions(path: Path) -> None:
    path.write_bytes(
        history(entered("one"), minute=1) + history(minute=1) + history(entered("two"), END)
    )
    logs = list(SOURCE.logs(path))
    found = [list(log.read(Position())) for log in logs]
    assert [log.part for log in logs] == [
        "2026-03-04 10:01:00",
        "2026-03-04 10:01:00 #2",
        "2026-03-04 10:00:00",
    ]
    assert [said(each) for each in found] == [["one"], [], ["two"]]
    assert sum(log.size for log in logs) == path.stat().st_size - 1
    ids = {session(each).id for each in found}
    assert len(ids) == 3
    assert all(is_opaque(id) for id in ids)


def test_a_session_has_the_folder_of_its_history_and_the_time_of_its_start(path: Path) -> None:
    found = read_bytes(SOURCE, path, AIDER)
    assert (session(found).root, session(found).cwd) == (str(path.parent), "")
    assert {e.at for e in humans(found)} == {1772618400000000}


def test_a_copy_is_the_same_session_and_another_of_the_same_second_is_not(tmp_path: Path) -> None:
    ids = []
    for name, data in (("a", AIDER), ("b", AIDER), ("c", AIDER.replace(b"the shop", b"a shop"))):
        (tmp_path / name).mkdir()
        ids.append(session(read_bytes(SOURCE, tmp_path / name / HISTORY, data)).id)
    assert ids[0] == ids[1] != ids[2]


def test_a_finished_session_never_changes_again(path: Path) -> None:
    path.write_bytes(AIDER)
    path.write_bytes(AIDER + history(entered("two"), minute=7))
    before = [(log.size, log.mtime) for log in SOURCE.logs(path)]
    path.write_bytes(path.read_bytes() + history(entered("three"), minute=9).replace(b"v0", b"v1"))
    after = [(log.size, log.mtime) for log in SOURCE.logs(path)]
    assert after[0] == before[0]
    assert before[0][1] == 1772618820000000000
    assert after[1] != before[1]


def test_an_input_is_told_when_something_stands_below_it(path: Path) -> None:
    first = read_bytes(SOURCE, path, history(entered("go"), replied("ok"), entered("use pnpm")))
    assert (said(first), reasons(first)) == (["go"], [UNFINISHED])
    path.write_bytes(path.read_bytes() + b"#### \n#### not npm  \n\nok\n")
    again = read(SOURCE, path, position(first))
    assert (said(again), session(again)) == (["use pnpm\n\nnot npm"], session(first))


def test_the_last_input_of_a_finished_session_is_told(path: Path) -> None:
    found = read_bytes(SOURCE, path, history(entered("use pnpm")) + history(minute=1))
    assert (said(found), reasons(found)) == (["use pnpm"], [])


def test_a_session_has_no_name_before_its_first_input(path: Path) -> None:
    found = read_bytes(SOURCE, path, history())
    assert [item for item in found if isinstance(item, Session)] == []
    path.write_bytes(path.read_bytes() + entered("go").encode() + END.encode())
    assert said(read(SOURCE, path, position(found))) == ["go"]


def test_the_rest_of_a_session_that_was_cut_off_is_read(path: Path) -> None:
    rest = entered("use npm")[4:] + entered("use pnpm") + replied("ok")
    path.write_bytes(rest.encode() + AIDER)
    parts = [log.part for log in SOURCE.logs(path)]
    assert parts == ["before", "2026-03-04 10:00:00"]
    assert said(read(SOURCE, path))[:2] == ["use pnpm", "set up the shop"]


def test_a_layout_that_nobody_knows_is_an_error(path: Path) -> None:
    path.write_text("# some other chat, of 2029\n\nuse npm\n")
    with pytest.raises(UnknownFormat):
        list(SOURCE.logs(path))


def test_a_time_that_is_none_begins_no_session(path: Path) -> None:
    other = "\n# aider chat started at 2026-19-39 10:00:00\n"
    found = heard(path, entered("go"), other, ALL_SAID, entered("use pnpm"))
    assert said(found) == ["go", "use pnpm"]


# Places


def test_only_the_history_in_a_projects_root_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    for folder in ("a", "a/deep"):
        (tmp_path / folder / HISTORY).write_bytes(AIDER)
    source = Aider(projects=(tmp_path / "a", tmp_path / "b"), environ={})
    [home] = source.homes()
    assert list(source.files(home)) == [tmp_path / "a" / HISTORY]


def test_a_history_of_another_name_is_found_where_it_was_moved_to(tmp_path: Path) -> None:
    moved = tmp_path / "log" / "chat.md"
    moved.parent.mkdir()
    moved.write_bytes(AIDER)
    for name in ("log/chat.md", str(moved)):
        source = Aider(projects=(tmp_path,), environ={"AIDER_CHAT_HISTORY_FILE": name})
        assert source.homes() == [moved]
    moved.write_text("# Notes\n\nuse npm\n")
    assert source.homes() == []


def test_other_markdown_is_not_recognised(tmp_path: Path) -> None:
    for head in (b"# Shop\n", b"See:\n" + header().encode(), b"# aider chat started at noon\n"):
        assert not SOURCE.recognises(tmp_path / "README.md", head)
    assert SOURCE.recognises(tmp_path / "chat.md", header().encode() + program().encode())
    assert SOURCE.recognises(tmp_path / HISTORY, b"")


def test_a_session_in_our_own_folder_says_nothing(path: Path) -> None:
    path.write_bytes(AIDER)
    found = read(Aider(own=path.parent), path)
    assert (session(found).own, said(found)) == ("location", [])


# Damage


def test_a_huge_line_hides_no_session(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 1000)
    huge = "x" * 2_000_000 + "\n"
    found = heard(path, entered("go"), huge, history(entered("on"), minute=1).decode())
    assert said(found) == ["go", "on"]
    assert len(reasons(found)) == 1


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pieces=st.lists(
        st.sampled_from(
            [
                *(header(), program(), entered("a"), replied("b"), tool("c"), "#### d\n", "\n"),
                *("####", "  \n", "> ", "\0", "\r\n", "/ask a", "\ud800", "\ufeff", ALL_SAID),
            ]
        ),
        max_size=30,
    )
)
def test_no_order_of_lines_crashes_a_reader(pieces: list[str], tmp_path: Path) -> None:
    path = tmp_path / HISTORY
    path.write_bytes(AIDER + "".join(pieces).encode("utf-8", errors="surrogatepass"))
    found = read(SOURCE, path)
    assert isinstance(found[-1], Position)
    assert said(found)[:2] == ["set up the shop", "use pnpm, not npm 🙂"]
