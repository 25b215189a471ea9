"""What people allowed: modes, categories, and the revision that every decision is bound to."""

from dataclasses import dataclass, field
from enum import StrEnum


class Mode(StrEnum):
    """How far learning may go, from nothing to memories that save themselves."""

    OFF = "off"
    OBSERVE = "observe"
    SUGGEST = "suggest"
    AUTO_SAFE = "auto-safe"

    @property
    def rank(self) -> int:
        """The place in the order off, observe, suggest, auto-safe; lower allows less."""
        return list(Mode).index(self)

    @property
    def keeps_text(self) -> bool:
        """True where redacted text may be kept."""
        return self.rank >= Mode.SUGGEST.rank


class Category(StrEnum):
    """What a memory is about; each has an allowance of its own."""

    OBJECTIVE = "project.objective"
    CONSTRAINTS = "project.constraints"
    SECURITY = "project.security"
    STACK = "project.stack"
    ARCHITECTURE = "project.architecture"
    COMMANDS = "project.commands"
    RELEASE = "project.release"
    AGENT = "agent.policy"
    USER = "user.preferences"
    TODO = "todo.stable"
    UNCATEGORIZED = "uncategorized"
    VOLATILE = "volatile"


class Allowance(StrEnum):
    """What happens to a memory proposal of a category in mode auto-safe."""

    AUTO = "auto"
    REVIEW = "review"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Policy:
    """What the user set. Everything that is not set waits for review."""

    mode: Mode = Mode.OFF
    workflows: bool = False
    categories: tuple[tuple[Category, Allowance], ...] = ()

    def allowance(self, category: Category) -> Allowance:
        """Return the allowance of a category; what is volatile is never kept."""
        if category is Category.VOLATILE:
            return Allowance.NEVER
        return dict(self.categories).get(category, Allowance.REVIEW)

    def plain(self) -> dict[str, object]:
        """Return the policy as JSON values, for the ledger and for machines."""
        return {
            "mode": str(self.mode),
            "workflows": self.workflows,
            "categories": {str(c): str(a) for c, a in self.categories},
        }


@dataclass(frozen=True, slots=True)
class Terms:
    """Every voice in the chain of consent for one project.

    ``user`` is the user's setting, ``run`` what a person typed for this one run (it replaces the
    user's term), ``project`` and ``repository`` may only lower. ``faults`` name files in the chain
    that could not be understood; one is enough to close everything.
    """

    user: Mode = Mode.OFF
    run: Mode | None = None
    project: Mode | None = None
    repository: Mode | None = None
    faults: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Effective:
    """The mode that holds, and why it is not higher."""

    mode: Mode
    reason: str


def effective(terms: Terms) -> Effective:
    """Return the lowest of all terms. A malformed file anywhere means off.

    >>> effective(Terms(user=Mode.SUGGEST, repository=Mode.OBSERVE))
    Effective(mode=<Mode.OBSERVE: 'observe'>, reason="the repository's .twice/config.toml")
    """
    if terms.faults:
        return Effective(Mode.OFF, terms.faults[0])
    first = (terms.run, "this run") if terms.run is not None else (terms.user, "the user's setting")
    voices = [
        first,
        (terms.project, "the project's consent"),
        (terms.repository, "the repository's .twice/config.toml"),
    ]
    heard = [(mode, name) for mode, name in voices if mode is not None]
    mode, name = min(heard, key=lambda voice: voice[0].rank)
    return Effective(mode, name)
