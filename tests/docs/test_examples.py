"""What the documents show is what happens: every example in them is run."""

from pathlib import Path

import pytest
from tests.docs.examples import ROOT, blocks, check, scratch

NOT_RUN_AT_MOST = 3
"""Blocks that no test can run, over all documents: those that need a person at the keyboard."""

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def text_of(document: str) -> str:
    """Return what a document says."""
    return (ROOT / document).read_text(encoding="utf-8")


NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
WITH_EXAMPLES = [name for name in NAMES if any(block.runs for block in blocks(text_of(name)))]


@pytest.mark.parametrize("document", WITH_EXAMPLES)
def test_the_examples_of_a_document_run(document: str, tmp_path: Path) -> None:
    flaws = check(document, text_of(document), scratch(tmp_path / "scratch"))
    assert not flaws, "\n" + "\n".join(flaws)


def test_few_examples_are_not_run() -> None:
    skipped = [
        f"{name}:{block.line}"
        for name in NAMES
        for block in blocks(text_of(name))
        if not block.runs
    ]
    assert len(skipped) <= NOT_RUN_AT_MOST, "\n" + "\n".join(skipped)
