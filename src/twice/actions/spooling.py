"""What waits in the spool of some sessions: how much it is, and how it is erased."""

from collections.abc import Collection

from twice.actions.keeping import session_id
from twice.actions.kit import Kit
from twice.core.kept import Depth
from twice.core.native import event_in


def waiting_of(kit: Kit, sessions: Collection[str]) -> int:
    """Count the events of sessions that wait, whatever agent reported them."""
    return sum(_is_of(kit, line, sessions) is True for _, _, line in kit.spool.lines())


def erase_waiting(kit: Kit, sessions: Collection[str]) -> int:
    """Erase the events of sessions, and lines of which nobody can tell whose they are."""
    return kit.spool.erase(lambda line: _is_of(kit, line, sessions) is not False)


def _is_of(kit: Kit, line: bytes, sessions: Collection[str]) -> bool | None:
    """Tell whether a line is of one of some sessions; None where it is damaged."""
    event = event_in(line)
    if event is None:
        return None
    id = event.session or ""
    return id in sessions or session_id(kit, id, Depth.HASH) in sessions
