"""What was noted of projects in which nothing changed since: they need no second look."""

from collections.abc import Iterable

from twice.store.rows import Tables

_PREFIX = "quiet:"


def notes(tables: Tables) -> dict[str, str]:
    """Return the notes that hold, by project."""
    rows = tables.select("meta", ("key", ">", _PREFIX), ("key", "<", _PREFIX + "~"))
    return {row["key"].removeprefix(_PREFIX): row["value"] for row in rows}


def note(tables: Tables, project: str, text: str) -> None:
    """Note of a project what holds until its evidence or its decisions change."""
    tables.put("meta", [{"key": _PREFIX + project, "value": text}])


def drop(tables: Tables, projects: Iterable[str]) -> None:
    """Take the notes of projects away: something changed in them."""
    tables.delete("meta", ("key", "in", [_PREFIX + project for project in projects]))


def drop_all(tables: Tables) -> None:
    """Take every note away."""
    drop(tables, notes(tables))
