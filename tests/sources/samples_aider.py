"""Small histories of Aider, written by hand in its own format."""

from tests.sources.samples import DAY, REPLIES, TURNS

ALL_SAID = "> Tokens: 1.2k sent, 80 received. Cost: $0.01 message, $0.01 session.  \n"


def header(minute: int = 0) -> str:
    """Return how Aider begins a session."""
    return f"\n# aider chat started at {DAY} 10:{minute:02}:00\n\n"


def program(arguments: str = "") -> str:
    """Return what Aider says of itself when it starts."""
    return tool(
        f"/usr/bin/aider {arguments}".strip(), "Aider v0.86.1", "Git repo: .git with 3 files"
    )


def tool(*lines: str) -> str:
    """Return what Aider says."""
    return "".join(f"> {line}".rstrip() + "  \n" for line in lines)


def entered(text: str) -> str:
    """Return an input as Aider logs it: every line is marked, and ends with two spaces."""
    return "\n" + "  \n".join(f"#### {line}" for line in text.split("\n")).rstrip() + "  \n"


def replied(text: str) -> str:
    """Return a reply of the model."""
    return f"\n{text}\n\n{ALL_SAID}"


def history(*parts: str, minute: int = 0, arguments: str = "") -> bytes:
    """Return one session."""
    return (header(minute) + program(arguments) + "".join(parts)).encode()


AIDER = history(
    entered(TURNS[0]),
    replied(REPLIES[0]),
    entered(TURNS[1]),
    replied(REPLIES[1]),
    entered(TURNS[2]),
    tool("Repo-map: using 1024 tokens"),
)
