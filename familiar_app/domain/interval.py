"""Half-open intervals of time, `[since, until)`, where either end may be open."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from familiar_app.domain.record import record


@record(frozen=True, slots=True)
class Interval:
    """From `since` (None: always before) up to, but not including, `until` (None: not ended)."""

    since: datetime | None
    until: datetime | None

    def __contains__(self, instant: datetime) -> bool:
        return (self.since is None or self.since <= instant) and (self.until is None or instant < self.until)

    @property
    def empty(self) -> bool:
        """True where no instant lies inside, as when the end does not come after the start."""
        return self.since is not None and self.until is not None and self.until <= self.since


def edges(intervals: Iterable[Interval]) -> list[datetime]:
    """Return every instant at which the answer to "inside any of them?" can change, in order, each once."""
    return sorted({end for one in intervals if not one.empty for end in (one.since, one.until) if end is not None})
