"""The two clocks of facts: the four questions, restores, and what was known when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BugError
from familiar_app.domain.fact import (
    Belief,
    Cause,
    Fact,
    FactId,
    as_known_at,
    begin,
    end,
    is_current,
    was_believed,
    was_believed_about,
    was_true,
    would_cycle,
)
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.interval import Interval, edges

START = datetime(2024, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def fact(valid: Interval, beliefs: tuple[Belief, ...]) -> Fact:
    return Fact(FactId(1), FamiliarId("mira"), "Ann lives in Rome.", (), (), None, None, "test", valid, beliefs)


def learned(on: int) -> tuple[Belief, ...]:
    return begin((), day(on), Cause.LEARNED)


def test_a_correction_dated_in_the_past_is_true_then_but_was_not_believed_then() -> None:
    moved = fact(Interval(day(10), None), learned(50))
    assert was_true(moved, day(20))
    assert not was_believed(moved, day(20))
    assert not was_believed_about(moved, day(20), day(20))
    assert was_believed_about(moved, day(50), day(20))


def test_a_plan_is_current_but_not_yet_true() -> None:
    plan = fact(Interval(day(100), None), learned(1))
    assert is_current(plan, day(2))
    assert not was_true(plan, day(2))


def test_a_fact_that_ended_before_it_was_learned_is_never_current() -> None:
    job = fact(Interval(day(1), day(5)), learned(30))
    assert not is_current(job, day(30))
    assert was_believed_about(job, day(31), day(4))
    assert not was_believed_about(job, day(31), day(5))


def test_a_restored_fact_keeps_its_gap() -> None:
    beliefs = begin(end(learned(1), day(10), Cause.RETIRED, FactId(9)), day(20), Cause.RESTORED)
    restored = fact(Interval(None, None), beliefs)
    assert [was_believed(restored, day(n)) for n in (0, 1, 9, 10, 19, 20, 99)] == [
        False,
        True,
        True,
        False,
        False,
        True,
        True,
    ]
    assert restored.superseded_at is None
    assert restored.created_at == day(1)


def test_what_was_learned_later_does_not_show_in_a_look_back() -> None:
    retired = fact(Interval(None, None), end(learned(1), day(10), Cause.SUPERSEDED, FactId(2)))
    before = as_known_at(retired, day(9))
    assert before is not None
    assert (before.superseded_at, before.superseded_by) == (None, None)
    after = as_known_at(retired, day(10))
    assert after is not None
    assert (after.superseded_at, after.superseded_by) == (day(10), FactId(2))
    assert as_known_at(retired, day(0)) is None


def test_intervals_cannot_overlap_or_run_backwards() -> None:
    with pytest.raises(BugError):
        begin(learned(1), day(2), Cause.RESTORED)
    with pytest.raises(BugError):
        end(learned(5), day(4), Cause.RETIRED)
    with pytest.raises(BugError):
        end((), day(4), Cause.RETIRED)
    with pytest.raises(BugError):
        begin(end(learned(1), day(9), Cause.RETIRED), day(8), Cause.RESTORED)


def test_supersession_never_closes_a_circle() -> None:
    chain = {FactId(1): FactId(2), FactId(2): FactId(3)}
    assert would_cycle(FactId(1), FactId(3), chain)
    assert would_cycle(FactId(3), FactId(3), chain)
    assert not would_cycle(FactId(4), FactId(3), chain)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8, unique=True).map(sorted), st.integers(-1, 61))
def test_stamps_as_known_at_an_instant_agree_with_belief(days: list[int], at: int) -> None:
    beliefs: tuple[Belief, ...] = ()
    for position, number in enumerate(days):
        step = begin if position % 2 == 0 else end
        beliefs = step(beliefs, day(number), Cause.LEARNED if position % 2 == 0 else Cause.RETIRED)
    known = as_known_at(fact(Interval(None, None), beliefs), day(at))
    naive = any(
        since <= at and (until is None or at < until)
        for since, until in zip(days[::2], [*days[1::2], None], strict=False)
    )
    assert was_believed(fact(Interval(None, None), beliefs), day(at)) is naive
    if known is not None:
        assert (known.superseded_at is None) is naive
        assert all(stamp <= day(at) for stamp in edges(belief.held for belief in known.beliefs))
