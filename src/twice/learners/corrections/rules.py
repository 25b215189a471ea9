"""The rules of hearing: each looks at one clause and says how sure it is that it is a wish."""
# ruff: noqa: ARG001 (all rules are called alike)

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from twice.core.ideas import Fingerprint
from twice.learners.corrections.clauses import Clause, answers_no
from twice.learners.corrections.pieces import Piece

SHORT_PIECES = 9  # pieces of a sentence that says one thing


@dataclass(frozen=True, slots=True)
class Setting:
    """What stands around a sentence. ``stems`` and ``language`` are of the agent's words."""

    asked: bool = False  # the agent asked a question
    spoke: bool = False  # the agent said something before
    stems: frozenset[str] = frozenset()
    language: str = ""
    interrupted: bool = False
    sentences: int = 1
    earlier: frozenset[str] = frozenset()  # roles of the sentence before

    def after(self, earlier: frozenset[str]) -> "Setting":
        """Return the setting of the next sentence."""
        return replace(self, earlier=earlier)


@dataclass(slots=True)
class Said:
    """A sentence with what its rules look at."""

    pieces: list[Piece]
    clauses: tuple[Clause, ...]
    setting: Setting
    question: bool
    roles: frozenset[str]
    print: Fingerprint = field(default_factory=Fingerprint)

    def any(self, *roles: str) -> bool:
        return not self.roles.isdisjoint(roles)


def _order(said: Said, clause: Clause) -> float:
    """A prohibition: "don't …", "never …", "stop …"."""
    act = clause.act
    if act is None or not act.roles & {"orders", "prohibitions"}:
        return 0.0
    after = _after(clause, act)
    if "halts" in act.roles and after is not None and "articles" in after.roles:
        return 0.0  # "stop the server" is a task
    return 0.8 if clause.content or said.print.core else 0.0


def _after(clause: Clause, piece: Piece) -> Piece | None:
    i = clause.pieces.index(piece) + 1
    return clause.pieces[i] if i < len(clause.pieces) else None


def _nominal(said: Said, clause: Clause) -> float:
    """A thing forbidden by "no": "no emojis", as far as it does not report what happened."""
    opening = clause.opening
    if opening is None or "nominal" not in opening.roles or answers_no(clause, opening):
        return 0.0
    if said.any("reports", "happened", "fault") or not clause.content or clause.content > 5:
        return 0.0
    if said.any("politeness", "lasting", "habits", "exasperation", "customs") or said.print.wanted:
        return 0.7
    return 0.6 if not said.setting.asked else 0.4


def _contrast(said: Said, clause: Clause) -> float:
    """A replacement: "A, not B", "A instead of B"."""
    if not said.print.wanted or not said.print.unwanted or not said.any("contrasts", "reversals"):
        return 0.0
    act = said.clauses[0].act
    if act is not None and "task" in act.roles and "light" not in act.roles:
        return 0.6 if said.any("customs", "habits", "rejects", "tastes", "meant") else 0.0
    if said.question and not said.any("complaints", "requests"):
        return 0.0
    if len(said.pieces) <= SHORT_PIECES or said.any("customs", "habits", "tastes", "rejects"):
        return 0.8
    if act is not None and act.roles & {"manner", "light"}:
        return 0.7
    return 0.5


def _habit(said: Said, clause: Clause) -> float:
    """A lasting order: "always …", "from now on …"."""
    if not clause.roles & {"habits"} or not said.print.core:
        return 0.0
    opening, act = clause.opening, clause.act
    if opening is None or act is None:
        return 0.0
    if opening.roles & {"habits", "requests", "orders"} or act.roles & {"manner"}:
        return 0.8 if not act.roles & {"pronouns", "others", "conditionals"} else 0.3
    return 0.7 if "customs" in clause.roles or "wishes" in clause.roles else 0.0


def _taste(said: Said, clause: Clause) -> float:
    """A taste: "I prefer …", "I hate …"."""
    opening = clause.opening
    if opening is None or not clause.content:
        return 0.0
    if "tastes" in opening.roles:
        return 0.75
    if "wishes" in opening.roles:
        return 0.6 if said.any("habits", "lasting", "manner", "orders", "contrasts") else 0.4
    return 0.0


def _custom(said: Said, clause: Clause) -> float:
    """How things are done here: "we use …", "tests belong …"."""
    if "customs" not in clause.roles or not said.print.core:
        return 0.0
    opening = clause.opening
    if opening is not None and "customs" in opening.roles:
        return 0.6 if not said.setting.asked else 0.5
    return 0.6 if said.any("lasting", "habits", "orders", "negators", "modals") else 0.5


def _memo(said: Said, clause: Clause) -> float:
    """A thing to remember: "keep in mind that …"."""
    opening = clause.opening
    return 0.7 if opening is not None and "memos" in opening.roles and clause.content else 0.0


def _request(said: Said, clause: Clause) -> float:
    """A wish asked for: "can you always …", "could you stop …"."""
    opening, act = clause.opening, clause.act
    if opening is None or "requests" not in opening.roles or act is None:
        return 0.0
    if clause.roles & {"habits", "once"} or act.roles & {"orders", "prohibitions", "halts"}:
        return 0.7
    if "manner" in act.roles and clause.roles & {"lasting", "politeness"}:
        return 0.6
    return 0.0


def _manner(said: Said, clause: Clause) -> float:
    """An order about how to work: "keep answers short", "use British spelling"."""
    act = clause.act
    if act is None or "manner" not in act.roles or said.question or clause.content < 1:
        return 0.0
    if "task" not in act.roles:
        weight = 0.6 if len(clause.pieces) <= 14 else 0.45
    else:
        weight = 0.4
    if clause.roles & {"lasting", "habits", "before", "without"}:
        weight += 0.2
    return weight


def _language(said: Said, clause: Clause) -> float:
    """A language to answer in."""
    if not any(stem.startswith("language:") for stem in said.print.wanted):
        return 0.0
    act = clause.act
    if act is not None and "task" in act.roles:
        return 0.0
    return 0.75 if said.any("reply") or len(said.pieces) <= 5 else 0.0


def _condition(said: Said, clause: Clause) -> float:
    """A lasting rule with its case: "if a command takes long, run it in the background"."""
    first = said.clauses[0].opening
    if clause is said.clauses[0] or first is None or "conditionals" not in first.roles:
        return 0.0
    act = clause.act
    if act is None or said.question or not act.roles & {"manner", "task", "orders"}:
        return 0.0
    return 0.6


def _once(said: Said, clause: Clause) -> float:
    """An exception: "this time", "in this file only"."""
    if "once" not in clause.roles or not said.print.core or said.any("conditionals"):
        return 0.0
    act = clause.act
    if act is not None and act.roles & {"manner", "orders", "without", "light"}:
        return 0.65
    return 0.6 if len(clause.pieces) <= 8 and not said.any("reports", "happened") else 0.0


def _complaint(said: Said, clause: Clause) -> float:
    """What the agent did is named: "you edited …", "why are you …"."""
    if not clause.complains or said.any("conditionals"):
        return 0.0
    return 0.65 if clause.content else 0.3


def _meant(said: Said, clause: Clause) -> float:
    """What was meant: "I said the tag"."""
    return 0.65 if "meant" in clause.roles and not said.question else 0.0


def _fault(said: Said, clause: Clause) -> float:
    """What was done is called wrong: "wrong file", "too long"."""
    if "faults" not in clause.roles or said.question:
        return 0.0
    return 0.6 if len(said.pieces) <= SHORT_PIECES else 0.5


def _undo(said: Said, clause: Clause) -> float:
    """It shall be taken back: "undo it now"."""
    act = clause.act
    return 0.65 if act is not None and "undo" in act.roles else 0.0


def _rejected(said: Said, clause: Clause) -> float:
    """A "no" with an order behind it, where the agent asked nothing."""
    first = said.pieces[0]
    if "rejects" not in first.roles or said.setting.asked:
        return 0.0
    act = clause.act
    if act is None or "rejects" in act.roles:
        return 0.0
    return 0.6 if act.roles & {"manner", "task", "orders", "requests", "wishes"} else 0.0


Rule = Callable[[Said, Clause], float]
RULES: dict[str, Rule] = {
    "prohibition": _order,
    "forbidden": _nominal,
    "contrast": _contrast,
    "habit": _habit,
    "taste": _taste,
    "custom": _custom,
    "memo": _memo,
    "request": _request,
    "manner": _manner,
    "language": _language,
    "condition": _condition,
    "exception": _once,
    "complaint": _complaint,
    "meant": _meant,
    "fault": _fault,
    "undo": _undo,
    "rejection": _rejected,
}
