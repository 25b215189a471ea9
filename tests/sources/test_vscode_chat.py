"""Whose words are whose in a chat of VS Code, as a document and as a log of changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    SESSION,
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
from tests.sources.samples_vscode import (
    BEGUN,
    VSCODE,
    VSCODE_LOG,
    carousel,
    delete,
    document,
    id_of,
    initial,
    message,
    push,
    put,
    request,
    tool,
)

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading
from twice.sources.lines import UNFINISHED, UNKNOWN_SHAPE
from twice.sources.vscode_chat import BY_AGENT, OFFERED, VsCodeChat
from twice.sources.vscode_records import TOO_LARGE, WITHOUT_START

SOURCE = VsCodeChat()
in_tmp_path = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"{SESSION}.json"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / f"{SESSION}.jsonl"


def heard(path: Path, *requests: dict[str, Any], **facts: Any) -> list[Reading]:
    return read_bytes(SOURCE, path, document(*requests, **facts))


def replayed(log: Path, *changes: dict[str, Any]) -> list[Reading]:
    return read_bytes(SOURCE, log, lines(initial(), *changes))


def kinds(found: list[Reading]) -> list[tuple[Kind, str]]:
    return [(event.kind, event.text) for event in humans(found)]


def test_whom_a_prompt_is_for_is_no_part_of_it(path: Path) -> None:
    text = message("@workspace use pnpm", ("agent", "@workspace"))
    assert kinds(heard(path, request(text))) == [(Kind.PROMPT, "use pnpm")]


def test_the_arguments_of_a_command_are_the_humans(path: Path) -> None:
    found = heard(
        path,
        request(
            message("@workspace /new use pnpm", ("agent", "@workspace"), ("subcommand", "/new"))
        ),
        request(message("/tests use vitest", ("slash", "/tests")), 1),
        request(message("/my-prompt in français", ("prompt", "/my-prompt")), 2),
        request(message("/clear", ("slash", "/clear")), 3),
        request("/unknown use bun", 4),
    )
    texts = ["use pnpm", "use vitest", "in français", "use bun"]
    assert kinds(found) == [(Kind.COMMAND, text) for text in texts]


def test_what_a_prompt_refers_to_stays_in_it(path: Path) -> None:
    text = message("look at #file:a.ts and use pnpm", ("dynamic", "#file:a.ts"))
    assert said(heard(path, request(text))) == ["look at #file:a.ts and use pnpm"]


def test_a_compilers_message_behind_a_command_is_not_the_human(path: Path) -> None:
    explain = message(
        "@workspace /explain Use 'const'.", ("agent", "@workspace"), ("subcommand", "/explain")
    )
    fix = message("/fix Use 'const'.", ("slash", "/fix"))
    assert said(heard(path, request(explain))) == []
    assert said(heard(path, request(fix), initialLocation="editor")) == []
    assert said(heard(path, request(fix))) == ["Use 'const'."]


@pytest.mark.parametrize(
    "text",
    [
        "[Terminal 5fad0ac9 notification: command completed with exit code 1.]\nuse npm",
        "[Terminal notification: command completed.] use npm",
        'Continue: "Continue to iterate?"',
        "<system-reminder>use npm</system-reminder>",
    ],
)
def test_what_the_editor_sends_is_not_the_human(path: Path, text: str) -> None:
    assert said(heard(path, request(text))) == []


def test_a_note_of_the_terminal_behind_a_prompt_is_left_out(path: Path) -> None:
    text = "use pnpm\n\n[Terminal 5fad notification: command completed.]\nalways use npm"
    assert said(heard(path, request(text))) == ["use pnpm"]


@pytest.mark.parametrize(
    "facts",
    [
        {"isSystemInitiated": True, "systemInitiatedLabel": "npm"},
        {"confirmation": "Continue"},
        {"hiddenFromTranscript": True},
        {"requestHiddenFromTranscript": True},
        {"modeInfo": {"telemetryModeId": "applyCodeBlock"}},
    ],
)
def test_what_a_button_or_the_editor_sent_is_not_the_human(
    path: Path, facts: dict[str, Any]
) -> None:
    found = heard(path, request("use npm", 0, "I use npm.", **facts))
    assert (said(found), replies(found), skipped(found)) == ([], ["I use npm."], [])


@pytest.mark.parametrize(
    "facts", [{"origin": {"kind": "delegation"}}, {"requestSource": "agentMerge"}]
)
def test_the_prompt_of_another_agent_is_not_the_human(path: Path, facts: dict[str, Any]) -> None:
    found = heard(path, request("use npm", **facts))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [BY_AGENT])


def test_a_prompt_that_the_agent_offered_is_not_the_humans_own(path: Path) -> None:
    offers = [{"kind": "reply", "message": "How do I use npm?"}]
    found = heard(path, request("go", 0, "ok", followups=offers), request("How do I use npm?", 1))
    assert (said(found), [s.reason for s in skipped(found)]) == (["go"], [OFFERED])


def test_what_was_taken_back_was_not_said(path: Path) -> None:
    undone = {"requestId": id_of(1)}
    found = heard(
        path,
        request("one", 0, "ok"),
        request("two", 1, "no", shouldBeRemovedOnSend=undone),
        request("three", 2, "no", isHidden=True),
        request("four", 3, "yes", shouldBeRemovedOnSend=undone | {"afterUndoStop": "x"}),
    )
    assert (said(found), replies(found)) == (["one", "four"], ["ok", "yes"])


def test_thoughts_and_tools_are_not_the_agents_words(path: Path) -> None:
    thought = {"kind": "thinking", "value": "use npm"}
    vulnerable = {"kind": "markdownVuln", "content": {"value": " with care"}}
    shown = {"kind": "progressMessage", "content": {"value": "Working"}}
    reference = {"kind": "inlineReference", "inlineReference": {"path": "/a"}}
    found = heard(
        path, request("go", 0, thought, "Done", reference, vulnerable, tool(), shown, "Next.")
    )
    assert replies(found) == ["Done with care\n\nNext."]


def test_who_speaks_after_stopping_or_refusing_interrupted(path: Path) -> None:
    found = heard(
        path,
        request("one", 0, "ok", modelState={"value": 2}),
        request("two", 1, "ok", tool(isConfirmed={"type": 0})),
        request("three", 2, "ok", modelState=None, isCanceled=True),
        request("four", 3, tool(isConfirmed={"type": 5}), tool(isConfirmed=None)),
        request("five", 4),
    )
    assert [event.interrupted for event in humans(found)] == [False, True, True, True, False]


def test_a_free_answer_to_a_question_is_the_humans(path: Path) -> None:
    answers = {
        "a": {"selectedValue": "yarn"},
        "b": {"selectedValue": "yarn", "freeformValue": "no, use pnpm"},
        "c": {"selectedValues": ["yarn"], "freeformValue": "and tabs"},
        "d": "write it in Go",
        "e": "Yarn",
    }
    found = heard(path, request("go", 0, "Which?", carousel(answers), "Fine."), request("on", 1))
    assert kinds(found) == [
        (Kind.PROMPT, "go"),
        (Kind.ANSWER, "no, use pnpm"),
        (Kind.ANSWER, "and tabs"),
        (Kind.ANSWER, "write it in Go"),
        (Kind.PROMPT, "on"),
    ]
    assert replies(found) == ["Which?", "Fine."]
    assert len({(event.seq, event.kind) for event in humans(found)}) == 5


@pytest.mark.parametrize("more", [{"terminalId": "5fad"}, {"autoReply": True}])
def test_what_answers_in_a_persons_place_is_not_the_human(path: Path, more: dict[str, Any]) -> None:
    assert said(heard(path, request("go", 0, carousel({"a": "use npm"}, **more)))) == ["go"]


def test_the_answer_of_an_absent_person_is_not_the_human(path: Path) -> None:
    text = "The user is not available to respond and will review your work later. Work on."
    assert said(heard(path, request("go", 0, carousel({"a": text})))) == ["go"]


def test_what_is_said_of_a_plan_is_the_humans(path: Path) -> None:
    plan = {"kind": "planReview", "content": "always use npm"}
    refused = plan | {"data": {"rejected": True, "feedback": "use pnpm"}}
    taken = plan | {"data": {"rejected": False, "feedback": "# x", "feedbackOverall": "use tabs"}}
    silent = plan | {"data": {"rejected": True}}
    found = heard(path, request("go", 0, refused, taken, silent))
    assert kinds(found)[1:] == [(Kind.REFUSAL, "use pnpm"), (Kind.ANSWER, "use tabs")]


def test_messages_and_answers_of_the_oldest_sessions_are_texts(path: Path) -> None:
    old = request("", 0) | {"message": "use pnpm", "response": ["One. ", "Two."]}
    found = heard(path, old, request("go", 1) | {"response": "Three."})
    assert (said(found), replies(found)) == (["use pnpm", "go"], ["One. Two.", "Three."])


def test_a_log_is_replayed_not_just_read(log: Path) -> None:
    found = replayed(
        log,
        push([request("one", 0), request("two", 1)], "requests"),
        push([{"value": "A"}], "requests", 0, "response"),
        push([{"value": "B"}], "requests", 0, "response"),
        push([{"value": "C"}], "requests", 0, "response", start=1),
        put(request("three", 2), "requests", 1),
        put("four", "requests", 1, "message", "text"),
        put("always use npm", "requests", 1, "variableData", "variables"),
        delete("requests", 0, "modelState"),
    )
    assert (said(found), replies(found)) == (["one", "four"], ["AC"])


def test_a_request_that_was_sent_anew_is_told_as_it_is_now(log: Path) -> None:
    changes = [push([request("one", 0), request("use nmp", 1)], "requests")]
    first = replayed(log, *changes)
    assert said(first) == ["one", "use nmp"]
    changes.append(push([request("use npm", 2)], "requests", start=1))
    log.write_bytes(lines(initial(), *changes))
    assert said(read(SOURCE, log, position(first))) == ["use npm"]
    assert said(read(SOURCE, log)) == ["one", "use npm"]


def test_an_answer_that_comes_later_is_told_later(log: Path) -> None:
    changes = [push([request("go", 0)], "requests")]
    changes += [push([carousel({})], "requests", 0, "response")]
    first = replayed(log, *changes)
    changes += [push([carousel({"a": "use pnpm"})], "requests", 0, "response", start=0)]
    log.write_bytes(lines(initial(), *changes))
    rest = read(SOURCE, log, position(first))
    assert kinds(rest) == [(Kind.ANSWER, "use pnpm")]
    assert said(read(SOURCE, log, position(rest))) == []


def test_a_log_that_was_made_shorter_loses_nothing_and_keeps_its_ids(log: Path) -> None:
    one, two, three = (request(text, n) for n, text in enumerate(("one", "two", "three")))
    noise = [put(f"{n}", "inputState", "inputText") for n in range(50)]
    first = replayed(log, push([one], "requests"), *noise, push([two], "requests"))
    log.write_bytes(lines(initial(one, two), push([three], "requests")) + b" " * 9_000)
    rest = read(SOURCE, log, position(first))
    assert "three" in said(rest)
    ids = [event.record for event in humans(first)]
    assert [e.record for e in humans(rest) if e.text != "three"] == ids


def test_a_document_from_which_something_was_taken_out_loses_nothing(path: Path) -> None:
    first = heard(path, request("one", 0), request("two", 1), request("three", 2))
    path.write_bytes(document(request("one", 0), request("use pnpm", 3), request("four", 4)))
    rest = read(SOURCE, path, position(first))
    assert said(rest)[-2:] == ["use pnpm", "four"]


def test_a_damaged_line_of_a_log_loses_no_other(log: Path) -> None:
    data = lines(initial(), push([request("one", 0)], "requests")) + b"{broken\n"
    data += lines(put("x"), push([request("two", 1)], "requests"), {"kind": 9, "k": ["requests"]})
    found = read_bytes(SOURCE, log, data)
    assert said(found) == ["one", "two"]
    assert [s.seq for s in skipped(found)] == [2, 5]


def test_changes_of_a_session_without_a_start_say_nothing(log: Path) -> None:
    found = read_bytes(SOURCE, log, lines(push([request("one")], "requests")))
    assert (said(found), [s.reason for s in skipped(found)]) == ([], [WITHOUT_START])


def test_one_bad_request_loses_no_other(path: Path) -> None:
    found = heard(path, request("one"), {"requestId": id_of(1), "message": 7}, request("two", 2))
    assert said(found) == ["one", "two"]
    data = document(request("one")).replace(b'"requests": [', b'"requests": [7, ')
    found = read_bytes(SOURCE, path, data)
    assert (said(found), [s.reason for s in skipped(found)]) == (["one"], [UNKNOWN_SHAPE])


def test_half_a_character_loses_nothing_else(path: Path, log: Path) -> None:
    for file, data in ((path, VSCODE), (log, VSCODE_LOG)):
        found = read_bytes(SOURCE, file, data.replace(b"npm.", rb"npm. \ud83d"))
        assert len(said(found)) == 3


def test_a_document_that_is_not_whole_yet_is_read_later(path: Path) -> None:
    found = read_bytes(SOURCE, path, VSCODE[:-40])
    assert [s.reason for s in skipped(found)] == [UNFINISHED]
    assert position(found) == Position()


def test_a_document_beyond_the_limit_is_passed_over_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.DOCUMENT_BYTES", len(VSCODE) - 1)
    assert [s.reason for s in skipped(read_bytes(SOURCE, path, VSCODE))] == [TOO_LARGE]


def test_a_layout_that_nobody_knows_is_an_error(path: Path, log: Path) -> None:
    for file, data in ((path, b'{"version": 9, "turns": []}'), (log, b'{"op": 1}\n{"op": 2}\n')):
        with pytest.raises(UnknownFormat, match=SESSION):
            read_bytes(SOURCE, file, data)


def test_the_facts_of_a_session(path: Path) -> None:
    repository = {"remoteUrl": "https://example.org/ann/shop.git", "localBranch": "main"}
    facts = {"workingDirectory": "file:///work/shop", "repoData": repository}
    found = heard(path, request("go", 1), **facts)
    assert (session(found).id, session(found).agent) == (SESSION, "vscode-chat")
    assert (session(found).cwd, session(found).branch) == ("/work/shop", "main")
    assert session(found).remote == "https://example.org/ann/shop.git"
    assert (humans(found)[0].record, humans(found)[0].at) == (id_of(1), (BEGUN + 60_000) * 1000)


def test_an_id_that_others_may_have_is_no_record(path: Path) -> None:
    old = request("go") | {"requestId": "request_0", "timestamp": -1}
    found = humans(heard(path, old))
    assert [(event.record, event.at) for event in found] == [("", None)]


def test_a_session_without_an_id_has_its_files_name(path: Path) -> None:
    exported = json.dumps({"responderUsername": "", "requests": [request("go")]}).encode()
    assert SOURCE.recognises(path, exported)
    assert session(read_bytes(SOURCE, path, exported)).id == path.stem


def keep(user: Path, hash: str, opened: dict[str, str] | None, data: bytes = VSCODE_LOG) -> Path:
    """Return a session file in the editor's own place."""
    path = user / "workspaceStorage" / hash / "chatSessions" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    if opened is not None:
        (path.parent.parent / "workspace.json").write_text(json.dumps(opened), encoding="utf-8")
    return path


def test_the_folder_is_noted_beside_the_sessions(tmp_path: Path) -> None:
    shop = keep(tmp_path, "1a", {"folder": "file:///work/my%20shop"})
    gone = keep(tmp_path, "2b", None)
    far = keep(tmp_path, "3c", {"folder": "vscode-remote://ssh-remote%2Bhost/srv/shop"})
    assert [session(read(SOURCE, p)).cwd for p in (shop, gone, far)] == ["/work/my shop", "", ""]


def test_sessions_lie_in_the_places_of_each_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config = tmp_path / ".config"
    paths = [
        keep(config / "Code" / "User", "1a", None),
        keep(config / "VSCodium" / "User", "1a", None),
        keep(tmp_path / "Library" / "Application Support" / "Code" / "User", "1a", None),
        keep(tmp_path / ".vscode-server" / "data" / "User", "1a", None),
        keep(tmp_path / "portable" / "user-data" / "User", "1a", None),
        keep(tmp_path / "roaming" / "Code - Insiders" / "User", "1a", None),
    ]
    empty = config / "Code" / "User" / "globalStorage" / "emptyWindowChatSessions" / "b.jsonl"
    empty.parent.mkdir(parents=True)
    empty.write_bytes(VSCODE_LOG)
    (config / "Code" / "User" / "workspaceStorage" / "empty").mkdir()
    source = VsCodeChat(
        environ={
            "VSCODE_PORTABLE": str(tmp_path / "portable"),
            "APPDATA": str(tmp_path / "roaming"),
        }
    )
    found = [file for home in source.homes() for file in source.files(home)]
    assert sorted(found) == sorted([*paths, empty])


def test_a_damaged_file_among_the_sessions_is_named_when_it_is_read(tmp_path: Path) -> None:
    path = keep(tmp_path, "1a", None, b"damaged\n")
    assert list(SOURCE.files(path.parent)) == [path]
    assert len(skipped(read(SOURCE, path))) == 1


def test_a_session_in_our_own_folder_says_nothing(tmp_path: Path) -> None:
    path = keep(tmp_path, "1a", {"folder": (tmp_path / "data").as_uri()})
    found = read(VsCodeChat(own=tmp_path / "data"), path)
    assert (session(found).own, said(found)) == ("location", [])


def test_other_json_is_not_recognised(path: Path, log: Path) -> None:
    for head in (
        *(b"{}", b"[]", b"\x00\xff", b'{"requests": []}', b'{"version": 1, "requests": []}'),
        *(b'{"kind":0,"v":{}}', b'{"a": {"responderUsername": "x", "requests": []}}'),
    ):
        assert not SOURCE.recognises(path, head)
        assert not SOURCE.recognises(log, head)
    assert not SOURCE.recognises(path.with_suffix(".md"), VSCODE)


def test_sessions_of_all_ages_are_recognised(path: Path, log: Path) -> None:
    old = b'{"welcomeMessage": ["Hi [you](x)", [{"a": 1}]], "responderUsername": "x", "requests": ['
    assert SOURCE.recognises(path, old)
    assert SOURCE.recognises(path, b'{"version": 2, "creationDate": 1, "requests": [')
    assert SOURCE.recognises(log, b'{"kind":0,"v":{"sessionId":"s","requests":[]}}')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["requests", "response", "message", "text", "parts", "sessionId", "modelState", 0, 1, -1, 99]
)


@in_tmp_path
@given(kind=st.integers(-1, 4), path=st.lists(KEYS, max_size=4), value=JSON, cut=JSON)
def test_changes_of_any_shape_do_not_crash_a_reader(
    kind: int, path: list[Any], value: object, cut: object, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    change = {"kind": kind, "k": path, "v": value, "i": cut}
    found = replayed(log, push([request("one", 0, "ok")], "requests"), change)
    assert isinstance(found[-1], Position)
    assert read(SOURCE, log) == found


@in_tmp_path
@given(field=st.sampled_from([*request("x"), "confirmation", "origin", "followups"]), value=JSON)
def test_requests_of_any_shape_do_not_crash_a_reader(
    field: str, value: Any, tmp_path: Path
) -> None:
    odd = request("one", 0, carousel({"a": "b"}), "ok") | {field: value}
    found = heard(tmp_path / "chat.json", request("zero", 9), odd, request("two", 1))
    assert said(found)[0] == "zero"
    assert said(found)[-1] == "two" or field == "followups"


@in_tmp_path
@given(
    part=JSON,
    name=st.sampled_from(["kind", "value", "content", "data", "questions", "isConfirmed"]),
)
def test_answers_of_any_shape_do_not_crash_a_reader(part: Any, name: str, tmp_path: Path) -> None:
    odd = request("one", 0, part, carousel({"a": part}), carousel({"a": "b"}) | {name: part})
    found = heard(tmp_path / "chat.json", odd, request("two", 1))
    assert said(found)[-1] == "two"
