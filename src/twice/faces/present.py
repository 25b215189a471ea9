"""One wording for every face: proposals and where they come from, as JSON values and as text."""

import json
from datetime import UTC, datetime
from typing import Any

import msgspec

from twice.actions.forgetting import Plan
from twice.actions.showing import Quote, Shown, Why
from twice.actions.telling import Told
from twice.core.ledger import Entry
from twice.core.lessons import Instruction, Memory, Skill, Workflow, title_of
from twice.faces.columns import WIDTH, columns, quoted, shortened, wrapped

_MAIN = ("", "HEAD", "main", "master", "trunk")  # said there, a thing holds everywhere


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
        "branch": branch_of(shown) or None,
        "evidence": [quote(item) for item in shown.evidence],
        "against": [quote(item) for item in shown.against],
        "replaces": state.replaces or None,
        "rejected_before": bool(content and content.rejected_before),
        "flagged": list(content.flagged) if content else [],
        "joined": (content.joined if content else "") or None,
        "obstacle": shown.obstacle or None,
        "lesson": msgspec.to_builtins(lesson) if lesson else None,
        "policy_revision": state.policy,
        "filed": moment(state.filed),
        "decided": moment(state.decided),
        "receipts": [
            {**msgspec.to_builtins(receipt), "at": moment(receipt.at)} for receipt in state.receipts
        ],
    }


def branch_of(shown: Shown) -> str:
    """Return the one branch, other than the main one, that all of it was said on."""
    branches = {item.branch for item in shown.evidence}
    branch = branches.pop() if len(branches) == 1 else ""
    return "" if branch in _MAIN else branch


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
    head = f"{state.id}  {state.kind}, {shown.status}, project {shown.project}"
    lines = [head if columns(head) <= WIDTH else shortened(head, WIDTH)]
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
    if branch := branch_of(shown):
        lines += ["", *wrapped(f"Said on branch {branch} only.", "  ")]
    if shown.obstacle:
        lines += ["", *wrapped(f"Needs rebase: {shown.obstacle}.", "  ")]
    for flagged in content.flagged:
        lines += ["", *wrapped(f"Quotes a risky phrase: {flagged}", "  ! ", "    ")]
    if content.joined:
        lines += ["", *wrapped(f"Joined by meaning, not by words alone ({content.joined}).", "  ")]
    lines += ["", *_quotes("Evidence", shown.evidence, most)]
    if shown.against:
        lines += ["", *_quotes("Said against it", shown.against, most)]
    return "\n".join(lines)


def _body(shown: Shown) -> list[str]:
    """Write all that an approval lets through, to the letter."""
    assert shown.content is not None
    match shown.content.lesson:
        case Memory(text=text, category=category):
            return ["", *wrapped(text, "  "), f"  [{category}]"]
        case Skill(name=name, description=description, body=body):
            return ["", f"  {name}", *wrapped(description, "  "), "", *quoted(body, "  | ")]
        case Instruction(text=text):
            return ["", *quoted(text, "  ")]
        case Workflow(name=name, plan=plan):
            written = json.dumps(plan, ensure_ascii=False, indent=2)
            return ["", f"  {name}", "", *quoted(written, "  | ")]


def _quotes(title: str, quotes: tuple[Quote, ...], most: int | None) -> list[str]:
    sessions = len({item.evidence.session for item in quotes})
    if not quotes:
        return [f"  {title}: none; it was handed in."]
    lines = [f"  {title}: {counted(len(quotes), 'quote')} from {counted(sessions, 'session')}"]
    chosen = quotes if most is None else _one_of_each(quotes)[:most]
    for item in chosen:
        said = "(erased)" if item.text is None else f"\u201c{' '.join(item.text.split())}\u201d"
        lines += wrapped(said, "    ", "     ")
        own = item.branch not in _MAIN
        branch = f", branch {shortened(item.branch, 30)}" if own else ""
        gone = ", original gone" if item.gone else ""
        head = f"      {day(item.evidence.at)} {item.evidence.agent}{branch}{gone}  "
        anchor = item.evidence.anchor
        short = shortened(anchor, WIDTH - columns(head)) if most is not None else anchor
        fits = columns(head + short) <= WIDTH
        lines += [head + short] if fits else [head.rstrip(), *quoted(anchor, "      ")]
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
    return head + shortened(title, width - columns(head))


def size(number: int) -> str:
    """Write a number of bytes.

    >>> size(31_200), size(45_000_000)
    ('31 kB', '45.0 MB')
    """
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.0f} kB"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "session"), counted(2, "memory"), counted(30, "day")
    ('1 session', '2 memories', '30 days')
    """
    if number == 1:
        return f"1 {noun}"
    is_short = noun.endswith("y") and noun[-2] not in "aeiou"
    plural = noun[:-1] + "ies" if is_short else noun + "s"
    return f"{number:,} {plural}"


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


def why(item: Why) -> str:
    """Write where an item comes from."""
    lines = [card(item.shown), "", "  History:"]
    lines += [
        f"    {moment(entry.at)}  {_done(entry)} by {entry.actor} (entry {entry.seq})"
        for entry in item.history
    ]
    lines += [f"  File: {path} ({standing})" for path, standing in item.files]
    return "\n".join(lines)


def _done(entry: Entry) -> str:
    of_project = "project " if entry.kind.startswith("project.") else ""
    return of_project + entry.verb.replace("_", " ")


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


def undone(shown: Shown) -> str:
    """Say in one line what a rollback did."""
    match shown.state.kind:
        case "memory":
            return "New sessions are not told so any more."
        case "instruction":
            return "No longer accepted. Take its text out where you put it."
        case _:
            return "Its files are out of effect."


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
        "recorded": chosen.recorded,
    }


def forgetting(chosen: Plan) -> list[str]:
    """Write the preview of forgetting."""
    lines = [f"Session {session}" for session in chosen.sessions]
    if chosen.turns:
        lines.append(f"{counted(chosen.turns, 'human turn')} with every sighting in them.")
    if chosen.recorded:
        lines.append(f"{counted(chosen.recorded, 'recorded event')}.")
    for item in chosen.items:
        undone = " (in force: rolled back first)" if item in chosen.undone else ""
        lines.append(f"Item {item}{undone}")
    lines += [f"Item {item} stays; its quotes from there go." for item in chosen.quotes_only]
    return lines


def erased(counts: dict[str, int]) -> str:
    """Say in one line what forgetting erased."""
    names = {"readings": "reading position", "recorded": "recorded event"}
    done = [
        counted(count, names.get(what, what.removesuffix("s")))
        for what, count in counts.items()
        if count
    ]
    return f"Erased: {', '.join(done) or 'nothing was left'}. The ledger keeps that it happened."
