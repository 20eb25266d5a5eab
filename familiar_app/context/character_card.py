"""The character card as the first section of a prompt."""

from __future__ import annotations

import re

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.lorebook import fill_outlets
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.speech import break_marks

# Version 2 cards mark with it where a program's own instructions would stand; those have a layer of their own here.
_ORIGINAL = re.compile(r"\{\{original\}\}", re.IGNORECASE)
# Examples come last: they are the first to go where the card is too long.
_SECTIONS = (
    ("system_prompt", ""),
    ("description", ""),
    ("personality", "## Personality\n\n"),
    ("scenario", "## Scenario\n\n"),
    ("example_dialogue", "## Examples of how {{char}} talks\n\n"),
)


class CharacterCardLayer:
    """Who the familiar is, with the card's placeholders and outlets filled in."""

    name = "character_card"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        fields = tuple(fill_outlets(getattr(ctx.card, field), ctx.outlets) for field, _ in _SECTIONS)
        return key_of(ctx.char, ctx.user_label, fields)

    async def build(self, ctx: LayerContext) -> str:
        parts = ["# {{char}}"]
        for field, heading in _SECTIONS:
            text = fill_outlets(_ORIGINAL.sub("", getattr(ctx.card, field)), ctx.outlets).strip()
            if text:
                parts.append(heading + text)
        return break_marks(fill_placeholders("\n\n".join(parts), char=ctx.char, user=ctx.user_label))
