"""What a dream did and how things are, as JSON values and as text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twice.actions.kit import shorten
from twice.actions.recording import Recording
from twice.actions.showing import Shown
from twice.actions.surveying import Overview, Retention, Said, Survey, Unread
from twice.actions.telling import Health
from twice.core.limits import EVIDENCE_DAYS, EVIDENCE_ROWS, TURN_CHARS
from twice.core.policy import Mode
from twice.core.states import Status
from twice.faces import present
from twice.faces.columns import WIDTH, quoted, shortened, wrapped

_NAMED = 5  # files that are named, of those that cannot be read or told
_GLANCE = 225  # columns of a turn: three lines of a list

_ELSEWHERE = {
    "temp": "in a temporary folder",
    "home": "in the home folder itself",
    "missing": "that name no folder",
}
_BOUNDS = {
    "old": f"not recorded again for {EVIDENCE_DAYS} days",
    "surplus": f"beyond {EVIDENCE_ROWS} for one project",
}


def report(body: dict[str, Any], shown: list[Shown]) -> dict[str, Any]:
    """Return a dream's report as JSON values, with the proposals that it filed."""
    times = {"started": present.moment(body["started"]), "ended": present.moment(body["ended"])}
    return {**body, **times, "proposals": [present.proposal(item) for item in shown]}


def dream(report: dict[str, Any], shown: list[Shown]) -> str:
    """Write a dream's report: what was read, what recurs, what waits now."""
    read, evolution = report["read"], report["evolution"]
    lines = [f"Mode {report['mode']} ({report['reason']})."]
    if report["mode"] == "off":
        lines.append(f"Nothing was read. {_way_up(report['reason'])}".rstrip())
        return "\n".join(part for text in lines for part in wrapped(text, "", "  "))
    files = ", ".join(f"{count:,} {what}" for what, count in read["files"].items()) or "none found"
    lines.append(f"Files: {files}.")
    lines.append(
        f"Read: {present.counted(read['sessions'], 'session')}, "
        f"{present.counted(read['turns'], 'human turn')}."
    )
    lines += _left(read, evolution)
    observed = evolution["observed"]
    lines.append(
        f"Heard: {present.counted(observed['corrections'], 'correction')}, "
        f"{present.counted(observed['preferences'], 'preference')}; {observed['recurring']} recur."
    )
    prose = [part for text in [*lines, *_refusals(evolution)] for part in wrapped(text, "", "  ")]
    return "\n".join([*prose, *_outcome(evolution, shown)])


def _left(read: dict[str, Any], evolution: dict[str, Any]) -> list[str]:
    lines = []
    for title, part in (
        ("Passed over", read["skipped"]),
        ("Own sessions, not mined", read["own_sessions"]),
    ):
        if part:
            lines.append(
                f"{title}: " + ", ".join(f"{n:,} × {why}" for why, n in part.items()) + "."
            )
    if read["no_project"]:
        where = ", ".join(
            f"{n:,} {_ELSEWHERE.get(why, why)}" for why, n in read["no_project"].items()
        )
        lines.append(f"Sessions without a project, not learned from: {where}.")
    if read["unattributed"]:
        count = present.counted(read["unattributed"], "session")
        lines.append(f"{count} ran in a folder that is not there now; its path names the project.")
    lines += [f"Cannot be read: {fault}" for fault in read["unreadable"][:5]]
    if evolution["refused_secrets"]:
        lines.append(
            f"{present.counted(evolution['refused_secrets'], 'wish')} refused: may hold a secret."
        )
    for bound, count in evolution["dropped"].items():
        if count:
            lines.append(f"Evidence dropped: {count:,} {_BOUNDS.get(bound, bound)}.")
    return lines


def _refusals(evolution: dict[str, Any]) -> list[str]:
    known = sum(refused["code"] == "known" for refused in evolution["refused"])
    lines = [
        f"Not proposed: {shortened(refused['text'], 50)} ({refused['reason']})."
        for refused in evolution["refused"]
        if refused["code"] != "known"
    ]
    if known:
        lines.append(f"{known} that recur are known already.")
    if scheduled := evolution["observed"]["scheduled"]:
        sent = f"{present.counted(scheduled, 'turn')} that a schedule or a template sent"
        lines.append(f"Not learned from: {sent}.")
    if evolution["waiting"]:
        more = f", {len(evolution['supported'])} of them with new evidence"
        waits = f"{evolution['waiting']} that recur wait for your review"
        lines.append(waits + (more if evolution["supported"] else "") + ".")
    return lines


def _outcome(evolution: dict[str, Any], shown: list[Shown]) -> list[str]:
    lines: list[str] = []
    if shown:
        lines += ["", f"{present.counted(len(shown), 'new proposal')}:"]
        lines += [f"  {present.line(item, WIDTH - 2)}" for item in shown]
    if evolution["left_over"]:
        lines.append(f"{evolution['left_over']} more recur and wait for the next dream.")
    if evolution["saved"]:
        lines.append(f"Saved by your rules: {', '.join(evolution['saved'])}.")
    pending = sum(item.status is Status.PENDING for item in shown)
    if pending:
        waits = "proposal waits" if pending == 1 else "proposals wait"
        lines += ["", f"{pending} {waits}. Next: twice review"]
    elif not shown:
        lines.append(f"No new proposal ({_nothing(evolution)}).")
    return lines


def _nothing(evolution: dict[str, Any]) -> str:
    if evolution["mode"] == Mode.OBSERVE:
        return "mode observe only counts"
    return "nothing recurs" if not evolution["observed"]["recurring"] else "nothing new recurs"


def _way_up(reason: str) -> str:
    """Say what a person can do about a mode that is off."""
    match reason:
        case "this run":
            return ""
        case "the user's setting" | "the project's consent":
            return "Choose a mode: twice settings evolution suggest"
        case _:
            return "Mend or remove that file."


def health(state: Health) -> dict[str, Any]:
    """Return the status as JSON values."""
    return {
        "mode": str(state.mode.mode),
        "reason": state.mode.reason,
        "policy_revision": state.revision,
        "project": state.project or None,
        "waiting": state.waiting,
        "waiting_here": state.waiting_here,
        "in_force_here": state.in_force_here,
        "sessions": state.sessions,
        "agents": list(state.agents),
        "last_dream": present.moment(state.last_dream),
    }


def health_lines(state: Health, data: Path) -> list[str]:
    """Write the status."""
    here = f" ({state.project})" if state.project else ""
    dreamt = present.moment(state.last_dream) or "never: twice dream"
    lines = [
        f"Mode here: {state.mode.mode} ({state.mode.reason})",
        f"Waiting: {state.waiting}, {state.waiting_here} of this project{here}",
        f"In force here: {present.counted(state.in_force_here, 'memory')}",
        f"Last dream: {dreamt}; {present.counted(state.sessions, 'session')} known",
        f"Agents: {', '.join(state.agents) or 'none read yet'}",
        f"Data: {data}",
    ]
    if state.waiting:
        lines.append("Next: twice review")
    elif state.mode.mode == Mode.OFF and (way := _way_up(state.mode.reason)):
        lines.append(way.replace("Choose a mode", "Next"))
    return lines


def survey(item: Survey) -> dict[str, Any]:
    """Return what one agent left as JSON values."""
    return {
        "agent": item.agent,
        "sessions": item.sessions,
        "bytes": item.size_bytes,
        "first": present.moment(item.first),
        "last": present.moment(item.last),
    }


def survey_line(item: Survey) -> str:
    """Write what one agent left."""
    size = present.size(item.size_bytes)
    days = f"{present.day(item.first)} to {present.day(item.last)}"
    return f"  {item.agent:<12} {present.counted(item.sessions, 'session')}, {size}, {days}"


def overview(found: Overview, retentions: Sequence[Retention]) -> dict[str, Any]:
    """Return everything that was found as JSON values."""
    days = {kept.agent: kept.days for kept in retentions}
    return {
        "agents": [{**survey(item), "kept_days": days.get(item.agent)} for item in found.agents],
        "unreadable": [{"path": str(u.path), "reason": u.reason} for u in found.unreadable],
        "unknown": [str(path) for path in found.unknown],
    }


def overview_lines(
    found: Overview, retentions: Sequence[Retention], *, where: str, home: Path
) -> list[str]:
    """Write everything that was found ``where``, what cannot be read, and what will be deleted."""
    if not found.agents:
        lines = [f"No sessions of coding agents were found {where}."]
    else:
        lines = [f"Found {where}:", *map(survey_line, found.agents)]
    if found.unreadable:
        lines += ["", f"{present.counted(len(found.unreadable), 'file')} cannot be read:"]
        lines += _some([f"{unread.reason}: {unread.path}" for unread in found.unreadable])
    if found.unknown:
        count = len(found.unknown)
        looks = "looks like a session" if count == 1 else "look like sessions"
        lines += ["", f"{present.counted(count, 'file')} {looks} that no source knows:"]
        lines += _some([str(path) for path in found.unknown])
    agents = {item.agent for item in found.agents}
    for kept in (kept for kept in retentions if kept.agent in agents):
        lines += ["", *_retention(kept, home)]
    return lines


def _some(items: list[str]) -> list[str]:
    lines = [line for item in items[:_NAMED] for line in quoted(item, "  ")]
    more = len(items) - _NAMED
    return [*lines, f"  … and {more:,} more (--json names all)"] if more > 0 else lines


def _retention(kept: Retention, home: Path) -> list[str]:
    warning = f"{kept.title} deletes sessions after {present.counted(kept.days, 'day')}."
    file = shorten(kept.file, home)
    longer = f'To keep them longer, set "{kept.setting}" to more days in {file}.'
    return wrapped(f"{warning} {longer}", "")


def said(turn: Said) -> dict[str, Any]:
    """Return one human turn as JSON values."""
    event = turn.event
    return {
        "session": event.session,
        "agent": turn.agent,
        "index": turn.index,
        "at": present.moment(event.at),
        "anchor": f"{event.session}:{event.seq}:{event.kind}",
        "text": event.text,
        "via": str(event.kind),
    }


def said_lines(turn: Said) -> list[str]:
    """Write one human turn: when and how it was said, and how it begins."""
    event = turn.event
    head = f"  {turn.index}  {present.moment(event.at) or 'undated'}  {event.kind}"
    return [head, *wrapped(shortened(event.text, _GLANCE), "     ")]


def said_in(turn: Said) -> str:
    """Write the session that a human turn was said in."""
    return shortened(f"{turn.agent}  {turn.event.session}", WIDTH)


def unread(file: Unread) -> str:
    """Say in one line which file cannot be read."""
    return f"Cannot be read: {file.path}: {file.reason}."


def recording(told: Recording) -> dict[str, Any]:
    """Return what became of reported events as JSON values."""
    return {
        "kept": told.kept,
        "observed": told.observed,
        "sessions": told.sessions,
        "shortened": told.shortened,
        "refused": told.refused,
        "lines": [{"line": each.number, "reason": each.reason} for each in told.named],
    }


def recorded(told: Recording) -> str:
    """Write what became of reported events."""
    sessions = f"of {present.counted(told.sessions, 'session')}"
    lines = []
    if told.kept or not told.observed:
        kept = present.counted(told.kept, "event")
        lines.append(f"Recorded {kept} {sessions}. The next dream reads them.")
    if told.observed:
        observed = present.counted(told.observed, "event")
        lines.append(f"Observed {observed} {sessions}; no text is kept.")
    if told.shortened:
        cut = present.counted(told.shortened, "text")
        lines.append(f"{cut} cut at {TURN_CHARS:,} characters.")
    return "\n".join(lines)
