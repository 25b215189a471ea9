"""No words of a tool, an agent or a harness become a person's, however a file is damaged."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import targets
from tests.fuzz.canaries import CAGES, CANARY, TYPED, Cage
from tests.fuzz.mutating import DATABASE, change_lines
from tests.sources.samples import said

from twice.core.errors import UnknownFormat
from twice.core.transcript import Position

SEEDS = st.integers(0, 2**48)
BY_LINE = [name for name, cage in CAGES.items() if cage.name.endswith(".jsonl")]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with targets.folder() as made:
        yield made


def heard(cage: Cage, folder: Path, data: bytes) -> list[str]:
    """Return what people said, as far as the file can be read."""
    path = folder / cage.name
    path.write_bytes(data)
    found: list[str] = []
    with suppress(OSError, UnknownFormat):
        for log in cage.source.logs(path):
            found += said(list(log.read(Position())))
    return found


def escaped(cage: Cage, folder: Path, data: bytes) -> list[str]:
    """Return what people said although others did."""
    return [text for text in heard(cage, folder, data) if CANARY in text]


@pytest.mark.parametrize("name", CAGES)
def test_a_whole_session_tells_what_was_typed_and_nothing_else(name: str, folder: Path) -> None:
    cage = CAGES[name]
    assert CANARY.encode() in cage.data
    found = heard(cage, folder, cage.data)
    assert found and set(found) == {TYPED}


@pytest.mark.parametrize("name", CAGES)
@given(seed=SEEDS, changes=st.integers(1, 12))
def test_a_changed_session_makes_no_human_words_of_others(
    name: str, seed: int, changes: int, folder: Path
) -> None:
    cage = CAGES[name]
    random, data = Random(seed), cage.data
    for _ in range(changes):
        data = cage.changed(data, random)
    assert not escaped(cage, folder, data), data


@pytest.mark.parametrize("name", BY_LINE)
@given(seed=SEEDS, changes=st.integers(1, 12))
def test_changed_lines_make_no_human_words_of_others(
    name: str, seed: int, changes: int, folder: Path
) -> None:
    cage = CAGES[name]
    random, data = Random(seed), cage.data
    for _ in range(changes):
        data = change_lines(data, random)
    assert not escaped(cage, folder, data), data


@pytest.mark.parametrize("name", CAGES)
@given(data=st.data())
def test_a_file_cut_anywhere_makes_no_human_words_of_others(
    name: str, data: st.DataObject, folder: Path
) -> None:
    cage = CAGES[name]
    cut = cage.data[: data.draw(st.integers(0, len(cage.data)))]
    if cut.startswith(DATABASE):
        cut += bytes(len(cage.data) - len(cut))
    assert not escaped(cage, folder, cut), cut
