"""How much reading a long log costs, beside merely decoding its lines.

    python -m benchmarks.read [--json] [--shared PATH] [--size-mb N]

A Claude Code log of 1 GB (or of N MB) is made in a temporary folder, of the sessions under
``../shared/corpus/claude`` over and over, each time with new ids and in another year. Its lines are
decoded with orjson, in the same run it is read by the source, and by a whole dream in the mode
observe. Then it grows by 1 MB and is read on, another log with a line of 60 MB is read, and every
format of the corpus. Each is measured in a process of its own: CPU time of user and system, and
the peak of resident memory.

Exit 1 where a figure is beyond its limit: the source takes longer than orjson or more than 150 MB,
or reading on takes more than the growth, and what tells the session's facts and the last turn.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import orjson

from twice.core.limits import HEAD_BYTES
from twice.core.transcript import Event, Position
from twice.ports import Log, Source
from twice.sources.claude_code import ClaudeCode
from twice.sources.lines import UNKNOWN
from twice.sources.places import sources

MB = 1_000_000
RATIO, MEGABYTES = 1.0, 150.0
LONG_LINE, GROWTH = 60 * MB, 1 * MB
BESIDE_GROWTH = HEAD_BYTES + 1 * MB
TRIES = 5  # of decoding and observing, by turns; the best of each counts

_IDS = re.compile(
    rb'(":"(?:(?:msg|req|toolu)_|(?=[0-9a-f]{8}-[0-9a-f]{4}-)|(?=\d{4}-\d\d-\d\dT)))[0-9A-Za-z]{4}'
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a measurement took: seconds of CPU, and the peak of resident memory."""

    seconds: float
    megabytes: float


def make(path: Path, corpus: Path, size: int, long_line: int = 0) -> int:
    """Write a log of at least ``size`` bytes, with one long line in its middle; return its size.

    It is written bit by bit: what this process holds counts as held by those it starts.
    """
    with path.open("wb") as log:
        for session in _sessions(corpus):
            if log.tell() >= size:
                break
            if long_line and log.tell() >= size // 2:
                log.write(b'{"type":"user","message":{"content":"')
                log.writelines(b"x" * MB for _ in range(long_line // MB))
                log.write(b'"}}\n')
                long_line = 0
            log.write(session)
    return path.stat().st_size


def _sessions(corpus: Path) -> Iterator[bytes]:
    """Yield the sessions of the corpus over and over, at every round with other ids and times."""
    files = sorted(corpus.rglob("*.jsonl"))
    for year in range(2001, 10_000) if files else ():
        for file in files:
            yield _IDS.sub(rb"\g<1>%04d" % year, file.read_bytes().rstrip() + b"\n")


def alone(work: Callable[..., T], *given: object) -> tuple[Cost, T]:
    """Do a piece of work in a fresh process; return what it took and what it found."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured, work, *given).result()


def _measured(work: Callable[..., T], *given: object) -> tuple[Cost, T]:
    started = time.process_time()
    found = work(*given)
    seconds = time.process_time() - started
    return Cost(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), found


def decode(path: Path) -> int:
    """Decode every line of a file; return how many there are."""
    count = 0
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
            count += 1
    return count


def observe(path: Path) -> tuple[int, Position]:
    """Read a Claude Code log; return how much was said in it, and where to read on."""
    return _read(_log_of(ClaudeCode(), path), Position())


def read_on(path: Path, since: Position) -> int:
    """Read what is new in a Claude Code log; return how many bytes were read for it."""
    before = _bytes_read()
    _read(_log_of(ClaudeCode(), path), since)
    return _bytes_read() - before


def read_all(name: str, paths: list[Path]) -> int:
    """Read every session of one agent's files; return how much was said in them."""
    source = next(source for source in sources() if source.name == name)
    logs = (log for path in paths for log in source.logs(path))
    return sum(_read(log, Position())[0] for log in logs)


def _log_of(source: Source, path: Path) -> Log:
    return next(source.logs(path))


def _read(log: Log, since: Position) -> tuple[int, Position]:
    events, reached = 0, since
    for item in log.read(since):
        if isinstance(item, Event):
            events += 1
        elif isinstance(item, Position):
            reached = item
    return events, reached


def _bytes_read() -> int:
    """Return what this process has read so far, from files and from the cache of files."""
    counts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counts["rchar"])


def dream(path: Path, home: Path) -> Cost:
    """Run a whole dream that only observes, as a person does."""
    command = [sys.executable, "-m", "twice", "dream", str(path), "--mode", "observe", "--json"]
    environment = {**os.environ, "TWICE_HOME": str(home)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"The dream failed: {' '.join(command)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def long_log(path: Path, corpus: Path, size: int) -> dict[str, object]:
    """Return what it took to decode, read and dream of one long log, and to read on in it."""
    made = make(path, corpus, size)
    decoded, observed = [], []
    for _ in range(TRIES):
        decoded.append(alone(decode, path)[0])
        cost, (events, reached) = alone(observe, path)
        observed.append(cost)
    dreamt = dream(path, path.with_name("home"))
    grown_by = grow(path, corpus)
    again, fetched = alone(read_on, path, reached)
    base = best(decoded)
    return {
        "bytes": made,
        "events": events,
        "decoded": asdict(base),
        "observed": asdict(best(observed)) | {"ratio": best(observed).seconds / base.seconds},
        "dreamt": asdict(dreamt) | {"ratio": dreamt.seconds / base.seconds},
        "grown": asdict(again) | {"by": grown_by, "bytes_read": fetched},
    }


def best(costs: list[Cost]) -> Cost:
    """Return the fastest of some measurements, with the memory of the largest."""
    return Cost(min(c.seconds for c in costs), max(c.megabytes for c in costs))


def grow(path: Path, corpus: Path) -> int:
    """Write more whole lines to a log; return how many bytes."""
    more = path.with_name("more.jsonl")
    make(more, corpus, GROWTH)
    data = more.read_bytes()[:GROWTH].rpartition(b"\n")[0] + b"\n"
    with path.open("ab") as log:
        return log.write(data)


def formats(corpus: Path) -> dict[str, dict[str, float]]:
    """Return for every format in the corpus how many MB of it are read in a second of CPU."""
    found = {}
    for source in sources():
        if paths := list(source.files(corpus, UNKNOWN)):
            size = sum(path.stat().st_size for path in paths)
            seconds = alone(read_all, source.name, paths)[0].seconds
            found[source.name] = {"bytes": size, "mb_per_second": size / MB / seconds}
    return found


def measure(shared: Path, size: int) -> dict[str, object]:
    """Return all figures."""
    corpus = shared / "corpus"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.jsonl")
        figures: dict[str, object] = {"log": long_log(path, corpus / "claude", size)}
        make(path, corpus / "claude", 2 * LONG_LINE, LONG_LINE)
        figures["long_line"] = asdict(alone(observe, path)[0])
    return figures | {"formats": formats(corpus)}


def flaws(figures: dict[str, Any]) -> list[str]:
    """Name the limits that are broken."""
    log, line = figures["log"], figures["long_line"]
    grown = log["grown"]
    found = {
        f"observing takes more than {RATIO} of decoding": log["observed"]["ratio"] > RATIO,
        f"observing takes more than {MEGABYTES} MB": log["observed"]["megabytes"] > MEGABYTES,
        f"a long line takes more than {MEGABYTES} MB": line["megabytes"] > MEGABYTES,
        "reading on takes more than the growth": grown["bytes_read"] > grown["by"] + BESIDE_GROWTH,
    }
    return [flaw for flaw, broken in found.items() if broken]


def show(figures: dict[str, Any]) -> None:
    """Print the figures for a person."""
    log, line = figures["log"], figures["long_line"]
    print(f"a log of {log['bytes'] / MB:.0f} MB, in which {log['events']} things are said")
    for name in ("decoded", "observed", "dreamt"):
        cost = log[name]
        rate = log["bytes"] / MB / cost["seconds"]
        ratio = f", {cost['ratio']:.2f} of decoding" if "ratio" in cost else " with orjson"
        print(
            f"  {name} in {cost['seconds']:.2f} s, {rate:.0f} MB/s, "
            f"{cost['megabytes']:.0f} MB of memory{ratio}"
        )
    grown = log["grown"]
    print(
        f"  grown by {grown['by'] / MB:.2f} MB, read on in {grown['seconds']:.3f} s, "
        f"{grown['bytes_read'] / MB:.2f} MB read"
    )
    print(f"a line of {LONG_LINE / MB:.0f} MB: {line['megabytes']:.0f} MB of memory")
    for name, cost in figures["formats"].items():
        print(f"{name}: {cost['bytes'] / MB:.1f} MB at {cost['mb_per_second']:.0f} MB/s")


def main() -> int:
    """Print the figures; return 1 where one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--size-mb", type=int, default=1024)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.shared / "corpus" / "claude").is_dir():
        print(f"No corpus below {options.shared}: give the folder with --shared.", file=sys.stderr)
        return 1
    figures = measure(options.shared, options.size_mb * MB)
    broken = flaws(figures)
    if options.json:
        print(json.dumps(figures | {"broken": broken}, indent=2))
    else:
        show(figures)
    for flaw in broken:
        print(flaw, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
