"""The story of the channel so far, as the summary tells it."""

from __future__ import annotations

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.projection import Summary
from familiar_app.domain.speech import clean_note
from familiar_app.store.written import Moment


class ConversationSummaryLayer:
    """The newest summary of this channel, as of the moment; nothing where there was none yet."""

    name = "conversation_summary"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        summary = await _summary(ctx)
        return key_of(None if summary is None else (summary.last_turn_id, summary.created_at, summary.text))

    async def build(self, ctx: LayerContext) -> str:
        summary = await _summary(ctx)
        if summary is None:
            return ""
        return fill(prompt_text("layer/conversation_summary"), text=clean_note(summary.text).strip())


async def _summary(ctx: LayerContext) -> Summary | None:
    moment = Moment(ctx.known_at, ctx.until, ctx.as_of)
    return await ctx.vault.projections.summary(ctx.familiar, ctx.channel.id, moment=moment)
