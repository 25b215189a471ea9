"""What there is to learn from on this machine, before anything of it is read."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from twice.actions.kit import Opened


@dataclass(frozen=True, slots=True)
class Survey:
    """The session files of one agent. ``first`` and ``last`` changed, UTC in microseconds."""

    agent: str
    files: int
    size_bytes: int
    first: int
    last: int


def survey(found: Sequence[Opened]) -> tuple[Survey, ...]:
    """Return how much each agent left, by name; a file that is gone meanwhile is not counted."""
    kept: dict[str, list[tuple[int, int]]] = {}
    for opened in found:
        with suppress(OSError):
            about = opened.path.stat()
            kept.setdefault(opened.source.name, []).append(
                (about.st_size, about.st_mtime_ns // 1_000)
            )
    return tuple(
        Survey(
            agent=agent,
            files=len(files),
            size_bytes=sum(size for size, _ in files),
            first=min(at for _, at in files),
            last=max(at for _, at in files),
        )
        for agent, files in sorted(kept.items())
    )
