"""Thoughts about this channel and those about no channel, newest first, each with what it rests on.

What came up in several places belongs to no channel. It is held back where any of these places is closed to those who
hear the answer.
"""

from __future__ import annotations

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.citation import breadcrumbs
from familiar_app.domain.projection import Reflection
from familiar_app.domain.speech import clean_text
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LeftOut
from familiar_app.store.written import Moment

STALE = "(stale)"
_HELD_REASON = tr_later("rests on what was learned where not everybody here may hear")


class ReflectionsLayer:
    """The newest thoughts as of the moment, up to the number that the budget allows."""

    name = "reflections"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        thoughts, held = await _look(ctx)
        ctx.read[self.name] = thoughts
        ctx.withheld[self.name] = tuple(
            LeftOut(what=f"reflection {one.id}", tokens=0, reason=_HELD_REASON) for one in held
        )
        return key_of(ctx.char, [(one.id, one.text, one.stale, _crumbs(one)) for one in thoughts])

    async def build(self, ctx: LayerContext) -> str:
        thoughts: list[Reflection] | None = ctx.read.pop(self.name, None)
        if thoughts is None:
            thoughts, _held = await _look(ctx)
        lines = [
            f"- {' '.join(clean_text(one.text).split())} {_crumbs(one)}{f' {STALE}' if one.stale else ''}"
            for one in thoughts
        ]
        return fill(prompt_text("layer/reflections"), char=ctx.char, text="\n".join(lines)) if lines else ""


def _crumbs(thought: Reflection) -> str:
    return breadcrumbs(thought.cited_turns, thought.cited_facts)


async def _look(ctx: LayerContext) -> tuple[list[Reflection], list[Reflection]]:
    """Return the thoughts to be shown, and those that are held back from the audience."""
    most = ctx.config.budget.text.max_reflections
    found, held = await ctx.vault.projections.told_reflections(
        ctx.familiar,
        ctx.channel.id,
        Moment(ctx.known_at, ctx.until, ctx.as_of),
        ctx.audience,
        limit=most + len(ctx.variation.without_items),
        held=most,
    )
    return [one for one in found if not ctx.variation.drops("reflection", one.id)][:most], held
