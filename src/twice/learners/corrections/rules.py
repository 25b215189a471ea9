"""The rules of hearing: each looks at one clause and says how sure it is that it is a wish."""
# ruff: noqa: ARG001 (all rules are called alike)

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from twice.core.ideas import Fingerprint
from twice.learners.corrections.clauses import Clause, answers_no
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.signs import signed
from twice.learners.corrections.vocabulary import NO_ROLES, Roles

SHORT_PIECES = 9  # pieces of a sentence that says one thing
FORBIDDEN_WORDS = 5  # content words of "no emojis in commit messages"
VALUE_WORDS = 3  # content words of a bare value: "double quotes"


class Before(NamedTuple):
    """What the agent said before a human turn. ``stems`` and ``kinds`` are of its words."""

    spoke: bool = False
    asked: bool = False  # it ended with a question
    acted: bool = False  # it told what it had done
    announced: bool = False  # it told what it would do
    stems: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()  # typed values, as "indent:tab"
    language: str = ""


class Setting(NamedTuple):
    """What stands around a sentence."""

    before: Before = Before()
    interrupted: bool = False
    sentences: int = 1  # of the turn
    listed: bool = False  # the turn is an enumeration
    tasked: bool = False  # a task was given earlier in the turn
    chain: int = 0  # pieces of the long chain of clauses that the sentence was part of
    earlier: Roles = NO_ROLES  # of the sentence before


class Said:
    """A sentence with what its rules look at; ``roles`` are of the clauses that count."""

    def __init__(
        self, pieces: list[Piece], clauses: tuple[Clause, ...], setting: Setting, question: bool
    ) -> None:
        self.pieces = pieces
        self.clauses = clauses
        self.setting = setting
        self.question = question
        self.roles: Roles = NO_ROLES.union(*[clause.roles for clause in clauses])

    @cached_property
    def print(self) -> Fingerprint:
        """The fingerprint of the whole sentence."""
        return signed(self.pieces)

    def any(self, *roles: str) -> bool:
        """Tell whether any word of the sentence has one of these roles."""
        return not self.roles.isdisjoint(roles)

    @property
    def rejects(self) -> bool:
        """True where it begins with a "no" or "wrong" that answers what was done."""
        first = self.pieces[0]
        if "rejects" not in first.roles:
            return False
        if len(self.pieces) == 1 or not first.roles & {"nominal", "contrasts", "negators"}:
            return True
        after = self.pieces[1].roles
        return bool(after & {"break", "pronouns", "complaints", "orders", "meant", "rejects"})

    @property
    def tasks(self) -> bool:
        """True where the sentence as a whole orders a piece of work."""
        act = self.clauses[0].act
        if act is None or "task" not in act.roles or act.roles & {"orders", "prohibitions"}:
            return False
        if "nominal" in _next(self.clauses[0], act):
            return False  # "schreib keine …" forbids
        return not self.any("habits", "wishes")


def _prohibition(said: Said, clause: Clause) -> float:
    """A prohibition: "don't …", "never …", "stop …"."""
    act = clause.act
    if "addressed" in clause.roles and not clause.roles & {"others", "complaints"}:
        return 0.7 if clause.content else 0.0
    if act is None:
        return 0.0
    denied = "negators" in act.roles and "negated" in _next(clause, act)
    if "light" in act.roles and "nominal" in _next(clause, act) and not said.question:
        told = clause.roles & {"happened", "pronouns", "others", "self"}
        return 0.75 if clause.content and not told else 0.0  # "schreib keine …", "use no …"
    if not denied and not act.roles & {"orders", "prohibitions"}:
        return 0.0
    if "halts" in act.roles and " " not in act.form and _next(clause, act) & {"definite"}:
        return 0.0  # "stop the server" is a task
    if not clause.content and not act.roles & {"halts"}:
        return 0.4 if said.print.core else 0.0
    if said.setting.before.asked and said.rejects and not said.any("habits", "lasting", "kinds"):
        return 0.4  # "no, don't set it": an answer
    return 0.8


def _next(clause: Clause, piece: Piece) -> Roles:
    i = clause.pieces.index(piece) + 1
    return clause.pieces[i].roles if i < len(clause.pieces) else NO_ROLES


def _forbidden(said: Said, clause: Clause) -> float:
    """A thing forbidden by "no": "no emojis", as far as it does not report what happened."""
    opening = clause.opening
    if opening is None or not opening.roles & {"nominal", "contrasts"}:
        return 0.0
    if answers_no(clause, opening) or not 0 < clause.content <= FORBIDDEN_WORDS:
        return 0.0
    if clause.roles & {"reports", "happened", "faults"} or said.question:
        return 0.0
    if "nominal" not in opening.roles:
        return 0.6 if said.setting.before.acted else 0.0
    if said.setting.before.asked and _overlaps(said):
        return 0.4  # "no output at all": an answer
    if said.any("politeness", "lasting", "habits", "exasperation", "customs", "kinds"):
        return 0.7
    expected = (
        said.setting.before.spoke
        and not said.setting.before.acted
        and not said.setting.before.asked
    )
    return 0.3 if expected and _overlaps(said) else 0.6 - 0.2 * said.setting.before.asked


def _overlaps(said: Said) -> bool:
    """Tell whether the wish is about something in the agent's last words."""
    core = {stem.rpartition(":")[2] for stem in said.print.core}
    return not core.isdisjoint(said.setting.before.stems)


def _contrast(said: Said, clause: Clause) -> float:
    """A replacement: "A, not B", "A instead of B"."""
    if not said.print.wanted or not said.print.unwanted:
        return 0.0
    if not clause.roles & {"contrasts", "reversals"}:
        return 0.0
    act = said.clauses[0].act
    if said.tasks and not (act is not None and "manner" in act.roles):
        return 0.6 if said.any("customs", "tastes", "meant") or said.rejects else 0.0
    if said.any("requests", "questions") and said.pieces[0].roles & {"replacements"}:
        return 0.6  # "rather than A, could we B?"
    if said.question and not said.any("complaints"):
        usual = said.any("requests") and act is not None and "light" in act.roles
        return 0.6 if usual else 0.0
    reported = bool(clause.roles & {"reports", "happened"})
    if reported and not (said.any("complaints", "omissions", "customs") or said.rejects):
        return 0.0
    if said.any("customs", "habits", "tastes") or said.rejects:
        return 0.8
    if len(said.pieces) <= SHORT_PIECES:
        return 0.75
    return 0.65 if act is not None and act.roles & {"manner", "light"} else 0.5


def _habit(said: Said, clause: Clause) -> float:
    """A lasting order: "always …", "from now on …"."""
    opening, act = clause.opening, clause.act
    if "habits" not in clause.roles or not said.print.core or opening is None or act is None:
        return 0.0
    if said.rejects and said.setting.before.asked:
        return 0.0  # "non, toujours …": an answer
    if act.roles & {"pronouns", "others", "conditionals"} and "articles" not in act.roles:
        return 0.3
    if opening.roles & {"habits", "requests", "orders"} or act.roles & {"manner", "practice"}:
        return 0.8
    return 0.7 if clause.roles & {"customs", "wishes"} else 0.0


def _taste(said: Said, clause: Clause) -> float:
    """A taste: "I prefer …", "I hate …"."""
    opening = clause.opening
    if opening is None or not clause.content or said.question:
        return 0.0
    if "tastes" in opening.roles:
        return 0.75
    if "wishes" not in opening.roles:
        return 0.0
    if clause.roles & {"habits", "lasting", "contrasts", "before", "kinds"}:
        return 0.65
    return 0.5 if said.setting.before.spoke and not said.setting.before.asked else 0.4


def _custom(said: Said, clause: Clause) -> float:
    """How things are done here: "we use …", "tests belong …"."""
    if "customs" not in clause.roles or not said.print.core or said.question or said.tasks:
        return 0.0
    opening = clause.opening
    if opening is not None and "customs" in opening.roles:
        return (
            0.6
            if said.any("negators", "lasting", "habits") or not said.setting.before.asked
            else 0.4
        )
    return 0.6 if said.any("lasting", "habits", "orders", "negators", "ours") else 0.45


def _memo(said: Said, clause: Clause) -> float:
    """A thing to remember: "keep in mind that …"."""
    opening = clause.opening
    return 0.7 if opening is not None and "memos" in opening.roles and clause.content else 0.0


def _request(said: Said, clause: Clause) -> float:
    """A wish asked for: "can you always …", "could you stop …"."""
    opening, act = clause.opening, clause.act
    if "requests" in clause.roles and clause.roles & {"earlier"}:
        return 0.6
    if opening is None or "requests" not in opening.roles or act is None:
        return 0.0
    if clause.roles & {"habits", "once"} or act.roles & {"orders", "prohibitions", "halts"}:
        return 0.7
    return 0.6 if "manner" in act.roles and clause.roles & {"lasting", "kinds"} else 0.0


def _manner(said: Said, clause: Clause) -> float:
    """An order about how to work: "keep answers short", "use British spelling"."""
    act = clause.act
    if act is None or said.question or not clause.content:
        return 0.0
    if "earlier" in clause.roles and clause.roles & {"manner", "practice"}:
        return 0.65  # "X 之前先问我"
    lasting = clause.roles & {"lasting", "habits", "before", "without"}
    if "doing" in act.roles or "jointly" in clause.roles:
        return 0.0
    if "manner" not in act.roles:
        lasting -= {"lasting"} if "task" in act.roles else set()
        return 0.6 if act.roles & {"practice"} and lasting else 0.0
    after = _next(clause, act)
    if after & {"questions"}:
        return 0.0  # "explain what it does" is a task
    weight = 0.6 if len(clause.pieces) <= SHORT_PIECES else 0.45
    certain = bool(after & {"definite"}) or _certain(clause, act)
    weight -= 0.15 * (certain or said.tasks or said.setting.tasked)
    return weight + (0.2 if lasting else 0.1 if clause.roles & {"kinds"} else 0.0)


def _certain(clause: Clause, act: Piece) -> bool:
    """Tell an order about one certain thing: "reply to the comments"."""
    i = clause.pieces.index(act)
    near = clause.pieces[i + 1 : i + 3]
    return len(near) == 2 and "places" in near[0].roles and "definite" in near[1].roles


def _language(said: Said, clause: Clause) -> float:
    """A language to answer in."""
    if not any(stem.startswith("language:") for stem in said.print.wanted):
        return 0.0
    if said.question:
        return 0.0
    act = clause.act
    practice = act is not None and "practice" in act.roles
    written = act is not None and practice and not _next(clause, act) & {"definite", "articles"}
    if said.tasks and not written and not said.any("kinds", "lasting"):
        return 0.0
    if said.any("reply", "kinds") or len(said.pieces) <= VALUE_WORDS + 2:
        return 0.75
    polite = "politeness" in clause.roles and not said.tasks
    return 0.6 if polite or practice else 0.0


def _condition(said: Said, clause: Clause) -> float:
    """A lasting rule with its case: "if a command takes long, run it in the background"."""
    first = said.clauses[0].opening
    if clause is said.clauses[0] or first is None or "conditionals" not in first.roles:
        return 0.0
    act = clause.act
    if act is None or said.question or not act.roles & {"manner", "practice", "orders"}:
        return 0.0
    return 0.6


def _exception(said: Said, clause: Clause) -> float:
    """An exception: "this time", "in this file only"."""
    if "once" not in clause.roles or not said.print.core:
        return 0.0
    if clause.roles & {"reports", "conditionals"}:
        return 0.0
    act = clause.act
    light = act is not None and "light" in act.roles and "task" not in act.roles
    if act is not None and (light or act.roles & {"manner", "orders", "without"}):
        return 0.65 if not said.question or said.any("requests") else 0.0
    if said.question or "happened" in clause.roles or len(clause.pieces) > SHORT_PIECES:
        return 0.0
    return 0.6


def _complaint(said: Said, clause: Clause) -> float:
    """What the agent did is named: "you edited …", "why are you …"."""
    if not clause.complains or said.any("conditionals"):
        return 0.0
    opening = clause.opening
    if opening is not None and opening.roles & {"questions"} and not opening.roles & {"complaints"}:
        return 0.0
    return 0.65 if clause.content else 0.3


def _meant(said: Said, clause: Clause) -> float:
    """What was meant: "I said the tag"."""
    return 0.65 if "meant" in clause.roles and not said.question else 0.0


def _fault(said: Said, clause: Clause) -> float:
    """What was done is called wrong: "wrong file", "too long"."""
    if "faults" not in clause.roles or said.question or not said.setting.before.spoke:
        return 0.0
    if said.setting.before.asked and not said.rejects:
        return 0.4
    return 0.6 if len(said.pieces) <= SHORT_PIECES else 0.5


def _undo(said: Said, clause: Clause) -> float:
    """It shall be taken back: "undo it now"."""
    act = clause.act
    return 0.65 if act is not None and "undo" in act.roles else 0.0


def _rejection(said: Said, clause: Clause) -> float:
    """A "no" with an order behind it, where the agent asked nothing."""
    act = clause.act
    if not said.rejects or said.setting.before.asked or act is None or "rejects" in act.roles:
        return 0.0
    roles = {"manner", "task", "orders", "requests", "wishes", "practice"}
    return 0.6 if act.roles & roles else 0.0


def _value(said: Said, clause: Clause) -> float:
    """Another value than the agent's: "double quotes", after single ones."""
    if said.setting.before.asked or said.question or not said.setting.before.spoke:
        return 0.0
    kinds = {stem.partition(":")[0] for stem in said.print.wanted if ":" in stem}
    if not said.rejects:
        kinds -= {"number", "path"}
    others = said.setting.before.kinds - said.print.wanted
    if not any(other.partition(":")[0] in kinds for other in others):
        return 0.0
    if said.rejects:
        return 0.65
    return 0.6 if clause.content <= VALUE_WORDS and clause is said.clauses[0] else 0.0


def _rulebook(said: Said, clause: Clause) -> float:
    """A rule that shall be written down: "add a rule that …"."""
    act = clause.act
    if act is None or said.question or not act.roles & {"task", "practice"}:
        return 0.0
    if "enforced" in clause.roles or "rulebook" not in clause.roles:
        return 0.0
    return 0.6


def _only(said: Said, clause: Clause) -> float:
    """A bare wish: "only functions, please"."""
    short = 0 < clause.content <= VALUE_WORDS and len(clause.pieces) <= VALUE_WORDS + 2
    return 0.55 if short and "politeness" in clause.roles and not said.question else 0.0


Rule = Callable[[Said, Clause], float]
RULES: tuple[tuple[str, Rule, Roles], ...] = tuple(  # with the roles, one of which it needs
    (name, rule, frozenset(roles.split()))
    for name, rule, roles in (
        ("prohibition", _prohibition, "orders prohibitions negated nominal"),
        ("forbidden", _forbidden, "nominal contrasts"),
        ("contrast", _contrast, "contrasts reversals"),
        ("habit", _habit, "habits"),
        ("taste", _taste, "tastes wishes"),
        ("custom", _custom, "customs"),
        ("memo", _memo, "memos"),
        ("request", _request, "requests"),
        ("manner", _manner, "manner practice"),
        ("language", _language, "language"),
        ("condition", _condition, "conditionals"),
        ("exception", _exception, "once"),
        ("complaint", _complaint, "complaints omissions addressees"),
        ("meant", _meant, "meant"),
        ("fault", _fault, "faults"),
        ("undo", _undo, "undo"),
        ("rejection", _rejection, "rejects"),
        ("value", _value, "typed rejects"),
        ("only", _only, "solely comparative"),
        ("rulebook", _rulebook, "rulebook"),
    )
)
