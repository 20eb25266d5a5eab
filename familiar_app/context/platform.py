"""Tells how an answer can say, on the platform it is sent to, what it replies to and whom it calls. Empty elsewhere."""

from __future__ import annotations

from familiar_app.context.history_line import is_own, short_name
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.ids import TurnId, is_of_discord
from familiar_app.domain.turn import Turn

PLATFORM = "platform"
_MOST_NAMED = 6
_LOOKED_AT = 20


class PlatformLayer:
    """The marks that may begin an answer on Discord, and the numbers of the latest messages that they can name."""

    name = PLATFORM

    async def invalidation_key(self, ctx: LayerContext) -> str:
        named = ctx.read[self.name] = await _named(ctx)
        return key_of(is_of_discord(ctx.channel.key), ctx.char, [(turn.id, _name(turn)) for turn in named])

    async def build(self, ctx: LayerContext) -> str:
        named: list[Turn] | None = ctx.read.pop(self.name, None)
        if not is_of_discord(ctx.channel.key):
            return ""
        if named is None:
            named = await _named(ctx)
        text = fill(prompt_text("layer/platform_discord"), char=ctx.char)
        if not named:
            return text
        numbers = ", ".join(f"{turn.id} ({_name(turn)})" for turn in named)
        return f"{text}\n{fill(prompt_text('layer/platform_numbers'), numbers=numbers)}"


def _name(turn: Turn) -> str:
    return short_name(turn.author.name) if turn.author is not None else ""


async def _named(ctx: LayerContext) -> list[Turn]:
    """Return the latest messages of others before the one that is answered, oldest first."""
    if not is_of_discord(ctx.channel.key) or ctx.known_at is not None or ctx.as_of is not None:
        return []
    before = None if ctx.until is None else TurnId(ctx.until + 1)
    turns = await ctx.vault.turns.page(ctx.channel.id, before=before, limit=_LOOKED_AT)
    others = [turn for turn in turns if turn.message_id and turn.author is not None and not is_own(turn, ctx.familiar)]
    return others[:-1][-_MOST_NAMED:]
