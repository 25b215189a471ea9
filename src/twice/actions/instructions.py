"""What a project's instruction files say already, so that nothing restates them."""

import os
from collections.abc import Iterator
from pathlib import Path

from twice.actions.kit import Kit, expand
from twice.core import limits
from twice.core.gates import Known

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
_FOLDERS = (".claude/rules", ".cursor/rules")


def known_in_files(kit: Kit, project: str) -> Iterator[Known]:
    """Yield each line of a project's instruction files that says how things shall be."""
    root = next((known.root for known in kit.store.projects() if known.id == project), "")
    if not root:
        return
    folder = expand(root, kit.home)
    for path in sorted(_found(folder))[: limits.INSTRUCTION_FILES]:
        for number, line in enumerate(_lines(path), 1):
            words = line.strip().lstrip("-*>#0123456789. ").strip()
            meaning = kit.learner.fingerprint(words) if words else None
            if meaning is not None:
                yield Known(f"{path.relative_to(folder)}:{number}", words, meaning)


def _found(folder: Path) -> Iterator[Path]:
    for name in _FILES:
        if (folder / name).is_file():
            yield folder / name
    for name in _FOLDERS:
        for parent, _, names in os.walk(folder / name):
            yield from (Path(parent, n) for n in names if n.endswith((".md", ".mdc")))


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(limits.INSTRUCTION_BYTES)
    except OSError:
        return []
    return data.decode("utf-8-sig", "replace").splitlines()[: limits.INSTRUCTION_LINES]
