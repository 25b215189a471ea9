"""What is heard in a text and why, as JSON values and as text."""

from collections.abc import Mapping
from typing import Any

from twice.core.ideas import Explanation, Fingerprint, Scope, Signal
from twice.faces.columns import shortened, wrapped

_LASTS = {Scope.DURABLE: "lasting", Scope.ONE_OFF: "only this time"}


def explanation(found: Explanation, reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return an explanation as JSON values, the strongest signal first."""
    return {
        "language": found.language,
        "understood": found.understood,
        "signals": [_signal(signal, reasons) for signal in _strongest_first(found.signals)],
        "doubts": [_signal(signal, reasons) for signal in _strongest_first(found.doubts)],
        "set_aside": [[start, end] for start, end in found.set_aside],
    }


def _strongest_first(signals: tuple[Signal, ...]) -> list[Signal]:
    return sorted(signals, key=lambda signal: -signal.confidence)


def _signal(signal: Signal, reasons: Mapping[str, str]) -> dict[str, Any]:
    meaning = signal.fingerprint
    return {
        "kind": str(signal.kind),
        "scope": str(signal.scope),
        "span": signal.sentence,
        "confidence": signal.confidence,
        "start": signal.start,
        "end": signal.end,
        "reasons": {name: reasons[name] for name in signal.reasons},
        "wanted": sorted(meaning.wanted),
        "unwanted": sorted(meaning.unwanted),
        "topic": sorted(meaning.topic),
        "matter": str(meaning.place) if meaning.place else None,
    }


def explained(text: str, found: Explanation, reasons: Mapping[str, str]) -> str:
    """Write what is heard, what it means and why; then what was too weak, and what is not own."""
    if not found.understood:
        return f"There is no table of words for this language ({found.language}): nothing is heard."
    blocks = [_block(signal, reasons) for signal in _strongest_first(found.signals)]
    if not blocks:
        blocks.append([f"Nothing is heard (language {found.language})."])
    for signal in _strongest_first(found.doubts):
        named = "; ".join(reasons[name] for name in signal.reasons)
        words = f"Too weak ({signal.confidence:.2f}): {shortened(signal.sentence, 200)} - {named}"
        blocks.append(wrapped(words, "", "  "))
    for start, end in found.set_aside:
        words = f"Set aside, not the person's own words: {shortened(text[start:end], 200)}"
        blocks.append(wrapped(words, "", "  "))
    return "\n".join(line for block in blocks for line in block)


def _block(signal: Signal, reasons: Mapping[str, str]) -> list[str]:
    lasts = _LASTS[signal.scope]
    head = f"{str(signal.kind).capitalize()}, {lasts}, {signal.confidence:.2f} ({signal.language})"
    lines = [head, *wrapped(shortened(signal.sentence, 300), "  > ", "    ")]
    lines += [part for text in _meant(signal.fingerprint) for part in wrapped(text, "  ", "    ")]
    for name in signal.reasons:
        lines += wrapped(f"{name}: {reasons[name]}", "  - ", "    ")
    return lines


def _meant(meaning: Fingerprint) -> list[str]:
    sides = (
        ("wanted", meaning.wanted),
        ("unwanted", meaning.unwanted),
        ("topic", meaning.topic),
    )
    lines = [f"{name}: {', '.join(sorted(stems))}" for name, stems in sides if stems]
    return [*lines, f"matter: {meaning.place}"] if meaning.place else lines
