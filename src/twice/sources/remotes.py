"""Git remotes, written the same however they are spelt and reached; read from git's own file.

The session-start hook holds the same rules once more, because importing them takes too long there;
tests compare the two.
"""

from collections.abc import Iterator

_SCHEME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-"
_SAME_HOST = {
    "ssh.github.com": "github.com", "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}  # fmt: skip
_WORKTREE = ("core", "worktree")
_ANY_CASE = ("github.com", "gitlab.com", "bitbucket.org", "dev.azure.com")


def normalised_remote(url: str) -> str:
    """Write a remote the same however it is reached: host and path, without who asks.

    One on this machine is its path. What is relative to a folder that nobody knows is nothing.

    >>> normalised_remote("git@GitHub.com:ann/shop.git")
    'github.com/ann/shop'
    >>> normalised_remote("https://token@github.com/Ann/Shop/")
    'github.com/ann/shop'
    >>> normalised_remote("file:///srv/git/shop.git")
    '/srv/git/shop'
    """
    host, path = _reached(url.strip())
    path = "/".join(part for part in path.split("/") if part)
    path = path.removesuffix(".git").rstrip("/")
    if not path or host is None:
        return ""
    if not host:
        return f"/{path}"
    host = host.lower().rstrip(".")
    host = _SAME_HOST.get(host, host)
    if host == "dev.azure.com" or host.endswith(".visualstudio.com"):
        host, path = "dev.azure.com", _azure(host, path)
    return f"{host}/{path.lower() if host in _ANY_CASE else path}"


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


def remote_of(config: str) -> str:
    """Return the URL that a git configuration names for ``origin``, or for the only remote."""
    urls = {
        section: url
        for section, name, url in _settings(config)
        if name == "url" and section.startswith('remote "')
    }
    only = next(iter(urls.values())) if len(urls) == 1 else ""
    return urls.get('remote "origin"', only)


def worktree_of(config: str) -> str:
    """Return the working folder that a git configuration names, as a submodule's does."""
    found = (value for section, name, value in _settings(config) if (section, name) == _WORKTREE)
    return next(found, "")


def _settings(config: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, name and value of each line of a git configuration."""
    section = ""
    for line in map(str.strip, config.splitlines()):
        name, _, value = line.partition("=")
        if line.startswith("["):
            section = line.strip("[]")
        else:
            yield section, name.strip().lower(), value.strip().strip('"')
