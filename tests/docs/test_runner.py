"""The runner of the documents' examples keeps its own rules."""

from pathlib import Path

import pytest
from tests.docs.examples import Block, Command, blocks, check, matches, scratch

TWO = """
Some words.

```console
$ echo one
one
$ printf 'a\\nb\\n' \\
> | sort
a
b
```

```python
$ not a command
```

  ```console no-run
  $ rm -rf everything
  ```
"""


def checked(text: str, folder: Path) -> list[str]:
    """Run a document that holds one block."""
    return check("page.md", text, scratch(folder / "scratch"))


def test_commands_and_what_they_print_are_found() -> None:
    first, second = blocks(TWO)
    assert first == Block(
        4,
        (
            Command(5, "echo one", ("one",)),
            Command(7, "printf 'a\\nb\\n' \\\n| sort", ("a", "b")),
        ),
    )
    assert (second.runs, second.commands) == (False, (Command(18, "rm -rf everything"),))


def test_a_block_inside_a_longer_fence_is_text() -> None:
    assert blocks("````md\n```console\n$ false\n```\n````\n") == []


def test_a_block_that_starts_with_output_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="line 2"):
        blocks("```console\nhello\n```\n")


def test_what_is_printed_must_be_what_is_promised(tmp_path: Path) -> None:
    flaws = checked("```console\n$ echo two\none\n```\n", tmp_path)
    assert flaws == ["page.md:2 $ echo two\n--- promised\none\n--- printed\ntwo\n"]


def test_a_failing_command_is_a_flaw(tmp_path: Path) -> None:
    (flaw,) = checked("```console\n$ exit 3\n```\n", tmp_path)
    assert "exit code 3" in flaw


def test_a_refusal_can_be_shown(tmp_path: Path) -> None:
    block = "```console exit-1\n$ echo fine\n$ echo refused >&2; exit 1\nrefused\n```\n"
    assert checked(block, tmp_path) == []


def test_a_document_is_one_sitting(tmp_path: Path) -> None:
    text = "```console\n$ mkdir a\n$ cd a\n```\nthen\n```console\n$ pwd\n…/work/a\n```\n"
    assert checked(text, tmp_path) == []


def test_nothing_of_this_machine_reaches_an_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/somewhere")
    text = '```console\n$ echo "<$CLAUDE_CONFIG_DIR> $NO_COLOR"; ls -A ~\n<> 1\n```\n'
    assert checked(text, tmp_path) == []


@pytest.mark.parametrize(
    ("promised", "printed", "kept"),
    [
        (("a … c",), "a b c\n", True),
        (("a ... c",), "a b c\n", True),
        (("a … c",), "a b\nc\n", False),
        (("a", "…", "d"), "a\nb\nc\nd\n", True),
        (("a", "…", "d"), "a\nd\n", True),
        (("a",), "a\nb\n", False),
        (("a  ",), "a\n", True),
        (("1.5 (s)",), "1x5 (s)\n", False),
        ((), "anything\n", True),
        (("",), "anything\n", True),
        (("a", "", "b"), "a\n\nb\n", True),
    ],
)
def test_dots_stand_for_any_text(promised: tuple[str, ...], printed: str, kept: bool) -> None:
    assert matches(promised, printed) is kept
