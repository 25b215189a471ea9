"""The append-only, hash-chained list of everything that was decided."""

from collections.abc import Iterable
from typing import Any

import msgspec

from twice.core.encoding import canonical, digest

GENESIS = "0" * 64


class Draft(msgspec.Struct, frozen=True):
    """An entry that is not in the chain yet.

    ``kind`` is ``<lesson kind>.<what happened>``, or ``policy.changed``, ``session.forgotten``,
    ``project.linked`` or ``project.unlinked``; ``subject`` is the id of what it is about; ``body``
    holds ids, digests and anchors, never text.
    """

    kind: str
    subject: str
    project: str
    actor: str
    body: dict[str, Any]


class Entry(msgspec.Struct, frozen=True):
    """One link of the chain. ``seq`` counts from 1 without gaps; ``at`` is UTC in microseconds."""

    seq: int
    at: int
    kind: str
    subject: str
    project: str
    actor: str
    body: dict[str, Any]
    prev: str
    hash: str

    @property
    def verb(self) -> str:
        """The second word of the kind: proposed, approved, rejected, …"""
        return self.kind.partition(".")[2]


def seal(draft: Draft, *, seq: int, at: int, prev: str) -> Entry:
    """Make a draft the next link of the chain."""
    unsealed = Entry(seq=seq, at=at, prev=prev, hash="", **msgspec.structs.asdict(draft))
    return msgspec.structs.replace(unsealed, hash=link(unsealed))


def restore(
    *, seq: int, at: int, kind: str, subject: str, project: str, actor: str, body: bytes,
    prev: str, hash: str,
) -> Entry:  # fmt: skip
    """Make an entry of what a store kept, changing nothing; ``broken_links`` tells if it holds."""
    return Entry(seq, at, kind, subject, project, actor, msgspec.json.decode(body), prev, hash)


def link(entry: Entry) -> str:
    """Return the SHA-256 over the canonical JSON of everything in an entry but its hash."""
    fields = msgspec.structs.asdict(entry)
    del fields["hash"]
    return digest(canonical(fields))


def _holds(entry: Entry) -> bool:
    """Tell whether an entry is what its hash says; damage may have left no JSON value in it."""
    try:
        return entry.hash == link(entry)
    except (TypeError, ValueError):
        return False


def broken_links(entries: Iterable[Entry]) -> list[str]:
    """Return one line for each place where the chain does not hold."""
    flaws: list[str] = []
    prev, expected = GENESIS, 1
    for entry in entries:
        if entry.seq != expected:
            flaws.append(f"ledger entry {expected} is missing")
        elif entry.prev != prev:
            flaws.append(f"ledger entry {entry.seq} does not follow entry {entry.seq - 1}")
        elif not _holds(entry):
            flaws.append(f"ledger entry {entry.seq} was changed after it was written")
        prev, expected = entry.hash, entry.seq + 1
    return flaws
