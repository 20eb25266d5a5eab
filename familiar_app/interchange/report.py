"""What an import or a conversion did to the data, line by line, so that nothing is lost in silence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

What = Literal["defaulted", "renamed", "merged", "dropped", "repaired", "ignored"]


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One thing that came out differently than it stood in the file.

    `entry` counts a lorebook's entries from 0 in file order; None speaks of the whole file. `ignored` things are kept
    in the file's raw data and have no effect here; `dropped` ones are gone.
    """

    field: str
    what: What
    detail: str
    entry: int | None = None


class Report:
    """Collects report lines for one file; `about` gives a view that stamps an entry's number on its lines."""

    def __init__(self, lines: list[ReportLine] | None = None, entry: int | None = None) -> None:
        self.lines: list[ReportLine] = [] if lines is None else lines
        self._entry = entry

    def add(self, field: str, what: What, detail: str) -> None:
        """Note one thing; the order of the notes is kept."""
        self.lines.append(ReportLine(field, what, detail, self._entry))

    def about(self, entry: int) -> Report:
        """Return a report that writes into the same list and names this entry."""
        return Report(self.lines, entry)
