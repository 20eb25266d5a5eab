"""The picture's index, the database and the plain rules agree about every instant of any history."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.fact import FactId, NewFact, was_believed, was_believed_about, was_true
from familiar_app.domain.ids import FamiliarId
from familiar_app.store import fact_query, fact_write
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.fact_span import read_spans
from familiar_app.store.moment import to_micros
from familiar_app.ui.timeline.delta import delta
from familiar_app.ui.timeline.lane import Lanes
from familiar_app.ui.timeline.span_index import Moment, SpanIndex, Standing
from familiar_app.ui.timeline.square import GRID, grid, rectangles
from tests.unit.store.test_fact_query import FAMILIARS, LAST_DAY, Model, apply, day, memory, step

MIRA = FamiliarId("mira")
histories = st.lists(step, min_size=1, max_size=14)
micro = timedelta(microseconds=1)


def ids(index: SpanIndex, mask: np.ndarray) -> list[int]:
    return index.spans.ids[mask].tolist()[::-1]


def instants(model: Model, extra: list[int]) -> list[datetime]:
    ends = {end for fact in model.facts.values() for one in fact.beliefs for end in (one.held.since, one.held.until)}
    ends |= {end for fact in model.facts.values() for end in (fact.valid.since, fact.valid.until)}
    edges = [one + nudge * micro for one in ends if one is not None for nudge in (-1, 0, 1)]
    return sorted({*edges, *(day(number) for number in extra)})


@pytest.mark.slow
@settings(max_examples=30)
@given(histories, st.lists(st.integers(-3, LAST_DAY + 3), max_size=3), st.lists(st.integers(1, 6), max_size=2))
def test_index_sql_and_rules_agree_at_every_edge(steps: list, extra: list[int], hidden: list[int]) -> None:
    with memory() as connection:
        model = Model()
        apply(connection, model, steps)
        for number in set(hidden) & set(model.facts):
            connection.execute("UPDATE facts SET hidden = 1 WHERE id = ?", (number,))
            del model.facts[FactId(number)]
        times = instants(model, extra)
        for familiar in FAMILIARS:
            index = SpanIndex(read_spans(connection, familiar))
            facts = sorted((one for one in model.facts.values() if one.familiar == familiar), key=lambda one: -one.id)
            for at in times:
                other = times[(times.index(at) * 7 + 3) % len(times)]
                for as_of, known_at in ((at, None), (None, at), (at, at), (at, other)):
                    moment = Moment(
                        None if as_of is None else to_micros(as_of), None if known_at is None else to_micros(known_at)
                    )
                    mine = ids(index, index.at(moment))
                    asked = FactQuestion(familiar, day(LAST_DAY), as_of, known_at, limit=1000)
                    assert mine == [fact.id for fact in fact_query.page(connection, asked)]
                    rule = {
                        (True, False): lambda fact, v, t: was_true(fact, v),
                        (False, True): lambda fact, v, t: was_believed(fact, t),
                        (True, True): lambda fact, v, t: was_believed_about(fact, t, v),
                    }[as_of is not None, known_at is not None]
                    assert mine == [fact.id for fact in facts if rule(fact, as_of, known_at)]
                today = FactQuestion(familiar, at, limit=1000)
                assert ids(index, index.current(to_micros(at))) == [f.id for f in fact_query.page(connection, today)]


@settings(max_examples=30)
@given(histories, st.integers(0, LAST_DAY))
def test_nothing_changes_between_two_edges_and_every_edge_of_one_clock_is_told(steps: list, fixed: int) -> None:
    with memory() as connection:
        model = Model()
        apply(connection, model, steps)
        index = SpanIndex(read_spans(connection, MIRA))
        still = to_micros(day(fixed))
        for moving in ("both", "as_of", "known_at"):
            edges = index.edges(Moment(still, still), moving).tolist()

            def at(instant: int, moving: str = moving) -> list[int]:
                as_of = instant if moving != "known_at" else still
                known_at = instant if moving != "as_of" else still
                return ids(index, index.at(Moment(as_of, known_at)))

            for one, following in pairwise(edges):
                assert at(one) == at((one + following) // 2) == at(following - 1)
            if edges:
                assert at(edges[0] - 1) == at(edges[0] - 10**12)
                assert at(edges[-1]) == at(edges[-1] + 10**13)


@settings(max_examples=30)
@given(histories, st.tuples(*[st.integers(-1, LAST_DAY + 1)] * 4))
def test_a_change_is_the_difference_of_two_states(steps: list, times: tuple[int, int, int, int]) -> None:
    with memory() as connection:
        apply(connection, Model(), steps)
        index = SpanIndex(read_spans(connection, MIRA))
        then, now = (Moment(to_micros(day(v)), to_micros(day(t))) for v, t in (times[:2], times[2:]))
        found = delta(index, then, now)
        old, new = set(np.flatnonzero(index.at(then)).tolist()), set(np.flatnonzero(index.at(now)).tolist())
        assert set(found.gained.tolist()) | set(found.after.tolist()) == new - old
        assert set(found.lost.tolist()) | set(found.before.tolist()) == old - new
        assert not set(found.gained.tolist()) & set(found.after.tolist())
        assert not set(found.lost.tolist()) & set(found.before.tolist())


@settings(max_examples=30)
@given(histories, st.sampled_from(["world", "belief"]))
def test_bars_of_a_lane_never_lie_over_each_other(steps: list, axis: str) -> None:
    with memory() as connection:
        apply(connection, Model(), steps)
        spans = read_spans(connection, MIRA)
        lanes = Lanes(spans, axis)
        seen: set[int] = set()
        for lane in range(len(lanes)):
            part = slice(lanes.first[lane], lanes.first[lane + 1])
            bars = list(zip(lanes.rows_in(lane), lanes.start[part], lanes.end[part], strict=True))
            seen |= set(lanes.row[part].tolist())
            real = [bar for bar in bars if bar[1] < bar[2]]
            for number, one in enumerate(real):
                for other in real[number + 1 :]:
                    assert one[0] != other[0] or one[2] <= other[1] or other[2] <= one[1]
            probes = np.array([to_micros(day(number)) for number in range(-1, LAST_DAY + 1)])
            covered = [sum(start <= at < end for _, start, end in bars) for at in probes]
            assert lanes.density(lane, probes).tolist() == covered
            assert max(covered) <= max(1, int(lanes.depth[lane]))
        assert seen == set(range(len(spans)))


@settings(max_examples=40)
@given(histories)
def test_a_cell_of_the_square_counts_the_beliefs_over_its_middle(steps: list) -> None:
    with memory() as connection:
        apply(connection, Model(), steps)
        index = SpanIndex(read_spans(connection, MIRA))
        across, up = (to_micros(day(-2)), to_micros(day(LAST_DAY))), (to_micros(day(-1)), to_micros(day(LAST_DAY + 2)))
        counted = grid(rectangles(index.spans, None, across, up), across, up)
        for column in range(3, GRID[0], 31):
            for line in range(2, GRID[1], 19):
                as_of = across[0] + round((across[1] - across[0]) * (column + 0.5) / GRID[0])
                known_at = up[0] + round((up[1] - up[0]) * (line + 0.5) / GRID[1])
                assert counted[line, column] == index.at(Moment(as_of, known_at)).sum()


def test_how_a_fact_stands_follows_both_clocks() -> None:
    with memory() as connection:
        stamp = fact_write.Stamp(day(2))
        new = NewFact(MIRA, "Ann is in Rome.", "rich_note", valid_from=day(5), valid_to=day(8))
        fact, _ = fact_write.append_fact(connection, new, stamp)
        fact_write.supersede_facts(connection, (fact.id,), replace(stamp, at=day(20)))
        fact_write.restore_fact(connection, fact.id, replace(stamp, at=day(25)))
        index = SpanIndex(read_spans(connection, MIRA))

        def stands(as_of: int, known_at: int) -> Standing:
            moment = Moment(to_micros(day(as_of)), to_micros(day(known_at)))
            return Standing(int(index.standing(np.array([0]), moment)[0]))

        assert stands(6, 1) is Standing.UNKNOWN
        assert stands(4, 3) is Standing.AHEAD
        assert stands(5, 3) is Standing.CURRENT
        assert stands(8, 3) is Standing.ENDED
        assert stands(6, 20) is Standing.SUPERSEDED
        assert stands(6, 25) is Standing.CURRENT
