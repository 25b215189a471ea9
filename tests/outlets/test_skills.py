"""A skill's page is read by strict YAML exactly as it was meant, and lies where agents look."""

import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from twice.core.errors import BadInput
from twice.core.limits import BODY_CHARS, DESCRIPTION_CHARS
from twice.outlets.skills import render_skill, skill_paths

AGENTS = ".agents/skills/x/SKILL.md"
CLAUDE = ".claude/skills/x/SKILL.md"

NAMES = st.from_regex(r"[a-z][a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,4}", fullmatch=True)
DESCRIPTIONS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=DESCRIPTION_CHARS
).filter(lambda text: bool(text.strip()))


def parsed(page: bytes, version: str) -> tuple[object, str]:
    opening, matter, body = page.decode().split("---\n", 2)
    assert opening == ""
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    return reader.load(io.StringIO(matter)), body


@given(NAMES, DESCRIPTIONS)
@example("no", "yes: no")
@example("null", "- # not a comment")
@example("on", "\"quoted\" \\ and 'single'")
@example("off", "line\none\r\ntwo\u2028three\x85four\x00\ufeff")
@example("ab", "---")
@example("true", "{a: [b]} & *c !d %e @f `g` | > ? ~")
@example("ab", " leading and trailing \t")
@example("ab", "日本語 🎉 \U0010ffff \ufffe \x7f")
def test_strict_yaml_gives_back_exactly_name_and_description(name: str, description: str) -> None:
    page = render_skill(name, description, "Do it.")
    for version in ("1.1", "1.2"):
        matter, body = parsed(page, version)
        assert matter == {"name": name, "description": description}
        assert body == "\nDo it.\n"
    assert page.count(b"\n") == 6


@pytest.mark.parametrize("body", ["a", "a\n", "\n\na\n\n\n", "a\r\n", "a\r\n\r\n"])
def test_a_page_ends_with_exactly_one_newline(body: str) -> None:
    assert render_skill("ab", "d", body).endswith(b"---\n\na\n")


@pytest.mark.parametrize(
    "name",
    ["", "a", "A-b", "-ab", "ab-", "a--b", "1ab", "a_b", "a b", "a/b", "ab\n", "é" * 3, "a" * 65],
)
def test_a_name_outside_the_rules_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        render_skill(name, "d", "b")


@pytest.mark.parametrize(
    ("description", "body"),
    [
        ("", "b"),
        (" \n", "b"),
        ("d" * (DESCRIPTION_CHARS + 1), "b"),
        ("d", ""),
        ("d", " \n "),
        ("d", "b" * (BODY_CHARS + 1)),
        ("d \ud800", "b"),
        ("d", "b \udfff"),
    ],
)
def test_a_page_outside_the_rules_is_refused(description: str, body: str) -> None:
    with pytest.raises(BadInput):
        render_skill("ab", description, body)


@pytest.mark.parametrize(
    ("there", "agents", "paths"),
    [
        ([], (), (AGENTS,)),
        ([], ("claude-code",), (CLAUDE,)),
        ([], ("codex",), (AGENTS,)),
        ([], ("specstory",), (AGENTS,)),
        ([], ("claude-code", "specstory"), (CLAUDE,)),
        ([], ("claude-code", "codex"), (CLAUDE, AGENTS)),
        (["CLAUDE.md"], (), (CLAUDE,)),
        ([".claude/"], (), (CLAUDE,)),
        ([".claude/"], ("gemini",), (CLAUDE, AGENTS)),
        (["AGENTS.md"], ("claude-code",), (CLAUDE, AGENTS)),
        (["AGENTS.md"], (), (AGENTS,)),
        ([".codex/"], (), (AGENTS,)),
        ([".cursor/"], (), (AGENTS,)),
        ([".gemini/"], (), (AGENTS,)),
        ([".opencode/"], (), (AGENTS,)),
        ([".github/copilot-instructions.md"], (), (AGENTS,)),
        ([".github/workflows/"], ("claude-code",), (CLAUDE,)),
        (["CLAUDE.md", "AGENTS.md"], (), (CLAUDE, AGENTS)),
    ],
)
def test_a_skill_goes_where_the_agents_in_use_look(
    tmp_path: Path, there: list[str], agents: tuple[str, ...], paths: tuple[str, ...]
) -> None:
    for name in there:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        else:
            path.write_text("text\n")
    assert skill_paths(tmp_path, "x", agents=agents) == paths


def test_two_skills_folders_that_are_one_by_a_link_get_one_file(tmp_path: Path) -> None:
    (tmp_path / ".agents/skills").mkdir(parents=True)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/skills").symlink_to("../.agents/skills")
    assert skill_paths(tmp_path, "x") == (AGENTS,)


def test_a_linked_instructions_file_counts_for_both(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("text\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert skill_paths(tmp_path, "x") == (CLAUDE, AGENTS)
