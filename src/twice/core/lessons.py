"""What can be learned and approved: memories, skills, instructions and workflows."""

from typing import Any, Literal, assert_never

import msgspec

from twice.core.policy import Category

LessonKind = Literal["memory", "skill", "instruction", "workflow"]
KINDS: tuple[LessonKind, ...] = ("memory", "skill", "instruction", "workflow")


class Memory(
    msgspec.Struct, frozen=True, tag_field="kind", tag="memory", forbid_unknown_fields=True
):
    """One sentence or two that flow into every session of a project."""

    text: str
    category: Category = Category.UNCATEGORIZED


class Skill(msgspec.Struct, frozen=True, tag_field="kind", tag="skill", forbid_unknown_fields=True):
    """A procedure that an agent can load: a name, when to use it, and a Markdown body."""

    name: str
    description: str
    body: str


class Instruction(
    msgspec.Struct, frozen=True, tag_field="kind", tag="instruction", forbid_unknown_fields=True
):
    """Text for the project's instructions file, which only a person puts there."""

    text: str


class Workflow(
    msgspec.Struct, frozen=True, tag_field="kind", tag="workflow", forbid_unknown_fields=True
):
    """A plan of read-only agent tasks, version 2, as JSON values."""

    name: str
    plan: dict[str, Any]


Lesson = Memory | Skill | Instruction | Workflow


def kind_of(lesson: Lesson) -> LessonKind:
    """Return the lesson's kind, the first word of its ledger entries."""
    match lesson:
        case Memory():
            return "memory"
        case Skill():
            return "skill"
        case Instruction():
            return "instruction"
        case Workflow():
            return "workflow"
        case _:
            assert_never(lesson)


def words_of(lesson: Lesson) -> str:
    """Return everything in a lesson that a reader or an agent would read, as one text."""
    match lesson:
        case Memory(text=text) | Instruction(text=text):
            return text
        case Skill(name=name, description=description, body=body):
            return f"{name}\n{description}\n{body}"
        case Workflow(name=name, plan=plan):
            return name + "\n" + "\n".join(_strings(plan))
        case _:
            assert_never(lesson)


def title_of(lesson: Lesson) -> str:
    """Return the lesson in one line: its text, or its name and what it is for."""
    match lesson:
        case Memory(text=text) | Instruction(text=text):
            return " ".join(text.split())
        case Skill(name=name, description=description):
            return f"{name}: {' '.join(description.split())}"
        case Workflow(name=name, plan=plan):
            return f"{name}: {' '.join(str(plan.get('description', '')).split())}"
        case _:
            assert_never(lesson)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []
