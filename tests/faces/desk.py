"""A person's desk: a home of its own, the sample sessions, and ``twice`` run as typed there."""

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from twice.faces.cli import main

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
FOREIGN = ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "TWICE_DEBUG", "VISUAL", "EDITOR")


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class _Interrupted(_Terminal):
    """A keyboard at which Ctrl-C is typed when the lines are used up."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        if not line:
            raise KeyboardInterrupt
        return line


class Desk:
    """One home with one project, ``work``, in which the sample sessions lie."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.data = self.home / "twice"
        self.work = folder / "work"
        self.home.mkdir(parents=True)
        (self.work / ".git").mkdir(parents=True)
        shutil.copytree(ROOT / "examples" / "sessions", self.work / "sessions")

    def environment(self) -> dict[str, str]:
        """Return what is set at this desk."""
        return {"HOME": str(self.home), "TWICE_HOME": str(self.data), "COLUMNS": "80", "TZ": "UTC"}

    def twice(self, *arguments: str, given: str = "") -> Ran:
        """Run one command without a terminal; ``given`` is its input."""
        return self._run(arguments, io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))

    def type(self, *arguments: str, lines: tuple[str, ...] = (), then: str = "end") -> Ran:
        """Run one command at a terminal, type lines, then end the input or interrupt."""
        given = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        terminal = _Interrupted if then == "interrupt" else _Terminal
        return self._run(arguments, terminal(given, "utf-8"))

    def _run(self, arguments: tuple[str, ...], keyboard: io.TextIOWrapper) -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), "ascii") for _ in range(2))
        before, sys.stdin = sys.stdin, keyboard
        try:
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
                main(list(arguments))
        finally:
            sys.stdin = before
        code = left.value.code
        assert isinstance(code, int)
        return Ran(code, _read(out), _read(err))

    def dream(self) -> dict[str, str]:
        """Read the samples; return the id of each proposal by a word of its text."""
        report = self.twice("dream", "sessions", "--mode", "suggest", "--json").value
        words = ("pnpm", "main", "short")
        return {
            word: item["id"]
            for word in words
            for item in report["proposals"]
            if word in item["text"]
        }

    def status_of(self, id: str) -> str:
        """Return where an item stands."""
        return str(self.twice("review", id, "--json").value["proposals"][0]["status"])

    def everything(self) -> dict[str, bytes]:
        """Return the bytes of every file at this desk, locks aside."""
        folders = (self.home, self.work)
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in files if path.suffix != ".lock"}


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode()


@contextmanager
def seated(desk: Desk) -> Iterator[Desk]:
    """Sit down at a desk: its folder, its environment and nothing of this machine's user."""
    with pytest.MonkeyPatch.context() as patch:
        for name in FOREIGN:
            patch.delenv(name, raising=False)
        for name, value in desk.environment().items():
            patch.setenv(name, value)
        patch.chdir(desk.work)
        yield desk


_CHANGING: tuple[tuple[str, str, Callable[[int], str]], ...] = (
    ("prp", r"\bprp_[0-9a-f]{10}\b", lambda n: f"prp_{n:010d}"),
    ("other", r"\b(?:pol|prj|drm|fgt)_[0-9a-f]{10}\b", lambda n: f"id_{n:011d}"),
    ("hash", r"\b[0-9a-f]{64}\b", lambda n: f"{n:064d}"),
)


def normalised(text: str, desk: Desk) -> str:
    """Write what differs from run to run (ids, hashes, today's times, folders) always the same."""
    text = text.replace(str(desk.data), "DATA").replace(str(desk.work), "WORK")
    text = text.replace(str(desk.home), "HOME")
    for _, pattern, write in _CHANGING:
        seen: dict[str, int] = {}
        for found in re.finditer(pattern, text):
            seen.setdefault(found[0], len(seen) + 1)
        for name, number in seen.items():
            text = text.replace(name, write(number))
    return re.sub(
        r"\b20(?!26-11-[012]\dT)\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-12-31T00:00:00Z", text
    )


def compare(name: str, text: str) -> None:
    """Compare a text with the golden file of a name; write it where TWICE_GOLDEN=write."""
    path = GOLDEN / name
    if os.environ.get("TWICE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
