"""Split long JSON into the objects that it lists, in flat memory, whatever its size and damage.

A parser of streams would do it as well, but stops at the first damaged byte and has no bound for
one object. Here only brackets and strings are looked at; what is between them is for others.
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec

from twice.core import limits
from twice.sources.lines import BLOCK_BYTES

_BRACKETS = b"[]{}"
_OTHERS = bytes(byte for byte in range(256) if byte not in _BRACKETS)
_BRACKET = re.compile(rb"[\[\]{}]")


class Element(msgspec.Struct, frozen=True, gc=False):
    """One object of a list: its number, its first byte, its length and its bytes.

    ``data`` is None where it is longer than a document may be. ``whole``: it was closed.
    """

    seq: int
    start: int
    length: int
    data: bytes | None
    whole: bool = True


def elements(file: BinaryIO, depth: int = 0) -> Iterator[Element]:
    """Yield the objects that open within ``depth`` brackets.

    0: documents one after another; 1: the elements of a list.
    """
    splitter = _Splitter(depth)
    while block := file.read(BLOCK_BYTES):
        yield from splitter.feed(block)
    yield from splitter.end()


class _Splitter:
    """Where in the JSON we are: how deep, whether within a string, and the object so far."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._depth = 0
        self._in_string = False
        self._held = b""  # a backslash at the end of a block, whose character is in the next
        self._read = 0
        self._count = 0
        self._pieces: list[bytes] | None = None
        self._start = 0
        self._length = 0

    def feed(self, block: bytes) -> Iterator[Element]:
        """Yield the objects that end in a block."""
        block = self._held + block
        plain = block.replace(b"\\\\", b"__").replace(b'\\"', b"__")  # each quote ends a string now
        self._held = b"\\" if plain.endswith(b"\\") else b""
        block = block[: len(block) - len(self._held)]
        pieces = plain.split(b'"')
        outside = slice(int(self._in_string), None, 2)
        self._in_string ^= not len(pieces) % 2
        begun = 0
        for place, opens in self._borders(pieces, outside):
            if opens:
                begun = place
                self._pieces, self._start, self._length = [], self._read + begun, 0
            elif self._pieces is not None:
                self._add(block[begun : place + 1])
                yield self._element(whole=True)
        if self._pieces is not None:
            self._add(block[begun:])
        self._read += len(block)

    def _borders(self, pieces: list[bytes], outside: slice) -> Iterator[tuple[int, bool]]:
        """Yield where in a block objects begin and end, and which of both.

        ``pieces`` are the block between its quotes; those ``outside`` of strings count.
        """
        numbers: dict[int, bool] = {}  # of the brackets in question, and whether they open
        brackets = b"".join(pieces[outside]).translate(None, _OTHERS)
        for number, bracket in enumerate(brackets):
            opens = bracket in b"[{"
            if not opens:
                self._depth = max(self._depth - 1, 0)
            if self._depth == self._base:
                numbers[number] = opens
            if opens:
                self._depth += 1
        if numbers:
            places = _places(pieces, outside, numbers)
            yield from zip(places, numbers.values(), strict=True)

    def end(self) -> Iterator[Element]:
        """Yield the object that was never closed, if there is one."""
        if self._pieces is not None:
            yield self._element(whole=False)

    def _add(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length <= limits.DOCUMENT_BYTES and self._pieces is not None:
            self._pieces.append(piece)
        else:
            self._pieces = []

    def _element(self, *, whole: bool) -> Element:
        is_kept = self._length <= limits.DOCUMENT_BYTES
        data = b"".join(self._pieces or ()) if is_kept else None
        element = Element(self._count, self._start, self._length, data, whole)
        self._count += 1
        self._pieces = None
        return element


def _places(pieces: list[bytes], outside: slice, numbers: Iterable[int]) -> Iterator[int]:
    """Yield where the brackets with some numbers, in order, stand in a block."""
    wanted = iter(numbers)
    number = next(wanted, None)
    place = count = 0
    for index, piece in enumerate(pieces):
        if number is None:
            return
        if index % 2 == outside.start:
            here = len(piece) - len(piece.translate(None, _BRACKETS))
            if number < count + here:
                found = [bracket.start() for bracket in _BRACKET.finditer(piece)]
                while number is not None and number < count + here:
                    yield place + found[number - count]
                    number = next(wanted, None)
            count += here
        place += len(piece) + 1
