"""What is odd about a lorebook: entries that can never come in, and keys that match too much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, Folder, LoreBook, LoreEntry, Position, SecondaryLogic
from familiar_app.domain.lorebook.lint import Linter, LintTerms
from familiar_app.domain.lorebook.oddity import Oddity
from familiar_app.domain.lorebook.scene import LoreSettings, Scene

RECURSIVE = LintTerms(LoreSettings(recursive=True))


def entry(uid: int = 1, *keys: str, **values) -> LoreEntry:
    values.setdefault("content", f"Something about {uid}.")
    return LoreEntry(uid=uid, comment=f"e{uid}", keys=keys, **values)


def odd(*entries: LoreEntry, terms: LintTerms | None = None, folders: tuple[Folder, ...] = ()) -> dict:
    found = Linter().run(LoreBook(name="b", entries=entries, folders=folders), terms)
    return {uid: {one.kind for one in warnings} for uid, warnings in found.items()}


def odd_alone(one: LoreEntry, terms: LintTerms | None = None) -> set[Oddity]:
    return odd(one, terms=terms).get(one.uid, set())


def test_an_entry_without_keys_never_fires_unless_something_else_lets_it_in() -> None:
    assert odd_alone(entry()) == {Oddity.NO_KEYS}
    assert odd_alone(entry(1, " ")) == {Oddity.NO_KEYS}
    assert odd_alone(entry(constant=True)) == set()
    assert odd_alone(entry(vectorized=True)) == set()
    assert odd_alone(entry(content="@@activate\nText.")) == set()
    assert odd_alone(entry(enabled=False)) == set()


def test_no_chance_no_content_no_outlet_and_no_kind_of_answer() -> None:
    assert odd_alone(entry(1, "fox", probability=0)) == {Oddity.NO_CHANCE}
    assert odd_alone(entry(1, "fox", probability=0, use_probability=False)) == set()
    assert odd_alone(entry(1, "fox", content=" ")) == {Oddity.EMPTY}
    assert odd_alone(entry(1, "fox", position=Position.OUTLET)) == {Oddity.NO_OUTLET}
    assert odd_alone(entry(1, "fox", triggers=("noraml",))) == {Oddity.NO_TRIGGER}
    assert odd_alone(entry(1, "fox", content="@@dont_activate\nText.")) == {Oddity.SAYS_NO}


def test_waiting_for_recursion_that_never_comes_is_a_dead_mix() -> None:
    waiting = entry(1, "fox", delay_until_recursion=1)
    assert odd_alone(waiting) == {Oddity.DEAD_MIX}
    assert odd_alone(waiting, RECURSIVE) == set()
    assert odd_alone(entry(1, "fox", delay_until_recursion=1, exclude_recursion=True), RECURSIVE) == {Oddity.DEAD_MIX}


@pytest.mark.parametrize(
    ("keys", "secondary", "logic", "contradicts"),
    [
        (("red dragon",), ("dragon",), SecondaryLogic.NOT_ANY, False),
        (("dragon",), ("Dragon",), SecondaryLogic.NOT_ANY, True),
        (("dragon", "wyrm"), ("dragon",), SecondaryLogic.NOT_ANY, False),
        (("dragon",), ("dragons",), SecondaryLogic.NOT_ANY, False),
        (("the red dragon sleeps",), ("red", "dragon"), SecondaryLogic.NOT_ALL, True),
        (("dragon",), ("dragon", "egg"), SecondaryLogic.NOT_ALL, False),
        (("dragon",), (" ",), SecondaryLogic.AND_ANY, True),
        (("dragon",), ("egg", " "), SecondaryLogic.AND_ANY, False),
        (("dragon",), ("egg", " "), SecondaryLogic.AND_ALL, True),
    ],
)
def test_secondary_keys_that_forbid_what_the_keys_bring(keys, secondary, logic, contradicts) -> None:
    found = odd_alone(entry(1, *keys, secondary_keys=secondary, logic=logic))
    assert (Oddity.CONTRADICTION in found) == contradicts
    assert Oddity.CONTRADICTION not in odd_alone(
        entry(1, *keys, secondary_keys=secondary, logic=logic, selective=False)
    )


def test_keys_that_match_almost_anything() -> None:
    assert odd_alone(entry(1, "ox")) == {Oddity.BROAD_KEY}
    assert odd_alone(entry(1, "The")) == {Oddity.BROAD_KEY}
    assert odd_alone(entry(1, "/a*/")) == {Oddity.BROAD_KEY}
    assert odd_alone(entry(1, "魔法", "火", "C+", "42", "oxen")) == set()


def test_patterns_that_are_none() -> None:
    assert odd_alone(entry(1, "/fox(/i")) == {Oddity.BAD_PATTERN}
    assert odd_alone(entry(1, "fox(", use_regex=True)) == {Oddity.BAD_PATTERN, Oddity.DEAD_KEYS}
    assert odd_alone(entry(1, "fox", use_regex=True, constant=True)) == {Oddity.NOT_CONSTANT}
    assert odd_alone(entry(1, "/fo+x/i")) == set()


def test_keys_and_contents_that_are_there_twice() -> None:
    assert odd_alone(entry(1, "fox", "Fox ")) == {Oddity.REPEATED_KEY}
    same = (entry(1, "fox", "hen"), entry(2, "Hen", "fox"))
    assert odd(*same) == {1: {Oddity.SAME_KEYS}, 2: {Oddity.SAME_KEYS}}
    assert odd(entry(1, "fox", group="g"), entry(2, "fox", group="g")) == {}
    assert odd(entry(1, "fox"), entry(2, "fox", enabled=False)) == {}
    twins = (entry(1, "fox", content="Red."), entry(2, "hen", content="Red. "))
    assert odd(*twins) == {1: {Oddity.SAME_CONTENT}, 2: {Oddity.SAME_CONTENT}}


def test_folders_that_are_off_or_not_there() -> None:
    folders = (Folder("f", "Animals", enabled=False), Folder("g", "Towns"))
    entries = (entry(1, "fox", folder="f"), entry(2, "hen", folder="g"), entry(3, "elk", folder="h"))
    assert odd(*entries, folders=folders) == {1: {Oddity.FOLDER_OFF}, 3: {Oddity.UNKNOWN_FOLDER}}


def test_an_entry_is_shadowed_by_one_that_always_goes_first_in_its_group() -> None:
    leader = entry(1, "fox", "hen", group="g", group_override=True)
    assert odd(leader, entry(2, "hen", group="g")) == {2: {Oddity.SHADOWED}}
    assert odd(leader, entry(2, "hen", "elk", group="g")) == {}
    assert odd(leader, entry(2, "hen", group="other")) == {}
    assert odd(leader, entry(2, "hen", group="g", group_override=True, order=200)) == {}
    assert odd(entry(1, constant=True, group="g", group_override=True), entry(2, "elk", group="x, g")) == {
        2: {Oddity.SHADOWED}
    }


def test_too_large_is_what_reaches_the_budget() -> None:
    terms = LintTerms(budget_tokens=3, count_tokens=lambda text: len(text.split()))
    assert odd_alone(entry(1, "fox", content="one two three"), terms) == {Oddity.TOO_LARGE}
    assert odd_alone(entry(1, "fox", content="one two"), terms) == set()
    assert odd_alone(entry(1, "fox", content="one two three", ignore_budget=True), terms) == set()


def test_an_entry_that_changed_is_looked_at_again() -> None:
    linter, book = Linter(), LoreBook(name="b", entries=(entry(1), entry(2, "fox")))
    assert set(linter.run(book)) == {1}
    assert set(linter.run(LoreBook(name="b", entries=(entry(1, "hen"), entry(2))))) == {2}
    assert [one.never for one in linter.run(book)[1]] == [True]


words = st.sampled_from(["fox", "hen", "red fox", "den", "elk", " ", "/f.x/i", "/(/", "the"])
entries = st.builds(
    LoreEntry,
    uid=st.just(1),
    keys=st.lists(words, max_size=3).map(tuple),
    secondary_keys=st.lists(words, max_size=2).map(tuple),
    logic=st.sampled_from(SecondaryLogic),
    content=st.sampled_from(["Text.", "@@activate\nText.", "@@dont_activate\nText."]),
    constant=st.booleans(),
    selective=st.booleans(),
    probability=st.sampled_from([0, 100]),
    match_whole_words=st.sampled_from([None, True, False]),
    use_regex=st.sampled_from([None, True, False]),
    delay_until_recursion=st.integers(0, 1),
    exclude_recursion=st.booleans(),
)


@given(entries, st.lists(st.sampled_from(["fox", "red fox", "hen", "den elk", "the fox and the hen"]), max_size=3))
def test_what_is_said_never_to_fire_does_not(one: LoreEntry, messages: list[str]) -> None:
    warnings = Linter().run(LoreBook(name="b", entries=(one,))).get(1, ())
    if any(warning.never for warning in warnings):
        engine = LoreEngine(BoundBooks(everywhere=(LoreBook(name="b", entries=(one,)),)), LoreSettings(depth=5))
        found = engine.activate(Scene(messages=tuple(messages)), chance=lambda: 0.5, count_tokens=len)
        assert found.names == []
