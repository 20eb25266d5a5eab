"""Instants: read, written, and shown by the clocks of a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

from familiar_app.domain.clock import format_time, local_time, parse_time
from familiar_app.domain.errors import BadInputError

EAST, WEST = timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "zone", "shown"),
    [
        (datetime(2024, 5, 1, 20, tzinfo=UTC), EAST, "2024-05-02T05:00:00"),
        (datetime(2024, 5, 1, 2, tzinfo=UTC), WEST, "2024-04-30T21:00:00"),
        (FIRST, EAST, "0001-01-01T09:00:00"),
        (FIRST, WEST, "0001-01-01T00:00:00"),
        (LAST, EAST, "9999-12-31T23:59:59.999999"),
        (LAST, WEST, "9999-12-31T18:59:59.999999"),
    ],
)
def test_every_instant_has_a_local_time(instant: datetime, zone: tzinfo, shown: str) -> None:
    assert local_time(instant, zone).replace(tzinfo=None).isoformat() == shown


@pytest.mark.parametrize("instant", [FIRST, LAST])
def test_this_computers_zone_never_fails(instant: datetime) -> None:
    assert local_time(instant, None).year == instant.year


@pytest.mark.parametrize("text", ["", "now", "0000-01-01", "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="ISO 8601"):
        parse_time(text)


def test_times_go_there_and_back() -> None:
    assert format_time(parse_time("2024-05-01T12:00:00.5+05:30")) == "2024-05-01T06:30:00.500000Z"
