"""Ids of buttons, marks that go stale, and the turning of pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.page import ID_PATTERN, fitting, id_of, mark_of, number_in, parts_of, shortened, turned
from familiar_app.discord_link.split import LIMIT, units
from familiar_app.domain.ids import FamiliarId

ACTIONS = st.from_regex(r"[a-z]{1,10}\.[a-z]{1,15}", fullmatch=True)
FAMILIARS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True)
ARGS = st.lists(st.from_regex(r"[0-9a-z]{0,9}", fullmatch=True), max_size=4)


@given(ACTIONS, FAMILIARS, ARGS)
def test_an_id_is_short_enough_and_read_back(action: str, familiar: str, args: list[str]) -> None:
    made = id_of(action, FamiliarId(familiar), args)
    assert len(made) <= 100
    assert re.fullmatch(ID_PATTERN, made)
    assert parts_of(made) == (action, mark_of(familiar), tuple(args))


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "٣", "9" * 30])
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_in((text,)) == 0
    assert number_in(()) == 0


def test_a_mark_changes_with_what_it_is_made_of() -> None:
    assert mark_of("a", 1) == mark_of("a", "1")
    assert len({mark_of("a", "b"), mark_of("ab", ""), mark_of("", "ab"), mark_of("a", "b", "")}) == 4


@given(st.text(max_size=200), st.integers(1, 60))
def test_a_shortened_text_is_one_line_that_fits(text: str, most: int) -> None:
    line = shortened(text, most)
    assert len(line) <= most
    assert "\n" not in line


@given(st.text(alphabet="a😀é", max_size=2500))
def test_a_text_is_cut_to_one_message_as_discord_counts(text: str) -> None:
    cut = fitting(text)
    assert units(cut) <= LIMIT
    assert cut == text or (cut.endswith("…") and units(cut) > LIMIT - 6)


def test_long_texts_fit() -> None:
    for text in ("😀" * 5000, "a" * 5000, "a😀" * 3000):
        cut = fitting(text)
        assert LIMIT - 6 < units(cut) <= LIMIT


@pytest.mark.parametrize(
    ("start", "total", "back", "ahead"),
    [(0, 9, ("0", True), ("4", False)), (4, 9, ("0", False), ("8", False)), (8, 9, ("4", False), ("12", True))],
)
def test_pages_are_turned_within_their_bounds(
    start: int, total: int, back: tuple[str, bool], ahead: tuple[str, bool]
) -> None:
    shown = [(one.args[0], one.disabled) for one in turned("a.page", start, 4, total)]
    assert shown == [back, ahead]


def test_one_page_is_not_turned() -> None:
    assert turned("a.page", 0, 4, 4) == ()
