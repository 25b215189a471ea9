"""What the gates need to know: what is known already, which names are taken, what was refused."""

from collections.abc import Iterator, Sequence

from twice.actions.instructions import known_in_files
from twice.actions.kit import Kit
from twice.core.gates import Known, Surroundings, contradicted, holds_name, waits
from twice.core.ideas import Fingerprint
from twice.core.lessons import Instruction, Lesson, Memory, kind_of, words_of
from twice.core.proposals import Content, decode_content
from twice.core.states import IN_FORCE, State, Status


def surroundings(kit: Kit, project: str, revision: str) -> Surroundings:
    """Gather everything that candidates of a project are checked against."""
    states = kit.store.states(project=project)
    alive = [s for s in states if s.status in IN_FORCE or waits(s, revision)]
    return Surroundings(
        policy=revision,
        known=[*_known_items(kit, alive), *known_in_files(kit, project)],
        rejections=kit.store.rejections(project),
        names=names_taken(kit, project),
        waiting=sum(waits(state, revision) for state in states),
        workflows=kit.policy().workflows,
    )


def names_taken(kit: Kit, project: str, *, but: str = "") -> frozenset[str]:
    """Return the names that skills and workflows of a project hold."""
    policy = kit.revision()
    states = kit.store.states(project=project)
    return frozenset(s.name for s in states if s.id != but and holds_name(s, policy))


def in_force(kit: Kit, project: str) -> list[Known]:
    """Return the approved memories of a project, with what they mean."""
    approved = kit.store.states(project=project, statuses=(Status.APPROVED,))
    return list(_known_items(kit, approved))


def would_replace(kit: Kit, content: Content, known: Sequence[Known]) -> str:
    """Return the approved memory that a proposal contradicts as things stand now."""
    return contradicted(content.lesson, known, meaning_of(kit, content.lesson))


def meaning_of(kit: Kit, lesson: Lesson) -> Fingerprint | None:
    """Return what a lesson in one sentence wants and does not want."""
    if isinstance(lesson, Memory | Instruction):
        return kit.learner.fingerprint(words_of(lesson))
    return None


def _known_items(kit: Kit, states: list[State]) -> Iterator[Known]:
    texts = kit.store.blobs(state.hash for state in states)
    for state in states:
        if state.hash in texts:
            lesson = decode_content(texts[state.hash]).lesson
            meaning = meaning_of(kit, lesson)
            approved = state.status is Status.APPROVED
            where = f"{kind_of(lesson)} {state.id}"
            yield Known(where, words_of(lesson), meaning, state.id, approved)
