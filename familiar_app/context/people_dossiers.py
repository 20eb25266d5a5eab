"""What the familiar knows of itself and of those who take part: who spoke lately, and whom they spoke of."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.ids import OWNER, PersonKey, ego_key
from familiar_app.domain.speech import clean_name, clean_text


@dataclass(frozen=True, slots=True)
class Portrait:
    """One dossier as it is shown."""

    label: str
    text: str


class PeopleDossiersLayer:
    """The familiar's own dossier first and not counted, then those of the people, who spoke last first."""

    name = "people_dossiers"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return key_of(ctx.char, await _portraits(ctx))

    async def build(self, ctx: LayerContext) -> str:
        parts = [f"### {one.label}\n\n{one.text}" for one in await _portraits(ctx)]
        return fill(prompt_text("layer/people_dossiers"), char=ctx.char, text="\n\n".join(parts)) if parts else ""


async def _portraits(ctx: LayerContext) -> list[Portrait]:
    ego = ego_key(ctx.familiar)
    found: list[Portrait] = []
    own = await ctx.vault.projections.dossier(ctx.familiar, ego)
    if own is not None:
        found.append(Portrait(f"{ctx.char} (yourself)", clean_text(own.text).strip()))
    left = ctx.config.budget.text.max_dossier_people
    for person in await _people(ctx):
        if left <= 0:
            break
        dossier = await ctx.vault.projections.dossier(ctx.familiar, person) if person != ego else None
        if dossier is not None:
            found.append(Portrait(await _label(ctx, person), clean_text(dossier.text).strip()))
            left -= 1
    return found


async def _people(ctx: LayerContext) -> list[PersonKey]:
    """Return who spoke in the recent window, the last one first, then whom they mention."""
    turns = await ctx.vault.turns.page(ctx.channel.id, limit=ctx.config.budget.text.dossier_window_turns)
    speakers = [turn.author.key for turn in reversed(turns) if turn.author is not None]
    mentioned = await ctx.vault.projections.mentioned_in([turn.id for turn in turns])
    return list(dict.fromkeys((*speakers, *mentioned)))


async def _label(ctx: LayerContext, person: PersonKey) -> str:
    if person == OWNER:
        return ctx.user_label
    label = await ctx.vault.people.label(person, guild=ctx.channel.guild)
    return clean_name(label) or person
