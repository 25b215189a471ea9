"""``twice project`` as a person types it: what is listed, joined, taken apart, and refused."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faces.desk import Desk, Ran, compare, normalised, seated

from twice.actions.joining import Joining, Listed
from twice.core.kept import KnownProject
from twice.faces import identity
from twice.faces.columns import columns

PROGRAM = Path(sys.executable).with_name("twice")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with the sample project, and two more of one name."""
    with seated(Desk(tmp_path)) as desk:
        ids = desk.dream()
        desk.twice("approve", ids["main"])
        for folder in ("old", "new"):
            place = desk.home / folder / "app"
            (place / ".git").mkdir(parents=True)
            text = {"kind": "memory", "text": f"Say {folder} things."}
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(place)
                handed = desk.twice("propose", "--file", "-", "--json", given=json.dumps(text))
                assert handed.code == 0, handed.err
        yield desk


def listed(desk: Desk) -> dict[str, Any]:
    """Return every known project, by its folder."""
    value = desk.twice("project", "list", "--json").value
    return {Path(item["folder"]).parent.name: item for item in value["projects"]}


def names(desk: Desk) -> tuple[str, str]:
    """Return the ids of the two projects that have one name."""
    found = listed(desk)
    return found["old"]["id"], found["new"]["id"]


def refused(ran: Ran, *words: str) -> None:
    assert (ran.code, ran.out) == (1, ""), ran
    assert ran.err.count("\n") == 1 and "Traceback" not in ran.err
    for word in words:
        assert word in ran.err, ran.err


def test_listing_joining_and_parting_reads_as_written_down(desk: Desk) -> None:
    def screen(name: str, *arguments: str) -> None:
        ran = desk.twice("project", *arguments)
        assert ran.code == 0, ran.err
        out = re.sub(r"(?<=joined )\d{4}-\d\d-\d\d", "2026-12-31", ran.out)
        own = out.partition("\nwork  prj_")[0]  # its folder has a long and random name
        compare(name, normalised(f"$ twice project {' '.join(arguments)}\n{own}{ran.err}", desk))
        assert max(map(columns, ran.out.splitlines())) <= 80

    old, new = "~/old/app", "~/new/app"
    screen("project-list.txt", "list")
    screen("project-link-dry.txt", "link", old, new, "--dry-run")
    screen("project-link.txt", "link", old, new, "--yes")
    screen("project-list-joined.txt", "list")
    screen("project-unlink.txt", "unlink", old, "--yes")
    assert desk.twice("verify").code == 0


def test_without_a_word_the_projects_are_listed(desk: Desk) -> None:
    assert desk.twice("project").out == desk.twice("project", "list").out
    assert desk.twice("project", "--json").out == desk.twice("project", "list", "--json").out


def test_nothing_known_is_said_to_be_so(tmp_path: Path) -> None:
    with seated(Desk(tmp_path)) as desk:
        assert desk.twice("project", "list").out == "No project is known yet. Next: twice dream\n"
        assert desk.twice("project", "list", "--json").value == {"projects": []}


def test_a_person_is_asked_and_may_say_no(desk: Desk) -> None:
    old, new = names(desk)
    before = desk.everything()
    for answer, code in (("n", 1), ("", 1)):
        ran = desk.type("project", "link", old, new, lines=(answer,))
        assert (ran.code, "Nothing was changed" in ran.err) == (code, True)
    assert desk.type("project", "link", old, new, then="interrupt").code == 1
    ran = desk.twice("project", "link", old, new)
    assert (ran.code, ran.err) == (
        1,
        f"Nothing was changed. Hint: twice project link {old} {new} --yes\n",
    )
    assert desk.twice("project", "link", old, new, "--dry-run").code == 0
    assert desk.twice("project", "link", old, new, "--json").value["entry"] is None
    assert desk.everything() == before
    ran = desk.type("project", "link", old, new, lines=("y",))
    assert ran.code == 0 and f"Undo: twice project unlink {old}" in ran.out
    ran = desk.type("project", "unlink", old, lines=("y",))
    assert ran.code == 0 and "Taken apart" in ran.out


def test_scripts_join_and_part(desk: Desk) -> None:
    old, new = names(desk)
    before = listed(desk)
    joined = desk.twice("project", "link", old, new, "--yes", "--json").value
    assert (joined["project"]["id"], joined["into"]["id"]) == (old, new)
    assert isinstance(joined["entry"], int)
    (inner,) = listed(desk)["new"]["joined"]
    assert inner["id"] == old and inner["since"] and "old" not in listed(desk)
    parted = desk.twice("project", "unlink", old, "--yes", "--json").value
    assert (parted["from"]["id"], parted["entry"]) == (new, joined["entry"] + 1)
    assert listed(desk) == before


def test_joined_projects_are_one_for_every_other_command(desk: Desk) -> None:
    old, new = names(desk)
    for item in desk.twice("review", "--list", "--json").value["proposals"]:
        if item["text"] == "Say old things.":
            desk.twice("approve", item["id"])
    assert desk.twice("review", "--list", "--project", "app").code == 1
    desk.twice("project", "link", old, new, "--yes")
    said = desk.twice("review", "--list", "--project", "app", "--json").value["proposals"]
    assert {item["text"] for item in said} == {"Say old things.", "Say new things."}
    assert {item["project"] for item in said} == {"app"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk.home)
        assert desk.twice("context", "--project", "old/app").code == 0
    for named in (old, new, "app", "~/old/app", str(desk.home / "new" / "app" / "src")):
        told = desk.twice("context", "--project", named, "--json").value
        assert (told["project"], len(told["shown"])) == ("app", 1), named
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk.home / "new" / "app")
        status = desk.twice("status", "--json").value
    assert (status["project"], status["waiting_here"], status["in_force_here"]) == ("app", 1, 1)


def test_equal_names_are_told_apart_by_their_folders(desk: Desk) -> None:
    old, new = names(desk)
    shown = desk.twice("review", "--list", "--json").value["proposals"]
    of = {item["project"] for item in shown if item["text"].startswith("Say")}
    assert of == {f"app (~/{folder}/app)" for folder in ("old", "new")}
    refused(desk.twice("project", "link", "app", "shop"), "Several projects", old, new, "~/old/app")
    refused(desk.twice("project", "link", "shop", "nowhere"), "There is no project", "Known: app (")


def test_what_cannot_be_joined_is_refused_in_one_line_and_nothing_changes(desk: Desk) -> None:
    old, new = names(desk)
    shop = next(item["id"] for item in listed(desk).values() if item["name"] == "shop")
    assert desk.twice("project", "link", old, new, "--yes").code == 0
    before = desk.everything()
    for one, two, words in (
        (shop, shop, "is one project already"),
        (old, new, "already"),
        (old, shop, f"twice project unlink {old}"),
        (new, old, "already"),
        (shop, old, f"twice project link {shop} {new}"),
        (new, shop, f"twice project unlink {old}"),
        (shop, "nowhere", "There is no project"),
        (shop, "./no/such/folder/../../../../..", "There is no project"),
    ):
        refused(desk.twice("project", "link", one, two, "--yes"), words)
    for one, words in ((shop, "reads as itself"), (new, old), ("nowhere", "There is no project")):
        refused(desk.twice("project", "unlink", one, "--yes"), words)
    for usage in (("link", old), ("link",), ("unlink",), ("nonsense",), ("list", "more")):
        ran = desk.twice("project", *usage)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert desk.everything() == before


def test_of_two_with_one_name_the_joined_one_is_taken_apart(desk: Desk) -> None:
    old, new = names(desk)
    desk.twice("project", "link", old, new, "--yes")
    assert desk.twice("project", "unlink", "app", "--yes", "--json").value["project"]["id"] == old


def test_it_is_installed_and_speaks_any_locale_without_colour(desk: Desk) -> None:
    if not PROGRAM.exists():
        pytest.skip("the command is not installed beside this Python")
    environment = {"PATH": os.environ["PATH"], **desk.environment(), "LC_ALL": "C"}
    for more in ({}, {"NO_COLOR": "1"}):
        done = subprocess.run(
            [PROGRAM, "project", "list"],
            env={**environment, **more},
            cwd=desk.work,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == desk.twice("project", "list").out
        assert b"\x1b" not in done.stdout and done.stderr == b""


def described(name: str, root: str, *keys: str, **numbers: Any) -> Listed:
    project = KnownProject("prj_0123456789", name, root, False, keys, joined=1)
    counts = {"sessions": 1, "turns": 1, "first": None, "last": None, "waiting": 0, "approved": 0}
    return Listed(project, name, gone=True, **{**counts, **numbers})


def test_whatever_its_parts_a_list_fits_the_screen_and_steers_no_terminal() -> None:
    long = described(
        "n" * 90 + "\x1b[2K", "~/" + "日本" * 60,
        "remote:" + "r" * 200, "git:~/x y", "path:~/\u202ez",
        sessions=10**7, turns=10**9, first=0, last=10**15, waiting=10**4, approved=10**4,
    )  # fmt: skip
    plan = Joining(long, long, 10, 10, (("prp_1", "prp_2"),), ("prp_0123456789",) * 9)
    found = [(long, long, long)]
    for lines in (
        identity.project_lines(found), identity.joining_lines(plan), identity.parting_lines(plan),
    ):  # fmt: skip
        assert max(map(columns, lines)) <= 80
        assert not set("".join(lines)) & set("\x1b\u202e")
