"""The sample sessions are whole, and say what their README says."""

import json
import re
from pathlib import Path

import pytest

SESSIONS = Path(__file__).parents[2] / "examples" / "sessions"
LOGS = sorted(SESSIONS.rglob("*.jsonl"))
NOTES = sorted(SESSIONS.glob("shop-notes/.specstory/history/*.md"))
FOLDER = "/home/dev/shop"


def records(log: Path) -> list[dict[str, object]]:
    """Return the records of a sample log."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def name(path: Path) -> str:
    """Return how a sample is called in the list of tests."""
    return path.name


def test_there_are_nine_sessions_of_three_formats() -> None:
    agents = [log.relative_to(SESSIONS).parts[0] for log in LOGS]
    assert (agents.count("claude"), agents.count("codex"), len(NOTES)) == (5, 2, 2)


@pytest.mark.parametrize("log", LOGS, ids=name)
def test_every_line_is_a_record_of_the_session_that_the_file_is_named_after(log: Path) -> None:
    for record in records(log):
        payload = record.get("payload")
        if record.get("type") == "session_meta" and isinstance(payload, dict):
            assert (payload["cwd"], payload["id"] in log.name) == (FOLDER, True)
        if "sessionId" in record:
            assert record["sessionId"] == log.stem
            assert record.get("cwd", FOLDER) == FOLDER


def test_the_fork_repeats_the_records_of_its_origin() -> None:
    claude = {log.stem[:8]: records(log) for log in LOGS if "claude" in log.parts}
    ids = {key: [r["uuid"] for r in rows if "uuid" in r] for key, rows in claude.items()}
    shared = [i for i in ids["e29bb44a"] if i in ids["c72af3dd"]]
    assert shared == ids["e29bb44a"][: len(shared)]
    assert len(shared) >= 5


def test_every_sentence_that_the_readme_quotes_is_in_a_session() -> None:
    said = "\n".join(
        [json.dumps(r, ensure_ascii=False) for log in LOGS for r in records(log)]
        + [note.read_text(encoding="utf-8") for note in NOTES]
    )
    readme = (SESSIONS / "README.md").read_text(encoding="utf-8")
    quotes = re.findall(r'"([^"]+)"', readme)
    assert len(quotes) > 15
    assert [quote for quote in quotes if quote not in said] == []


def test_the_only_secret_is_an_invented_one() -> None:
    text = "\n".join(log.read_text(encoding="utf-8") for log in LOGS)
    assert re.findall(r"gh[a-z]_\w+", text) == ["ghp_NotARealTokenOnlyForTheSampleShop012"]
