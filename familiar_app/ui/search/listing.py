"""The rows of the result list: a heading for each group, its things, and the way to the rest. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import tr
from familiar_app.ui.kit.date_text import short_date, short_day, time_text
from familiar_app.ui.search.found import Found, Group
from familiar_app.ui.search.wanted import ONE


@dataclass(frozen=True, slots=True)
class Row:
    """One row. A heading can't be chosen; `more` shows all of its kind."""

    sort: Literal["heading", "found", "more"]
    kind: str
    text: str
    found: Found | None = None
    time: str = ""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        if self.found is None:
            return self.text
        one = self.found
        parts = (tr(ONE[one.kind]), one.title, one.text, one.note, one.place, self.time)
        return ", ".join(part for part in parts if part)


def rows_of(groups: Sequence[Group], now: datetime, zone: tzinfo) -> list[Row]:
    """Lay the groups out one below the other."""
    rows: list[Row] = []
    for one in groups:
        rows.append(Row("heading", one.kind, one.heading))
        rows += [Row("found", one.kind, found.text, found, when(found.at, now, zone)) for found in one.found]
        if one.more:
            rows.append(Row("more", one.kind, one.rest))
    return rows


def when(at: datetime | None, now: datetime, zone: tzinfo) -> str:
    """Write when: the time for today, the day for this year, the year as well for another."""
    if at is None:
        return ""
    there, here = local_time(at, zone), local_time(now, zone)
    if there.date() == here.date():
        return time_text(there)
    return short_day(there) if there.year == here.year else short_date(there)


def first_choice(rows: Sequence[Row], before: Found | None) -> int:
    """Return the row to choose: the thing that was chosen before, else the first that can be."""
    if before is not None:
        for number, row in enumerate(rows):
            if row.found is not None and (row.found.kind, row.found.id) == (before.kind, before.id):
                return number
    return next((number for number, row in enumerate(rows) if row.sort != "heading"), -1)
