"""How near in meaning entries are to what was said last, and which of them are near enough to come in by that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from familiar_app.domain.lorebook.entry import EntryKey


@dataclass(frozen=True)
class Likeness:
    """Cosines of the entries that ask to be compared, from -1 to 1; at most `limit` come in, 0 for no limit.

    An entry without a cosine has not been looked at yet.
    """

    cosines: Mapping[EntryKey, float]
    threshold: float
    limit: int = 0

    @cached_property
    def nearest(self) -> frozenset[EntryKey]:
        """The entries that are near enough, but for those that others push out."""
        near = [key for key, cosine in self.cosines.items() if cosine >= self.threshold]
        near.sort(key=lambda key: (-self.cosines[key], str(key)))
        return frozenset(near[: self.limit or None])
