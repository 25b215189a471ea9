"""The examples in docstrings are true."""

import doctest
import importlib

import pytest
from tests.architecture.source import modules

WITH_EXAMPLES = [module.name for module in modules() if ">>> " in module.text]


@pytest.mark.parametrize("name", [*WITH_EXAMPLES, "tests.docs.examples"])
def test_the_examples_of_a_module_hold(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0
