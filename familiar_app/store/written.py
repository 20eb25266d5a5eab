"""When a summary or a reflection counts as written: by a moment, and about nothing that came after it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from familiar_app.domain.ids import TurnId
from familiar_app.store.moment import to_micros

_ANY = 1 << 62
# Takes the values of `Moment.bounds`; stands in a statement about one table with these columns.
WRITTEN_BY = """created_at <= ? AND last_turn_id <= ? AND (? >= 1 << 62
    OR EXISTS (SELECT 1 FROM turns seen WHERE seen.id = last_turn_id AND seen.at <= ?))"""


@dataclass(frozen=True, slots=True)
class Moment:
    """What had been written by `known_at` and knows of no turn behind `until`, nor of any said after `as_of`."""

    known_at: datetime | None = None
    until: TurnId | None = None
    as_of: datetime | None = None

    def bounds(self) -> tuple[int, int, int, int]:
        """Return the values of `WRITTEN_BY`."""
        written = _ANY if self.known_at is None else to_micros(self.known_at)
        said = _ANY if self.as_of is None else to_micros(self.as_of)
        return written, _ANY if self.until is None else self.until, said, said


NOW = Moment()
