"""The recent history of a channel: read newest first until the budget is full, then cut to what fits.

Only as much of the log is read as the budget can hold, so the cost does not grow with the length of the log.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from familiar_app.context.history_line import (
    LineRole,
    LineStyle,
    is_own,
    render_line,
    short_name,
    speaker_name,
)
from familiar_app.context.stretch import Stretch
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.budget import stable_start
from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import OWNER, ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.record import record
from familiar_app.domain.speech import told_apart
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LeftOut
from familiar_app.domain.turn import Turn
from familiar_app.store.vault import Vault

_FIRST_PAGE = 100
_SPARE_TURNS = 16
_LARGEST_PAGE = 800
# A text rarely has fewer tokens than this; a wrong guess costs one more page.
_CHARS_PER_TOKEN = 4
_BEGINNING_TOKENS = 8
_REMEMBERED_LINES = 4000


@record(frozen=True, slots=True)
class HistoryLine:
    """A turn as it stands in the prompt. `cost` is its tokens with what joins it to the line before."""

    turn: Turn
    role: LineRole
    text: str
    tokens: int
    cost: int


@dataclass(frozen=True, slots=True)
class HistoryWindow:
    """The lines that are shown, oldest first, and what was left out."""

    lines: tuple[HistoryLine, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class ReadHistory:
    """What was read: at least as much as the budget can hold, oldest first. `complete` tells that nothing is older."""

    lines: tuple[HistoryLine, ...]
    style: LineStyle
    complete: bool
    message_tokens: int

    @property
    def cost(self) -> int:
        """Tokens of all lines together."""
        return sum(line.cost for line in self.lines)

    @property
    def speakers(self) -> dict[PersonKey, str]:
        """The people (and other familiars) who speak in it, with their names as shown."""
        latest = {
            line.turn.author.key: line.turn
            for line in self.lines
            if line.turn.author is not None and not is_own(line.turn, self.style.familiar)
        }
        return {key: speaker_name(turn, self.style) for key, turn in latest.items()}


class RecentHistory:
    """Reads and fits the history of channels. Remembers how turns were written, each with all that it depends on."""

    def __init__(self, vault: Vault, counter: TokenCounter) -> None:
        self._vault = vault
        self._counter = counter
        # What was enough the last time will most likely be enough again: one read instead of several.
        self._page_sizes: dict[ChannelId, int] = {}
        self._written: OrderedDict[TurnId, tuple[tuple[Any, ...], tuple[LineRole, str]]] = OrderedDict()

    async def read(self, style: LineStyle, stretch: Stretch, *, owner_label: str, cap: int) -> ReadHistory:
        """Read back from the end of the stretch until `cap` tokens are full."""
        (_, each) = await self._counter.frame()
        turns = await self._later_answers(stretch, style.familiar)
        if stretch.pending is not None:
            turns.append(stretch.pending)
        before = stretch.end
        page_size = self._page_sizes.get(style.channel.id, _FIRST_PAGE)
        while True:
            page = await stretch.before(self._vault, before, page_size)
            complete = len(page) < page_size
            turns[:0] = [turn for turn in page if stretch.shows(turn)]
            before = page[0].id if page else before
            page_size = min(2 * page_size, _LARGEST_PAGE)
            if not complete and _guess(turns) <= cap:
                continue
            style = replace(style, labels=await self._labels(turns, style, owner_label))
            lines = await self._lines(sorted(turns, key=place_of), style, each)
            if complete or sum(line.cost for line in lines) > cap:
                self._page_sizes[style.channel.id] = min(_needed(lines, cap) + _SPARE_TURNS, _LARGEST_PAGE)
                return ReadHistory(lines, style, complete, each)

    def certain(self, history: ReadHistory, allowance: int, step: int) -> TurnId | None:
        """Return the first stored turn of those that `fit` shows with this allowance or a larger one."""
        lines = history.lines
        places, costs = [place_of(line.turn) for line in lines], [line.cost for line in lines]
        start = min(stable_start(places, costs, allowance, step), max(len(lines) - 1, 0))
        return min((line.turn.id for line in lines[start:] if line.turn.id > 0), default=None)

    async def fit(self, history: ReadHistory, allowance: int, step: int) -> HistoryWindow:
        """Choose the newest lines that cost at most `allowance`, beginning where `stable_start` says.

        The newest turn is always there; where it alone is too long, its end is cut off.
        """
        lines = history.lines
        if not lines:
            return HistoryWindow((), ())
        start = stable_start([place_of(line.turn) for line in lines], [line.cost for line in lines], allowance, step)
        shown, left_out = list(lines[start:]), _left_out(lines[:start], complete=history.complete)
        if not shown:
            line, cut = await self._cut_newest(lines[-1], history, allowance)
            return HistoryWindow((line,), (*_left_out(lines[:-1], complete=history.complete), cut))
        if start:
            dated = await self._dated(shown[0], history)
            if sum(line.cost for line in shown[1:]) + dated.cost <= allowance:
                shown[0] = dated
        return HistoryWindow(tuple(shown), left_out)

    async def _later_answers(self, stretch: Stretch, familiar: FamiliarId) -> list[Turn]:
        """Return answers that stand behind the end of the stretch and count all the same.

        They are those to earlier turns that were made again, and what other familiars had already answered to the
        newest turn when this one first did.
        """
        end = stretch.until
        if end is None:
            return []
        later = [turn for turn in await stretch.later(self._vault, _FIRST_PAGE) if stretch.shows(turn)]
        others = [turn for turn in later if turn.answers == end and not is_own(turn, familiar)]
        first: dict[FamiliarId | None, TurnId] = {}
        for answer in await self._vault.turns.answers(end) if others else ():
            first.setdefault(answer.familiar, answer.id)
        own = first.get(familiar, math.inf)
        heard = [turn for turn in others if first.get(turn.familiar, math.inf) < own]
        return [*(turn for turn in later if place_of(turn) < end), *heard]

    async def _lines(self, turns: Sequence[Turn], style: LineStyle, each: int) -> tuple[HistoryLine, ...]:
        by_message = {turn.message_id: turn for turn in turns if turn.message_id is not None}
        rendered: list[tuple[LineRole, str]] = []
        day: date | None = None
        for turn in turns:
            local = local_time(turn.at, style.zone)
            today = local.date()
            answered = by_message.get(turn.reply_to) if turn.reply_to is not None else None
            rendered.append(self._write(turn, local, style, with_date=today != day, answered=answered))
            if not is_own(turn, style.familiar):
                day = today
        counts = await self._counter.count([text for _, text in rendered])
        lines: list[HistoryLine] = []
        for turn, (role, text), tokens in zip(turns, rendered, counts, strict=True):
            joins = bool(lines) and lines[-1].role == role
            lines.append(HistoryLine(turn, role, text, tokens, tokens + (2 if joins else each + 1)))
        return tuple(lines)

    async def _dated(self, line: HistoryLine, history: ReadHistory) -> HistoryLine:
        """Return the line with its date, because what showed the date before it is gone."""
        if line.role == "assistant":
            return line
        replies = line.turn.reply_to is not None
        answered = next((o.turn for o in history.lines if replies and o.turn.message_id == line.turn.reply_to), None)
        local = local_time(line.turn.at, history.style.zone)
        _, text = render_line(line.turn, local, history.style, with_date=True, answered=answered)
        (tokens,) = await self._counter.count([text])
        return replace(line, text=text, tokens=tokens, cost=tokens + history.message_tokens + 1)

    async def _cut_newest(self, line: HistoryLine, history: ReadHistory, allowance: int) -> tuple[HistoryLine, LeftOut]:
        text = await self._counter.cut(line.text, max(0, allowance - history.message_tokens - 1))
        (tokens,) = await self._counter.count([text])
        what = f"end of turn {line.turn.id}"
        cut = LeftOut(what=what, tokens=line.tokens - tokens, reason=tr_later("longer than the room left"))
        return replace(line, text=text, tokens=tokens, cost=tokens + history.message_tokens + 1), cut

    async def _labels(self, turns: Sequence[Turn], style: LineStyle, owner_label: str) -> dict[PersonKey, str]:
        keys = dict.fromkeys(
            turn.author.key for turn in turns if turn.author is not None and not is_own(turn, style.familiar)
        )
        missing = [key for key in keys if key != OWNER and key not in style.labels]
        found = await self._vault.people.labels(missing, guild=style.channel.guild) if missing else {}
        names = {key: short_name(label) for key, label in found.items()}
        labels = {OWNER: owner_label, **style.labels, **names}
        return told_apart(labels, first=OWNER, taken=style.char)

    def _write(
        self, turn: Turn, local: datetime, style: LineStyle, *, with_date: bool, answered: Turn | None
    ) -> tuple[LineRole, str]:
        """Do as `render_line`; most lines are those of the prompt before."""
        names = [speaker_name(one, style) for one in (turn, answered) if one is not None]
        # Instants in two zones are equal, so it is what the clock shows that counts.
        shown = local.replace(tzinfo=None)
        made_of = (turn, answered, names, shown, with_date, style.familiar, style.place, style.quote_chars)
        known = self._written.get(turn.id)
        if known is None or known[0] != made_of:
            line = render_line(turn, local, style, with_date=with_date, answered=answered)
            known = self._written[turn.id] = (made_of, line)
            if len(self._written) > _REMEMBERED_LINES:
                self._written.popitem(last=False)
        return known[1]


def place_of(turn: Turn) -> float:
    """Return where a turn belongs: an answer made again stands where the first one stood, a pending turn at the end."""
    if turn.id <= 0:
        return math.inf
    return turn.answers + 0.5 if turn.alternative > 1 and turn.answers is not None else turn.id


def _needed(lines: Sequence[HistoryLine], cap: int) -> int:
    """Return how many of the newest lines fill `cap`, with the one that is too many."""
    total = 0
    for number, line in enumerate(reversed(lines), start=1):
        total += line.cost
        if total > cap:
            return number
    return len(lines)


def _guess(turns: Sequence[Turn]) -> int:
    return sum(len(turn.content) // _CHARS_PER_TOKEN + _BEGINNING_TOKENS for turn in turns)


def _left_out(lines: Sequence[HistoryLine], *, complete: bool) -> tuple[LeftOut, ...]:
    if not lines:
        return ()
    first = lines[0].turn.id
    what = f"turns {first} to {lines[-1].turn.id}" if complete else f"all turns up to {lines[-1].turn.id}"
    return (LeftOut(what=what, tokens=sum(line.tokens for line in lines), reason=tr_later("older than the room left")),)
