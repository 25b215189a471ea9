"""What every reading keeps to, whatever is in the file; a fuzzer looks for files that break it."""

from contextlib import suppress
from pathlib import Path

from twice.core import limits
from twice.core.errors import UnknownFormat
from twice.core.transcript import Event, Position, Reading, Session, Skipped, Speaker
from twice.ports import Source
from twice.sources.lines import head_of


def examine(source: Source, path: Path) -> None:
    """Read a file as a dream does, twice, and raise where a promise of sources is broken.

    A file that cannot be opened or is in an unknown layout may say so; nothing else may be raised.
    """
    if path.is_file():
        source.recognises(path, head_of(path))
    with suppress(OSError, UnknownFormat):
        for log in source.logs(path):
            first = list(log.read(Position()))
            _is_in_order(first)
            assert list(log.read(Position())) == first, "the same file is read differently"
            last = first[-1]
            assert isinstance(last, Position)
            again = list(log.read(last))
            _is_in_order(again)
            told = [event for event in _humans(again) if event.seq < last.told]
            assert not told, f"told again: {told[0]!r:.300}"


def _is_in_order(found: list[Reading]) -> None:
    """Raise unless facts come before what was said, and the position comes last, once."""
    assert found, "nothing is told, not even a position"
    assert [isinstance(item, Position) for item in found].index(True) == len(found) - 1
    session = ""
    for item in found:
        match item:
            case Session():
                assert item.id, "a session without a name"
                session = item.id
            case Event():
                assert item.session == session, "words of a session that was not told before"
                assert item.text.strip(), "no words"
                assert len(item.text) <= limits.READ_CHARS, "more words than the limit"
                assert item.seq >= 0 and isinstance(item.record, str)
                assert item.at is None or isinstance(item.at, int)
            case Skipped():
                assert item.reason and len(item.reason) < 300, f"a strange reason: {item.reason!r}"


def _humans(found: list[Reading]) -> list[Event]:
    return [x for x in found if isinstance(x, Event) and x.speaker is Speaker.HUMAN]
