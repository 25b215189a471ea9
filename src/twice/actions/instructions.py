"""What a project's instruction files say already, so that nothing restates them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from twice.actions.kit import Kit, expand, shorten
from twice.core import limits
from twice.core.gates import Known
from twice.core.joined import heads

_FILES = (
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    "CONVENTIONS.md",
)
_OF_THE_USER = (".claude/CLAUDE.md", ".codex/AGENTS.md")  # read in every project
_LINK = re.compile(r"(?<![\w`@/])@((?:~/|\./|\.\./|/)?[\w][\w./-]*\.(?:md|mdc|txt))\b")
_LINKS_DEEP = 5
_FOLDERS = (".claude/rules", ".cursor/rules")


def known_in_files(kit: Kit, project: str) -> Iterator[Known]:
    """Yield each line of a project's instruction files that says how things shall be."""
    head = heads(kit.store.projects()).get(project)
    if head is None or not head.root:
        return
    folder = expand(head.root, kit.home)
    own = [kit.home / name for name in _OF_THE_USER if (kit.home / name).is_file()]
    for path in _linked([*sorted(_found(folder)), *own], kit.home)[: limits.INSTRUCTION_FILES]:
        name = path.relative_to(folder) if path.is_relative_to(folder) else shorten(path, kit.home)
        for number, line in enumerate(_lines(path), 1):
            words = line.strip().lstrip("-*>#0123456789. ").strip()
            meaning = kit.learner.fingerprint(words) if words else None
            if meaning is not None:
                yield Known(f"{name}:{number}", words, meaning)


def _found(folder: Path) -> Iterator[Path]:
    for name in _FILES:
        if (folder / name).is_file():
            yield folder / name
    for name in _FOLDERS:
        for parent, _, names in os.walk(folder / name):
            yield from (Path(parent, n) for n in names if n.endswith((".md", ".mdc")))


def _linked(files: list[Path], home: Path) -> list[Path]:
    """Return files with those that their lines link to (``@docs/rules.md``), each once."""
    found: dict[Path, Path] = {}
    for _ in range(_LINKS_DEEP + 1):
        fresh = {path.resolve(): path for path in files if path.resolve() not in found}
        found |= fresh
        files = [
            target
            for path in fresh.values()
            for line in (_lines(path) if len(found) < limits.INSTRUCTION_FILES else ())
            for link in _LINK.findall(line)
            if (target := path.parent / expand(link, home)).is_file()
        ]
    return list(found.values())


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(limits.INSTRUCTION_BYTES)
    except OSError:
        return []
    return data.decode("utf-8-sig", "replace").splitlines()[: limits.INSTRUCTION_LINES]
