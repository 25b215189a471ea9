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
    from collections.abc import Iterator

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
SAME_HOST = {
    "ssh.github.com": "github.com", "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}  # fmt: skip
ANY_CASE = ("github.com", "gitlab.com", "bitbucket.org", "dev.azure.com")
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


def _keys(store: "sqlite3.Connection", folder: str) -> "Iterator[str]":
    """Yield the keys that the project of a folder may be known by, strongest first."""
    if not os.path.isabs(folder):
        return
    home = os.path.expanduser("~").rstrip("/") or "/"
    nobodys: tuple[str, ...] = (home, os.path.realpath(home))
    places = [os.path.realpath(_spelt(folder))]
    while (up := os.path.dirname(places[-1])) != places[-1] and len(places) < FOLDERS:
        places.append(up)
    for place in places:
        common, root = _repository(place) if place not in nobodys else ("", home)
        if root in nobodys:
            break
        if common:
            yield f"git:{_named(common, home)}"
            yield f"remote:{_named(_remote(_origin(common)), home)}"
            yield f"path:{_named(root, home)}"
            return
    nobodys = (*nobodys, places[-1], "/root", "/home", "/Users")
    if places[0] not in nobodys:
        yield f"path:{_named(_project_above(store, places, home, nobodys), home)}"


def _spelt(folder: str) -> str:
    """Return the spelling of a folder that is there."""
    if folder.isascii() or os.path.isdir(folder):
        return folder
    import unicodedata

    composed, decomposed = (unicodedata.normalize(form, folder) for form in ("NFC", "NFD"))
    return decomposed if os.path.isdir(decomposed) else composed


def _shortened(path: str, home: str) -> str:
    is_inside = path == home or path.startswith(home + os.sep)
    return "~" + path[len(home) :] if is_inside else path


def _named(path: str, home: str) -> str:
    """Write a path as it stands in a key: with ``~`` for home, in one spelling."""
    if path.isascii():
        return _shortened(path, home)
    import unicodedata

    return _shortened(unicodedata.normalize("NFC", path), home)


def _repository(folder: str) -> tuple[str, str]:
    """Return the git folder that all worktrees of a repository share, and where people work."""
    marker = os.path.join(folder, ".git")
    if os.path.isdir(marker):
        common = os.path.realpath(marker)
        return common, os.path.dirname(common) if os.path.basename(common) == ".git" else folder
    if not os.path.isfile(marker):
        inside = [os.path.join(folder, name) for name in ("HEAD", "objects", "refs")]
        is_bare = os.path.isfile(inside[0]) and all(map(os.path.isdir, inside[1:]))
        return (folder, _root(folder)) if is_bare else ("", "")
    target = _start(marker).partition("\n")[0].partition("gitdir:")[2].strip()
    if not target:
        return "", ""
    own = os.path.realpath(os.path.join(folder, target))
    shared = _start(os.path.join(own, "commondir")).partition("\n")[0].strip()
    if os.path.isdir(common := os.path.realpath(os.path.join(own, shared))):
        return common, folder if common == own else _root(common)
    kind, main = os.path.dirname(own), os.path.dirname(os.path.dirname(own))
    is_there = os.path.basename(kind) == "worktrees" and os.path.isdir(main)
    return (main, _root(main)) if is_there else ("", "")


def _root(common: str) -> str:
    """Return where people work in a bare repository: inside it, or beside one that is hidden."""
    return os.path.dirname(common) if os.path.basename(common).startswith(".") else common


def _start(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return file.read(GIT_FILE_BYTES).decode("utf-8", "replace")


def _origin(common: str) -> str:
    """Return the URL of the remote ``origin`` of a repository, or of its only remote."""
    section, urls = "", {}
    for line in map(str.strip, _start(os.path.join(common, "config")).splitlines()):
        name, _, value = line.partition("=")
        if line.startswith("["):
            section = line.strip("[]")
        elif section.startswith('remote "') and name.strip().lower() == "url":
            urls[section] = value.strip().strip('"')
    only = next(iter(urls.values())) if len(urls) == 1 else ""
    return urls.get('remote "origin"', only)


def _remote(url: str) -> str:
    """Write a remote the same however it is reached: host and path, without who asks."""
    host, path = _reached(url.strip())
    path = "/".join(part for part in path.split("/") if part)
    path = path.removesuffix(".git").rstrip("/")
    if not path or not host:
        return f"/{path}" if path and host is not None else ""
    host = host.lower().rstrip(".")
    host = SAME_HOST.get(host, host)
    if host == "dev.azure.com" or host.endswith(".visualstudio.com"):
        host, path = "dev.azure.com", _azure(host, path)
    return f"{host}/{path.lower() if host in ANY_CASE else path}"


def _reached(url: str) -> tuple[str | None, str]:
    """Split ``scheme://who@host:port/path`` and ``who@host:path``; a path here has no host."""
    scheme, is_url, rest = url.partition("://")
    if is_url and scheme[0:1].isalpha() and not scheme.strip(_SCHEME):
        authority, _, path = rest.partition("/")
        if scheme.lower() == "file" and authority.lower() in ("", "localhost"):
            return "", path
        host, has_port, port = authority.rpartition("@")[2].partition(":")
        return (host, path) if host and (not has_port or port.isdigit()) else (None, "")
    if url.startswith("/"):
        return "", url
    who, is_address, path = url.partition(":")
    host = who.rpartition("@")[2]
    if not is_address or not host or "/" in who or "[" in who or path.startswith("//"):
        return None, ""
    return host, path


def _azure(host: str, path: str) -> str:
    """Write the path of an Azure DevOps repository as organisation, project and repository."""
    parts = path.split("/")
    if parts[0].lower() == "v3":
        return "/".join(parts[1:])
    organisation = [] if host == "dev.azure.com" else [host.partition(".")[0]]
    parts = organisation + [part for part in parts if part.lower() != "defaultcollection"]
    if len(parts) == 3 and parts[1] == "_git":
        parts[1] = parts[2]  # the project is named as its repository
    return "/".join(part for part in parts if part != "_git")


def _project_above(
    store: "sqlite3.Connection", places: list[str], home: str, nobodys: tuple[str, ...]
) -> str:
    """Return the outermost known folder that a folder without a repository belongs to."""
    for place in places[:0:-1]:
        known = store.execute(_ROOT, (_shortened(place, home),)).fetchone()
        holds_others = os.path.isdir(place) and not _is_marked(place) and _is_marked(places[0])
        if known and place not in nobodys and not holds_others:
            return place
    return places[0]


def _is_marked(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in MARKERS)


def _write(answer: bytes) -> None:
    while answer:
        answer = answer[os.write(1, answer) :]


if __name__ == "__main__":
    _thread.start_new_thread(_end_in_time, ())
    run(sys.argv[1:])
    os._exit(0)  # nothing is left to tidy, and tidying takes a fifth of the time
