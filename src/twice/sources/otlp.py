"""The shape of what OpenTelemetry exports: spans and log records in JSON, in two spellings.

OTLP lists what was exported at once, by resource and scope, with typed attributes. The kits of
some languages, and of agents that write a file by themselves, write each span or record as an
object of its own, with plain attributes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from twice.core.native import LATEST
from twice.sources.times import microseconds

_NOTHING = msgspec.Raw(b"")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened within a span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A span, or a log record with the span that it was written in.

    ``name`` is that of the event where it is a record. ``attributes`` are plain values, those of
    the resource among them; ``at`` is when it began, in microseconds of UTC.
    """

    is_span: bool
    name: str
    attributes: Mapping[str, Any]
    body: Any = None
    scope: str = ""
    at: int | None = None
    trace: str = ""
    span: str = ""
    parent: str = ""
    events: tuple[Event, ...] = ()

    def text(self, *names: str) -> str:
        """Return the first attribute of these that is a text, or nothing."""
        return next((v for n in names if isinstance(v := self.attributes.get(n), str) and v), "")


class _Value(msgspec.Struct, rename="camel"):
    """A typed value: exactly one of these is there."""

    string_value: str | None = None
    int_value: str | int | None = None
    double_value: str | float | None = None
    bool_value: bool | None = None
    array_value: "_Values | None" = None
    kvlist_value: "_Pairs | None" = None

    def plain(self) -> Any:
        """Return the value itself."""
        if self.array_value is not None:
            return [value.plain() for value in self.array_value.values or ()]
        if self.kvlist_value is not None:
            return _plain(self.kvlist_value.values)
        ones = (self.string_value, self.int_value, self.double_value, self.bool_value)
        return next((one for one in ones if one is not None), None)


class _Values(msgspec.Struct):
    values: list[_Value] | None = None


class _Pair(msgspec.Struct):
    key: str = ""
    value: _Value | None = None


class _Pairs(msgspec.Struct):
    values: list[_Pair] | None = None


class _Named(msgspec.Struct):
    """A resource, or a scope."""

    name: str | None = None
    attributes: list[_Pair] | None = None


class _SpanEvent(msgspec.Struct):
    name: str | None = None
    attributes: list[_Pair] | None = None


class _Span(msgspec.Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    start_time_unix_nano: str | int | None = None
    attributes: list[_Pair] | None = None
    events: list[_SpanEvent] | None = None


class _Log(msgspec.Struct, rename="camel"):
    time_unix_nano: str | int | None = None
    observed_time_unix_nano: str | int | None = None
    event_name: str | None = None
    body: _Value | None = None
    attributes: list[_Pair] | None = None
    trace_id: str | None = None
    span_id: str | None = None


class _Scope(msgspec.Struct, rename="camel"):
    scope: _Named | None = None
    spans: list[msgspec.Raw] | None = None
    log_records: list[msgspec.Raw] | None = None


class _Resource(msgspec.Struct, rename="camel"):
    resource: _Named | None = None
    scope_spans: list[_Scope] | None = None
    scope_logs: list[_Scope] | None = None


class _Ids(msgspec.Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    other_trace_id: str | None = msgspec.field(default=None, name="trace_id")
    other_span_id: str | None = msgspec.field(default=None, name="span_id")


class _PlainEvent(msgspec.Struct):
    name: str | None = None
    attributes: dict[str, Any] | None = None


class _PlainNamed(msgspec.Struct):
    name: str | None = None
    attributes: dict[str, Any] | None = None


class Export(msgspec.Struct, rename="camel"):
    """One object of a file: what was exported at once, or a span or record of its own."""

    resource_spans: list[_Resource] | None = None
    resource_logs: list[_Resource] | None = None
    resource_metrics: msgspec.Raw = _NOTHING

    name: str | None = None
    event_name: str | None = None
    attributes: dict[str, Any] | None = None
    resource: _PlainNamed | None = None
    instrumentation_scope: _PlainNamed | None = None
    body: Any = None
    other_body: Any = msgspec.field(default=None, name="_body")
    events: list[_PlainEvent] | None = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    parent_id: str | None = msgspec.field(default=None, name="parent_id")
    context: _Ids | None = None
    span_context: _Ids | None = None
    other_context: _Ids | None = msgspec.field(default=None, name="_spanContext")
    start_time: Any = None
    other_start: Any = msgspec.field(default=None, name="start_time")
    hr_time: Any = None


EXPORT = msgspec.json.Decoder(Export)
_SPAN = msgspec.json.Decoder(_Span)
_LOG = msgspec.json.Decoder(_Log)


def entries_in(export: Export) -> Iterator[Entry | None]:
    """Yield the spans and records of an object, and None for one of unknown shape."""
    if export.attributes is not None:
        yield _entry_of(export)
    for resource in (*(export.resource_spans or ()), *(export.resource_logs or ())):
        about = _plain(resource.resource.attributes if resource.resource else None)
        for scope in (*(resource.scope_spans or ()), *(resource.scope_logs or ())):
            name = (scope.scope.name if scope.scope else None) or ""
            for raw in scope.spans or ():
                yield _span(raw, about, name)
            for raw in scope.log_records or ():
                yield _log(raw, about, name)


def _span(raw: msgspec.Raw, about: Mapping[str, Any], scope: str) -> Entry | None:
    try:
        span = _SPAN.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return Entry(
        is_span=True,
        name=span.name or "",
        attributes={**about, **_plain(span.attributes)},
        scope=scope,
        at=_time(span.start_time_unix_nano),
        trace=span.trace_id or "",
        span=span.span_id or "",
        parent=span.parent_span_id or "",
        events=tuple(Event(e.name or "", _plain(e.attributes)) for e in span.events or ()),
    )


def _log(raw: msgspec.Raw, about: Mapping[str, Any], scope: str) -> Entry | None:
    try:
        log = _LOG.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    attributes = {**about, **_plain(log.attributes)}
    at = _time(log.time_unix_nano) or _time(log.observed_time_unix_nano)
    return Entry(
        is_span=False,
        name=_name_of(log.event_name, attributes),
        attributes=attributes,
        body=log.body.plain() if log.body else None,
        scope=scope,
        at=at or microseconds(attributes.get("event.timestamp")),
        trace=log.trace_id or "",
        span=log.span_id or "",
    )


def _entry_of(plain: Export) -> Entry:
    """Return a span or record that is written as an object of its own."""
    about = (plain.resource.attributes if plain.resource else None) or {}
    attributes = {**about, **(plain.attributes or {})}
    ids = plain.context or plain.span_context or plain.other_context or _Ids()
    is_span = plain.name is not None
    body = plain.body if plain.body is not None else plain.other_body
    scope = (plain.instrumentation_scope.name if plain.instrumentation_scope else None) or ""
    starts = (plain.start_time, plain.other_start, plain.hr_time)
    times = (_time(start) for start in starts if start is not None)
    return Entry(
        is_span=is_span,
        name=plain.name or _name_of(plain.event_name, attributes),
        attributes=attributes,
        body=body,
        scope=scope,
        at=next(times, None) or microseconds(attributes.get("event.timestamp")),
        trace=plain.trace_id or ids.trace_id or ids.other_trace_id or "",
        span=plain.span_id or ids.span_id or ids.other_span_id or "",
        parent=plain.parent_span_id or plain.parent_id or "",
        events=tuple(Event(e.name or "", e.attributes or {}) for e in plain.events or ()),
    )


def _name_of(name: str | None, attributes: Mapping[str, Any]) -> str:
    """Return the name of an event, in a field of its own or, of old, among the attributes."""
    found = name or attributes.get("event.name")
    return found if isinstance(found, str) else ""


def _plain(pairs: list[_Pair] | None) -> dict[str, Any]:
    return {pair.key: pair.value.plain() for pair in pairs or () if pair.value is not None}


def _time(stamp: Any) -> int | None:
    """Return microseconds of UTC: from nanoseconds, from seconds and nanoseconds, or ISO."""
    match stamp:
        case [int() as seconds, int() as rest]:
            at = seconds * 1_000_000 + rest // 1_000
        case int():
            at = stamp // 1_000
        case str() if stamp.isascii() and stamp.isdigit() and len(stamp) < 40:
            at = int(stamp) // 1_000
        case _:
            return microseconds(stamp)
    return at if 0 < at < LATEST else None
