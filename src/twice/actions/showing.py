"""What people and scripts are shown: proposals with evidence, and where items come from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from twice.actions.deciding import destinations_of, moved_on, opened, unknown
from twice.actions.gating import in_force
from twice.actions.kit import Kit, expand
from twice.core import limits
from twice.core.gates import Known
from twice.core.joined import LINKED, UNLINKED, names
from twice.core.ledger import Entry
from twice.core.lessons import words_of
from twice.core.proposals import Content, Evidence, Refusal, decode_content
from twice.core.receipts import OnDisk
from twice.core.states import State, Status, seen_status


@dataclass(frozen=True, slots=True)
class Quote:
    """One piece of evidence as it is shown. ``text`` is None where it was erased.

    ``gone``: the agent's own log is not there any more; quote and hash outlive it.
    """

    evidence: Evidence
    text: str | None
    branch: str = ""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One proposal as a reviewer sees it."""

    state: State
    status: Status
    project: str
    content: Content | None
    evidence: tuple[Quote, ...] = ()
    against: tuple[Quote, ...] = ()
    replaced: str = ""
    obstacle: str = ""

    @property
    def text(self) -> str:
        """Everything that an agent would read of it."""
        return words_of(self.content.lesson) if self.content else ""


def listed(
    kit: Kit,
    *,
    project: str | None = None,
    statuses: Sequence[Status] = (),
    limit: int | None = limits.LISTED,
    ids: Collection[str] | None = None,
) -> list[Shown]:
    """Return proposals as they are seen, newest first; ``statuses`` are those seen.

    ``ids`` leaves out all others.
    """
    if ids is not None and not ids:
        return []
    policy = kit.revision()
    found = [s for s in kit.store.states(project=project) if _may_be(s, policy, statuses)]
    found = [state for state in found if ids is None or state.id in ids]
    shown: list[Shown] = []
    frame = _Frame(kit)
    for state in found:
        item = _shown(frame, state, policy)
        if not statuses or item.status in statuses:
            shown.append(item)
        if limit is not None and len(shown) == limit:
            break
    return shown


def _may_be(state: State, policy: str, statuses: Sequence[Status]) -> bool:
    status = seen_status(state, policy)
    if status is Status.PENDING and Status.NEEDS_REBASE in statuses:
        return True
    return not statuses or status in statuses


def show(kit: Kit, id: str) -> Shown | Refusal:
    """Return one proposal as it is seen."""
    state = kit.store.state(id)
    if state is None:
        return unknown(id)
    return _shown(_Frame(kit), state, kit.revision())


class _Frame:
    """What many proposals are shown with, read once."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.names = names(kit.store.projects())
        self.sessions = {session.id: session for session in kit.store.sessions()}
        self.present: dict[str, bool] = {}
        self.known: dict[str, list[Known]] = {}

    def in_force(self, project: str) -> list[Known]:
        """Return the approved memories of a project, read once."""
        if project not in self.known:
            self.known[project] = in_force(self.kit, project)
        return self.known[project]

    def gone(self, session: str) -> bool:
        """Tell whether the log that a session was read from is not there any more."""
        kept = self.sessions.get(session)
        if kept is None or not kept.path:
            return False
        if kept.path not in self.present:
            self.present[kept.path] = expand(kept.path, self.kit.home).exists()
        return not self.present[kept.path]


def _shown(frame: _Frame, state: State, policy: str) -> Shown:
    kit = frame.kit
    name = frame.names.get(state.project, state.project)
    data = kit.store.blobs([state.hash]).get(state.hash)
    if data is None:
        return Shown(state, seen_status(state, policy), name, None)
    content = decode_content(data)
    evidence = _quotes(frame, content.evidence)
    against = _quotes(frame, content.against)
    obstacle = _obstacle(frame, state, content) if state.status is Status.PENDING else ""
    status = seen_status(state, policy)
    if obstacle and status is Status.PENDING:
        status = Status.NEEDS_REBASE
    replaced = _words_of_item(kit, content.replaces) if content.replaces else ""
    return Shown(state, status, name, content, evidence, against, replaced, obstacle)


def _quotes(frame: _Frame, evidence: tuple[Evidence, ...]) -> tuple[Quote, ...]:
    texts = frame.kit.store.blobs(item.quote for item in evidence)
    quotes = []
    for item in evidence:
        kept = frame.sessions.get(item.session)
        text = texts[item.quote].decode() if item.quote in texts else None
        branch = kept.branch if kept else ""
        quotes.append(Quote(item, text, branch, frame.gone(item.session)))
    return tuple(quotes)


def _obstacle(frame: _Frame, state: State, content: Content) -> str:
    """Return what changed about a proposal's target since it was filed."""
    if moved := moved_on(frame.kit, state.id, content, frame.in_force(state.project)):
        return moved.reason
    destinations = destinations_of(frame.kit, state, content)
    return destinations.reason if isinstance(destinations, Refusal) else ""


def _words_of_item(kit: Kit, id: str) -> str:
    found = opened(kit, id)
    return "" if isinstance(found, Refusal) else words_of(found[1].lesson)


@dataclass(frozen=True, slots=True)
class Why:
    """Where an item comes from: what it says, who decided what, and the quotes that taught it."""

    shown: Shown
    history: tuple[Entry, ...]
    files: tuple[tuple[Path, OnDisk], ...]


def why(kit: Kit, wanted: str) -> list[Why] | Refusal:
    """Return the origin of an item, by its id or by words of it."""
    states = kit.store.states()
    found = [state for state in states if state.id == wanted]
    if not found:
        plain = wanted.casefold()
        texts = kit.store.blobs(state.hash for state in states)
        found = [s for s in states if s.hash in texts and plain in _plain(texts[s.hash])]
    if not found:
        return Refusal(
            "unknown", f"Nothing here says {wanted!r}.", "twice review --list --status all"
        )
    chosen = {state.id: state for state in found[: limits.LISTED]}
    history: dict[str, list[Entry]] = {id: [] for id in chosen}
    for entry in kit.store.entries():
        if entry.subject in chosen:
            history[entry.subject].append(entry)
        elif entry.kind in (LINKED, UNLINKED):
            for state in chosen.values():
                if state.project in (entry.subject, entry.project) and history[state.id]:
                    history[state.id].append(entry)
    frame, policy = _Frame(kit), kit.revision()
    return [
        Why(_shown(frame, s, policy), tuple(history[s.id]), _files(kit, s))
        for s in found[: limits.LISTED]
    ]


def history(kit: Kit, id: str) -> tuple[Entry, ...]:
    """Return everything that was decided about one item, in order."""
    return tuple(entry for entry in kit.store.entries() if entry.subject == id)


def _plain(data: bytes) -> str:
    return words_of(decode_content(data).lesson).casefold()


def _files(kit: Kit, state: State) -> tuple[tuple[Path, OnDisk], ...]:
    return tuple(
        (
            expand(receipt.root, kit.home) / receipt.destination,
            kit.outlet.on_disk(receipt, expand(receipt.root, kit.home)),
        )
        for receipt in state.receipts
        if receipt.is_file
    )
