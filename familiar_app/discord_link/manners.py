"""Tells how long to wait before speaking, because somebody else is writing. Pure: times are seconds of one clock."""

from __future__ import annotations

from dataclasses import dataclass, field

from familiar_app.domain.ids import PersonKey

LASTS_S = 10.0
"""How long Discord shows that somebody is writing, unless they go on."""
MOST_FOR_PERSON_S = 30.0
MOST_FOR_BOTS = 6
_SHORTEST_S, _LONGEST_S = 1.0, 30.0


@dataclass
class Manners:
    """Who is writing in one channel. What somebody said ends their writing."""

    _people: dict[PersonKey, float] = field(default_factory=dict)
    _bots: dict[PersonKey, float] = field(default_factory=dict)

    def typed(self, by: PersonKey, now_s: float, *, bot: bool) -> None:
        """Note that somebody is writing."""
        (self._bots if bot else self._people)[by] = now_s

    def spoke(self, by: PersonKey) -> None:
        """Note that somebody has said what they were writing."""
        self._people.pop(by, None)
        self._bots.pop(by, None)

    def for_person(self, by: PersonKey, now_s: float, waited_s: float) -> float:
        """Return how long to wait for somebody who may go on; 0 where they write no more, or have taken long enough."""
        began = self._people.get(by)
        if began is None or waited_s >= MOST_FOR_PERSON_S:
            return 0.0
        return max(0.0, min(began + LASTS_S - now_s, MOST_FOR_PERSON_S - waited_s))

    def for_bots(self, now_s: float, attempt: int) -> float:
        """Return how long to wait for bots that write, twice as long each time; 0 where none does, or in the end."""
        if attempt >= MOST_FOR_BOTS or not any(now_s - began < LASTS_S for began in self._bots.values()):
            return 0.0
        return min(_LONGEST_S, _SHORTEST_S * 2.0**attempt)
