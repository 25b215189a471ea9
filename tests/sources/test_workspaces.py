"""Which folder a window of an editor had open."""

import json
from pathlib import Path

import pytest

from twice.sources.workspaces import NOTHING, Opened, local_path, opened_at, opened_in


def noted(storage: Path, **opened: object) -> Opened:
    (storage / "workspace.json").write_text(json.dumps(opened), encoding="utf-8")
    return opened_in(storage)


def listing(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def test_a_folder_is_known_by_its_uri(tmp_path: Path) -> None:
    assert (
        noted(tmp_path, folder="file:///work/my%20shop%20%F0%9F%99%82").folder == "/work/my shop 🙂"
    )


@pytest.mark.parametrize(
    "uri",
    [
        *("", "shop", "/work/shop", "file://shop", "vscode-userdata:/shop", "http://a/b"),
        *("file://server/share/shop", "file:///c%3A/Users/ann/shop", "untitled:shop"),
        *("vscode-remote://ssh-remote%2Bhost/srv/shop", "vscode-remote://wsl%2Bubuntu/srv/shop"),
        *(
            "file://wsl.localhost/Ubuntu/srv/shop",
            "vscode-remote://dev-container%2Bzz/workspaces/a",
        ),
        "vscode-remote://codespaces%2Bname/workspaces/shop",
    ],
)
def test_what_is_on_no_disk_of_this_machine_is_no_folder(uri: str) -> None:
    assert opened_at(uri) == NOTHING


def test_a_folder_reached_from_another_system_is_one_where_it_is_here(tmp_path: Path) -> None:
    for start in (
        *("vscode-remote://wsl%2Bubuntu", "vscode-remote://ssh-remote%2Bhost"),
        "file://wsl.localhost/Ubuntu",
    ):
        assert opened_at(f"{start}{tmp_path}").folder == str(tmp_path)


def test_a_container_belongs_to_the_folder_that_it_was_made_for() -> None:
    made_for = json.dumps({"hostPath": "/work/shop", "configFile": {}}).encode().hex()
    assert (
        opened_at(f"vscode-remote://dev-container%2B{made_for}/workspaces/shop").folder
        == "/work/shop"
    )
    plain = b"/work/shop".hex()
    assert opened_at(f"vscode-remote://dev-container%2B{plain}@ssh/w").folder == "/work/shop"


def test_a_repository_that_is_only_looked_at_is_a_remote() -> None:
    assert opened_at("vscode-vfs://github/ann/shop").remote == "https://github.com/ann/shop"
    assert opened_at("vscode-vfs://github%2B7b/ann/shop").remote == "https://github.com/ann/shop"


def test_of_one_listed_folder_it_is_known_that_it_was_meant(tmp_path: Path) -> None:
    text = '{\n  // the shop\n  "folders": [{"path": "shop"}, ],\n "settings": {"a": "//,}"}\n}'
    uri = listing(tmp_path / "w" / "a.code-workspace", text)
    assert noted(tmp_path, workspace=uri).folder == str(tmp_path / "w" / "shop")
    assert noted(tmp_path, configuration=uri).folder == str(tmp_path / "w" / "shop")


def test_of_several_the_one_that_holds_them_all_is_meant(tmp_path: Path) -> None:
    text = json.dumps({"folders": [{"path": "."}, {"path": "web"}, {"uri": tmp_path.as_uri()}]})
    assert noted(tmp_path, workspace=listing(tmp_path / "a.code-workspace", text)).folder == str(
        tmp_path
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"folders": [{"path": "web"}, {"path": "api"}]}',
        '{"folders": [{"path": "."}, {"path": "/elsewhere"}]}',
        '{"folders": [{"path": "web"}, {"uri": "vscode-remote://ssh-remote%2Bh/srv"}]}',
        *('{"folders": []}', '{"folders": 1}', "{", "", '{"folders": [{"name": "web"}]}'),
    ],
)
def test_of_several_folders_nobody_knows_which_was_meant(tmp_path: Path, text: str) -> None:
    assert noted(tmp_path, workspace=listing(tmp_path / "a.code-workspace", text)) == NOTHING


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b'{"folder": 1}', b"[" * 9_999, b"{}"])
def test_a_damaged_note_names_no_folder(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "workspace.json").write_bytes(data)
    assert opened_in(tmp_path) == NOTHING
    assert opened_in(tmp_path / "missing") == NOTHING


def test_a_list_that_is_not_there_names_no_folder(tmp_path: Path) -> None:
    assert noted(tmp_path, workspace="file:///gone/a.code-workspace") == NOTHING
    assert noted(tmp_path, workspace="file:///gone/a%00b") == NOTHING


@pytest.mark.parametrize(
    "path", [r"C:\Users\ann\shop", "c:/Users/ann/shop", "/c:/Users", "shop", ""]
)
def test_a_folder_of_windows_is_none_here(path: str) -> None:
    assert local_path(path) == ""
