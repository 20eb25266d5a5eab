"""Facts that say the same are found whatever the order of their words; those about others are let alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.duplicate import duplicates_of
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import PersonKey

ANN, BEN = frozenset([PersonKey("discord:1")]), frozenset([PersonKey("discord:2")])
NOBODY: frozenset[PersonKey] = frozenset()


def groups(*facts: tuple[str, frozenset[PersonKey]]) -> list[tuple[int, ...]]:
    return [tuple(group) for group in duplicates_of((FactId(n), *fact) for n, fact in enumerate(facts, start=1))]


def test_words_count_and_order_does_not() -> None:
    assert groups(("Ann lives in Rome.", ANN), ("In Rome lives Ann!", ANN), ("Ann lives in Oslo.", ANN)) == [(1, 2)]


def test_others_may_say_the_same() -> None:
    assert groups(("Likes tea.", ANN), ("likes TEA", BEN), ("It rains.", NOBODY), ("Rains", NOBODY)) == [(3, 4)]


def test_somebody_in_common_joins_two_groups() -> None:
    assert groups(("Both sing.", ANN), ("Both sing.", BEN), ("both sing", ANN | BEN)) == [(1, 2, 3)]


def test_where_every_word_is_common_all_of_them_count() -> None:
    assert groups(("I am not you.", NOBODY), ("You are me.", NOBODY), ("not you I am", NOBODY)) == [(1, 3)]


@given(st.lists(st.tuples(st.sampled_from(["a b", "b a", "cat", "dog cat"]), st.sampled_from([ANN, BEN, ANN | BEN]))))
def test_no_fact_stands_in_two_groups_and_none_alone(facts: list[tuple[str, frozenset[PersonKey]]]) -> None:
    found = groups(*facts)
    numbers = [number for group in found for number in group]
    assert len(numbers) == len(set(numbers))
    assert all(len(group) > 1 for group in found)
