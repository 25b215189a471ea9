"""The rules of hearing: each looks at one clause and says how sure it is that it is a wish."""
# ruff: noqa: ARG001 (all rules are called alike)

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from twice.learners.corrections.clauses import Clause, answers_no
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.said import Said
from twice.learners.corrections.vocabulary import NO_ROLES, Roles

SHORT_PIECES = 9  # pieces of a sentence that says one thing
FORBIDDEN_WORDS = 5  # content words of "no emojis in commit messages"
_BIDDING = frozenset(("habits", "requests", "orders", "imperatives"))
VALUE_WORDS = 3  # content words of a bare value: "double quotes"


def _prohibition(said: Said, clause: Clause) -> float:
    """A prohibition: "don't …", "never …", "stop …"."""
    act = clause.act
    if "addressed" in clause.roles and not clause.roles & {"others", "complaints"}:
        return 0.7 if clause.content else 0.0
    if act is None:
        return 0.0
    denied = "negators" in act.roles and "negated" in clause.behind
    if "light" in act.roles and "nominal" in clause.behind and not said.question:
        told = clause.roles & {"happened", "pronouns", "others", "self"}
        return 0.75 if clause.content and not told else 0.0  # "schreib keine …", "use no …"
    if not denied and not act.roles & {"orders", "prohibitions"}:
        return 0.0
    if not denied and "reports" in clause.behind:
        return 0.0  # "never works"
    if "gerund" in act.roles and _is_named(said, clause, act):
        return 0.0
    if "halts" in act.roles and " " not in act.form and clause.behind & {"definite"}:
        return 0.0  # "stop the server" is a task
    if not clause.content and not act.roles & {"halts"}:
        return 0.4 if said.print.core else 0.0
    if said.setting.before.asked and said.rejects and not said.any("habits", "lasting", "kinds"):
        return 0.4  # "no, don't set it": an answer
    return 0.8


def _is_named(said: Said, clause: Clause, act: Piece) -> bool:
    """Tell a work that is named from one that is forbidden, in languages where both look alike."""
    if len(clause.pieces) == 1:
        return True
    firm = ("politeness", "habits", "lasting", "halts", "exasperation", "rejects", "consult")
    if "task" not in act.roles or clause.content > FORBIDDEN_WORDS or said.any(*firm):
        return False
    return len(said.clauses) > 1 or clause.content < 2 or not said.setting.before.acted


def _forbidden(said: Said, clause: Clause) -> float:
    """A thing forbidden by "no": "no emojis", as far as it does not report what happened."""
    opening, at = clause.opening, clause.opening_at
    if opening is None or not opening.roles & {"nominal", "contrasts"} or said.replaces:
        return 0.0
    if answers_no(clause, at) or not 0 < clause.content <= FORBIDDEN_WORDS:
        return 0.0
    if clause.roles & {"reports", "happened", "faults"}:
        return 0.0
    if "nominal" not in opening.roles:
        return 0.6 if said.setting.before.acted else 0.0
    if said.setting.before.asked and _overlaps(said):
        return 0.4  # "no output at all": an answer
    if said.any("politeness", "lasting", "habits", "exasperation", "customs", "kinds"):
        return 0.7
    before = said.setting.before
    expected = before.spoke and not before.acted and not before.asked
    return 0.3 if expected and _overlaps(said) else 0.6 - 0.2 * before.asked


def _overlaps(said: Said) -> bool:
    """Tell whether the wish is about something in the agent's last words."""
    core = {stem.rpartition(":")[2] for stem in said.print.core}
    return not core.isdisjoint(said.setting.before.stems)


def _contrast(said: Said, clause: Clause) -> float:
    """A replacement: "A, not B", "A instead of B"."""
    if not said.print.wanted or not said.print.unwanted:
        return 0.6 if _replaces_quotation(said, clause) else 0.0
    if said.replaces or (not clause.roles & {"contrasts", "reversals"} and not _bare(said, clause)):
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


def _bare(said: Said, clause: Clause) -> bool:
    """Tell a bare "A, not B" from a report that goes on with a negation."""
    told = said.any("reports", "happened") and not said.any("complaints", "addressees")
    return clause.denial and clause is not said.clauses[0] and not told


def _replaces_quotation(said: Said, clause: Clause) -> bool:
    """Tell "instead of `…`, use B", where what was quoted is not the person's own."""
    first, act = said.clauses[0], clause.act
    if "replacements" not in said.pieces[0].roles or first.content or clause is first:
        return False
    return bool(said.print.wanted) and act is not None and "manner" in act.roles


def _habit(said: Said, clause: Clause) -> float:
    """A lasting order: "always …", "from now on …"."""
    opening, act = clause.opening, clause.act
    if "habits" not in clause.roles or not said.print.core or opening is None or act is None:
        return 0.0
    if said.rejects and said.setting.before.asked:
        return 0.0  # "non, toujours …": an answer
    denied = clause.behind if "negators" in act.roles else NO_ROLES
    if "reports" in act.roles | denied:
        return 0.0  # "it never worked"
    if act.roles & {"pronouns", "others", "conditionals"} and "articles" not in act.roles:
        return 0.3
    if clause.edges & _BIDDING or act.roles & {"manner", "practice"}:
        return 0.8
    return 0.7 if clause.roles & {"customs", "wishes"} else 0.0


def _taste(said: Said, clause: Clause) -> float:
    """A taste: "I prefer …", "I hate …"."""
    opening = clause.opening
    if opening is None or not clause.content:
        return 0.0
    if "tastes" in clause.edges:
        return 0.75
    if "wishes" not in clause.edges:
        return 0.0
    if clause.roles & {"habits", "lasting", "contrasts", "before", "kinds"}:
        return 0.65
    if not said.setting.before.spoke or said.setting.before.asked:
        return 0.4
    return 0.5 if clause.act is None or "task" in clause.act.roles else 0.6  # "I want the X to …"


def _custom(said: Said, clause: Clause) -> float:
    """How things are done here: "we use …", "tests belong …"."""
    if "customs" not in clause.roles or not said.print.core or said.tasks:
        return 0.0
    if "customs" in clause.edges:
        sure = said.any("negators", "lasting", "habits") or not said.setting.before.asked
        return 0.6 if sure else 0.4
    return 0.6 if said.any("lasting", "habits", "orders", "negators", "ours") else 0.45


def _memo(said: Said, clause: Clause) -> float:
    """A thing to remember: "keep in mind that …"."""
    return 0.7 if "memos" in clause.edges and said.print.core else 0.0


def _request(said: Said, clause: Clause) -> float:
    """A wish asked for: "can you always …", "could you stop …"."""
    act = clause.act
    if "requests" in clause.roles and clause.roles & {"earlier"}:
        return 0.6
    if "requests" not in clause.edges or act is None:
        return 0.0
    if clause.roles & {"habits", "once"} or act.roles & {"orders", "prohibitions", "halts"}:
        return 0.7
    return 0.6 if "manner" in act.roles and clause.roles & {"lasting", "kinds"} else 0.0


def _assurance(said: Said, clause: Clause) -> float:
    """How every single thing of a kind shall be: "make sure each sentence is on its own line"."""
    bidden = [i for i, piece in enumerate(clause.pieces) if "assurances" in piece.roles]
    if not bidden or clause.roles & {"outcomes", "past"}:
        return 0.0  # "make sure each test passes" is a task
    behind = clause.pieces[bidden[-1] + 1 :][:5]  # ", dass jede …"
    at = next((i for i, piece in enumerate(behind[:2]) if "each" in piece.roles), None)
    if at is None:
        return 0.0
    return 0.0 if any("definite" in piece.roles for piece in behind[at + 1 : at + 4]) else 0.6


def _manner(said: Said, clause: Clause) -> float:
    """An order about how to work: "keep answers short", "use British spelling"."""
    act = clause.act
    if act is None or not clause.content:
        return 0.0
    if "earlier" in clause.roles and clause.roles & {"manner", "practice"}:
        return 0.65  # "X 之前先问我"
    if "before" in act.roles and any("consult" in piece.roles for piece in clause.pieces[2:]):
        return 0.65  # "before deleting files ask me"
    lasting = clause.roles & {"lasting", "habits", "before", "without"}
    if "doing" in act.roles or "jointly" in clause.roles:
        return 0.0
    if "manner" not in act.roles:
        lasting -= {"lasting"} if "task" in act.roles else set()
        return 0.6 if act.roles & {"practice"} and lasting else 0.0
    after = clause.behind
    if after & {"questions"}:
        return 0.0  # "explain what it does" is a task
    weight = 0.6 if len(clause.pieces) <= SHORT_PIECES else 0.45
    certain = bool(after & {"definite"}) or _certain(clause)
    weight -= 0.15 * (certain or said.tasks or said.setting.told.tasked)
    return weight + (0.2 if lasting else 0.1 if clause.roles & {"kinds"} else 0.0)


def _certain(clause: Clause) -> bool:
    """Tell an order about one certain thing: "reply to the comments"."""
    act = clause.act_at or 0
    near = clause.pieces[act + 1 : act + 3]
    return len(near) == 2 and "places" in near[0].roles and "definite" in near[1].roles


def _language(said: Said, clause: Clause) -> float:
    """A language to answer in."""
    if not any(stem.startswith("language:") for stem in said.print.wanted):
        return 0.0
    act = clause.act
    practice = act is not None and "practice" in act.roles
    written = act is not None and practice and not clause.behind & {"definite", "articles"}
    if said.tasks and not written and not said.any("kinds", "lasting"):
        return 0.0
    if said.any("reply", "kinds") or len(said.pieces) <= VALUE_WORDS + 2:
        return 0.75
    polite = "politeness" in clause.roles and not said.tasks
    return 0.6 if polite or practice else 0.0


def _condition(said: Said, clause: Clause) -> float:
    """A lasting rule with its case: "if a command takes long, run it in the background"."""
    if clause is said.clauses[0] or "conditionals" not in said.clauses[0].edges:
        return 0.0
    act = clause.act
    if act is None or not act.roles & {"manner", "practice", "orders"}:
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
    praised = said.any("praise") and not said.rejects  # "exactly what I wanted"
    return 0.65 if "meant" in clause.roles and not praised and not said.tasks else 0.0


def _fault(said: Said, clause: Clause) -> float:
    """What was done is called wrong: "wrong file", "too long"."""
    if "faults" not in clause.roles or clause.absolves:
        return 0.0
    if said.setting.before.asked and not said.rejects:
        return 0.4
    return 0.6 if said.rejects or len(clause.pieces) <= SHORT_PIECES else 0.5


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
    if said.setting.before.asked:
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
    if act is None or not act.roles & {"task", "practice"}:
        return 0.0
    if "enforced" in clause.roles or "rulebook" not in clause.roles:
        return 0.0
    return 0.6


def _only(said: Said, clause: Clause) -> float:
    """A bare wish: "only functions, please"."""
    short = 0 < clause.content <= VALUE_WORDS and len(clause.pieces) <= VALUE_WORDS + 2
    return 0.55 if short and "politeness" in clause.roles else 0.0


class Rule(NamedTuple):
    """A rule; a sentence must hold all roles of one of its ``needs``, or it weighs nothing.

    ``stated``: it hears no questions. ``answering``: the agent must have said something before.
    """

    name: str
    weigh: Callable[[Said, Clause], float]
    needs: tuple[Roles, ...]
    stated: bool = False
    answering: bool = False


def _needs(alternatives: str) -> tuple[Roles, ...]:
    """Read "a | b & c/d": a alone, or b with c, or b with d."""
    needs: list[Roles] = []
    for alternative in alternatives.split(" | "):
        choices = [choice.split("/") for choice in alternative.split(" & ")]
        needs += map(frozenset, product(*choices))
    return tuple(needs)


RULES = tuple(
    Rule(name, weigh, _needs(needed), "stated" in around, "answering" in around)
    for name, weigh, around, needed in (
        (
            *("prohibition", _prohibition, ""),
            "orders | prohibitions | negated & negators/addressed | nominal & light/addressed",
        ),
        ("forbidden", _forbidden, "stated", "nominal | contrasts"),
        ("contrast", _contrast, "", "contrasts | reversals | denies | replacements & manner"),
        ("habit", _habit, "", "habits"),
        ("taste", _taste, "stated", "tastes | wishes"),
        ("custom", _custom, "stated", "customs"),
        ("memo", _memo, "", "memos"),
        (
            *("request", _request, ""),
            "requests & earlier/habits/once/orders/prohibitions/halts"
            " | requests & manner & lasting/kinds",
        ),
        ("assurance", _assurance, "stated", "assurances & each"),
        (
            *("manner", _manner, "stated"),
            "manner | practice & earlier/lasting/habits/before/without",
        ),
        ("language", _language, "stated", "language"),
        ("condition", _condition, "stated", "conditionals & manner/practice/orders"),
        ("exception", _exception, "", "once"),
        (
            *("complaint", _complaint, ""),
            "complaints | omissions | happened & addressees | happened & late & exasperation",
        ),
        ("meant", _meant, "stated", "meant"),
        ("fault", _fault, "stated answering", "faults"),
        ("undo", _undo, "", "undo"),
        ("rejection", _rejection, "", "rejects & manner/task/orders/requests/wishes/practice"),
        ("value", _value, "stated answering", "typed | counted & rejects"),
        ("only", _only, "stated", "solely & politeness | comparative & politeness"),
        ("rulebook", _rulebook, "stated", "rulebook & task/practice"),
    )
)
