"""Skills as agents read them: a folder with a SKILL.md, where each agent looks for it."""

import os
import re
from collections.abc import Collection
from pathlib import Path

from twice.core.errors import BadInput
from twice.core.limits import BODY_CHARS, DESCRIPTION_CHARS, NAME_CHARS

CLAUDE_SKILLS = ".claude/skills"
AGENTS_SKILLS = ".agents/skills"

_CLAUDE_MARKS = (".claude", "CLAUDE.md")
_OTHER_MARKS = (
    "AGENTS.md",
    ".agents",
    ".codex",
    ".cursor",
    ".gemini",
    ".opencode",
    ".github/copilot-instructions.md",
)
_CLAUDE_CODE = "claude-code"
# It records the sessions of other agents, so it does not say which one is in use.
_RECORDERS = frozenset({"specstory"})

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# Read as a truth value or as nothing by YAML 1.1 or 1.2 when they stand without quotes.
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_YAML_ESCAPES = {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}
_YAML_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)


def render_skill(name: str, description: str, body: str) -> bytes:
    """Render a SKILL.md whose folder bears the same name.

    Raises ``BadInput`` where the Agent Skills rules (agentskills.io/specification) would not
    accept the name or the description, or the body is empty.

    >>> render_skill("use-pnpm", 'Use "pnpm": always', "Run pnpm.").decode().splitlines()
    ['---', 'name: use-pnpm', 'description: "Use \\\\"pnpm\\\\": always"', '---', '', 'Run pnpm.']
    """
    _check(name, description, body)
    shown_name = f'"{name}"' if name in _YAML_WORDS else name
    text = body.replace("\r\n", "\n").strip("\n")
    page = f"---\nname: {shown_name}\ndescription: {_quoted(description)}\n---\n\n{text}\n"
    try:
        return page.encode()
    except UnicodeEncodeError:
        raise BadInput(f"The skill {name} holds half a character.") from None


def _check(name: str, description: str, body: str) -> None:
    shortest, longest = NAME_CHARS
    if not shortest <= len(name) <= longest or not _NAME.fullmatch(name):
        raise BadInput(
            f"{name[:longest]!r} is not a skill's name.",
            hint=f"Use {shortest} to {longest} lower-case letters, digits and single hyphens.",
        )
    if not description.strip() or len(description) > DESCRIPTION_CHARS:
        raise BadInput(f"A skill's description has 1 to {DESCRIPTION_CHARS:,} characters.")
    if not body.strip() or len(body) > BODY_CHARS:
        raise BadInput(f"A skill's body has 1 to {BODY_CHARS:,} characters.")


def _quoted(text: str) -> str:
    """Write a text as one line of YAML between double quotes."""
    escaped = _YAML_UNPRINTABLE.sub(_escape, text.translate(_YAML_ESCAPES))
    return f'"{escaped}"'


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def skill_paths(root: Path, name: str, *, agents: Collection[str] = ()) -> tuple[str, ...]:
    """Return where a skill goes in a project, relative to its root.

    ``agents`` are the names of agents whose sessions were seen in the project.
    """
    claude = _CLAUDE_CODE in agents or _any(root, _CLAUDE_MARKS)
    known_others = set(agents) - _RECORDERS - {_CLAUDE_CODE}
    others = bool(known_others) or _any(root, _OTHER_MARKS) or not claude
    folders = [CLAUDE_SKILLS] * claude + [AGENTS_SKILLS] * others
    real = dict.fromkeys(_behind_links(root, folder) for folder in folders)
    return tuple(f"{folder}/{name}/SKILL.md" for folder in real)


def _any(root: Path, marks: tuple[str, ...]) -> bool:
    return any(os.path.lexists(root / mark) for mark in marks)


def _behind_links(root: Path, folder: str) -> str:
    """Return the skills folder that a link stands for, where it is the other one of the two."""
    real = Path(os.path.realpath(root / folder))
    for other in (CLAUDE_SKILLS, AGENTS_SKILLS):
        if real == Path(os.path.realpath(root)) / other:
            return other
    return folder
