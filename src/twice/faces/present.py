"""One wording for every face: proposals, reports and health, as JSON values and as plain text."""

import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from twice.actions.forgetting import Plan
from twice.actions.showing import Quote, Shown, Why
from twice.actions.telling import Health, Told
from twice.core.ledger import Entry
from twice.core.lessons import Memory, Skill, title_of
from twice.core.states import Status

WIDTH = 80


def moment(at: int | None) -> str | None:
    """Write a time (UTC, microseconds) in ISO 8601, to the second."""
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(at: int | None) -> str:
    """Write the day of a time."""
    return (moment(at) or "undated")[:10]


def proposal(shown: Shown) -> dict[str, Any]:
    """Return a proposal as JSON values; the shape is documented in docs/formats/json.md."""
    state, content = shown.state, shown.content
    lesson = content.lesson if content else None
    return {
        "id": state.id,
        "kind": state.kind,
        "text": shown.text,
        "hash": state.hash,
        "status": str(shown.status),
        "project": shown.project,
        "category": str(lesson.category) if isinstance(lesson, Memory) else None,
        "positive": (content.positive if content else "") or None,
        "origin": content.origin if content else None,
        "evidence": [quote(item) for item in shown.evidence],
        "against": [quote(item) for item in shown.against],
        "replaces": state.replaces or None,
        "rejected_before": bool(content and content.rejected_before),
        "flagged": list(content.flagged) if content else [],
        "obstacle": shown.obstacle or None,
        "lesson": msgspec.to_builtins(lesson) if lesson else None,
        "policy_revision": state.policy,
        "filed": moment(state.filed),
        "decided": moment(state.decided),
        "receipts": [
            {**msgspec.to_builtins(receipt), "at": moment(receipt.at)} for receipt in state.receipts
        ],
    }


def quote(item: Quote) -> dict[str, Any]:
    """Return one piece of evidence as JSON values."""
    evidence = item.evidence
    return {
        "session": evidence.session,
        "anchor": evidence.anchor,
        "quote": item.text,
        "at": moment(evidence.at),
        "agent": evidence.agent,
        "record": evidence.record or None,
        "digest": evidence.quote,
        "branch": item.branch or None,
        "original_gone": item.gone,
    }


def card(shown: Shown, *, most: int | None = None) -> str:
    """Write one proposal for a reviewer, in at most 80 columns.

    ``most`` quotes of each kind are shown, or all of them.
    """
    state, content = shown.state, shown.content
    lines = [f"{state.id}  {state.kind}, {shown.status}, project {shown.project}"]
    if content is None:
        return "\n".join([*lines, "  Its text was erased."])
    lines += _body(shown)
    if content.positive:
        lines += ["", "  In positive words:", *wrapped(content.positive, "    ")]
    if shown.replaced:
        lines += ["", f"  Would take the place of {content.replaces}:"]
        lines += wrapped(shown.replaced, "  - ", "    ") + wrapped(shown.text, "  + ", "    ")
    if content.rejected_before:
        lines += ["", "  You rejected this before; there is new evidence since."]
    if shown.obstacle:
        lines += ["", *wrapped(f"Needs rebase: {shown.obstacle}.", "  ")]
    for flagged in content.flagged:
        lines += ["", *wrapped(f"Quotes a risky phrase: {flagged}", "  ! ", "    ")]
    lines += ["", *_quotes("Evidence", shown.evidence, most)]
    if shown.against:
        lines += ["", *_quotes("Said against it", shown.against, most)]
    return "\n".join(lines)


def _body(shown: Shown) -> list[str]:
    assert shown.content is not None
    lesson = shown.content.lesson
    match lesson:
        case Memory(text=text, category=category):
            return ["", *wrapped(text, "  "), f"  [{category}]"]
        case Skill(name=name, description=description, body=body):
            head = ["", f"  {name}", *wrapped(description, "  "), ""]
            return head + [f"  | {line}" for line in body.splitlines()]
        case _:
            return ["", *wrapped(title_of(lesson), "  ")]


def _quotes(title: str, quotes: tuple[Quote, ...], most: int | None) -> list[str]:
    sessions = len({item.evidence.session for item in quotes})
    if not quotes:
        return [f"  {title}: none; it was handed in."]
    lines = [f"  {title}: {counted(len(quotes), 'quote')} from {counted(sessions, 'session')}"]
    chosen = quotes if most is None else _one_of_each(quotes)[:most]
    for item in chosen:
        said = "(erased)" if item.text is None else f"\u201c{' '.join(item.text.split())}\u201d"
        lines += wrapped(said, "    ", "     ")
        branch = f", branch {item.branch}" if item.branch not in ("", "main", "master") else ""
        gone = ", original gone" if item.gone else ""
        head = f"      {day(item.evidence.at)} {item.evidence.agent}{branch}{gone}  "
        anchor = item.evidence.anchor
        short = shortened(anchor, WIDTH - len(head)) if most is not None else anchor
        lines += [head + short] if len(head + short) <= WIDTH else [head, f"      {anchor}"]
    if len(chosen) < len(quotes):
        lines.append(f"    … and {len(quotes) - len(chosen)} more")
    return lines


def _one_of_each(quotes: tuple[Quote, ...]) -> list[Quote]:
    """Put one quote of each session first."""
    first: dict[str, Quote] = {}
    for item in quotes:
        first.setdefault(item.evidence.session, item)
    return [*first.values(), *(q for q in quotes if first[q.evidence.session] is not q)]


def line(shown: Shown, width: int = WIDTH) -> str:
    """Write one proposal in one line of at most ``width`` columns."""
    head = f"{shown.state.id}  {shown.status}  {shown.state.kind}  "
    title = title_of(shown.content.lesson) if shown.content else "(erased)"
    return head + shortened(title, width - len(head))


def shortened(text: str, width: int) -> str:
    """Cut a text to a number of columns."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Break a text into lines of at most 80 columns."""
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=True,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "session"), counted(2, "memory")
    ('1 session', '2 memories')
    """
    if number == 1:
        return f"1 {noun}"
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {plural}"


def dream(report: dict[str, Any], shown: list[Shown]) -> str:
    """Write a dream's report: what was read, what recurs, what waits now."""
    read, evolution = report["read"], report["evolution"]
    lines = [f"Mode {report['mode']} ({report['reason']})."]
    if report["mode"] == "off":
        return "\n".join(
            [*lines, "Nothing was read. Choose a mode: twice settings evolution suggest"]
        )
    files = ", ".join(f"{count:,} {what}" for what, count in read["files"].items()) or "none found"
    lines.append(f"Files: {files}.")
    lines.append(
        f"Read: {counted(read['sessions'], 'session')}, {counted(read['turns'], 'human turn')}."
    )
    lines += _left(read, evolution)
    observed = evolution["observed"]
    lines.append(
        f"Heard: {counted(observed['corrections'], 'correction')}, "
        f"{counted(observed['preferences'], 'preference')}; {observed['recurring']} recur."
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
        where = ", ".join(f"{n:,} {why}" for why, n in read["no_project"].items())
        lines.append(f"Sessions without a project, not learned from: {where}.")
    if read["unattributed"]:
        count = counted(read["unattributed"], "session")
        lines.append(f"{count}: the folder is gone; kept under its recorded path.")
    lines += [f"Cannot be read: {fault}" for fault in read["unreadable"][:5]]
    if evolution["refused_secrets"]:
        lines.append(f"{counted(evolution['refused_secrets'], 'wish')} refused: may hold a secret.")
    for bound, count in evolution["dropped"].items():
        if count:
            lines.append(f"Evidence dropped: {count:,} {bound}.")
    return lines


def _refusals(evolution: dict[str, Any]) -> list[str]:
    known = sum(refused["code"] == "known" for refused in evolution["refused"])
    lines = [
        f"Not proposed: {shortened(refused['text'], 50)} ({refused['reason']})."
        for refused in evolution["refused"]
        if refused["code"] != "known"
    ]
    if known:
        lines.append(f"{known} that recur are known already, or wait for your review.")
    return lines


def _outcome(evolution: dict[str, Any], shown: list[Shown]) -> list[str]:
    lines: list[str] = []
    if shown:
        lines += ["", f"{counted(len(shown), 'new proposal')}:"]
        lines += [f"  {line(item, WIDTH - 2)}" for item in shown]
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
    return "nothing recurs" if not evolution["observed"]["recurring"] else "nothing new recurs"


def told(context: Told) -> dict[str, Any]:
    """Return the context of a project as JSON values."""
    return {
        "project": context.project,
        "text": context.text,
        "characters": len(context.text),
        "shown": [{"id": item.id, "text": item.text} for item in context.shown],
        "left_out": [
            {"id": item.id, "text": item.text, "reason": "no room"} for item in context.left_out
        ],
    }


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
        "last_dream": moment(state.last_dream),
    }


def why(item: Why) -> str:
    """Write where an item comes from."""
    lines = [card(item.shown), "", "  History:"]
    lines += [
        f"    {moment(entry.at)}  {_done(entry.verb)} by {entry.actor} (entry {entry.seq})"
        for entry in item.history
    ]
    lines += [f"  File: {path} ({standing})" for path, standing in item.files]
    return "\n".join(lines)


def _done(verb: str) -> str:
    return verb.replace("_", " ")


def effect(shown: Shown) -> str:
    """Say in one line what an approval does."""
    match shown.state.kind:
        case "memory":
            return "The next session of this project is told so."
        case "instruction":
            return "Accepted. Copy its text where you want it; nothing was written."
        case _:
            places = ", ".join(receipt.destination for receipt in shown.state.receipts)
            return f"Written: {places}"


def retired(history: tuple[Entry, ...]) -> list[str]:
    """Return where the last rollback of an item moved its files."""
    moved = [entry.body["retired"] for entry in history if entry.verb == "rolled_back"]
    return [str(path) for path in moved[-1]] if moved else []


def origin(item: Why) -> dict[str, Any]:
    """Return where an item comes from as JSON values."""
    return {
        **proposal(item.shown),
        "history": [
            {
                "entry": entry.seq,
                "at": moment(entry.at),
                "kind": entry.kind,
                "actor": entry.actor,
                "hash": entry.hash,
            }
            for entry in item.history
        ],
        "files": [{"path": str(path), "standing": str(found)} for path, found in item.files],
    }


def plan(chosen: Plan) -> dict[str, Any]:
    """Return the preview of forgetting as JSON values."""
    return {
        "sessions": list(chosen.sessions),
        "turns": chosen.turns,
        "items": list(chosen.items),
        "rolled_back": list(chosen.undone),
        "quotes_erased_in": list(chosen.quotes_only),
    }


def forgetting(chosen: Plan) -> list[str]:
    """Write the preview of forgetting."""
    lines = [f"Session {session}" for session in chosen.sessions]
    if chosen.turns:
        lines.append(f"{counted(chosen.turns, 'human turn')} with every sighting in them.")
    for item in chosen.items:
        undone = " (in force: rolled back first)" if item in chosen.undone else ""
        lines.append(f"Item {item}{undone}")
    lines += [f"Item {item} stays; its quotes from there go." for item in chosen.quotes_only]
    return lines


def health_lines(state: Health, data: Path) -> list[str]:
    """Write the status."""
    here = f" ({state.project})" if state.project else ""
    dreamt = moment(state.last_dream) or "never: twice dream"
    lines = [
        f"Mode here: {state.mode.mode} ({state.mode.reason})",
        f"Waiting: {state.waiting}, {state.waiting_here} of this project{here}",
        f"In force here: {counted(state.in_force_here, 'memory')}",
        f"Last dream: {dreamt}; {counted(state.sessions, 'session')} known",
        f"Agents: {', '.join(state.agents) or 'none read yet'}",
        f"Data: {data}",
    ]
    if state.waiting:
        lines.append("Next: twice review")
    elif state.mode.mode == "off":
        lines.append("Next: twice settings evolution suggest")
    return lines
