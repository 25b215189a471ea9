"""A repository with checkpoints that is only in memory, so that it is read without git."""

import hashlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tests.sources.samples_entire import V1

from twice.sources.entire import Entire
from twice.sources.git_objects import Entry, Objects, Ref
from twice.sources.places import sources


class FakedObjects(Objects):
    """Objects by their digests."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.folders: dict[str, list[Entry]] = {}
        self.root = ""

    def blob(self, name: str, data: bytes) -> Entry:
        """Keep a file."""
        id = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        self.blobs[id] = data
        return Entry(name, id, is_tree=False)

    def folder(self, name: str, *entries: Entry) -> Entry:
        """Keep a folder."""
        id = hashlib.sha1(repr(entries).encode(), usedforsecurity=False).hexdigest()
        self.folders[id] = list(entries)
        self.root = id
        return Entry(name, id, is_tree=True)

    def refs(self, *patterns: str) -> list[Ref]:
        return [Ref(V1, self.root, 1_772_618_400)]

    def left_out(self, trees: Collection[str]) -> frozenset[str]:
        return frozenset()

    def sizes(self, ids: Collection[str]) -> dict[str, int]:
        return {id: len(self.blobs[id]) for id in ids}

    def each(self, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        return ((id, self.blobs[id]) for id in ids)

    def trees(self, ids: Collection[str]) -> dict[str, list[Entry]]:
        return {id: self.folders[id] for id in ids}

    def write(self, id: str, to: BinaryIO) -> None:
        to.write(self.blobs[id])


class _Forgetful(dict[Any, Any]):
    """Keeps nothing of what was listed: the refs stay the same, and what they lead to changes."""

    def get(self, key: Any, default: Any = None) -> Any:
        return default


class FakedEntire(Entire):
    """Entire with two checkpoints of a file: its first line is the note beside them.

    The first has half of the lines, the second all, cut into two.
    """

    def __init__(self) -> None:
        super().__init__(natives=sources()[:-1])
        self._listed = _Forgetful()

    def _objects(self, folder: Path) -> Objects:
        note, *lines = (folder / "sample").read_bytes().split(b"\n")
        half = b"\n".join(lines[: len(lines) // 2])
        rest = b"\n".join(lines[len(lines) // 2 :])
        made = FakedObjects()
        facts = made.blob("metadata.json", note)
        before = made.folder("0", facts, made.blob("full.jsonl", half))
        after = (made.blob("full.jsonl", half), made.blob("full.jsonl.001", rest))
        later = made.folder("0", facts, *after)
        kept = (made.folder("0123456789", before), made.folder("123456789a", later))
        made.folder("", made.folder("ab", *kept))
        return made


def write(folder: Path, data: bytes) -> Path:
    """Write a sample into what looks like a repository."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "HEAD").touch()
    (folder / "sample").write_bytes(data)
    return folder
