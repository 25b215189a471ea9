"""What a document points to is there."""

import re
from pathlib import Path

import pytest
from tests.docs.examples import ROOT

LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").rglob("README.md"),
]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        path, _, anchor = link["target"].partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        known = target.exists() and (not anchor or anchor in anchors(target))
        if not known:
            broken.append(link["target"])
    assert broken == []
