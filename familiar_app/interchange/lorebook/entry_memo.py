"""Remembers which entry was read from which raw object, and what was reported of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.interchange.report import Report, ReportLine

Raw = dict[str, Any]
Uid = int | str
ReadEntry = Callable[[Raw, Uid, Report], LoreEntry]


class EntryMemo:
    """Entries of one shape by their raw objects, which must not change."""

    __slots__ = ("_read",)

    def __init__(self, read: dict[int, tuple[Raw, LoreEntry, tuple[ReportLine, ...]]] | None = None) -> None:
        self._read = read if read is not None else {}

    def only(self, raws: Iterable[Raw]) -> EntryMemo:
        """Return a memo that knows these alone."""
        return EntryMemo({id(raw): self._read[id(raw)] for raw in raws if id(raw) in self._read})

    def get(self, raw: Raw, uid: Uid, report: Report, read: ReadEntry) -> LoreEntry:
        """Return the entry of a raw object, and report the same of it each time."""
        known = self._read.get(id(raw))
        if known is None:
            own = Report()
            known = self._read[id(raw)] = (raw, read(raw, uid, own), tuple(own.lines))
        _, entry, lines = known
        for line in lines:
            report.add(line.field, line.what, line.detail)
        return entry if entry.uid == uid else replace(entry, uid=uid)
