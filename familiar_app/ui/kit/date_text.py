"""Dates and times in words, in the window's language. Moments are shown as they are given: in the owner's zone.

The names of months and days come from Qt's tables, the order of the parts from the catalogue. `strftime` has no part in
it: it speaks the language of the system, which is another matter than the window's.
"""

from __future__ import annotations

from datetime import date, datetime

from PySide6.QtCore import QLocale

from familiar_app.domain.text import language, ptr

_SHORT = QLocale.FormatType.ShortFormat
_LONG = QLocale.FormatType.LongFormat


def long_date(day: date) -> str:
    """Write a date in words: 3 May 2024."""
    return ptr("date", "{day} {month} {year}", day=day.day, month=_in_date(day, _LONG), year=str(day.year))


def short_date(day: date) -> str:
    """Write a date with a short month: 3 Sep 2024."""
    return ptr("date", "{day} {month} {year}", day=day.day, month=_in_date(day, _SHORT), year=str(day.year))


def short_day(day: date) -> str:
    """Write a date with a short month and without its year: 3 Sep."""
    return ptr("date without year", "{day} {month}", day=day.day, month=_in_date(day, _SHORT))


def date_time(at: datetime) -> str:
    """Write a moment in words: 3 May 2024 at 14:32."""
    return ptr("date and time", "{date} at {time}", date=long_date(at), time=time_text(at))


def full_time(at: datetime) -> str:
    """Write a moment in words, to the second: 3 May 2024, 14:32:05."""
    return f"{long_date(at)}, {time_text(at, seconds=True)}"


def short_date_time(at: datetime, *, year: bool = True) -> str:
    """Write a moment for a narrow column: 3 Sep 2024 14:32, or 3 Sep 14:32."""
    return f"{short_date(at) if year else short_day(at)} {time_text(at)}"


def time_text(at: datetime, *, seconds: bool = False) -> str:
    """Write the time of day: 14:32, or 14:32:05."""
    return f"{at:%H:%M:%S}" if seconds else f"{at:%H:%M}"


def numeric_date(day: date) -> str:
    """Write a date in figures alone: 2024-05-03. Not for a field that is read again."""
    year, month, number = f"{day.year:04d}", f"{day.month:02d}", f"{day.day:02d}"
    return ptr("date in figures", "{year}-{month}-{day}", year=year, month=month, day=number)


def numeric_date_time(at: datetime, *, seconds: bool = False) -> str:
    """Write a moment in figures alone: 2024-05-03 14:32. Not for a field that is read again."""
    return f"{numeric_date(at)} {time_text(at, seconds=seconds)}"


def month_name(month: int) -> str:
    """Name a month, from 1 to 12: September."""
    return _locale().standaloneMonthName(month, _LONG)


def short_month(month: int) -> str:
    """Name a month shortly, from 1 to 12: Sep."""
    return _locale().standaloneMonthName(month, _SHORT)


def month_year(day: date) -> str:
    """Write a month with its year, shortly: Sep 2024."""
    return ptr("month and year", "{month} {year}", month=short_month(day.month), year=str(day.year))


def month_day(day: date, *, year: bool = False) -> str:
    """Write a date for an axis, always equally long: Sep 03, or Sep 03 2024."""
    month, number = short_month(day.month), f"{day.day:02d}"
    if year:
        return ptr("date on an axis", "{month} {day} {year}", month=month, day=number, year=str(day.year))
    return ptr("date on an axis", "{month} {day}", month=month, day=number)


def weekday(day: date) -> str:
    """Name the day of the week: Monday."""
    return _locale().standaloneDayName(day.isoweekday(), _LONG)


def _in_date(day: date, form: QLocale.FormatType) -> str:
    return _locale().monthName(day.month, form)


def _locale() -> QLocale:
    return QLocale(language())
