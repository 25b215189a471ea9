"""Which texts are still cited, and which may go."""

import msgspec

from twice.core.proposals import decode_content
from twice.store.ledger import blobs_of, states
from twice.store.rows import Tables


def cited(tables: Tables) -> set[str]:
    """Return the digests of every blob that a proposal, a turn, a sighting or a reason cites."""
    kept = states(tables)
    wanted = {state.hash for state in kept} | {state.reason for state in kept if state.reason}
    for data in blobs_of(tables, {state.hash for state in kept}).values():
        try:
            content = decode_content(data)
        except msgspec.DecodeError:
            continue
        wanted |= {evidence.quote for evidence in (*content.evidence, *content.against)}
    wanted |= {row["text"] for row in tables.select("turns", columns=("text",))}
    quotes = tables.select("sightings", columns=("quote",))
    return wanted | {row["quote"] for row in quotes if row["quote"] is not None}


def sweep(tables: Tables) -> int:
    """Delete the texts that nothing cites; return how many."""
    present = {row["digest"] for row in tables.select("blobs", columns=("digest",))}
    return tables.delete("blobs", ("digest", "in", sorted(present - cited(tables))))
