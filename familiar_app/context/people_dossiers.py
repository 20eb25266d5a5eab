"""What the familiar knows of itself and of those who take part: who spoke lately, and whom they spoke of.

Where a dossier rests on more than those who hear the answer may hear, the facts that they may hear stand in its place.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from familiar_app.context.fact_line import fact_line
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.stretch import Stretch
from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import OWNER, PersonKey, ego_key
from familiar_app.domain.speech import clean_name, clean_note
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LeftOut
from familiar_app.store.person_page import OnePerson
from familiar_app.store.portrait import Glimpse, Portrait
from familiar_app.store.turn_then import Then

MOST_FACTS = 8
"""Facts that stand in the place of a dossier."""
_REMEMBERED = 64
_HELD_REASON = tr_later("rests on what was learned where not everybody here may hear; facts stand in its place")
_HELD_ALL = tr_later("rests on what was learned where not everybody here may hear")


@dataclass(frozen=True, slots=True)
class _Seen:
    """Portraits, and for each identity of somebody who has several what these are."""

    portraits: Sequence[Portrait]
    merged: Mapping[PersonKey, OnePerson]


@dataclass(frozen=True, slots=True)
class _Shown:
    """One portrait as it is shown."""

    label: str
    text: str


class PeopleDossiersLayer:
    """The familiar's own dossier first and not counted, then those of the people, who spoke last first."""

    name = "people_dossiers"

    def __init__(self) -> None:
        # The same few people are there for many prompts. Each text with all that it was made of.
        self._texts: OrderedDict[PersonKey, tuple[tuple[Any, ...], str]] = OrderedDict()

    async def invalidation_key(self, ctx: LayerContext) -> str:
        seen = await _look(ctx)
        ctx.withheld[self.name] = tuple(
            LeftOut(what=f"dossier {one.person}", tokens=0, reason=_HELD_REASON if one.facts else _HELD_ALL)
            for one in seen.portraits
            if one.held
        )
        shown = ctx.read[self.name] = await self._shown(ctx, seen)
        return key_of(ctx.char, shown)

    async def build(self, ctx: LayerContext) -> str:
        shown: list[_Shown] | None = ctx.read.pop(self.name, None)
        if shown is None:
            shown = await self._shown(ctx, await _look(ctx))
        parts = [f"### {one.label}\n\n{one.text}" for one in shown]
        return fill(prompt_text("layer/people_dossiers"), char=ctx.char, text="\n\n".join(parts)) if parts else ""

    async def _shown(self, ctx: LayerContext, seen: _Seen) -> list[_Shown]:
        texts = {one.person: text for one in seen.portraits if (text := self._text(ctx, one))}
        labels = await ctx.vault.people.labels(list(texts), guild=ctx.channel.guild) if texts else {}
        names = {person: clean_name(label) or person for person, label in labels.items()}
        names |= {OWNER: ctx.user_label, ego_key(ctx.familiar): f"{ctx.char} (yourself)"}
        parts: dict[PersonKey, _Shown] = {}
        for person, text in texts.items():
            one = seen.merged.get(person)
            kept, label = (
                (person, names[person]) if one is None else (one.identities[0], _label(ctx, names[person], one))
            )
            parts[kept] = _Shown(label, f"{parts[kept].text}\n\n{text}" if kept in parts else text)
        return list(parts.values())

    def _text(self, ctx: LayerContext, portrait: Portrait) -> str:
        here = local_time(ctx.now, ctx.config.display.zone()).utcoffset()
        made_of = (portrait, ctx.char, ctx.user_label, ctx.config, ctx.variation, here)
        known = self._texts.get(portrait.person)
        if known is None or known[0] != made_of:
            known = self._texts[portrait.person] = (made_of, _text(ctx, portrait))
        self._texts.move_to_end(portrait.person)
        while len(self._texts) > _REMEMBERED:
            self._texts.popitem(last=False)
        return known[1]


async def _look(ctx: LayerContext) -> _Seen:
    ego = ego_key(ctx.familiar)
    private = await ctx.vault.privacy.levels()
    present = await _people(ctx)
    several = await ctx.vault.person_pages.merged(present)
    merged = {identity: one for one in several.values() for identity in one.identities}
    # Whoever is here under one identity is known under the others too.
    everyone = dict.fromkeys(key for one in present for key in (merged[one].identities if one in merged else (one,)))
    people = [one for one in (ego, *everyone) if one not in private and not ctx.variation.drops("dossier", one)]
    portraits = await ctx.vault.portraits.of(
        [one for one in people if one != ego],
        Glimpse(ctx.familiar, ctx.audience, ctx.now, ctx.as_of, ctx.known_at),
        most_people=ctx.config.budget.text.max_dossier_people,
        most_facts=MOST_FACTS,
        before=[ego] if ego in people else [],
    )
    return _Seen(portraits, merged)


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
