"""Repositories with checkpoints of sessions, made as Entire makes them, with invented words."""

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

V1 = "refs/heads/entire/checkpoints/v1"
_WHO = "A <a@example.org> 1772618400 +0000"


def git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """Run git as nobody in particular."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def repository(folder: Path) -> Path:
    """Make a repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Start")
    return folder


def commit(folder: Path, ref: str, files: Mapping[str, bytes]) -> None:
    """Put files onto a ref, besides those that are there, without a work tree."""
    tip = subprocess.run(["git", "rev-parse", "-q", "--verify", ref], cwd=folder, check=False)
    lines = [f"commit {ref}\ncommitter {_WHO}\ndata 1\nx\n".encode()]
    if tip.returncode == 0:
        lines.append(f"from {ref}^0\n".encode())
    for path, data in files.items():
        lines.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git(folder, "fast-import", "--quiet", given=b"".join(lines))


def note(session: str, minute: int = 0, **more: Any) -> bytes:
    """Return what Entire notes beside a transcript."""
    facts = {"session_id": session, "created_at": f"2026-03-04T11:{minute:02}:00Z"}
    return json.dumps(facts | {"branch": "main", "agent": "Claude Code"} | more, indent=2).encode()


@dataclass
class Checkpoints:
    """A repository that is filled with checkpoints, one after the other."""

    folder: Path
    number: int = field(default=0)

    def add(
        self,
        session: str,
        *pieces: bytes,
        ref: str = V1,
        slot: int = 0,
        name: str = "full.jsonl",
        **more: Any,
    ) -> None:
        """Keep a session in a checkpoint of its own."""
        self.number += 1
        place = f"ab/{self.number:010x}/{slot}"
        files = {f"{place}/metadata.json": note(session, self.number, **more)}
        files |= {f"{place}/{name}{end}": piece for end, piece in _numbered(pieces)}
        files[f"{place}/prompt.txt"] = b"always use yarn"
        files[f"{place}/context.md"] = b"# Session Context\n\nalways use yarn\n"
        files[f"{place}/transcript.jsonl"] = b'{"type":"user","content":"always use yarn"}\n'
        files[f"ab/{self.number:010x}/tasks/t1/agent-1.jsonl"] = b'{"type":"user"}\n'
        commit(self.folder, ref, files)


def _numbered(pieces: Iterable[bytes]) -> Iterable[tuple[str, bytes]]:
    return ((f".{number:03}" if number else "", piece) for number, piece in enumerate(pieces))
