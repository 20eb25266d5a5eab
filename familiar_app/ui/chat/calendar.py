"""Where turns lie within their channel, told by days: for marks beside the transcript and for going to a date."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import DayMark


@dataclass(slots=True)
class Calendar:
    """The days of one channel, oldest first. Places within a day are estimated from the turn's id."""

    days: list[DayMark] = field(default_factory=list)
    _firsts: list[int] = field(default_factory=list)
    _before: list[int] = field(default_factory=list)

    def fill(self, days: Sequence[DayMark]) -> None:
        """Take in the days of a channel."""
        self.days = list(days)
        self._firsts = [day.first_turn for day in self.days]
        self._before = [0]
        for day in self.days:
            self._before.append(self._before[-1] + day.turns)

    @property
    def turns(self) -> int:
        """How many turns the channel has."""
        return self._before[-1] if self._before else 0

    def add(self, turn: TurnId, day: date) -> None:
        """Count a turn that was just said."""
        if self.days and self.days[-1].day == day.isoformat():
            last = self.days[-1]
            self.days[-1] = replace(last, turns=last.turns + 1)
            self._before[-1] += 1
        else:
            self.fill([*self.days, DayMark(day.isoformat(), turn, 1)])

    def place(self, turn: TurnId, *, newest: TurnId | None = None) -> float:
        """Return where a turn lies, 0 for the first of the channel, 1 for its end. O(log days)."""
        if not self.turns:
            return 1.0
        index = max(0, bisect_right(self._firsts, turn) - 1)
        start = self._firsts[index]
        end = self._end(index, newest)
        within = min(1.0, max(0.0, (turn - start) / (end - start))) if end > start else 0.0
        return (self._before[index] + within * self.days[index].turns) / self.turns

    def near(self, place: float, *, newest: TurnId | None = None) -> TurnId | None:
        """Return an id near a place (0..1); the turn of that id need not be of this channel."""
        if not self.turns:
            return None
        wanted = min(1.0, max(0.0, place)) * self.turns
        index = min(max(0, bisect_right(self._before, wanted) - 1), len(self.days) - 1)
        start, end = self._firsts[index], self._end(index, newest)
        share = (wanted - self._before[index]) / self.days[index].turns if self.days[index].turns else 0.0
        return TurnId(start + int(share * max(0, end - start)))

    def marks(self, most: int = 24) -> list[tuple[float, str]]:
        """Return places of days with their names; evenly thinned out to at most `most`."""
        step = max(1, -(-len(self.days) // most))
        return [(self._before[i] / self.turns, self.days[i].day) for i in range(0, len(self.days), step) if self.turns]

    def has(self, day: date) -> bool:
        """Tell whether anything was said on a day."""
        return any(mark.day == day.isoformat() for mark in self.days)

    def _end(self, index: int, newest: TurnId | None) -> int:
        if index + 1 < len(self._firsts):
            return self._firsts[index + 1]
        return max(newest if newest is not None else 0, self._firsts[index] + self.days[index].turns)
