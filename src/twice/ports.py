"""The seams of the house: what a source, a learner and a store must offer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from twice.core.ideas import Idea, Sighting, Signal
from twice.core.transcript import Position, Reading


class Source(Protocol):
    """A reader of one agent's session files. It never writes, and holds one record at a time."""

    name: str  # "claude-code", "codex", "specstory": what `agent` says in evidence

    def homes(self) -> list[Path]:
        """Return the folders where the agent keeps its sessions on this machine, if they exist."""
        ...

    def files(self, folder: Path) -> Iterator[Path]:
        """Yield the session files of this agent below a folder, in a stable order."""
        ...

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell from the name and the first bytes whether a file is one of this agent's sessions."""
        ...

    def read(self, path: Path, since: Position) -> Iterator[Reading]:
        """Yield what the file holds from a position on; damage becomes ``Skipped``."""
        ...


class Learner(Protocol):
    """What hears signals in single turns and gathers them into ideas."""

    def notice(
        self, text: str, *, previous: str = "", interrupted: bool = False
    ) -> tuple[Signal, ...]:
        """Return the signals of one human turn; ``previous`` is what the agent said before."""
        ...

    def gather(self, sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
        """Return the distinct ideas of one project's sightings, strongest first."""
        ...
