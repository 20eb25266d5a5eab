"""Writes one turn as a line of the recent history.

Others' turns begin with the local time and the speaker: `[14:32 Ann #general] text`. In a channel of the program's own
window the channel's name is left out, since the familiar is nowhere else at that moment; the time stays, because
without it a pause of a second and one of a week look the same. The first line of a day also has the date. What a
message answers stands behind an arrow: `[14:32 Ann #general ↩ Ben: “the answered words”] text`. The familiar's own
turns have no beginning at all: the model repeats what it sees itself doing. Lines with a time and no name are told by
the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from familiar_app.domain.ids import FamiliarId, PersonKey, is_local
from familiar_app.domain.speech import clean_name, clean_quote, clean_text
from familiar_app.domain.turn import Channel, Role, Turn

_NAME_CHARS = 48
_NOBODY = "somebody"

LineRole = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How lines of one channel are written.

    `labels` are the present names of people, `char` the familiar's own, `place` the channel's mark; all of them as
    `short_name` and `place_mark` make them.
    """

    familiar: FamiliarId
    char: str
    channel: Channel
    place: str
    zone: tzinfo | None
    quote_chars: int
    labels: Mapping[PersonKey, str]


def place_mark(channel: Channel) -> str:
    """Return a channel's mark in a line's beginning, empty where it would tell nothing."""
    title = "" if is_local(channel.key) else short_name(channel.title).lstrip("＃").strip()
    return f" #{title}" if title else ""


def short_name(name: str) -> str:
    """Return a name that is safe in a line's beginning and not too long, maybe empty."""
    cleaned = clean_name(name)
    if len(cleaned) <= _NAME_CHARS:
        return cleaned
    return cleaned[:_NAME_CHARS].rstrip("\u200d\u200c ") + "…"


def is_own(turn: Turn, familiar: FamiliarId) -> bool:
    """Tell whether the familiar said this turn itself."""
    return turn.role is Role.ASSISTANT and turn.familiar in (None, familiar)


def is_shown(turn: Turn) -> bool:
    """Tell whether there is anything of this turn to show."""
    return turn.role is not Role.OPERATOR and not turn.deleted and bool(turn.content.strip() or turn.attachments)


def speaker_name(turn: Turn, style: LineStyle) -> str:
    """Return how the speaker of a turn is called in the prompt."""
    if is_own(turn, style.familiar):
        return style.char
    if turn.author is None:
        return _NOBODY
    label = style.labels.get(turn.author.key)
    return label or short_name(turn.author.name) or short_name(turn.author.username or "") or _NOBODY


def body_text(turn: Turn) -> str:
    """Return a turn's words with its attachments, made harmless."""
    text = clean_text(turn.content).strip()
    if turn.attachments:
        text = f"{text}\n(attached: {clean_text(turn.attachments).strip()})".strip()
    return text


def render_line(
    turn: Turn, local: datetime, style: LineStyle, *, with_date: bool, answered: Turn | None = None
) -> tuple[LineRole, str]:
    """Write a turn that was said at `local` time. `answered` is the turn it replies to, where that is known."""
    body = body_text(turn)
    if is_own(turn, style.familiar):
        return "assistant", body
    moment = format_moment(local, with_date=with_date)
    if turn.role is Role.TOOL:
        return "user", f"[{moment}] (a tool answered) {body}"
    if turn.role is Role.SYSTEM:
        return "user", f"[{moment}] (note) {body}"
    return "user", f"[{moment} {speaker_name(turn, style)}{style.place}{_reply(turn, answered, style)}] {body}"


def format_moment(local: datetime, *, with_date: bool) -> str:
    """Write a local time as it stands in a line's beginning."""
    clock = f"{local.hour:02}:{local.minute:02}"
    return f"{local.year:04}-{local.month:02}-{local.day:02} {clock}" if with_date else clock


def _reply(turn: Turn, answered: Turn | None, style: LineStyle) -> str:
    if turn.reply_to is None:
        return ""
    if answered is None:
        return " ↩ an earlier message"
    quote = clean_quote(answered.content, style.quote_chars) if style.quote_chars else ""
    return f" ↩ {speaker_name(answered, style)}" + (f": “{quote}”" if quote else "")
