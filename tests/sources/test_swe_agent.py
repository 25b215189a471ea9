"""Who speaks in the trajectories of SWE-agent and of mini-SWE-agent."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import (
    humans,
    position,
    read,
    read_bytes,
    replies,
    said,
    session,
    skipped,
)
from tests.sources.samples_swe import (
    MINI,
    REFUSED,
    SWE,
    TEMPLATE,
    interrupted,
    mini,
    reply,
    swe,
    watched,
)
from tests.sources.samples_swe import said as message

from twice.core.errors import UnknownFormat
from twice.core.transcript import Kind, Position, Reading, is_opaque
from twice.sources.lines import UNFINISHED, UNKNOWN_SHAPE
from twice.sources.swe_agent import BY_SCRIPT, TOO_LARGE, SweAgent

SOURCE = SweAgent()
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "last_mini_run.traj.json"


def heard(path: Path, *messages: dict[str, Any]) -> list[Reading]:
    return read_bytes(SOURCE, path, mini([message("user", TEMPLATE), reply("ok"), *messages]))


def reasons(readings: list[Reading]) -> list[str]:
    return [each.reason for each in skipped(readings)]


# SWE-agent


def test_no_person_speaks_in_a_trajectory(tmp_path: Path) -> None:
    found = read_bytes(SOURCE, tmp_path / "a__b-1.traj", swe(SWE))
    assert (said(found), replies(found)) == ([], ["I look around."])
    assert [(s.seq, s.reason) for s in skipped(found)] == [(2, BY_SCRIPT)]
    assert (session(found).agent, is_opaque(session(found).id)) == ("swe-agent", True)


def test_what_looks_like_mini_is_not_the_human_there(tmp_path: Path) -> None:
    found = read_bytes(SOURCE, tmp_path / "a.traj", swe([*SWE, interrupted(f"{REFUSED}use npm")]))
    assert said(found) == []


def test_texts_may_be_in_parts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "I look"}, "around.", {"type": "image_url"}]
    found = read_bytes(SOURCE, tmp_path / "a.traj", swe([message("assistant", parts)]))
    assert replies(found) == ["I look\naround."]


@pytest.mark.parametrize("key", ["history", "trajectory", "attempts"])
def test_trajectories_of_every_age_are_sessions(tmp_path: Path, key: str) -> None:
    value = [{"history": SWE}] if key == "attempts" else SWE
    path = tmp_path / "a.traj"
    path.write_text(json.dumps({key: value}))
    assert SOURCE.recognises(path, path.read_bytes())
    assert session(read(SOURCE, path)).agent == "swe-agent"


def test_another_run_on_the_same_issue_is_another_session(tmp_path: Path) -> None:
    runs = [[*SWE[:3], message("assistant", text)] for text in ("I look.", "I read.", "I look.")]
    ids = [session(read_bytes(SOURCE, tmp_path / "a.traj", swe(run))).id for run in runs]
    assert ids[0] == ids[2] != ids[1]


# mini-SWE-agent


def test_the_template_is_named_and_not_the_human(path: Path) -> None:
    found = heard(path)
    assert (said(found), reasons(found)) == ([], [BY_SCRIPT])


def test_who_watches_refuses_interrupts_and_goes_on(path: Path) -> None:
    found = humans(
        heard(
            path,
            interrupted(f"{REFUSED}use pnpm\nnot npm", "UserRejection"),
            reply("ok"),
            interrupted("Interrupted by user: stop that"),
            reply("ok"),
            interrupted("The user added a new task: now the docs", "UserNewTask"),
        )
    )
    assert [(e.kind, e.text, e.interrupted) for e in found] == [
        (Kind.REFUSAL, "use pnpm\nnot npm", True),
        (Kind.PROMPT, "stop that", True),
        (Kind.PROMPT, "now the docs", False),
    ]


def test_messages_of_older_builds_have_no_extras(path: Path) -> None:
    refused = REFUSED.replace("Commands", "Command").replace("commands", "command")
    found = heard(path, message("user", f"{refused}use pnpm", timestamp=1_772_618_400.5))
    assert [(e.text, e.at) for e in humans(found)] == [("use pnpm", 1_772_618_400_500_000)]
    older = json.dumps([message("user", TEMPLATE), message("user", f"{refused}use pnpm")])
    assert said(read_bytes(SOURCE, path, older.encode())) == ["use pnpm"]


@pytest.mark.parametrize(
    "other",
    [
        interrupted("Interrupted by user: Temporary interruption caught."),
        interrupted("Commands not executed. Switching to human mode", "UserRejection"),
        interrupted("Switched to human mode."),
        message("user", "User command: \n```bash\nuse npm\n```", extra={"actions": []}),
        message("user", f"{REFUSED}use npm", extra={"returncode": 0}),
        message("tool", f"{REFUSED}use npm"),
        message("user", f"<output>\n{REFUSED}use npm"),
        message("exit", "use npm"),
    ],
)
def test_nothing_else_is_the_human(path: Path, other: dict[str, Any]) -> None:
    assert said(heard(path, other)) == []


def test_a_prompt_has_the_time_of_what_it_answers(path: Path) -> None:
    assert [e.at for e in humans(read_bytes(SOURCE, path, MINI))] == [
        None,
        1_772_618_400_250_000,
        1_772_618_460_500_000,
    ]


def test_the_folder_is_known_where_it_was_set(path: Path) -> None:
    local = "minisweagent.environments.local.LocalEnvironment"
    for kind, cwd, expected in (
        (local, "/work/shop", "/work/shop"),
        (local, "", ""),
        ("minisweagent.environments.docker.DockerEnvironment", "/testbed", ""),
    ):
        config = {"environment": {"cwd": cwd}, "environment_type": kind}
        found = read_bytes(SOURCE, path, mini([reply("ok")], config=config))
        assert session(found).cwd == expected


def test_another_run_in_the_same_file_is_read_from_its_start(path: Path) -> None:
    first = read_bytes(SOURCE, path, MINI)
    path.write_bytes(watched(["use bun", "use deno", "not node"]))
    again = read(SOURCE, path, position(first))
    assert said(again) == ["use bun", "use deno", "not node"]
    assert session(again).id != session(first).id


# Documents


def test_a_document_beyond_the_limit_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twice.core.limits.DOCUMENT_BYTES", 100)
    assert reasons(read_bytes(SOURCE, path, MINI)) == [TOO_LARGE]


def test_a_document_that_is_being_written_is_read_later(path: Path) -> None:
    found = read_bytes(SOURCE, path, MINI[:-30])
    assert (reasons(found), position(found)) == ([UNFINISHED], Position())


def test_a_damaged_message_spares_the_rest(path: Path) -> None:
    found = heard(path, message("user", {"no": "text"}), interrupted(f"{REFUSED}use pnpm"))
    assert (said(found), reasons(found)) == (["use pnpm"], [BY_SCRIPT, UNKNOWN_SHAPE])


def test_a_layout_that_nobody_knows_is_an_error(path: Path) -> None:
    path.write_text('{"info": {"version": 9}, "talk": []}')
    with pytest.raises(UnknownFormat):
        read(SOURCE, path)


# Places


def test_its_homes_are_minis_settings_and_the_folder_for_trajectories(tmp_path: Path) -> None:
    for name in ("mini", "runs", "config/mini-swe-agent"):
        (tmp_path / name).mkdir(parents=True)
    environ = {"SWE_AGENT_TRAJECTORY_DIR": str(tmp_path / "runs")}
    moved = environ | {"MSWEA_GLOBAL_CONFIG_DIR": str(tmp_path / "mini")}
    assert SweAgent(environ=moved).homes() == [tmp_path / "mini", tmp_path / "runs"]


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", "config/mini-swe-agent"),
        ("darwin", "Library/Application Support/mini-swe-agent"),
        ("win32", "local/mini-swe-agent/mini-swe-agent"),
    ],
)
def test_each_system_has_its_own_place_for_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, place: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", platform)
    (tmp_path / place).mkdir(parents=True)
    environ = {"XDG_CONFIG_HOME": f"{tmp_path}/config", "LOCALAPPDATA": f"{tmp_path}/local"}
    assert SweAgent(environ=environ).homes() == [tmp_path / place]


def test_other_files_are_not_recognised(tmp_path: Path) -> None:
    for name, head in (
        ("relax.traj", b"- of Ulm_____Trajectory"),
        ("a.traj", b'{"frames": []}'),
        ("a.traj.json", b"[1, 2]"),
        ("a.json", MINI),
    ):
        assert not SOURCE.recognises(tmp_path / name, head)


# Damage


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    value=st.recursive(
        st.none() | st.booleans() | FLOATS | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["text", "cwd", "timestamp"]), inner, max_size=3)
        ),
    )
)
def test_messages_of_any_shape_do_not_crash_a_reader(value: Any, tmp_path: Path) -> None:
    odd = [{key: value} | {"role": "user"} for key in ("content", "extra", "is_demo", "timestamp")]
    odd += [{"role": value, "content": value}, {"role": "user", "extra": {"timestamp": value}}]
    typed = interrupted(f"{REFUSED}use pnpm")
    path = tmp_path / "a.traj.json"
    found = read_bytes(SOURCE, path, mini([*odd, typed], config={"environment": value}))
    assert said(found)[-1] == "use pnpm"
    path.write_text(json.dumps({"messages": value, "history": value, "attempts": [value]}))
    try:
        read(SOURCE, path)
    except UnknownFormat:
        assert value is None


# Real ones


@pytest.mark.skipif(not (CORPUS / "traj").is_dir(), reason="the corpus is not here")
def test_no_person_speaks_in_real_trajectories() -> None:
    paths = list(SOURCE.files(CORPUS / "traj"))
    assert paths
    for path in paths:
        found = read(SOURCE, path)
        assert (said(found), reasons(found)) == ([], [BY_SCRIPT])
        assert replies(found)
