"""Turning what a person said into an order, in their own words."""

import re

from twice.learners.corrections.clauses import Clause
from twice.learners.corrections.pieces import Piece
from twice.learners.corrections.vocabulary import Vocabulary

_EDGES = frozenset(("fillers", "politeness", "exasperation", "rejects", "requests", "break"))
_SAYING = frozenset(("orders", "prohibitions", "nominal", "negators", "memos", "modals", "habits"))
_INFLECTED = frozenset(("happened", "doing"))
_VERBS = frozenset(("manner", "practice", "task"))
_SYMBOL = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]+")
_DENSE = re.compile("[\u2e80-\ua4cf\uf900-\uff60]")  # Han and kana, which close with their own stop
_NAME = re.compile("[A-Za-z0-9@._/+#-]+ ?[\u2e80-\uffdc]")
_SPACE = re.compile(r"\s+")


def tidied(quote: str, said: tuple[Clause, ...]) -> str:
    """Return a quote without what stands around the wish: greetings, curses, "can you", smileys.

    >>> from twice.learners.corrections.clauses import clauses
    >>> from twice.learners.corrections.pieces import pieces
    >>> from twice.learners.corrections.vocabulary import vocabulary
    >>> quote = "ugh, can you please always use tabs?"
    >>> tidied(quote, clauses(pieces(quote, vocabulary("en"))))
    'Always use tabs.'
    """
    kept = list(said)
    while len(kept) > 1 and all(piece.roles & _EDGES for piece in kept[0].pieces):
        kept.pop(0)  # "no, …"
    found = [piece for clause in kept for piece in clause.pieces]
    start, end = 0, len(found)
    while start < end and _around(found[start]):
        start += 1
    while end > start and found[end - 1].roles & {"politeness", "exasperation"}:
        end -= 1
    if start >= end:
        return sentence(quote)
    return sentence(quote[found[start].start : _closed(quote, found[end - 1].end)])


def _around(piece: Piece) -> bool:
    return bool(piece.roles & _EDGES) and not piece.roles & _SAYING


def _closed(quote: str, end: int) -> int:
    """Return the end with a closing bracket or quotation mark that belongs to the words."""
    while end < len(quote) and quote[end] in ")]»”\"'`%":
        end += 1
    return end


def sentence(text: str) -> str:
    """Return a text as one sentence: a capital, single spaces, a full stop."""
    text = _SPACE.sub(" ", _SYMBOL.sub(" ", text)).strip(" \t,;:-–—")
    text = text.rstrip("?!？！.。… ,;")
    if not text:
        return ""
    stop = "。" if _DENSE.match(text[-1]) else "."
    named = _NAME.match(text)  # "npmを使わないで": scripts without capitals leave a name as it is
    return (text if named else text[0].upper() + text[1:]) + stop


def complained(said: tuple[Clause, ...], quote: str, words: Vocabulary) -> str:
    """Return the order in a complaint, or an empty string where its parts are not plain.

    "you updated the file in A, not B" becomes "Update the file in B, not in A.".
    """
    at = next(i for i, clause in enumerate(said) if clause.complains)
    clause = said[at]
    base, rest = _deed(clause, words)
    if not rest:
        return ""
    whole = _spoken(quote, rest)
    if "omissions" in clause.roles:
        return sentence(f"{base} {whole}") if base else ""
    other = _other(said, at)
    if other:
        return _swapped(quote, base, rest, other, words)
    template = words.templates.get("forbid", "")
    return template.format(rest=f"{base} {whole}") if base and template else ""


def _deed(clause: Clause, words: Vocabulary) -> tuple[str, list[Piece]]:
    """Return the verb of a complaint as an order, and the pieces behind it, up to a contrast.

    The verb is empty where it is not in the word table.
    """
    found = list(clause.pieces)
    roles = {"complaints", "omissions", "addressees"}
    begin = next(i for i, piece in enumerate(found) if piece.roles & roles)
    rest: list[Piece] = []
    for piece in found[begin + 1 :]:
        if piece.roles & {"contrasts", "reasons"}:
            break
        rest.append(piece)
    while rest and rest[0].silent and not rest[0].roles & _INFLECTED:
        rest.pop(0)
    marked = found[begin].form.split()[-1]
    if not rest or not rest[0].roles & _INFLECTED:
        base = words.bases.get(marked) or words.bases.get(words.stem(marked), "")
        if base or not rest or not rest[0].roles & _VERBS:
            return base, [p for p in found[begin + 1 :] if not rest or p.start < rest[-1].end]
    verb = rest.pop(0)
    base = words.bases.get(verb.form) or words.bases.get(words.stem(verb.form), "")
    told = base == verb.form and "happened" in verb.roles  # "usou": what was done is no order
    return "" if told else base, rest


def _other(said: tuple[Clause, ...], at: int) -> list[Piece]:
    """Return what stands behind the contrast of a complaint."""
    for clause in said[at : at + 2]:
        for i, piece in enumerate(clause.pieces):
            if "contrasts" in piece.roles or ("negators" in piece.roles and clause.fragment):
                return list(clause.pieces[i + 1 :])
    return []


def _swapped(
    quote: str, base: str, rest: list[Piece], other: list[Piece], words: Vocabulary
) -> str:
    """Write "<verb> <object> <place> <wanted>, not <place> <unwanted>."."""
    head = len(rest)
    while head and rest[head - 1].silent:
        head -= 1
    last = head
    while head and not rest[head - 1].silent:
        head -= 1
    while head and "articles" in rest[head - 1].roles:
        head -= 1
    place = rest[head - 1] if head and "places" in rest[head - 1].roles else None
    unwanted = _spoken(quote, rest[head:last])
    wanted = _spoken(quote, other)
    if not unwanted or not wanted:
        return ""
    before = _spoken(quote, rest[: head - 1] if place else rest[:head])
    where = f"{place.form} " if place else ""
    if not base:
        return words.templates.get("use", "").format(wanted=wanted, unwanted=where + unwanted)
    own_place = "places" in other[0].roles
    thing = f"{before} {'' if own_place else where}{wanted}".strip()
    swap = words.templates.get("swap", "")
    return sentence(swap.format(verb=base, wanted=thing, unwanted=where + unwanted))


def _spoken(quote: str, found: list[Piece]) -> str:
    return quote[found[0].start : found[-1].end].strip() if found else ""


def positive(said: tuple[Clause, ...], quote: str, words: Vocabulary) -> str:
    """Return a wording of a prohibition that says what to do, or an empty string.

    Rules worded as prohibitions are broken most: what shall be done instead is easier to follow.
    """
    if not said or any(clause.complains for clause in said):
        return ""
    forbids = [clause for clause in said if clause.roles & {"orders", "prohibitions", "nominal"}]
    if not forbids:
        return ""
    for clause in said:
        if clause not in forbids and clause.content and not clause.roles & {"reasons", "pronouns"}:
            return sentence(_spoken(quote, list(clause.pieces)))
    return _turned(forbids[0], quote, words)


def _turned(clause: Clause, quote: str, words: Vocabulary) -> str:
    found = [piece for piece in clause.pieces if not piece.roles & _EDGES]
    while found and (found[0].silent and not found[0].roles & {"articles", "kinds"}):
        omits = "omitted" in found[0].roles or "light" in found[0].roles
        found = found[1:]
        if omits:
            break
    else:
        omits = "nominal" in clause.roles
    if found and found[0].roles & {"kept", "omitted"}:
        omits, kept = "omitted" in found[0].roles, "kept" in found[0].roles
        found = found[1:]
    else:
        kept = False
    if not found:
        return ""
    for piece in found:
        if piece.form in words.turned and words.templates.get("turned"):
            object_ = _spoken(quote, [p for p in found if p is not piece])
            return words.templates["turned"].format(object=object_, turned=words.turned[piece.form])
    name = "leave_alone" if kept else "leave_out" if omits else ""
    template = words.templates.get(name, "") if name else ""
    return template.format(object=_spoken(quote, found)) if template else ""
