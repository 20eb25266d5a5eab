"""Fusing the signals of what a search found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ranking import (
    Candidate,
    Key,
    Weights,
    effective_speakers,
    named_factor,
    neighbour_factor,
    rank,
)

NONE = Weights(bm25=0, recency=0, importance=0, embedding=0, nearness=0, named=0, neighbours=0, facts=0)
WORDS = replace(NONE, bm25=1.0)


def turn(number: int, **values: object) -> Candidate:
    return Candidate(key=("turn", number), order=number, **values)  # type: ignore[arg-type]


def numbers(candidates: list[Candidate], weights: Weights, speakers: float = 2.0) -> list[int]:
    return [one.key[1] for one in rank(candidates, weights, speakers=speakers)]


def test_each_signal_is_scaled_within_the_candidates() -> None:
    weights = replace(NONE, bm25=1.0, recency=0.5, importance=0.6, embedding=0.6)
    found = {
        one.key[1]: one
        for one in rank(
            [turn(10, bm25=8.0, importance=7, cosine=0.5), turn(20, bm25=2.0), turn(30, cosine=-1.0)], weights
        )
    }
    assert found[10].signals["bm25"].normalised == 1.0
    assert found[20].signals["bm25"].normalised == 0.25
    assert found[30].signals["bm25"].normalised == 0.0
    assert [found[n].signals["recency"].normalised for n in (10, 20, 30)] == [0.0, 0.5, 1.0]
    assert [found[n].signals["importance"].normalised for n in (10, 20)] == [0.7, 0.5]
    assert [found[n].signals["embedding"].normalised for n in (10, 20, 30)] == [0.75, 0.5, 0.0]
    assert found[10].score == pytest.approx(1.0 + 0.0 + 0.6 * 0.7 + 0.6 * 0.75)
    assert found[20].score == pytest.approx(0.25 + 0.5 * 0.5 + 0.6 * 0.5 + 0.6 * 0.5)


def test_the_newer_comes_first_among_equals() -> None:
    assert numbers([turn(1, bm25=3.0), turn(3, bm25=3.0), turn(2, bm25=3.0)], WORDS) == [3, 2, 1]


def test_nearness_spreads_the_cosines_that_occur() -> None:
    weights = replace(NONE, embedding=0.6, nearness=0.6)
    found = {one.key[1]: one.signals["nearness"] for one in rank([turn(1, cosine=0.2), turn(2, cosine=0.4)], weights)}
    assert (found[1].normalised, found[2].normalised) == (0.0, 1.0)
    without = rank([turn(1, cosine=0.2), turn(2, cosine=0.4)], replace(weights, embedding=0.0))
    assert {one.signals["nearness"].weight for one in without} == {0.0}


def test_a_name_counts_more_where_many_speak() -> None:
    candidates = [turn(1, bm25=10.0), turn(2, bm25=6.5, named=True)]
    weights = replace(WORDS, named=0.2)
    assert numbers(candidates, weights, speakers=2) == [1, 2]
    assert numbers(candidates, weights, speakers=8) == [2, 1]
    assert named_factor(1) == 0
    assert named_factor(1000) == 3


def test_a_turn_between_two_good_ones_rises() -> None:
    around: tuple[Key, ...] = (("turn", 1), ("turn", 3))
    candidates = [turn(1, bm25=4.0), turn(2, neighbours=around), turn(3, bm25=4.0), turn(9, bm25=1.0)]
    weights = replace(WORDS, neighbours=0.3)
    assert numbers(candidates, WORDS)[-1] == 2
    assert numbers(candidates, weights) == [3, 1, 2, 9]
    # In a crowd the turn beside another is mostly about something else.
    assert numbers(candidates, weights, speakers=40)[-1] == 2
    assert neighbour_factor(2) == 1
    assert neighbour_factor(20) == pytest.approx(0.1)


def test_a_fact_lends_to_its_sources() -> None:
    fact = Candidate(key=("fact", 1), order=1, bm25=9.0, sources=(("turn", 5),))
    ranked = rank([fact, turn(5, bm25=3.0), turn(6, bm25=4.0)], replace(WORDS, facts=0.3))
    assert [one.key for one in ranked] == [("fact", 1), ("turn", 5), ("turn", 6)]
    assert ranked[1].signals["facts"].share == pytest.approx(0.3)


def test_effective_speakers_counts_who_really_talks() -> None:
    assert effective_speakers("aabb") == 2
    assert effective_speakers("aaaaaaaaab") == pytest.approx(100 / 82)
    assert effective_speakers("") == 1


# Nothing so near to zero that a tenth of it would be zero.
optional = st.none() | st.just(0.0) | st.floats(1e-6, 50)
some = st.lists(
    st.builds(
        turn,
        st.integers(1, 10_000),
        bm25=optional,
        importance=st.none() | st.integers(1, 10),
        cosine=st.none() | st.floats(-1, 1),
        named=st.booleans(),
    ),
    max_size=30,
    unique_by=lambda one: one.key,
)
weight = st.floats(0, 2)
any_weights = st.builds(Weights, *[weight] * 8)


@given(some, any_weights, st.floats(1, 100))
def test_scores_are_the_sum_of_their_signals_and_descend(
    candidates: list[Candidate], weights: Weights, speakers: float
) -> None:
    ranked = rank(candidates, weights, speakers=speakers)
    assert {one.key for one in ranked} == {one.key for one in candidates}
    for one in ranked:
        assert one.score == pytest.approx(sum(signal.normalised * signal.weight for signal in one.signals.values()))
        assert all(0 <= signal.normalised <= 1 for signal in one.signals.values())
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


@given(some, any_weights)
def test_the_order_does_not_depend_on_how_candidates_came(candidates: list[Candidate], weights: Weights) -> None:
    assert rank(candidates, weights) == rank(candidates[::-1], weights)


@given(some, any_weights, st.floats(0.1, 10))
def test_only_the_proportion_of_word_scores_matters(
    candidates: list[Candidate], weights: Weights, factor: float
) -> None:
    scaled = [replace(one, bm25=None if one.bm25 is None else one.bm25 * factor) for one in candidates]
    before = {one.key: one.score for one in rank(candidates, weights)}
    after = {one.key: one.score for one in rank(scaled, weights)}
    assert after == pytest.approx(before, abs=1e-6)
