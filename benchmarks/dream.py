"""How long a whole dream takes, and how much memory, the first time and the second.

Run ``python -m benchmarks.dream [PATH…] [--json]``. Without paths, the sessions under
``../shared/corpus`` (claude, codex, specstory) are read, in a data folder of their own.
Exit 1 where a figure is beyond its limit: 10 s and 250 MB at first, 1 s the second time.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS, MEGABYTES, AGAIN_SECONDS = 10.0, 250.0, 1.0


def measure(paths: list[Path], home: Path) -> dict[str, object]:
    """Run one dream as a process of its own; times in seconds, memory in MB (peak resident)."""
    command = [
        sys.executable,
        "-m",
        "twice",
        "dream",
        *map(str, paths),
        "--mode",
        "suggest",
        "--json",
    ]
    environment = {**os.environ, "TWICE_HOME": str(home)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    return {
        "wall_seconds": round(wall, 2),
        "cpu_seconds": round(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2
        ),
        "peak_megabytes": round(after.ru_maxrss / 1024, 1),
        "files": report["read"]["files"],
        "turns": report["read"]["turns"],
        "new_sightings": report["evolution"]["observed"]["new_sightings"],
        "proposals": len(report["proposals"]),
    }


def main() -> int:
    """Print the figures; return 1 where one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    corpus = Path("../shared/corpus")
    paths = chosen.paths or [corpus / name for name in ("claude", "codex", "specstory")]
    size = sum(f.stat().st_size for p in paths for f in p.rglob("*") if f.is_file()) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        first = measure(paths, Path(folder))
        second = measure(paths, Path(folder))
    figures = {"megabytes_read": round(size, 1), "first": first, "second": second}
    if chosen.json:
        print(json.dumps(figures, indent=2))
    else:
        print(f"{size:.1f} MB of sessions")
        for name in ("first", "second"):
            print(f"{name}: " + ", ".join(f"{k} {v}" for k, v in figures[name].items()))  # type: ignore[attr-defined]
    within = (
        float(str(first["wall_seconds"])) < SECONDS
        and float(str(first["peak_megabytes"])) < MEGABYTES
        and float(str(second["wall_seconds"])) < AGAIN_SECONDS
        and second["new_sightings"] == 0
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
