"""Long and hostile texts take time in proportion to their length."""

import time

import pytest

from twice.learners.corrections import notice

LENGTH = 200_000
SECONDS = 8.0  # generous: a quadratic pattern takes minutes

HOSTILE = {
    "one long word": "a",
    "unclosed quotations": "«",
    "quotation marks": '"',
    "open tags": "<a ",
    "different tags": "<t1><t2><t3>",
    "fences": "```\n",
    "inline code": "`a ",
    "full stops": ".",
    "hyphens": "-",
    "slashes": "a/",
    "negations": "no use ",
    "Chinese negations": "不要用",
    "line breaks": "\n",
    "headings": "# a\n",
    "addresses": "http://",
    "spaces": " ",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_heard_in_linear_time(name: str) -> None:
    part = HOSTILE[name]
    text = part * (LENGTH // len(part))
    start = time.process_time()
    notice(text, previous=text)
    assert time.process_time() - start < SECONDS
