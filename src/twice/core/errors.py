"""The one tree of faults: everything that a face catches by name, each with a way to mend it."""


class Fault(Exception):
    """Say what happened, and what the person can do about it.

    ``hint`` is one plain sentence or a command to run; it may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UnknownFormat(Fault):
    """A file was given that no source can read."""


class Unreadable(Fault):
    """A file or folder that a person named cannot be opened."""


class Conflict(Fault):
    """Somebody else appended to the ledger first: read again, decide again."""


class Busy(Fault):
    """The store stayed locked by another process for longer than the limit."""


class Broken(Fault):
    """The store or a file of ours is damaged and needs a person."""


class BadInput(Fault):
    """A file or value handed in does not have the documented shape."""
