"""The shape of what OpenHands writes: events of its older kind, and of the newer SDK."""

import re
from collections.abc import Sequence

import msgspec

from twice.sources.lines import NOT_JSON, UNKNOWN_SHAPE, mend
from twice.sources.wrappings import Words, words_of

_NOTHING = msgspec.Raw(b"")


class Record(msgspec.Struct):
    """One event. The older ones have an action or an observation by name, the newer ones a kind."""

    id: int | str | None = None
    timestamp: str | int | float | None = None
    source: str | None = None
    kind: str | None = None
    action: msgspec.Raw = _NOTHING
    observation: msgspec.Raw = _NOTHING
    args: msgspec.Raw = _NOTHING
    llm_message: msgspec.Raw = _NOTHING
    thought: msgspec.Raw = _NOTHING
    sender: str | None = None
    rejection_reason: str | None = None
    rejection_source: str | None = None

    @property
    def is_known(self) -> bool:
        """Tell whether this is an event in a layout that is known."""
        return bool(self.kind or self.action or self.observation)


class Args(msgspec.Struct):
    """What an action of the older kind is about."""

    content: str | None = None
    thought: str | None = None
    final_thought: str | None = None
    agent_state: str | None = None
    file_urls: list[str] | None = None


class Metadata(msgspec.Struct):
    """What the server notes of an older conversation."""

    selected_repository: str | None = None
    selected_branch: str | None = None
    git_provider: str | None = None
    trigger: str | None = None

    @property
    def remote(self) -> str:
        """Return the address of the repository that was chosen."""
        host = _HOSTS.get(self.git_provider or "")
        chosen = self.selected_repository
        return f"https://{host}/{chosen}" if host and chosen else ""


class _Workspace(msgspec.Struct):
    working_dir: str | None = None


class State(msgspec.Struct):
    """What the SDK notes of a conversation."""

    workspace: _Workspace | None = None

    @property
    def cwd(self) -> str:
        """Return the folder that the agent works in."""
        return (self.workspace and self.workspace.working_dir) or ""


class _Part(msgspec.Struct):
    text: str | None = None


class _Message(msgspec.Struct):
    content: str | list[str | _Part] | None = None


class _Action(msgspec.Struct):
    kind: str | None = None
    message: str | None = None


_HOSTS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}

RECORD = msgspec.json.Decoder(Record)
_RECORDS = msgspec.json.Decoder(list[msgspec.Raw])
METADATA = msgspec.json.Decoder(Metadata)
STATE = msgspec.json.Decoder(State)
_ARGS = msgspec.json.Decoder(Args | None)
_NAME = msgspec.json.Decoder(str | None)
_MESSAGE = msgspec.json.Decoder(_Message | None)
_PARTS = msgspec.json.Decoder(str | list[str | _Part] | None)
_ACTION = msgspec.json.Decoder(_Action | None)

KINDS = frozenset({
    *("MessageEvent", "ActionEvent", "ObservationEvent", "UserRejectObservation"),
    *("SystemPromptEvent", "AgentErrorEvent", "PauseEvent", "InterruptEvent", "TokenEvent"),
    *("Condensation", "CondensationRequest", "CondensationSummaryEvent", "StreamingDeltaEvent"),
    *("ConversationStateUpdateEvent", "ConversationErrorEvent", "HookExecutionEvent"),
    *("LLMCompletionLogEvent", "ACPToolCallEvent"),
})  # fmt: skip

# What the agent's own machinery says in the person's place, and what buttons put there.
_NUDGES = (
    "Let's get back on track. If you experienced errors before, do NOT resume your task.",
    "The task appears incomplete (iteration ",
    "Your previous response was blocked by the model's content filter.",
    "Your last response did not include a function call or a message.",
    "The goal is NOT yet complete (audit iteration ",
    "Resuming a goal that was paused or interrupted.",
    "[Stop hook feedback]",
    "Please explore this repository. Create the file .openhands/microagents/repo.md with:",
    "Please pull the latest code from the repository.",
    "Please push the changes to a remote branch on ",
    "Please push the latest changes to the existing ",
    "Please create a new branch with a descriptive name related to the work you plan to do.",
    "I want to increase the test coverage of the repository in the current directory.",
    "Please add a GitHub action to this repository which automatically merges pull requests from",
    "Please look at the README and make the following improvements, if they make sense:",
    "Examine the dependencies of the current codebase. Make sure you can run the code and any",
    "Please write a bash script which displays the top story on Hacker News.",
    "I want to create a Hello World app in Javascript that:\n* Displays Hello World",
    "I want to create a VueJS app that allows me to:\n* See all the items on my todo list",
)
_NUDGE_SHAPE = re.compile(
    r"Missing required parameters for function '"
    r"|Parameter '[^']*' is (?:not allowed for function|expected to be) "
    r"|Function '[^']*' not found in available tools: "
    r"|Please push the changes to \S+ and open a \w+ request\. If you're on a default branch"
)
_TEMPLATES = (
    "Please continue working on the task on whatever approach you think is suitable.",
    "Please continue on whatever approach you think is suitable.",
    "<uploaded_files>",
    "Starting this session with file context.\n\nFile path: ",
)
_EXIT = "/exit"
_DEFAULT_REASON = re.compile(r"User rejected (?:the|high-risk) actions?\.?")


def records_in(data: bytes) -> tuple[list[bytes] | None, str]:
    """Return the events of a document, or why there are none."""
    for text in (data, mend(data)):
        try:
            return [bytes(raw) for raw in _RECORDS.decode(text)], ""
        except msgspec.ValidationError:
            return None, UNKNOWN_SHAPE
        except (msgspec.DecodeError, RecursionError):
            continue
    return None, NOT_JSON


def name_in(value: msgspec.Raw) -> str:
    """Return an action or observation of the older kind, which are told by name."""
    return (_NAME.decode(value) or "") if value else ""


def args_of(record: Record) -> Args:
    """Return what an older action is about."""
    return (_ARGS.decode(record.args) if record.args else None) or Args()


def message_of(record: Record) -> str:
    """Return the text of a newer message, without what was added for the model alone."""
    message = _MESSAGE.decode(record.llm_message) if record.llm_message else None
    return _text(message.content) if message else ""


def thought_of(record: Record) -> str:
    """Return what the agent said when it took a newer action."""
    return _text(_PARTS.decode(record.thought)) if record.thought else ""


def farewell_of(record: Record) -> str | None:
    """Return what the agent said to finish, or None for any other newer action."""
    action = _ACTION.decode(record.action) if record.action else None
    return (action.message or "") if action and action.kind == "FinishAction" else None


def typed_in(text: str, files: Sequence[str] = ()) -> Words | None:
    """Return what a person typed in a message of the user's, or None.

    The list of uploaded ``files`` stands below it, under a heading in the person's language.

    >>> typed_in("use pnpm\\n\\nNEW FILES ADDED: /a.md", ["/a.md"]).text
    'use pnpm'
    """
    listed = ": " + "\n\n".join(files)
    if files and text.endswith(listed):
        text = text[: -len(listed)].rpartition("\n\n")[0]
    text = text.strip()
    if text == _EXIT or text.startswith(_NUDGES) or _NUDGE_SHAPE.match(text):
        return None
    return words_of(text)


def is_template(text: str) -> bool:
    """Tell whether a message was put together by a script."""
    return text.lstrip().startswith(_TEMPLATES)


def reason_in(record: Record) -> str:
    """Return the reason that a person gave for a refusal, or nothing for the one that is preset."""
    reason = (record.rejection_reason or "").strip()
    return "" if _DEFAULT_REASON.fullmatch(reason) else reason


def _text(content: str | list[str | _Part] | None) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else part.text for part in parts if part is not None)
    return "\n".join(text for text in texts if text)
