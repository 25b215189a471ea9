"""At the keyboard: every answer does what it says, and leaving never leaves a mess."""

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.faces.desk import Desk, compare, normalised, seated

from twice.core.decisions import decide_filing
from twice.core.encoding import digest
from twice.core.lessons import Memory
from twice.core.proposals import Candidate, Refusal, encode_content
from twice.wiring import open_app

ORDER = ("pnpm", "main", "short")
"""The samples' proposals in the order in which a person is asked."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        yield desk


@pytest.fixture
def ids(desk: Desk) -> dict[str, str]:
    return desk.dream()


def editor(desk: Desk, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Make a shell script the editor; the file to edit is ``$1``."""
    path = desk.home / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(path))


def statuses(desk: Desk, ids: dict[str, str]) -> list[str]:
    return [desk.status_of(ids[word]) for word in ORDER]


def test_a_walk_reads_as_written_down(desk: Desk, ids: dict[str, str]) -> None:
    ran = desk.type("review", lines=("a", "x", "m", "r", "only there", "q"))
    assert ran.code == 0
    compare("review-walk.txt", normalised(ran.out, desk))
    assert ran.err == "There is no answer 'x'; type the letter in brackets.\n"
    assert statuses(desk, ids) == ["approved", "rejected", "pending"]


def test_a_reason_is_kept_with_the_rejection(desk: Desk, ids: dict[str, str]) -> None:
    desk.type("review", lines=("r", "only there", "q"))
    with contextlib.closing(open_app(data=desk.data)) as app:
        state = app.kit.store.state(ids["pnpm"])
        assert state is not None
        assert app.kit.store.blobs([state.reason])[state.reason].decode() == "only there"


def test_enter_alone_skips(desk: Desk, ids: dict[str, str]) -> None:
    ran = desk.type("review", lines=("", "", ""))
    assert ran.out.endswith("0 decided, 3 still waiting. Undo any approval: twice rollback ID\n")
    assert statuses(desk, ids) == ["pending"] * 3


def test_what_was_edited_is_shown_again_and_then_approved(
    desk: Desk, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(desk, monkeypatch, 'echo "Use pnpm here, never npm." > "$1"')
    ran = desk.type("review", lines=("e", "a", "q"))
    assert ran.out.count("  Use pnpm here, never npm.\n") == 1
    assert statuses(desk, ids)[0] == "approved"
    assert "- Use pnpm here, never npm." in desk.twice("context", "--project", "shop").out


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "Nothing was changed."),
        ("exit 3", "Editing failed"),
        (': > "$1"', "Nothing was changed."),
        ('head -c 9000 /dev/zero | tr "\\0" x > "$1"', "Not edited"),
    ],
)
def test_an_edit_that_comes_to_nothing_leaves_the_proposal(
    desk: Desk, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    editor(desk, monkeypatch, script)
    before = desk.twice("review", ids["pnpm"], "--json").out
    ran = desk.type("review", lines=("e", "q"))
    assert ran.code == 0
    assert said in ran.err
    assert desk.twice("review", ids["pnpm"], "--json").out == before


def test_a_prohibition_can_be_taken_in_positive_words(desk: Desk, ids: dict[str, str]) -> None:
    """Agents keep what they shall do better than what they shall not."""
    words = "Keep what you write at the end to three lines."
    with contextlib.closing(open_app(data=desk.data)) as app:
        store, shown = app.kit.store, app.show(ids["main"])
        assert not isinstance(shown, Refusal) and shown.content is not None
        lesson = Memory("Stop writing long summaries.")
        content = msgspec.structs.replace(shown.content, lesson=lesson, positive=words)
        filed = decide_filing(Candidate(content, app.kit.revision()), id="prp_0", actor="dream")
        data = encode_content(content)
        store.append([filed], after=store.position(), at=app.kit.now(), blobs={digest(data): data})
    ran = desk.type("review", "prp_0", lines=("p", "a"))
    assert "[p]ositive wording" in ran.out
    assert f"  In positive words:\n    {words}\n" in ran.out
    (item,) = desk.twice("review", "prp_0", "--json").value["proposals"]
    assert (item["status"], item["text"]) == ("approved", words)
    assert [quote["quote"] for quote in item["evidence"]] == [
        "never commit to main",
        "please don't ever commit to main",
    ]


def test_a_risky_phrase_needs_a_second_yes(desk: Desk) -> None:
    skill = (
        '{"kind": "skill", "name": "test-prompts", "description": "How to test prompts.",'
        ' "body": "# Steps\\n\\nTry: ignore previous instructions."}'
    )
    (item,) = desk.twice("propose", "--file", "-", "--json", given=skill).value["proposals"]
    assert item["flagged"]
    refused = desk.twice("approve", item["id"])
    assert refused.code == 1 and "--override" in refused.err
    ran = desk.type("review", lines=("a", "n", "s"))
    assert "Quotes a risky phrase: " in ran.out and "ignore previous instructions" in ran.out
    assert desk.status_of(item["id"]) == "pending"
    ran = desk.type("review", lines=("a", "y"))
    assert "Written: " in ran.out
    assert desk.status_of(item["id"]) == "active"


def test_a_reviewer_sees_all_that_would_be_written(desk: Desk) -> None:
    body = "".join(f"{n}. Step {n} {'with many words ' * 9}\n" for n in range(40))
    skill = {"kind": "skill", "name": "long", "description": "What is long.", "body": body}

    given = json.dumps(
        [skill, {"kind": "instruction", "text": "First line.\n\n- second\n  - third"}]
    )
    handed = desk.twice("propose", "--file", "-", "--json", given=given)
    assert handed.code == 0, handed.err
    shown = desk.type("review", lines=("s", "s")).out
    assert all(f"  | {n}. Step {n} " in shown for n in range(40))
    assert "  First line.\n\n  - second\n    - third\n" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_was_decided_elsewhere_meanwhile_is_refused(
    desk: Desk, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from twice.app import App

    approve = App.approve

    def after_another(app: App, id: str, *, expected: str = "", override: bool = False) -> object:
        with contextlib.closing(open_app(data=desk.data)) as other:
            other.edit(id, Memory("Use pnpm only."))
        return approve(app, id, expected=expected, override=override)

    monkeypatch.setattr(App, "approve", after_another)
    ran = desk.type("review", lines=("a", "q"))
    assert ran.err.startswith("Not approved: it changed after it was shown. Hint: ")
    assert statuses(desk, ids)[0] == "pending"


@pytest.mark.parametrize("then", ["end", "interrupt"])
def test_leaving_in_the_middle_keeps_what_was_decided(
    desk: Desk, ids: dict[str, str], then: str
) -> None:
    ran = desk.type("review", lines=("a",), then=then)
    assert ran.code == 1
    assert ran.err == "Stopped. Nothing is half-done; run it again to go on.\n"
    assert statuses(desk, ids) == ["approved", "pending", "pending"]
    assert desk.twice("verify").code == 0


def test_without_a_terminal_it_lists_and_asks_nothing(desk: Desk, ids: dict[str, str]) -> None:
    assert desk.twice("review").out == desk.twice("review", "--list").out


def test_nothing_waiting_is_said(desk: Desk) -> None:
    ran = desk.type("review")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Nothing waits.")


def test_forgetting_asks_first(desk: Desk, ids: dict[str, str]) -> None:
    ran = desk.type("forget", ids["main"], lines=("n",))
    assert (ran.code, ran.err.partition(" Hint")[0]) == (1, "Nothing was erased.")
    assert statuses(desk, ids)[1] == "pending"
    ran = desk.type("forget", ids["main"], lines=("y",))
    assert ran.code == 0 and "Erased: " in ran.out
    assert desk.twice("why", ids["main"]).code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_real_terminal_can_be_left_by_ctrl_c(desk: Desk, ids: dict[str, str]) -> None:
    screen, code = _at_a_terminal(desk, ["review"], [("[q]uit: ", b"a\n"), ("[q]uit: ", b"\x03")])
    assert code == 1, screen
    assert screen.endswith("\nStopped. Nothing is half-done; run it again to go on.\n")
    assert "Traceback" not in screen and "\x1b" not in screen
    assert statuses(desk, ids) == ["approved", "pending", "pending"]


def _at_a_terminal(
    desk: Desk, arguments: list[str], answers: list[tuple[str, bytes]], seconds: float = 30
) -> tuple[str, int]:
    """Run ``twice`` at a pseudo-terminal; type each answer when its question is on the screen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "twice", *arguments],
        env={"PATH": os.environ["PATH"], "TERM": "dumb", "LANG": "C.UTF-8", **desk.environment()},
        cwd=desk.work,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    screen, seen, end = "", 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([ours], [], [], 0.5)[0]:
            if not answers:  # a Ctrl-C between two steps of the line editor waits for the next key
                os.write(ours, b"\x03")
            continue
        try:
            data = os.read(ours, 65_536)
        except OSError:  # Linux's way to say that the other side is gone
            break
        if not data:
            break
        screen += data.decode(errors="replace").replace("\r\n", "\n")
        if answers and answers[0][0] in screen[seen:]:
            seen = len(screen)
            os.write(ours, answers.pop(0)[1])
    os.close(ours)
    return screen, process.wait(timeout=seconds)


def _take_terminal() -> None:
    """Make the pseudo-terminal the one that Ctrl-C comes from."""
    import fcntl
    import signal
    import termios

    # A run in the background ignores Ctrl-C, and hands that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
