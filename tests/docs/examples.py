"""Finds the examples in a document, runs them in a scratch folder, compares what they print.

A block fenced as ``console`` holds commands (``$ ``, continued by ``> ``) and below each what it
prints, standard output and error together; ``…`` or ``...`` stands for any text, and alone on a
line for any lines. Nothing below a command means: it must succeed, whatever it prints. Words after
``console`` say more: ``no-run`` skips the block, ``exit-1`` expects that exit code of its last
command.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>.*)$")
SECONDS = 60


@dataclass(frozen=True)
class Command:
    """One line that a reader would type, and the lines that the document promises."""

    line: int
    text: str
    prints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """One fenced block of commands."""

    line: int
    commands: tuple[Command, ...]
    runs: bool = True
    exit_code: int = 0


@dataclass(frozen=True)
class Scratch:
    """A folder of its own for one document: a home, a place for the store, a place to stand."""

    folder: Path

    @property
    def work(self) -> Path:
        """The folder that commands start in; it holds a copy of the examples."""
        return self.folder / "work"

    @property
    def place(self) -> Path:
        """The file that remembers where the last command left the reader."""
        return self.folder / "place"

    def environment(self) -> dict[str, str]:
        """Return the whole environment of a command: nothing of this machine's user is in it."""
        home = self.folder / "home"
        binaries = Path(sys.executable).parent
        return {
            "PATH": f"{binaries}{os.pathsep}/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TWICE_HOME": str(home / "twice"),
            "NO_COLOR": "1",
            "COLUMNS": "80",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
        }


def scratch(folder: Path) -> Scratch:
    """Lay out an empty home and a copy of the examples below a folder."""
    made = Scratch(folder)
    (folder / "home").mkdir(parents=True)
    made.work.mkdir()
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", made.work / "examples")
    made.place.write_text(str(made.work))
    return made


def blocks(text: str) -> list[Block]:
    """Return the ``console`` blocks of a Markdown document, in order."""
    found: list[Block] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence is None:
            at += 1
            continue
        start = at + 1
        at = _closing(lines, start, fence["ticks"])
        info = fence["info"].split()
        if info[:1] == ["console"]:
            body = [line.removeprefix(fence["indent"]) for line in lines[start:at]]
            found.append(_block(body, start, info[1:]))
        at += 1
    return found


def _closing(lines: list[str], start: int, ticks: str) -> int:
    closing = re.compile(rf"^ *{ticks}`*\s*$")
    return next((n for n in range(start, len(lines)) if closing.match(lines[n])), len(lines))


def _block(body: list[str], start: int, words: list[str]) -> Block:
    commands: list[Command] = []
    for number, line in enumerate(body, start + 1):
        last = commands[-1] if commands else None
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
        elif last is None:
            raise ValueError(f"line {number}: a console block starts with '$ ', not {line!r}")
        elif line.startswith("> ") and not last.prints:
            commands[-1] = Command(last.line, f"{last.text}\n{line[2:]}")
        else:
            commands[-1] = Command(last.line, last.text, (*last.prints, line))
    codes = [int(word.removeprefix("exit-")) for word in words if word.startswith("exit-")]
    return Block(start, tuple(commands), "no-run" not in words, codes[0] if codes else 0)


def matches(promised: tuple[str, ...], printed: str) -> bool:
    """Tell whether what was printed keeps what a document promises.

    >>> matches(("Read … sessions.", "…", "Done."), "Read 8 sessions.\\na\\nb\\nDone.\\n")
    True
    >>> matches(("Read 8 sessions.",), "Read 9 sessions.\\n")
    False
    """
    if not "".join(promised).strip():
        return True
    pattern = "".join(_pattern(line.rstrip()) for line in _trimmed(list(promised)))
    lines = _trimmed([line.rstrip() for line in printed.splitlines()])
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _pattern(line: str) -> str:
    if line.strip() in {"…", "..."}:
        return r"(?:.*\n)*?"
    parts = re.split(r"…|\.\.\.", line)
    return "[^\n]*?".join(re.escape(part) for part in parts) + r"\n"


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    while lines and not lines[0]:
        lines = lines[1:]
    return lines


def run(command: Command, within: Scratch) -> tuple[int, str]:
    """Run one command where the last one ended; return its exit code and all that it printed."""
    script = f'{command.text}\nstatus=$?\npwd > "{within.place}"\nexit "$status"\n'
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=within.place.read_text().strip(),
        env=within.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def check(document: str, text: str, within: Scratch) -> list[str]:
    """Run a document's examples in order; return what went otherwise, until the first flaw."""
    for block in (block for block in blocks(text) if block.runs):
        for command in block.commands:
            code, printed = run(command, within)
            wanted = block.exit_code if command is block.commands[-1] else 0
            if code != wanted:
                return [f"{document}:{command.line} $ {command.text}\nexit code {code}\n{printed}"]
            if not matches(command.prints, printed):
                promised = "\n".join(command.prints)
                where = f"{document}:{command.line} $ {command.text}"
                return [f"{where}\n--- promised\n{promised}\n--- printed\n{printed}"]
    return []
