"""What stands between two spaces, each read once: most chunks of a text were seen before."""

from collections.abc import Callable
from sys import intern
from typing import TypeVar

CHUNKS = 50_000  # kept in hand
CHUNK_CHARS = 40  # a longer one hardly comes twice

Read = TypeVar("Read")


class Chunks(dict[str, Read]):
    """What is read in a chunk of a text: ``map(chunks.__getitem__, text.split())``."""

    def __init__(self, read: Callable[[str], Read]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, chunk: str) -> Read:
        found = self._read(chunk)
        if len(self) >= CHUNKS:
            self.clear()
        if len(chunk) <= CHUNK_CHARS:
            self[intern(chunk)] = found
        return found
