"""Promise 2: every item leads to the human words that taught it, byte for byte."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import Home, record_id
from tests.promises.machine import OTHER, WISH, Machine, machine

from twice.core.encoding import text_digest
from twice.core.proposals import Refusal
from twice.core.redaction import redact


@pytest.fixture
def home(tmp_path: Path) -> Machine:
    """Return a machine in mode suggest."""
    return machine(tmp_path / "machine")


def turns(path: Path) -> dict[str, str]:
    """Return the human turns of a session file by record id, redacted."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {
        record["uuid"]: redact(record["message"]["content"]).text
        for record in records
        if record["type"] == "user" and isinstance(record["message"]["content"], str)
    }


TALK = st.sampled_from(
    [*WISH, *OTHER, "always answer in Spanish", "Now fix the typo in page 3.", "Thanks, great!",
     "no, tabs not spaces", "wrong: tabs, not spaces", "use 🐼 pnpm, not npm, naïve café",
     "Use pnpm instead of npm.\r\nAnd look at /home/ann/x."]
)  # fmt: skip


@given(talks=st.lists(st.lists(TALK, min_size=1, max_size=4), min_size=2, max_size=5))
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_every_quote_is_in_a_human_turn_of_its_session_byte_for_byte(
    talks: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = machine(tmp_path_factory.mktemp("traced") / "machine")
    paths = {home.says(n, *talk).stem: n for n, talk in enumerate(talks, 1)}
    home.dream()
    with home.twice() as app:
        for item in app.proposals(limit=None):
            assert len({quote.evidence.lineage for quote in item.evidence}) >= 2
            for quote in (*item.evidence, *item.against):
                evidence = quote.evidence
                said = turns(home.sessions / f"{evidence.session}.jsonl")
                assert evidence.session in paths
                assert quote.text is not None
                assert quote.text in said[evidence.record]
                assert text_digest(quote.text) == evidence.quote
                session, _, kind = evidence.anchor.split(":")
                assert (session, kind) == (evidence.session, "prompt")


def test_why_leads_from_words_to_quotes_and_decisions(home: Machine) -> None:
    (id,) = home.learns(WISH)
    home.does("approve", id)
    with home.twice() as app:
        for wanted in (id, "pnpm instead"):
            (why,) = app.why(wanted)  # type: ignore[misc]
            assert [entry.verb for entry in why.history] == ["proposed", "approved"]
            assert {quote.text for quote in why.shown.evidence} == set(WISH)
        assert isinstance(app.why("nothing says this"), Refusal)


def test_quotes_outlive_the_agents_own_log_and_are_marked(home: Machine) -> None:
    (id,) = home.learns(WISH)
    for path in home.sessions.iterdir():
        path.unlink()
    home.clock.at += 60 * 24 * 60 * 60 * 1_000_000
    home.dream()
    with home.twice() as app:
        shown = app.show(id)
        assert not isinstance(shown, Refusal)
        assert {quote.text for quote in shown.evidence} == set(WISH)
        assert all(quote.gone for quote in shown.evidence)


def test_dreaming_again_reads_nothing_and_adds_nothing(home: Machine) -> None:
    home.learns(WISH)
    with home.twice() as app:
        before = app.kit.store.position()
    report = home.dream()
    assert report["read"]["files"] == {"unchanged": 2}
    assert report["evolution"]["observed"]["new_sightings"] == 0
    assert report["evolution"]["proposals"] == []
    with home.twice() as app:
        assert app.kit.store.position() == before


def test_a_session_that_goes_on_is_read_on(home: Machine) -> None:
    path = home.says(1, "Please look at page 1.", WISH[0])
    home.dream()
    grown = home.root / "grown"
    grown.mkdir()
    longer = Home(home.root).says(1, "Please look at page 1.", WISH[0], "Now go on.", WISH[0])
    assert longer == path
    report = home.dream()
    assert report["read"]["turns"] == 2
    assert report["evolution"]["observed"]["new_sightings"] == 1
    assert report["evolution"]["observed"]["recurring"] == 0


@pytest.mark.parametrize("copy", ["fork", "doubled rows"])
def test_forks_and_copies_count_once(home: Machine, copy: str) -> None:
    path = home.says(1, "Please look at page 1.", WISH[0])
    records = [json.loads(line) for line in path.read_text().splitlines()]
    fork = [{**record, "sessionId": "fork-1"} for record in records]
    more = {
        **fork[0], "uuid": record_id(9, 9), "timestamp": "2026-05-20T10:00:00.000Z",
        "message": {"role": "user", "content": "Now go on."},
    }  # fmt: skip
    home.writes("fork-1", [*fork, more] if copy == "fork" else [*fork, *fork, more])
    report = home.dream()
    assert report["evolution"]["observed"]["recurring"] == 0
    assert report["evolution"]["proposals"] == []


def test_the_same_answer_to_the_same_words_of_an_agent_is_no_copy(home: Machine) -> None:
    """Agents greet alike; two people-hours apart, the same correction is a recurrence."""
    for number in (1, 2):
        path = home.says(number, f"Please look at page {number}.", WISH[0])
        text = path.read_text().replace(
            f"Done, as told: {number}.0",
            "I'll help you with that. Let me install it with npm first.",
        )
        path.write_text(text)
    report = home.dream()
    assert report["evolution"]["observed"]["recurring"] == 1


def test_a_flipped_bit_of_what_was_decided_is_found(home: Machine) -> None:
    import sqlite3
    from contextlib import closing

    (id,) = home.learns(WISH)
    home.does("approve", id)
    with closing(sqlite3.connect(home.data / "twice.db")) as driver:
        driver.execute("UPDATE entries SET actor = 'q' || substr(actor, 2) WHERE seq = 2")
        driver.commit()
    (flaw,) = home.flaws()
    assert "entry 2" in flaw
