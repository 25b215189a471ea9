"""The user's settings of Gemini CLI, as far as they say how long it keeps sessions."""

import math
import re
from pathlib import Path
from typing import Any

from twice.core.errors import BadInput
from twice.core.limits import CONFIG_BYTES
from twice.outlets import jsonc
from twice.outlets.jsonc import Scalar

RETENTION = "general.sessionRetention.maxAge"
DEFAULT_DAYS = 30

_AGE = re.compile(r"(\d{1,6})([hdwm])")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def kept_days(path: Path) -> int | None:
    """Return after how many days Gemini CLI deletes sessions, or None where it is told not to.

    Where these settings say nothing that it understands, it keeps to its default.
    """
    retention = _retention(path)
    if retention.get("enabled") == Scalar("false"):
        return None
    age = retention.get("maxAge")
    found = _AGE.fullmatch(age) if isinstance(age, str) else None
    days = math.ceil(int(found[1]) * _DAYS[found[2]]) if found else 0
    return days or DEFAULT_DAYS


def _retention(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(CONFIG_BYTES).decode("utf-8-sig", "replace")
        found = jsonc.scan(text).plain()
    except (OSError, BadInput):
        return {}
    for name in ("general", "sessionRetention"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
