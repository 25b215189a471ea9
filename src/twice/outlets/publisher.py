"""Skills and workflows as files of a project: made, compared with their receipts, taken back."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from twice.core.encoding import canonical, digest
from twice.core.lessons import Lesson, Skill, Workflow
from twice.core.proposals import Refusal
from twice.core.receipts import Destination, OnDisk, Receipt
from twice.outlets import files
from twice.outlets.skills import render_skill, skill_paths
from twice.outlets.writes import Step, silent

_PREFIX = 24  # characters of a workflow's name in its file's name


class Publisher:
    """The outlet for lessons that become files. ``step`` is told of every single write."""

    def __init__(self, *, step: Step = silent) -> None:
        self._step = step

    def render(self, lesson: Lesson) -> bytes:
        """Return the exact bytes of a skill's or a workflow's file."""
        match lesson:
            case Skill(name=name, description=description, body=body):
                return render_skill(name, description, body)
            case Workflow(plan=plan):
                return canonical(plan) + b"\n"
            case _:
                return b""

    def destinations(
        self, lesson: Lesson, *, id: str, root: Path, agents: Collection[str]
    ) -> tuple[Destination, ...] | Refusal:
        """Return where a lesson's file goes; refuse where a place is taken or not safe."""
        if not root.is_dir():
            return Refusal("gone", f"the project's folder {root} is gone")
        found = []
        for path in _paths(lesson, id, root, agents):
            if (root / path).exists() or (root / path).is_symlink():
                return Refusal(
                    "exists",
                    f"{path} exists already",
                    "Move it away, or edit the proposal's name, then approve again.",
                )
            created = files.missing_folders(root, path)
            if isinstance(created, files.Unsafe):
                return _unsafe(created)
            found.append(Destination(path, created))
        return tuple(found)

    def publish(self, receipt: Receipt, root: Path, data: bytes) -> Refusal | None:
        """Write one new file over nothing."""
        if digest(data) != receipt.digest:
            return Refusal("changed", "its bytes are not those that the receipt names")
        outcome = files.publish(root, receipt.destination, data, step=self._step)
        return _unsafe(outcome) if isinstance(outcome, files.Unsafe) else None

    def on_disk(self, receipt: Receipt, root: Path) -> OnDisk:
        """Compare a published file with its receipt."""
        match files.intact(root, receipt.destination, receipt.digest):
            case files.Intact():
                return OnDisk.INTACT
            case files.Missing():
                return OnDisk.MISSING
            case files.Changed():
                return OnDisk.CHANGED
            case files.Unsafe():
                return OnDisk.UNSAFE if root.is_dir() else OnDisk.MISSING

    def retire(self, receipt: Receipt, root: Path, folder: Path) -> Path | Refusal:
        """Move an intact file into ``folder``, below its own path there."""
        kept = folder / PurePosixPath(receipt.destination).parent
        outcome = files.retire(
            root,
            receipt.destination,
            receipt.digest,
            kept,
            created=receipt.created,
            step=self._step,
        )
        match outcome:
            case files.Retired(path=path):
                return path
            case files.Missing():
                return Refusal("missing", f"{receipt.destination} is not there any more")
            case files.Changed():
                return Refusal(
                    "edited",
                    f"{receipt.destination} was changed by hand",
                    "Keep your version by moving it to another name, then try again.",
                )
            case files.Unsafe() as unsafe:
                return _unsafe(unsafe)

    def tidy(self, receipt: Receipt, root: Path) -> None:
        """Remove temporary files of ours beside a destination, and folders made for no file."""
        files.tidy(root / PurePosixPath(receipt.destination).parent, step=self._step)
        if self.on_disk(receipt, root) is OnDisk.MISSING:
            files.prune(root, receipt.created, step=self._step)

    def retired(self, receipt: Receipt, folder: Path) -> bool:
        """Tell whether the file lies whole where ``retire`` moves it."""
        kept = folder / PurePosixPath(receipt.destination)
        return isinstance(files.intact(kept.parent, kept.name, receipt.digest), files.Intact)


def _paths(lesson: Lesson, id: str, root: Path, agents: Collection[str]) -> tuple[str, ...]:
    match lesson:
        case Skill(name=name):
            return skill_paths(root, name, agents=agents)
        case Workflow(name=name):
            stem = f"evo-{name[:_PREFIX].rstrip('-')}-{id.removeprefix('prp_')}"
            return (f".twice/workflows/{stem}.json",)
        case _:
            return ()


def _unsafe(unsafe: files.Unsafe) -> Refusal:
    return Refusal("unsafe", f"{unsafe.path}: {unsafe.reason}")
