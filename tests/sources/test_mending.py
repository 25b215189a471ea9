"""Broken JSON made readable, a block at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.sources.lines import mend

PIECES = st.sampled_from(
    [b"a", b"\0", b"\xff", b"\xf0\x9f", "🙂é".encode(), rb"\ud83d", rb"\ude42"]
)


@given(pieces=st.lists(PIECES, max_size=20), block=st.integers(1, 9))
def test_where_a_block_ends_changes_nothing(pieces: list[bytes], block: int) -> None:
    data = b'{"a": "' + b"".join(pieces) + b'"}'
    whole = mend(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twice.sources.lines.BLOCK_BYTES", block)
        assert mend(data) == whole
    assert json.loads(whole)["a"].encode().decode() == json.loads(whole)["a"]
