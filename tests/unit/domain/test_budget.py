"""The rule by which the room of a prompt is shared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.budget import Section, allot, answer_tokens, stable_start

SECTIONS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000), st.booleans()), max_size=8).map(
    lambda rows: [Section(f"s{n}", need, cap, elastic) for n, (need, cap, elastic) in enumerate(rows)]
)


@given(SECTIONS, st.integers(-100, 20_000))
def test_no_section_above_its_cap_and_no_room_idle(sections: list[Section], room: int) -> None:
    shares = allot(sections, room)
    assert all(0 <= shares[s.name] <= min(s.need, s.cap) for s in sections)
    total = sum(shares.values())
    assert total <= max(0, room)
    wanted = sum(s.want for s in sections)
    assert total >= min(wanted, max(0, room)) - len(sections)


@given(SECTIONS, st.integers(0, 20_000))
def test_history_gives_way_first_down_to_half(sections: list[Section], room: int) -> None:
    shares = allot(sections, room)
    elastic = sum(shares[s.name] for s in sections if s.elastic)
    elastic_want = sum(s.want for s in sections if s.elastic)
    firm_cut = any(shares[s.name] < s.want for s in sections if not s.elastic)
    if firm_cut:
        assert elastic <= room // 2 + len(sections)
        assert elastic >= min(elastic_want, room // 2) - len(sections)


def test_worked_example() -> None:
    sections = [Section("card", 900, 3000), Section("mode", 100, 400), Section("history", 9000, 8000, elastic=True)]
    assert allot(sections, 10_000) == {"card": 900, "mode": 100, "history": 8000}
    assert allot(sections, 2500) == {"card": 900, "mode": 100, "history": 1500}
    assert allot(sections, 1000) == {"card": 441, "mode": 59, "history": 500}
    assert allot(sections, 0) == {"card": 0, "mode": 0, "history": 0}


def test_answer_never_takes_more_than_half() -> None:
    assert answer_tokens(8192, 512) == 512
    assert answer_tokens(600, 512) == 300


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=120),
    st.integers(0, 8000),
    st.sampled_from([1, 4, 16, 64]),
    st.integers(0, 99),
)
def test_shown_turns_fit_and_few_are_lost(costs: list[int], room: int, step: int, offset: int) -> None:
    ids = list(range(offset, offset + len(costs)))
    start = stable_start(ids, costs, room, step)
    assert sum(costs[start:]) <= room
    if 0 < start < len(costs):
        assert sum(costs[start:]) + costs[start - 1] > room - room / 4 - max(costs)


def test_beginning_stays_the_same_for_a_while() -> None:
    starts = {stable_start(range(end), [10] * end, 1000, 16) for end in range(200, 216)}
    assert len(starts) <= 2
    assert stable_start(range(50), [10] * 50, 1000, 16) == 0
    assert stable_start([7], [2000], 1000, 16) == 1
