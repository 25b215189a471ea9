"""Small exports of OpenTelemetry, written by hand."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.sources.samples import REPLIES, SESSION, TURNS, lines

START = 1_772_618_400  # 2026-03-04T10:00:00Z
TRACE = "0af7651916cd43dd8448eb211c80319c"
FOLDER = {"process.working_directory": "/work/shop", "service.name": "shop-agent"}
CONVERSATION = {"gen_ai.conversation.id": SESSION}


def value(plain: Any) -> dict[str, Any]:
    """Return a value with its type."""
    match plain:
        case bool():
            return {"boolValue": plain}
        case int():
            return {"intValue": str(plain)}
        case list():
            return {"arrayValue": {"values": [value(each) for each in plain]}}
        case dict():
            return {"kvlistValue": {"values": pairs(plain)}}
    return {"stringValue": plain}


def pairs(plain: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return attributes with the types of their values."""
    return [{"key": key, "value": value(each)} for key, each in plain.items()]


def span(number: int, parent: int | None = None, /, **more: Any) -> dict[str, Any]:
    """Return a span; its attributes are plain, and its events pairs of a name and attributes."""
    attributes = {"gen_ai.operation.name": "chat"} | CONVERSATION | more.pop("attributes", {})
    events = [{"name": name, "attributes": pairs(a)} for name, a in more.pop("events", ())]
    above = {} if parent is None else {"parentSpanId": f"{parent:016x}"}
    return (
        above
        | {
            "traceId": TRACE,
            "spanId": f"{number:016x}",
            "name": "chat some-model",
            "startTimeUnixNano": f"{START + number}000000000",
            "attributes": pairs(attributes),
            "events": events,
        }
        | more
    )


def log(name: str, number: int = 0, /, **more: Any) -> dict[str, Any]:
    """Return a log record of an event; its attributes and its body are plain."""
    attributes = {"event.name": name} | more.pop("attributes", {})
    body = {"body": value(more.pop("body"))} if "body" in more else {}
    at = {"timeUnixNano": f"{START + number}000000000"}
    return at | {"attributes": pairs(attributes)} | body | more


def spans(*listed: dict[str, Any], about: Mapping[str, Any] = FOLDER) -> dict[str, Any]:
    """Return spans as they are exported at once."""
    scope = {"scope": {"name": "some.instrumentation"}, "spans": list(listed)}
    return {"resourceSpans": [{"resource": {"attributes": pairs(about)}, "scopeSpans": [scope]}]}


def logs(
    *listed: dict[str, Any], about: Mapping[str, Any] = FOLDER, scope: str = "some.scope"
) -> dict[str, Any]:
    """Return log records as they are exported at once."""
    scoped = {"scope": {"name": scope}, "logRecords": list(listed)}
    return {"resourceLogs": [{"resource": {"attributes": pairs(about)}, "scopeLogs": [scoped]}]}


def message(role: str, *texts: str) -> dict[str, Any]:
    """Return a message of a call."""
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


def call(asked: Sequence[Any], answered: Sequence[Any] = ()) -> dict[str, Any]:
    """Return the attributes of a call with messages, as JSON."""
    return {
        "gen_ai.input.messages": json.dumps(asked, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(answered, ensure_ascii=False),
    }


def history(turns: Sequence[str]) -> list[dict[str, Any]]:
    """Return all that was said until the last of some turns."""
    said = [message("system", "Always use yarn.")]
    for number, turn in enumerate(turns):
        said.append(message("user", turn))
        said += [message("assistant", reply) for reply in REPLIES[number : number + 1]]
    return said[: 2 * len(turns)]


def otel_having(turns: Sequence[str]) -> bytes:
    """Return the sample conversation with these turns: each call repeats what was before."""
    calls = []
    for number in range(len(turns)):
        answer = [message("assistant", reply) for reply in REPLIES[number : number + 1]]
        attributes = call(history(turns[: number + 1]), answer)
        calls.append(spans(span(number + 1, attributes=attributes)))
    return lines(*calls)


OTEL = otel_having(TURNS)
