"""The time scale of the picture: where an instant lies, which ticks an axis has, how instants are written and read.

Times are microseconds since 1970. Ticks fall on the owner's years, months, days, hours or minutes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from familiar_app.domain.clock import as_utc, local_time, parse_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import ptr, tr
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.schema_memory import EVER, NEVER
from familiar_app.ui.kit.date_text import month_day, month_year, numeric_date, numeric_date_time, short_month, time_text

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
YEAR = 366 * DAY
LOWEST, HIGHEST = to_micros(datetime(1, 1, 2, tzinfo=UTC)), to_micros(datetime(9999, 12, 30, tzinfo=UTC))
SHORTEST = 2 * SECOND
MOST_TICKS = 60

# Steps as (unit, how many of it, length at least).
_STEPS = (
    *(("second", n, n * SECOND) for n in (1, 5, 15, 30)),
    *(("minute", n, n * MINUTE) for n in (1, 5, 15, 30)),
    *(("hour", n, n * HOUR) for n in (1, 3, 6, 12)),
    *(("day", n, n * DAY) for n in (1, 2, 7)),
    *(("month", n, n * 28 * DAY) for n in (1, 3, 6)),
    *(("year", n, n * 365 * DAY) for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)),
)
_LOCAL = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(.*)")
_ZONED = re.compile(r"(Z|[+-]\d\d(:?\d\d)?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis. `strong` marks a change of the next larger unit, which the label then names."""

    at: int
    label: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `[start, end]` onto `[0, width]` pixels."""

    start: int
    end: int
    width: float

    def x(self, at: int) -> float:
        """Return the place of an instant; far outside it stays within reach of a painter."""
        share = (at - self.start) / max(1, self.end - self.start)
        return max(-1e6, min(1e6, share * self.width))

    def at(self, x: float) -> int:
        """Return the instant at a place."""
        return clamped(self.start + round((self.end - self.start) * x / max(1.0, self.width)))

    @property
    def per_pixel(self) -> float:
        return (self.end - self.start) / max(1.0, self.width)


def clamped(at: int) -> int:
    """Keep an instant within the calendar."""
    return max(LOWEST, min(HIGHEST, at))


def ticks(scale: Scale, label_width: float, zone: tzinfo) -> list[Tick]:
    """Return the ticks of an axis, as close as labels of that width allow."""
    least = scale.per_pixel * max(label_width, 8.0)
    at = bisect_left([length for _, _, length in _STEPS], least)
    unit, number, _ = _STEPS[min(at, len(_STEPS) - 1)]
    here = _floor(local_time(from_micros(clamped(scale.start)), zone), unit, number)
    found: list[Tick] = []
    for _ in range(MOST_TICKS * 4):
        instant = _micros(here)
        if instant > scale.end or len(found) >= MOST_TICKS:
            break
        if instant >= scale.start:
            found.append(Tick(instant, *_label(here, unit)))
        following = _next(here, unit, number)
        if following is None:
            break
        here = following
    if found and not any(one.strong for one in found) and unit != "year":
        first = local_time(from_micros(found[0].at), zone)
        found[0] = Tick(found[0].at, _first_label(first, unit), strong=True)
    return found


def written(at: int, zone: tzinfo, *, precise: bool = False) -> str:
    """Write an instant into a field, in the owner's zone, so that `read_instant` can read it again."""
    here = local_time(from_micros(at), zone)
    text = numeric_date_time(here, seconds=precise)
    if _LOCAL.fullmatch(text):
        return text
    # In the language's own order only where that is read here.
    return f"{here.year:04d}-{here.month:02d}-{here.day:02d} {time_text(here, seconds=precise)}"


def shown(at: int, zone: tzinfo) -> str:
    """Write an instant to be read by people, in the owner's zone and the window's language; open ends in words."""
    return _open_end(at) or numeric_date_time(local_time(from_micros(at), zone))


def shown_day(at: int, zone: tzinfo) -> str:
    """Write the day of an instant to be read by people; open ends in words."""
    return _open_end(at) or numeric_date(local_time(from_micros(at), zone))


def _open_end(at: int) -> str:
    return ptr("since", "always") if at <= EVER else ptr("until", "open") if at >= NEVER else ""


def read_instant(text: str, zone: tzinfo, now: int) -> int:
    """Read a date, a date with a time of day, or `now`; without an offset it is in the owner's zone.

    A date may be in figures from the largest to the smallest, or from day to year with dots between.

    Raises BadInputError where it is no such thing.
    """
    plain = text.strip()
    if plain.casefold() in ("now", "today", ptr("typed as a date", "now"), ptr("typed as a date", "today")):
        return now
    if (dotted := _LOCAL.fullmatch(plain)) is not None:
        day, month, year, rest = dotted.groups()
        plain = f"{year}-{int(month):02d}-{int(day):02d}{rest}"
    if re.fullmatch(r"\d{4}(-\d{1,2})?", plain):
        year, _, month = plain.partition("-")
        plain = f"{year}-{int(month or 1):02d}-01"
    parsed = _parsed(plain)
    if _ZONED.search(plain) and ":" in plain:
        return to_micros(parsed)
    try:
        return to_micros(parsed.replace(tzinfo=zone))
    except (OverflowError, ValueError) as error:
        raise BadInputError(
            tr("this lies outside the calendar."), next_step=tr("Write it like 2024-05-01 18:30.")
        ) from error


def _parsed(plain: str) -> datetime:
    """Read a time as files have it, and refuse another one in words for a person, who need know no standard."""
    try:
        return parse_time(plain)
    except BadInputError as error:
        raise BadInputError(tr("This is no date or time."), next_step=tr("Write it like 2024-05-01 18:30.")) from error


def _micros(at: datetime) -> int:
    """Return an instant of the owner's zone; the first hours of the calendar, which UTC lacks, lie before it."""
    try:
        return to_micros(as_utc(at))
    except (OverflowError, ValueError):
        return LOWEST - 1 if at.year == 1 else HIGHEST + 1


def _floor(at: datetime, unit: str, number: int) -> datetime:
    """Return the last instant of a step at or before `at`."""
    if unit == "year":
        return at.replace(
            year=max(1, at.year - at.year % number), month=1, day=1, hour=0, minute=0, second=0, microsecond=0
        )
    if unit == "month":
        month = at.month - (at.month - 1) % number
        return at.replace(month=month, day=1, hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        back = (at.toordinal() - 1) % number
        start = at.replace(hour=0, minute=0, second=0, microsecond=0)
        return start if at.toordinal() <= back + 1 else start - timedelta(days=back)
    if unit == "hour":
        return at.replace(hour=at.hour - at.hour % number, minute=0, second=0, microsecond=0)
    if unit == "minute":
        return at.replace(minute=at.minute - at.minute % number, second=0, microsecond=0)
    return at.replace(second=at.second - at.second % number, microsecond=0)


def _next(at: datetime, unit: str, number: int) -> datetime | None:
    try:
        if unit == "year":
            return at.replace(year=(at.year if at.year % number == 0 else 0) + number)
        if unit == "month":
            month = at.month - 1 + number
            return at.replace(year=at.year + month // 12, month=month % 12 + 1)
        if unit == "day":
            return at + timedelta(days=number)
        if unit == "hour" and number > 1:
            return at + timedelta(hours=number)
        # Single hours and less are counted in real time: a change of the clocks neither skips nor repeats one.
        length = {"hour": HOUR, "minute": MINUTE, "second": SECOND}[unit] * number
        return local_time(from_micros(to_micros(as_utc(at)) + length), at.tzinfo)
    except (ValueError, OverflowError):
        return None


def _label(at: datetime, unit: str) -> tuple[str, bool]:
    if unit == "year":
        return f"{at.year}", False
    if unit == "month":
        return (f"{at.year}", True) if at.month == 1 else (short_month(at.month), False)
    if unit == "day":
        if at.day <= 2 and at.month == 1:
            return month_year(at), True
        return month_day(at), at.day == 1
    if at.hour == 0 and at.minute == 0 and at.second == 0:
        return month_day(at), True
    return time_text(at, seconds=unit == "second"), False


def _first_label(at: datetime, unit: str) -> str:
    """Say where in time an axis is on which no larger unit begins."""
    if unit == "month":
        return month_year(at)
    if unit == "day":
        return month_day(at, year=True)
    return f"{month_day(at)}, {time_text(at, seconds=unit == 'second')}"
