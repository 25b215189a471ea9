"""Small things that many tests are made of: clocks, histories, evidence, sessions on disk."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from twice.core.encoding import digest, text_digest
from twice.core.ideas import Fingerprint, Scope, Sighting, SignalKind
from twice.core.kept import Batch, Depth, KeptSession, KeptTurn, KnownProject, ReadFile
from twice.core.ledger import Draft
from twice.core.lessons import Instruction, Lesson, Memory, Skill, Workflow
from twice.core.proposals import Candidate, Content, Evidence, encode_content
from twice.core.transcript import Anchor, Kind

DAY = 24 * 60 * 60 * 1_000_000
START = 1_790_000_000_000_000
PROJECT = "prj_shop"
POLICY = "pol_1"


@dataclass
class Clock:
    """A clock that moves one second at every look."""

    at: int = START

    def __call__(self) -> int:
        """Return the time, UTC in microseconds."""
        self.at += 1_000_000
        return self.at


@dataclass
class Names:
    """Fresh ids that are the same at every run."""

    last: int = 0

    def __call__(self, prefix: str) -> str:
        """Return the next id."""
        self.last += 1
        return f"{prefix}_{self.last}"


# Lessons and candidates


def memory(text: str = "Use pnpm instead of npm.") -> Memory:
    """Return a memory."""
    return Memory(text)


def skill(name: str = "cut-a-release", body: str = "1. Run the tests.\n2. Tag.") -> Skill:
    """Return a skill."""
    return Skill(name, "Use when a release is cut", body)


def plan(name: str = "look-around") -> dict[str, object]:
    """Return a workflow plan that holds."""
    contract = {"goal": "Know", "criteria": ["told"], "audit": "independent", "checks": []}
    task = {"id": "a", "kind": "agent", "mode": "read", "permission": "ask", "prompt": "Look."}
    return {
        "version": 2,
        "name": name,
        "description": "Looks around",
        "tasks": [
            {**task, "contract": contract},
            {**task, "id": "b", "dependsOn": ["a"], "contract": contract},
        ],
    }


def workflow(name: str = "look-around") -> Workflow:
    """Return a workflow."""
    return Workflow(name, plan(name))


LESSONS: dict[str, Lesson] = {
    "memory": memory(),
    "instruction": Instruction("Write commit messages in English."),
    "skill": skill(),
    "workflow": workflow(),
}


def evidence(
    lineage: str = "s1", quote: str = "use pnpm, not npm", at: int | None = START
) -> Evidence:
    """Return one row of evidence."""
    named = text_digest(quote)
    return Evidence(lineage, f"{lineage}:3:prompt", "r3", named, "claude-code", lineage, at)


def candidate(
    lesson: Lesson | None = None,
    *,
    lineages: Sequence[str] = ("s1", "s2"),
    ideas: Sequence[str] = ("idea",),
    revision: str = POLICY,
    project: str = PROJECT,
    **content: object,
) -> Candidate:
    """Return a candidate with evidence of some lineages."""
    shown = tuple(evidence(lineage) for lineage in lineages)
    made = Content(project, lesson or memory(), evidence=shown)
    made = replace_struct(made, **content)
    return Candidate(made, revision, tuple(ideas))


def replace_struct(value: Content, **changes: object) -> Content:
    """Return a content with some fields changed."""
    import msgspec

    return msgspec.structs.replace(value, **changes)


def blob(content: Content) -> dict[str, bytes]:
    """Return the blob that holds a content, by its address."""
    data = encode_content(content)
    return {digest(data): data}


def note(subject: str = "x", **body: object) -> Draft:
    """Return an entry that means nothing."""
    return Draft("session.forgotten", subject, "", "person", {"sessions": [], "note": dict(body)})


# Evidence as the store keeps it


def known(
    name: str = "shop", *keys: str, root: str = "/work/shop", gone: bool = False
) -> KnownProject:
    """Return a project."""
    return KnownProject(f"prj_{name}", name, root, gone, keys or (f"path:{root}",))


def sighting(
    session: str = "s1",
    seq: int = 3,
    *,
    quote: str | None = "use pnpm, not npm",
    idea: str = "idea",
    at: int | None = START,
    recorded: int = START,
    record: str | None = None,
    project: str = PROJECT,
    revision: str = POLICY,
) -> Sighting:
    """Return a sighting; its record id is the same for the same session and number."""
    named = f"{session}-{seq}" if record is None else record
    meaning = Fingerprint(frozenset({"pnpm"}), frozenset({"npm"})) if quote is not None else None
    return Sighting(
        idea=idea,
        project=project,
        agent="claude-code",
        lineage="",
        anchor=Anchor(session, seq, Kind.PROMPT, named, text_digest(quote or "")),
        kind=SignalKind.CORRECTION,
        scope=Scope.DURABLE,
        confidence=0.9,
        at=at,
        recorded=recorded,
        revision=revision,
        quote=quote,
        fingerprint=meaning,
    )


def batch(
    session: str = "s1",
    sightings: Iterable[Sighting] = (),
    *,
    turns: Sequence[str] = (),
    keys: Sequence[str] = (),
    fresh: bool = True,
    project: str = PROJECT,
    first: int = 0,
) -> Batch:
    """Return what one reading of one session's file adds."""
    listed = tuple(sightings)
    file = ReadFile(
        f"file-{session}", "claude-code", f"~/{session}.jsonl", 10, 20, 30, 4, 4, session,
        project, POLICY, Depth.TEXT, "head",
    )  # fmt: skip
    kept = KeptSession(
        session, "claude-code", project, "", "main", file.path, START, START + 1, len(turns)
    )
    return Batch(
        file=file,
        session=kept,
        fresh=fresh,
        keys=tuple(keys),
        turns=tuple(
            KeptTurn(session, f"{session}-{n}", n, Kind.PROMPT, START + n, f"{session}-{n}", text)
            for n, text in enumerate(turns, first)
        ),
        sightings=listed,
        starts=tuple(0 for _ in listed),
    )


def later(found: Sighting, recorded: int) -> Sighting:
    """Return the same sighting, recorded at another time."""
    return replace(found, recorded=recorded)


# Sessions of Claude Code on disk


@dataclass
class Home:
    """A machine of its own below one folder: a home, a data folder, a project, sessions."""

    root: Path

    def __post_init__(self) -> None:
        """Make the folders."""
        for folder in (self.sessions, self.project / ".git"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    @property
    def data(self) -> Path:
        """Where Twice keeps its own files."""
        return self.root / "data"

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.root / "work" / "shop"

    @property
    def sessions(self) -> Path:
        """Where the agent keeps sessions."""
        return self.root / "sessions"

    def says(
        self,
        number: int,
        *words: str,
        cwd: Path | None = None,
        branch: str = "main",
        **more: object,
    ) -> Path:
        """Write a session in which a person says something, the agent answering each."""
        id = session_id(number)
        records: list[dict[str, object]] = []
        for turn, text in enumerate(words):
            about = {
                "sessionId": id,
                "cwd": str(cwd or self.project),
                "gitBranch": branch,
                "version": "2.0.1",
                "isSidechain": False,
                **more,
            }
            minute = f"{turn // 60:02}:{turn % 60:02}"
            records.append(
                {
                    **about,
                    "type": "user",
                    "uuid": record_id(number, turn),
                    "timestamp": f"2026-05-{number % 28 + 1:02}T10:{minute}.000Z",
                    "message": {"role": "user", "content": text},
                }
            )
            records.append(
                {
                    **about,
                    "type": "assistant",
                    "uuid": record_id(number, 1000 + turn),
                    "timestamp": f"2026-05-{number % 28 + 1:02}T11:{minute}.000Z",
                    "message": {
                        "role": "assistant",
                        "content": [{"type": "text", "text": f"Done, as told: {number}.{turn}"}],
                    },
                }
            )
        return self.writes(id, records)

    def writes(self, name: str, records: Iterable[dict[str, object]]) -> Path:
        """Write a session of given records."""
        path = self.sessions / f"{name}.jsonl"
        lines = (json.dumps(record, ensure_ascii=True) for record in records)
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def sets(self, text: str) -> None:
        """Write the user's settings."""
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.data / "config.toml").write_text(text, encoding="utf-8")

    def raw(self) -> bytes:
        """Return every byte below the data folder, names included."""
        return b"\n".join(
            str(path.relative_to(self.data)).encode() + b"\0" + path.read_bytes()
            for path in sorted(self.data.rglob("*"))
            if path.is_file()
        )


def session_id(number: int) -> str:
    """Return the id of a session."""
    return f"{number:08x}-1111-4222-8333-444444444444"


def record_id(number: int, turn: int) -> str:
    """Return the id of a record."""
    return f"{number:08x}-1111-4222-8333-{turn:012x}"


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return everything below a folder: files with their bytes, folders with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
