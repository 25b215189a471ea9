"""Tell who said what in a session of OpenCode, wherever its messages were kept.

A turn is numbered by its moment in ms: messages that were taken back are deleted once the person
goes on, so their count would not stay the same, and it is the same in every store.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from twice.core.transcript import Kind, Position, Reading, Skipped
from twice.sources.following import Conversation, Heard, is_new, own_by_location
from twice.sources.lines import Line
from twice.sources.opencode_commands import Commands
from twice.sources.opencode_records import Answer, Facts, Message, standing
from twice.sources.times import from_milliseconds
from twice.sources.wrappings import OWN_SESSION, Words, words_of

BY_AGENT = "a prompt of another agent, not typed by a person"
BY_SCRIPT = "a prompt of a script, not typed by a person"

_QUOTED = re.compile(r'"(?:\\"|[^"])*"')
_HARNESS_STARTS = (
    "Called the Read tool with the following input:",
    "The following tool was executed by the user",
    "Continue if you have next steps",
    "Summarize the task tool output above and continue with your task.",
)
# What plugins of many people send in the person's place, or put before their words.
_PLUGIN = re.compile(
    r"<!-- OMO_INTERNAL_\w+ -->|\A(?:ultrawork )?\[SYSTEM (?:DIRECTIVE|REMINDER)\b"
)
_MODE = re.compile(r"\A(?:<[a-z]+-mode>|\[[a-z]+-mode\]).*^---[ \t]*$", re.DOTALL | re.MULTILINE)
_UNAVAILABLE = re.compile(r"\[Attachment unavailable after migration: [^\n]*\]")
_SANITIZED = re.compile(r"\[redacted:[\w-]+:\w+\]")


@dataclass(slots=True)
class Turns:
    """What is known of one session while it is read."""

    facts: Facts
    conversation: Conversation
    commands: Commands
    own: Path | None
    _last: int = -1
    _busy_until: int = 0
    _held: int | None = None
    _talked: bool = False

    def readings(
        self, messages: Callable[[], Iterable[Message]], since: Position
    ) -> Iterator[Reading]:
        """Yield the session, what was said in it, and last where to read on.

        Of what an agent asked another one only that it did is told.
        """
        conversation = self.conversation
        yield (shown := conversation.session)
        if shown.own:
            yield Position(session=shown.id)
            return
        heard = [Skipped(0, BY_AGENT)] if self.facts.parent else self._hear(messages())
        for item in heard:
            if conversation.session.own:
                break
            if is_new(item, since):
                yield item
        if conversation.session != shown:
            yield conversation.session
        told = self._last + 1 if self._held is None else self._held
        told = max(told, since.told, int(bool(self.facts.parent)))
        yield Position(0, told, conversation.session.id, told)

    def _hear(self, messages: Iterable[Message]) -> Iterator[Heard]:
        for message in standing(messages, self.facts):
            seq = self._number(message.created)
            if message.folder and not self.conversation.session.cwd:
                self.conversation.learn(cwd=message.folder)
                self.conversation.learn(own=own_by_location(message.folder, self.own))
            yield from (Skipped(seq, flaw) for flaw in message.flaws)
            if message.by_user:
                yield from self._hear_person(seq, message)
            else:
                yield from self._hear_agent(seq, message)

    def _hear_person(self, seq: int, message: Message) -> Iterator[Heard]:
        if message.waiting:
            self._held = seq if self._held is None else self._held
        text = "\n\n".join(message.texts)
        if not text:
            return
        if not self._talked and OWN_SESSION in text:
            self.conversation.learn(own="marker")
        self._talked = True
        if self.facts.scripted or _is_scripted(text):
            yield Skipped(seq, BY_SCRIPT)
        elif words := self._words_in(message.texts):
            at, is_prompt = from_milliseconds(message.created), words.kind is Kind.PROMPT
            if is_prompt and message.created < self._busy_until:
                heard = self.conversation.say_meanwhile(seq, words.text, at=at, record=message.id)
            else:
                heard = self.conversation.say(seq, words.kind, words.text, at=at, record=message.id)
            yield from heard

    def _hear_agent(self, seq: int, message: Message) -> Iterator[Heard]:
        line, at = Line(seq, 0, 0, None, whole=True), from_milliseconds(message.created)
        self._busy_until = max(self._busy_until, message.completed)
        for text in message.texts:
            yield from self.conversation.reply(line, text, at=at, record=message.id)
        for answer in sorted(message.answers, key=_moment):
            yield from self.conversation.reply(line, answer.asked, at=at, record=message.id)
            if answer.kind is Kind.REFUSAL:
                self.conversation.stop(line)
            number, at = self._number(answer.at), from_milliseconds(answer.at)
            record = f"{message.id}:{answer.call}" if message.id else ""
            yield from self.conversation.say(number, answer.kind, answer.text, at=at, record=record)
        if message.stopped:
            self.conversation.stop(line)

    def _words_in(self, texts: list[str]) -> Words | None:
        """Return what a person typed in the texts of a message, or None."""
        own = [_without_plugins(text) for text in texts]
        text = "\n\n".join(text for text in own if text)
        arguments = self.commands.typed_in(text, self.conversation.session.cwd)
        if arguments is not None:
            return Words(Kind.COMMAND, arguments) if arguments else None
        return words_of(text)

    def _number(self, moment: int) -> int:
        self._last = max(moment, self._last + 1)
        return self._last


def _moment(answer: Answer) -> int:
    return answer.at


def _is_scripted(text: str) -> bool:
    r"""Tell whether a text was an argument of ``opencode run``, which puts it in quotes.

    >>> _is_scripted('"review the \\"main\\" branch"'), _is_scripted("fix it")
    (True, False)
    """
    text = text.strip()
    return " " in text and bool(_QUOTED.fullmatch(text))


def _without_plugins(text: str) -> str:
    """Return a text without what a plugin or a migration put there; empty where it is all theirs.

    >>> _without_plugins("[search-mode]\\nSearch a lot.\\n\\n---\\n\\nuse pnpm")
    'use pnpm'
    """
    if _PLUGIN.search(text) or text.startswith(_HARNESS_STARTS):
        return ""
    text = _UNAVAILABLE.sub("", _MODE.sub("", text)).strip()
    return "" if _SANITIZED.fullmatch(text) else text
