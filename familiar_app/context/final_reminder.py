"""What stands at the very end of a prompt: the time, the leave to stay silent, the card's own closing words."""

from __future__ import annotations

from datetime import datetime

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.lorebook import fill_outlets
from familiar_app.context.prompt_text import SILENCE_SENTINEL, fill, prompt_text
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.clock import local_time
from familiar_app.domain.speech import break_marks

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class FinalReminderLayer:
    """The only layer that knows the time, so that everything before it can stay the same from one turn to the next."""

    name = "final_reminder"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        closing = fill_outlets(ctx.card.post_history_instructions, ctx.outlets)
        return key_of(_local_time(ctx), ctx.char, ctx.user_label, ctx.may_stay_silent, ctx.must_speak, closing)

    async def build(self, ctx: LayerContext) -> str:
        parts = [fill(prompt_text("reminder"), time=_local_time(ctx), char=ctx.char)]
        if ctx.must_speak:
            parts.append(prompt_text("reminder_due"))
        if ctx.may_stay_silent:
            parts.append(fill(prompt_text("reminder_silence"), char=ctx.char, sentinel=SILENCE_SENTINEL))
        closing = fill_outlets(ctx.card.post_history_instructions, ctx.outlets).replace("{{original}}", "").strip()
        if closing:
            parts.append(break_marks(fill_placeholders(closing, char=ctx.char, user=ctx.user_label)))
        return "\n".join(parts)


def _local_time(ctx: LayerContext) -> str:
    return format_local(local_time(ctx.now, ctx.config.display.zone()))


def format_local(local: datetime) -> str:
    """Write a local time to the minute, in the same words on every system: `Wednesday, 2024-05-01, 14:32`."""
    return f"{_DAYS[local.weekday()]}, {local:%Y-%m-%d}, {local:%H:%M}"
