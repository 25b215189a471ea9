"""Sessions in which a strange word stands wherever people do not type, for each source.

``marks`` are the keys that alone tell that a record is not a person's: without them it is one.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutating import Spared, change_lines, changed, dump, lines
from tests.sources import (
    samples,
    samples_aider,
    samples_chats,
    samples_cursor,
    samples_native,
    samples_opencode,
    samples_openhands,
    samples_otel,
    samples_swe,
    samples_vscode,
)

from twice.ports import Source
from twice.sources.aider import HISTORY, Aider
from twice.sources.chatgpt import ChatGpt
from twice.sources.claude_ai import ClaudeAi
from twice.sources.claude_code import ClaudeCode
from twice.sources.codex import Codex
from twice.sources.copilot_cli import CopilotCli
from twice.sources.cursor import Cursor
from twice.sources.gemini_cli import GeminiCli
from twice.sources.native import Native
from twice.sources.opencode import OpenCode
from twice.sources.openhands import OpenHands
from twice.sources.otel_genai import OtelGenAi
from twice.sources.specstory import SpecStory
from twice.sources.swe_agent import SweAgent
from twice.sources.vscode_chat import VsCodeChat

CANARY = "quetzal"
WISH = f"always use {CANARY}, never npm"
TYPED = "set up the shop"


def in_records(data: bytes, random: Random, spared: Spared) -> bytes:
    """Change a record, or something in it."""
    return changed(data, random, spared) or data


def in_lines(data: bytes, random: Random, _: Spared) -> bytes:
    """Change a line."""
    return change_lines(data, random)


def in_turns(parts: Sequence[str]) -> Callable[[bytes, Random, Spared], bytes]:
    """Return what drops, doubles and moves whole turns of a text, below its head."""

    def change(_: bytes, random: Random, __: Spared) -> bytes:
        turns = random.choices(parts[1:], k=random.randrange(2 * len(parts)))
        return "".join([parts[0], *turns]).encode()

    return change


@dataclass(frozen=True)
class Cage:
    """A session of one source, and how it is changed."""

    source: Source
    name: str
    data: bytes
    marks: frozenset[str] = frozenset()
    change: Callable[[bytes, Random, Spared], bytes] = in_records

    def changed(self, data: bytes, random: Random) -> bytes:
        """Change one thing, but no mark."""
        return self.change(data, random, self._spares)

    def _spares(self, holder: Any, key: Any) -> bool:
        return isinstance(holder, dict) and key in self.marks


def _text(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


_QUEUED = {"type": "queued_command", "prompt": WISH, "commandMode": "task-notification"}
CLAUDE = (
    samples.typed(TYPED, 0),
    samples.reply(WISH, 1),
    samples.claude("assistant", [{"type": "thinking", "thinking": WISH}], 2),
    samples.claude("assistant", [{"type": "tool_use", "name": "Bash", "input": {"x": WISH}}], 3),
    samples.result(WISH, 4, toolUseResult={"stdout": WISH, "content": WISH}),
    samples.claude("user", [{"type": "tool_result", "content": _text(WISH)}], 5),
    samples.result(WISH, 6, error=True, toolUseResult=f"Error: {WISH}"),
    samples.typed(WISH, 7, isMeta=True),
    samples.typed(WISH, 8, isSidechain=True),
    samples.typed(f"<system-reminder>{WISH}</system-reminder>{TYPED}", 9),
    samples.typed(_text(f"<ide_selection>{WISH}</ide_selection>") + _text(TYPED), 10),
    samples.typed(f"<task-notification>{WISH}</task-notification>", 11),
    samples.typed(f"<local-command-stdout>{WISH}</local-command-stdout>", 12),
    samples.typed(
        "This session is being continued from a previous conversation that ran out of context. "
        f"{WISH}",
        13,
        isCompactSummary=True,
    ),
    samples.typed(f"<command-name>/x</command-name><command-args></command-args>{WISH}", 14),
    samples.typed(f"Base directory for this skill: /x\n\n{WISH}", 15),
    samples.typed(f"Implement the following plan:\n\n{WISH}", 16, planContent=WISH),
    samples.queue("enqueue", f"<task-notification>{WISH}</task-notification>", 17),
    samples.queue("enqueue", f'{{"task": "{WISH}"}}', 18),
    samples.claude("attachment", None, 19, attachment=_QUEUED),
    samples.claude("attachment", None, 20, attachment={"type": "nested_memory", "content": WISH}),
    samples.claude("system", None, 21, subtype="informational") | {"content": WISH},
    samples.claude("system", None, 22, subtype="local_command") | {"content": f"<x>{WISH}</x>"},
    samples.claude("progress", None, 23, data={"message": samples.typed(WISH, 24)}),
    {"type": "summary", "summary": WISH, "leafUuid": "x"},
    {"type": "last-prompt", "lastPrompt": WISH, "sessionId": samples.SESSION},
    {"type": "file-history-snapshot", "snapshot": {"content": WISH, "type": "user"}},
    samples.typed(TYPED, 25),
)
CODEX = (
    samples.codex_start(instructions=WISH, base_instructions={"text": WISH}),
    samples.codex("turn_context", {"cwd": "/work/shop", "user_instructions": WISH}),
    samples.codex_typed(TYPED, 1),
    samples.codex_reply(WISH, 2),
    samples.codex("event_msg", {"type": "agent_reasoning", "text": WISH, "message": WISH}, 3),
    samples.codex("event_msg", {"type": "exec_command_end", "message": WISH, "stdout": WISH}, 4),
    samples.codex_typed(WISH, 5, kind="environment_context"),
    samples.codex_typed(f"# AGENTS.md instructions for /work/shop\n\n{WISH}", 6),
    samples.codex("response_item", samples.bare("user", WISH), 7),
    samples.codex("response_item", samples.bare("developer", WISH), 8),
    samples.codex("response_item", samples.bare("assistant", WISH), 9),
    samples.codex("response_item", {"type": "function_call_output", "output": WISH}, 10),
    samples.codex("compacted", {"message": WISH, "replacement_history": [WISH]}, 11),
    samples.codex("event_msg", {"type": "error", "message": WISH}, 12),
    samples.codex_typed(TYPED, 13),
)
CODEX_BARE = (
    {**samples.BARE_START, "instructions": WISH},
    samples.bare("user", f"<environment_context>\n{WISH}\n</environment_context>"),
    samples.bare("user", f"<user_instructions>\n{WISH}\n</user_instructions>"),
    samples.bare("user", TYPED),
    samples.bare("assistant", WISH),
    samples.bare("system", WISH),
    {"type": "function_call_output", "output": WISH, "content": WISH},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": WISH}], "content": WISH},
    {"record_type": "state", "content": WISH},
    samples.bare("user", TYPED),
)
_REFERENCED = f"{TYPED}\n--- Content from referenced files ---\n{WISH}\n--- End of content ---"
GEMINI = (
    samples.gemini("user", TYPED, 0),
    samples.gemini("gemini", WISH, 1, thoughts=[{"subject": WISH, "description": WISH}]),
    samples.gemini(
        "gemini", "", 2, toolCalls=[{"name": "x", "args": {"x": WISH}, "result": [{"text": WISH}]}]
    ),
    samples.gemini("info", WISH, 3),
    samples.gemini("warning", WISH, 4),
    samples.gemini("error", [{"text": WISH}], 5),
    samples.gemini("user", _REFERENCED, 6),
    samples.gemini("user", f"<session_context>\n{WISH}\n</session_context>", 7),
    samples.gemini("user", f"<hook_context>{WISH}</hook_context>{TYPED}", 8),
    samples.gemini("user", [{"functionResponse": {"response": WISH}}], 9),
    samples.gemini("user", TYPED, 10),
)
COPILOT = (
    samples.COPILOT_START,
    samples.copilot_typed(TYPED, 1, transformedContent=WISH, attachments=[{"content": WISH}]),
    samples.copilot_reply(WISH, 2),
    samples.copilot("tool.execution_start", 3, arguments={"content": WISH}),
    samples.copilot("tool.execution_complete", 4, result={"content": WISH}),
    samples.copilot("system.message", 5, content=WISH),
    samples.copilot("system.notification", 6, content=WISH),
    samples.copilot("hook.start", 7, input={"prompt": WISH}, content=WISH),
    samples.copilot_typed(WISH, 8, source="skill"),
    samples.copilot("user.message", 9, agent="a", content=WISH),
    samples.copilot("subagent.completed", 10, content=WISH, agentDescription=WISH),
    samples.copilot("permission.completed", 11, result={"kind": "denied-by-rules"}, feedback=WISH),
    samples.copilot_typed(TYPED, 12),
)
VSCODE = (
    samples_vscode.request(
        TYPED,
        0,
        {"kind": "thinking", "value": WISH},
        {"value": WISH},
        samples_vscode.tool(resultDetails={"output": WISH, "text": WISH}),
        {"kind": "progressMessage", "content": {"value": WISH}},
        variableData={"variables": [{"kind": "promptText", "value": WISH, "text": WISH}]},
        result={"metadata": {"renderedUserMessage": WISH, "summary": WISH}},
        followups=[{"kind": "reply", "message": WISH}],
    ),
    samples_vscode.request(TYPED, 1, WISH),
)
_LOG = (
    samples_vscode.initial(customTitle=WISH),
    samples_vscode.put(WISH, "inputState", "inputText"),
    samples_vscode.push([VSCODE[0] | {"response": []}], "requests"),
    samples_vscode.push([{"value": WISH}, samples_vscode.tool()], "requests", 0, "response"),
    samples_vscode.put({"summary": WISH}, "requests", 0, "result"),
    samples_vscode.push([VSCODE[1]], "requests"),
)
_BUBBLES = (
    samples_cursor.bubble(TYPED, 0, richText=WISH, attachedCode=[WISH], rules=[{"text": WISH}]),
    samples_cursor.reply(WISH, 1),
    samples_cursor.reply(WISH, 2, capabilityType=30, isThought=True, thinking={"text": WISH}),
    samples_cursor.reply("", 3, toolFormerData={"result": WISH, "params": WISH}),
    samples_cursor.bubble(TYPED, 4),
)
_BLOBS = (
    samples_cursor.message("system", WISH),
    samples_cursor.message("user", f"<user_info>{WISH}</user_info>"),
    samples_cursor.asked(TYPED),
    samples_cursor.message("assistant", WISH),
    samples_cursor.message("tool", [{"type": "tool-result", "result": WISH, "text": WISH}]),
    samples_cursor.asked(TYPED),
)
_OPENCODE = (
    samples_opencode.typed(
        0,
        TYPED,
        parts=[
            samples_opencode.part("text", text=WISH, synthetic=True),
            samples_opencode.part("text", text=WISH, ignored=True),
            samples_opencode.part("file", source={"text": {"value": WISH}}, text=None),
        ],
    ),
    samples_opencode.reply(
        1,
        WISH,
        parts=[
            samples_opencode.part("reasoning", text=WISH),
            samples_opencode.part(
                "tool",
                tool="bash",
                callID="a",
                state={"status": "completed", "output": WISH, "time": {"end": 1}},
            ),
        ],
    ),
    samples_opencode.typed(2, TYPED),
)
_CHATGPT = samples_chats.chatgpt(
    samples_chats.chain(
        None,
        samples_chats.PROFILE
        | {"content": {"content_type": "user_editable_context", "user_instructions": WISH}},
        samples_chats.said("system", WISH, 1),
        samples_chats.said("user", TYPED, 2),
        samples_chats.said("assistant", WISH, 3),
        samples_chats.said("tool", WISH, 4),
        samples_chats.said("user", "", 5, parts=[{"asset_pointer": WISH, "text": WISH}, TYPED]),
    ),
    title=WISH,
)
_CLAUDE_AI = samples_chats.claude_ai(
    *samples_chats.answering(
        [
            samples_chats.wrote(
                "human", TYPED, 0, attachments=[{"extracted_content": WISH}], files=[WISH]
            ),
            samples_chats.wrote("assistant", WISH, 1),
            samples_chats.wrote("human", TYPED, 2),
        ]
    ),
    name=WISH,
    summary=WISH,
)
_OLDER = (
    samples_openhands.action("system", content=WISH),
    samples_openhands.asked(TYPED, image_urls=[WISH]),
    samples_openhands.action("recall", "user", query=WISH, content=WISH),
    samples_openhands.observation("recall", WISH, microagent_knowledge=[{"content": WISH}]),
    samples_openhands.action("run", command=WISH, thought=WISH, content=WISH),
    samples_openhands.observation("run", WISH),
    samples_openhands.observation("user_rejected", WISH),
    samples_openhands.answered(WISH),
    samples_openhands.asked(TYPED),
)
_NATIVE = (
    samples_native.typed(TYPED, 0),
    samples_native.event("agent", WISH, 1),
    samples_native.event("tool", WISH, 2, kind="tool.result"),
    samples_native.event("harness", WISH, 3, kind="prompt"),
    samples_native.event("subagent", WISH, 4, kind="prompt"),
    samples_native.typed(TYPED, 5),
)
_SWE = (
    samples_swe.said("system", WISH),
    samples_swe.said("user", f"Please solve this issue: {WISH}"),
    samples_swe.interrupted(f"Interrupted by user: {TYPED}"),
    samples_swe.reply(WISH),
    samples_swe.said("user", f"<returncode>0</returncode>\n{WISH}", extra={"returncode": 0}),
    samples_swe.said("tool", WISH, extra={"raw_output": WISH}),
    samples_swe.said("exit", WISH, extra={"submission": WISH}),
    samples_swe.interrupted(f"Interrupted by user: {TYPED}"),
)
_TOOL = {"type": "tool_call_response", "response": WISH, "content": WISH}
_ASKED = [
    samples_otel.message("system", WISH),
    samples_otel.message("user", TYPED),
    samples_otel.message("assistant", WISH),
    {"role": "tool", "parts": [_TOOL]},
    {"role": "user", "parts": [_TOOL, {"type": "reasoning", "content": WISH}]},
    samples_otel.message("user", TYPED),
]
_CALL = samples_otel.call(_ASKED, [samples_otel.message("assistant", WISH)])
_OTEL = (
    samples_otel.spans(
        samples_otel.span(1, attributes=_CALL | {"gen_ai.system_instructions": WISH}),
        samples_otel.span(2, 1, attributes={"gen_ai.tool.call.result": WISH}),
    ),
    samples_otel.logs(samples_otel.log("some.event", 3, body={"content": WISH})),
)
_AIDER = samples_aider.history(
    samples_aider.entered(TYPED),
    samples_aider.replied(f"{WISH}\n\n{WISH}"),
    samples_aider.tool(WISH, f"Ran {WISH}"),
    samples_aider.entered(TYPED),
)
_SPECSTORY_1 = (
    "<!-- Generated by SpecStory -->\n\n# Shop (2026-03-04 10:00:00)\n\n",
    f"_**User**_\n\n{TYPED}\n\n---\n\n",
    f"_**Assistant**_\n\n{WISH}\n\n---\n\n",
    f"_**User**_\n\n<system-reminder>{WISH}</system-reminder>{TYPED}\n\n---\n\n",
    f"_**Assistant**_\n\nSee:\n\n_**User**_\n\n{WISH}\n\n---\n\n",
    f"_**User**_\n\n{TYPED}\n\n---\n\n",
)
_SPECSTORY_2 = (
    "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n"
    f"<!-- Claude Code Session {samples.SESSION} (2026-03-04 10:00:00Z) -->\n\n",
    f"_**User (2026-03-04 10:00:00Z)**_\n\n{TYPED}\n\n---\n\n",
    f"_**Agent (some-model 2026-03-04 10:01:00Z)**_\n\n<think>{WISH}</think>\n\n{WISH}\n\n"
    '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n\n---\n\n'
    f"_**User (2020-01-01 00:00:00Z)**_\n\n{WISH}\n\n---\n\n</details></tool-use>\n\n---\n\n",
    f"_**User - sidechain (2026-03-04 10:02:00Z)**_\n\n{WISH}\n\n---\n\n",
    f"_**User (2026-03-04 10:03:00Z)**_\n\n{TYPED}\n\n---\n\n",
)


def _chats(conversation: dict[str, Any]) -> bytes:
    return samples_chats.export(conversation)


def _editor() -> bytes:
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, "state.vscdb")
        return samples_cursor.put(path, samples_cursor.composer(*_BUBBLES)).read_bytes()


def _store() -> bytes:
    with tempfile.TemporaryDirectory() as made:
        return samples_cursor.store(Path(made, "store.db"), *_BLOBS).read_bytes()


def _opencode(*, second: bool) -> bytes:
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, "opencode.db")
        with samples_opencode.Store(path, first=not second, second=second) as store:
            if second:
                sent = samples_opencode.typed(0, TYPED)  # what was ignored, too, is not kept there
                entries = samples_opencode.entries([sent, *_OPENCODE[1:]])
                store.write_second(entries, title=WISH)
            else:
                store.write(_OPENCODE, title=WISH)
        return path.read_bytes()


_CLAUDE_MARKS = frozenset({"isMeta", "isSidechain", "commandMode"})
_OPENCODE_MARKS = frozenset({"synthetic", "ignored"})
CAGES = {
    "claude-code": Cage(ClaudeCode(), f"{samples.SESSION}.jsonl", lines(CLAUDE), _CLAUDE_MARKS),
    "codex": Cage(Codex(), "rollout-a.jsonl", lines(CODEX), frozenset({"kind"})),
    "codex-bare": Cage(Codex(), "rollout-b.jsonl", lines(CODEX_BARE)),
    "gemini-cli": Cage(GeminiCli(), "session-a.json", samples.gemini_document(*GEMINI)),
    "gemini-cli-log": Cage(
        GeminiCli(),
        "session-b.jsonl",
        lines([samples.GEMINI_START, *GEMINI, {"$set": {"messages": GEMINI, "summary": WISH}}]),
    ),
    "copilot-cli": Cage(
        CopilotCli(), "events.jsonl", lines(COPILOT), frozenset({"source", "agentId"})
    ),
    "vscode-chat": Cage(VsCodeChat(), "chat.json", samples_vscode.document(*VSCODE)),
    "vscode-chat-log": Cage(VsCodeChat(), "chat.jsonl", lines(_LOG)),
    "cursor": Cage(Cursor(), "state.vscdb", _editor()),
    "cursor-chat": Cage(Cursor(), "store.db", _store()),
    "opencode": Cage(OpenCode(), "opencode.db", _opencode(second=False), _OPENCODE_MARKS),
    "opencode-2": Cage(OpenCode(), "opencode-2.db", _opencode(second=True), _OPENCODE_MARKS),
    "opencode-export": Cage(
        OpenCode(), "export.json", samples_opencode.export(_OPENCODE), _OPENCODE_MARKS
    ),
    "openhands": Cage(
        OpenHands(), "trajectory.json", dump(samples_openhands.numbered(_OLDER), indent=2)
    ),
    "chatgpt": Cage(ChatGpt(), "conversations.json", _chats(_CHATGPT)),
    "claude-ai": Cage(ClaudeAi(), "conversations-000.json", _chats(_CLAUDE_AI)),
    "native": Cage(Native(), "recorded.jsonl", lines(_NATIVE)),
    "swe-agent": Cage(SweAgent(), "run.traj.json", samples_swe.mini(_SWE)),
    "otel-genai": Cage(OtelGenAi(), "spans.jsonl", lines(_OTEL)),
    "aider": Cage(Aider(), HISTORY, _AIDER, change=in_lines),
    "specstory-1": Cage(
        SpecStory(),
        "2026-03-04_10-00-shop.md",
        "".join(_SPECSTORY_1).encode(),
        change=in_turns(_SPECSTORY_1),
    ),
    "specstory-2": Cage(
        SpecStory(),
        "2026-03-04_10-00-00Z-shop.md",
        "".join(_SPECSTORY_2).encode(),
        change=in_turns(_SPECSTORY_2),
    ),
}
