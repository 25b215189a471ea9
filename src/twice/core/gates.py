"""The checks that let a candidate through, or refuse it with a reason."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import msgspec
from rapidfuzz import fuzz

from twice.core import limits
from twice.core.ideas import Fingerprint, Relation, relation
from twice.core.lessons import Instruction, Lesson, Memory, Skill, Workflow, words_of
from twice.core.policy import Allowance, Category, Mode, Policy
from twice.core.proposals import Candidate, Refusal, words_of_content
from twice.core.redaction import redact
from twice.core.states import IN_FORCE, State, Status, seen_status
from twice.core.workflow import flaw

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_RISKY = re.compile(
    "|".join(
        phrase.replace(" ", r"\s+")
        for phrase in (
            r"ignore (?:(?:all|any) )?(?:previous|prior|above) instructions",
            r"disregard (?:(?:the|all) )?(?:previous|system)",
            r"do not (?:tell|inform) the user",
            r"without (?:telling|informing) the user",
            r"curl [^\n]*\|\s*(?:ba)?sh",
            r"rm -rf /",
            r"exfiltrat",
            r"<system-reminder>",
            r"--dangerously",
            r"send (?:the )?(?:logs?|keys?|credentials?|secrets?) to",
            r"bypass (?:the )?(?:review|permission)",
        )
    ),
    re.IGNORECASE,
)
_ALIKE = 92.0  # rapidfuzz ratio, 0 to 100, from which two texts without fingerprints restate


@dataclass(frozen=True, slots=True)
class Known:
    """Something that is known already: where it stands, its words, and what they mean."""

    where: str
    text: str
    meaning: Fingerprint | None = None
    id: str = ""
    in_force: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a candidate of one project is checked against.

    ``policy`` is the current revision; ``rejections`` map an idea's hash to the lineages that
    supported it when a person said no; ``names`` are the names taken, of skills and workflows.
    """

    policy: str
    known: Sequence[Known] = ()
    rejections: dict[str, frozenset[str]] = field(default_factory=dict)
    names: Collection[str] = ()
    waiting: int = 0
    workflows: bool = False


Gate = Callable[[Candidate, Surroundings, Fingerprint | None], Refusal | None]


def check(
    candidate: Candidate, around: Surroundings, meaning: Fingerprint | None = None
) -> Candidate | Refusal:
    """Pass a candidate through every gate; return it marked for review, or the first refusal."""
    for gate in _GATES:
        if refusal := gate(candidate, around, meaning):
            return refusal
    content = candidate.content
    flagged = _flagged(words_of_content(content))
    content = msgspec.structs.replace(
        content,
        flagged=flagged,
        rejected_before=_rejected(candidate, around) is not None,
        replaces=content.replaces or contradicted(content.lesson, around.known, meaning),
    )
    return msgspec.structs.replace(candidate, content=content)


def _flagged(words: str) -> tuple[str, ...]:
    """Return the lines that a risky phrase stands in, be it broken over two of them."""
    lines: dict[str, None] = {}
    for found in _RISKY.finditer(words):
        start = words.rfind("\n", 0, found.start()) + 1
        end = words.find("\n", found.end())
        about = words[start : end if end >= 0 else None]
        lines |= dict.fromkeys(line.strip() for line in about.splitlines() if line.strip())
    return tuple(lines)


def _volatile(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    lesson = candidate.content.lesson
    if isinstance(lesson, Memory) and lesson.category is Category.VOLATILE:
        return Refusal("volatile", "what is volatile is never kept")
    return None


def _stale(candidate: Candidate, around: Surroundings, _: Fingerprint | None) -> Refusal | None:
    if candidate.revision != around.policy:
        return Refusal("stale", "the policy changed while it was made")
    return None


def _too_large(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    match candidate.content.lesson:
        case Memory(text=text):
            return _bounded("the memory", text, limits.MEMORY_CHARS)
        case Instruction(text=text):
            return _bounded("the instruction", text, limits.BODY_CHARS)
        case Skill(description=description, body=body):
            return _bounded("the description", description, limits.DESCRIPTION_CHARS) or _bounded(
                "the body", body, limits.BODY_CHARS
            )
        case Workflow():
            return None
        case other:
            assert_never(other)


def _bounded(what: str, text: str, most: int) -> Refusal | None:
    if not text.strip():
        return Refusal("malformed", f"{what} is empty")
    if len(text) > most:
        return Refusal("limit", f"{what} has {len(text)} characters; the limit is {most}")
    return None


def _unseen(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    if candidate.shown is None:
        return None
    cited = {evidence.quote for evidence in candidate.content.evidence}
    if cited - candidate.shown:
        return Refusal("unseen", "it cites evidence that it was not shown")
    return None


def _secret(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    if redact(words_of_content(candidate.content)).secrets:
        return Refusal("secret", "it may contain a secret")
    return None


def _misnamed(candidate: Candidate, around: Surroundings, _: Fingerprint | None) -> Refusal | None:
    lesson = candidate.content.lesson
    if not isinstance(lesson, Skill | Workflow):
        return None
    shortest, longest = limits.NAME_CHARS
    if not (shortest <= len(lesson.name) <= longest and _NAME.fullmatch(lesson.name)):
        return Refusal(
            "name",
            f"the name is not lowercase words joined by hyphens, {shortest} to {longest} long",
        )
    if lesson.name in around.names:
        return Refusal("name", f"the name {lesson.name} is taken")
    return None


def _frontmatter(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    lesson = candidate.content.lesson
    if isinstance(lesson, Skill) and lesson.body.lstrip("\ufeff \r\n\t").startswith("---"):
        return Refusal("frontmatter", "the skill's body carries its own frontmatter")
    return None


def _unplanned(candidate: Candidate, around: Surroundings, _: Fingerprint | None) -> Refusal | None:
    lesson = candidate.content.lesson
    if not isinstance(lesson, Workflow):
        return None
    if not around.workflows:
        return Refusal("workflows", "workflows are not switched on", "twice settings workflows on")
    if reason := flaw(lesson.plan):
        return Refusal("workflow", f"the plan does not hold: {reason}")
    if lesson.plan.get("name") != lesson.name:
        return Refusal("workflow", "the plan has another name than the candidate")
    return None


def _restated(
    candidate: Candidate, around: Surroundings, meaning: Fingerprint | None
) -> Refusal | None:
    lesson = candidate.content.lesson
    words = _plain(words_of(lesson))
    for known in around.known:
        if _restates(words, meaning, known):
            return Refusal("known", f"it restates what is known: {known.where}")
    return None


def _restates(words: str, meaning: Fingerprint | None, known: Known) -> bool:
    if meaning is not None and known.meaning is not None:
        return relation(meaning, known.meaning) is Relation.SAME or words == _plain(known.text)
    return fuzz.ratio(words, _plain(known.text), score_cutoff=_ALIKE) >= _ALIKE


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _opposed(candidate: Candidate, _: Surroundings, __: Fingerprint | None) -> Refusal | None:
    said = [evidence.at or 0 for evidence in candidate.content.evidence]
    against = [evidence.at or 0 for evidence in candidate.content.against]
    if said and against and max(against) > max(said):
        return Refusal("opposed", "it is opposed by fresh evidence")
    return None


def _bound_by_rejection(
    candidate: Candidate, around: Surroundings, _: Fingerprint | None
) -> Refusal | None:
    supported = _rejected(candidate, around)
    if supported is None:
        return None
    if {evidence.lineage for evidence in candidate.content.evidence} <= supported:
        return Refusal("rejected", "it was rejected before, and there is no new evidence since")
    return None


def _rejected(candidate: Candidate, around: Surroundings) -> frozenset[str] | None:
    said_no = [around.rejections[idea] for idea in candidate.ideas if idea in around.rejections]
    return frozenset().union(*said_no) if said_no else None


def _crowded(_: Candidate, around: Surroundings, __: Fingerprint | None) -> Refusal | None:
    if around.waiting >= limits.WAITING:
        return Refusal("waiting", f"{limits.WAITING} proposals wait already", "twice review")
    return None


_GATES: tuple[Gate, ...] = (
    _stale,
    _volatile,
    _too_large,
    _unseen,
    _secret,
    _misnamed,
    _frontmatter,
    _unplanned,
    _bound_by_rejection,
    _restated,
    _opposed,
    _crowded,
)


def contradicted(lesson: Lesson, known: Sequence[Known], meaning: Fingerprint | None) -> str:
    """Return the approved memory that a lesson contradicts, if there is one."""
    if meaning is None or not isinstance(lesson, Memory):
        return ""
    for item in known:
        if not (item.in_force and item.meaning is not None):
            continue
        if relation(meaning, item.meaning) in (Relation.OPPOSED, Relation.COMPETING):
            return item.id
    return ""


def waits(state: State, policy: str) -> bool:
    """Tell whether a person is to look at a proposal now."""
    return seen_status(state, policy) is Status.PENDING


def holds_name(state: State, policy: str) -> bool:
    """Tell whether a proposal keeps its name from others."""
    return bool(state.name) and (
        state.status in IN_FORCE | {Status.BLOCKED} or waits(state, policy)
    )


def evictable(states: Sequence[State], policy: str, *, coming: int = 0) -> list[State]:
    """Return what must leave a full list: oldest rejected, then rolled back, then accepted.

    Never what is pending, in force, blocked with a receipt, or may come back by an undoing.
    """
    surplus = len(states) + coming - limits.KEPT
    if surplus <= 0:
        return []
    order = [Status.RETIRED, Status.STALE, Status.REJECTED, Status.ROLLED_BACK]
    leaving = [
        state
        for status in order
        for state in sorted(states, key=lambda state: state.filed)
        if seen_status(state, policy) is status
    ]
    accepted = [state for state in states if state.status is Status.ACCEPTED]
    return (leaving + sorted(accepted, key=lambda state: state.filed))[:surplus]


def saves_itself(candidate: Candidate, policy: Policy) -> bool:
    """Tell whether the rules of mode auto-safe may save a candidate that passed every gate.

    Only a plain new memory of a category set to ``auto``, with nothing redacted in it, nothing
    against it, nothing replaced, and support of at least two lineages whose own words agree: what
    was joined by its meaning is for a person to judge.
    """
    content = candidate.content
    lesson = content.lesson
    return (
        isinstance(lesson, Memory)
        and policy.mode is Mode.AUTO_SAFE
        and policy.allowance(lesson.category) is Allowance.AUTO
        and not (content.against or content.replaces or content.flagged or content.rejected_before)
        and not content.joined
        and not any(mark in lesson.text for mark in ("[redacted:", "~/"))
        and len({evidence.lineage for evidence in content.evidence}) >= 2
    )
