"""How long it takes to find the projects of a great many sessions in folders that are gone.

Run ``python -m benchmarks.places [--sessions 100000] [--folders 5000] [--roots 2000] [--json]``.
Makes the repositories, every fourth with three worktrees that were deleted, then asks where each
session belongs. Exit 1 where that takes the processor longer than its limit: 2 s for 100,000
sessions.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from twice.core.places import Place
from twice.core.transcript import Session
from twice.wiring import open_app

SECONDS = 2.0
TREES = 3


def make(home: Path, roots: int) -> list[Place]:
    """Make repositories, of which every fourth lists worktrees that are gone; return them."""
    made = []
    for number in range(roots):
        root = home / "code" / f"group{number % 40}" / f"repo{number}"
        (root / ".git").mkdir(parents=True)
        for tree in range(TREES) if number % 4 == 0 else ():
            entry = root / ".git" / "worktrees" / f"w{tree}"
            entry.mkdir(parents=True)
            (entry / "gitdir").write_text(f"{home}/trees/repo{number}-w{tree}/.git\n")
        made.append(Place((f"git:{root}/.git", f"path:{root}"), str(root), root.name))
    return made


def measure(sessions: int, folders: int, roots: int) -> dict[str, object]:
    """Return how long all sessions take, and how many projects they are of."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        os.environ["HOME"] = str(home)
        app = open_app(data=home / "data", here=home)
        for place in make(home, roots):
            app.kit.adopt(place)
        gone = [
            f"{home}/trees/repo{number * 4 % roots}-w{number % TREES}/src"
            if number % 2
            else f"{home}/old/area{number % 50}/gone{number}/pkg"
            for number in range(folders)
        ]
        among = frozenset(map(Path, gone))
        asked = [Session(f"s{n}", "claude-code", cwd=gone[n % folders]) for n in range(sessions)]
        started, worked = time.perf_counter(), time.process_time()
        found = [app.kit.place(session, among) for session in asked]
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
        app.close()
    placed = [place for place in found if isinstance(place, Place)]
    return {
        "sessions": sessions,
        "folders": folders,
        "roots": roots,
        "projects": len({place.keys[0] for place in placed}),
        "of_repositories": sum(not place.gone for place in placed),
        "seconds": round(seconds, 2),
        "processor": round(processor, 2),
    }


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--folders", type=int, default=5_000)
    parser.add_argument("--roots", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.sessions, arguments.folders, arguments.roots)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(
            f"{found['sessions']:,} sessions of {found['folders']:,} folders that are gone, "
            f"{found['roots']:,} known projects: {found['seconds']} s, "
            f"{found['processor']} s of the processor (at most {SECONDS})"
        )
    return 1 if float(str(found["processor"])) > SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
