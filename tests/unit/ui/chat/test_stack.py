"""Rows keep their place, whatever comes above or below."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.ui.chat.stack import MARGIN_PX, Stack


def make(count: int, height: float = 50.0, viewport: float = 300.0, start: int = 0) -> Stack:
    stack = Stack(lambda _number: height, viewport_px=viewport)
    stack.set_keys([("turn", number) for number in range(start, start + count)])
    return stack


def tops(stack: Stack) -> dict[int, float]:
    return {stack.keys[number][1]: top for number, top, _ in stack.place()}


def test_a_long_channel_opens_at_its_end() -> None:
    assert tops(make(100))[99] == 300 - MARGIN_PX - 50


def test_a_short_channel_stands_at_the_top() -> None:
    assert tops(make(2)) == {0: MARGIN_PX, 1: MARGIN_PX + 50}


def test_nothing_moves_when_a_page_comes_above() -> None:
    stack = make(50, start=100)
    stack.scroll(-777)
    before = tops(stack)
    stack.set_keys([("turn", number) for number in range(40, 150)])
    assert tops(stack) == before


def test_nothing_moves_when_rows_come_below() -> None:
    stack = make(50)
    stack.scroll(-400)
    before = tops(stack)
    stack.set_keys([("turn", number) for number in range(80)])
    assert tops(stack) == before
    assert not stack.following


def test_the_end_is_followed_until_one_scrolls_up() -> None:
    stack = make(50)
    stack.set_keys([("turn", number) for number in range(51)])
    assert tops(stack)[50] == 300 - MARGIN_PX - 50
    stack.scroll(-60)
    stack.set_keys([("turn", number) for number in range(52)])
    assert 51 not in tops(stack)
    stack.scroll(5000)
    assert stack.following


def test_the_beginning_is_not_scrolled_past() -> None:
    stack = make(50)
    stack.scroll(-100_000)
    assert tops(stack)[0] == MARGIN_PX
    assert stack.at_top()


def test_another_shown_row_holds_the_place_when_the_anchor_goes() -> None:
    stack = make(50)
    stack.scroll(-500)
    before = tops(stack)
    first = min(before)
    stack.set_keys([("turn", number) for number in range(50) if number != first])
    after = tops(stack)
    assert after[first + 1] == before[first + 1]


def test_a_shown_row_is_in_view() -> None:
    stack = make(100)
    stack.show(("turn", 40))
    assert 0 < tops(stack)[40] < 300
    assert not stack.following


def test_reveal_moves_as_little_as_it_must() -> None:
    stack = make(100)
    stack.show(("turn", 40), share=0.0)
    before = tops(stack)[40]
    stack.reveal(("turn", 42))
    assert tops(stack)[40] == before


@given(st.lists(st.floats(-900, 900), max_size=20), st.integers(1, 60))
def test_rows_always_join_and_fill_the_view(moves: list[float], count: int) -> None:
    heights = [20.0 + 37 * (number % 5) for number in range(count)]
    stack = Stack(lambda number: heights[number], viewport_px=300)
    stack.set_keys([("turn", number) for number in range(count)])
    for move in moves:
        stack.scroll(move)
    shown = stack.place()
    for (_, top, height), (_, following, _) in pairwise(shown):
        assert abs(top + height - following) < 1e-6
    if sum(heights) > 300:
        assert shown[0][1] <= MARGIN_PX + 1e-6
        assert shown[-1][1] + shown[-1][2] >= 300 - MARGIN_PX - 1e-6
