"""What was met before: sessions and how far they were read, folders and what they held then."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from twice.actions.kit import Kit
from twice.core.encoding import keyed
from twice.core.kept import Depth, ReadFile
from twice.core.policy import Mode

Folder = tuple[str, Path]
"""An agent's name, and a folder in which its files lie."""


@dataclass(slots=True)
class Settled:
    """Sessions in the files of one folder that need no second look while it stays as it is."""

    logs: int = 0
    projects: set[str] = field(default_factory=set)
    text: bool = True  # all of them were kept with their texts

    def add(self, file: ReadFile) -> None:
        """Count a session that was read to its end."""
        self.logs += 1
        self.projects |= {file.project} - {""}
        self.text = self.text and file.depth is Depth.TEXT


class Met:
    """What was met before in the files of sessions, so that only what is new is opened.

    ``passed`` are the folders that were passed by, since nothing changed in them: none unless
    ``pass_by``.
    """

    def __init__(self, kit: Kit, *, pass_by: bool = False) -> None:
        self._pass_by = pass_by
        self.passed: list[Settled] = []
        self._kit = kit
        self._names: dict[str, str] = {}  # asked several times of every file
        self._listed: dict[Folder, str] = {}
        self._modes: dict[str, Mode] = {}

    @cached_property
    def files(self) -> Mapping[str, ReadFile]:
        """How far every session was read before."""
        return self._kit.store.files()

    @cached_property
    def revision(self) -> str:
        """The policy revision that all of a run is read under.

        It is asked before any mode: where somebody changes one in between, what is read counts
        for the revision before, and is looked at again.
        """
        return self._kit.revision()

    @cached_property
    def roots(self) -> dict[str, str]:
        """The folder of every known project, by its id; a run adds those that it makes."""
        return {project.id: project.root for project in self._kit.store.projects()}

    def mode_of(self, root: str) -> Mode:
        """Return the effective mode of a project's folder, asked once in a run."""
        if root not in self._modes:
            self._modes[root] = self._kit.mode_of(root).mode
        return self._modes[root]

    def mode_of_project(self, project: str) -> Mode:
        """Return the effective mode of a known project."""
        return self.mode_of(self.roots.get(project, ""))

    def name(self, path: Path, part: str = "") -> str:
        """Return the name under which the store keeps how far a session was read."""
        if part:
            return keyed(self._kit.store.key, f"{path}\0{part}")
        text = str(path)
        if text not in self._names:
            self._names[text] = keyed(self._kit.store.key, text)
        return self._names[text]

    def of(self, agent: str) -> "MetOfAgent":
        """Return what was met of one agent."""
        return MetOfAgent(self, agent)

    def knows(self, agent: str, path: Path) -> bool:
        """Tell whether a file was read before, as one of the agent's with this name."""
        before = self.files.get(self.name(path))
        return before is not None and before.source == agent

    def passes(self, agent: str, folder: Path, listing: str) -> bool:
        """Tell whether all sessions in a folder were read while it held just what it holds now.

        ``listing`` tells of everything in it that could be a session, and its size and time.
        """
        if not self._pass_by:
            return False
        mark = keyed(self._kit.store.key, f"{self._terms}\0{listing}")
        noted = json.loads(self._notes.get(self._key(agent, folder)) or "{}")
        if noted.pop("mark", "") == mark:
            settled = Settled(noted["logs"], set(noted["projects"]), noted["text"])
            modes = map(self.mode_of_project, settled.projects)
            if settled.text or not any(mode.keeps_text for mode in modes):
                self.passed.append(settled)
                return True
        self._listed[agent, folder] = mark
        return False

    def note(self, settled: Mapping[Folder, Settled], open: Collection[Folder]) -> None:
        """Note what was settled in each folder that was listed; leave out what is still open."""
        notes: dict[str, str] = {}
        for folder, mark in self._listed.items():
            if folder not in open:
                found = settled.get(folder) or Settled()
                note = {
                    "mark": mark,
                    "logs": found.logs,
                    "projects": sorted(found.projects),
                    "text": found.text,
                }
                notes[self._key(*folder)] = json.dumps(note)
        new = {key: note for key, note in notes.items() if self._notes.get(key) != note}
        if new:
            self._kit.store.note_folders(new)

    def _key(self, agent: str, folder: Path) -> str:
        return keyed(self._kit.store.key, f"{agent}\0{folder}")

    @cached_property
    def _terms(self) -> str:
        """Under which version and policy a folder is passed by: another one looks again."""
        return f"{self._kit.engine} {self.revision}"

    @cached_property
    def _notes(self) -> dict[str, str]:
        return self._kit.store.folder_notes()


@dataclass(frozen=True, slots=True)
class MetOfAgent:
    """What was met of one agent: what its source asks while it looks for files."""

    met: Met
    agent: str

    def file(self, path: Path) -> bool:
        """Tell whether a file was read before, as one of this agent's."""
        return self.met.knows(self.agent, path)

    def folder(self, path: Path, listing: str) -> bool:
        """Tell whether all sessions in a folder were read while it held just what it holds now."""
        return self.met.passes(self.agent, path, listing)
