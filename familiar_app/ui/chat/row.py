"""What the transcript shows, line by line: turns, the marks between them, and the reply that is being written.

Pure functions from turns to rows. A row's `key` stays the same while what it shows changes (a reply that is written,
then stored, then replaced by another alternative), so that a view can keep its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal

from familiar_app.domain.alarm import ALARM_DUE
from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.domain.turn import Role, Turn
from familiar_app.ui.chat.memory_note import MemoryNote, is_note
from familiar_app.ui.kit import date_text
from familiar_app.ui.kit.date_text import long_date, time_text, weekday

GAP = timedelta(minutes=10)
_SPEAKERS = {Role.USER: tr_later("You"), Role.TOOL: tr_later("Tool"), Role.SYSTEM: tr_later("System")}

RowKey = tuple[str, int | str]
RowKind = Literal["day", "unread", "turn", "live", "failure", "silent", "unanswered", "empty", "memory"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the transcript. `version` changes whenever the row must be drawn anew."""

    key: RowKey
    kind: RowKind
    version: tuple[object, ...] = ()
    turn: Turn | None = None
    text: str = ""
    label: str = ""
    name: str = ""
    time: str = ""
    when: str = ""
    head: bool = False
    own: bool = False
    last_answer: bool = False
    next_step: str = ""
    retryable: bool = False
    taken_back: bool = False

    def spoken(self) -> str:
        """Return the row as a screen reader should say it."""
        if self.kind in ("turn", "live"):
            when = self.when or tr("now")
            if self.turn and self.turn.revision > 1:
                return tr("{name}, {when}, edited: {said}", name=self.name, when=when, said=self.text)
            return tr("{name}, {when}: {said}", name=self.name, when=when, said=self.text)
        return f"{self.label} {self.next_step}".strip()


def turn_key(turn: Turn) -> RowKey:
    """Return the key of a turn's row; all alternatives of a familiar's answer share one."""
    if turn.role is Role.ASSISTANT and turn.answers is not None:
        return live_key(turn.answers, turn.familiar)
    return ("turn", turn.id)


def live_key(answers: TurnId | None, familiar: FamiliarId | None) -> RowKey:
    """Return the key under which a familiar's reply is shown while it is written, and later as a stored turn."""
    return (f"answer of {familiar}", answers if answers is not None else 0)


def day_label(day: date, today: date) -> str:
    """Name a day as people do.

    >>> day_label(date(2026, 11, 29), date(2026, 11, 30))
    'Yesterday'
    """
    if day == today:
        return tr("Today")
    if day == today - timedelta(days=1):
        return tr("Yesterday")
    return ptr("day", "{weekday}, {date}", weekday=weekday(day), date=long_date(day))


def clock_time(at: datetime, zone: tzinfo) -> str:
    """Write the time of day in the owner's zone."""
    return time_text(local_time(at, zone))


def full_time(at: datetime, zone: tzinfo) -> str:
    """Write date and time in the owner's zone."""
    return date_text.full_time(local_time(at, zone))


def speaker(turn: Turn, familiar_name: str) -> str:
    """Return the name to show for whoever said a turn."""
    if turn.author is not None and turn.author.name:
        return turn.author.name
    if turn.mode == ALARM_DUE:
        return tr("Reminder")
    if turn.role is Role.ASSISTANT:
        return familiar_name
    return tr(_SPEAKERS[turn.role]) if turn.role in _SPEAKERS else turn.role.value


def build_rows(
    turns: Sequence[Turn],
    *,
    zone: tzinfo,
    today: date,
    familiar_name: str,
    owner_key: str,
    unread_from: TurnId | None = None,
    at_end: bool = True,
    note: Callable[[Turn], MemoryNote | None] = lambda _turn: None,
    taken_back: Collection[TurnId] = (),
) -> list[Row]:
    """Return rows for consecutive turns, oldest first, with day marks, the unread mark and groups by speaker.

    `at_end` tells that the last turn is the newest of its channel; only then can it be the last answer. `note` gives
    the line about what a memory tool did; those in `taken_back` say so.
    """
    rows: list[Row] = []
    last_said = next((turn.id for turn in reversed(turns) if not is_note(turn)), None)
    before: Turn | None = None
    day_before: date | None = None
    for turn in turns:
        told = note(turn) if is_note(turn) else None
        if is_note(turn) and told is None:
            continue
        day = local_time(turn.at, zone).date()
        marked = False
        if day != day_before:
            rows.append(Row(("day", day.isoformat()), "day", (day, today), label=day_label(day, today)))
            marked = True
        if turn.id == unread_from:
            rows.append(Row(("unread", "mark"), "unread", ("unread",), label=tr("New since you were here")))
            marked = True
        if told is not None:
            rows.append(_memory_row(turn, told, taken_back=turn.id in taken_back))
            day_before = day
            continue
        head = marked or before is None or _starts_group(before, turn)
        last = at_end and turn.id == last_said and turn.role is Role.ASSISTANT
        rows.append(_turn_row(turn, zone, familiar_name, owner_key, head=head, last=last))
        before, day_before = turn, day
    return rows


def _starts_group(before: Turn, turn: Turn) -> bool:
    if turn.at - before.at >= GAP or turn.at < before.at:
        return True
    return _voice(before) != _voice(turn)


def _voice(turn: Turn) -> tuple[object, ...]:
    return (turn.role, turn.author.key if turn.author else None, turn.author.name if turn.author else turn.familiar)


def _memory_row(turn: Turn, told: MemoryNote, *, taken_back: bool) -> Row:
    title = tr(told.title)
    label = tr("{what}, and taken back", what=title) if taken_back else title
    text = "" if taken_back else told.text
    version = (turn.id, label, text)
    return Row(turn_key(turn), "memory", version, turn=turn, label=f"{label}.", next_step=text, taken_back=taken_back)


def _turn_row(turn: Turn, zone: tzinfo, familiar_name: str, owner_key: str, *, head: bool, last: bool) -> Row:
    text = turn.content or (tr("(this message was erased)") if turn.deleted else "")
    return Row(
        key=turn_key(turn),
        kind="turn",
        version=(turn.id, turn.revision, head, last, turn.alternatives, turn.alternative, turn.deleted),
        turn=turn,
        text=text,
        name=speaker(turn, familiar_name),
        time=clock_time(turn.at, zone),
        when=full_time(turn.at, zone),
        head=head,
        own=turn.author is not None and turn.author.key == owner_key,
        last_answer=last,
    )
