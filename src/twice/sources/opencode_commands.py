"""Tell a slash command of OpenCode from typed words: it is stored expanded, without any mark.

What it expands to is a file of the person's, so the text of a message is compared with these, as
they are now: in the configuration of OpenCode, and around the folder where the session ran.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from twice.core import limits
from twice.sources.lines import small

_LITERAL_CHARS = 20  # a template with less text of its own may equal typed words
_PLACEHOLDER = re.compile(r"(\$ARGUMENTS|\$\d+|!`[^`]+`)")
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_SKILL = re.compile(
    r"^Base directory for this skill: [^\n]*"
    r"(?:\nRelative paths in this skill \([^)\n]*\) are relative to this base directory\.(.*))?",
    re.DOTALL | re.MULTILINE,
)
# Its own commands change with its versions: how they start, and where the arguments stand in them.
_BUILT_IN = (
    ("Create or update `AGENTS.md` for this repository.", r"\(honor these\):\n(.*?)\n\n## "),
    ("Please analyze this codebase and create an AGENTS.md file", r"(?!)()"),
    ("You are a code reviewer. Your job is to review code changes", r"^Input: (.*?)\n\n---$"),
)
_CONFIGS = ("opencode.json", "opencode.jsonc", "config.json")


class _Command(msgspec.Struct):
    template: str | None = None


class _Config(msgspec.Struct):
    command: dict[str, _Command] | None = None
    commands: dict[str, _Command] | None = None


_CONFIG = msgspec.json.Decoder(_Config)


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places for arguments: the literal pieces, and what stands between them."""

    pieces: tuple[str, ...]
    places: tuple[str, ...]

    def arguments_in(self, text: str) -> str | None:
        """Return what was typed in the places of this template, or None where it is another text.

        Without a place for them, arguments stand below it.

        >>> template_of("Fix this with the greatest care: $ARGUMENTS").arguments_in(
        ...     "Fix this with the greatest care: the login"
        ... )
        'the login'
        """
        first, *rest = self.pieces
        if not text.startswith(first):
            return self._without_arguments(text, first, rest)
        found: dict[str, str] = {}
        end = len(first)
        for place, piece in zip(self.places, rest, strict=True):
            last = piece is rest[-1] and self._takes_arguments
            start = len(text) - len(piece) if last else text.find(piece, end)
            if start < end or (last and not text.endswith(piece)):
                return self._without_arguments(text[end:], piece, [])
            found.setdefault(place, text[end:start])
            end = start + len(piece)
        if self._takes_arguments:
            typed = (found[place] for place in sorted(found) if place.startswith("$"))
            return found.get("$ARGUMENTS", " ".join(typed)).strip()
        below = text[end:]
        return below.strip() if not below or below.startswith("\n\n") else None

    @property
    def _takes_arguments(self) -> bool:
        return any(place.startswith("$") for place in self.places)

    def _without_arguments(self, text: str, piece: str, rest: list[str]) -> str | None:
        """Return an empty string where nothing was typed, so that white space went too."""
        return "" if text == piece.rstrip() and not "".join(rest).strip() else None


def template_of(body: str) -> Template | None:
    """Return the template that a command's text is, unless there is too little of it."""
    pieces = _PLACEHOLDER.split(_FRONT_MATTER.sub("", body).strip().replace("\r\n", "\n"))
    literal = sum(len(piece.strip()) for piece in pieces[::2])
    if literal < _LITERAL_CHARS or not pieces[0].strip():
        return None
    return Template(tuple(pieces[::2]), tuple(pieces[1::2]))


class Commands:
    """The commands on this machine."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._known: dict[str, tuple[Template, ...]] = {}

    def typed_in(self, text: str, folder: str) -> str | None:
        """Return the arguments of an expanded command, or None where a text is none."""
        text = text.strip()
        if found := _SKILL.search(text):
            return (found[1] or "").strip()
        for start, place in _BUILT_IN:
            if text.startswith(start):
                given = re.search(place, text, re.DOTALL | re.MULTILINE)
                return given[1].strip() if given else ""
        if len(text) < _LITERAL_CHARS:
            return None
        found_in = (template.arguments_in(text) for template in self._around(folder))
        return next((typed for typed in found_in if typed is not None), None)

    def _around(self, folder: str) -> tuple[Template, ...]:
        """Return the templates of the commands that a session in a folder could call."""
        if folder not in self._known:
            bodies = [body for place in self._places(folder) for body in _bodies_in(place)]
            templates = (template_of(body) for body in bodies)
            self._known[folder] = tuple(template for template in templates if template)
        return self._known[folder]

    def _places(self, folder: str) -> Iterator[Path]:
        """Yield the folders of configuration that count in a folder."""
        home = Path.home()
        yield Path(self._environ.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
        yield home / ".opencode"
        if chosen := self._environ.get("OPENCODE_CONFIG_DIR"):
            yield Path(chosen)
        if Path(folder).is_absolute():
            for parent in (Path(folder), *Path(folder).parents)[: limits.FOLDER_DEPTH]:
                if parent == home:
                    return
                yield from (parent, parent / ".opencode")


def _bodies_in(place: Path) -> Iterator[str]:
    """Yield the texts of the commands that one folder of configuration holds."""
    if "opencode" in place.name:
        files = (p for name in ("command", "commands") for p in (place / name).glob("**/*.md"))
        for file in sorted(files)[: limits.COMMAND_FILES]:
            yield small(file, limits.CONFIG_BYTES).decode(errors="replace")
    for name in _CONFIGS:
        with suppress(msgspec.MsgspecError, RecursionError):
            config = _CONFIG.decode(small(place / name, limits.CONFIG_BYTES) or b"{}")
            for command in ((config.command or {}) | (config.commands or {})).values():
                yield command.template or ""
