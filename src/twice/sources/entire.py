"""Read the checkpoints of sessions that Entire keeps in a project's git repository.

A checkpoint holds the transcript of each session as its agent wrote it, as far as the session had
come: the reader of that agent reads it. Entire puts ``REDACTED`` in place of what may be secret.
"""

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from zlib import crc32

from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Position, Reading, Session, Skipped
from twice.ports import Known, Log, Source
from twice.sources.entire_checkpoints import Copy, Kept, has_checkpoints, kept_in, refs_in
from twice.sources.following import Heard, is_new
from twice.sources.git_objects import Objects, Ref
from twice.sources.lines import UNKNOWN, head_of
from twice.sources.projects import Repository, repository_around, repository_at

UNKNOWN_AGENT = "a transcript of an agent that is not known"
NOT_HERE = "a transcript that is not on this machine: git left it out of this clone"

_HIDDEN = "REDACTED"
_UNSAFE = re.compile(r"[^\w-]", re.ASCII)
_CUT_DOCUMENT = re.compile(rb'\s*\{\s*"(?:info|messages)"\s*:')
# Agents whose transcript is one document: a large one is kept as several smaller ones.
_DOCUMENTS = {"Gemini CLI": "gemini-cli", "OpenCode": "opencode"}


class Entire:
    """The sessions that Entire keeps in the repositories of the given projects.

    ``natives`` are the readers of the agents whose transcripts it keeps.
    """

    name = "entire"
    suffixes: tuple[str, ...] = ()  # it lies in no files of its own

    def __init__(
        self,
        *,
        natives: Sequence[Source],
        projects: Sequence[Path] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._natives = natives
        self._projects = projects
        self._environ = environ
        self._listed: dict[Path, tuple[list[Ref], list[Kept]]] = {}

    def homes(self) -> list[Path]:
        around = (repository_around(x.absolute(), home=Path.home()) for x in self._projects)
        folders = dict.fromkeys(found.common for found in around if found)
        return [folder for folder in folders if has_checkpoints(folder)]

    def files(self, folder: Path, known: Known = UNKNOWN) -> Iterator[Path]:
        found = repository_at(folder.absolute())
        if found and (known.file(found.common) or has_checkpoints(found.common)):
            yield found.common

    def recognises(self, path: Path, head: bytes) -> bool:  # noqa: ARG002
        return False

    def logs(self, path: Path) -> Iterator[Log]:
        found = repository_at(path)
        if found is None:
            raise UnknownFormat(f"{path} is no git repository.")
        objects = self._objects(found.common)
        for kept in self._kept(found.common, objects):
            read = partial(self._read, objects, found, kept)
            yield Log(kept.session, kept.size, kept.mtime, read)

    def _kept(self, folder: Path, objects: Objects) -> list[Kept]:
        """Return what a repository's checkpoints hold, looked up once until a ref changes."""
        refs = refs_in(objects)
        if self._listed.get(folder, ([], []))[0] != refs:
            self._listed[folder] = refs, list(kept_in(objects, refs))
        return self._listed[folder][1] if refs else []

    def _objects(self, folder: Path) -> Objects:
        return Objects(folder, self._environ)

    def _read(
        self, objects: Objects, found: Repository, kept: Kept, since: Position
    ) -> Iterator[Reading]:
        """Yield what each copy adds to those before it, as one session.

        They are read from their starts every time: what is redacted changes with Entire's version.
        """
        if since.seq not in {_mark(kept.copies[:count]) for count in range(len(kept.copies))}:
            since = Position()  # the numbers told were those of other copies
        reader = _Reader(found, kept.session)
        for copy in kept.copies:
            with _written(objects, copy, kept.session) as files:
                for file in files:
                    for item in reader.hear(file, self._native_of(file, copy), copy):
                        if isinstance(item, Session) or is_new(item, since):
                            yield item
            if reader.session.own:
                break
        if not kept.copies:
            yield Skipped(0, NOT_HERE)
        yield Position(0, _mark(kept.copies[:-1]), reader.session.id, max(reader.told, since.told))

    def _native_of(self, file: Path, copy: Copy) -> Source | None:
        head = head_of(file)
        recognised = (source for source in self._natives if source.recognises(file, head))
        cut = _DOCUMENTS.get(copy.agent) if len(copy.blobs) > 1 else None
        named = (source for source in self._natives if source.name == cut)
        return next(recognised, None) or next(named, None)


class _Reader:
    """What is known of one session while the copies of it are read."""

    def __init__(self, repository: Repository, session: str) -> None:
        self.session = Session("", "", root=str(repository.root), restated=Entire.name)
        self.told = 0
        self._repository = repository
        self._name = session
        self._next = 0
        self._heard: set[int] = set()

    def hear(self, file: Path, native: Source | None, copy: Copy) -> Iterator[Session | Heard]:
        """Yield what a copy holds beyond what was heard before, numbered on."""
        start, heard = self._next, set[int]()
        if native is None:
            yield Skipped(start, f"{UNKNOWN_AGENT}: {copy.agent[:40] or 'no name'}")
            self._next, self.told = start + 1, start + 1
            return
        try:
            for log in native.logs(file):
                for item in log.read(Position()):
                    match item:
                        case Session() if self._learn(item, copy):
                            yield self.session
                        case Position():
                            self._next = start + max(item.seq, item.told)
                            self.told = start + item.told
                        case Skipped():
                            yield replace(item, seq=start + item.seq)
                        case Event() if (key := _key(item)) not in self._heard:
                            heard.add(key)
                            yield self._event(item, start)
        except UnknownFormat as fault:
            yield Skipped(start, fault.message)
        self._heard |= heard

    def _learn(self, session: Session, copy: Copy) -> bool:
        """Take in facts; the first value of each stays. Tell whether any was new."""
        before = self.session
        facts = asdict(session) | {
            "id": _real(session.id) or self._name,
            "cwd": self._here(session.cwd),
            "branch": session.branch or copy.branch,
        }
        new = {name: value for name, value in facts.items() if value and not getattr(before, name)}
        self.session = replace(before, **new)
        return bool(new)

    def _here(self, cwd: str) -> str:
        """Return a recorded folder where it is one of this repository's on this machine."""
        if not cwd:
            return ""
        found = repository_around(Path(os.path.realpath(cwd)), home=Path.home())
        return cwd if found and found.common == self._repository.common else ""

    def _event(self, event: Event, start: int) -> Event:
        record = _real(event.record)
        return replace(event, session=self.session.id, seq=start + event.seq, record=record)


@contextmanager
def _written(objects: Objects, copy: Copy, session: str) -> Iterator[list[Path]]:
    """Give a transcript as private files while they are read: one, unless it is cut documents."""
    with tempfile.TemporaryDirectory(prefix="twice-") as folder:
        stem = Path(folder, _UNSAFE.sub("_", session)[:100] or "full")
        files = [stem.with_name(f"{stem.name}.jsonl")]
        for number, blob in enumerate(copy.blobs):
            if number and _CUT_DOCUMENT.match(head_of(files[0])):
                files[0] = files[0].rename(stem.with_name(f"{stem.name}.json"))
                files.append(stem.with_name(f"{stem.name}-{number}.json"))
            with files[-1].open("ab") as file:
                if file.tell():
                    file.write(b"\n")
                    file.flush()
                objects.write(blob, file)
        yield files


def _mark(copies: Sequence[Copy]) -> int:
    """Return a number that tells copies from others; 0 for none."""
    return crc32("\n".join(blob for copy in copies for blob in copy.blobs).encode())


def _key(event: Event) -> int:
    """Return what tells an event from others in the same session."""
    return hash(_real(event.record) or (event.at, event.text))


def _real(id: str) -> str:
    """Return an id, unless a part of it was hidden: then others look the same."""
    return "" if _HIDDEN in id else id
