"""The one schema, in what SQLite and PostgreSQL share. Times are UTC in microseconds."""

import sqlalchemy as sa

metadata = sa.MetaData()


def _table(name: str, *columns: sa.Column[object] | sa.Index) -> sa.Table:
    return sa.Table(name, metadata, *columns)


def _key(name: str) -> "sa.Column[object]":
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _text(name: str, *, null: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.Text, nullable=null)


def _number(name: str, *, key: bool = False, null: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.BigInteger, primary_key=key, nullable=null, autoincrement=False)


# Decisions, and the texts that they cite by digest
entries = _table(
    "entries",
    _number("seq", key=True),
    _number("at"),
    _text("kind"),
    _text("subject"),
    _text("project"),
    _text("actor"),
    _text("body"),
    _text("prev"),
    _text("hash"),
    sa.Index("entries_subject", "subject"),
)
blobs = _table("blobs", _key("digest"), sa.Column("data", sa.LargeBinary, nullable=False))
meta = _table("meta", _key("key"), _text("value"))

# Derived from the ledger; rebuilt at will
proposals = _table(
    "proposals",
    _key("id"),
    _text("project"),
    _text("kind"),
    _text("status"),
    _text("name"),
    _text("hash"),
    _number("filed"),
    _number("seq"),
    _text("state"),
    sa.Index("proposals_project", "project", "status"),
    sa.Index("proposals_filed", "filed"),
)
rejections = _table("rejections", _key("project"), _key("idea"), _text("lineages"))
contexts = _table("contexts", _key("project"), _text("text"), _number("shown"), _number("left_out"))

# What was read
projects = _table("projects", _key("id"), _text("name"), _text("root"), _number("gone"))
project_keys = _table("project_keys", _key("key"), _text("project"))
readings = _table(
    "readings",
    _key("key"),
    _text("source"),
    _text("path"),
    _number("size"),
    _number("mtime"),
    _number("offset"),
    _number("seq"),
    _number("told"),
    _text("session"),
    _text("project"),
    _text("policy"),
    _text("depth"),
    _text("head"),
)
sessions = _table(
    "sessions",
    _key("id"),
    _text("agent"),
    _text("project"),
    _text("lineage"),
    _text("branch"),
    _text("path"),
    _number("started", null=True),
    _number("ended", null=True),
    _number("turns"),
    sa.Index("sessions_project", "project"),
    sa.Index("sessions_lineage", "lineage"),
)
lineage_keys = _table(
    "lineage_keys", _key("key"), _text("lineage"), sa.Index("lineage_keys_lineage", "lineage")
)
turns = _table(
    "turns",
    _key("session"),
    _key("place"),
    _number("seq"),
    _text("kind"),
    _number("at", null=True),
    _text("record"),
    _text("text"),
)
sightings = _table(
    "sightings",
    _key("session"),
    _key("place"),
    _number("start", key=True),
    _text("project"),
    _text("idea"),
    _text("agent"),
    _text("lineage"),
    _number("seq"),
    _text("event_kind"),
    _text("record"),
    _text("event"),
    _text("kind"),
    _text("scope"),
    sa.Column("confidence", sa.Float, nullable=False),
    _number("at", null=True),
    _number("recorded"),
    _text("policy"),
    _text("language"),
    _text("quote", null=True),
    _text("fingerprint", null=True),
    sa.Index("sightings_project", "project", "recorded"),
    sa.Index("sightings_lineage", "lineage"),
)
reports = _table("reports", _key("id"), _number("at"), _text("body"))

DERIVED = ("proposals", "rejections", "contexts")
