"""The shape of what OpenCode writes, and which of its records hold a person's words.

Sessions were kept as a tree of JSON files, then in a database, then in other tables of it, and are
exported as one document. A message has the same id and the same moment in all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from twice.core.transcript import Kind
from twice.sources.lines import UNKNOWN_SHAPE, decode

REFUSED = "The user rejected permission to use this specific tool call."
BECAUSE = (
    "The user rejected permission to use this specific tool call with the following feedback: "
)

_NOTHING = msgspec.Raw(b"")
_ABORTED = frozenset({"MessageAbortedError", "aborted"})
# What ``opencode run`` denies, since nobody is there to be asked.
_RUN_DENIES = frozenset({"question", "plan_enter", "plan_exit"})


@dataclass(slots=True)
class Facts:
    """What is known of a session besides its messages.

    ``undone``: the message from which on the person took everything back, and whether that message
    itself stays in part. ``scripted``: nobody could be asked anything, as under ``opencode run``.
    """

    id: str
    directory: str = ""
    parent: str = ""
    origin: str = ""
    undone: str = ""
    keeps_undone: bool = False
    scripted: bool = False


@dataclass(slots=True)
class Answer:
    """What a person told a tool: a reason for refusing it, or a free answer; ``at`` in ms.

    ``asked``: the questions that it answers.
    """

    kind: Kind
    text: str
    at: int
    call: str
    asked: str = ""


@dataclass(slots=True)
class Message:
    """A message of the user's or of the agent's; times are in ms, 0 where unknown.

    ``texts`` leaves out what the harness put beside a person's words. ``waiting``: its parts are
    not there yet. ``stopped``: the person stopped the agent here, or refused a tool of it.
    ``folder``: where the agent worked, as far as the message tells.
    """

    id: str
    by_user: bool
    created: int
    completed: int = 0
    texts: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    stopped: bool = False
    waiting: bool = False
    folder: str = ""
    flaws: list[str] = field(default_factory=list)


class Time(msgspec.Struct):
    """When something happened, in ms."""

    created: float | None = None
    completed: float | None = None
    end: float | None = None


class Failure(msgspec.Struct):
    """What went wrong: a name in the first generation, a type in the second."""

    name: str | None = None
    type: str | None = None
    message: str | None = None

    @property
    def is_abort(self) -> bool:
        """Tell whether the person stopped the agent."""
        return bool(_ABORTED & {self.name, self.type})


class _Option(msgspec.Struct):
    label: str | None = None


class _Question(msgspec.Struct):
    question: str | None = None
    options: list[_Option] | None = None


class _Input(msgspec.Struct):
    questions: list[_Question] | None = None


class _Result(msgspec.Struct):
    answers: list[list[str]] | None = None


class State(msgspec.Struct):
    """How a call of a tool stands, and what became of it."""

    status: str | None = None
    error: str | Failure | None = None
    input: msgspec.Raw = _NOTHING
    metadata: msgspec.Raw = _NOTHING
    structured: msgspec.Raw = _NOTHING
    time: Time | None = None


class Part(msgspec.Struct):
    """A part of a message, of both generations: what is known of each."""

    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    tool: str | None = None
    name: str | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    id: str | None = None
    state: msgspec.Raw = _NOTHING
    time: Time | None = None


class Rule(msgspec.Struct):
    """What a session may do without being asked."""

    permission: str | None = None
    action: str | None = None


class Revert(msgspec.Struct):
    """From where on a person took back what was said."""

    message: str | None = msgspec.field(default=None, name="messageID")
    part: str | None = msgspec.field(default=None, name="partID")


_PART = msgspec.json.Decoder(Part)
_RULES = msgspec.json.Decoder(list[Rule] | None)
_STATE = msgspec.json.Decoder(State)
_INPUT = msgspec.json.Decoder(_Input)
_RESULT = msgspec.json.Decoder(_Result | None)


def is_scripted(rules: bytes | str | msgspec.Raw) -> bool:
    """Tell from the rules of a session whether a script ran it.

    >>> is_scripted('[{"permission": "question", "action": "deny", "pattern": "*"}]')
    True
    """
    try:
        found = _RULES.decode(rules) if rules else None
    except (msgspec.MsgspecError, RecursionError):
        return False
    denied = {rule.permission for rule in found or () if rule.action == "deny"}
    return "question" in denied and denied <= _RUN_DENIES


def standing(messages: Iterable[Message], facts: Facts) -> Iterator[Message]:
    """Yield the messages that the person did not take back."""
    for message in messages:
        if facts.undone and message.id == facts.undone:
            if facts.keeps_undone:
                yield message
            return
        yield message


def add_parts(message: Message, parts: Iterable[bytes | str | msgspec.Raw]) -> Message:
    """Take in the parts of a message, in their order; damage becomes a flaw of it."""
    for data in parts:
        raw = data.encode() if isinstance(data, str) else bytes(data)
        part, flaw = decode(_PART, raw)
        if flaw:
            message.flaws.append(flaw)
        if part is None:
            continue
        if part.type == "text" and part.text and not part.synthetic and not part.ignored:
            message.texts.append(part.text)
        elif part.type == "tool" and part.state and not message.by_user:
            try:
                _add_tool(message, part, _STATE.decode(part.state))
            except (msgspec.MsgspecError, RecursionError):
                message.flaws.append(UNKNOWN_SHAPE)
    return message


def _add_tool(message: Message, part: Part, state: State) -> None:
    """Take in what the person answered a tool, or why it was refused."""
    at = milliseconds((state.time and state.time.end) or (part.time and part.time.completed))
    call = part.call_id or part.id or ""
    error = state.error.message if isinstance(state.error, Failure) else state.error
    if error and error.startswith(BECAUSE):
        text = error.removeprefix(BECAUSE)
        message.answers.append(Answer(Kind.REFUSAL, text, at, call))
    elif (error or "").startswith(REFUSED) or _is_refusal(state.error):
        message.stopped = True
    elif "question" in (part.tool, part.name) and state.status == "completed":
        asked = (_INPUT.decode(state.input).questions if state.input else None) or []
        text = "\n".join(_free_answers(asked, state))
        if text:
            questions = "\n".join(each.question or "" for each in asked)
            message.answers.append(Answer(Kind.ANSWER, text, at, call, questions))


def _is_refusal(error: str | Failure | None) -> bool:
    return isinstance(error, Failure) and error.type == "permission.rejected"


def _free_answers(asked: list[_Question], state: State) -> list[str]:
    """Return the answers that are none of the choices that were offered."""
    results = (_RESULT.decode(raw) for raw in (state.metadata, state.structured) if raw)
    answered = next((found.answers for found in results if found and found.answers), [])
    offered = [{option.label for option in question.options or ()} for question in asked]
    return [
        answer.strip()
        for number, answers in enumerate(answered)
        for answer in answers
        if answer.strip() and (number >= len(offered) or answer not in offered[number])
    ]


def milliseconds(time: object) -> int:
    """Return a time in whole ms, 0 where it is none.

    >>> milliseconds(1788972143788.0), milliseconds(None), milliseconds("soon")
    (1788972143788, 0, 0)
    """
    if isinstance(time, bool) or not isinstance(time, int | float):
        return 0
    return int(time) if 0 < time < 1e14 else 0
