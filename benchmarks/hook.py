"""Compare the session-start hook, as ``twice init`` installs it, with starting Python at all.

    python -m benchmarks.hook [--json] [--items 10000] [--rounds 20]

Both run alternately, the hook through a shell as the agent runs it. The exit code is 1 where the
hook takes more than 2.5 times as long as ``python -c pass``, or tells nothing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from twice.app import App
from twice.core.decisions import decide_approval, decide_filing
from twice.core.encoding import digest
from twice.core.lessons import Memory
from twice.core.places import Place
from twice.core.proposals import Candidate, Content, Refusal, encode_content
from twice.core.states import State, Status
from twice.sources import projects
from twice.wiring import open_app, session_start_hook

MOST = 2.5


def approve_all(app: App, here: Path, texts: Sequence[str]) -> str:
    """Approve memories for the project of a folder in one go; return the project's id."""
    found = projects.identify(str(here), home=app.kit.home)
    assert isinstance(found, Place)
    project = app.kit.adopt(found)
    drafts, blobs = [], {}
    for number, text in enumerate(texts):
        content = Content(project, Memory(text))
        candidate = Candidate(content, "pol_1")
        filed = decide_filing(candidate, id=f"prp_{project}_{number}", actor="person")
        data = encode_content(content)
        blobs[digest(data)] = data
        waiting = State(
            filed.subject, "memory", project, Status.PENDING, digest(data), "pol_1", 1, 1
        )
        approved = decide_approval(
            waiting, receipts=(), expected="", policy="pol_1", actor="person"
        )
        assert not isinstance(approved, Refusal)
        drafts += [filed, *approved]
    app.kit.store.append(drafts, after=app.kit.store.position(), at=app.kit.now(), blobs=blobs)
    return project


def seconds(command: str | list[str], given: bytes, environment: dict[str, str]) -> float:
    """Return how long a command takes; one that fails ends the benchmark."""
    started = time.perf_counter()
    subprocess.run(
        command,
        shell=isinstance(command, str),
        input=given,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def measure(items: int, rounds: int) -> dict[str, object]:
    """Approve memories, then run hook and bare interpreter alternately."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "shop"
        (here / ".git").mkdir(parents=True)
        app = open_app(data=Path(folder) / "data", here=here)
        approve_all(app, here, [f"Use tool {n} instead of tool {n + 1}." for n in range(items)])
        line = session_start_hook(app.kit.data).command
        app.close()
        given = json.dumps({"cwd": str(here), "hook_event_name": "SessionStart"}).encode()
        environment = {name: value for name, value in os.environ.items() if name != "TWICE_HOME"}
        told = subprocess.run(
            line, shell=True, input=given, env=environment, capture_output=True, check=True
        ).stdout
        times: dict[str, list[float]] = {"hook": [], "bare": []}
        for _ in range(rounds):
            times["hook"].append(seconds(line, given, environment))
            times["bare"].append(seconds([sys.executable, "-c", "pass"], b"", environment))
    hook, bare = (statistics.median(times[name]) for name in ("hook", "bare"))
    return {
        "items": items,
        "characters": len(json.loads(told)["hookSpecificOutput"]["additionalContext"]),
        "hook_ms": round(hook * 1_000, 1),
        "python_ms": round(bare * 1_000, 1),
        "ratio": round(hook / bare, 2),
    }


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    found = measure(arguments.items, arguments.rounds)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(
            f"{found['items']:,} approved memories, {found['characters']:,} characters told: "
            f"hook {found['hook_ms']} ms, python -c pass {found['python_ms']} ms, "
            f"ratio {found['ratio']} (at most {MOST})"
        )
    return 1 if float(str(found["ratio"])) > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
