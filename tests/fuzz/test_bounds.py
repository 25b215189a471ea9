"""Whatever the size of a session and of what is in it, memory and time are bounded.

``TWICE_BOUNDS=full`` tries the sizes that people have met; else a small part of them.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contracts.test_sources import CASES, Case
from tests.fuzz import targets
from tests.sources import samples

FULL = os.environ.get("TWICE_BOUNDS") == "full"
MEBIBYTE = 1024**2
WHOLE = 200 * MEBIBYTE if FULL else MEBIBYTE  # of a file
RECORDS = 1_000_000 if FULL else 5_000
LARGEST = 48 * MEBIBYTE  # of a document; larger ones are not read
STRING = 64 * MEBIBYTE if FULL else MEBIBYTE
NESTED = 100_000
MEGABYTES = 300  # that a reading may take, the interpreter included
SECONDS_A_MEBIBYTE = 3.0  # of the processor; a tenth of it is usual
SECONDS_A_RECORD = 0.0001  # besides

LAST = samples.TURNS[-1].encode()


def many(case: Case) -> bytes:
    """Return a session with so many turns, or records, that its file is large."""
    if not case.made:
        return case.data * (WHOLE // len(case.data) + 1)
    data, turns = case.data, [*samples.TURNS]
    while len(data) < min(WHOLE, LARGEST):
        turns += ["a long turn " * 80] * len(turns)
        data = case.made(turns)
    return data


def tiny(case: Case) -> bytes:
    """Return very many records of which none says anything."""
    line = b"{}\n" if case.name.endswith((".json", ".jsonl")) else b"\n#### \n"
    return case.data + line * RECORDS


def huge(case: Case) -> bytes:
    """Return the sample with one enormous text in it."""
    text = "x" * STRING
    if case.made:
        return case.made([*samples.TURNS[:-1], text])
    return case.data.replace(LAST, text.encode())


def nested(case: Case) -> bytes:
    """Return the sample with a value that nests very deeply."""
    return case.data.replace(b'"' + LAST + b'"', b"[" * NESTED + b"]" * NESTED)


def opened(case: Case) -> bytes:
    """Return the sample with brackets that nobody closes."""
    return case.data.replace(b'"' + LAST + b'"', b'{"content":[' * NESTED)


SHAPES: tuple[Callable[[Case], bytes], ...] = (many, tiny, huge, nested, opened)


@pytest.fixture
def folder() -> Iterator[Path]:
    with targets.folder() as made:
        yield made


@pytest.mark.parametrize("name", CASES)
def test_size_and_depth_are_bounded(name: str, folder: Path) -> None:
    case, paths = CASES[name], []
    for shape in SHAPES:
        paths.append(folder / shape.__name__ / case.name)
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(shape(case))
    command = [sys.executable, "-m", "tests.fuzz.reading", case.source.name, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2_000:]
    for path in paths:
        took = json.loads(done.stdout)[path.parent.name]
        most = 1 + path.stat().st_size / MEBIBYTE * SECONDS_A_MEBIBYTE
        most += RECORDS * SECONDS_A_RECORD
        assert took["megabytes"] <= MEGABYTES, (path.parent.name, took)
        assert took["seconds"] <= most, (path.parent.name, took)
