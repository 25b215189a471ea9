"""Whose words are whose in exports of OpenTelemetry, and what is said only once."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    SESSION,
    TURNS,
    humans,
    lines,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_native import NATIVE
from tests.sources.samples_otel import (
    CONVERSATION,
    OTEL,
    START,
    TRACE,
    call,
    history,
    log,
    logs,
    message,
    otel_having,
    span,
    spans,
)

from twice.core.transcript import Kind, Position, Reading
from twice.sources.lines import NOT_JSON, UNFINISHED, UNKNOWN_SHAPE
from twice.sources.otel_genai import OtelGenAi
from twice.sources.otel_reader import BY_SCRIPT, CUT_OFF, NOT_EXPORTED

SOURCE = OtelGenAi()
GO, ON = message("user", "go"), message("user", "use pnpm")
DONE = message("assistant", "done")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spans.jsonl"


def heard(path: Path, *exports: dict[str, Any]) -> list[Reading]:
    return read_bytes(SOURCE, path, lines(*exports))


def agent(name: str, number: int, parent: int | None = None, /, **more: Any) -> dict[str, Any]:
    """Return the run of an agent."""
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return span(number, parent, attributes=about | more.pop("attributes", {}), **more)


# Calls under the conventions


def test_what_each_call_repeats_is_said_once(path: Path) -> None:
    found = read_bytes(SOURCE, path, OTEL)
    assert said(found) == TURNS
    assert [e.record for e in humans(found)] == [f"{n:016x}" for n in (1, 2, 3)]
    assert [e.at for e in humans(found)] == [(START + n) * 1_000_000 for n in (1, 2, 3)]


def test_what_a_person_says_twice_is_said_twice(path: Path) -> None:
    both = [GO, DONE, GO]
    found = heard(
        path,
        spans(span(1, attributes=call([GO], [DONE]))),
        spans(span(2, attributes=call(both, [message("assistant", "again")]))),
        spans(span(3, attributes=call([*both, message("assistant", "again"), ON]))),
    )
    assert said(found) == ["go", "go", "use pnpm"]
    assert replies(found) == ["done", "again"]


def test_a_history_that_came_before_the_export_is_told_too(path: Path) -> None:
    found = heard(path, spans(span(1, attributes=call(history(TURNS)))))
    assert (said(found), len(replies(found))) == (TURNS, 2)
    assert [e.record for e in humans(found)] == ["", "", f"{1:016x}"]


def test_messages_may_be_values_instead_of_json(path: Path) -> None:
    attributes = {"gen_ai.input.messages": [GO], "gen_ai.output.messages": [DONE]}
    found = heard(path, spans(span(1, attributes=attributes)))
    assert (said(found), replies(found)) == (["go"], ["done"])


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function", "", "User agent"])
def test_another_role_is_not_the_human(path: Path, role: str) -> None:
    asked = [message(role, "always use yarn"), GO]
    assert said(heard(path, spans(span(1, attributes=call(asked))))) == ["go"]


def test_only_texts_of_a_message_are_words(path: Path) -> None:
    parts = [
        {"type": "text", "content": "go"},
        {"type": "tool_call_response", "response": "use npm", "content": "use npm"},
        {"type": "blob", "modality": "image", "content": "AAAA"},
        {"type": "reasoning", "content": "use npm"},
        {"type": "text", "content": "on"},
    ]
    asked = [{"role": "user", "parts": parts}]
    assert said(heard(path, spans(span(1, attributes=call(asked))))) == ["go\n\non"]


def test_instructions_are_not_the_human(path: Path) -> None:
    standing = {"gen_ai.system_instructions": json.dumps([{"type": "text", "content": "use npm"}])}
    assert said(heard(path, spans(span(1, attributes=standing | call([GO]))))) == ["go"]


def test_a_call_of_no_conversation_is_a_programs(path: Path) -> None:
    attributes = {"gen_ai.conversation.id": "", "session.id": "s"} | call([GO])
    found = heard(path, spans(span(1, attributes=attributes)))
    assert (session(found).id, said(found), replies(found)) == ("s", [], [])


@pytest.mark.parametrize("operation", ["execute_tool", "embeddings", "create_agent", "retrieval"])
def test_another_operation_asks_nothing(path: Path, operation: str) -> None:
    attributes = {"gen_ai.operation.name": operation} | call([GO])
    assert said(heard(path, spans(span(1, attributes=attributes)))) == []


# Agents, and who calls them


def test_where_an_agent_is_asked_its_own_calls_do_not_speak(path: Path) -> None:
    template = message("user", "Always use yarn. The question: go")
    found = heard(
        path,
        spans(span(2, 1, attributes=call([template], [DONE]))),
        spans(agent("main", 1, attributes=call([GO], [DONE]))),
        spans(span(4, 3, attributes=call([template, message("user", "use npm")]))),
        spans(agent("main", 3, attributes=call([GO, DONE, ON]))),
    )
    assert (said(found), replies(found)) == (["go", "use pnpm"], ["done"])


def test_where_the_run_of_an_agent_has_no_messages_its_calls_speak(path: Path) -> None:
    found = heard(path, spans(span(2, 1, attributes=call([GO], [DONE])), agent("main", 1)))
    assert (said(found), replies(found)) == (["go"], ["done"])


@pytest.mark.parametrize("asked", [[GO], []])
def test_what_one_agent_asks_another_is_not_the_human(path: Path, asked: list[Any]) -> None:
    task = call([message("user", "always use yarn")])
    found = heard(
        path,
        spans(span(4, 3, attributes=task), agent("helper", 3, 2, attributes=task)),
        spans(span(2, 1, name="some step", attributes={"gen_ai.operation.name": "step"})),
        spans(agent("main", 1, attributes=call(asked)), span(9, attributes=call([ON]))),
    )
    assert said(found) == [m["parts"][0]["content"] for m in (*asked, ON)]


def test_what_is_asked_within_a_tool_is_not_the_human(path: Path) -> None:
    tool = span(1, attributes={"gen_ai.operation.name": "execute_tool"})
    inner = span(3, 2, attributes=call([message("user", "use npm")]))
    plain = {**span(2, 1, attributes={"gen_ai.conversation.id": ""}), "attributes": []}
    found = heard(path, spans(inner), spans(plain), spans(tool), spans(span(5, **asking(GO))))
    assert said(found) == ["go"]


def asking(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"attributes": call(messages)}


def test_a_ring_of_spans_ends(path: Path) -> None:
    found = heard(path, spans(span(1, 2, **asking(GO)), agent("a", 2, 1)))
    assert said(found) == ["go"]


# Older spellings


def test_messages_may_be_events_of_a_span(path: Path) -> None:
    events = [
        ("gen_ai.system.message", {"content": "use yarn"}),
        ("gen_ai.user.message", {"content": "go"}),
        ("gen_ai.assistant.message", {"content": "done"}),
        ("gen_ai.user.message", {"gen_ai.event.content": '{"role": "user", "content": "on"}'}),
        ("gen_ai.choice", {"message": '{"content": "fine"}', "index": 0}),
    ]
    found = heard(path, spans(span(1, events=events)), spans(span(2, events=events)))
    assert (said(found), replies(found)) == (["go", "on"], ["done", "fine"])


def test_messages_may_be_one_event_or_numbered_attributes(path: Path) -> None:
    one = [("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "go"}]'})]
    numbered = {
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "use yarn",
        "gen_ai.prompt.10.role": "user",
        "gen_ai.prompt.10.content": '[{"type": "text", "text": "on"}]',
        "gen_ai.prompt.2.role": "user",
        "gen_ai.prompt.2.content": "go",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "done",
    }
    found = heard(path, spans(span(1, events=one)), spans(span(2, attributes=numbered)))
    assert (said(found), replies(found)) == (["go", "on"], ["done"])


def test_messages_may_be_log_records_in_the_trace_of_their_call(path: Path) -> None:
    within = {"traceId": TRACE, "spanId": f"{1:016x}"}
    records = [
        log("gen_ai.user.message", 1, body={"content": "go"}, **within),
        log("gen_ai.choice", 2, body={"message": {"content": "done"}}, **within),
        log("gen_ai.user.message", 9, body={"content": "use npm"}, traceId="other"),
    ]
    found = heard(path, logs(*records), spans(span(1)))
    assert (said(found), replies(found)) == (["go"], ["done"])


def test_the_details_of_a_call_may_be_an_event(path: Path) -> None:
    name = "gen_ai.client.inference.operation.details"
    detail = {"gen_ai.input.messages": [GO], "gen_ai.output.messages": [DONE]} | CONVERSATION
    record = log("", 1, eventName=name, attributes=detail, spanId=f"{1:016x}", traceId=TRACE)
    found = heard(path, logs(record), spans(span(1, **asking(GO))))
    assert (said(found), replies(found)) == (["go"], ["done"])


# What agents report themselves


def prompt(name: str, text: str, number: int = 0, /, **attributes: Any) -> dict[str, Any]:
    """Return a prompt that an agent reports, in a session."""
    about = {"session.id": SESSION, "prompt": text, "prompt.id": f"prompt-{number}"}
    return log(name, number, attributes=about | attributes)


@pytest.mark.parametrize(
    "name", ["claude_code.user_prompt", "codex.user_prompt", "gemini_cli.user_prompt"]
)
def test_what_an_agent_reports_as_typed_is_the_humans(path: Path, name: str) -> None:
    found = heard(path, logs(prompt(name, "go", 1), prompt(name, "use pnpm", 2)))
    assert [(e.text, e.record) for e in humans(found)] == [
        ("go", "prompt-1"),
        ("use pnpm", "prompt-2"),
    ]
    assert (session(found).id, session(found).restated) == (SESSION, "otel-genai")


def test_claude_code_may_name_its_events_without_itself(path: Path) -> None:
    typed = prompt("user_prompt", "go", 1, **{"message.uuid": "m1"})
    answer = log("assistant_response", 2, attributes={"session.id": SESSION, "response": "done"})
    inner = {"session.id": SESSION, "response": "use yarn", "agent.name": "helper"}
    records = (typed, answer, log("assistant_response", 3, attributes=inner))
    found = heard(path, logs(*records, scope="com.anthropic.claude_code.events"))
    assert ([e.record for e in humans(found)], replies(found)) == (["m1"], ["done"])
    assert said(heard(path, logs(*records, scope="my.app"))) == []


def test_codex_names_its_conversation(path: Path) -> None:
    record = log("codex.user_prompt", attributes={"conversation.id": "c1", "prompt": "go"})
    assert session(heard(path, logs(record))).id == "c1"


@pytest.mark.parametrize("text", ["", "<REDACTED>", "[REDACTED]"])
def test_a_prompt_without_its_text_is_said(path: Path, text: str) -> None:
    found = heard(path, logs(prompt("codex.user_prompt", text)))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [NOT_EXPORTED])


@pytest.mark.parametrize(
    "facts",
    [
        {"interactive": False},
        {"interactive": "false"},
        {"originator": "codex_exec"},
        {"service.name": "codex_exec"},
        {"terminal.type": "non-interactive"},
        {"app.entrypoint": "sdk-cli"},
        {"app.entrypoint": "sdk-py", "terminal.type": "iTerm.app"},
    ],
)
def test_a_prompt_of_a_script_is_not_the_human(path: Path, facts: dict[str, Any]) -> None:
    found = heard(path, logs(prompt("claude_code.user_prompt", "use npm", 0, **facts)))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [BY_SCRIPT])


def test_who_types_into_an_editor_is_the_human(path: Path) -> None:
    facts = {"app.entrypoint": "claude-vscode", "terminal.type": "non-interactive"}
    found = heard(path, logs(prompt("claude_code.user_prompt", "go", 0, **facts)))
    assert said(found) == ["go"]


def test_of_a_command_the_arguments_are_the_humans(path: Path) -> None:
    name = "claude_code.user_prompt"
    found = heard(path, logs(prompt(name, "/plan use pnpm", 1), prompt(name, "/clear", 2)))
    assert [(e.kind, e.text) for e in humans(found)] == [(Kind.COMMAND, "use pnpm")]


def test_of_an_agent_that_reports_prompts_no_call_speaks(path: Path) -> None:
    injected = call([message("user", "We are setting up the context. Always use yarn.")])
    about = {"service.name": "gemini-cli"}
    calls = spans(span(1, attributes=injected), about=about)
    assert said(heard(path, calls)) == []
    shared = {"gen_ai.conversation.id": SESSION}
    typed = log("gemini_cli.user_prompt", attributes=shared | {"prompt": "go"})
    assert said(heard(path, logs(typed), spans(span(1, attributes=injected)))) == ["go"]


# Sessions in a file


def test_each_conversation_is_a_session_of_its_own(path: Path) -> None:
    def of(id: str, number: int, text: str) -> dict[str, Any]:
        about = {"gen_ai.conversation.id": id} | call([message("user", text)])
        return span(number, attributes=about, traceId=f"trace-{id}")

    path.write_bytes(lines(spans(of("a", 1, "go"), of("b", 2, "hi")), spans(of("a", 3, "on"))))
    logged = {log.part: log for log in SOURCE.logs(path)}
    assert list(logged) == ["a", "b"]
    assert {part: said(log.read(Position())) for part, log in logged.items()} == {
        "a": ["go", "on"],
        "b": ["hi"],
    }
    assert logged["a"].mtime == (START + 3) * 10**9 and logged["b"].mtime == (START + 2) * 10**9
    before = {part: (log.size, log.mtime) for part, log in logged.items()}
    with path.open("ab") as file:
        file.write(lines(spans(of("b", 4, "more"))))
    after = {log.part: (log.size, log.mtime) for log in SOURCE.logs(path)}
    assert after["a"] == before["a"] and after["b"] != before["b"]


def test_the_facts_of_a_session_are_those_of_its_resource(path: Path) -> None:
    about = {
        "process.working_directory": "/work/shop",
        "vcs.repository.url.full": "https://x.org/ann/shop",
        "vcs.ref.head.name": "main",
    }
    facts = session(heard(path, spans(span(1, **asking(GO)), about=about)))
    assert (facts.cwd, facts.remote) == ("/work/shop", "https://x.org/ann/shop")
    assert (facts.branch, facts.agent) == ("main", "otel-genai")


@pytest.mark.parametrize(("folders", "cwd"), [(["/w/a"], "/w/a"), (["/w/a", "/w/b"], ""), ([], "")])
def test_a_workspace_of_one_folder_is_the_folder(path: Path, folders: list[str], cwd: str) -> None:
    record = prompt("claude_code.user_prompt", "go", 0, **{"workspace.host_paths": folders})
    assert session(heard(path, logs(record, about={}))).cwd == cwd


def test_a_session_in_our_own_folder_says_nothing(path: Path, tmp_path: Path) -> None:
    about = {"process.working_directory": str(tmp_path / "own")}
    path.write_bytes(lines(spans(span(1, **asking(GO)), about=about)))
    found = read(OtelGenAi(own=tmp_path / "own"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_what_has_no_conversation_is_no_session(path: Path) -> None:
    request = {"traceId": "t", "spanId": "s", "name": "GET /", "attributes": []}
    assert heard(path, spans(request), {"resourceMetrics": []}) == []


# Layouts


def test_one_document_over_many_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    attributes = call(history(TURNS[:2]), [message("assistant", "fine")])
    data = json.dumps(spans(span(1, attributes=attributes)), indent=2).encode()
    found = read_bytes(SOURCE, path, data)
    assert said(found) == TURNS[:2]
    assert SOURCE.recognises(path, data)
    assert said(read(SOURCE, path, position(found))) == []


def test_records_that_agents_write_into_a_file_by_themselves_are_read(tmp_path: Path) -> None:
    def record(name: str, second: int, **attributes: Any) -> str:
        about = {"session.id": SESSION, "event.name": name, "interactive": True}
        whole = {
            "hrTime": [START + second, 5_000_000],
            "resource": {"attributes": {"service.name": "gemini-cli"}},
            "attributes": about | attributes,
            "_body": "a { in a text",
        }
        return json.dumps(whole, indent=2)

    path = tmp_path / "telemetry.json"
    data = "\n".join(
        [
            record("gemini_cli.config", 0),
            record("gemini_cli.user_prompt", 1, prompt="go", prompt_id="p1"),
            record("gemini_cli.user_prompt", 2, prompt="use pnpm", prompt_id="p2"),
        ]
    ).encode()
    assert SOURCE.recognises(path, data)
    found = humans(read_bytes(SOURCE, path, data))
    assert [(e.text, e.record, e.at) for e in found] == [
        ("go", "p1", (START + 1) * 1_000_000 + 5_000),
        ("use pnpm", "p2", (START + 2) * 1_000_000 + 5_000),
    ]


def plain(number: int, parent: int | None = None, /, **attributes: Any) -> dict[str, Any]:
    """Return a span as the kit for Python writes it."""
    return {
        "name": "chat some-model",
        "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{number:016x}"},
        "parent_id": None if parent is None else f"0x{parent:016x}",
        "start_time": f"2026-03-04T10:00:0{number}.000000Z",
        "attributes": CONVERSATION | {"gen_ai.operation.name": "chat"} | attributes,
        "events": [],
        "resource": {"attributes": {"process.working_directory": "/work/shop"}},
    }


@pytest.mark.parametrize("layout", ["lines", "one after another", "list"])
def test_spans_that_are_objects_of_their_own_are_read(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "spans.json"
    tool = {"gen_ai.operation.name": "execute_tool"}
    each = [plain(1, **call([GO], [DONE])), plain(2, **tool), plain(3, 2, **call([ON]))]
    data = {
        "lines": lines(*each),
        "one after another": "\n".join(json.dumps(one, indent=4) for one in each).encode(),
        "list": json.dumps(each, indent=1).encode(),
    }[layout]
    assert SOURCE.recognises(path, data)
    found = read_bytes(SOURCE, path, data)
    assert (said(found), replies(found), session(found).cwd) == (["go"], ["done"], "/work/shop")
    assert [e.at for e in humans(found)] == [(START + 1) * 1_000_000]


def test_other_json_is_not_recognised(path: Path) -> None:
    quoted = json.dumps({"text": '{"attributes": {"gen_ai.operation.name": "chat"}}'}).encode()
    for head in (b"", b"{}", b"[]", quoted, NATIVE, b'{"attributes": {"http.route": "/"}}'):
        assert not SOURCE.recognises(path, head)


# Damage


def test_damage_is_told_and_spares_the_rest(path: Path) -> None:
    odd = spans(span(2, attributes=call([ON])), {"attributes": [7], "name": "gen_ai.x"})
    cut = spans(span(3, attributes={"gen_ai.input.messages": '[{"role": "user", "par'}))
    data = OTEL + b"gen_ai. oops\n" + lines(odd, cut) + b'{"resourceSpans": [{"gen_ai.'
    found = read_bytes(SOURCE, path, data)
    assert said(found) == [*TURNS, "use pnpm"]
    reasons = [NOT_JSON, UNKNOWN_SHAPE, CUT_OFF, UNFINISHED]
    assert [s.reason for s in skipped(found)] == reasons


def test_what_was_not_finished_is_told_when_it_is(path: Path) -> None:
    more = lines(spans(span(9, attributes=call([*history(TURNS), ON]))))
    first = read_bytes(SOURCE, path, OTEL + more[:200])
    path.write_bytes(OTEL + more)
    rest = read(SOURCE, path, position(first))
    assert (said(first), said(rest)) == (TURNS, ["use pnpm"])


def test_an_agents_run_that_ends_later_speaks_for_itself_and_loses_nothing(path: Path) -> None:
    inner = [span(2, 1, attributes=call([GO], [message("assistant", "let me see")]))]
    inner.append(span(3, 1, attributes=call([GO, message("assistant", "let me see")], [DONE])))
    first = heard(path, spans(*inner))
    run = agent("main", 1, attributes=call([GO], [DONE]))
    later = span(4, attributes=call([GO, DONE, ON]))
    path.write_bytes(lines(spans(*inner), spans(run), spans(later)))
    rest = read(SOURCE, path, position(first))
    assert (said(first), said(rest)) == (["go"], ["go", "use pnpm"])
    assert {e.record for e in humans(rest)} == {f"{1:016x}", f"{4:016x}"}


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["key", "value", "role", "parts", "content", "values", "type"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["attributes", "events", "resource", "scopeSpans", "traceId", "startTimeUnixNano", "context"]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=ODD, name=NAMES, text=st.text(max_size=6), junk=st.binary(max_size=30))
def test_values_of_any_shape_crash_nothing(
    odd: Any, name: str, text: str, junk: bytes, path: Path
) -> None:
    damaged = span(8, attributes=call([odd, message("user", text)], odd if odd else []))
    exports = [
        spans({**damaged, name: odd}),
        spans(span(7, attributes={"gen_ai.input.messages": text})),
        {"resourceSpans": [{name: odd, "gen_ai.": 1}]},
        plain(1) | {name: odd},
        logs(log("gen_ai.user.message", body=text), log("user_prompt", body=odd or "x")),
    ]
    found = read_bytes(SOURCE, path, otel_having(TURNS) + lines(*exports) + junk)
    assert said(found)[:3] == TURNS
    assert isinstance(found[-1], Position)
