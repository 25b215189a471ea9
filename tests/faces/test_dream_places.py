"""Where a dream looks that is given no path: the agents' places, and the projects known by now."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faces.desk import Desk, seated
from tests.sources.samples import SESSION, SPECSTORY_1, lines, reply, typed


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        yield desk


def test_a_project_that_is_known_is_asked_for_its_own_history(desk: Desk) -> None:
    shop = desk.home / "src" / "shop"
    history = shop / ".specstory" / "history"
    sessions = desk.home / ".claude" / "projects" / "-src-shop"
    for folder in (shop / ".git", history, sessions):
        folder.mkdir(parents=True)
    (history / "2026-03-04_10-00-shop.md").write_bytes(SPECSTORY_1)
    said = lines(typed("look at it", 0, cwd=str(shop)), reply("Done.", 1, cwd=str(shop)))
    (sessions / f"{SESSION}.jsonl").write_bytes(said)

    def dreamt() -> int:
        report = desk.twice("dream", "--mode", "suggest", "--json").value
        return int(report["read"]["sessions"])

    assert [dreamt(), dreamt(), dreamt()] == [1, 1, 0]
