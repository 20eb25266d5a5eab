"""What the familiar knows of itself and of those who take part: who spoke lately, and whom they spoke of.

Where a dossier rests on more than those who hear the answer may hear, the facts that they may hear stand in its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.context.fact_line import fact_line
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.stretch import Stretch
from familiar_app.domain.ids import OWNER, PersonKey, ego_key
from familiar_app.domain.speech import clean_name, clean_note
from familiar_app.domain.trace import LeftOut
from familiar_app.store.person_page import OnePerson
from familiar_app.store.portrait import Glimpse, Portrait
from familiar_app.store.turn_then import Then

MOST_FACTS = 8
"""Facts that stand in the place of a dossier."""
_HELD_REASON = "rests on what was learned where not everybody here may hear; facts stand in its place"
_HELD_ALL = "rests on what was learned where not everybody here may hear"


@dataclass(frozen=True, slots=True)
class _Shown:
    """One portrait as it is shown."""

    label: str
    text: str


class PeopleDossiersLayer:
    """The familiar's own dossier first and not counted, then those of the people, who spoke last first."""

    name = "people_dossiers"

    async def invalidation_key(self, ctx: LayerContext) -> str:
        portraits = await _portraits(ctx)
        ctx.withheld[self.name] = tuple(
            LeftOut(what=f"dossier {one.person}", tokens=0, reason=_HELD_REASON if one.facts else _HELD_ALL)
            for one in portraits
            if one.held
        )
        shown = ctx.read[self.name] = await _shown(ctx, portraits)
        return key_of(ctx.char, shown)

    async def build(self, ctx: LayerContext) -> str:
        shown: list[_Shown] | None = ctx.read.pop(self.name, None)
        if shown is None:
            shown = await _shown(ctx, await _portraits(ctx))
        parts = [f"### {one.label}\n\n{one.text}" for one in shown]
        return fill(prompt_text("layer/people_dossiers"), char=ctx.char, text="\n\n".join(parts)) if parts else ""


async def _portraits(ctx: LayerContext) -> list[Portrait]:
    ego = ego_key(ctx.familiar)
    private = await ctx.vault.privacy.levels()
    present = await _people(ctx)
    merged = await ctx.vault.person_pages.merged(present)
    # Whoever is here under one identity is known under the others too.
    everyone = dict.fromkeys(key for one in present for key in (merged[one].identities if one in merged else (one,)))
    people = [one for one in (ego, *everyone) if one not in private and not ctx.variation.drops("dossier", one)]
    others = [one for one in people if one != ego]
    glimpse = Glimpse(ctx.familiar, ctx.audience, ctx.now, ctx.as_of, ctx.known_at)
    most, portraits = ctx.config.budget.text.max_dossier_people, ctx.vault.portraits
    return [
        *await portraits.of([ego] if ego in people else [], glimpse, most_people=1, most_facts=MOST_FACTS),
        *await portraits.of(others, glimpse, most_people=most, most_facts=MOST_FACTS),
    ]


async def _shown(ctx: LayerContext, portraits: list[Portrait]) -> list[_Shown]:
    texts = {one.person: text for one in portraits if (text := _text(ctx, one))}
    labels = await ctx.vault.people.labels(list(texts), guild=ctx.channel.guild) if texts else {}
    names = {person: clean_name(label) or person for person, label in labels.items()}
    names |= {OWNER: ctx.user_label, ego_key(ctx.familiar): f"{ctx.char} (yourself)"}
    merged = await ctx.vault.person_pages.merged(list(texts)) if texts else {}
    parts: dict[PersonKey, _Shown] = {}
    for person, text in texts.items():
        one = merged.get(person)
        kept, label = (person, names[person]) if one is None else (one.identities[0], _label(ctx, names[person], one))
        parts[kept] = _Shown(label, f"{parts[kept].text}\n\n{text}" if kept in parts else text)
    return list(parts.values())


def _label(ctx: LayerContext, label: str, one: OnePerson) -> str:
    """Name somebody with what their other identities are called in the conversation."""
    if OWNER in one.identities:
        label = ctx.user_label
    also = [name for name in map(clean_name, one.also) if name and name != label]
    return f"{label} (also {', '.join(also)})" if also else label


def _text(ctx: LayerContext, portrait: Portrait) -> str:
    if portrait.text:
        return clean_note(portrait.text).strip()
    least = ctx.config.memory.people_dossier.least_own_importance if portrait.person == ego_key(ctx.familiar) else 0
    told = [
        one
        for one in portrait.facts
        if (one.fact.importance is None or one.fact.importance >= least)
        and not ctx.variation.drops("fact", one.fact.id)
    ]
    return "\n".join(fact_line(ctx, one.fact, one.labels, one.told_by) for one in told)


async def _people(ctx: LayerContext) -> list[PersonKey]:
    """Return who spoke in the recent window, the last one first, then whom they mention."""
    then = Then(ctx.known_at, ctx.as_of) if ctx.known_at is not None or ctx.as_of is not None else None
    stretch = Stretch(ctx.channel.id, ctx.until, then=then)
    turns = await stretch.before(ctx.vault, stretch.end, ctx.config.budget.text.dossier_window_turns)
    speakers = [turn.author.key for turn in reversed(turns) if turn.author is not None]
    mentioned = await ctx.vault.projections.mentioned_in([turn.id for turn in turns])
    return list(dict.fromkeys((*speakers, *mentioned)))
