"""What happened in a session, and where: events, their speakers and their addresses."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Speaker(StrEnum):
    """Who spoke. What cannot be told apart for certain is ``HARNESS``, never ``HUMAN``."""

    HUMAN = "human"
    AGENT = "agent"
    SUBAGENT = "subagent"
    TOOL = "tool"
    HARNESS = "harness"


class Kind(StrEnum):
    """How words came into the session; the last part of an anchor."""

    PROMPT = "prompt"  # typed and sent
    QUEUED = "queued"  # typed while the agent was busy
    REFUSAL = "refusal"  # the reason given for refusing a tool
    ANSWER = "answer"  # a free answer to a question that offered choices
    COMMAND = "command"  # the arguments of a slash command
    BLOCKED = "blocked"  # a prompt that a hook held back
    REPLY = "reply"  # the agent's words


@dataclass(frozen=True, slots=True)
class Anchor:
    """The address of an event: ``<session>:<seq>:<kind>``, the record's own id, a content hash.

    >>> str(Anchor("s1", 12, Kind.PROMPT, record="", digest=""))
    's1:12:prompt'
    """

    session: str
    seq: int
    kind: Kind
    record: str
    digest: str

    def __str__(self) -> str:
        return f"{self.session}:{self.seq}:{self.kind}"


@dataclass(frozen=True, slots=True)
class Event:
    """One record of a session, in order.

    ``seq`` is the number of the record in its file, from 0, and is the same at every reading.
    ``at`` is UTC in microseconds, or None where the agent wrote no time. ``record`` is the
    record's own id, or empty. ``interrupted``: the human spoke right after stopping the agent or
    refusing a tool.
    """

    session: str
    seq: int
    kind: Kind
    speaker: Speaker
    text: str
    at: int | None = None
    record: str = ""
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation, as far as its file tells. Later facts of a file replace earlier ones.

    ``id`` is the agent's own id, or the file's stem where the format has none. ``cwd`` is the
    recorded folder, ``root`` a project folder known from where the file lies (formats without a
    cwd), ``remote`` a recorded git remote; each empty where unknown.
    ``own``: this is one of our own model's sessions, and why that is known. ``origin`` is the id
    of the session that this one was forked or resumed from, where the file tells it. ``restated``
    names the tool that wrote it down where its agent may have kept it itself, under this id.
    """

    id: str
    agent: str
    cwd: str = ""
    root: str = ""
    branch: str = ""
    remote: str = ""
    own: str = ""
    origin: str = ""
    restated: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a file that was passed over: where (record number), and why."""

    seq: int
    reason: str


@dataclass(frozen=True, slots=True)
class Position:
    """Where to read on: byte offset, number of the next record, and the session read so far.

    A position never stands between a human turn and the agent's words that it answers, nor
    behind a queued message whose fate is still open, so a reading from here sees its context.
    ``told``: human turns and damage of records below this number were already yielded; what
    lies between ``seq`` and ``told`` is read again for context only.
    """

    offset: int = 0
    seq: int = 0
    session: str = ""
    told: int = 0


Reading = Session | Event | Skipped | Position
"""What a source yields for one file, in order; the last item is always a ``Position``."""

_UNIQUE = re.compile(r"[a-z]{1,6}_[0-9A-Za-z]{20,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OPAQUE = re.compile(
    r"(?:[a-z]{1,6}_)?[0-9A-Za-z]{8,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


def is_unique(id: str) -> bool:
    """Tell whether an id is one that no other agent gives to another session.

    >>> is_unique("0b7c2c1e-3f0a-4a52-9a57-2d2f6f5a8a11"), is_unique("session1")
    (True, False)
    """
    return bool(_UNIQUE.fullmatch(id)) and any(character.isdigit() for character in id)


def is_opaque(id: str) -> bool:
    """Tell whether an id is a mere number that cannot hold a person's words.

    >>> is_opaque("0b7c2c1e-3f0a-4a52-9a57-2d2f6f5a8a11"), is_opaque("2025-05-01-fix-the-login")
    (True, False)
    """
    return bool(_OPAQUE.fullmatch(id)) and any(character.isdigit() for character in id)
