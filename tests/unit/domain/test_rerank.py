"""Ranking a trace's candidates again with other weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ranking import Candidate, Ranked, Weights, rank
from familiar_app.domain.rerank import Reranked, recorded_weights, rerank

WORDS = Weights(bm25=1, recency=0, importance=0, embedding=0, nearness=0, named=0, neighbours=0, facts=0)
ALL = Weights(bm25=1, recency=0.3, importance=0.6, embedding=0.6, nearness=0.4, named=0.5, neighbours=0.4, facts=0.7)


def recorded(candidates: list[Candidate], ranked: list[Ranked], kept: int, **more: Any) -> list[dict[str, Any]]:
    """Write candidates as a trace does."""
    by_key = {one.key: one for one in candidates}
    return [
        {
            "kind": one.key[0],
            "id": one.key[1],
            "text": f"text {one.key[1]}",
            "score": one.score,
            "signals": {
                name: {"raw": signal.raw, "normalised": signal.normalised, "weight": signal.weight}
                for name, signal in one.signals.items()
            },
            "neighbours": [number for _, number in by_key[one.key].neighbours],
            "sources": [number for _, number in by_key[one.key].sources],
            "kept": place < kept,
            "why": "kept" if place < kept else "limit",
            **more,
        }
        for place, one in enumerate(ranked)
    ]


def order(found: Reranked) -> list[tuple[str, int]]:
    return [(place.kind, place.id) for place in found.places]


def some_facts(*importance: int) -> list[Candidate]:
    return [
        Candidate(("fact", number), number, bm25=10.0 - number, importance=value)
        for number, value in enumerate(importance, start=1)
    ]


def test_importance_lets_one_in_and_another_out() -> None:
    candidates = some_facts(1, 4, 10)
    traced = recorded(candidates, rank(candidates, WORDS), kept=2)
    assert [one["id"] for one in traced] == [1, 2, 3], "by words alone"
    found = rerank(traced, replace(WORDS, importance=1.0))
    assert order(found) == [("fact", 3), ("fact", 2), ("fact", 1)]
    assert [(place.id, place.before, place.after, place.why) for place in found.entering] == [(3, 3, 1, "kept")]
    assert [(place.id, place.before, place.after, place.why) for place in found.leaving] == [(1, 1, 3, "score")]


def test_nothing_moves_with_the_weights_it_was_ranked_with() -> None:
    candidates = some_facts(5, 1, 9, 3)
    found = rerank(recorded(candidates, rank(candidates, ALL), kept=2), ALL)
    assert (found.entering, found.leaving) == ((), ())
    assert [place.before for place in found.places] == [place.after for place in found.places] == [1, 2, 3, 4]


def test_what_was_held_back_stays_out_however_well_it_ranks() -> None:
    candidates = some_facts(1, 4, 10)
    traced = recorded(candidates, rank(candidates, WORDS), kept=2)
    traced[2] |= {"why": "audience"}
    found = rerank(traced, replace(WORDS, importance=1.0))
    assert [(place.id, place.kept, place.why) for place in found.places] == [
        (3, False, "audience"),
        (2, True, "kept"),
        (1, True, "kept"),
    ]


def test_what_is_kept_fills_the_room_that_there_was() -> None:
    candidates = some_facts(1, 4, 10)
    traced = recorded(candidates, rank(candidates, WORDS), kept=2, tokens=10)
    traced[2]["tokens"] = 25
    found = rerank(traced, replace(WORDS, importance=1.0), {"cap_tokens": 30})
    assert [place.id for place in found.places if place.kept] == [3], "the two others do not fit beside it"
    assert [place.id for place in rerank(traced, WORDS, {"cap_tokens": 30}).places if place.kept] == [1, 2]
    roomy = rerank(traced, replace(WORDS, importance=1.0), {"cap_tokens": 90, "limit": 1})
    assert [place.id for place in roomy.places if place.kept] == [3]


def test_turns_that_share_lines_do_not_drive_each_other_out() -> None:
    """What was kept took less room than its items did one by one."""
    candidates = some_facts(1, 4, 10)
    traced = recorded(candidates, rank(candidates, WORDS), kept=2, tokens=40)
    found = rerank(traced, WORDS, {"cap_tokens": 50})
    assert [place.id for place in found.places if place.kept] == [1, 2]


def test_candidates_without_signals_are_passed_over() -> None:
    assert rerank([{"kind": "fact", "id": 1, "text": "held back", "signals": {}, "kept": False}], ALL).places == ()
    assert rerank([], ALL).places == ()


def test_the_sliders_begin_where_the_trace_was() -> None:
    assert recorded_weights({"weights": {"bm25": 0.25}}, WORDS) == replace(WORDS, bm25=0.25)
    assert recorded_weights(None, ALL) == ALL


weight = st.floats(0, 2)
weights = st.builds(Weights, weight, weight, weight, weight, weight, weight, weight, weight)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    turns, facts = draw(st.integers(0, 12)), draw(st.integers(0, 8))
    score = st.one_of(st.none(), st.floats(0.01, 30))
    cosine = st.one_of(st.none(), st.floats(-1, 1))
    found = [
        Candidate(
            ("turn", number),
            number,
            bm25=draw(score),
            cosine=draw(cosine),
            named=draw(st.booleans()),
            neighbours=tuple(("turn", near) for near in (number - 1, number + 1) if 0 < near <= turns),
        )
        for number in range(1, turns + 1)
    ]
    return found + [
        Candidate(
            ("fact", number),
            number,
            bm25=draw(score),
            importance=draw(st.one_of(st.none(), st.integers(1, 10))),
            cosine=draw(cosine),
            sources=tuple(("turn", one) for one in draw(st.lists(st.integers(1, turns), max_size=2))) if turns else (),
        )
        for number in range(1, facts + 1)
    ]


@given(candidates(), weights, weights, st.floats(1, 9))
def test_a_trace_ranks_as_the_search_would_have(
    found: list[Candidate], first: Weights, second: Weights, speakers: float
) -> None:
    """What a trace records is enough to have searched with the other weights in the first place."""
    traced = recorded(found, rank(found, first, speakers=speakers), kept=3)
    again = rerank(traced, second, {"speakers": speakers})
    searched = rank(found, second, speakers=speakers)
    assert order(again) == [one.key for one in searched]
    assert [place.score for place in again.places] == pytest.approx([one.score for one in searched])
