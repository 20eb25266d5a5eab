"""At which place a mark is met, and what other weights do to all of them."""

from __future__ import annotations

from familiar_app.domain.fact import Belief, Cause, Fact, FactId
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.recall import Hit
from familiar_app.domain.recall_mark import MarkId, MarkKind, MarkScore, RecallMark, compare, rank_of, score_of
from tests.unit.store.vault_maker import NOON

MIRA = FamiliarId("mira")
FACT = Fact(
    FactId(7), MIRA, "x", (), (TurnId(3), TurnId(4)), None, None, "rich_note", Interval(None, None),
    (Belief(Interval(NOON, None), Cause.LEARNED),),
)  # fmt: skip
HITS = [Hit("turn", 7, "x", 3.0, {}), Hit("fact", 7, "x", 2.0, {}, fact=FACT), Hit("turn", 4, "x", 1.0, {})]


def mark(kind: MarkKind, target: int | None) -> RecallMark:
    return RecallMark(MarkId(1), MIRA, "cue", kind, target, NOON)


def test_a_fact_meets_the_mark_on_a_turn_it_rests_on() -> None:
    assert [rank_of(mark("fact", 7), HITS), rank_of(mark("turn", 7), HITS)] == [2, 1]
    assert [rank_of(mark("turn", 4), HITS), rank_of(mark("turn", 3), HITS)] == [2, 2]
    assert [rank_of(mark("fact", 4), HITS), rank_of(mark("turn", None), HITS)] == [None, None]


def test_scores() -> None:
    assert score_of([1, 2, None, 4]) == MarkScore(3, 4, (1 + 1 / 2 + 1 / 4) / 4)
    assert score_of([]) == MarkScore(0, 0, 0.0)


def test_a_change_of_weights_tells_what_came_and_went() -> None:
    a, b, c, d, e = (MarkId(number) for number in range(1, 6))
    change = compare({a: None, b: 2, c: 5, d: 1, e: None}, {a: 3, b: None, c: 4, d: 2, e: None})
    assert (change.gained, change.lost, change.better, change.worse) == ((a,), (b,), (c,), (d,))
    assert (change.before.found, change.after.found, change.after.total) == (3, 3, 5)
