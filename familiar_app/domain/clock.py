"""Time as the program uses it: aware UTC instants behind a clock that tests and `--now` can fix."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Protocol

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr


class Clock(Protocol):
    """Tells the present instant, always aware and in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The computer's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is set, for tests and replays."""

    def __init__(self, instant: datetime) -> None:
        self.instant = as_utc(instant)

    def now(self) -> datetime:
        return self.instant


def as_utc(instant: datetime) -> datetime:
    """Return `instant` in UTC; a naive one is taken to be UTC already."""
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def local_time(instant: datetime, zone: tzinfo | None) -> datetime:
    """Return `instant` as clocks in `zone` show it; None is this computer's zone.

    In the first and last hours that the calendar has, and where the system knows no local time, it stays in UTC.
    """
    try:
        return instant.astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return as_utc(instant)


def parse_time(text: str, *, field: str | None = None) -> datetime:
    """Read an ISO 8601 date or time; without an offset it is UTC.

    Raises BadInputError where the text is no such time or falls outside the years 1 to 9999 once in UTC.
    """
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise BadInputError(
            tr("this is not an ISO 8601 date or time."),
            field=field,
            next_step=tr("Write it like 2024-05-01 or 2024-05-01T12:00:00Z."),
        ) from error


def format_time(instant: datetime) -> str:
    """Write an instant as ISO 8601 in UTC, ending in Z, with microseconds only where there are any.

    >>> format_time(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '2024-05-01T12:00:00Z'
    """
    return as_utc(instant).isoformat().replace("+00:00", "Z")
