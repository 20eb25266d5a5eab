"""What somebody looks for: the words, and what the found things have to be. Knows nothing of Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.text import ntr, tr_later

EVERYTHING = ""
KINDS = {
    "person": tr_later("People"),
    "turn": tr_later("Messages"),
    "fact": tr_later("Facts"),
    "memory": tr_later("Saved memories"),
    "reflection": tr_later("Reflections"),
    "lore": tr_later("Lorebook"),
    "prompt": tr_later("Prompts"),
}
"""Each kind of thing in the order of the groups, with its heading."""
ONE = {
    "person": tr_later("Person"),
    "turn": tr_later("Message"),
    "fact": tr_later("Fact"),
    "memory": tr_later("Saved memory"),
    "reflection": tr_later("Reflection"),
    "lore": tr_later("Entry"),
    "prompt": tr_later("Prompt"),
}
"""What one of a kind is called."""
_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
_DOTTED = re.compile(r"(?:(?P<day>\d{1,2})\.\s?)?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words that all have to be there, and the filters. `since` and `until` bound a half-open interval.

    A thing that has no channel, no person or no time does not pass the filter for it.
    """

    text: str = ""
    kind: str = EVERYTHING
    channel: ChannelId | None = None
    person: PersonKey | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def words(self) -> list[str]:
        """The words, without case."""
        return self.text.casefold().split()

    @property
    def longest(self) -> str:
        """The word that is likely to be found least often."""
        return max(self.words, key=len, default="")

    @property
    def narrowed(self) -> bool:
        """Whether a filter other than the kind is set."""
        return any(one is not None for one in (self.channel, self.person, self.since, self.until))

    def wants(self, kind: str) -> bool:
        """Tell whether things of this kind are looked for."""
        return self.kind in (EVERYTHING, kind)

    def in_text(self, *parts: str) -> bool:
        """Tell whether every word stands in one of the parts."""
        whole = "\n".join(parts).casefold()
        return all(word in whole for word in self.words)

    def at(self, moment: datetime | None) -> bool:
        """Tell whether a thing of this time passes."""
        if self.since is None and self.until is None:
            return True
        if moment is None:
            return False
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)

    def by(self, *people: PersonKey | None) -> bool:
        """Tell whether a thing of these people passes."""
        return self.person is None or self.person in people

    def there(self, channel: ChannelId | None) -> bool:
        """Tell whether a thing of this channel passes."""
        return self.channel is None or channel == self.channel


def more_words(kind: str, count: int) -> str:
    """Say that so many more of a kind were found."""
    match kind:
        case "person":
            return ntr("{n} more person", "{n} more people", count)
        case "turn":
            return ntr("{n} more message", "{n} more messages", count)
        case "fact":
            return ntr("{n} more fact", "{n} more facts", count)
        case "memory":
            return ntr("{n} more saved memory", "{n} more saved memories", count)
        case "reflection":
            return ntr("{n} more reflection", "{n} more reflections", count)
        case "lore":
            return ntr("{n} more entry", "{n} more entries", count)
    return ntr("{n} more prompt", "{n} more prompts", count)


def read_day(text: str, zone: tzinfo, *, end: bool = False) -> datetime | None:
    """Read `2024`, `2024-05` or `2024-05-03` as the first instant of it, or with `end` the first one after it.

    A date may also go from day to year with dots between, `3.5.2024`.
    None for an empty text. Raises ValueError where it is no date.
    """
    text = text.strip()
    if not text:
        return None
    found = _DATE.fullmatch(text) or _DOTTED.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day = (None if part is None else int(part) for part in found.group("year", "month", "day"))
    shown = date(year or 0, month or 1, day or 1)
    if end:
        shown = _after(shown, month is not None, day is not None)
    return datetime(shown.year, shown.month, shown.day, tzinfo=zone)


def _after(first: date, of_month: bool, of_day: bool) -> date:
    """Return the day after a day, month or year that begins with `first`. Raises ValueError beyond the calendar."""
    if not of_month:
        return date(first.year + 1, 1, 1)
    if not of_day:
        return date(first.year + first.month // 12, first.month % 12 + 1, 1)
    if first == date.max:
        raise ValueError(str(first))
    return first + timedelta(days=1)
