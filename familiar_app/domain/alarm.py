"""Reminders: when they are due, and how that is said. The store keeps them, the conversation lets them go off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from familiar_app.domain.clock import as_utc, local_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import tr, tr_later

ALARM_SET = "alarm_set"
ALARM_CANCEL = "alarm_cancel"
ALARM_DUE = "alarm_due"
ALARM_MODES = frozenset((ALARM_SET, ALARM_CANCEL, ALARM_DUE))
MAX_WAITING = 50
"""How many reminders of one familiar may wait at once."""
MAX_TEXT_CHARS = 500
_FURTHEST = timedelta(days=5 * 366)
_ON_TIME = timedelta(minutes=1)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WORDS = r"s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?"
_STEP = re.compile(rf"\s*(\d{{1,6}})\s*({_WORDS})(?![a-z])\s*(?:,|and\b)?", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:(?P<day>today|tomorrow)[\s,]*)?(?:at\s+)?(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>am|pm)?",
    re.IGNORECASE,
)
_HINT = tr_later("Write a local time like 2024-05-01T14:30 or 14:30, or a span like 20 minutes.")


@dataclass(frozen=True, slots=True)
class NewAlarm:
    """A reminder that is about to be set. `person` asked for it, in the turn `asked`."""

    familiar: FamiliarId
    channel: ChannelId
    due_at: datetime
    text: str
    person: PersonKey | None = None
    asked: TurnId | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """A reminder that was set. Its number is the turn that set it; `fired` is the turn that told it was due."""

    id: TurnId
    familiar: FamiliarId
    channel: ChannelId
    due_at: datetime
    set_at: datetime
    text: str
    person: PersonKey | None = None
    fired: TurnId | None = None


def parse_when(text: str, now: datetime, zone: tzinfo | None) -> datetime:
    """Read when a reminder is wanted, as aware UTC: a local date and time, a time of day, or a span from now.

    A time of day is the next such moment. A time that a change of clocks leaves out lies as much later as the clocks
    are put forward; one that comes twice is the first. Raises UserError, also for what is past or years ahead.
    """
    wanted = text.strip()
    try:
        due = _span_end(wanted, now) or _time_of_day(wanted, now, zone) or _moment(wanted, zone)
    except (ValueError, OverflowError) as error:
        raise UserError(tr("This is no time."), tr(_HINT)) from error
    if due <= now:
        raise UserError(tr("This time has passed."), tr(_HINT))
    if due - now > _FURTHEST:
        raise UserError(tr("This is more than five years ahead."), tr("Choose an earlier time."))
    return due


def late_words(late: timedelta) -> str:
    """Say how late something comes, in its largest unit; empty where it is on time.

    >>> late_words(timedelta(hours=3, minutes=20))
    '3 hours late'
    """
    if late < _ON_TIME:
        return ""
    minutes = int(late.total_seconds() // 60)
    for unit, size in (("day", 24 * 60), ("hour", 60), ("minute", 1)):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'s' if count > 1 else ''} late"
    return ""


def _span_end(text: str, now: datetime) -> datetime | None:
    """Return the end of a span such as `1h 30m` or `in 20 minutes`; None where the text is none."""
    rest = re.sub(r"^in\s+", "", text, flags=re.IGNORECASE)
    total, place = timedelta(), 0
    while place < len(rest):
        step = _STEP.match(rest, place)
        if step is None:
            return None
        total += timedelta(**{_UNITS[step[2][0].lower()]: int(step[1])})
        place = step.end()
    return now + total if total else None


def _time_of_day(text: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    """Return when local clocks show a time, on the day that is named or the next; None where the text is none."""
    found = _CLOCK.fullmatch(text)
    if found is None or not (found["day"] or found["minute"] or found["half"]):
        return None
    wanted = time(_hour(int(found["hour"]), (found["half"] or "").lower()), int(found["minute"] or 0))
    day, named = local_time(now, zone).date(), (found["day"] or "").lower()
    due = _placed(datetime.combine(day + timedelta(days=named == "tomorrow"), wanted), zone)
    return due if named or due > now else _placed(datetime.combine(day + timedelta(days=1), wanted), zone)


def _hour(hour: int, half: str) -> int:
    """Return the hour of the day. Raises ValueError for the thirteenth of half a day."""
    if half and not 1 <= hour <= 12:
        raise ValueError("half a day has twelve hours")
    return hour if not half else hour % 12 + (12 if half == "pm" else 0)


def _moment(text: str, zone: tzinfo | None) -> datetime:
    if not re.search(r"\d:\d\d", text):
        raise ValueError("a date alone is no moment")
    found = datetime.fromisoformat(text)
    return as_utc(found) if found.tzinfo is not None else _placed(found, zone)


def _placed(local: datetime, zone: tzinfo | None) -> datetime:
    """Return a local time in UTC; None is this computer's zone."""
    return as_utc(local.replace(tzinfo=zone) if zone is not None else local.astimezone())
