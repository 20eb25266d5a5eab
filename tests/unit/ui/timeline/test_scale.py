"""The time scale: sensible ticks from years to seconds, instants written and read in the owner's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from gettext import NullTranslations
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import speak
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.schema_memory import EVER, NEVER
from familiar_app.ui.timeline.scale import HIGHEST, LOWEST, Scale, read_instant, shown, shown_day, ticks, written

ROME = ZoneInfo("Europe/Rome")
NOON = to_micros(datetime(2024, 5, 1, 12, tzinfo=UTC))
instants = st.integers(LOWEST, HIGHEST)


def axis(start: datetime, length: timedelta, width: float = 800.0) -> Scale:
    return Scale(to_micros(start), to_micros(start + length), width)


@pytest.mark.parametrize(
    ("length", "labels"),
    [
        (timedelta(days=365 * 3), ["2021", "Jul", "2022", "Jul", "2023"]),
        (timedelta(days=365), ["Jul", "Oct", "2021", "Apr"]),
        (timedelta(days=40), ["Jun 15 2020", "Jun 22", "Jun 29", "Jul 06", "Jul 13", "Jul 20"]),
        (timedelta(days=2), ["Jun 10", "06:00", "12:00", "18:00", "Jun 11", "06:00", "12:00", "18:00", "Jun 12"]),
        (timedelta(minutes=30), ["Jun 10", "00:05", "00:10", "00:15", "00:20", "00:25", "00:30"]),
        (timedelta(minutes=2), ["Jun 10", "00:00:15", "00:00:30", "00:00:45", "00:01:00"]),
    ],
)
def test_ticks_fall_on_the_units_a_person_counts_in(length: timedelta, labels: list[str]) -> None:
    found = [tick.label for tick in ticks(axis(datetime(2020, 6, 10, tzinfo=UTC), length), 76, UTC)]
    there = found.index(labels[0])
    assert found[there : there + len(labels)] == labels
    assert len(found) <= 10


def test_an_axis_within_one_day_says_which() -> None:
    found = ticks(axis(datetime(2020, 6, 10, 3, tzinfo=UTC), timedelta(hours=8)), 76, UTC)
    assert [tick.label for tick in found][:4] == ["Jun 10, 03:00", "04:00", "05:00", "06:00"]


def test_days_begin_at_midnight_where_the_owner_lives_also_when_the_clocks_change() -> None:
    scale = axis(datetime(2024, 3, 29, tzinfo=UTC), timedelta(days=5), 400)
    midnights = [from_micros(tick.at).astimezone(ROME) for tick in ticks(scale, 76, ROME)]
    assert {(one.hour, one.minute) for one in midnights} == {(0, 0)}
    assert [one.day for one in midnights] == [30, 31, 1, 2, 3]


def test_no_hour_is_skipped_or_told_twice_when_the_clocks_change() -> None:
    scale = axis(datetime(2024, 10, 26, 22, tzinfo=UTC), timedelta(hours=7))
    places = [tick.at for tick in ticks(scale, 76, ROME)]
    assert {after - before for before, after in pairwise(places)} == {3_600_000_000}


@example(-62_132_921_396_000_001, 2_546_526_315_790, 320.0, ROME)
@given(instants, st.integers(2_000_000, HIGHEST - LOWEST), st.floats(320, 3000), st.sampled_from([UTC, ROME]))
def test_ticks_rise_lie_inside_and_leave_room_for_their_labels(
    start: int, length: int, width: float, zone: ZoneInfo
) -> None:
    scale = Scale(start, min(HIGHEST, start + length), width)
    found = ticks(scale, 76, zone)
    places = [tick.at for tick in found]
    assert places == sorted(set(places))
    assert all(scale.start <= at <= scale.end for at in places)
    gaps = [scale.x(after) - scale.x(before) for before, after in pairwise(places)]
    # A month may be shorter than the step counts it, a day an hour shorter.
    assert all(gap >= 76 * 0.85 for gap in gaps)


@given(instants, st.floats(100, 2000))
def test_a_place_leads_back_to_its_instant(at: int, width: float) -> None:
    scale = Scale(at - 1_000_000_000, at + 3_000_000_000, width)
    assert abs(scale.at(scale.x(at)) - at) <= 1 or at in (LOWEST, HIGHEST)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2024-05-01 14:00", NOON),
        ("2024-05-01T12:00:00Z", NOON),
        ("2024-05-01", NOON - 14 * 3_600_000_000),
        ("2024-5", NOON - 14 * 3_600_000_000),
        ("1.5.2024", NOON - 14 * 3_600_000_000),
        ("01. 05. 2024 14:00", NOON),
        (" NOW ", 7),
    ],
)
def test_dates_are_read_where_the_owner_lives(text: str, at: int) -> None:
    assert read_instant(text, ROME, 7) == at


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2024-13-01", "2024-02-30", "0001-01-01", "12345", "31.2.2024", "1.2.24"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(BadInputError):
        read_instant(text, ROME, 7)


def test_open_ends_are_written_in_words() -> None:
    assert (shown(EVER, UTC), shown(NEVER, UTC)) == ("always", "open")
    assert (shown_day(EVER, UTC), shown_day(NEVER, UTC)) == ("always", "open")
    assert (shown(NOON, ROME), shown_day(NOON, ROME)) == ("2024-05-01 14:00", "2024-05-01")
    assert written(NOON, ROME) == "2024-05-01 14:00"
    assert written(to_micros(datetime(33, 4, 3, tzinfo=UTC)), UTC) == "0033-04-03 00:00"


class Ordered(NullTranslations):
    """A language that writes the parts of a date in another order."""

    def __init__(self, order: str) -> None:
        super().__init__()
        self.order = order

    def pgettext(self, context: str, message: str) -> str:
        return self.order if context == "date in figures" else message


@pytest.mark.parametrize(
    ("order", "field"),
    [("{day}.{month}.{year}", "01.05.2024 14:00"), ("{month}/{day}/{year}", "2024-05-01 14:00")],
)
def test_a_field_has_a_date_as_the_language_writes_it_where_that_can_be_read_again(order: str, field: str) -> None:
    speak("xx", Ordered(order))
    try:
        assert written(NOON, ROME) == field
        assert read_instant(field, ROME, 7) == NOON
        assert read_instant(written(NOON + 5_000_000, ROME, precise=True), ROME, 7) == NOON + 5_000_000
    finally:
        speak("en", NullTranslations())


@given(instants)
def test_what_is_written_can_be_read_again(at: int) -> None:
    minute = at - at % 60_000_000
    assert read_instant(written(minute, UTC), UTC, 0) == minute
