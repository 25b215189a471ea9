"""The program behind an agent's hooks: reads one precomputed row, and never gets in the way.

It runs by its path, without ``site``, so it may import nothing of ours and little else: even
``json`` and ``re`` would take longer than its whole work. Whatever is wrong (no store, a locked or
damaged one, input that is none), it prints nothing and exits 0. It never writes a file.
"""

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

SCHEMAS = ("0001",)  # versions of the store in which the tables read here are the same
CONTEXT_CHARS = 9_000  # a longer text is damage: it was chosen to fit
INPUT_BYTES = 4 * 1024 * 1024
INPUT_SECONDS = 0.4  # the agent writes at once; some never close the pipe
BUSY_SECONDS = 0.2
WRITE_LOCK_BYTE = 120
END_SECONDS = 0.8  # whatever hangs then, be it a file system, is left hanging
GIT_FILE_BYTES = 256 * 1024
FOLDERS = 1_000  # walked upwards at most
# What stands in a folder that people would call the project, and not in one that holds projects.
MARKERS = (
    ".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "Gemfile", "composer.json", "mix.exs", "CMakeLists.txt", "Makefile", "AGENTS.md", "CLAUDE.md",
    ".claude", ".agents", ".codex", ".cursor", ".specstory", ".twice",
)  # fmt: skip
_SCHEME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-"

_VERSION = "SELECT version_num FROM alembic_version"
_ROW = """SELECT contexts.text, contexts."check" FROM project_keys
LEFT JOIN contexts ON contexts.project = project_keys.project WHERE project_keys.key = ?"""
_ROOT = "SELECT 1 FROM projects WHERE root = ?"
_INPUT = "SELECT json_type(?1), json_extract(?1, '$.cwd')"
_ANSWER = """SELECT json_object('hookSpecificOutput',
json_object('hookEventName', 'SessionStart', 'additionalContext', ?))"""


def run(arguments: list[str], *, data: str = "") -> None:
    """Answer one hook on stdin and stdout; ``data`` is the folder of our files, if known."""
    try:
        event, client, chosen = _request(arguments)
        given = _read_input()
        if event == "session-start" and client == "claude-code":
            _write(_session_start(given, _data_folder(chosen or data)))
    except BaseException:  # noqa: BLE001 - a hook never breaks the agent that called it
        return


def _end_in_time() -> None:
    time.sleep(END_SECONDS)
    os._exit(0)


def _request(arguments: list[str]) -> tuple[str, str, str]:
    """Return the event, the client and the data folder that the command line names."""
    named = {"--client": "", "--data": ""}
    event, expects = "", ""
    for argument in arguments:
        name, is_joined, value = argument.partition("=")
        if expects:
            named[expects], expects = argument, ""
        elif name in named and is_joined:
            named[name] = value
        elif name in named:
            expects = name
        else:
            event = event or argument
    return event, named["--client"], named["--data"]


def _read_input() -> bytes:
    """Read stdin to its end, or as far as it comes in time."""
    end = time.monotonic() + INPUT_SECONDS
    data = b""
    while len(data) <= INPUT_BYTES and _is_readable(end - time.monotonic()):
        piece = os.read(0, 65_536)
        if not piece:
            break
        data += piece
    return data


def _is_readable(seconds: float) -> bool:
    import select

    try:
        return bool(select.select([0], [], [], max(0.0, seconds))[0])
    except OSError:
        return os.name == "nt"  # select knows only sockets there


def _data_folder(chosen: str) -> str:
    """Return the folder of our files by the rules of the settings; ``chosen`` at installation."""
    if named := os.environ.get("TWICE_HOME"):
        return os.path.abspath(os.path.expanduser(named))
    if chosen:
        return chosen
    if base := os.environ.get("XDG_DATA_HOME"):
        return os.path.join(os.path.abspath(os.path.expanduser(base)), "twice")
    own = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return os.path.join(os.path.expanduser("~"), own, "twice")


def _session_start(given: bytes, folder: str) -> bytes:
    """Return what the agent is told at the start of a session, or nothing."""
    path = os.path.join(folder, "twice.db")
    end = time.monotonic() + BUSY_SECONDS
    while _is_written(path):
        if time.monotonic() > end:
            return b""
        time.sleep(0.005)
    for _ in range(2):
        before = _stamp(path)
        store = _open(path)
        try:
            if store.execute(_VERSION).fetchall() not in [[(name,)] for name in SCHEMAS]:
                return b""
            text = _text(store, _folder_of(store, given))
            answer = _answer(store, text) if text else b""
        finally:
            store.close()
        if _stamp(path) == before:
            return answer
    return b""


def _is_written(path: str) -> bool:
    """Tell whether a process holds the write lock of a store, asking without taking any lock.

    Our own writes are over in milliseconds; a store that stays locked is not to be relied on. The
    lock is byte 120 of the shared memory file (sqlite.org/walformat.html, "WAL Locks").
    """
    if not sys.platform.startswith("linux") or not os.path.exists(path + "-shm"):
        return False
    import fcntl
    import struct

    shape = "hhqqi"  # struct flock: type, whence, start, length, process
    with open(path + "-shm", "rb") as shared:
        asked = struct.pack(shape, fcntl.F_WRLCK, os.SEEK_SET, WRITE_LOCK_BYTE, 1, 0)
        told = fcntl.fcntl(shared, fcntl.F_GETLK, asked)
    return bool(struct.unpack(shape, told)[0] != fcntl.F_UNLCK)


def _stamp(path: str) -> tuple[int, int]:
    about = os.stat(path)
    return about.st_mtime_ns, about.st_size


def _open(path: str) -> "sqlite3.Connection":
    """Open the store for reading, such that not even SQLite writes a file of its own.

    A file in WAL mode without a WAL has no reader and no writer: only then no lock is needed,
    and the caller compares the file's stamp before and after.
    """
    import _sqlite3

    with open(path, "rb") as file:
        head = file.read(20)
    if os.path.exists(path + "-wal"):
        how = "mode=ro&readonly_shm=1"
    else:
        how = "immutable=1" if head[18:20] == b"\2\2" else "mode=ro"
    for character in "%?#":
        path = path.replace(character, f"%{ord(character):02x}")
    store: sqlite3.Connection = _sqlite3.connect(
        f"file:{path}?{how}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )
    return store


def _folder_of(store: "sqlite3.Connection", given: bytes) -> str:
    """Return the folder of the session; without any input that of this process."""
    if not given.strip():
        return os.getcwd()
    text = given.decode("utf-8-sig")
    try:
        kind, folder = store.execute(_INPUT, (text,)).fetchone()
    except store.OperationalError:  # malformed, or a SQLite that was built without JSON
        import json

        value = json.loads(text)
        kind, folder = ("object", value.get("cwd")) if isinstance(value, dict) else ("", "")
    if kind != "object":
        raise ValueError("the input is no object")
    return str(folder or os.getcwd())


def _text(store: "sqlite3.Connection", folder: str) -> str:
    """Return what sessions in a folder are told."""
    for key in _keys(store, folder):
        if row := store.execute(_ROW, (key,)).fetchone():
            text = row[0] or ""
            return text if len(text) <= CONTEXT_CHARS and _is_whole(text, row[1]) else ""
    return ""


def _is_whole(text: str, check: int) -> bool:
    """Compare a text with its checksum: not one flipped bit is told to an agent."""
    import zlib

    return zlib.crc32(text.encode()) == check


def _answer(store: "sqlite3.Connection", text: str) -> bytes:
    try:
        answer: str = store.execute(_ANSWER, (text,)).fetchone()[0]
    except store.OperationalError:
        import json

        answer = json.dumps(
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
        )
    return answer.encode() + b"\n"


# Which project a folder belongs to: the rules of the sources, written once more because those
# take long to import. Tests compare the two.


def _keys(store: "sqlite3.Connection", folder: str) -> list[str]:
    """Return the keys that the project of a folder may be known by, strongest first."""
    if not folder.isascii():
        import unicodedata

        folder = unicodedata.normalize("NFC", folder)
    home = os.path.expanduser("~").rstrip("/") or "/"
    here = os.path.realpath(folder)
    above = _above(here)
    for place in (here, *above):
        if place in (home, os.path.realpath(home)):
            break
        if common := _repository(os.path.join(place, ".git")):
            return [f"git:{_shortened(common, home)}", f"remote:{_remote(_origin(common))}"]
    if here in (home, os.path.realpath(home)) or not above:
        return []
    return [f"path:{_shortened(_project_above(store, here, above, home), home)}"]


def _above(folder: str) -> list[str]:
    """Return the folders above one, nearest first."""
    above: list[str] = []
    while (parent := os.path.dirname(folder)) != folder and len(above) < FOLDERS:
        above.append(parent)
        folder = parent
    return above


def _shortened(path: str, home: str) -> str:
    if path == home or path.startswith(home + os.sep):
        return "~" + path[len(home) :]
    return path


def _repository(marker: str) -> str:
    """Return the git folder that all worktrees of a repository share; none outside of one."""
    if os.path.isdir(marker):
        return _common(marker)
    target = _start(marker).partition("\n")[0].partition("gitdir:")[2].strip()
    if not target:
        return ""
    own = os.path.realpath(os.path.join(os.path.dirname(marker), target))
    if os.path.isdir(common := _common(own)):
        return common
    kind, main = os.path.dirname(own), os.path.dirname(os.path.dirname(own))
    return main if os.path.basename(kind) == "worktrees" and os.path.isdir(main) else ""


def _common(folder: str) -> str:
    shared = _start(os.path.join(folder, "commondir")).partition("\n")[0].strip()
    return os.path.realpath(os.path.join(folder, shared))


def _start(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return file.read(GIT_FILE_BYTES).decode("utf-8", "replace")


def _origin(common: str) -> str:
    """Return the URL of the remote ``origin`` of a repository."""
    section = url = ""
    for line in _start(os.path.join(common, "config")).splitlines():
        name, _, value = line.partition("=")
        if line.lstrip().startswith("["):
            section = line.strip()
        elif section == '[remote "origin"]' and name.strip().lower() == "url":
            url = value
    return url


def _remote(url: str) -> str:
    """Write a remote the same however it is reached: host and path, without who asks."""
    host, path = _reached(url.strip())
    path = path.strip("/").removesuffix(".git").strip("/")
    return f"{host.lower()}/{path}" if host and path else ""


def _reached(url: str) -> tuple[str, str]:
    """Split ``scheme://who@host:port/path`` or ``who@host:path``."""
    scheme, is_url, rest = url.partition("://")
    if is_url and scheme[0:1].isalpha() and not scheme.strip(_SCHEME):
        authority, _, path = rest.partition("/")
        for text in (authority.partition("@")[2], authority):
            host, has_port, port = text.partition(":")
            if host and (port.isdigit() if has_port else True):
                return host, path
        return "", ""
    who, _, after = url.partition("@")
    for text in (after if who and "/" not in who else "", url):
        host, _, path = text.partition(":")
        if host and path and "/" not in host and not path.startswith("//"):
            return host, path
    return "", ""


def _project_above(store: "sqlite3.Connection", here: str, above: list[str], home: str) -> str:
    """Return the outermost known folder that a folder without a repository belongs to."""
    for place in reversed(above[:-1]):
        known = store.execute(_ROOT, (_shortened(place, home),)).fetchone()
        holds_others = os.path.isdir(place) and not _is_marked(place) and _is_marked(here)
        if known and place != home and not holds_others:
            return place
    return here


def _is_marked(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in MARKERS)


def _write(answer: bytes) -> None:
    while answer:
        answer = answer[os.write(1, answer) :]


if __name__ == "__main__":
    _thread.start_new_thread(_end_in_time, ())
    run(sys.argv[1:])
    os._exit(0)  # nothing is left to tidy, and tidying takes a fifth of the time
