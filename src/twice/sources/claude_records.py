"""The records of a Claude Code session, and where a person's words are within them."""

from typing import Any

import msgspec

from twice.core.transcript import Kind
from twice.sources.lines import UNKNOWN_SHAPE, decode
from twice.sources.wrappings import INTERRUPT, Words, without_additions, words_of

Nothing = msgspec.Raw(b"")


class Origin(msgspec.Struct, gc=False):
    """Who a prompt came from, in newer versions."""

    kind: str | None = None


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """Context that the harness added; a message typed meanwhile may be in it."""

    type: str | None = None
    prompt: msgspec.Raw = Nothing
    command_mode: str | None = None
    origin: Origin | str | None = None


class Block(msgspec.Struct, gc=False):
    """A part of a message: text, or the result of a tool."""

    type: str | None = None
    text: str | None = None
    content: msgspec.Raw = Nothing
    is_error: bool | None = None


class Message(msgspec.Struct, gc=False):
    """What was said, by either side."""

    content: str | list[Block] | None = None
    model: str | None = None
    role: str | None = None

    def texts(self) -> list[str]:
        """Return what is said in it: neither thoughts, nor calls of tools, nor their results."""
        if isinstance(self.content, str):
            return [self.content] if self.content else []
        return [b.text for b in self.content or () if b.type == "text" and b.text]

    def results(self) -> list[Block]:
        """Return what tools gave back in it."""
        if isinstance(self.content, str):
            return []
        return [b for b in self.content or () if b.type == "tool_result"]


class Record(msgspec.Struct, rename="camel", gc=False):
    """What a line of the file says about itself."""

    type: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    entrypoint: str | None = None
    prompt_source: str | None = None
    origin: Origin | str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    plan_content: object = None
    tool_denial_kind: str | None = None
    subtype: str | None = None
    operation: str | None = None
    content: msgspec.Raw = Nothing
    attachment: msgspec.Raw = Nothing
    tool_use_result: msgspec.Raw = Nothing


class Spoken(Record, gc=False):
    """One line of the file, as far as it matters."""

    message: Message | None = None


class Option(msgspec.Struct):
    """A choice that the agent offered."""

    label: str | None = None


class Question(msgspec.Struct):
    """A question that the agent asked."""

    question: str | None = None
    options: list[Option] = []


class Note(msgspec.Struct):
    """What the person wrote beside a choice."""

    notes: str | None = None


class Answers(msgspec.Struct):
    """The agent's questions, and what the person chose or wrote."""

    questions: list[Question] = []
    answers: dict[str, str | list[str]] = {}
    annotations: dict[str, Note] | None = None


_SPOKEN = msgspec.json.Decoder(Spoken)
RECORD = msgspec.json.Decoder(Record)
ATTACHMENT = msgspec.json.Decoder(Attachment)
TEXT = msgspec.json.Decoder(str)
_ANSWERS = msgspec.json.Decoder(Answers)
_CONTENT = msgspec.json.Decoder(str | list[Block] | None)

TYPES = frozenset({
    *("user", "assistant", "system", "attachment", "queue-operation", "progress", "summary"),
    *("file-history-snapshot", "custom-title", "ai-title", "last-prompt", "mode"),
    *("permission-mode", "pr-link", "frame-link", "cost-state", "atis-latch"),
    *("api-request", "api-request-blob", "api-request-shape"),
})  # fmt: skip
"""The types of records known; the others are named in the report."""

BY_HAND = frozenset({"cli", "claude-desktop", "claude-vscode"})
"""The entrypoints at which a person types."""

_REFUSED = "The user doesn't want to proceed with this tool use"
_REASON = "To tell you how to proceed, the user said:"
_CLARIFY = "The user wants to clarify these questions"
_NOTE_TO_AGENT = "\n\nNote: The user's next message may contain a correction or preference."
_BLOCKED = "blocked by hook"
_ORIGINAL = "Original prompt:"
_ANSWERED = ("User has answered your questions", "Your questions have been answered")
_ANSWERS_MARK = b"our questions"  # at the start of either
_GLANCE = 128  # bytes


def record_of(data: bytes) -> tuple[Record | None, str]:
    """Return the record of a line, and what was wrong with the line, or an empty string.

    A message of unknown shape is left out.
    """
    record, flaw = decode(_SPOKEN, data)
    return decode(RECORD, data) if flaw == UNKNOWN_SHAPE else (record, flaw)


def message_of(record: Record) -> Message | None:
    """Return the message in a record, or None where there is none, or one of unknown shape."""
    return record.message if isinstance(record, Spoken) else None


def is_by_hand(record: Record) -> bool:
    """Tell whether a person types in the session that a record is part of.

    A script's run says ``sdk-…``. A program on top of the SDK may say that a person typed into it;
    ``claude -p`` (``sdk-cli``) is never taken for a person. Versions before entrypoints were
    recorded had no other way than the terminal.
    """
    entrypoint = record.entrypoint or "cli"
    if entrypoint in BY_HAND:
        return True
    return entrypoint != "sdk-cli" and origin_kind(record.origin) == "human"


def origin_kind(origin: Origin | str | None) -> str:
    """Return the kind of an origin, or an empty string."""
    return (origin.kind or "") if isinstance(origin, Origin) else (origin or "")


def is_injected(record: Record) -> bool:
    """Tell whether the harness itself says that a person did not write this record."""
    return bool(
        record.is_sidechain
        or record.is_meta
        or record.is_compact_summary
        or record.is_visible_in_transcript_only
        or record.plan_content is not None
        or record.prompt_source == "system"
        or origin_kind(record.origin) not in ("", "human")
    )


def typed_in(texts: list[str]) -> list[Words]:
    """Return what a person typed in the texts of a message, a kind once."""
    typed: dict[Kind, list[str]] = {}
    for text in texts:
        if words := words_of(text):
            typed.setdefault(words.kind, []).append(words.text)
    return [Words(kind, "\n\n".join(parts)) for kind, parts in typed.items()]


def refusal_in(result: Block, denial: str | None) -> str | None:
    """Return the reason given for refusing a tool, empty for none, or None if none was refused."""
    if not result.is_error or denial not in (None, "user-rejected"):
        return None
    text = text_of(result.content)
    if not text.startswith(_REFUSED):
        return "" if INTERRUPT in text else None
    reason = text.partition(_REASON)[2].partition(_NOTE_TO_AGENT)[0].strip()
    return "" if reason.startswith(_CLARIFY) else without_additions(reason)


def answers_in(record: Record, results: list[Block]) -> str:
    """Return what the person wrote in answer to the agent's questions, beyond the choices."""
    if not any(_tells_answers(result) for result in results):
        return ""
    try:
        given = _ANSWERS.decode(record.tool_use_result)
    except msgspec.MsgspecError:
        return ""
    labels = {q.question: [o.label for o in q.options if o.label] for q in given.questions}
    free = [
        _beyond_labels(answer, labels[question])
        for question, several in given.answers.items()
        if question in labels
        for answer in ([several] if isinstance(several, str) else several)
    ]
    notes = [note.notes or "" for note in (given.annotations or {}).values()]
    return "\n".join(text.strip() for text in [*free, *notes] if text.strip())


def _tells_answers(result: Block) -> bool:
    """Tell whether a result holds answers; one that begins otherwise is not even decoded."""
    start = bytes(memoryview(result.content)[:_GLANCE])
    return _ANSWERS_MARK in start and text_of(result.content).startswith(_ANSWERED)


def _beyond_labels(answer: str, labels: list[str]) -> str:
    """Return an answer without the labels it begins with: ``A, B, my own words``."""
    while chosen := next((x for x in labels if (answer + ", ").startswith(x + ", ")), None):
        answer = answer[len(chosen) + 2 :]
    return answer


def blocked_in(record: Record) -> str:
    """Return the prompt that a hook held back, from the only record that keeps it."""
    text = text_of(record.content)
    before, _, prompt = text.rpartition(_ORIGINAL)
    words = words_of(prompt) if _BLOCKED in before else None
    return words.text if words else ""


def text_of(content: msgspec.Raw) -> str:
    """Return the text of a raw content, a string or blocks; empty for anything else."""
    try:
        found: Any = _CONTENT.decode(content)
    except msgspec.MsgspecError:
        return ""
    if isinstance(found, list):
        return "".join(block.text or "" for block in found)
    return found or ""
