"""How long a dream takes over a great many sessions when nothing is new.

Run ``python -m benchmarks.many [--sessions N] [--json]``. Makes N Claude Code sessions (100,000 of
200 projects) in a home of their own, dreams once, and twice again with nothing new. Exit 1 where
the better of these takes longer than its limit: 5 s for 100,000 sessions.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS_EACH = 5.0 / 100_000
PROJECTS = 200


def make(home: Path, sessions: int) -> None:
    """Write sessions of three turns below a home folder, as the agent lays them out."""
    for project in range(PROJECTS):
        folder = home / ".claude" / "projects" / f"-src-p{project}"
        folder.mkdir(parents=True)
        for number in range(project, sessions, PROJECTS):
            id = f"{number:08x}-0000-4000-8000-000000000000"
            (folder / f"{id}.jsonl").write_text(_session(id, f"/src/p{project}", number), "utf-8")


def _session(id: str, cwd: str, number: int) -> str:
    texts = (f"look at page {number}", "use pnpm, not npm", "thanks")
    lines = []
    for turn, text in enumerate(texts):
        common = {
            "sessionId": id,
            "timestamp": f"2026-11-{1 + number % 28:02}T10:{turn:02}:00.000Z",
            "cwd": cwd,
            "version": "2.1.0",
        }
        said = {"role": "user", "content": text}
        done = {"role": "assistant", "content": [{"type": "text", "text": f"Done {number}."}]}
        lines.append({"type": "user", "uuid": f"{id}-{turn}u", "message": said, **common})
        lines.append({"type": "assistant", "uuid": f"{id}-{turn}a", "message": done, **common})
    return "".join(json.dumps(line) + "\n" for line in lines)


def dream(home: Path) -> float:
    """Run one dream as a process of its own; return its time in seconds."""
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(home),
        "TWICE_HOME": str(home / "twice"),
    }
    command = [sys.executable, "-m", "twice", "dream", "--mode", "suggest", "--json"]
    started = time.perf_counter()
    subprocess.run(command, env=environment, cwd=home, capture_output=True, check=True)
    return time.perf_counter() - started


def main() -> int:
    """Make the sessions, dream three times, and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        make(home, options.sessions)
        first = dream(home)
        again = min(dream(home), dream(home))
    limit = max(1.0, SECONDS_EACH * options.sessions)
    figures = {"sessions": options.sessions, "first_s": round(first, 2), "again_s": round(again, 2)}
    if options.json:
        print(json.dumps({**figures, "limit_s": limit}))
    else:
        print(f"{options.sessions:,} sessions: first {first:.1f} s, again {again:.2f} s")
    return int(again > limit)


if __name__ == "__main__":
    sys.exit(main())
