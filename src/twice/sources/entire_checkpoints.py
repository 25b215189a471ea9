"""Find in a git repository what Entire kept there: which sessions, in which checkpoints.

In which folders a session lies depends on the version that kept it, and on its settings::

    refs/heads/entire/checkpoints/v1             <2 hex>/<10 hex>/<n>/full.jsonl
    refs/remotes/<remote>/entire/checkpoints/v1  the same, as far as it was fetched
    refs/entire/checkpoints/<2>/<id>             <n>/full.jsonl
    refs/entire/checkpoints/v2/…                 <2 hex>/<10 hex>/<n>/raw_transcript
    refs/heads/entire/<commit>-<worktree>        .entire/metadata/<session>/full.jsonl
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path

import msgspec

from twice.core import limits
from twice.sources.git_objects import Entry, Objects, Ref
from twice.sources.lines import read_lines
from twice.sources.times import microseconds

_NAMES = ("refs/heads/entire/", "refs/remotes/*/entire/checkpoints/v1", "refs/entire/checkpoints/")

_HEX_2, _HEX_10 = re.compile(r"[0-9a-f]{2}"), re.compile(r"[0-9a-f]{10}")
_NUMBER = re.compile(r"\d{1,4}")
_ANY = re.compile(r".+", re.DOTALL)
_BELOW_SHARDS = (_HEX_2, _HEX_10, _NUMBER)
# The names of folders on the way to a session, by the ref that it is reached from.
_LAYOUTS = (
    (re.compile(r"refs/(heads|remotes/.+)/entire/checkpoints/v1"), _BELOW_SHARDS),
    (re.compile(r"refs/entire/checkpoints/v2/.+"), _BELOW_SHARDS),
    (re.compile(r"refs/entire/checkpoints/[0-9A-Za-z]{2}/[0-9A-Za-z]+"), (_NUMBER,)),
    (
        re.compile(r"refs/heads/entire/[0-9a-f]{7,}(-[0-9a-f]+)?"),
        (re.compile(r"\.entire"), re.compile("metadata"), _ANY),
    ),
)
_TRANSCRIPT = re.compile(r"(full\.jsonl|raw_transcript|full\.log)(?:\.(\d{3,}))?")
_METADATA = "metadata.json"
_LAST_SECOND = 2**62 // 1_000_000_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d-(?=.)")


class _Facts(msgspec.Struct):
    """What Entire notes beside a transcript."""

    session_id: str | None = None
    created_at: str | None = None
    branch: str | None = None
    agent: str | None = None


_FACTS = msgspec.json.Decoder(_Facts)


@dataclass(frozen=True, slots=True)
class Copy:
    """A session as one checkpoint has it; a long transcript is cut into several blobs."""

    session: str
    at: int  # UTC in microseconds
    agent: str
    branch: str
    blobs: tuple[str, ...]
    size: int
    in_parts: bool  # of the first versions: every checkpoint has only what came after the last


@dataclass(frozen=True)
class Kept:
    """A session, with the copies from which all of it can be read, oldest first.

    There are none where git left them out of this clone.
    """

    session: str
    copies: tuple[Copy, ...]
    at: int  # when it was kept last, UTC in microseconds

    @property
    def size(self) -> int:
        """Return how many bytes there are to read."""
        return sum(copy.size for copy in self.copies)

    @cached_property
    def mtime(self) -> int:
        """Return when it was kept last (UTC in nanoseconds), in the last digits what was kept."""
        blobs = "\n".join(blob for copy in self.copies for blob in copy.blobs)
        digest = int.from_bytes(hashlib.sha256(blobs.encode()).digest()[:8], "big")
        seconds = max(0, min(self.at // 1_000_000, _LAST_SECOND))
        return seconds * 1_000_000_000 + digest % 1_000_000_000


_Reached = dict[str, tuple[Ref, tuple[str, ...]]]  # a folder's id: the ref and the way to it


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that may hold a session, and how it was reached."""

    place: tuple[str, ...]
    ref: Ref
    entries: list[Entry]

    def blobs(self) -> tuple[str, ...]:
        """Return the pieces of the transcript, in order."""
        found = [(x, _TRANSCRIPT.fullmatch(x.name)) for x in self.entries if not x.is_tree]
        pieces = sorted((int(match[2] or 0), x.id) for x, match in found if match)
        return tuple(id for _, id in pieces)

    def metadata(self) -> str:
        """Return the blob with the facts of the session, or an empty string."""
        return next((x.id for x in self.entries if x.name == _METADATA and not x.is_tree), "")


def has_checkpoints(folder: Path) -> bool:
    """Tell without git whether a repository may have any, from where it keeps its refs."""
    loose = ("refs/heads/entire", "refs/entire/checkpoints", "reftable")
    if any((folder / name).is_dir() for name in loose):
        return True
    if any((folder / "refs/remotes").glob("*/entire/checkpoints/v1")):
        return True
    try:
        packed = read_lines(folder / "packed-refs")
        return any(b"/entire/" in (line.data or b"") for line in packed)
    except OSError:
        return False


def refs_in(objects: Objects) -> list[Ref]:
    """Return the refs of a repository that lead to checkpoints."""
    return [ref for ref in objects.refs(*_NAMES) if _layout_of(ref)]


def kept_in(objects: Objects, refs: list[Ref]) -> Iterator[Kept]:
    """Yield the sessions that the checkpoints below these refs hold, by name."""
    copies: dict[str, list[Copy]] = {}
    for copy in _copies(objects, refs):
        if copy.size:
            copies.setdefault(copy.session, []).append(copy)
    for session, found in sorted(copies.items()):
        here = [copy for copy in found if copy.size > 0]
        yield Kept(session, tuple(_needed(here)), max(copy.at for copy in found))


def _needed(copies: Iterable[Copy]) -> list[Copy]:
    """Return the copies that none of the later ones has whole, oldest first.

    A later one is longer, since a session only grows; a shorter one was written anew, or may
    have lost something, and is read besides.
    """
    kept: list[Copy] = []
    for copy in sorted(copies, key=attrgetter("at", "size", "blobs"), reverse=True):
        if any(copy.blobs == other.blobs for other in kept):
            continue
        if copy.in_parts or all(copy.size > other.size for other in kept):
            kept.append(copy)
    return kept[::-1]


def _copies(objects: Objects, refs: list[Ref]) -> Iterator[Copy]:
    """Yield what every checkpoint has of a session; the size is -1 where it is not here."""
    away = objects.left_out({ref.tree for ref in refs})
    folders = list(_folders(objects, refs))
    noted = {folder.place: folder.metadata() for folder in folders if folder.metadata()}
    notes = {folder.metadata() or noted.get(folder.place, "") for folder in folders} - {""}
    blobs = {blob for folder in folders for blob in folder.blobs()}
    sizes = objects.sizes(sorted((blobs | notes) - away))
    facts = _facts(objects, [note for note in notes if sizes.get(note, 0) > 0], sizes)
    for folder in folders:
        if folder.blobs():
            note = folder.metadata() or noted.get(folder.place, "")
            yield _copy(folder, facts.get(note, _Facts()), sizes)


def _copy(folder: _Folder, facts: _Facts, sizes: dict[str, int]) -> Copy:
    blobs = folder.blobs()
    session = facts.session_id or "/".join(folder.place)
    return Copy(
        session=_DAY.sub("", session),
        at=microseconds(facts.created_at) or folder.ref.at * 1_000_000,
        agent=facts.agent or "",
        branch=facts.branch or "",
        blobs=blobs,
        size=sum(sizes[blob] for blob in blobs) if all(x in sizes for x in blobs) else -1,
        in_parts=bool(_DAY.match(session)),
    )


def _facts(objects: Objects, notes: list[str], sizes: dict[str, int]) -> dict[str, _Facts]:
    """Return what the notes say; one that is no note of Entire's says nothing."""
    found: dict[str, _Facts] = {}
    small = sorted(note for note in notes if sizes[note] <= limits.FOLDER_LIST_BYTES)
    for id, data in objects.each(small):
        try:
            found[id] = _FACTS.decode(data)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            continue
    return found


def _layout_of(ref: Ref) -> tuple[re.Pattern[str], ...]:
    """Return the names of the folders on the way from a ref to a session; none for other refs."""
    return next((steps for name, steps in _LAYOUTS if name.fullmatch(ref.name)), ())


def _folders(objects: Objects, refs: list[Ref]) -> Iterator[_Folder]:
    """Yield the folders in which sessions may be, each content once, however many refs have it.

    The oldest layout had one session in the folder of the checkpoint itself.
    """
    for layout in dict.fromkeys(_layout_of(ref) for ref in refs):
        reached: _Reached = {ref.tree: (ref, ()) for ref in refs if _layout_of(ref) == layout}
        yield from _descend(objects, reached, layout)


def _descend(
    objects: Objects, reached: _Reached, layout: tuple[re.Pattern[str], ...]
) -> Iterator[_Folder]:
    """Yield what lies at the end of a way through folders, all refs a step at a time."""
    for left in range(len(layout), -1, -1):
        below: _Reached = {}
        for id, entries in objects.trees(list(reached)).items():
            ref, place = reached[id]
            if left <= 1:
                yield _Folder(_place(ref, place), ref, entries)
            for entry in entries if left else ():
                if entry.is_tree and layout[-left].fullmatch(entry.name):
                    below.setdefault(entry.id, (ref, (*place, entry.name)))
        reached = below
        if not reached:
            return


def _place(ref: Ref, place: tuple[str, ...]) -> tuple[str, ...]:
    """Return where a session lies, the same in every ref that has it."""
    if place[:1] == (".entire",):
        return place[2:]
    is_alone = ref.name.startswith("refs/entire/checkpoints/") and "/v2/" not in ref.name
    return (ref.name.rpartition("/")[2], *place) if is_alone else place
