"""How a file is cut into lines, whatever is in it and wherever a reading begins."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twice.sources import lines
from twice.sources.lines import BOM, Line, read_lines

DATA = st.lists(
    st.sampled_from([b"", b"a", b"bc", b" ", b"\r", b"x" * 7, b"y" * 40, BOM, b"\0"]), max_size=12
)
in_tmp_path = settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK_BYTES", 8)
    monkeypatch.setattr("twice.core.limits.LINE_BYTES", 30)


def expected(data: bytes) -> list[Line]:
    """Cut data in the plainest way."""
    *ended, rest = data.split(b"\n")
    found: list[Line] = []
    start = 0
    for seq, text in enumerate([*ended, rest] if rest else ended):
        whole = seq < len(ended)
        end = start + len(text) + whole
        kept = None if len(text) > 30 else text if start else text.removeprefix(BOM)
        found.append(Line(seq, start, end, kept, whole))
        start = end
    return found


@in_tmp_path
@given(parts=DATA, ended=st.booleans())
def test_lines_are_cut_at_newlines_alone(path: Path, parts: list[bytes], ended: bool) -> None:
    data = b"\n".join(parts) + (b"\n" if ended and parts else b"")
    path.write_bytes(data)
    assert list(read_lines(path)) == expected(data)


@in_tmp_path
@given(parts=DATA, silent=st.sets(st.integers(0, 12)))
def test_of_silent_lines_the_last_of_all_is_blank_and_the_others_are_left_out(
    path: Path, parts: list[bytes], silent: set[int]
) -> None:
    data = b"".join(b"%d %s\n" % (seq, part) for seq, part in enumerate(parts))
    path.write_bytes(data)
    asked: list[bytes] = []

    def is_silent(line: bytes) -> bool:
        asked.append(line)
        return line.endswith(b"\n") and int(line.split()[0]) in silent

    found = list(read_lines(path, silence=lambda: is_silent))
    whole = expected(data)
    passed = {line.seq for line in whole if line.end - line.start <= 8 and line.seq in silent}
    if whole and whole[-1].seq in passed:
        last = found.pop()
        assert (last.seq, last.end, last.data, last.whole) == (len(whole) - 1, len(data), b"", True)
    assert found == [line for line in whole if line.seq not in passed]


@in_tmp_path
@given(parts=DATA, data=st.data())
def test_a_reading_may_begin_at_every_line(
    path: Path, parts: list[bytes], data: st.DataObject
) -> None:
    path.write_bytes(b"\n".join([b"{}", *parts]))
    whole = list(read_lines(path))
    line = data.draw(st.sampled_from(whole))
    assert list(read_lines(path, line.end, line.seq + 1)) == whole[line.seq + 1 :]


def test_what_tells_silent_lines_is_asked_for_again_after_each_line_that_is_heard(
    path: Path,
) -> None:
    path.write_bytes(b"a\nb\nc\nd\n")
    heard: list[Line] = []
    told = read_lines(path, silence=lambda: lambda found: len(heard) == 1 and found < b"d")
    heard.extend(told)
    assert [line.data for line in heard] == [b"a", b"d"]


def test_a_record_whose_newline_came_later_is_not_read_twice(path: Path) -> None:
    path.write_bytes(b"{}\n{}")
    last = list(read_lines(path))[-1]
    assert (last.seq, last.end, last.whole) == (1, 5, False)
    path.write_bytes(b"{}\n{}\n[]\n")
    assert list(read_lines(path, last.end, last.seq + 1)) == [Line(2, 6, 9, b"[]", True)]
