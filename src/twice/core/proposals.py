"""Candidates, the proposals that some become, and what a reviewer sees of them."""

import msgspec

from twice.core.encoding import canonical, digest
from twice.core.ideas import Sighting
from twice.core.lessons import Lesson, words_of


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One quote that a proposal rests on; the quote itself is the blob at ``quote``.

    ``at`` is UTC in microseconds, or None where the agent wrote no time.
    """

    session: str
    anchor: str
    record: str
    quote: str
    agent: str
    lineage: str
    at: int | None = None


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exactly what a reviewer sees of a proposal: the digest of this is its review hash.

    ``positive`` is another wording of a prohibition. ``against`` are opposed or competing quotes.
    ``words`` is the session whose own words the text uses. ``replaces`` is an approved item that
    approval would supersede. ``rejected_before``: a person said no once, and there is new evidence.
    ``flagged`` are lines that quote a risky phrase; approving them needs an explicit override.
    ``joined`` says what wordings mean alike that share too few words; empty where words join them.
    """

    project: str
    lesson: Lesson
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    positive: str = ""
    words: str = ""
    origin: str = "learner"
    replaces: str = ""
    rejected_before: bool = False
    flagged: tuple[str, ...] = ()
    joined: str = ""


class Candidate(msgspec.Struct, frozen=True):
    """What somebody suggests, before the gates.

    ``ideas`` are the keyed hashes of what it says; ``revision`` is the policy revision that it was
    made under; ``shown`` are the quotes (digests) that its author was given, or None where the
    author is a person.
    """

    content: Content
    revision: str
    ideas: tuple[str, ...] = ()
    shown: frozenset[str] | None = None


class Refusal(msgspec.Struct, frozen=True):
    """An expected no: a short stable code, the reason for a person, and how to mend it."""

    code: str
    reason: str
    hint: str = ""


def encode_content(content: Content) -> bytes:
    """Return the canonical bytes of what a reviewer sees."""
    seen = msgspec.to_builtins(content)
    if not content.joined:
        del seen["joined"]  # so that what was reviewed before there was such a field keeps its hash
    return canonical(seen)


def decode_content(data: bytes) -> Content:
    """Read and validate what ``encode_content`` wrote; raise ``msgspec.ValidationError``."""
    return msgspec.json.decode(data, type=Content)


def review_hash(content: Content) -> str:
    """Return the SHA-256 over the canonical JSON of what the reviewer sees."""
    return digest(encode_content(content))


def evidence_of(sighting: Sighting, quote: str) -> Evidence:
    """Return the evidence row of a sighting; ``quote`` is the digest of its quote."""
    return Evidence(
        session=sighting.anchor.session,
        anchor=str(sighting.anchor),
        record=sighting.anchor.record,
        quote=quote,
        agent=sighting.agent,
        lineage=sighting.lineage,
        at=sighting.at,
    )


def words_of_content(content: Content) -> str:
    """Return everything that a reviewer reads of a proposal but the quotes."""
    return f"{words_of(content.lesson)}\n{content.positive}"
