"""Objects are found in JSON of any length, wherever it is cut into blocks and damaged."""

import json
import tracemalloc
from collections.abc import Iterator
from io import BytesIO, RawIOBase
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twice.core import limits
from twice.sources import elements as module
from twice.sources.elements import Element, elements

TEXT = st.text(alphabet='ab"\\{}[],:\n🙂é', max_size=8)
VALUES = st.recursive(
    st.none() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
)
OBJECTS = st.lists(st.dictionaries(TEXT, VALUES, max_size=3), max_size=4)


def found(data: bytes, depth: int, block: int = 1_000) -> list[Element]:
    """Return the elements of bytes that are read in blocks of a size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_BYTES", block)
        return list(elements(BytesIO(data), depth))


def values(data: bytes, depth: int, block: int = 1_000) -> list[Any]:
    """Return what the whole elements hold."""
    return [json.loads(e.data) for e in found(data, depth, block) if e.whole and e.data]


@settings(max_examples=60, deadline=None)
@given(
    objects=OBJECTS, block=st.integers(1, 30), ascii=st.booleans(), indent=st.none() | st.just(1)
)
def test_every_object_is_found_wherever_the_blocks_end(
    objects: list[Any], block: int, ascii: bool, indent: int | None
) -> None:
    def written(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=ascii, indent=indent).encode()

    assert values(written(objects), 1, block) == objects
    assert values(written({"conversations": objects}), 2, block) == objects
    assert values(b"\n".join(map(written, objects)), 0, block) == objects
    for element in found(written(objects), 1, block):
        assert written(objects)[element.start :][: element.length] == element.data


@given(data=st.binary(max_size=80), depth=st.integers(0, 2), block=st.integers(1, 20))
def test_no_bytes_stop_it(data: bytes, depth: int, block: int) -> None:
    listed = found(data, depth, block)
    assert [e.seq for e in listed] == list(range(len(listed)))


def test_damage_within_an_object_spares_the_others() -> None:
    data = b'[{"a": 1}, \0\0 {"b": "\xff\xfe", oops}, {"c": 3}]'
    assert [e.data for e in found(data, 1)] == [
        b'{"a": 1}',
        b'{"b": "\xff\xfe", oops}',
        b'{"c": 3}',
    ]


def test_an_object_that_is_not_closed_is_told_as_such() -> None:
    whole, cut = found(b'[{"a": 1}, {"b": "x', 1)
    assert (whole.whole, cut.whole, cut.data) == (True, False, b'{"b": "x')


def test_an_object_beyond_the_bound_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_BYTES", 100)
    data = b'[{"a": 1}, {"b": "' + b"x" * 10_000 + b'"}, {"c": 3}]'
    assert [(e.data is None, e.length) for e in found(data, 1)] == [
        (False, 8),
        (True, 10_009),
        (False, 8),
    ]


class Endless(RawIOBase):
    """A list of one object, with a string that is made while it is read."""

    def __init__(self, size: int) -> None:
        self._blocks = self._made(size)

    def _made(self, size: int) -> Iterator[bytes]:
        yield b'[{"a": "'
        for _ in range(size // module.BLOCK_BYTES):
            yield b'x\\"' * (module.BLOCK_BYTES // 3)
        yield b'"}]'

    def read(self, size: int = -1, /) -> bytes:
        return next(self._blocks, b"")


def test_memory_stays_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENT_BYTES", 1024 * 1024)
    tracemalloc.start()
    (element,) = elements(Endless(16 * 1024 * 1024), 1)  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert element.data is None and element.length > 15 * 1024 * 1024
    assert peak < 6 * 1024 * 1024
