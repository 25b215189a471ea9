"""Which folder a conversation of Cursor's editor belongs to, and where its databases lie."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.sources.samples import SESSION, read, said, session
from tests.sources.samples_cursor import bubble, composer, folder, put

from twice.core.transcript import Position, Session
from twice.sources.cursor import Cursor

SOURCE = Cursor()
OTHER = "bbbbbbbb-2222-4333-8444-555555555555"
VIEW = "workbench.panel.aichat.view."


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "Cursor" / "User"


def talk(user: Path, *, id: str = SESSION, **facts: Any) -> Path:
    """Put a conversation into the database of all folders."""
    rows = composer(bubble("use pnpm", 1), id=id, **facts)
    return put(user / "globalStorage" / "state.vscdb", rows)


def window(user: Path, name: str, opened: dict[str, str], **items: Any) -> Path:
    """Put a window, with what it had open and what its database names."""
    path = put(user / "workspaceStorage" / name / "state.vscdb", items=items)
    path.with_name("workspace.json").write_text(json.dumps(opened))
    return path


def cwds(path: Path) -> dict[str, str]:
    """Return the folder of each conversation, as the first that is told of it."""
    first = {log.part: next(log.read(Position())) for log in SOURCE.logs(path)}
    return {part: item.cwd for part, item in first.items() if isinstance(item, Session)}


def test_a_conversation_notes_its_folder_itself(user: Path) -> None:
    path = talk(user, workspaceIdentifier=folder("/work/my shop"))
    talk(user, id=OTHER, workspaceIdentifier=folder("/work/other"))
    assert cwds(path) == {SESSION: "/work/my shop", OTHER: "/work/other"}


def test_a_folder_may_be_noted_as_a_path_only(user: Path) -> None:
    path = talk(user, workspaceIdentifier={"id": "x", "uri": {"fsPath": "/work/shop"}})
    assert cwds(path) == {SESSION: "/work/shop"}


def test_what_a_window_had_open_is_told_by_its_id(user: Path) -> None:
    window(user, "1a2b", {"folder": "file:///work/shop"})
    path = talk(user, workspaceIdentifier={"id": "1a2b"})
    talk(user, id=OTHER, workspaceIdentifier={"id": "empty-window"})
    assert cwds(path) == {SESSION: "/work/shop", OTHER: ""}


@pytest.mark.parametrize("id", ["../1a2b", "/", "", "..", 5, None])
def test_an_id_that_is_none_leads_nowhere(user: Path, id: object) -> None:
    window(user, "1a2b", {"folder": "file:///work/shop"})
    (user / "workspace.json").write_text('{"folder": "file:///work/wrong"}')
    assert cwds(talk(user, workspaceIdentifier={"id": id})) == {SESSION: ""}


def test_the_list_of_a_window_names_its_conversations(user: Path) -> None:
    listed = {"allComposers": [{"composerId": SESSION, "name": "yarn"}, {"composerId": 5}, 5]}
    window(user, "1a2b", {"folder": "file:///work/shop"}, **{"composer.composerData": listed})
    window(user, "3c4d", {"folder": "file:///work/other"}, **{"composer.composerData": {}})
    path = talk(user)
    talk(user, id=OTHER)
    assert cwds(path) == {SESSION: "/work/shop", OTHER: ""}


@pytest.mark.parametrize("named", ["selectedComposerIds", "lastFocusedComposerIds"])
def test_a_window_names_those_that_were_selected(user: Path, named: str) -> None:
    items = {"composer.composerData": {named: [SESSION], "hasMigratedComposerData": True}}
    window(user, "1a2b", {"folder": "file:///work/shop"}, **items)
    assert cwds(talk(user)) == {SESSION: "/work/shop"}


def test_a_window_names_those_that_it_shows(user: Path) -> None:
    pane = "workbench.panel.composerChatViewPane.0f0f"
    shown = {f"{VIEW}{SESSION}": {"collapsed": False}, f"{VIEW}other": {}}
    items = {pane: shown, f"{pane}.hidden": [{"id": f"{VIEW}{OTHER}"}]}
    window(user, "1a2b", {"folder": "file:///work/shop"}, **items)
    path = talk(user)
    talk(user, id=OTHER)
    assert cwds(path) == {SESSION: "/work/shop", OTHER: ""}


def test_the_first_message_may_note_the_folder(user: Path) -> None:
    uris = ["file:///work/shop"]
    rows = composer(bubble("use pnpm", 1, workspaceUris=uris))
    two = composer(bubble("use yarn", 2, workspaceUris=[*uris, "file:///work/b"]), id=OTHER)
    assert cwds(put(user / "globalStorage" / "state.vscdb", rows | two)) == {
        SESSION: "/work/shop",
        OTHER: "",
    }


def test_a_folder_on_another_machine_is_no_folder_of_this_one(user: Path) -> None:
    uri = {"scheme": "vscode-remote", "external": "vscode-remote://ssh-remote%2Bbox/srv/shop"}
    uri |= {"path": "/srv/shop", "fsPath": "/srv/shop"}
    assert cwds(talk(user, workspaceIdentifier={"id": "1a2b", "uri": uri})) == {SESSION: ""}


def test_a_folder_that_a_remote_window_shares_with_this_machine_is_told(
    user: Path, tmp_path: Path
) -> None:
    (tmp_path / "shop").mkdir()
    remote = f"vscode-remote://wsl%2Bubuntu{tmp_path}/shop"
    window(user, "1a2b", {"folder": remote})
    path = talk(user, workspaceIdentifier={"id": "1a2b"})
    assert cwds(path) == {SESSION: str(tmp_path / "shop")}


def test_a_window_with_several_folders_names_none_of_them(user: Path, tmp_path: Path) -> None:
    listing = tmp_path / "all.code-workspace"
    listing.write_text('{"folders": [{"path": "/work/a"}, {"path": "/work/b"}]}')
    window(user, "1a2b", {"workspace": listing.as_uri()})
    assert cwds(talk(user, workspaceIdentifier={"id": "1a2b"})) == {SESSION: ""}


def test_the_database_of_a_window_lies_beside_its_note(user: Path) -> None:
    held = {"composerId": SESSION, "conversation": [bubble("use pnpm", 1)], "createdAt": 1_000}
    items = {"composer.composerData": {"allComposers": [held]}}
    path = window(user, "1a2b", {"folder": "file:///work/shop"}, **items)
    assert cwds(path) == {SESSION: "/work/shop"}


def test_a_window_that_cannot_be_read_names_nothing(user: Path) -> None:
    path = window(user, "1a2b", {"folder": "file:///work/shop"})
    path.write_bytes(b"not a database" * 100)
    window(user, "3c4d", {"folder": "file:///work/shop"}, **{"composer.composerData": "odd"})
    with closing(sqlite3.connect(user / "workspaceStorage" / "3c4d" / "state.vscdb")) as other:
        other.execute("DROP TABLE ItemTable")
        other.commit()
    assert cwds(talk(user)) == {SESSION: ""}


HOMES = {
    "linux": (".config/Cursor", {}),
    "nightly": (".config/Cursor Nightly", {}),
    "xdg": ("xdg/Cursor", {"XDG_CONFIG_HOME": "xdg"}),
    "macos": ("Library/Application Support/Cursor", {}),
    "windows": ("AppData/Roaming/Cursor", {"APPDATA": "AppData/Roaming"}),
    "portable": ("portable/user-data", {"VSCODE_PORTABLE": "portable"}),
}


@pytest.mark.parametrize("system", HOMES)
def test_the_databases_of_the_editor_are_found_on_every_system(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    place, variables = HOMES[system]
    user = tmp_path / place / "User"
    found = talk(user)
    named = window(user, "1a2b", {"folder": "file:///work/shop"})
    (user / "globalStorage" / "other.db").write_bytes(b"")
    put(user / "globalStorage" / "some.extension" / "state.vscdb", {"composerData:x": {}})
    (user / "workspaceStorage" / "never-opened").mkdir()
    source = Cursor(environ={name: str(tmp_path / value) for name, value in variables.items()})
    assert source.homes() == [found.parent, named.parent]
    assert [path for home in source.homes() for path in source.files(home)] == [found, named]


def test_a_machine_without_cursor_has_no_homes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Cursor(environ={}).homes() == []


def test_the_window_s_database_tells_nothing_that_the_other_one_tells(user: Path) -> None:
    listed = {"allComposers": [{"composerId": SESSION, "lastUpdatedAt": 1, "name": "yarn"}]}
    items = {"composer.composerData": listed, "aiService.prompts": [{"text": "use yarn"}]}
    assert said(read(SOURCE, window(user, "1a2b", {"folder": "file:///work/shop"}, **items))) == []
    assert session(read(SOURCE, talk(user))).cwd == "/work/shop"
