"""Approve, edit, reject and roll back: what a person decides, and what that does."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from twice.actions.gating import in_force, names_taken, would_replace
from twice.actions.kit import Kit, expand, retried, shorten
from twice.core.decisions import (
    Decision,
    decide_activation,
    decide_approval,
    decide_edit,
    decide_rejection,
    decide_return,
    decide_rollback,
    rollback_refusal,
)
from twice.core.encoding import digest, encode, text_digest
from twice.core.gates import Known, Surroundings, check
from twice.core.joined import heads
from twice.core.lessons import Lesson, Memory, words_of
from twice.core.proposals import Candidate, Content, Refusal, decode_content, encode_content
from twice.core.receipts import CONTEXT, Destination, OnDisk, Receipt
from twice.core.redaction import redact
from twice.core.states import State, Status


def approve(
    kit: Kit, id: str, *, expected: str = "", override: bool = False, actor: str = ""
) -> State | Refusal:
    """Approve what waits: memories flow at once, skills and workflows are published.

    ``expected`` is the review hash that the person saw; another one is refused.
    """
    return retried(lambda: _approve(kit, id, expected, override, actor or kit.actor))


def _approve(kit: Kit, id: str, expected: str, override: bool, actor: str) -> State | Refusal:
    after = kit.store.position()
    found = opened(kit, id)
    if isinstance(found, Refusal):
        return found
    state, content = found
    destinations = destinations_of(kit, state, content)
    if isinstance(destinations, Refusal) and state.status is Status.PENDING:
        return _not("approved", destinations)
    places = () if isinstance(destinations, Refusal) else destinations
    replaced = kit.store.state(content.replaces) if content.replaces else None
    decision = decide_approval(
        state,
        receipts=_receipts(kit, state, content.lesson, places),
        expected=expected,
        policy=kit.revision(),
        actor=actor,
        replaced=replaced,
        flagged=content.flagged,
        override=override,
    )
    if isinstance(decision, Refusal):
        return decision
    if moved := moved_on(kit, id, content, in_force(kit, state.project)):
        return _not("approved", moved)
    kit.store.append(decision, after=after, at=kit.now())
    return publish(kit, id) if places else _now(kit, id)


def publish(kit: Kit, id: str) -> State | Refusal:
    """Put on disk what a blocked approval announced, or give it back to those that wait.

    Used by ``approve``, and again after an interruption.
    """
    found = opened(kit, id)
    if isinstance(found, Refusal):
        return found
    state, content = found
    if state.status is not Status.BLOCKED:
        return state
    refusal = _publish_all(kit, state, content)
    if refusal is None:
        return _settle(kit, id, lambda state: decide_activation(state, actor=state.actor))
    if stuck := _unpublish(kit, state):
        return stuck
    code = refusal.code
    outcome = _settle(kit, id, lambda state: decide_return(state, reason=code, actor=state.actor))
    return outcome if isinstance(outcome, Refusal) else _not("approved", refusal)


def _publish_all(kit: Kit, state: State, content: Content) -> Refusal | None:
    root = root_of(kit, state.receipts)
    data = kit.outlet.render(content.lesson)
    for receipt in state.receipts:
        kit.outlet.tidy(receipt, root)
        if kit.outlet.on_disk(receipt, root) is OnDisk.INTACT:
            continue
        if refusal := kit.outlet.publish(receipt, root, data):
            return refusal
    return None


def _unpublish(kit: Kit, state: State) -> Refusal | None:
    """Take back those files of a blocked approval that are on disk already."""
    root = root_of(kit, state.receipts)
    for receipt in state.receipts:
        if kit.outlet.on_disk(receipt, root) is OnDisk.INTACT:
            outcome = kit.outlet.retire(receipt, root, retired_folder(kit, state))
            if isinstance(outcome, Refusal):
                return outcome
        kit.outlet.tidy(receipt, root)
    return None


def edit(kit: Kit, id: str, lesson: Lesson, *, expected: str = "") -> State | Refusal:
    """Replace what a pending proposal says; the new words pass the same bounds."""
    return retried(lambda: _edit(kit, id, lesson, expected))


def _edit(kit: Kit, id: str, lesson: Lesson, expected: str) -> State | Refusal:
    after = kit.store.position()
    found = opened(kit, id)
    if isinstance(found, Refusal):
        return found
    state, content = found
    changed = msgspec.structs.replace(
        content,
        lesson=lesson,
        words="" if lesson != content.lesson else content.words,
        replaces="",
    )
    around = Surroundings(
        policy=state.policy,
        workflows=kit.policy().workflows,
        names=names_taken(kit, state.project, but=id),
    )
    known = in_force(kit, state.project)
    changed = msgspec.structs.replace(changed, replaces=would_replace(kit, changed, known))
    checked = check(Candidate(changed, state.policy), around)
    if isinstance(checked, Refusal):
        return _not("edited", checked)
    data = encode_content(
        msgspec.structs.replace(checked.content, rejected_before=content.rejected_before)
    )
    decision = decide_edit(
        state,
        lesson,
        new_hash=digest(data),
        expected=expected,
        policy=kit.revision(),
        actor=kit.actor,
        replaces=checked.content.replaces,
    )
    if isinstance(decision, Refusal):
        return decision
    kit.store.append(decision, after=after, at=kit.now(), blobs={digest(data): data})
    return _now(kit, id)


def refresh(kit: Kit, id: str) -> State | Refusal:
    """Look again at what a pending proposal would replace; its words stay."""
    found = opened(kit, id)
    return found if isinstance(found, Refusal) else edit(kit, id, found[1].lesson)


def reject(kit: Kit, id: str, *, reason: str = "", expected: str = "") -> State | Refusal:
    """Reject what waits; it binds until new conversations support the idea."""
    return retried(lambda: _reject(kit, id, redact(reason).text, expected))


def _reject(kit: Kit, id: str, reason: str, expected: str) -> State | Refusal:
    after = kit.store.position()
    state = kit.store.state(id)
    if state is None:
        return unknown(id)
    ideas = set(state.ideas)
    lineages = {s.lineage for s in kit.store.sightings(state.project) if s.idea in ideas}
    decision = decide_rejection(
        state,
        reason=text_digest(reason) if reason else "",
        expected=expected,
        actor=kit.actor,
        lineages=tuple(lineages),
    )
    if isinstance(decision, Refusal):
        return decision
    blobs = {text_digest(reason): encode(reason)} if reason else {}
    kit.store.append(decision, after=after, at=kit.now(), blobs=blobs)
    return _now(kit, id)


def roll_back(
    kit: Kit,
    id: str,
    *,
    expected: str = "",
    expected_revision: int | None = None,
    gone: bool = False,
) -> State | Refusal:
    """Undo an approval exactly, in every mode; its files move to the retired folder.

    ``gone``: the person knows that files of it were removed by hand.
    """
    return retried(lambda: _roll_back(kit, id, expected, expected_revision, gone))


def _roll_back(
    kit: Kit, id: str, expected: str, expected_revision: int | None, gone: bool
) -> State | Refusal:
    after = kit.store.position()
    state = kit.store.state(id)
    if state is None:
        return unknown(id)
    if refusal := rollback_refusal(state, expected=expected, expected_revision=expected_revision):
        return refusal
    retired = _retire_all(kit, state, gone=gone)
    if isinstance(retired, Refusal):
        return _not("rolled back", retired)
    decision = decide_rollback(
        state,
        expected=expected,
        expected_revision=expected_revision,
        actor=kit.actor,
        retired=retired,
        superseded=_superseded_by(kit, state),
    )
    if isinstance(decision, Refusal):
        return decision
    kit.store.append(decision, after=after, at=kit.now())
    return _now(kit, id)


def _superseded_by(kit: Kit, state: State) -> State | None:
    """Return the item that stepped aside for this one, if there is one.

    It may be of a project that was joined then, and is not any more.
    """
    aside = kit.store.states(statuses=(Status.SUPERSEDED,))
    return next((other for other in aside if other.superseded_by == state.id), None)


def _retire_all(kit: Kit, state: State, *, gone: bool) -> tuple[str, ...] | Refusal:
    """Move every file of an item away, after all of them were found fit to move."""
    receipts = [receipt for receipt in state.receipts if receipt.is_file]
    root = root_of(kit, state.receipts)
    standing = {receipt.destination: kit.outlet.on_disk(receipt, root) for receipt in receipts}
    for destination, found in standing.items():
        if found in (OnDisk.CHANGED, OnDisk.UNSAFE):
            return Refusal(
                "edited",
                f"{root / destination} was changed by hand or lies behind a link",
                "Move your version to another name, then roll back again.",
            )
    folder = retired_folder(kit, state)
    may_miss = gone or state.status is Status.BLOCKED
    for receipt in receipts if not may_miss else ():
        missing = standing[receipt.destination] is OnDisk.MISSING
        if missing and not kit.outlet.retired(receipt, folder):
            return _gone(root, receipt, state)
    moved = []
    for receipt in receipts:
        kit.outlet.tidy(receipt, root)
        outcome = kit.outlet.retire(receipt, root, folder)
        if isinstance(outcome, Refusal) and outcome.code != "missing":
            return outcome
        if isinstance(outcome, Path):
            moved.append(shorten(outcome, kit.home))
    return tuple(moved)


def half_undone(kit: Kit, state: State) -> bool:
    """Tell whether a rollback was interrupted: some files are moved, the others as published."""
    root, folder = root_of(kit, state.receipts), retired_folder(kit, state)
    left = [r for r in state.receipts if kit.outlet.on_disk(r, root) is not OnDisk.INTACT]
    return bool(left) and all(
        kit.outlet.on_disk(receipt, root) is OnDisk.MISSING and kit.outlet.retired(receipt, folder)
        for receipt in left
    )


def _gone(root: Path, receipt: Receipt, state: State) -> Refusal:
    return Refusal(
        "missing",
        f"{root / receipt.destination} was removed by hand, and no copy is kept here",
        f"Put it back, or let it be gone: twice rollback {state.id} --gone",
    )


def opened(kit: Kit, id: str) -> tuple[State, Content] | Refusal:
    """Return a proposal with its content, validated and hashed again."""
    state = kit.store.state(id)
    if state is None:
        return unknown(id)
    data = kit.store.blobs([state.hash]).get(state.hash)
    if data is None:
        return Refusal("erased", f"The text of {id} was erased.", "twice review --list")
    try:
        content = decode_content(data)
    except msgspec.DecodeError:
        content = None
    if content is None or digest(data) != state.hash:
        return Refusal("changed", f"The text of {id} is damaged.", "twice verify")
    return state, content


def unknown(id: str) -> Refusal:
    """Say that there is no such item."""
    return Refusal("unknown", f"There is no item {id}.", "twice review --list --status all")


def root_of(kit: Kit, receipts: tuple[Receipt, ...]) -> Path:
    """Return the project folder that receipts are about."""
    roots = [receipt.root for receipt in receipts if receipt.root]
    return expand(roots[0], kit.home) if roots else kit.data


def retired_folder(kit: Kit, state: State) -> Path:
    """Return where the files of an item go when it is rolled back."""
    return kit.data / "retired" / f"{state.id}-{state.hash[:12]}"


def destinations_of(kit: Kit, state: State, content: Content) -> tuple[Destination, ...] | Refusal:
    """Return where the files of a proposal would go, or why they cannot."""
    if state.kind in ("memory", "instruction"):
        return ()
    root = project_root(kit, state.project)
    if root is None:
        return Refusal("gone", "the project's folder is not known")
    agents = {session.agent for session in kit.store.sessions(state.project)}
    return kit.outlet.destinations(content.lesson, id=state.id, root=root, agents=agents)


def moved_on(kit: Kit, id: str, content: Content, known: Sequence[Known]) -> Refusal | None:
    """Say what changed since a memory was proposed: what it replaces, or would have to.

    ``known`` are the approved memories of its project.
    """
    if not isinstance(content.lesson, Memory):
        return None
    now = would_replace(kit, content, known)
    if now == content.replaces:
        return None
    hint = f"twice review --refresh {id}, then decide again."
    if now:
        return Refusal("needs_rebase", f"it contradicts {now}, approved since", hint)
    gone = f"{content.replaces}, which it would replace, is not in force any more"
    return Refusal("needs_rebase", gone, hint)


def project_root(kit: Kit, project: str) -> Path | None:
    """Return the folder of a project, or of the one that it reads as, where it is known."""
    head = heads(kit.store.projects()).get(project)
    return expand(head.root, kit.home) if head and head.root else None


def _receipts(
    kit: Kit, state: State, lesson: Lesson, places: tuple[Destination, ...]
) -> tuple[Receipt, ...]:
    at, policy = kit.now(), kit.revision()
    if isinstance(lesson, Memory):
        return (Receipt(CONTEXT, text_digest(words_of(lesson)), at, policy),)
    root = shorten(project_root(kit, state.project) or "", kit.home)
    written = digest(kit.outlet.render(lesson))
    return tuple(
        Receipt(place.path, written, at, policy, root=root, created=place.created)
        for place in places
    )


def _settle(kit: Kit, id: str, decide: Callable[[State], Decision]) -> State | Refusal:
    """Decide on the state as it is now, and append."""

    def once() -> State | Refusal:
        after = kit.store.position()
        state = kit.store.state(id)
        decision = unknown(id) if state is None else decide(state)
        if isinstance(decision, Refusal):
            return decision
        kit.store.append(decision, after=after, at=kit.now())
        return _now(kit, id)

    return retried(once)


def _now(kit: Kit, id: str) -> State | Refusal:
    return kit.store.state(id) or unknown(id)


def _not(done: str, refusal: Refusal) -> Refusal:
    return Refusal(refusal.code, f"Not {done}: {refusal.reason}.", refusal.hint)
