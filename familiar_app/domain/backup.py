"""Which backups are due and which may go: times and rules, nothing of files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

BackupCause = Literal["asked", "scheduled", "upgrade"]

ERASED_KEPT = timedelta(days=30)
"""How long a backup may go on holding what was erased after it was made."""
CHOSEN_KEPT = timedelta(days=30)
"""How long a backup that somebody asked for, or that an upgrade made, is spared from thinning."""

_ENDING = ".backup"
_NAME = re.compile(r"familiar-(\d{8}T\d{6})Z-([a-z]+)(?:-\d+)?\.backup")
_STAMP = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class BackupMark:
    """When a backup was made, to the second, and why."""

    made_at: datetime
    cause: BackupCause


@dataclass(frozen=True, slots=True)
class KeepRule:
    """How many are kept: one of each of the latest days, weeks and months that have one.

    That is the newest; of a day rather the newest that somebody asked for, where there is such a one.
    """

    daily: int
    weekly: int
    monthly: int


def backup_name(mark: BackupMark, number: int = 1) -> str:
    """Return the file's name; `number` tells apart those of one second."""
    again = f"-{number}" if number > 1 else ""
    return f"familiar-{mark.made_at.astimezone(UTC).strftime(_STAMP)}Z-{mark.cause}{again}{_ENDING}"


def mark_of(name: str) -> BackupMark | None:
    """Read a name that `backup_name` wrote, None where it is another."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        made_at = datetime.strptime(found[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
    for cause in get_args(BackupCause):
        if found[2] == cause:
            return BackupMark(made_at, cause)
    return None


def is_due(newest: datetime | None, now: datetime, every: timedelta) -> bool:
    """Tell whether it is time for the next. No time in between means never; a newest one of the future counts not."""
    if every <= timedelta(0):
        return False
    return newest is None or newest > now or now - newest >= every


def holds_erased_before(erasures: Iterable[datetime], now: datetime) -> datetime | None:
    """Return the instant before which a copy holds what was erased long enough ago; None where none can."""
    return max((at for at in erasures if now - at >= ERASED_KEPT), default=None)


def outdated(
    marks: Iterable[BackupMark], now: datetime, rule: KeepRule, erasures: Iterable[datetime] = ()
) -> set[BackupMark]:
    """Return those that may go.

    The newest always stays, unless it holds what was erased thirty days ago or longer.
    """
    # Those of one second in a fixed order, so that thinning again takes none of what was kept.
    known = sorted(set(marks), key=lambda mark: (mark.made_at, mark.cause), reverse=True)
    # False comes before True, and sorting keeps the order of the rest.
    asked_first = sorted(known, key=lambda mark: (-_day_of(mark), mark.cause != "asked"))
    kept = _first_of_each(asked_first, rule.daily, "%Y-%m-%d")
    kept |= _first_of_each(known, rule.weekly, "%G-%V")
    kept |= _first_of_each(known, rule.monthly, "%Y-%m")
    kept |= {mark for mark in known if mark.cause != "scheduled" and now - mark.made_at < CHOSEN_KEPT}
    kept |= set(known[:1])
    limit = holds_erased_before(erasures, now)
    if limit is not None:
        kept = {mark for mark in kept if mark.made_at >= limit}
    return set(known) - kept


def spared_until(mark: BackupMark) -> datetime | None:
    """Return until when a backup is spared from thinning, whatever else there is; None for one made by itself."""
    return None if mark.cause == "scheduled" else mark.made_at + CHOSEN_KEPT


def _day_of(mark: BackupMark) -> int:
    return mark.made_at.toordinal()


def _first_of_each(ordered: list[BackupMark], most: int, period: str) -> set[BackupMark]:
    found: dict[str, BackupMark] = {}
    for mark in ordered:
        found.setdefault(mark.made_at.strftime(period), mark)
    return set(list(found.values())[:most])
