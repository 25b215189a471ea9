"""Claude Code's settings: foreign hooks, comments and order survive, and the exact bytes return."""

import difflib
import hashlib
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.proposals import Refusal
from twice.outlets import jsonc, session_hook
from twice.outlets.claude_settings import Change, ClaudeSettings
from twice.outlets.session_hook import Spliced

COMMAND = "/opt/twice/bin/python -I -S /opt/twice/lib/twice/faces/hook.py session-start --data /d"
NEWER = COMMAND.replace("/opt/twice", "/home/ann/new venv")
SECRET = "fake-value-that-must-not-be-kept"

TYPICAL = """{
  // mine
  "model": "opus", // the big one
  "env": {"API_KEY": "@SECRET@"},
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "SessionStart": [
      {
        "matcher": "startup", /* only then */
        "hooks": [{"type": "command", "command": "date"}]
      } // theirs
    ],
  },
  "somethingNew": [1, 2.50, 1e3, null] /* unknown to us */
}
""".replace("@SECRET@", SECRET)


def digest(data: bytes) -> str:
    """Return a digest, as the receipt would."""
    return hashlib.sha256(data).hexdigest()


def settings_in(home: Path, command: str = COMMAND) -> ClaudeSettings:
    """Return the settings of a person with a home of their own."""
    home.mkdir(exist_ok=True)
    return ClaudeSettings(home / ".claude", command, home / "data" / "receipts", home)


def write(settings: ClaudeSettings, data: bytes) -> None:
    """Write the settings as the person has them."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    settings.path.write_bytes(data)


def install(settings: ClaudeSettings) -> bool:
    """Install the hook; tell whether anything had to change."""
    planned = settings.installing(at=1)
    assert not isinstance(planned, Refusal), planned
    assert planned is None or settings.carry_out(planned) is None
    return planned is not None


def uninstall(settings: ClaudeSettings) -> bool:
    """Take the hook out; tell whether anything had to change."""
    planned = settings.removing()
    assert not isinstance(planned, Refusal), planned
    assert planned is None or settings.carry_out(planned) is None
    return planned is not None


def strict(text: str) -> Any:
    """Read JSON with comments and trailing commas, by other means than the product's."""
    pattern = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
    bare = pattern.sub(lambda m: m[0] if m[0][0] == '"' else " ", text.removeprefix("\ufeff"))
    commas = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')
    return json.loads(commas.sub(lambda m: m[0] if m[0][0] == '"' else " ", bare))


def with_hook(value: Any, command: str = COMMAND) -> Any:
    """Return what settings shall say once the hook is in them."""
    value.setdefault("hooks", {}).setdefault("SessionStart", []).append(
        session_hook.group_of(command)
    )
    return value


# Whole files


@pytest.mark.parametrize(
    "text",
    [
        TYPICAL,
        "\ufeff" + TYPICAL.replace("\n", "\r\n"),
        TYPICAL.replace("  ", "\t"),
        "{}",
        "{ }",
        "{\n}\n",
        '{"model":"opus"}',
        '{"hooks":{}}',
        '{"hooks": {"SessionStart": []}, "z": 1}',
        '{\n  "hooks": {\n    "SessionStart": [\n    ]\n  }\n}',
        '{\n  "a": 1,\n}',
        '{\n  "a": 1 // last\n}',
        "// head\n{\n  // nothing yet\n}\n// tail",
        '{"hooks": {"SessionStart": [ /* none */ ]}}',
    ],
)
def test_the_exact_bytes_return(tmp_path: Path, text: str) -> None:
    settings = settings_in(tmp_path)
    original = text.encode()
    write(settings, original)
    assert install(settings)
    installed = settings.path.read_bytes()
    assert strict(installed.decode()) == with_hook(strict(text))
    assert not install(settings) and settings.path.read_bytes() == installed
    assert uninstall(settings)
    assert digest(settings.path.read_bytes()) == digest(original)
    assert not uninstall(settings) and list(settings.receipts.iterdir()) == []


def test_what_is_there_stays_in_its_place(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    lines = difflib.ndiff(TYPICAL.splitlines(), settings.path.read_text().splitlines())
    changed = [line for line in lines if line[0] in "-+"]
    assert changed[:3] == ["-       } // theirs", "+       }, // theirs", "+       {"]
    assert [line[0] for line in changed[2:]] == ["+"] * 9


def test_one_step_of_indentation_is_as_in_the_file(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, b'{\r\n\t"model": "opus"\r\n}\r\n')
    install(settings)
    assert settings.path.read_bytes().startswith(
        b'{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{\r\n'
    )


def test_a_file_of_ours_and_its_folder_go_again(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    install(settings)
    assert json.loads(settings.path.read_text()) == with_hook({})
    assert not install(settings)
    uninstall(settings)
    assert not settings.folder.exists()


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.folder.mkdir()
    install(settings)
    uninstall(settings)
    assert list(settings.folder.iterdir()) == []


def test_a_file_of_ours_that_a_person_filled_stays(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    install(settings)
    own = json.loads(settings.path.read_text())
    settings.path.write_text(json.dumps({**own, "model": "opus"}, indent=2))
    uninstall(settings)
    assert json.loads(settings.path.read_text()) == {"model": "opus"}


def test_settings_outside_of_the_home_are_edited_where_they_lie(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = ClaudeSettings(tmp_path / "else" / "where", COMMAND, home / "receipts", home)
    install(settings)
    uninstall(settings)
    assert not (tmp_path / "else").exists()


# What a person did meanwhile


def test_only_our_insertion_goes_when_other_parts_were_edited(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    edited = settings.path.read_text().replace('"opus"', '"haiku"')
    settings.path.write_text(edited)
    uninstall(settings)
    left = settings.path.read_text()
    assert strict(left) == strict(TYPICAL.replace('"opus"', '"haiku"'))
    assert "// the big one" in left and "// theirs" in left and "faces/hook.py" not in left


def test_it_is_found_again_in_a_file_that_was_laid_out_anew(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, b'{"model":"opus"}')
    install(settings)
    anew = {**json.loads(settings.path.read_text()), "theme": "dark"}
    settings.path.write_text(json.dumps(anew, indent=4))
    uninstall(settings)
    assert settings.path.read_text() == '{\n    "model": "opus",\n    "theme": "dark"\n}'


def test_a_hook_that_a_person_added_beside_ours_stays(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, b"{}")
    install(settings)
    both = json.loads(settings.path.read_text())
    theirs = {"hooks": [{"type": "command", "command": "date"}]}
    both["hooks"]["SessionStart"].insert(0, theirs)
    settings.path.write_text(json.dumps(both, indent=2))
    uninstall(settings)
    assert json.loads(settings.path.read_text()) == {"hooks": {"SessionStart": [theirs]}}


def test_a_hook_of_ours_that_was_changed_by_hand_is_left_alone(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    changed = settings.path.read_bytes().replace(b'"timeout": 5', b'"timeout": 50')
    settings.path.write_bytes(changed)
    planned = settings.removing()
    assert isinstance(planned, Refusal) and "changed by hand" in planned.reason
    assert settings.path.read_bytes() == changed


def test_a_save_between_plan_and_write_is_not_lost(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, b"{}")
    planned = settings.installing(at=1)
    assert isinstance(planned, Change)
    settings.path.write_bytes(b'{"a": 1}')
    refusal = settings.carry_out(planned)
    assert isinstance(refusal, Refusal) and refusal.code == "changed"
    assert settings.path.read_bytes() == b'{"a": 1}' and list(settings.receipts.iterdir()) == []


# A new place for the program


@pytest.mark.parametrize("text", ["{}", TYPICAL, None])
def test_a_moved_interpreter_is_renewed_in_place_and_undone_exactly(
    tmp_path: Path, text: str | None
) -> None:
    settings = settings_in(tmp_path)
    if text is not None:
        write(settings, text.encode())
    install(settings)
    moved = settings_in(tmp_path, NEWER)
    assert install(moved) and not install(moved)
    said = settings.path.read_text()
    assert NEWER in said and COMMAND not in said
    uninstall(moved)
    assert (settings.path.read_text() if text is not None else settings.folder.exists()) == (
        text or False
    )


def test_a_moved_interpreter_is_renewed_in_a_file_that_was_edited(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    edited = settings.path.read_text().replace('"opus"', '"haiku"')
    settings.path.write_text(edited)
    moved = settings_in(tmp_path, NEWER)
    install(moved)
    assert settings.path.read_text() == edited.replace(COMMAND, NEWER)
    uninstall(moved)
    assert strict(settings.path.read_text()) == strict(TYPICAL.replace('"opus"', '"haiku"'))


def test_a_hook_without_its_receipt_is_known_by_its_program(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    (settings.receipts / "claude-code-user.json").unlink()
    assert not install(settings)
    uninstall(settings)
    assert strict(settings.path.read_text()) == strict(TYPICAL)


def test_a_hook_that_a_person_wrote_for_us_is_enough(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    by_hand = {"type": "command", "command": "twice hook session-start --client claude-code"}
    own = json.dumps({"hooks": {"SessionStart": [{"hooks": [by_hand]}]}}).encode()
    write(settings, own)
    assert not install(settings) and not uninstall(settings)
    assert settings.path.read_bytes() == own


# Links, damage, secrets


def test_linked_settings_are_edited_where_they_lie_and_stay_a_link(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text(TYPICAL)
    settings.folder.mkdir()
    settings.path.symlink_to(real)
    install(settings)
    assert settings.path.is_symlink() and COMMAND in real.read_text()
    uninstall(settings)
    assert settings.path.is_symlink() and real.read_text() == TYPICAL


def test_a_link_to_nothing_is_left_alone(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.folder.mkdir()
    settings.path.symlink_to(tmp_path / "gone.json")
    assert isinstance(settings.installing(at=1), Refusal)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf\n", "empty"),
        (b'{"a": 1', "line 1"),
        (b'{\n  "a": 1\n  "b": 2\n}', "line 3"),
        (b'{"a": .5}', "line 1"),
        (b"{} {}", "after the end"),
        (b'{"a": "\n"}', "string"),
        (b"/* never closed", "value"),
        (b"[]", "no object"),
        (b'{"hooks": []}', "no object"),
        (b'{"hooks": {"SessionStart": {}}}', "no list"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_malformed_settings_are_refused_in_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    settings = settings_in(tmp_path)
    write(settings, data)
    planned = settings.installing(at=1)
    assert isinstance(planned, Refusal)
    assert says in planned.reason and "\n" not in planned.reason
    assert str(settings.path) in planned.reason
    assert settings.path.read_bytes() == data and not settings.receipts.exists()


def test_the_receipt_is_private_and_keeps_nothing_of_the_settings(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, TYPICAL.encode())
    install(settings)
    receipt = settings.receipts / "claude-code-user.json"
    assert stat.S_IMODE(receipt.stat().st_mode) == 0o600
    kept = receipt.read_text()
    assert SECRET not in kept and "opus" not in kept and "theirs" not in kept
    assert json.loads(kept)["after"] == digest(settings.path.read_bytes())


def test_the_mode_of_the_file_stays(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    write(settings, b"{}")
    settings.path.chmod(0o600)
    install(settings)
    assert stat.S_IMODE(settings.path.stat().st_mode) == 0o600


def test_a_second_settings_file_does_not_cost_the_first_its_receipt(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    install(settings)
    other = ClaudeSettings(tmp_path / "other", COMMAND, settings.receipts, tmp_path)
    planned = other.installing(at=1)
    assert isinstance(planned, Refusal) and str(settings.path) in planned.reason


def test_the_group_is_shaped_as_the_agent_expects() -> None:
    handler = {"type": "command", "command": COMMAND, "timeout": 5}
    assert session_hook.group_of(COMMAND) == {"hooks": [handler]}


# Any document

SPACES = st.sampled_from(["", " ", "  ", "\n", "\n  ", "\n\t", "\r\n    ", "\n\n"])
COMMENTS = st.sampled_from(["", "", "", " // é, } ]\n", " /* , { */ ", "/**/", " /* a\n b */"])
NAMES = st.sampled_from(["model", "env", "a\\u00e9", 'q\\"', "hooks2", "// no comment", "é"])
SCALARS = st.sampled_from(['"x, y"', '"/* no */"', "1", "-2.5e+10", "true", "null", '""', '"\\\\"'])


@st.composite
def gaps(draw: st.DrawFn) -> str:
    """Return what may stand between any two tokens."""
    return draw(SPACES) + draw(COMMENTS) + draw(SPACES)


@st.composite
def containers(draw: st.DrawFn, entries: list[str], brackets: str) -> str:
    """Return an object or array of entries, laid out somehow."""
    pieces = [brackets[0]]
    for index, entry in enumerate(entries):
        comma = "," if index < len(entries) - 1 or draw(st.booleans()) else ""
        pieces += [draw(gaps()), entry, draw(gaps()), comma]
    return "".join([*pieces, draw(gaps()), brackets[1]])


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> str:
    """Return any value."""
    kind = draw(st.sampled_from(["scalar", "array", "object"])) if depth else "scalar"
    if kind == "scalar":
        return draw(SCALARS)
    listed = draw(st.lists(values(depth - 1), max_size=3))
    if kind == "array":
        return draw(containers(listed, "[]"))
    names = draw(st.lists(NAMES, min_size=len(listed), max_size=len(listed), unique=True))
    return draw(containers(draw(members(dict(zip(names, listed, strict=True)))), "{}"))


@st.composite
def members(draw: st.DrawFn, named: dict[str, str]) -> list[str]:
    """Return the entries of an object."""
    return [f'"{name}"{draw(gaps())}:{draw(gaps())}{value}' for name, value in named.items()]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return settings with or without hooks of other people, laid out somehow."""
    named = draw(st.dictionaries(NAMES, values(), max_size=3))
    if draw(st.booleans()):
        groups = draw(st.lists(values(), max_size=2))
        events = {"Stop": "[]"} if draw(st.booleans()) else {}
        if draw(st.booleans()):
            events["SessionStart"] = draw(containers(groups, "[]"))
        named["hooks"] = draw(containers(draw(members(events)), "{}"))
        if draw(st.booleans()):
            named = {"hooks": named.pop("hooks"), **named}
    root = draw(containers(draw(members(named)), "{}"))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    text = mark + draw(gaps()) + root + draw(gaps())
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents())
def test_any_settings_are_read_as_others_read_them(text: str) -> None:
    def plain(value: object) -> object:
        match value:
            case jsonc.Scalar(text=written):
                return json.loads(written)
            case dict():
                return {name: plain(inner) for name, inner in value.items()}
            case list():
                return [plain(inner) for inner in value]
            case _:
                return value

    assert plain(jsonc.scan(text).plain()) == strict(text)


@given(documents())
def test_any_settings_gain_the_hook_and_nothing_else(text: str) -> None:
    spliced = session_hook.put_in(text, COMMAND)
    assert isinstance(spliced, Spliced)
    assert strict(spliced.text) == with_hook(strict(text))
    assert jsonc.take_out(spliced.text, spliced.insertions) == text
    assert session_hook.put_in(spliced.text, COMMAND) is None


@given(documents())
def test_any_settings_lose_the_hook_and_nothing_else(text: str) -> None:
    spliced = session_hook.put_in(text, COMMAND)
    assert isinstance(spliced, Spliced)
    without = session_hook.take_out(spliced.text, spliced.made)
    assert isinstance(without, str), without
    assert strict(without) == strict(text)
    comments = re.compile(r"// é, } \]|/\*.*?\*/", re.DOTALL)
    assert comments.findall(without) == comments.findall(text)


@given(documents())
def test_any_settings_are_put_back_exactly_after_a_renewal(text: str) -> None:
    spliced = session_hook.put_in(text, COMMAND)
    assert isinstance(spliced, Spliced)
    renewed = session_hook.put_in(spliced.text, NEWER, made=spliced.made)
    assert isinstance(renewed, Spliced)
    assert renewed.text == spliced.text.replace(COMMAND, NEWER)
    base = jsonc.take_out(renewed.text, renewed.insertions)
    assert base is not None and strict(base) == strict(text)
