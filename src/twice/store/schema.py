"""The one schema, in what SQLite and PostgreSQL share. Times are UTC in microseconds.

Plain values, so that every command starts without an SQL toolkit; the migrations make tables of
them, and a test holds both against each other.
"""

from dataclasses import dataclass
from typing import Literal

Type = Literal["text", "number", "float", "bytes"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``null``: it may be empty."""

    name: str
    type: Type = "text"
    null: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its primary key, its other columns, and indexes as (name, columns)."""

    name: str
    key: tuple[Column, ...]
    others: tuple[Column, ...] = ()
    indexes: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, the key first."""
        return self.key + self.others

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names of the primary key's columns, in order."""
        return tuple(column.name for column in self.key)


def _columns(spec: str) -> tuple[Column, ...]:
    """Read ``name`` or ``name:type``, with ``?`` behind what may be empty."""
    columns = []
    for word in spec.split():
        name, _, type_ = word.rstrip("?").partition(":")
        columns.append(Column(name, type_ or "text", word.endswith("?")))  # type: ignore[arg-type]
    return tuple(columns)


def _table(name: str, key: str, others: str, **indexes: str) -> Table:
    named = tuple((f"{name}_{index}", tuple(on.split())) for index, on in indexes.items())
    return Table(name, _columns(key), _columns(others), named)


_ALL = (
    # Decisions, and the texts that they cite by digest
    _table(
        "entries", "seq:number", "at:number kind subject project actor body prev hash",
        subject="subject",
    ),
    _table("blobs", "digest", "data:bytes"),
    _table("meta", "key", "value"),
    # Derived from the ledger; rebuilt at will
    _table(
        "proposals", "id", "project kind status name hash filed:number seq:number state",
        project="project status", filed="filed",
    ),
    _table("rejections", "project idea", "lineages"),
    _table("contexts", "project", "text check:number shown:number left_out:number"),
    _table("forgotten", "session", "at:number"),
    _table("links", "project", "reads_as at:number", reads_as="reads_as"),
    # What was read
    _table("projects", "id", "name root gone:number"),
    _table("project_keys", "key", "project"),
    _table(
        "readings", "key",
        "source path size:number mtime:number offset:number seq:number told:number session "
        "project policy depth head",
    ),
    _table(
        "sessions", "id",
        "agent project lineage branch path started:number? ended:number? turns:number",
        project="project", lineage="lineage",
    ),
    _table("lineage_keys", "key", "lineage", lineage="lineage"),
    _table("turns", "session place", "seq:number kind at:number? record text"),
    _table(
        "sightings", "session place start:number",
        "project idea agent lineage seq:number event_kind record event kind scope "
        "confidence:float at:number? recorded:number policy language quote? fingerprint?",
        project="project recorded", lineage="lineage",
    ),
    _table("reports", "id", "at:number body"),
)  # fmt: skip

TABLES = {table.name: table for table in _ALL}
DERIVED = ("links", "proposals", "rejections", "contexts", "forgotten")
