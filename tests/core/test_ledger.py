"""The chain holds, or says where it does not."""

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import note

from twice.core.ledger import GENESIS, Entry, broken_links, link, seal


def chain(length: int) -> list[Entry]:
    """Return a chain of entries."""
    entries: list[Entry] = []
    for seq in range(1, length + 1):
        prev = entries[-1].hash if entries else GENESIS
        entries.append(seal(note(f"e{seq}", n=seq), seq=seq, at=seq, prev=prev))
    return entries


@given(st.integers(0, 6))
def test_a_chain_as_it_was_sealed_holds(length: int) -> None:
    assert broken_links(chain(length)) == []


CHANGES = {"at": 99, "kind": "memory.approved", "subject": "z", "project": "z", "actor": "z",
           "body": {"n": 99}, "prev": "1" * 64, "hash": "1" * 64}  # fmt: skip


@pytest.mark.parametrize("field", sorted(CHANGES))
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_changed_field_is_found_where_it_is(field: str, at: int) -> None:
    entries = chain(3)
    entries[at] = msgspec.structs.replace(entries[at], **{field: CHANGES[field]})
    assert any(f"entry {at + 1}" in flaw for flaw in broken_links(entries))


@pytest.mark.parametrize("at", [0, 1])
def test_a_missing_entry_is_found(at: int) -> None:
    entries = chain(3)
    del entries[at]
    assert broken_links(entries)[0] == f"ledger entry {at + 1} is missing"


def test_two_entries_in_the_wrong_order_are_found() -> None:
    one, two, three = chain(3)
    assert broken_links([one, three, two])


def test_an_entry_that_was_resealed_breaks_its_followers() -> None:
    entries = chain(3)
    forged = msgspec.structs.replace(entries[1], actor="mallory", hash="")
    entries[1] = msgspec.structs.replace(forged, hash=link(forged))
    assert broken_links(entries) == ["ledger entry 3 does not follow entry 2"]


def test_what_is_no_json_value_is_a_change_not_a_fault() -> None:
    @dataclass
    class Odd:
        """Nothing that JSON knows."""

    entries = chain(1)
    entries[0] = msgspec.structs.replace(entries[0], body={"n": Odd()})
    assert broken_links(entries) == ["ledger entry 1 was changed after it was written"]
