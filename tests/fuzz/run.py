"""Fuzz sources, each in a process of its own with hard limits.

    python -m tests.fuzz.run [NAME…] [--seconds N] [--seed N] [--keep FOLDER]

A file that breaks a promise of readers is written to ``tests/fuzz/found/NAME``, where the tests
find it. What reaches new lines is kept in a folder where one is given, for the next time.
"""

import argparse
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import targets

SECONDS_EACH = 10  # of one file; a reading that takes longer hangs
MEGABYTES = 1_000  # of memory, those of the fuzzer itself included
MAX_BYTES = 64 * 1024
GRACE_SECONDS = 60  # to start, and to end

_ROOT = Path(__file__).parents[2]
_RATE = re.compile(r"stat::average_exec_per_sec:\s*(\d+)")
_RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_NOISE = re.compile(r"^INFO: Instrumenting .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Fuzzed:
    """What came of it: how many files were tried, how fast, and which broke a promise."""

    runs: int
    per_second: int
    broken: list[Path]
    said: str


def fuzz(
    name: str, *, seconds: int, runs: int = -1, seed: int = 1, keep: Path | None = None
) -> Fuzzed:
    """Fuzz one source for some seconds, or with so many files where ``runs`` is not -1."""
    broken, module = targets.FOUND / name, targets.TARGETS[name].module
    known = targets.found(name)
    broken.mkdir(parents=True, exist_ok=True)
    with targets.folder() as folder:
        seeds, files = folder / "seeds", folder / "files"
        seeds.mkdir()
        files.mkdir()
        (seeds / "sample").write_bytes(targets.TARGETS[name].sample)
        for number, path in enumerate(known):
            (seeds / f"known-{number}").write_bytes(path.read_bytes())
        kept = keep / name if keep else folder / "kept"
        kept.mkdir(parents=True, exist_ok=True)
        options = [
            *(str(kept), str(seeds), f"-max_total_time={seconds}", f"-runs={runs}"),
            f"-seed={seed}",
            *(f"-timeout={SECONDS_EACH}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={MAX_BYTES}"),
            *(f"-artifact_prefix={broken}/", "-print_final_stats=1"),
        ]
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.child", name, module, str(files), *options],
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds + GRACE_SECONDS,
            preexec_fn=_limit,
            check=False,
        )
    said = _NOISE.sub("", done.stdout.decode(errors="replace"))
    tried, rate = _RUNS.search(said), _RATE.search(said)
    new = [path for path in targets.found(name) if path not in known]
    assert new or (done.returncode == 0 and tried and rate), said[-3_000:]
    if not targets.found(name):
        broken.rmdir()
    return Fuzzed(int(tried[1]) if tried else 0, int(rate[1]) if rate else 0, new, said)


def _limit() -> None:
    """Bound what the process may take of the machine, whatever the fuzzer says."""
    resource.setrlimit(resource.RLIMIT_AS, (8 * 1024**3,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024**3,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    """Fuzz what is named, or every source, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    broken = 0
    for name in options.names or targets.TARGETS:
        fuzzed = fuzz(name, seconds=options.seconds, seed=options.seed, keep=options.keep)
        rows = [f"{name:20} {fuzzed.runs:8} files, {fuzzed.per_second:5} a second"]
        rows += [str(path) for path in fuzzed.broken]
        rows += [fuzzed.said[-4_000:]] if fuzzed.broken else []
        sys.stdout.write("\n".join(rows) + "\n")
        sys.stdout.flush()
        broken += bool(fuzzed.broken)
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
