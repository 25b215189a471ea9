"""Turn the time stamps that agents write into microseconds of UTC."""

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_MILLISECONDS = 253_402_300_800_000  # the year 10000


def microseconds(stamp: object) -> int | None:
    """Return an ISO time in microseconds of UTC, or None; a time without a zone is UTC.

    >>> microseconds("1970-01-01T00:00:01.5Z")
    1500000
    >>> microseconds("yesterday") is None
    True
    """
    if not isinstance(stamp, str):
        return None
    try:
        time = datetime.fromisoformat(stamp.strip())
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        since = time - _EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    except (ValueError, OverflowError):
        return None


def from_milliseconds(stamp: object) -> int | None:
    """Return milliseconds since 1970 in microseconds of UTC, or None where they are no time.

    >>> from_milliseconds(1500)
    1500000
    >>> from_milliseconds("soon") is None
    True
    """
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return None
    return int(stamp * 1_000) if 0 < stamp < _LATEST_MILLISECONDS else None
