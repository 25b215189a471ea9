"""What must start in a blink: light modules bring no heavy library along."""

import json
import subprocess
import sys

import pytest
from tests.architecture.source import modules

HEAVY = {"sqlalchemy", "alembic", "rich", "click", "ruamel", "asyncio"}
HOOK = "twice.faces.hook"
HEAVY_FOR_A_HOOK = HEAVY | {"importlib.metadata", "email", "http", "ssl", "logging", "inspect"}

LOADED = """
import json, sys
before = set(sys.modules)
import {module}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(module: str) -> set[str]:
    """Return the names of all modules that importing one brings into a fresh process."""
    code = LOADED.format(module=module)
    done = subprocess.run(
        [sys.executable, "-E", "-s", "-c", code], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def found_in(loaded: set[str], heavy: set[str]) -> list[str]:
    """Return which of some libraries, named by their top or a dotted module, were loaded."""
    return sorted(h for h in heavy if any(f"{name}.".startswith(f"{h}.") for name in loaded))


def foreign(loaded: set[str]) -> list[str]:
    """Return what is neither ours nor of the standard library."""
    known = sys.stdlib_module_names | {"twice"}
    return sorted({top for name in loaded if (top := name.partition(".")[0]) not in known})


CORE = [module.name for module in modules() if module.within("twice.core")]
PRESENT = {module.name for module in modules()}


@pytest.mark.parametrize("module", [*CORE, "twice.ports"])
def test_a_core_module_brings_no_heavy_library(module: str) -> None:
    assert found_in(loaded_by(module), HEAVY) == []


def test_the_package_itself_loads_nothing_but_the_standard_library() -> None:
    loaded = loaded_by("twice")
    assert foreign(loaded) == []
    assert found_in(loaded, HEAVY_FOR_A_HOOK) == []


@pytest.mark.skipif(HOOK not in PRESENT, reason="there is no hook yet")
def test_the_hook_loads_nothing_but_the_standard_library() -> None:
    loaded = loaded_by(HOOK)
    assert foreign(loaded) == []
    assert found_in(loaded, HEAVY_FOR_A_HOOK) == []


def test_a_heavy_library_would_be_noticed() -> None:
    assert found_in(loaded_by("rich.console"), HEAVY) == ["rich"]
    assert "rich" in foreign(loaded_by("rich.console"))
