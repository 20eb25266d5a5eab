"""The list of kept prompts: which are shown, and what a line says. Ids come at once, a line is made when it is shown.

Knows nothing of Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import number, tr
from familiar_app.domain.trace import TraceSummary
from familiar_app.ui.kit.date_text import short_date_time, time_text
from familiar_app.ui.kit.projector_name import purpose_name

REPLY = "reply"
EVERY_PURPOSE = ""
_STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One line of the list: place and time above, what it was for and what it cost below.

    `short` is the outcome where there is little room, `mark` the colour role of both: `danger` where the
    model failed, `warning` where it was stopped, else "".
    """

    id: int
    place: str
    time: str
    about: str
    outcome: str
    short: str
    mark: str

    @property
    def spoken(self) -> str:
        """The line as a screen reader says it."""
        return ", ".join(part for part in (self.about, self.place, self.time, self.outcome) if part)


class TraceList:
    """The summaries of one familiar's traces, newest first, narrowed by words and purpose."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._all: list[TraceSummary] = []
        self._titles: Mapping[str, str] = {}
        self._lines: dict[int, TraceLine] = {}
        self.shown: list[TraceSummary] = []
        self.query, self.purpose = "", EVERY_PURPOSE

    def fill(self, summaries: Sequence[TraceSummary], titles: Mapping[str, str]) -> bool:
        """Take other summaries and the titles of channels by their keys; tell whether anything is different."""
        if list(summaries) == self._all and titles == self._titles:
            return False
        self._all, self._titles = list(summaries), dict(titles)
        self._lines.clear()
        if self.purpose and self.purpose not in self.purposes():
            self.purpose = EVERY_PURPOSE
        self._narrow()
        return True

    def narrow(self, query: str, purpose: str) -> None:
        """Show only lines with all words of `query` (channel, model, purpose) and of one purpose, "" for all."""
        self.query, self.purpose = query, purpose
        self._narrow()

    @property
    def count(self) -> int:
        """How many are kept of this familiar."""
        return len(self._all)

    def purposes(self) -> list[str]:
        """Return the purposes that occur, replies first."""
        return sorted({one.purpose for one in self._all}, key=lambda name: (name != REPLY, name))

    def title(self, channel: str) -> str:
        """Return what a channel is called."""
        return self._titles.get(channel) or channel.partition(":")[2] or channel or tr("No channel")

    def line(self, row: int, now: datetime) -> TraceLine:
        """Return the line of a row of `shown`."""
        summary = self.shown[row]
        if summary.id not in self._lines:
            self._lines[summary.id] = self._line(summary, now)
        return self._lines[summary.id]

    def row_of(self, trace: int | None) -> int:
        """Return the row in which a trace is shown, -1 where it is not."""
        return next((row for row, one in enumerate(self.shown) if one.id == trace), -1)

    def _narrow(self) -> None:
        wanted = self.query.casefold().split()
        self.shown = [
            one
            for one in self._all
            if (not self.purpose or one.purpose == self.purpose) and all(word in self._searched(one) for word in wanted)
        ]

    def _searched(self, one: TraceSummary) -> str:
        parts = (
            self.title(one.channel),
            one.channel,
            one.model,
            purpose_name(one.purpose),
            one.error or "",
            str(one.id),
        )
        return " ".join(parts).casefold()

    def _line(self, one: TraceSummary, now: datetime) -> TraceLine:
        purpose, spent = purpose_name(one.purpose), f"{one.model} · {tr('{n} tokens', n=one.tokens)}"
        time = short_time(one.at, now, self._zone)
        # Work in the background mostly belongs to no channel: then what it was for tells the lines apart.
        place, about = (self.title(one.channel), f"{purpose} · {spent}") if one.channel else (purpose, spent)
        return TraceLine(one.id, place, time, about, *_outcome(one))


def short_time(at: datetime, now: datetime, zone: tzinfo) -> str:
    """Write when: the time on the same day, the day as well on another."""
    there, here = local_time(at, zone), local_time(now, zone)
    if there.date() == here.date():
        return time_text(there, seconds=True)
    return short_date_time(there, year=there.year != here.year)


def seconds(ms: float) -> str:
    """Write a duration as it is best read."""
    return tr("{n} ms", n=number(ms, 0)) if ms < 1000 else tr("{n} s", n=number(ms / 1000, 1))


def _outcome(one: TraceSummary) -> tuple[str, str, str]:
    if one.error == _STOPPED:
        return tr("stopped before its end"), tr("stopped"), "warning"
    if one.error:
        return tr("the model failed"), tr("failed"), "danger"
    if one.first_token_ms is None:
        return "", "", ""
    time = seconds(one.first_token_ms)
    return tr("first word after {time}", time=time), time, ""
