"""The application: every verb that Twice has, one line each. Faces ask it and nothing behind it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from twice.actions import (
    deciding,
    dreaming,
    forgetting,
    joining,
    proposing,
    recording,
    showing,
    telling,
    verifying,
)
from twice.actions.kit import Kit, Opened
from twice.actions.met import Met
from twice.actions.reading import Progress, quiet
from twice.core.kept import KnownProject
from twice.core.ledger import Entry
from twice.core.lessons import Lesson
from twice.core.policy import Effective
from twice.core.proposals import Refusal
from twice.core.states import State, Status


@dataclass(frozen=True, slots=True)
class App:
    """Twice, wired for one run.

    ``kit`` is what the verbs work with. ``mode`` is the user's side of the mode, before project
    and repository. ``alone`` holds off every other process that decides; ``one_dream`` every
    other dream. ``project_here`` is the project of the current folder, or nothing;
    ``project_or_new`` makes it one where it can be, and raises ``BadInput`` elsewhere.
    """

    kit: Kit
    mode: Effective
    alone: Callable[[], AbstractContextManager[object]]
    one_dream: Callable[[], AbstractContextManager[object]]
    project_here: Callable[[], str]
    project_or_new: Callable[[], str]

    def met(self, *, pass_by: bool = True) -> Met:
        """Return what was met before in the files of sessions.

        ``pass_by``: folders in which nothing changed are not looked into at all.
        """
        return Met(self.kit, pass_by=pass_by)

    def dream(
        self,
        found: Sequence[Opened],
        *,
        before: Met | None = None,
        since: int | None = None,
        only: frozenset[str] | None = None,
        progress: Progress = quiet,
    ) -> dreaming.Report:
        """Read what is new, learn, and file proposals."""
        with self.one_dream():
            return dreaming.dream(
                self.kit,
                found,
                effective=self.mode,
                before=before,
                since=since,
                only=only,
                progress=progress,
            )

    def record(
        self, batches: Iterable[Iterable[tuple[int, recording.Given]]], about: recording.About
    ) -> recording.Recording:
        """Take in the events that an agent reports."""
        return recording.record(self.kit, batches, effective=self.mode, about=about)

    def proposals(
        self,
        *,
        project: str | None = None,
        statuses: Sequence[Status] = (),
        limit: int | None = None,
        ids: Collection[str] | None = None,
    ) -> list[showing.Shown]:
        """List proposals as a reviewer sees them, newest first; ``ids`` leaves out all others."""
        return showing.listed(self.kit, project=project, statuses=statuses, limit=limit, ids=ids)

    def show(self, id: str) -> showing.Shown | Refusal:
        """Show one proposal."""
        return showing.show(self.kit, id)

    def hand_in(
        self, project: str, handed: proposing.Handed, *, origin: str = "person"
    ) -> State | Refusal:
        """File a candidate that a person or tool hands in."""
        return proposing.hand_in(self.kit, project, handed, origin=origin)

    def approve(self, id: str, *, expected: str = "", override: bool = False) -> State | Refusal:
        """Approve what waits."""
        with self.alone():
            return deciding.approve(self.kit, id, expected=expected, override=override)

    def edit(self, id: str, lesson: Lesson, *, expected: str = "") -> State | Refusal:
        """Replace what a pending proposal says."""
        return deciding.edit(self.kit, id, lesson, expected=expected)

    def refresh(self, id: str) -> State | Refusal:
        """Look again at what a pending proposal would replace; its words stay."""
        return deciding.refresh(self.kit, id)

    def reject(self, id: str, *, reason: str = "", expected: str = "") -> State | Refusal:
        """Reject what waits."""
        return deciding.reject(self.kit, id, reason=reason, expected=expected)

    def roll_back(
        self,
        id: str,
        *,
        expected: str = "",
        expected_revision: int | None = None,
        gone: bool = False,
    ) -> State | Refusal:
        """Undo an approval exactly."""
        with self.alone():
            return deciding.roll_back(
                self.kit, id, expected=expected, expected_revision=expected_revision, gone=gone
            )

    def context(self, project: str) -> telling.Told:
        """Show what a new session of a project is told, and what was left out."""
        return telling.told(self.kit, project)

    def why(self, wanted: str) -> list[showing.Why] | Refusal:
        """Trace an item back to the quotes that taught it."""
        return showing.why(self.kit, wanted)

    def history(self, id: str) -> tuple[Entry, ...]:
        """Return everything that was decided about one item."""
        return showing.history(self.kit, id)

    def status(self, root: Path) -> telling.Health:
        """Tell the mode, what waits, the last dream, and how things are."""
        return telling.health(self.kit, root, self.project_here())

    def last_report(self) -> dreaming.Report | None:
        """Return the report of the last dream."""
        return telling.last_report(self.kit)

    def projects(self) -> list[tuple[joining.Listed, ...]]:
        """List every known project; those that read as one are together."""
        return joining.listed(self.kit)

    def find_project(self, wanted: str) -> KnownProject | Refusal:
        """Return the project that a person names by its id, its name, or a folder of it."""
        return joining.find(self.kit, wanted)

    def plan_link(self, this: str, that: str) -> joining.Joining | Refusal:
        """Preview what joining one project to another would do."""
        return joining.plan_link(self.kit, this, that)

    def link(self, plan: joining.Joining) -> Entry | Refusal:
        """Join two projects: the one reads as the other from now on."""
        with self.alone():
            return joining.link(self.kit, plan)

    def plan_unlink(self, this: str) -> joining.Joining | Refusal:
        """Preview what taking a project apart again would do."""
        return joining.plan_unlink(self.kit, this)

    def unlink(self, plan: joining.Joining) -> Entry | Refusal:
        """Take a project apart again, exactly."""
        with self.alone():
            return joining.unlink(self.kit, plan)

    def plan_forgetting(self, subject: str) -> forgetting.Plan | Refusal:
        """Preview what forgetting would erase."""
        return forgetting.plan(self.kit, subject)

    def forget(self, plan: forgetting.Plan) -> dict[str, int] | Refusal:
        """Erase what was previewed."""
        with self.alone():
            return forgetting.forget(self.kit, plan)

    def verify(self, *, rebuild: bool = False, secrets: bool = False) -> verifying.Verdict:
        """Check everything, and finish what was interrupted."""
        with self.alone():
            return verifying.verify(self.kit, rebuild=rebuild, secrets=secrets)

    def close(self) -> None:
        """Let go of the store."""
        self.kit.store.close()
