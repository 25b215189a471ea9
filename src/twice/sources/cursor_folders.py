"""Which folder a conversation in Cursor's editor belongs to.

Newer versions note it in the conversation; before, the database of each window named the
conversations that were held in it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from twice.core import limits
from twice.sources.cursor_records import Composer, composers_in, named_in
from twice.sources.databases import opened, tables
from twice.sources.workspaces import NOTHING, STORAGE, Opened, local_path, opened_at, opened_in

DATABASE = "state.vscdb"
ITEMS = "ItemTable"
LISTED = "composer.composerData"

_VIEW = "workbench.panel.aichat.view."
_NAMING = (
    f"SELECT key, CAST(value AS BLOB) FROM {ITEMS} WHERE (key = '{LISTED}'"
    " OR (key >= 'workbench.panel.composerChatViewPane'"
    " AND key < 'workbench.panel.composerChatViewPanf' AND key NOT LIKE '%.hidden'))"
    " AND length(CAST(value AS BLOB)) <= ?"
)


def noted_in(composers: Iterable[Composer], user: Path) -> Opened:
    """Return the folder that a conversation, or its head in a list, notes itself.

    ``user`` is the editor's folder; what was open in each window is noted in there.
    """
    for composer in composers:
        noted = composer.workspace_identifier
        if not isinstance(noted, dict):
            continue
        found = _of_uri(noted.get("uri")) or _of_window(noted.get("id"), user)
        if found:
            return found
    return NOTHING


def named_by_windows(user: Path) -> dict[str, Opened]:
    """Return the folders of the conversations that the databases of windows name."""
    found: dict[str, Opened] = {}
    for path in sorted((user / STORAGE).glob(f"*/{DATABASE}")):
        opened_there = opened_in(path.parent)
        if opened_there != NOTHING:
            with suppress(OSError):  # one that cannot be read names nothing
                for id in _named_in(path):
                    found.setdefault(id, opened_there)
    return found


def of_uris(uris: object) -> Opened:
    """Return the folder of a message, where it notes one and no more."""
    if isinstance(uris, list) and len(uris) == 1 and isinstance(uris[0], str):
        return opened_at(uris[0])
    return NOTHING


def _of_uri(uri: object) -> Opened | None:
    if not isinstance(uri, dict):
        return None
    external, path = uri.get("external"), uri.get("fsPath") or uri.get("path")
    if isinstance(external, str) and (found := opened_at(external)) != NOTHING:
        return found
    if uri.get("scheme") in (None, "file") and isinstance(path, str):
        return Opened(local_path(path)) if local_path(path) else None
    return None


def _of_window(id: object, user: Path) -> Opened | None:
    """Return what a window had open, by its id, which is the name of its folder."""
    if not isinstance(id, str) or Path(id).name != id or id == "..":
        return None
    found = opened_in(user / STORAGE / id)
    return found if found != NOTHING else None


def _named_in(path: Path) -> Iterator[str]:
    with opened(path) as database:
        if ITEMS not in tables(database):
            return
        for key, value in database.rows(_NAMING, (limits.LINE_BYTES,)):
            if key != LISTED:
                names = named_in(value or b"")
                yield from (name.removeprefix(_VIEW) for name in names if name.startswith(_VIEW))
                continue
            composers, ids = composers_in(value or b"")
            yield from ids
            yield from (c.composer_id for c in composers if isinstance(c.composer_id, str))
