"""Tell what a person typed from the other input that Aider logs in the same way."""

import re
from collections.abc import Iterable, Iterator

from twice.core.transcript import Kind
from twice.sources.wrappings import Words, without_additions, words_of

# Commands whose arguments are said to the model, and what one of them says of itself.
_TALK = ("architect", "ask", "code", "context", "help", "ok")
_AGREED = "Ok, please go ahead and make those changes."
_UNDO = "undo"
_COMMAND = re.compile(r"/(\S*)\s*(.*)", re.DOTALL)
_ANSWERED = re.compile(r"[^\n]*\? ?\(Y\)es/\(N\)o[^\n]*\[[^\]\n]*\]: ?[\w']*")
_NOTHING = ("<blank>", "What's wrong? Fix")  # the latter is offered after a failed command
_STARTS = (
    "# Fix any errors below, if possible.",
    "I added these files to the chat",
    "I added *these files* to the chat",
)
_HELP = re.compile(r"# Question: .*^# Relevant docs:", re.DOTALL | re.MULTILINE)
_COMMENTS = re.compile(
    r"(?:I've written your instructions in comments|Find the \"AI\" comments below)"
    r".*\(marked with █\)",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?:#|//|--|;+) *(?:ai[!?][ :]*(.*)|(.*?)[ ,:]*\bai[!?]) *$", re.IGNORECASE)

_THOUGHT = re.compile(r"<(think(?:ing)?(?:-content-\w+)?)>.*?(?:</\1>|\Z)", re.DOTALL)

_INSTRUCTIONS = re.compile(r"[(\[]y/n/instructions[)\]]:? *(.*)", re.IGNORECASE)
_CHOICES = ("", "y", "n", "yes", "no")


def words_in(text: str) -> Words | None:
    """Return what a person typed in an input, or None.

    >>> words_in("/ask why?").text, words_in("/run make")
    ('why?', None)
    """
    if text.startswith(("/", "!")):
        name, arguments = _command_in(text)
        typed = without_additions(arguments) if name in _TALK else ""
        return Words(Kind.COMMAND, typed) if typed else None
    if _COMMENTS.match(text):
        typed = "\n".join(_comments_in(text))
        return Words(Kind.PROMPT, typed) if typed else None
    return None if _is_logged_only(text) else words_of(text)


def handed_on(text: str) -> str:
    """Return what a command hands on to the model, which is logged as an input of its own.

    >>> handed_on("/ok but in Rust"), handed_on("/run make")
    ('Ok, please go ahead and make those changes. but in Rust', '')
    """
    name, arguments = _command_in(text)
    if name == "ok":
        return f"{_AGREED} {arguments}"
    return arguments if name in _TALK else ""


def takes_back(text: str) -> bool:
    """Tell whether an input takes back what the agent did last."""
    return _command_in(text)[0] == _UNDO


def is_same(text: str, other: str) -> bool:
    """Tell whether two texts differ in white space only."""
    return text.split() == other.split()


def answer_in(line: str) -> str:
    """Return the instructions given instead of yes or no to what shall be done with an output."""
    found = _INSTRUCTIONS.search(line)
    return found[1].strip() if found and found[1].strip().lower() not in _CHOICES else ""


def without_thoughts(text: str) -> str:
    """Return a reply without the thinking before it."""
    return _THOUGHT.sub("", text).strip() if "<think" in text else text.strip()


def is_echo(entered: Iterable[str], reply: Iterable[str]) -> bool:
    """Tell whether an input is the reply above it, which an architect hands to its editor.

    Thinking may stand before the reply, and was not handed on.
    """
    ours, theirs = list(spoken(entered)), list(spoken(reply))
    return bool(ours) and theirs[-len(ours) :] == ours


def spoken(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are not blank, without quotes and what stands right below them.

    What tools say is written as a quote, and cannot be told from one of the model.
    """
    quoted = False
    for line in (part for whole in lines for part in whole.splitlines() or [""]):
        quoted = line.startswith(">") or (quoted and line.strip() != "")
        if line.strip() and not quoted:
            yield line.strip()


def _command_in(text: str) -> tuple[str, str]:
    """Return the name of a command and its arguments; Aider takes any start that fits one name."""
    found = _COMMAND.match(text)
    if not found:
        return "", ""
    full = [name for name in (*_TALK, _UNDO) if name.startswith(found[1]) and len(found[1]) > 1]
    return (full[0] if full else found[1]), found[2].strip()


def _is_logged_only(text: str) -> bool:
    """Tell whether an input was put together by Aider, or is a choice that it offered."""
    return (
        text in _NOTHING
        or text.startswith(_STARTS)
        or bool(_ANSWERED.fullmatch(text) or _HELP.match(text))
    )


def _comments_in(text: str) -> Iterator[str]:
    """Yield the comments that called the agent: they are marked, and say AI! or AI?."""
    for line in text.splitlines():
        found = _COMMENT.search(line) if line.startswith("█") else None
        if found and (typed := (found[1] or found[2] or "").strip()):
            yield typed
