"""Evaluates the lorebooks of a channel for one prompt: its turns, its timers, its budget.

The engine counts tokens while it works, and a model counts them elsewhere. So an evaluation first runs on guesses,
what it asked is counted in one request, and it runs again on the counts until nothing is guessed any more; chance
gives the same numbers each time.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.lore_likeness import LoreLikeness
from familiar_app.context.lore_note import note_insertion, note_text
from familiar_app.context.lore_replay import LoreReplay
from familiar_app.context.lore_shelf import Lorebooks, LoreShelf
from familiar_app.context.lore_story import read_story
from familiar_app.context.lore_text import expander, insertions, section
from familiar_app.context.lore_trace import Surroundings, idle_trace, lore_trace
from familiar_app.context.lorebook import HEADING, LOREBOOK, OUTLET_FIELDS, LoreReading, fill_outlets, outlet_names
from familiar_app.context.newest_turns import NewestTurns
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.decoration import setting_of
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.rules import FIXED, rules_named
from familiar_app.domain.lorebook.scene import MAX_DEPTH, Scene
from familiar_app.domain.lorebook.setting import lore_settings
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.settings import LorebookSettings
from familiar_app.domain.speech import break_marks

_KEPT_ENGINES = 4
_TRIES = 6
_SPARE_TOKENS = 4
_GUESSED_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class LoreMoment:
    """The moment that is evaluated: the newest turns as they are searched. A `preview` sees timers and leaves none.

    `replay` is an earlier evaluation whose chance and timers are taken again.
    """

    messages: tuple[str, ...]
    turns: NewestTurns
    preview: bool
    replay: LoreReplay | None = None


@dataclass(slots=True)
class _Prepared:
    """An engine with the lock that keeps threads apart."""

    engine: LoreEngine
    lock: threading.Lock


class LoreReader:
    """Evaluates lorebooks for the prompts of one familiar. `chance` gives numbers in [0, 1)."""

    def __init__(
        self,
        lorebooks: Lorebooks,
        counter: TokenCounter,
        chance: Callable[[], float],
        embedder: Embedder | None = None,
    ) -> None:
        self._lorebooks = lorebooks
        self._counter = counter
        self._chance = chance
        self._likeness = LoreLikeness(embedder)
        self._engines: OrderedDict[str, _Prepared] = OrderedDict()
        self._building = threading.Lock()

    async def shelf(self, ctx: LayerContext) -> LoreShelf:
        """Return the books that count in this channel."""
        return await self._lorebooks.read(ctx.channel.key)

    async def read(self, ctx: LayerContext, shelf: LoreShelf, moment: LoreMoment) -> LoreReading:
        """Evaluate the books. Raises OutsideError where the model or the vault fails."""
        rules, note = ctx.config.lorebook.rules, ctx.config.lorebook.note
        said = note_text(note, expander(ctx))
        room = await self._room(ctx)
        if room < 1 or not any(book.entries for book in shelf.all_books):
            idle = idle_trace(shelf, rules=rules)
            return LoreReading(key_of(shelf.revision), insertions=note_insertion(note, said), trace=idle)
        replay = moment.replay or LoreReplay(
            (),
            await ctx.vault.lore_timers.get(ctx.familiar, ctx.channel.id),
            await read_story(ctx, shelf, moment.turns),
        )
        timers, story = replay.timers, replay.story
        likeness = await self._likeness.read(ctx, shelf, moment.messages)
        scene = replace(
            _scene(ctx, shelf, moment, room, said),
            length=story.length,
            said=story.said,
            greeting=story.greeting,
            likeness=likeness,
        )
        activation = await self._evaluate(ctx, shelf, scene, timers, list(replay.rolls))
        lasting = not moment.preview and moment.replay is None and moment.turns.newest
        if lasting and activation.timers != timers:
            await ctx.vault.lore_timers.set(ctx.familiar, ctx.channel.id, activation.timers)
        around = Surroundings(rules, len(moment.messages), story, timers, bool(said), _outlet_names(ctx, said))
        trace = await asyncio.to_thread(lore_trace, shelf, activation, around)
        return _reading(ctx, shelf, activation, said, trace)

    async def _room(self, ctx: LayerContext) -> int:
        (heading,) = await self._counter.count([HEADING])
        return (ctx.config.budget.text.cap(LOREBOOK) or 0) - heading - _SPARE_TOKENS

    async def _evaluate(
        self, ctx: LayerContext, shelf: LoreShelf, scene: Scene, timers: Timers, rolls: list[float]
    ) -> Activation:
        counts: dict[str, int] = {}
        for tried in range(_TRIES):
            asked: dict[str, None] = {}
            activation = await asyncio.to_thread(self._activate, ctx, shelf, scene, timers, counts, asked, rolls)
            missing = [text for text in asked if text not in counts]
            if not missing or tried == _TRIES - 1:
                break
            counts.update(zip(missing, await self._counter.count(missing), strict=True))
        return activation

    def _activate(
        self,
        ctx: LayerContext,
        shelf: LoreShelf,
        scene: Scene,
        timers: Timers,
        counts: dict[str, int],
        asked: dict[str, None],
        rolls: list[float],
    ) -> Activation:
        """Run the engine once, in a thread. What it asks to count goes to `asked`, its numbers of chance to `rolls`."""
        used = 0

        def chance() -> float:
            nonlocal used
            used += 1
            if used > len(rolls):
                rolls.append(self._chance())
            return rolls[used - 1]

        def count(text: str) -> int:
            asked[text] = None
            return counts.get(text, len(text) // _GUESSED_CHARS_PER_TOKEN + 1)

        prepared = self._engine(ctx, shelf)
        with prepared.lock:
            return prepared.engine.activate(scene, chance=chance, count_tokens=count, timers=timers)

    def _engine(self, ctx: LayerContext, shelf: LoreShelf) -> _Prepared:
        chosen, limit = ctx.config.lorebook, ctx.config.budget.text.max_lorebook_entries
        key = key_of(shelf.revision, chosen, limit, [book.name for book in shelf.all_books])
        with self._building:
            if key not in self._engines:
                settings = lore_settings(chosen, shelf.all_books, max_entries=limit)
                engine = LoreEngine(shelf.books, settings, rules_named(chosen.rules))
                self._engines[key] = _Prepared(engine, threading.Lock())
            self._engines.move_to_end(key)
            while len(self._engines) > _KEPT_ENGINES:
                self._engines.popitem(last=False)
            return self._engines[key]


def reach(shelf: LoreShelf, chosen: LorebookSettings) -> int:
    """Return how many turns back any entry may look; too few entries make the search go further back."""
    depths, rules = [chosen.recent_window], rules_named(chosen.rules)
    if chosen.min_activations:
        depths.append(chosen.min_activations_depth + 1 if chosen.min_activations_depth else MAX_DEPTH)
    for book in shelf.all_books:
        depths += [book.scan_depth or 0, *(setting_of(entry, "scan_depth", rules) or 0 for entry in book.entries)]
    return min(max(depths), MAX_DEPTH)


def _reading(
    ctx: LayerContext, shelf: LoreShelf, activation: Activation, said: str, trace: dict[str, Any]
) -> LoreReading:
    placement, note = activation.placement, ctx.config.lorebook.note
    own = note_insertion(note, fill_outlets(said, placement.outlets), placement)
    text = section(placement, has_note=bool(said))
    matched = [str(one.candidate.key) for one in activation.accepted]
    outlets = {name: break_marks(inside) for name, inside in placement.outlets.items()}
    return LoreReading(
        key_of(shelf.revision, matched, text), text, (*insertions(placement), *own), outlets=outlets, trace=trace
    )


def _outlet_names(ctx: LayerContext, said: str) -> frozenset[str]:
    """Return the outlets that this prompt has: in the card and in the owner's note."""
    return outlet_names("\n".join([said, *(getattr(ctx.card, name) for name in OUTLET_FIELDS)]))


def _scene(ctx: LayerContext, shelf: LoreShelf, moment: LoreMoment, room: int, said: str) -> Scene:
    card, chosen = ctx.card, ctx.config.lorebook
    return Scene(
        messages=moment.messages,
        injections=(said,) if said and chosen.note.searched else (),
        sources={
            "persona_description": chosen.owner_description,
            "character_description": card.description,
            "character_personality": card.personality,
            "character_depth_prompt": shelf.characters_note,
            "scenario": card.scenario,
            "creator_notes": card.creator_notes,
        },
        trigger="regenerate" if moment.turns.answered else "normal",
        character=card.name,
        character_tags=frozenset(card.tags),
        note_inserted=bool(said) or chosen.rules == FIXED.name,
        prompt_tokens=room,
        expand=expander(ctx),
    )
