"""Search and replace over entries: what would change is known before anything does."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.ui.lorebook.replacing import Wanted, plan
from tests.unit.ui.lorebook.stage import loaded

ENTRIES = (
    LoreEntry(uid=1, comment="The fox", keys=("fox", "red fox"), content="A fox. Another Fox."),
    LoreEntry(uid=2, comment="Hen", keys=("hen",), secondary_keys=("fox",), content="Hens fear it."),
)


def new(found, uid: int) -> LoreEntry:
    return found.changes[uid][1]


def test_plain_text_is_replaced_in_names_keys_and_contents_whatever_the_case() -> None:
    found = plan(ENTRIES, Wanted("fox", "wolf"))
    assert (new(found, 1).comment, new(found, 1).keys) == ("The wolf", ("wolf", "red wolf"))
    assert new(found, 1).content == "A wolf. Another wolf."
    assert new(found, 2).secondary_keys == ("wolf",)
    assert found.count == 6
    assert [(one.uid, one.where) for one in found.places] == [
        (1, "name"),
        (1, "content"),
        (1, "keys"),
        (2, "secondary keys"),
    ]
    assert (found.places[1].before, found.places[1].after) == ("A fox. Another Fox.", "A wolf. Another wolf.")


def test_only_the_wanted_fields_and_the_written_capitals() -> None:
    found = plan(ENTRIES, Wanted("Fox", "Wolf", capitals=True, fields=frozenset({"content"})))
    assert list(found.changes) == [1]
    assert new(found, 1).content == "A fox. Another Wolf."
    assert plan(ENTRIES, Wanted("fox", "wolf", fields=frozenset())).changes == {}


def test_a_backslash_is_text_unless_a_pattern_is_meant() -> None:
    assert new(plan(ENTRIES, Wanted("hens", r"a\1")), 2).content == r"a\1 fear it."
    found = plan(ENTRIES, Wanted(r"(\w+) fear", r"Do \1 fear", pattern=True))
    assert new(found, 2).content == "Do Hens fear it."


def test_keys_that_become_empty_or_equal_go() -> None:
    found = plan(ENTRIES, Wanted("red ", "", fields=frozenset({"keys"})))
    assert new(found, 1).keys == ("fox",)
    found = plan(ENTRIES, Wanted("hen", "", fields=frozenset({"keys"})))
    assert new(found, 2).keys == ()


def test_a_pattern_that_is_none_or_takes_too_long_changes_nothing() -> None:
    assert plan(ENTRIES, Wanted("(", pattern=True)).problem.startswith("That is no pattern: ")
    assert plan(ENTRIES, Wanted("fox", r"\7", pattern=True)).problem.startswith("That is no pattern: ")
    slow = [LoreEntry(uid=1, content="a" * 5000 + "b")]
    found = plan(slow, Wanted("(a|aa)+$", "", pattern=True), time_s=0.05)
    assert (found.changes, found.problem) == ({}, "The pattern takes too long. Nothing would be changed.")


def test_a_long_text_is_shown_near_the_change() -> None:
    entry = LoreEntry(uid=1, content="x" * 100 + " fox " + "y" * 100)
    (place,) = plan([entry], Wanted("fox", "wolverine")).places
    assert place.before == "…" + "x" * 23 + " fox " + "y" * 23 + "…"
    assert "wolverine" in place.after
    assert len(place.after) < 70


@given(st.text(max_size=30), st.text(max_size=5), st.text(max_size=5), st.booleans())
def test_it_is_what_replacing_by_hand_gives(content: str, find: str, put: str, capitals: bool) -> None:
    found = plan([LoreEntry(uid=1, content=content)], Wanted(find, put, capitals=True))
    wanted = content.replace(find, put) if find else content
    assert (new(found, 1).content if found.changes else content) == wanted
    if not capitals:
        assert plan([LoreEntry(uid=1, content=content)], Wanted(find, put)).problem == ""


async def test_everything_is_one_step_that_can_be_taken_back(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    before = model.book
    found = plan(model.book.entries, Wanted("lighthouse", "beacon"))
    step = model.change_each({uid: one for uid, (_old, one) in found.changes.items()}, "Replaced")
    assert len(found.changes) == 2
    assert model.entry(1).secondary_keys == ("beacon",)
    assert len(model.history.done) == 1
    model.revert(step)
    assert model.book == before
