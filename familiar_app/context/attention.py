"""Tells what is unread in channels the familiar does not attend to, and which reminders wait in this one.

Channels whose matter may not be heard here are not named, nor is what stands in them counted. A look at an earlier
moment shows nothing: what is unread is so now.
"""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.context.final_reminder import format_local
from familiar_app.context.history_line import short_name
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.alarm import Alarm
from familiar_app.domain.clock import local_time
from familiar_app.domain.speech import clean_quote
from familiar_app.domain.trace import LeftOut
from familiar_app.store.attention import Unread

ATTENTION = "attention"
_MOST_CHANNELS = 6
_MOST_REMINDERS = 5
_TEXT_CHARS = 120


@dataclass(frozen=True, slots=True)
class _Seen:
    """What there is to tell."""

    unread: tuple[Unread, ...] = ()
    reminders: tuple[Alarm, ...] = ()


class AttentionLayer:
    """One line for what is unread elsewhere, one for each reminder; empty where there is neither."""

    name = ATTENTION

    async def invalidation_key(self, ctx: LayerContext) -> str:
        seen = ctx.read[self.name] = await _look(ctx)
        unread = [(one.channel.id, one.channel.title, one.count) for one in seen.unread]
        return key_of(ctx.char, unread, [(one.id, one.due_at, one.text) for one in seen.reminders])

    async def build(self, ctx: LayerContext) -> str:
        seen: _Seen | None = ctx.read.pop(self.name, None)
        if seen is None:
            seen = await _look(ctx)
        parts: list[str] = []
        if seen.unread:
            counts = ", ".join(f"#{short_name(one.channel.title.lstrip('#'))} ({one.count})" for one in seen.unread)
            parts.append(fill(prompt_text("layer/attention_unread"), char=ctx.char, counts=counts))
        if seen.reminders:
            lines = "\n".join(_line(one, ctx) for one in seen.reminders)
            parts.append(fill(prompt_text("layer/attention_reminders"), lines=lines))
        return "\n".join(parts)


def _line(alarm: Alarm, ctx: LayerContext) -> str:
    due = format_local(local_time(alarm.due_at, ctx.config.display.zone()))
    return f"- {alarm.id}: {due}: {clean_quote(alarm.text, _TEXT_CHARS)}"


async def _look(ctx: LayerContext) -> _Seen:
    if ctx.known_at is not None or ctx.as_of is not None:
        return _Seen()
    unread = [one for one in await ctx.vault.attention.unread(ctx.familiar) if one.channel.id != ctx.channel.id]
    open_to = ctx.audience.open_to
    ctx.withheld[ATTENTION] = tuple(
        LeftOut(what=f"unread of {one.channel.key}", tokens=0, reason=ctx.audience.why_held([one.channel.id]) or "")
        for one in unread
        if one.channel.id not in open_to
    )
    named = [one for one in unread if one.channel.id in open_to]
    waiting = await ctx.vault.alarms.waiting(ctx.familiar, channel=ctx.channel.id)
    return _Seen(tuple(named[:_MOST_CHANNELS]), tuple(waiting[:_MOST_REMINDERS]))
