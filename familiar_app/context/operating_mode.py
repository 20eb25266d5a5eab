"""How the familiar is to talk in the present mode, in the program's own words."""

from __future__ import annotations

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text


class OperatingModeLayer:
    """The instruction of one mode, for a talk between two or among several."""

    name = "operating_mode"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return key_of(ctx.mode, ctx.multi_party, ctx.char, ctx.user_label)

    async def build(self, ctx: LayerContext) -> str:
        return fill(
            prompt_text(f"mode/{ctx.mode}{'_group' if ctx.multi_party else ''}"), char=ctx.char, user=ctx.user_label
        )
