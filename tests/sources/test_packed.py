"""A log that somebody packed is read as it was; what is damaged or too large is said."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.samples import CLAUDE, CODEX, COPILOT, SESSION, TURNS, lines, said, skipped
from tests.sources.samples_native import typed

from twice.core.transcript import Position, Reading
from twice.sources.packed import DAMAGED, TOO_LARGE
from twice.sources.places import discover, open_paths, sources


def zstd(data: bytes) -> bytes:
    import sys

    if sys.version_info >= (3, 14):
        from compression import zstd as library
    else:
        from backports import zstd as library
    return library.compress(data)


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
}


def heard(path: Path) -> list[Reading]:
    ((source, found),) = open_paths([path], sources())
    return [item for log in source.logs(found) for item in log.read(Position())]


@pytest.fixture(params=PACK)
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("name", "data"),
    [(f"{SESSION}.jsonl", CLAUDE), ("rollout-1.jsonl", CODEX), ("events.jsonl", COPILOT)],
)
def test_a_packed_log_is_read_as_it_was(
    name: str, data: bytes, ending: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    plain = heard(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / f"{name}{ending}").write_bytes(PACK[ending](data))
    packed = heard(tmp_path)
    assert packed == plain
    assert said(packed) == TURNS


def test_a_packed_log_of_several_sessions_is_several(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"events.jsonl{ending}"
    path.write_bytes(PACK[ending](lines(typed("use pnpm"), typed("use uv", session="other"))))
    ((source, found),) = open_paths([path], sources())
    logs = {log.part: said(log.read(Position())) for log in source.logs(found)}
    assert logs == {f"native/{SESSION}": ["use pnpm"], "native/other": ["use uv"]}


def test_a_packed_log_in_the_agents_own_place_is_found(ending: str, tmp_path: Path) -> None:
    home = tmp_path / "projects" / "-work-shop"
    home.mkdir(parents=True)
    (home / f"{SESSION}.jsonl{ending}").write_bytes(PACK[ending](CLAUDE))
    (home / f"{SESSION}.jsonl.deleted.1{ending}").write_bytes(PACK[ending](CLAUDE))
    claude = next(source for source in sources() if source.name == "claude-code")
    claude._environ = {"CLAUDE_CONFIG_DIR": str(tmp_path)}  # type: ignore[attr-defined]
    ((source, path),) = discover([claude])
    (log,) = source.logs(path)
    assert said(log.read(Position())) == TURNS
    assert (source.name, log.size) == ("claude-code", path.stat().st_size)


def test_of_a_log_that_is_cut_off_what_is_there_is_read(ending: str, tmp_path: Path) -> None:
    noise = b"".join(b'{"type":"progress","data":"%064x"}\n' % (n * 7**90) for n in range(30_000))
    data = PACK[ending](CLAUDE + noise)
    path = tmp_path / f"{SESSION}.jsonl{ending}"
    path.write_bytes(data[: len(data) * 3 // 4])
    found = heard(path)
    assert said(found) == TURNS
    assert DAMAGED in {item.reason for item in skipped(found)}


def test_a_log_that_unpacks_to_too_much_is_read_up_to_the_bound(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twice.core.limits.UNPACKED_BYTES", 4_000_000)
    path = tmp_path / f"{SESSION}.jsonl{ending}"
    path.write_bytes(PACK[ending](CLAUDE + (b" " * 999 + b"\n") * 40_000))
    found = heard(path)
    assert said(found) == TURNS
    assert TOO_LARGE in {item.reason for item in skipped(found)}


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(junk=st.binary(max_size=200), place=st.integers(0, 400), ending=st.sampled_from([*PACK]))
def test_no_bytes_crash_what_unpacks(junk: bytes, place: int, ending: str, tmp_path: Path) -> None:
    data = PACK[ending](CLAUDE)
    home = tmp_path / "projects" / "-work-shop"
    home.mkdir(parents=True, exist_ok=True)
    path = home / f"{SESSION}.jsonl{ending}"
    path.write_bytes(data[:place] + junk + data[place:])
    assert isinstance(heard(path)[-1], Position)


def test_nothing_is_left_of_the_copy(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    path = tmp_path / f"{SESSION}.jsonl{ending}"
    path.write_bytes(PACK[ending](CLAUDE))
    heard(path)
    assert list((tmp_path / "temp").iterdir()) == []
