"""The lines of the log that a filter leaves. Knows no Qt."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from familiar_app.domain.text import tr_later

KEPT = 2000
LEVELS: tuple[tuple[int, str], ...] = (
    (logging.DEBUG, tr_later("Everything")),
    (logging.INFO, tr_later("Ordinary and up")),
    (logging.WARNING, tr_later("Warnings and errors")),
    (logging.ERROR, tr_later("Errors")),
)


class Line(Protocol):
    """One line, as the buffer keeps it. `level` is a number of `logging`."""

    @property
    def at(self) -> datetime: ...

    @property
    def level(self) -> int: ...

    @property
    def part(self) -> str: ...

    @property
    def text(self) -> str: ...


_WORDS = {
    logging.DEBUG: tr_later("Debug"),
    logging.INFO: tr_later("Info"),
    logging.WARNING: tr_later("Warning"),
    logging.ERROR: tr_later("Error"),
    logging.CRITICAL: tr_later("Critical"),
}


def level_word(level: int) -> str:
    """Name a level, as the source does; it is translated where it is shown, not where a line is copied."""
    return _WORDS.get(level) or logging.getLevelName(level).capitalize()


def line_text(line: Line) -> str:
    """Write a line as it is copied."""
    return f"{line.at.isoformat(timespec='milliseconds')} {level_word(line.level):8} {line.part}: {line.text}"


class LogModel:
    """All lines, newest last, and those that fit the filter. At most 2,000 are kept."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque(maxlen=KEPT)
        self.shown: list[Line] = []
        self.least_level = logging.DEBUG
        self.query = ""

    @property
    def is_empty(self) -> bool:
        return not self._lines

    def fill(self, lines: Iterable[Line]) -> None:
        """Replace everything."""
        self._lines.clear()
        self._lines.extend(lines)
        self.refresh()

    def fits(self, line: Line) -> bool:
        if line.level < self.least_level:
            return False
        searched = f"{line.part} {line.text}".casefold()
        return all(word in searched for word in self.query.casefold().split())

    @property
    def first_goes(self) -> bool:
        """Tell whether the next line pushes out the first one that is shown."""
        return len(self._lines) == KEPT and bool(self.shown) and self.shown[0] is self._lines[0]

    def drop_first(self) -> None:
        """Take the oldest line away, from what is shown too."""
        if self.first_goes:
            del self.shown[0]
        self._lines.popleft()

    def add(self, line: Line) -> None:
        """Add a line at the end. Where the first shown one has to go for it, call `drop_first` before."""
        self._lines.append(line)
        if self.fits(line):
            self.shown.append(line)

    def refresh(self) -> None:
        """Apply the filter anew."""
        self.shown = [line for line in self._lines if self.fits(line)]
