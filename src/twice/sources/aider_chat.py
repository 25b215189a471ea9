"""Hear one session of an Aider history line by line: what was entered, said by tools, replied.

Each input begins with ``####`` below an empty line, tools speak in quotes, the rest is the model.
Aider ends what it writes of its own, and so each input, with two spaces. These tell an input from
a heading within a reply.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from twice.core import limits
from twice.core.transcript import Kind, Skipped
from twice.sources.aider_typed import (
    answer_in,
    handed_on,
    is_echo,
    is_same,
    takes_back,
    without_thoughts,
    words_in,
)
from twice.sources.following import Conversation, Heard
from twice.sources.lines import TOO_LONG, UNFINISHED, Line
from twice.sources.wrappings import OWN_SESSION, Words

BY_SCRIPT = "a prompt of a script or of another agent, not typed by a person"
TRIMMED = "a line without the spaces behind it that tell a person's input from a heading"

_MARK = "####"
_END = "  "  # behind everything that Aider writes of its own
_TOOL = ">"
_BOUND = 2 * limits.TURN_CHARS

# A program that is called with the prompt it shall send.
_WITH_PROMPT = re.compile(
    r"> .*\b(?:aider(?:\.exe)?|__main__\.py)(?: .*)? (?:--message(?:-file)?|--msg|-m|-f)(?:[ =]|$)"
)
_FROM_FILE = "> Executing: "
_STOP = re.compile(r"> \^C (?:again to exit|KeyboardInterrupt)")
_REFUSED = re.compile(
    r"> (?:Edit the files|Create new file|Allow (?:edits|creation)\b[^?]*)\?.* n(?:o)?"
)
_QUESTION = "Add the output to the chat?"
_ALL_SAID = "> Tokens: "  # stands below a reply that was not stopped


@dataclass(slots=True)
class _Input:
    """What was entered, line by line; of something very long the start is kept."""

    line: Line
    lines: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        """Take in a line, without its mark."""
        if self.length <= _BOUND:
            self.lines.append(text[len(_MARK) + 1 :].rstrip())
            self.length += len(self.lines[-1]) + 1

    @property
    def text(self) -> str:
        """Return all of it."""
        return "\n".join(self.lines).strip()


@dataclass(slots=True)
class _Reply:
    """What the model replied since the last input; of something very long the end is kept."""

    line: Line | None = None
    lines: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, line: Line, text: str) -> None:
        """Take in a line; blank ones count within it only."""
        if not (self.line or text):
            return
        self.line = self.line or line
        self.lines.append(text)
        self.length += len(text) + 1
        if self.length > _BOUND and len(self.lines) > 1:
            del self.lines[: len(self.lines) // 2]
            self.length = sum(len(each) + 1 for each in self.lines)


class Chat:
    """What is known of one session while it is read.

    ``lines`` were read so far; all is told that those below ``told`` hold.
    """

    def __init__(
        self, conversation: Conversation, began: int | None, id_with: Callable[[str], str]
    ) -> None:
        self.conversation = conversation
        self.lines = 0
        self.told = 0
        self._began = began
        self._id_with = id_with
        self._input: _Input | None = None
        self._reply = _Reply()
        self._above = ("", "")  # the last two lines
        self._last = ""  # of them that was not blank
        self._is_reply = False  # what that one belongs to
        self._in_tool = False
        self._is_cut = False  # the last line
        self._entered = False  # anything
        self._talked = False
        self._trimmed = False
        self._by_script = False  # the whole session
        self._executed = ""  # the arguments of the last command that was read from a file
        self._repeated = ""  # what a command hands on, and is logged once more
        self._asked = False  # the model, which did not say all yet
        self._halted = False  # something, since the last input
        self._stopped = False  # the model, or what it did last

    def hear(self, line: Line) -> Iterator[Heard]:
        """Yield what a line completes."""
        if not line.whole:
            self._is_cut = not line.blank
            return
        self.lines = line.seq + 1
        if line.data is None:
            yield from self._close()
            yield Skipped(line.seq, TOO_LONG)
            return
        text = line.data.decode("utf-8", errors="replace").replace("\0", "").rstrip("\r")
        marked = text.startswith(_MARK) and text[len(_MARK) : len(_MARK) + 1] in ("", " ")
        if not (self._input and marked):
            yield from self._close()
        if marked and (self._input or self._begins(text)):
            if self._input is None:
                self.conversation.learn(id=self._id_with(text.rstrip()))
                self._input, self._entered = _Input(line), True
            self._input.add(text)
            self._is_reply = False
        else:
            yield from self._hear_output(line, text, marked=marked)
        self._above = (self._above[1], text)
        self._last = text if text.strip() else self._last

    def end(self, *, finished: bool) -> Iterator[Heard]:
        """Yield what the end of the file, or the next session, completes.

        The last input of a session that may grow is told when something stands below it.
        """
        if finished:
            self.conversation.learn(id=self.conversation.stem)
            yield from self._close()
        self.told = self._input.line.seq if self._input else self.lines
        if self._input or self._is_cut:
            yield Skipped(self.told, UNFINISHED)
        if self.conversation.session.id:
            yield from self._flush()

    def _begins(self, text: str) -> bool:
        """Tell whether a marked line begins an input, and is no heading within a reply.

        A reply that was stopped ends with two empty lines.
        """
        if not text.endswith(_END) or self._above[1]:
            return False
        return not self._is_reply or self._last.endswith(_END) or not self._above[0]

    def _hear_output(self, line: Line, text: str, *, marked: bool) -> Iterator[Heard]:
        if text.startswith(_TOOL):
            self._in_tool, self._is_reply = True, False
            yield from self._hear_tool(line, text)
        elif not text.strip():
            self._in_tool = False
            self._reply.add(line, "")
        elif self._in_tool:
            yield from self._hear_answer(line, text)
            self._is_reply = True
        elif not (line.seq == 0 and self._began):
            if marked and not self._trimmed and self._seems_trimmed(text):
                self._trimmed = True
                yield Skipped(line.seq, TRIMMED)
            if not self._is_reply:
                self._stopped = self._halted
            self._is_reply = True
            self._reply.add(line, text)

    def _seems_trimmed(self, text: str) -> bool:
        """Tell whether a line that stands like an input lost its spaces, as the one above did."""
        lines = (text, self._last)
        return not self._is_reply and not any(each.endswith(_END) for each in lines)

    def _hear_tool(self, line: Line, text: str) -> Iterator[Heard]:
        if text.startswith(_FROM_FILE):
            self._executed = handed_on(text.removeprefix(_FROM_FILE).rstrip())
        elif text.startswith(_ALL_SAID):
            self._asked = False
        elif _STOP.match(text):
            self._halted = True
            self._stopped = self._stopped or self._asked
        elif _REFUSED.fullmatch(text.rstrip()):
            self._stopped = True
        elif not self._entered and _WITH_PROMPT.match(text):
            self._by_script = True
        else:
            yield from self._hear_answer(line, text)

    def _hear_answer(self, line: Line, text: str) -> Iterator[Heard]:
        """Yield what was said instead of yes or no; the question may stand on the line above."""
        if _QUESTION in text or _QUESTION in self._last:
            yield from self._say(line, Words(Kind.ANSWER, answer_in(text)))

    def _close(self) -> Iterator[Heard]:
        entered, self._input = self._input, None
        if entered is None:
            return
        echo = is_echo(entered.lines, self._reply.lines)
        yield from self._flush()
        if self._stopped:
            self.conversation.stop(entered.line)
        self._stopped = self._halted = False
        text, repeated = entered.text, self._repeated
        self._asked = not text.startswith(("/", "!"))
        self._repeated = handed_on(text)
        if takes_back(text):
            self.conversation.stop(entered.line)
        if echo or is_same(text, repeated):
            return
        scripted = self._by_script or is_same(text, self._executed)
        self._executed = ""
        if words := words_in(text):
            yield from self._say(entered.line, words, scripted=scripted)

    def _say(self, line: Line, words: Words, *, scripted: bool = False) -> Iterator[Heard]:
        if not words.text:
            return
        yield from self._flush()
        if not self._talked:
            self.conversation.learn(own="marker" if OWN_SESSION in words.text else "")
        self._talked = True
        if scripted:
            yield Skipped(line.seq, BY_SCRIPT)
        else:
            yield from self.conversation.say(line.seq, words.kind, words.text, at=self._began)

    def _flush(self) -> Iterator[Heard]:
        """Yield what the model replied."""
        reply, self._reply = self._reply, _Reply()
        text = without_thoughts("\n".join(reply.lines))
        if reply.line:
            yield from self.conversation.reply(reply.line, text, at=self._began)
