"""What was noted of projects and folders in which nothing changed since: no second look is needed.

A project's note goes with any change of its evidence and decisions, a folder's when a person had
something forgotten; otherwise what stands in a note says whether it still holds.
"""

from collections.abc import Iterable, Mapping

from twice.store.rows import Tables

PROJECT = "quiet:"
FOLDER = "folder:"


def notes(tables: Tables, kind: str) -> dict[str, str]:
    """Return the notes of a kind, by what they are about."""
    rows = tables.select("meta", ("key", ">", kind), ("key", "<", kind + "~"))
    return {row["key"].removeprefix(kind): row["value"] for row in rows}


def put(tables: Tables, kind: str, noted: Mapping[str, str]) -> None:
    """Note something, each in the place of what was noted of the same."""
    tables.put("meta", [{"key": kind + about, "value": text} for about, text in noted.items()])


def drop(tables: Tables, projects: Iterable[str]) -> None:
    """Take the notes of projects away: something changed in them."""
    tables.delete("meta", ("key", "in", [PROJECT + project for project in projects]))


def drop_all(tables: Tables, kind: str) -> None:
    """Take every note of a kind away."""
    tables.delete("meta", ("key", ">", kind), ("key", "<", kind + "~"))
