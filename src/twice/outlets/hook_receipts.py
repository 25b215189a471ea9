"""The receipt of an installed hook: what was written where, so that it can be undone exactly.

It holds digests and our own text, never the settings around it: those may hold secrets.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import msgspec

from twice.core.encoding import canonical
from twice.core.errors import Broken, Fault

NAME = "claude-code-user.json"


class HookReceipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One hook put into one settings file.

    ``path`` is the file as the person names it; ``before`` and ``after`` are SHA-256 digests of
    it, ``before`` empty where there was none. ``inserted`` are places (in characters of the text
    before) and our texts. ``made`` is the outermost thing that is ours; ``folders`` were created,
    below ``root``. ``at`` is UTC in microseconds.
    """

    path: str
    command: str
    before: str
    after: str
    made: str
    at: int
    inserted: tuple[tuple[int, str], ...] = ()
    root: str = ""
    folders: tuple[str, ...] = ()


def kept(folder: Path) -> HookReceipt | None:
    """Return the receipt in a folder; raise ``Broken`` where it is damaged."""
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=HookReceipt)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Fault(f"Cannot read {path}: {error.strerror}.") from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise Broken(
            f"The receipt {path} is damaged.", hint="Move it away, then run this again."
        ) from error


def keep(folder: Path, receipt: HookReceipt | None) -> None:
    """Keep a receipt in a folder, private and whole or not at all; None removes it."""
    path = folder / NAME
    try:
        if receipt is None:
            with suppress(FileNotFoundError):
                path.unlink()
            return
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(path, canonical(msgspec.to_builtins(receipt)) + b"\n")
    except OSError as error:
        raise Fault(f"Cannot write {path}: {error.strerror}.") from error


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
