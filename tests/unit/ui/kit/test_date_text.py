"""Dates in words: in the window's language, whatever language the system's clock speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from gettext import NullTranslations
from pathlib import Path

import pytest

from familiar_app.domain import text
from familiar_app.ui.kit import date_text

UI = Path(date_text.__file__).parent.parent
AT = datetime(2024, 9, 3, 14, 32, 5, tzinfo=UTC)
ORDERS = {
    "{day} {month} {year}": "{day}. {month} {year}",
    "{day} {month}": "{day}. {month}",
    "{date} at {time}": "{date} um {time}",
    "{year}-{month}-{day}": "{day}.{month}.{year}",
    "{month} {day}": "{day}. {month}",
    "{month} {day} {year}": "{day}. {month} {year}",
}


class German(NullTranslations):
    def pgettext(self, context: str, message: str) -> str:
        return ORDERS.get(message, message)


@pytest.fixture
def german() -> Iterator[None]:
    text.speak("de", German())
    yield
    text.speak("en", NullTranslations())


def test_english() -> None:
    assert date_text.long_date(AT) == "3 September 2024"
    assert date_text.short_date(AT) == "3 Sep 2024"
    assert date_text.short_day(AT) == "3 Sep"
    assert date_text.date_time(AT) == "3 September 2024 at 14:32"
    assert date_text.full_time(AT) == "3 September 2024, 14:32:05"
    assert date_text.short_date_time(AT) == "3 Sep 2024 14:32"
    assert date_text.short_date_time(AT, year=False) == "3 Sep 14:32"
    assert date_text.numeric_date_time(AT) == "2024-09-03 14:32"
    assert date_text.month_year(AT) == "Sep 2024"
    assert date_text.month_day(AT) == "Sep 03"
    assert date_text.month_day(AT, year=True) == "Sep 03 2024"
    assert date_text.weekday(AT) == "Tuesday"


def test_names_and_order_are_the_languages(german: None) -> None:
    assert date_text.long_date(date(2024, 3, 1)) == "1. März 2024"
    assert date_text.short_date(AT) == "3. Sept. 2024"
    assert date_text.date_time(AT) == "3. September 2024 um 14:32"
    assert date_text.numeric_date_time(AT, seconds=True) == "03.09.2024 14:32:05"
    assert date_text.month_day(AT) == "03. Sep"
    assert (date_text.month_name(5), date_text.short_month(12)) == ("Mai", "Dez")
    assert [date_text.weekday(date(2024, 9, day)) for day in (1, 2)] == ["Sonntag", "Montag"]


def test_the_first_years_have_no_marks_of_grouping_and_keep_their_width_in_figures() -> None:
    assert date_text.long_date(date(33, 4, 3)) == "3 April 33"
    assert date_text.numeric_date(date(33, 4, 3)) == "0033-04-03"
    assert date_text.long_date(date(9999, 12, 31)) == "31 December 9999"


def test_nothing_in_the_window_is_written_by_the_systems_names_of_months_and_days() -> None:
    """They follow the language of the system, which Qt sets for the whole process, and not the window's."""
    spoken = re.compile(r"%-?[aAbBcxXp](?![a-zA-Z])")
    found = [
        f"{file.relative_to(UI)}:{number}"
        for file in sorted(UI.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if spoken.search(line)
    ]
    assert found == []
