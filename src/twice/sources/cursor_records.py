"""The shape of what Cursor's editor keeps: composers, their bubbles, and the chats of its youth."""

from typing import TypeVar

import msgspec

from twice.sources.cursor_words import plain
from twice.sources.lines import mend
from twice.sources.times import from_milliseconds, microseconds

NOTHING = msgspec.Raw(b"")

Decoded = TypeVar("Decoded")


class Header(msgspec.Struct, rename="camel"):
    """The place of a bubble in a conversation; only what is shown was said by anybody."""

    bubble_id: object = None
    type: object = None
    grouping: object = None

    @property
    def is_shown(self) -> bool:
        """Tell whether it stands for something that a person sees, and said or was told."""
        grouping = self.grouping if isinstance(self.grouping, dict) else {}
        return grouping.get("isRenderable") is not False and not grouping.get("isSimulatedMsg")


class Composer(msgspec.Struct, rename="camel"):
    """A conversation, or what is listed of one elsewhere; older ones hold their bubbles."""

    composer_id: object = None
    created_at: object = None
    last_updated_at: object = None
    full_conversation_headers_only: msgspec.Raw = NOTHING
    conversation: msgspec.Raw = NOTHING
    conversation_map: msgspec.Raw = NOTHING
    workspace_identifier: object = None
    created_on_branch: object = None
    tracked_git_repos: object = None
    subagent_info: object = None
    is_best_of_n_subcomposer: object = None
    is_spec: object = None
    created_from_background_agent: object = None

    @property
    def has_a_known_shape(self) -> bool:
        """Tell whether its bubbles are where we look for them."""
        return bool(self.full_conversation_headers_only or self.conversation)

    @property
    def length(self) -> int:
        """Return how many bubbles it names or holds."""
        return max(
            len(items_in(self.full_conversation_headers_only)), len(items_in(self.conversation))
        )

    @property
    def is_of_an_agent(self) -> bool:
        """Tell whether its prompts were written by another agent, or copied to several."""
        return bool(
            self.subagent_info
            or self.is_best_of_n_subcomposer
            or self.is_spec
            or self.created_from_background_agent
        )

    @property
    def updated(self) -> int | None:
        """Return when it was changed last, in microseconds of UTC."""
        return from_milliseconds(self.last_updated_at) or from_milliseconds(self.created_at)

    @property
    def branch(self) -> str:
        """Return the git branch that it began on."""
        found = self.created_on_branch
        if not found and isinstance(self.tracked_git_repos, list):
            found = _first(_first(self.tracked_git_repos, "branches"), "branchName")
        return found if isinstance(found, str) else ""


class Bubble(msgspec.Struct, rename="camel"):
    """A message: of type 1 (once ``user``) a person's, else the agent's."""

    bubble_id: object = None
    id: object = None
    type: object = None
    text: object = None
    raw_text: object = None
    rich_text: object = None
    init_text: object = None
    created_at: object = None
    timing_info: object = None
    is_simulated_msg: object = None
    is_plan_execution: object = None
    is_thought: object = None
    is_summary: object = None
    capability_type: object = None
    tool_former_data: msgspec.Raw = NOTHING
    error_details: msgspec.Raw = NOTHING
    workspace_uris: object = None

    @property
    def name(self) -> object:
        """Return its id, under either of the names that it had."""
        return self.id if self.bubble_id is None else self.bubble_id

    @property
    def words(self) -> str:
        """Return its text, which the first versions kept beside what was put to it."""
        for text in (self.raw_text, self.text):
            if isinstance(text, str) and text.strip():
                return text
        for rich in (self.rich_text, self.init_text):
            if isinstance(rich, str) and (found := plain(rich)):
                return found
        return ""

    @property
    def at(self) -> int | None:
        """Return when it was sent, in microseconds of UTC."""
        timing = self.timing_info if isinstance(self.timing_info, dict) else {}
        for stamp in (self.created_at, timing.get("clientRpcSendTime")):
            if found := microseconds(stamp) or from_milliseconds(stamp):
                return found
        return None


class Tab(msgspec.Struct, rename="camel"):
    """A chat of the first versions, which were kept in tabs."""

    tab_id: object = None
    last_send_time: object = None
    bubbles: msgspec.Raw = NOTHING


class Tool(msgspec.Struct, rename="camel"):
    """A tool that the agent called, and what the person decided about it."""

    user_decision: object = None
    additional_data: object = None

    @property
    def was_refused(self) -> bool:
        """Tell whether the person did not let it run."""
        more = self.additional_data if isinstance(self.additional_data, dict) else {}
        return "rejected" in (self.user_decision, more.get("userDecision"))


class _Composers(msgspec.Struct, rename="camel"):
    all_composers: msgspec.Raw = NOTHING
    selected_composer_ids: object = None
    last_focused_composer_ids: object = None


class _Tabs(msgspec.Struct):
    tabs: msgspec.Raw = NOTHING


_COMPOSER = msgspec.json.Decoder(Composer)
_HEADER = msgspec.json.Decoder(Header)
_BUBBLE = msgspec.json.Decoder(Bubble)
_TAB = msgspec.json.Decoder(Tab)
_TOOL = msgspec.json.Decoder(Tool)
_COMPOSERS = msgspec.json.Decoder(_Composers)
_TABS = msgspec.json.Decoder(_Tabs)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_MAP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)


def decoded(decoder: msgspec.json.Decoder[Decoded], data: bytes | msgspec.Raw) -> Decoded | None:
    """Return what stands in a value, or None where it is damaged or of another shape."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return decoder.decode(mend(bytes(data)))
    except (msgspec.MsgspecError, RecursionError):
        return None


def composer_in(data: bytes | msgspec.Raw) -> Composer | None:
    """Return the composer in a value."""
    return decoded(_COMPOSER, _unwrapped(data))


def bubble_in(data: bytes | msgspec.Raw) -> Bubble | None:
    """Return the bubble in a value."""
    return decoded(_BUBBLE, _unwrapped(data))


def headers_in(value: msgspec.Raw) -> list[Header]:
    """Return the places of the bubbles of a conversation, in order."""
    return [decoded(_HEADER, raw) or Header() for raw in items_in(value)]


def tool_in(value: msgspec.Raw) -> Tool | None:
    """Return the tool that a bubble tells of."""
    return decoded(_TOOL, value) if value else None


def tabs_in(data: bytes) -> list[Tab]:
    """Return the chats of the first versions."""
    found = decoded(_TABS, _unwrapped(data))
    tabs = [decoded(_TAB, raw) for raw in items_in(found.tabs)] if found else []
    return [tab for tab in tabs if tab is not None]


def composers_in(data: bytes) -> tuple[list[Composer], list[str]]:
    """Return the composers that a list has, and the ids of those that it only names."""
    found = decoded(_COMPOSERS, _unwrapped(data))
    if found is None:
        return [], []
    composers = [decoded(_COMPOSER, raw) for raw in items_in(found.all_composers)]
    named = (found.selected_composer_ids, found.last_focused_composer_ids)
    ids = [id for each in named if isinstance(each, list) for id in each if isinstance(id, str)]
    return [composer for composer in composers if composer is not None], ids


def items_in(value: msgspec.Raw) -> list[msgspec.Raw]:
    """Return the items of a list, as they are written."""
    return (decoded(_LIST, value) or []) if value else []


def named_in(value: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    """Return what stands in an object, by name, as it is written."""
    return (decoded(_MAP, value) or {}) if value else {}


def _unwrapped(data: bytes | msgspec.Raw) -> bytes | msgspec.Raw:
    """Return JSON without the JSON text that it may be wrapped in."""
    if bytes(memoryview(data)[:1]) == b'"':
        return (decoded(_TEXT, data) or "").encode(errors="replace")
    return data


def _first(things: object, name: str) -> object:
    """Return what the first thing of a list has under a name."""
    first = things[0] if isinstance(things, list) and things else None
    return first.get(name) if isinstance(first, dict) else None
