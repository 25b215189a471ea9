"""Sessions of OpenCode from its stores to what a dream counts: each once, and none overlooked."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.faces.desk import Desk, seated
from tests.sources import samples_opencode as made
from tests.sources.samples_opencode import Store, asked, refused, reply, typed

MESSAGES = [
    typed(0, "set up the shop"),
    reply(1, "I used npm for it.", parts=[asked(2, [["use bun for tests"]], ["jest", "vitest"])]),
    typed(4, "always use pnpm, never npm"),
    reply(5, "Switched to pnpm.", parts=[refused(6, "never push to main")]),
    typed(8, "réponds en français"),
]
TURNS = 5


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with seated(Desk(tmp_path)) as desk:
        (desk.home / ".local" / "share" / "opencode").mkdir(parents=True)
        yield desk


def data(desk: Desk) -> Path:
    return desk.home / ".local" / "share" / "opencode"


def in_database(desk: Desk) -> None:
    with Store(data(desk) / "opencode.db") as store:
        store.write(MESSAGES, directory=str(desk.work))


def in_second(desk: Desk) -> None:
    with Store(data(desk) / "opencode-beta.db", first=False, second=True) as store:
        store.write_second(made.entries(MESSAGES), directory=str(desk.work))


def in_tree(desk: Desk) -> None:
    made.write_tree(data(desk) / "storage", MESSAGES, directory=str(desk.work))


def in_export(desk: Desk) -> None:
    exported = made.export(MESSAGES, directory=str(desk.work))
    (desk.work / "export.json").write_bytes(exported)


def dream(desk: Desk, *paths: str) -> dict[str, Any]:
    report: dict[str, Any] = desk.twice("dream", *paths, "--mode", "suggest", "--json").value
    return report


def kept(desk: Desk) -> dict[str, int]:
    tables = ("sessions", "turns", "sightings")
    with closing(sqlite3.connect(desk.data / "twice.db")) as store:
        return {
            name: store.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables
        }


def keep_and_dream(desk: Desk, keep: Any) -> dict[str, Any]:
    keep(desk)
    return dream(desk, *(["export.json"] if keep is in_export else []))


STORES = [in_database, in_second, in_tree, in_export]


@pytest.mark.parametrize("order", [STORES, STORES[::-1], STORES[2:] + STORES[:2]])
def test_r53_a_session_in_every_store_at_once_counts_once(order: list[Any], desk: Desk) -> None:
    keep_and_dream(desk, order[0])
    first = kept(desk)
    assert (first["sessions"], first["turns"]) == (1, TURNS)
    assert first["sightings"] > 2
    for keep in order[1:]:
        report = keep_and_dream(desk, keep)
        assert report["read"]["turns"] == TURNS
        assert report["evolution"]["observed"]["new_sightings"] == 0
    assert kept(desk) == first


def test_a_session_that_grew_is_told_on_from_any_store(desk: Desk) -> None:
    in_database(desk)
    in_tree(desk)
    dream(desk)
    before = kept(desk)
    more = [*MESSAGES, typed(20, "use bun, not pnpm")]
    made.write_tree(data(desk) / "storage", more, directory=str(desk.work))
    assert dream(desk)["read"]["turns"] == 1
    assert kept(desk)["turns"] == before["turns"] + 1


def test_r53_stores_that_cannot_be_read_are_named_and_spare_the_others(desk: Desk) -> None:
    in_database(desk)
    damaged, unknown = data(desk) / "opencode-damaged.db", data(desk) / "opencode-new.db"
    damaged.write_bytes(made.DATABASE[:100] + bytes(9_000))
    with closing(sqlite3.connect(unknown)) as connection:
        connection.execute("CREATE TABLE conversation (id)")
    (data(desk) / "opencode-empty.db").touch()
    read = dream(desk)["read"]
    assert (read["sessions"], read["turns"]) == (1, TURNS)
    named = sorted(json.dumps(line) for line in read["unreadable"])
    assert [name in line for name, line in zip((damaged.name, unknown.name), named, strict=True)]
