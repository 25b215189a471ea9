"""Every setting, its default and its meaning: the user's file, and the repository's own."""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
import tomlkit

from twice.core.errors import BadInput
from twice.core.limits import CONFIG_BYTES
from twice.core.policy import Allowance, Category, Mode, Policy

T = TypeVar("T")


class Consent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user allows for one project; it can only lower the user's own mode."""

    evolution: Mode | None = None


class UserFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``config.toml`` in the data folder. Without it everything has its default.

    ``evolution``: how far learning may go. ``workflows``: whether workflow plans may be proposed.
    ``categories``: what mode auto-safe does with each category of memory. ``projects``: consent
    for single projects, by folder or by name.
    """

    evolution: Mode = Mode.OFF
    workflows: bool = False
    categories: dict[Category, Allowance] = {}
    projects: dict[str, Consent] = {}


class RepositoryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``.twice/config.toml`` in a repository. It can lower what the user allowed, never raise."""

    evolution: Mode | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What the user's file says, and the fault that keeps it from being understood, if any."""

    file: UserFile = field(default_factory=UserFile)
    fault: str = ""

    @property
    def policy(self) -> Policy:
        """What the file allows."""
        return Policy(self.file.evolution, self.file.workflows, tuple(self.file.categories.items()))

    def consent(self, root: str, name: str = "") -> Mode | None:
        """Return the consent for a project, by its folder (with ``~`` for home) or its name."""
        for key in (root, name, Path(root).name if root else ""):
            if key and key in self.file.projects:
                return self.file.projects[key].evolution
        return None


def data_folder(environment: dict[str, str] | None = None) -> Path:
    """Return where Twice keeps its own files: ``TWICE_HOME``, or the user's data folder."""
    environment = dict(os.environ) if environment is None else environment
    if chosen := environment.get("TWICE_HOME"):
        return Path(chosen).expanduser().absolute()
    if base := environment.get("XDG_DATA_HOME"):
        return Path(base).expanduser().absolute() / "twice"
    from platformdirs import user_data_path

    return user_data_path("twice", appauthor=False)


def read_user_file(folder: Path) -> Read:
    """Read the user's file; a malformed one closes everything, and says why."""
    file, fault = _read(folder / "config.toml", UserFile)
    return Read(file or UserFile(), fault)


def read_repository_file(root: Path) -> tuple[Mode | None, str]:
    """Return what a repository lowers the mode to, and the fault in its file, if any."""
    file, fault = _read(root / ".twice" / "config.toml", RepositoryFile)
    return (file.evolution if file else None), fault


def _read(path: Path, shape: type[T]) -> tuple[T | None, str]:
    try:
        with path.open("rb") as opened:
            data = opened.read(CONFIG_BYTES + 1)
        if len(data) > CONFIG_BYTES:
            return None, f"{path} is larger than {CONFIG_BYTES} bytes"
        return msgspec.convert(tomllib.loads(data.decode("utf-8-sig")), shape), ""
    except (FileNotFoundError, NotADirectoryError):
        return None, ""
    except OSError as error:
        return None, f"{path} cannot be read: {error.strerror}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        return None, f"{path} is malformed: {' '.join(str(error).split())}"


Change = Callable[[tomlkit.TOMLDocument], None]


def changed(folder: Path, change: Change) -> bytes:
    """Return the user's file after a change, with its comments and order kept.

    Raises ``BadInput`` where the file as it stands, or after the change, is malformed.
    """
    path = folder / "config.toml"
    standing = read_user_file(folder)
    if standing.fault:
        raise BadInput(f"Not changed: {standing.fault}.", hint=f"Mend or remove {path} first.")
    document = tomlkit.parse(path.read_text("utf-8-sig")) if path.exists() else _first_file()
    change(document)
    text = tomlkit.dumps(document)
    try:
        msgspec.convert(tomllib.loads(text), UserFile)
    except msgspec.ValidationError as error:
        raise BadInput(f"Not changed: {error}.") from error
    return text.encode()


def _first_file() -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    document.add(tomlkit.comment("What Twice may do. twice settings changes it, or you do."))
    return document
