"""How many memories fit, which of them rest, and which one has to make room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from familiar_app.domain.ids import Lineage
from familiar_app.domain.saved_memory.memory import SavedMemory


@dataclass(frozen=True, slots=True)
class Decay:
    """When memories rest. `days` is None where they never do; `retrieval` tells that similar words can wake them."""

    days: int | None = None
    retrieval: bool = False

    @property
    def on(self) -> bool:
        """Whether anything can be dormant: without retrieval it would be lost instead of resting."""
        return self.days is not None and self.retrieval


def is_dormant(memory: SavedMemory, now: datetime, decay: Decay) -> bool:
    """Tell whether a memory rests: longer than the days of decay without being made or of use."""
    if decay.days is None or not decay.retrieval or not memory.active:
        return False
    last = memory.last_reinforced_at or memory.created_at
    return (now - last) / timedelta(days=1) > decay.days


def first_to_go(rows: Iterable[SavedMemory], lineage: Lineage, now: datetime, decay: Decay) -> SavedMemory | None:
    """Choose the row that makes room for a new one, or None: the new one has to be refused.

    Never one that rests not, was written by a person, or belongs to another lineage (to all of them, too).
    """
    eligible = [
        row for row in rows if row.place.lineage == lineage and not row.manually_written and is_dormant(row, now, decay)
    ]
    return min(eligible, key=_usefulness, default=None)


def _usefulness(row: SavedMemory) -> tuple[bool, float, float, int]:
    reinforced = row.last_reinforced_at
    return (
        reinforced is not None,
        reinforced.timestamp() if reinforced is not None else 0.0,
        row.created_at.timestamp(),
        row.id,
    )
