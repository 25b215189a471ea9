"""What is written down of the JSON is what commands print, field by field."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.examples import ROOT
from tests.faces.desk import Desk, seated

PAGE = (ROOT / "docs" / "formats" / "json.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", PAGE, re.MULTILINE))
SESSION = "9e286ed7-d4fe-57bf-9d14-9fde47bf9ec2"


def documented(title: str) -> set[str]:
    """Return the paths in the table of a section."""
    return set(re.findall(r"^\| `([^`]+)` \|", SECTIONS[title], re.MULTILINE))


def differences(paths: set[str], value: Any, at: str = "") -> Iterator[str]:
    """Yield what is printed and not written down, or written down and not printed.

    What has no fields of its own in the table may hold anything.
    """
    below = {path[len(at) :] for path in paths if path.startswith(at)} if at else paths
    wanted = {re.split(r"\.|\[", path, maxsplit=1)[0] for path in below if path}
    if isinstance(value, list):
        for item in value:
            yield from differences(paths, item, at)
    elif isinstance(value, dict):
        yield from (f"not written down: {at}{name}" for name in sorted(value.keys() - wanted))
        yield from (f"not printed: {at}{name}" for name in sorted(wanted - value.keys()))
        for name in sorted(wanted & value.keys()):
            deeper = f"{at}{name}" + ("[]." if isinstance(value[name], list) else ".")
            if any(path.startswith(deeper) for path in paths):
                yield from differences(paths, value[name], deeper)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what each documented command prints."""
    with seated(Desk(tmp_path_factory.mktemp("desk"))) as desk:

        def run(*arguments: str, given: str = "") -> Any:
            return desk.twice(*arguments, "--json", given=given).value

        skill = {"kind": "skill", "name": "notes", "description": "How to.", "body": "# Steps"}
        dreamt = run("dream", "sessions", "--mode", "suggest")
        handed = run("propose", "--file", "-", given=json.dumps([skill, {"kind": "x"}]))
        (id,) = (item["id"] for item in handed["proposals"])
        approved = run("approve", id)
        (desk.work / "sessions" / "gone.jsonl").symlink_to("nowhere")
        turns = desk.twice("sources", "turns", "sessions", "--json").out
        shown = {
            "`twice review --list --json`": run("review", "--list"),
            "`twice dream --json`": dreamt,
            "`twice context --json`": run("context", "--project", "shop"),
            "`twice status --json`": run("status"),
            "`twice why --json`": run("why", id),
            "`twice forget --json`": run("forget", SESSION),
            "`twice verify --json`": run("verify"),
            "`twice settings --json`": run("settings"),
            "`twice init --json`": run("init", "--yes"),
            "`twice propose --json`": handed,
            "`twice explain-text --json`": run("explain-text", "I like tabs. Use pnpm, not npm"),
            "`twice sources --json`": run("sources", "sessions"),
            "`twice sources turns --json`": [json.loads(line) for line in turns.splitlines()],
        }
        run("settings", "evolution", "suggest")
        line = json.dumps({"session": "s1", "speaker": "human", "text": "Use pnpm."})
        shown["`twice record --json`"] = run("record", given=f"oops\n{line}\n")
        shown |= {
            "`twice project link --json`": run("project", "link", "work", "shop", "--yes"),
            "`twice project list --json`": run("project", "list"),
            "`twice project unlink --json`": run("project", "unlink", "work", "--yes"),
        }
        deciding = "`twice approve --json`, `twice reject --json`, `twice rollback --json`"
        return shown | {"A proposal": approved, deciding: run("rollback", id)}


def test_every_section_with_fields_is_compared(printed: dict[str, Any]) -> None:
    with_fields = {title for title in SECTIONS if documented(title)}
    assert with_fields - {"Candidates for `twice propose --file`"} == printed.keys()


@pytest.mark.parametrize("title", [title for title in SECTIONS if "Candidates" not in title])
def test_what_is_written_down_is_what_is_printed(title: str, printed: dict[str, Any]) -> None:
    paths, value = documented(title), printed[title]
    whole = documented("A proposal")
    if "rollback" in title:
        paths |= whole
    if "why" in title:
        paths |= {f"items[].{path}" for path in whole}
    assert list(differences(paths, value)) == []


def test_the_statuses_are_the_real_words() -> None:
    from twice.core.states import Status

    (row,) = re.findall(r"^\| `status` \| (.+) \|$", SECTIONS["A proposal"], re.MULTILINE)
    assert re.findall("`([^`]+)`", row) == [str(status) for status in Status]


def test_the_candidates_shown_are_taken(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(\[.*?)```", PAGE, re.DOTALL)
    with seated(Desk(tmp_path)) as desk:
        ran = desk.twice("propose", "--file", "-", "--json", given=example)
    assert ran.code == 0, ran.err
    kinds = [item["kind"] for item in ran.value["proposals"]]
    assert sorted(kinds) == ["instruction", "memory", "skill"]
