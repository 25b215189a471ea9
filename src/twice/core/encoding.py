"""One way to write values as bytes, and to name bytes by their digest."""

import hashlib
import hmac
import json
from functools import lru_cache
from typing import Any


def canonical(value: Any) -> bytes:
    """Write a JSON value in its one canonical form: sorted keys, no spaces, UTF-8.

    >>> canonical({"b": 1, "a": "é"})
    b'{"a":"\\xc3\\xa9","b":1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def text_digest(text: str) -> str:
    """Return the digest of a text's UTF-8 bytes: its address as a blob."""
    return digest(encode(text))


def encode(text: str) -> bytes:
    """Return a text as UTF-8; a lone surrogate, which UTF-8 cannot hold, becomes ``?``."""
    return text.encode("utf-8", "replace")


def keyed(key: bytes, text: str) -> str:
    """Return a keyed hash (HMAC-SHA256) of a text: it tells equality and nothing else."""
    keyed = _keyed(key).copy()
    keyed.update(text.encode("utf-8", "surrogatepass"))
    return keyed.hexdigest()


@lru_cache(maxsize=4)
def _keyed(key: bytes) -> hmac.HMAC:
    return hmac.new(key, digestmod="sha256")
