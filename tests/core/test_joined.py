"""Who may be joined, and what people are shown of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twice.core.joined import LINKED, decide_link, decide_unlink, groups, heads, labels, names
from twice.core.kept import KnownProject
from twice.core.limits import JOINED
from twice.core.proposals import Refusal


def known(**reads_as: str) -> list[KnownProject]:
    """Return projects by id, with what each reads as."""
    return [
        KnownProject(id, f"name of {id}", f"~/{id}", False, reads_as=head)
        for id, head in reads_as.items()
    ]


def refused(outcome: object, *words: str) -> None:
    assert isinstance(outcome, Refusal), outcome
    for word in words:
        assert word in f"{outcome.reason} {outcome.hint}"
    assert "\n" not in outcome.reason and outcome.hint


def test_one_project_may_read_as_another() -> None:
    (draft,) = decide_link("a", "b", known=known(a="", b="", c="b"), actor="person")  # type: ignore[misc]
    assert (draft.kind, draft.subject, draft.project) == ("project.linked", "a", "b")
    (back,) = decide_unlink("c", known=known(a="", b="", c="b"), actor="person")  # type: ignore[misc]
    assert (back.kind, back.subject, back.project) == ("project.unlinked", "c", "b")


def test_what_is_written_of_it_holds_no_words() -> None:
    (draft,) = decide_link("a", "b", known=known(a="", b=""), actor="person")  # type: ignore[misc]
    assert draft.body == {"into": "b"}


@pytest.mark.parametrize(
    ("reads_as", "this", "that", "words"),
    [
        ({"a": ""}, "a", "a", "name of a is one project already"),
        ({"a": "b", "b": ""}, "a", "b", "reads as name of b already"),
        ({"a": "b", "b": "", "c": ""}, "a", "c", "twice project unlink a"),
        ({"a": "b", "b": ""}, "b", "a", "name of a reads as name of b already"),
        ({"a": "b", "b": "", "c": ""}, "c", "a", "twice project link c b"),
        ({"a": "b", "b": "", "c": ""}, "b", "c", "has others in it: name of a"),
    ],
)
def test_rings_chains_and_repetitions_are_refused(
    reads_as: dict[str, str], this: str, that: str, words: str
) -> None:
    refused(decide_link(this, that, known=known(**reads_as), actor="person"), words)


def test_what_is_not_joined_is_not_taken_apart() -> None:
    refused(decide_unlink("a", known=known(a="", b=""), actor="person"), "reads as itself")
    refused(decide_unlink("b", known=known(a="b", b=""), actor="person"), "unlink a")


def test_no_project_takes_in_more_than_the_limit() -> None:
    many = known(b="", z="", **{f"a{n}": "b" for n in range(JOINED)})
    refused(decide_link("z", "b", known=many, actor="person"), "limit")
    assert not isinstance(decide_link("z", "b", known=many[:-1], actor="person"), Refusal)


def test_equal_names_are_told_apart_by_their_folders() -> None:
    one, two = (KnownProject(id, "app", f"~/{id}/app", False) for id in "ab")
    other = KnownProject("c", "app", "~/c", False, reads_as="a")
    shop = KnownProject("d", "shop", "~/d", False)
    assert labels([one, two, shop]) == {"a": "app (~/a/app)", "b": "app (~/b/app)", "d": "shop"}
    assert names([one, other, shop]) == {"a": "app", "c": "app", "d": "shop"}
    assert names([two, other, one])["c"] == "app (~/a/app)"


@given(
    st.lists(
        st.tuples(st.sampled_from(("link", "unlink")), st.integers(0, 4), st.integers(0, 4)),
        max_size=30,
    )
)
def test_whatever_is_decided_nothing_reads_as_what_reads_as_another(
    steps: list[tuple[str, int, int]],
) -> None:
    reads_as = dict.fromkeys("abcde", "")
    for verb, one, two in steps:
        this, that, now = "abcde"[one], "abcde"[two], known(**reads_as)
        link = decide_link(this, that, known=now, actor="person")
        outcome = link if verb == "link" else decide_unlink(this, known=now, actor="person")
        if isinstance(outcome, Refusal):
            continue
        reads_as[this] = outcome[0].project if outcome[0].kind == LINKED else ""
    found = known(**reads_as)
    assert all(not reads_as[head] for head in reads_as.values() if head)
    assert sorted(p.id for group in groups(found) for p in group) == sorted(reads_as)
    assert {id: head.id for id, head in heads(found).items()} == {
        id: head or id for id, head in reads_as.items()
    }
