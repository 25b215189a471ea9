"""Each promise names tests that are there."""

import re

import pytest
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def named() -> list[tuple[str, str]]:
    """Return (file, test) for each test that the page names."""
    found: list[tuple[str, str]] = []
    section = ""
    for line in PAGE.splitlines():
        if heading := re.match(r"## .*`(.+)`", line):
            section = heading[1]
        for name in re.findall(r"`([^`]+)`", line.rpartition(" | ")[2]) if line[:1] == "|" else ():
            file, _, test = name.rpartition("::") if "::" in name else (section, "", name)
            found.append((name, "") if name.endswith(".py") else (file, test))
    return found


@pytest.mark.parametrize(("file", "test"), named())
def test_a_test_that_is_named_is_there(file: str, test: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not test or f"def {test}(" in text or f"{test} = " in text


def test_every_sentence_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "| test |" not in line]
    assert rows
    assert [row for row in rows if row.count("`") < 2] == []
