"""Sessions that share a file, line by line: which lines are whose, and how to read only these.

A file is gone through once to learn it; of each line a few bytes are kept in memory.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from twice.core import limits
from twice.sources.lines import BOM, Line


@dataclass(frozen=True, slots=True)
class Named:
    """A session that a line is part of, and when that was said (microseconds of UTC)."""

    session: str
    at: int | None = None


@dataclass(slots=True)
class Strand:
    """The lines of one session: where they start, how long they are, when the last was said."""

    size: int = 0
    latest: int = 0
    _starts: "array[int]" = field(default_factory=lambda: array("Q"))
    _ends: "array[int]" = field(default_factory=lambda: array("Q"))

    def add(self, line: Line, at: int | None = None) -> None:
        """Take in a line; one that is here already only tells a time."""
        self.latest = max(self.latest, at or 0)
        if not self._starts or self._starts[-1] != line.start:
            self._starts.append(line.start)
            self._ends.append(line.end)
            self.size += line.end - line.start - line.whole

    def join(self, others: Iterable["Strand"]) -> None:
        """Take in the lines of others, in the order of the file."""
        strands = (self, *others)
        spans = {span for each in strands for span in zip(each._starts, each._ends, strict=True)}
        self.latest = max(each.latest for each in strands)
        self.size = sum(end - start for start, end in spans)
        ordered = sorted(spans)
        self._starts = array("Q", (start for start, _ in ordered))
        self._ends = array("Q", (end for _, end in ordered))

    def lines(self, path: Path, longest: int | None = None) -> Iterator[Line]:
        """Yield the lines again, each with its number within the session.

        Of those longer than ``longest`` bytes, or than a line may be, there is no data.
        """
        bound = longest or limits.LINE_BYTES
        with path.open("rb") as file:
            for seq, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
                file.seek(start)
                found = file.read(min(end - start, bound + 2))
                whole = found.endswith(b"\n")
                data = found[:-1] if whole else found
                if len(data) > bound:
                    yield Line(seq, start, end, None, whole)
                else:
                    yield Line(seq, start, end, data if start else data.removeprefix(BOM), whole)


def strands_in(
    lines: Iterable[Line], names: Callable[[Line], Iterable[Named] | None]
) -> dict[str, Strand]:
    """Return the strands of a file by session, in the order in which they begin.

    ``names`` tells which sessions a line is part of, or None where it is damaged: then it is
    told with the session that was last, or under no name where there is none at all.
    """
    found: dict[str, Strand] = {}
    last = first = Strand()
    for line in lines:
        if line.blank:
            continue
        named = names(line) if line.data is not None else None
        if named is None:
            last.add(line)
            continue
        for each in named:
            last = found.setdefault(each.session, Strand() if found else first)
            last.add(line, each.at)
    return found or {"": first}
