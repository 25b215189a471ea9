"""Fuzz every source for a moment, and try again what broke one once.

``TWICE_FUZZ_SECONDS`` fuzzes each for longer; ``python -m tests.fuzz.run`` does it by hand.
"""

import importlib.util
import os
from pathlib import Path

import pytest
from tests.fuzz import targets
from tests.fuzz.examining import examine
from tests.fuzz.run import fuzz

SECONDS = int(os.environ.get("TWICE_FUZZ_SECONDS", "0"))
RUNS = -1 if SECONDS else 200
BROKEN = [(name, path) for name in targets.TARGETS for path in targets.found(name)]


@pytest.mark.parametrize(("name", "path"), BROKEN, ids=[f"{n}/{p.name}" for n, p in BROKEN])
def test_what_broke_a_reader_once_is_read(name: str, path: Path) -> None:
    target = targets.TARGETS[name]
    with targets.folder() as folder:
        examine(target.source, target.write(folder, path.read_bytes()))


@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_sample_keeps_every_promise(name: str) -> None:
    target = targets.TARGETS[name]
    with targets.folder() as folder:
        examine(target.source, target.write(folder, target.sample))


@pytest.mark.skipif(not importlib.util.find_spec("atheris"), reason="atheris is not installed")
@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_fuzzer_finds_nothing_that_breaks_a_reader(name: str) -> None:
    fuzzed = fuzz(name, seconds=SECONDS or 60, runs=RUNS)
    assert not fuzzed.broken, fuzzed.said[-4_000:]
