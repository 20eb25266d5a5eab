"""Thoughts about this channel and those about no channel, newest first, each with what it rests on.

What came up in several places belongs to no channel. In a channel that others read, such a thought is held back where
one of those places is private: a channel of the program's own window, or a direct message.
"""

from __future__ import annotations

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.citation import breadcrumbs
from familiar_app.domain.ids import is_local
from familiar_app.domain.projection import Reflection
from familiar_app.domain.speech import clean_text

STALE = "(stale)"
_READ_AHEAD = 4


class ReflectionsLayer:
    """The newest thoughts, up to the number that the budget allows."""

    name = "reflections"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return key_of(ctx.char, [(one.id, one.text, one.stale, _crumbs(one)) for one in await _thoughts(ctx)])

    async def build(self, ctx: LayerContext) -> str:
        lines = [
            f"- {' '.join(clean_text(one.text).split())} {_crumbs(one)}{f' {STALE}' if one.stale else ''}"
            for one in await _thoughts(ctx)
        ]
        return fill(prompt_text("layer/reflections"), char=ctx.char, text="\n".join(lines)) if lines else ""


def _crumbs(thought: Reflection) -> str:
    return breadcrumbs(thought.cited_turns, thought.cited_facts)


async def _thoughts(ctx: LayerContext) -> list[Reflection]:
    most = ctx.config.budget.text.max_reflections
    found = await ctx.vault.projections.reflections(ctx.familiar, channel=ctx.channel.id, limit=most * _READ_AHEAD)
    if is_local(ctx.channel.key):
        return found[:most]
    return [one for one in found if one.channel is not None or not await _is_private(ctx, one)][:most]


async def _is_private(ctx: LayerContext, thought: Reflection) -> bool:
    """Tell whether a thought rests on something that was learned where not everybody reads."""
    facts = await ctx.vault.facts.many(thought.cited_facts)
    turns = [*thought.cited_turns, *(turn for fact in facts for turn in fact.source_turns)]
    for number in dict.fromkeys(turns):
        turn = await ctx.vault.turns.get(number)
        if turn is None or is_local(turn.channel_key) or (turn.guild is None and turn.channel != ctx.channel.id):
            return True
    return False
