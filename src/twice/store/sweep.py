"""Which texts are still cited, and which may go."""

import msgspec

from twice.core.proposals import decode_content
from twice.store.ledger import blobs_of, states
from twice.store.rows import Tables


def cited(tables: Tables, *, without: frozenset[str] = frozenset()) -> set[str]:
    """Return the digests of every blob that a proposal, a turn, a sighting or a reason cites.

    Quotes from the sessions in ``without`` do not count, even where an item shows them.
    """
    kept = states(tables)
    wanted = {state.hash for state in kept} | {state.reason for state in kept if state.reason}
    for data in blobs_of(tables, {state.hash for state in kept}).values():
        try:
            content = decode_content(data)
        except msgspec.DecodeError:
            continue
        shown = (*content.evidence, *content.against)
        wanted |= {evidence.quote for evidence in shown if evidence.session not in without}
    wanted |= {row["text"] for row in tables.select("turns", columns=("text",))}
    quotes = tables.select("sightings", columns=("quote",))
    return wanted | {row["quote"] for row in quotes if row["quote"] is not None}


def sweep(tables: Tables, *, without: frozenset[str] = frozenset()) -> int:
    """Delete the texts that nothing cites; return how many."""
    present = {row["digest"] for row in tables.select("blobs", columns=("digest",))}
    return tables.delete(
        "blobs", ("digest", "in", sorted(present - cited(tables, without=without)))
    )
