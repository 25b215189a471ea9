"""The few things that a database must do for us: read, put, delete and count rows, atomically."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

Row = dict[str, Any]
Where = tuple[str, Literal["=", "in", "<", ">"], Any]


class Tables(Protocol):
    """Rows of named tables, inside one transaction."""

    def select(
        self,
        table: str,
        *where: Where,
        columns: Sequence[str] = (),
        order: Sequence[str] | None = (),
        limit: int | None = None,
    ) -> list[Row]:
        """Return rows that meet every condition, in order of the primary key.

        ``order`` puts columns before it, downwards where one is ``-column``; None: in any order.
        """
        ...

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows, each in the place of one with the same primary key."""
        ...

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows; leave those alone whose primary key is there already."""
        ...

    def update(self, table: str, values: Row, *where: Where) -> int:
        """Change columns of rows that meet every condition; return how many."""
        ...

    def delete(self, table: str, *where: Where) -> int:
        """Delete rows that meet every condition; return how many."""
        ...

    def count(self, table: str, *where: Where) -> int:
        """Return how many rows meet every condition."""
        ...


class Database(Protocol):
    """Transactions over tables. A write waits at most ``limits.BUSY_SECONDS`` for its turn."""

    def reading(self) -> AbstractContextManager[Tables]:
        """Open a consistent view; raise ``Broken`` or ``Busy``."""
        ...

    def writing(self, *, durable: bool = False) -> AbstractContextManager[Tables]:
        """Open the one write transaction; all of it or nothing is kept.

        ``durable``: it outlives even a power cut right after it, not only the end of the process.
        """
        ...

    def flaws(self) -> list[str]:
        """Return one line for each damage found in the files themselves."""
        ...

    def scrub(self) -> None:
        """Leave no trace of deleted rows in the files."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
