"""When a reminder is due, and how late it comes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.alarm import late_words, parse_when
from familiar_app.domain.errors import UserError

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("20 minutes", "12:20"),
        ("in 20 minutes", "12:20"),
        ("1h 30m", "13:30"),
        ("an", None),
        ("1 hour and 5 min", "13:05"),
        ("90s", "12:01:30"),
        ("15:00", "13:00"),
        ("2024-05-01T15:00", "13:00"),
        ("2024-05-01 15:00+00:00", "15:00"),
        ("2024-05-01T15:00Z", "15:00"),
        ("0 minutes", None),
        ("20 months", None),
        ("2024-05-02", None),
        ("tomorrow", None),
        ("25:00", None),
        ("at 3 pm", "13:00"),
        ("at 15:30", "13:30"),
        ("today 3pm", "13:00"),
        ("today at 9:00", None),
        ("13 pm", None),
        ("9", None),
        ("", None),
        ("2024-05-01T13:59", None),
        ("999999 weeks", None),
        ("400 weeks", None),
    ],
)
def test_a_moment_a_time_of_day_and_a_span_are_read_in_the_owners_zone(text: str, due: str | None) -> None:
    if due is None:
        with pytest.raises(UserError):
            parse_when(text, NOON, BERLIN)
    else:
        assert parse_when(text, NOON, BERLIN) == datetime.fromisoformat(f"2024-05-01T{due}+00:00")


def test_a_time_of_day_that_has_passed_is_tomorrows() -> None:
    assert parse_when("9:05", NOON, BERLIN) == datetime(2024, 5, 2, 7, 5, tzinfo=UTC)


def test_tomorrow_is_the_day_after_today_where_the_owner_is() -> None:
    late = datetime(2024, 5, 1, 22, 30, tzinfo=UTC)
    for text in ("tomorrow at 9", "Tomorrow, 9:00", "tomorrow 9 am"):
        assert parse_when(text, NOON, BERLIN) == datetime(2024, 5, 2, 7, tzinfo=UTC)
        assert parse_when(text, late, BERLIN) == datetime(2024, 5, 3, 7, tzinfo=UTC)


def test_a_time_that_the_change_of_clocks_leaves_out_or_has_twice() -> None:
    spring, autumn = datetime(2024, 3, 30, 12, tzinfo=UTC), datetime(2024, 10, 26, 12, tzinfo=UTC)
    assert parse_when("2024-03-31 02:30", spring, BERLIN) == datetime(2024, 3, 31, 1, 30, tzinfo=UTC)
    assert parse_when("2024-10-27 02:30", autumn, BERLIN) == datetime(2024, 10, 27, 0, 30, tzinfo=UTC)
    # A day that is an hour longer: the same time of day is the next one, not 24 hours later.
    assert parse_when("14:00", autumn, BERLIN) == datetime(2024, 10, 27, 13, tzinfo=UTC)


@given(st.text(max_size=40))
def test_whatever_a_model_writes_is_a_time_ahead_or_refused(text: str) -> None:
    try:
        due = parse_when(text, NOON, BERLIN)
    except UserError:
        return
    assert NOON < due <= NOON + timedelta(days=5 * 366)


@given(st.integers(1, 10_000), st.sampled_from(["s", "sec", "minutes", "m", "h", "hours"]))
def test_a_span_is_as_long_as_it_says(count: int, unit: str) -> None:
    size = {"s": 1, "m": 60, "h": 3600}[unit[0]]
    assert (parse_when(f"in {count} {unit}", NOON, None) - NOON).total_seconds() == count * size


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, ""), (0.9, ""), (1, "1 minute late"), (59, "59 minutes late"), (61, "1 hour late"), (3000, "2 days late")],
)
def test_lateness_is_told_in_its_largest_unit(minutes: float, words: str) -> None:
    assert late_words(timedelta(minutes=minutes)) == words
