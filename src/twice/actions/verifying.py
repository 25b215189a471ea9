"""Check the chain, the texts and every receipt against the disk; finish what was interrupted."""

from dataclasses import dataclass, field

from twice.actions.deciding import half_undone, opened, publish, roll_back, root_of
from twice.actions.kit import Kit
from twice.core.native import event_in
from twice.core.proposals import Refusal, words_of_content
from twice.core.receipts import OnDisk
from twice.core.redaction import redact
from twice.core.states import State, Status


@dataclass(slots=True)
class Verdict:
    """What a check found. ``flaws`` need a person; ``mended`` was finished by itself."""

    entries: int = 0
    receipts: int = 0
    flaws: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """True where nothing needs a person."""
        return not self.flaws


def verify(kit: Kit, *, rebuild: bool = False, secrets: bool = False) -> Verdict:
    """Check everything that is kept and published.

    ``rebuild`` makes the derived tables anew first; ``secrets`` scans all kept texts as well.
    """
    verdict = Verdict()
    if rebuild:
        kit.store.rebuild()
        verdict.mended.append("the derived tables were made anew from the ledger")
    verdict.flaws += kit.store.flaws()
    if verdict.flaws:
        return verdict
    if kit.store.needs_scrub():
        kit.store.scrub()
        verdict.mended.append("an interrupted erasure was completed")
    verdict.entries = kit.store.position()
    for state in kit.store.states():
        _check_item(kit, state, verdict)
    if secrets:
        _scan(kit, verdict)
    return verdict


def _check_item(kit: Kit, state: State, verdict: Verdict) -> None:
    if state.status is Status.BLOCKED:
        outcome = publish(kit, state.id)
        if isinstance(outcome, Refusal):
            after = kit.store.state(state.id)
            back = after is not None and after.status is Status.PENDING
            (verdict.mended if back else verdict.flaws).append(f"{state.id}: {outcome.reason}")
            return
        verdict.mended.append(f"{state.id}: its interrupted approval was completed")
        state = outcome
    found = opened(kit, state.id)
    if isinstance(found, Refusal):
        verdict.flaws.append(found.reason)
    if state.status is Status.ACTIVE and half_undone(kit, state):
        undone = roll_back(kit, state.id)
        if isinstance(undone, State):
            verdict.mended.append(f"{state.id}: its interrupted rollback was completed")
            return
    if state.status is Status.ACTIVE:
        _check_receipts(kit, state, verdict)


def _check_receipts(kit: Kit, state: State, verdict: Verdict) -> None:
    root = root_of(kit, state.receipts)
    for receipt in state.receipts:
        verdict.receipts += 1
        kit.outlet.tidy(receipt, root)
        standing = kit.outlet.on_disk(receipt, root)
        if standing is OnDisk.INTACT:
            continue
        path = root / receipt.destination
        verdict.flaws.append(
            f"{path} is {standing}, {state.id} says otherwise: twice rollback {state.id}, "
            "or put the file back"
        )


def _scan(kit: Kit, verdict: Verdict) -> None:
    """Look for secrets in every text that is kept."""
    for session in kit.store.sessions():
        for turn in kit.store.turns(session.id):
            if redact(turn.text).secrets:
                verdict.flaws.append(f"a secret may stand in {turn.session}:{turn.seq}:{turn.kind}")
    for state in kit.store.states():
        found = opened(kit, state.id)
        if not isinstance(found, Refusal) and redact(words_of_content(found[1])).secrets:
            verdict.flaws.append(f"a secret may stand in {state.id}")
    for path, number, line in kit.spool.lines():
        event = event_in(line)
        text = line.decode(errors="replace") if event is None else event.text or ""
        if redact(text).secrets:
            verdict.flaws.append(f"a secret may stand in {path}, line {number + 1}")
