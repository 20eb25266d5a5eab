"""Search within one prompt: every place of a word, and which of them is being looked at. Knows nothing of Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from familiar_app.domain.text import tr

MOST = 5000
"""After so many hits the search ends; the line it is in is searched to its end."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in a text: the line, and first and last column as a text field counts them (UTF-16 units)."""

    line: int
    start: int
    end: int


@dataclass(slots=True)
class Find:
    """Hits in reading order; `current` is the index of the one shown, -1 where there is none."""

    text: str = ""
    hits: list[Hit] = field(default_factory=list)
    current: int = -1

    def search(self, text: str, lines: Sequence[str], *, near: int = 0) -> None:
        """Find `text` whatever its case, and begin with the first hit from line `near` on."""
        self.text, self.hits, self.current = text, [], -1
        if not text:
            return
        pattern = re.compile(re.escape(text), re.IGNORECASE)
        for number, line in enumerate(lines):
            for found in pattern.finditer(line):
                self.hits.append(Hit(number, units(line[: found.start()]), units(line[: found.end()])))
            if len(self.hits) >= MOST:
                break
        if self.hits:
            self.current = next((at for at, hit in enumerate(self.hits) if hit.line >= near), 0)

    def step(self, direction: int) -> Hit | None:
        """Go to the next (1) or previous (-1) hit, around the ends."""
        if not self.hits:
            return None
        self.current = (self.current + direction) % len(self.hits)
        return self.hits[self.current]

    @property
    def here(self) -> Hit | None:
        """The hit that is being looked at."""
        return self.hits[self.current] if 0 <= self.current < len(self.hits) else None

    def counter(self) -> str:
        """Say where one is among the hits."""
        if not self.text:
            return ""
        if not self.hits:
            return tr("Nothing found")
        if len(self.hits) >= MOST:
            return tr("{place} of more than {n}", place=self.current + 1, n=len(self.hits))
        return tr("{place} of {n}", place=self.current + 1, n=len(self.hits))


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)
