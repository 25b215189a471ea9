"""Read files with one source in a process of its own, and print what that took of the machine.

python -m tests.fuzz.reading NAME FILE…
"""

import json
import resource
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from twice.core.errors import UnknownFormat
from twice.core.transcript import Position
from twice.sources.lines import head_of
from twice.sources.places import sources

MEGABYTES = 2_000  # of address space: whatever wants more is ended
SECONDS = 300  # of the processor


def megabytes() -> int:
    """Return the most memory that this program took; ``getrusage`` counts its parent's, too."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines = status.read_text(encoding="utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) // 1024


def main(name: str, paths: list[Path]) -> None:
    """Read the files one after the other; print the seconds of each, and the most memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES * 1024**2,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    source = next(source for source in sources() if source.name == name)
    report: dict[str, object] = {}
    for path in paths:
        started, heard = time.process_time(), Counter[str]()
        source.recognises(path, head_of(path))
        with suppress(OSError, UnknownFormat):
            for log in source.logs(path):
                heard.update(type(item).__name__ for item in log.read(Position()))
        report[path.parent.name] = {
            "seconds": round(time.process_time() - started, 2),
            "megabytes": megabytes(),
            **heard,
        }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], [Path(each) for each in sys.argv[2:]])
