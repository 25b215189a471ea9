"""A whole Twice on a machine of its own, which may break down at any single write."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.builders import LESSONS, Clock, Home

from twice import wiring
from twice.actions.proposing import Handed
from twice.app import App
from twice.core.lessons import Lesson
from twice.core.policy import Mode
from twice.core.proposals import Refusal
from twice.core.states import State
from twice.store.rows import Tables
from twice.store.sql import SqliteDatabase

WISH = ("use pnpm, not npm", "No, use pnpm instead of npm")
OTHER = ("never commit to main", "please don't ever commit to main")


class Crash(BaseException):
    """The process ends at this very write."""


@dataclass
class Countdown:
    """Ends the process at the n-th write; None never does."""

    left: int | None = None
    met: list[str] = field(default_factory=list)

    def __call__(self, name: str) -> None:
        """Take note of one more write."""
        self.met.append(name)
        if self.left is not None and len(self.met) == self.left:
            raise Crash(name)


@dataclass
class Machine(Home):
    """A person's machine, with a Twice that is opened anew for every verb."""

    clock: Clock = field(default_factory=Clock)

    @contextmanager
    def twice(
        self, countdown: Callable[[str], None] = lambda _: None, *, mode: Mode | None = None
    ) -> Iterator[App]:
        """Open Twice; every commit and every write of a file is told to ``countdown``."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wiring, "SqliteDatabase", _told(countdown))
            app = wiring.open_app(
                data=self.data, clock=self.clock, here=self.project, run_mode=mode, step=countdown
            )
        try:
            yield app
        finally:
            app.close()

    def dream(self, countdown: Callable[[str], None] = lambda _: None, **more: Any) -> Any:
        """Dream over all sessions; return the report."""
        with self.twice(countdown, **more) as app:
            found, _ = wiring.found_sessions([self.sessions], here=self.project, data=self.data)
            return app.dream(found)

    def learns(self, *wishes: tuple[str, ...]) -> list[str]:
        """Let wishes recur, one session each; return the ids of the proposals."""
        first = len(list(self.sessions.glob("*.jsonl"))) + 1
        said = [words for wish in wishes for words in wish]
        for number, words in enumerate(said, first):
            self.says(number, f"Please look at page {number}.", words)
        return list(self.dream()["evolution"]["proposals"])

    def proposes(self, kind: str) -> str:
        """Hand in a lesson of some kind; return the proposal's id."""
        return self.hands_in(LESSONS[kind])

    def hands_in(self, lesson: Lesson) -> str:
        """Hand in a lesson; return the proposal's id."""
        with self.twice() as app:
            state = app.hand_in(app.project_or_new(), Handed(lesson))
            assert isinstance(state, State), state
            return state.id

    def does(self, verb: str, id: str, countdown: Callable[[str], None] = lambda _: None) -> Any:
        """Carry out one verb on one item; return what became of it."""
        with self.twice(countdown) as app:
            match verb:
                case "approve":
                    return app.approve(id)
                case "reject":
                    return app.reject(id, reason="one-off")
                case "roll back":
                    return app.roll_back(id)
                case _:
                    plan = app.plan_forgetting(id)
                    return plan if isinstance(plan, Refusal) else app.forget(plan)

    def set_mode(self, mode: str, *, workflows: bool = True) -> None:
        """Change the mode as a person would."""

        def change(document: Any) -> None:
            document["evolution"] = mode
            document["workflows"] = workflows

        with self.twice() as app:
            wiring.change_setting(app, change)

    def status(self, id: str) -> str:
        """Return where a proposal stands, or nothing where it is gone."""
        with self.twice() as app:
            state = app.kit.store.state(id)
            return str(state.status) if state else ""

    def told(self) -> str:
        """Return what a session of the project is told."""
        with self.twice() as app:
            return app.kit.store.context(app.project_here())

    def flaws(self) -> list[str]:
        """Return what a check finds."""
        with self.twice() as app:
            return app.verify(secrets=True).flaws

    def snapshot(self) -> Callable[[], None]:
        """Return what puts the whole machine back to how it is now."""
        kept = self.root.with_name(self.root.name + "-kept")
        shutil.copytree(self.root, kept, symlinks=True, dirs_exist_ok=False)

        def restore() -> None:
            shutil.rmtree(self.root)
            shutil.copytree(kept, self.root, symlinks=True)

        return restore


def _told(countdown: Callable[[str], None]) -> type[SqliteDatabase]:
    class Told(SqliteDatabase):
        """A database that tells of every commit, before and after."""

        @contextmanager
        def writing(self, *, durable: bool = False) -> Iterator[Tables]:  # type: ignore[override]
            """Open the one write transaction."""
            with super().writing(durable=durable) as tables:
                yield tables
                countdown("before commit")
            countdown("after commit")

    return Told


def machine(root: Path, mode: str = "suggest") -> Machine:
    """Return a machine whose user set a mode."""
    made = Machine(root)
    made.sets(f'evolution = "{mode}"\nworkflows = true\n')
    return made
