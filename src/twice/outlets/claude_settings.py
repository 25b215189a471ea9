"""Our session-start hook in Claude Code's settings: spliced in, renewed, and taken out exactly."""

import os
from dataclasses import dataclass
from pathlib import Path

from twice.core.encoding import digest
from twice.core.errors import BadInput, Fault
from twice.core.proposals import Refusal
from twice.outlets import files, jsonc, session_hook
from twice.outlets.handles import Found, Missing, faults, look, open_root
from twice.outlets.hook_receipts import HookReceipt, keep, kept
from twice.outlets.jsonc import Insertion, Scalar
from twice.outlets.session_hook import Spliced

NAME = "settings.json"
RETENTION = "cleanupPeriodDays"
DEFAULT_DAYS = 30
_DIGITS = 9  # of a number of days


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the settings that is not made yet.

    ``before`` and ``after`` are the whole file, None where there is none. ``receipt`` is what is
    kept once it is made, None where the receipt goes. ``folders`` below ``within`` are ours, and
    go with the file.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    receipt: HookReceipt | None
    within: Path
    folders: tuple[str, ...] = ()


Planned = Change | Refusal | None
"""None: nothing has to change."""


@dataclass(frozen=True, slots=True)
class ClaudeSettings:
    """The user's settings of Claude Code in a folder, and the hook that belongs into them.

    ``command`` is the whole command line; ``receipts`` is the folder of our receipts.
    """

    folder: Path
    command: str
    receipts: Path
    home: Path

    @property
    def path(self) -> Path:
        """The settings as the person names them, be it a link."""
        return self.folder / NAME

    def is_installed(self) -> bool:
        """Tell whether the hook is in the settings, as far as they can be read."""
        return _holds(self.path)

    def kept_days(self) -> int:
        """Return after how many days Claude Code deletes sessions, as far as these settings say.

        It takes at least one day; without a whole number here it keeps to its default.
        """
        try:
            data = _read(self.path)
            root = jsonc.scan(_decoded(data)) if isinstance(data, bytes) else None
        except Fault:
            root = None
        at = root.named(RETENTION) if root else None
        value = root.entries[at].part.value if root and at is not None else None
        written = value.text if isinstance(value, Scalar) else ""
        days = int(written) if written.isdecimal() and len(written) <= _DIGITS else 0
        return days or DEFAULT_DAYS

    def installing(self, *, at: int) -> Planned:
        """Plan to put the hook in; refuse settings that cannot be read. ``at`` is now."""
        receipt = kept(self.receipts)
        if receipt is not None and receipt.path != str(self.path):
            if _holds(Path(receipt.path)):
                hint = f"CLAUDE_CONFIG_DIR={Path(receipt.path).parent} twice init --uninstall"
                return Refusal("elsewhere", f"the hook is installed in {receipt.path}", hint)
            receipt = None
        data = _read(self.path)
        if isinstance(data, Refusal):
            return data
        if data is None:
            return self._first(at)
        try:
            return self._next(data, receipt, at)
        except BadInput as flaw:
            return _malformed(self.path, flaw)

    def removing(self) -> Planned:
        """Plan to take the hook out; refuse where a person changed it."""
        receipt = kept(self.receipts)
        path = self.path if receipt is None else Path(receipt.path)
        data = _read(path)
        if isinstance(data, Refusal):
            return data
        folders = () if receipt is None else receipt.folders
        if data is None:
            return None if receipt is None else Change(path, None, None, None, path.parent)
        try:
            after = _without(data, receipt)
        except BadInput as flaw:
            return _malformed(path, flaw)
        if isinstance(after, Refusal):
            return Refusal(after.code, f"{path}: {after.reason}", after.hint)
        if receipt is None and after == data:
            return None
        within = Path(receipt.root) if receipt and receipt.root else _within(path, self.home)
        return Change(path, data, after or None, None, within, folders)

    def carry_out(self, change: Change) -> Refusal | None:
        """Make a planned change if the file still holds what it was planned on.

        The receipt is written first and removed last: a crash leaves one too many, never too few.
        """
        before = kept(self.receipts)
        if change.receipt is not None:
            keep(self.receipts, change.receipt)
        refusal = _replace(change) if change.before != change.after else None
        if refusal is None and change.receipt is None:
            keep(self.receipts, None)
        if refusal is not None and change.receipt is not None:
            keep(self.receipts, before)
        return refusal

    def _first(self, at: int) -> Planned:
        """Plan settings that hold nothing but the hook."""
        if self.path.is_symlink():
            return Refusal("unsafe", f"{self.path} is left alone: it is a link to nothing")
        after = session_hook.fresh(self.command).encode()
        within = _within(self.path, self.home)
        relative = Path(os.path.realpath(self.path)).relative_to(within).as_posix()
        folders = files.missing_folders(within, relative)
        if isinstance(folders, files.Unsafe):
            return Refusal("unsafe", f"{folders.path} is left alone: {folders.reason}")
        receipt = HookReceipt(
            path=str(self.path),
            command=self.command,
            before="",
            after=digest(after),
            made="file",
            at=at,
            root=str(within),
            folders=folders,
        )
        return Change(self.path, None, after, receipt, within)

    def _next(self, data: bytes, receipt: HookReceipt | None, at: int) -> Planned:
        """Plan the hook in settings that exist, as if an older one of ours had not been there."""
        original = None if self._is_current(receipt) else _original(data, receipt)
        made = "group" if receipt is None else receipt.made
        if original == b"":
            spliced: Spliced | Refusal | None = Spliced(
                session_hook.fresh(self.command), (), "file"
            )
        else:
            text = _decoded(data if original is None else original)
            spliced = session_hook.put_in(text, self.command, made=made)
        if not isinstance(spliced, Spliced):
            return _about(self.path, spliced)
        after = spliced.text.encode()
        base = jsonc.take_out(spliced.text, spliced.insertions)
        assert base is not None
        renewed = HookReceipt(
            path=str(self.path),
            command=self.command,
            before="" if original == b"" else digest(base.encode()),
            after=digest(after),
            made=spliced.made,
            at=at,
            inserted=tuple((i.at, i.text) for i in spliced.insertions),
            root=receipt.root if receipt else "",
            folders=receipt.folders if receipt else (),
        )
        return Change(self.path, data, after, renewed, _within(self.path, self.home))

    def _is_current(self, receipt: HookReceipt | None) -> bool:
        return receipt is not None and receipt.command == self.command


def _holds(path: Path) -> bool:
    data = _read(path)
    try:
        return isinstance(data, bytes) and session_hook.holds(_decoded(data))
    except BadInput:
        return False


def _read(path: Path) -> bytes | Refusal | None:
    """Read the settings, behind a link; None where there are none."""
    real = Path(os.path.realpath(path))
    with faults(path):
        folder = open_root(real.parent) if real.parent.is_dir() else None
        if folder is None:
            return None
        if isinstance(folder, files.Unsafe):
            return Refusal("unsafe", f"{path} is left alone: {folder.reason}")
        with folder:
            found = look(folder, real.name)
    match found:
        case Found(data=data):
            return data
        case Missing():
            return None
        case files.Unsafe(reason=reason):
            return Refusal("unsafe", f"{path} is left alone: {reason}")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadInput("it is not UTF-8") from error


def _malformed(path: Path, flaw: BadInput) -> Refusal:
    hint = "Mend it first; nothing was changed."
    return Refusal("malformed", f"{path} is malformed, {flaw.message}", hint)


def _about(path: Path, refusal: Refusal | None) -> Refusal | None:
    """Name the file in a refusal."""
    return refusal and Refusal(refusal.code, f"{path}: {refusal.reason}", refusal.hint)


def _original(data: bytes, receipt: HookReceipt | None) -> bytes | None:
    """Return the exact bytes from before, empty for no file; None if anything changed since."""
    if receipt is None or digest(data) != receipt.after:
        return None
    if not receipt.before:
        return b""
    inserted = [Insertion(at, text) for at, text in receipt.inserted]
    text = jsonc.take_out(_decoded(data), inserted)
    if text is None or digest(text.encode()) != receipt.before:
        return None
    return text.encode()


def _without(data: bytes, receipt: HookReceipt | None) -> bytes | Refusal:
    """Return the settings without the hook; empty where nothing of anybody else's is left."""
    original = _original(data, receipt)
    if original is not None:
        return original
    made = "group" if receipt is None else receipt.made
    text = session_hook.take_out(_decoded(data), made)
    if isinstance(text, Refusal):
        return text
    if text is None:
        return data
    return b"" if made == "file" and "".join(text.split()) == "{}" else text.encode()


def _within(path: Path, home: Path) -> Path:
    """Return the folder below which the settings are edited: the home, or where they really lie."""
    real, top = Path(os.path.realpath(path)), Path(os.path.realpath(home))
    if real.is_relative_to(top) and top.is_dir():
        return top
    return next(folder for folder in real.parents if folder.is_dir())


def _replace(change: Change) -> Refusal | None:
    outcome = files.replace(
        change.path, change.before, change.after, within=change.within, created=change.folders
    )
    match outcome:
        case files.Replaced():
            return None
        case files.Unsafe(reason=reason):
            return Refusal("unsafe", f"{change.path} is left alone: {reason}")
        case files.Missing() | files.Changed():
            reason = f"{change.path} changed in the meantime"
            return Refusal("changed", reason, "Run this again.")
