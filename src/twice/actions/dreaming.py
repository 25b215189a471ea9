"""The dream: read what is new, learn from it, file proposals, and leave a report."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from twice.actions.keeping import Tally
from twice.actions.kit import Kit, Opened
from twice.actions.met import Met
from twice.actions.proposing import Learned
from twice.actions.quiet import learn_what_changed
from twice.actions.reading import Progress, quiet, read
from twice.core.encoding import canonical
from twice.core.joined import groups, names
from twice.core.kept import KnownProject
from twice.core.policy import Effective, Mode, Policy

Report = dict[str, Any]


def dream(
    kit: Kit,
    found: Iterable[Opened],
    *,
    effective: Effective,
    before: Met | None = None,
    since: int | None = None,
    only: frozenset[str] | None = None,
    progress: Progress = quiet,
) -> Report:
    """Run the one job that does all learning; return its report, which is kept as well.

    ``effective`` is the mode of the user's side of the chain, without project and repository.
    ``before`` is what was met before, where it was asked when the files were looked for.
    ``only`` are the projects (ids or names) to learn for. The report's shape is documented in
    ``docs/formats/json.md``.
    """
    started = kit.now()
    id = kit.fresh("drm")
    if effective.mode is Mode.OFF:
        return _report(id, started, kit, effective, Tally(started), {}, {})
    dropped = kit.store.expire(started)
    tally = read(kit, found, before=before, since=since, progress=progress)
    dropped = {why: count + dropped[why] for why, count in kit.store.expire(kit.now()).items()}
    notes, revision = kit.store.notes(), kit.revision()
    learned = {
        group[0].id: learn_what_changed(kit, group[0].id, _policy_for(kit, group), revision, notes)
        for group in groups(kit.store.projects())
        if any(project.id in tally.projects for project in group)
        and (only is None or any(only & {project.id, project.name} for project in group))
    }
    report = _report(id, started, kit, effective, tally, learned, dropped)
    kit.store.save_report(id, at=started, body=canonical(_lasting(report)))
    return report


def _lasting(report: Report) -> Report:
    """Leave out the words that were refused: a person may have their session forgotten."""
    evolution = report["evolution"]
    refused = [{**item, "text": ""} for item in evolution["refused"]]
    return {**report, "evolution": {**evolution, "refused": refused}}


def _policy_for(kit: Kit, group: Sequence[KnownProject]) -> Policy:
    """Return the policy of projects that read as one: the lowest of their modes holds."""
    modes = (kit.mode_of(project.root).mode for project in group)
    return replace(kit.policy(), mode=min(modes, key=lambda mode: mode.rank))


def _report(
    id: str,
    started: int,
    kit: Kit,
    effective: Effective,
    tally: Tally,
    learned: dict[str, Learned],
    dropped: dict[str, int],
) -> Report:
    return {
        "schema": "twice.report/1",
        "id": id,
        "started": started,
        "ended": kit.now(),
        "mode": str(effective.mode),
        "reason": effective.reason,
        "read": _read_part(tally, text=effective.mode.keeps_text),
        "evolution": _evolution_part(kit, effective, learned, dropped, tally),
    }


def _read_part(tally: Tally, *, text: bool) -> dict[str, Any]:
    """Count what was read; where no text is kept, names of files and records stay out of it."""
    skipped: Counter[str] = Counter()
    for reason, count in tally.skipped.items():
        skipped[reason if text else reason.partition(":")[0]] += count
    return {
        "files": dict(sorted(tally.files.items())),
        "sessions": len(tally.sessions),
        "turns": tally.turns,
        "skipped": dict(sorted(skipped.items())),
        "own_sessions": dict(sorted(tally.own.items())),
        "no_project": dict(sorted(tally.elsewhere.items())),
        "unattributed": len(tally.gone),
        "unreadable": tally.unreadable if text else [],
    }


def _evolution_part(
    kit: Kit,
    effective: Effective,
    learned: dict[str, Learned],
    dropped: dict[str, int],
    tally: Tally,
) -> dict[str, Any]:
    parts = list(learned.values())
    named = names(kit.store.projects())
    return {
        "mode": str(effective.mode),
        "observed": {
            "corrections": sum(part.corrections for part in parts),
            "preferences": sum(part.preferences for part in parts),
            "recurring": sum(part.recurring for part in parts),
            "opposed": sum(part.opposed for part in parts),
            "scheduled": sum(part.scheduled for part in parts),
            "signals": tally.signals,
            "new_sightings": tally.sightings,
        },
        "suggested": {
            kind: sum(part.suggested[kind] for part in parts)
            for kind in ("memory", "skill", "instruction", "workflow")
        },
        "supported": [id for part in parts for id in part.supported],
        "waiting": sum(part.waiting for part in parts),
        "proposals": [id for part in parts for id in part.filed],
        "saved": [id for part in parts for id in part.saved],
        "refused": [
            {"project": named.get(project, project), "text": text, "code": code, "reason": reason}
            for project, part in learned.items()
            for text, code, reason in part.refused
        ],
        "refused_secrets": tally.secrets,
        "left_over": sum(part.left_over for part in parts),
        "dropped": dropped,
        "no_model": _why_no_model(effective, parts),
    }


def _why_no_model(effective: Effective, parts: list[Learned]) -> str:
    if not effective.mode.keeps_text:
        return f"mode {effective.mode}"
    if not any(part.recurring for part in parts):
        return "nothing recurs"
    return "no model configured"
