"""The schema as the migrations' toolkit knows it."""

import sqlalchemy as sa

from twice.store.schema import TABLES, Column

_TYPES = {"text": sa.Text, "number": sa.BigInteger, "float": sa.Float, "bytes": sa.LargeBinary}

metadata = sa.MetaData()


def _column(column: Column, *, key: bool) -> "sa.Column[object]":
    type_ = _TYPES[column.type]()
    automatic = {"autoincrement": False} if column.type == "number" else {}
    return sa.Column(
        column.name,
        type_,
        primary_key=key,
        nullable=column.null,
        **automatic,  # type: ignore[arg-type]
    )


for table in TABLES.values():
    sa.Table(
        table.name,
        metadata,
        *(_column(column, key=True) for column in table.key),
        *(_column(column, key=False) for column in table.others),
        *(sa.Index(name, *columns) for name, columns in table.indexes),
    )
