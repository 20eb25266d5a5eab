"""Reads the saved memories that one prompt may show: by place and people, tags, privacy, and what was said.

Active ones of this server and of those who take part are always offered. Those that rest come back only where the
newest message is near them in meaning; vectors of theirs are kept in memory, since it is a few short texts.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from familiar_app.context.history_line import LineStyle, is_own, short_name
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.saved_memories import (
    FRAME,
    HELD,
    LEFT_OUT,
    PRIVACY,
    SCORE,
    TAGS,
    AbsentMemory,
    MemoryLine,
    MemoryReading,
)
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.audience import Held
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.saved_memory import placeholder
from familiar_app.domain.saved_memory.capacity import Decay, is_dormant
from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory, Scope, usable_lineage
from familiar_app.domain.saved_memory.tag import TagScene, fits
from familiar_app.domain.speech import clean_text
from familiar_app.domain.turn import Role, Turn

log = logging.getLogger(__name__)

MOST_WOKEN = 6
LEAST_LIKENESS = 0.5
_MOST_DORMANT = 512
_KEPT_VECTORS = 2048
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Spoken:
    """The conversation up to now, oldest first, with the names it is shown with."""

    turns: Sequence[Turn]
    style: LineStyle
    cap_tokens: int


class SavedMemoryReader:
    """Reads the memories for the prompts of one familiar."""

    def __init__(self, counter: TokenCounter, embedder: Embedder | None) -> None:
        self._counter = counter
        self._embedder = embedder
        self._vectors: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    async def read(self, ctx: LayerContext, spoken: Spoken) -> MemoryReading:
        """Return what is offered, newest first. Raises OutsideError where the vault or the model's tokenizer fails."""
        lineage = ctx.config.lineage
        if not usable_lineage(lineage) or spoken.cap_tokens <= 0:
            return MemoryReading()
        people = _people(ctx, spoken)
        server = ctx.channel.guild or ctx.channel.key
        rows, private = await ctx.vault.saved_memories.shown(server, people, lineage, at=ctx.known_at or ctx.as_of)
        scene = _scene(ctx, spoken)
        absent = [AbsentMemory(row, PRIVACY) for row in private]
        offered: list[SavedMemory] = []
        for row in rows:
            why = _why_not(ctx, row, scene)
            if why is None:
                offered.append(row)
            else:
                absent.append(why)
        likeness = await self._wake(ctx, spoken, offered)
        resting = [row for row in offered if likeness.get(row.id, 1.0) is None]
        absent += [AbsentMemory(row, SCORE) for row in resting]
        lines = await self._lines(ctx, spoken, [row for row in offered if row not in resting], likeness)
        return await self._reading(ctx, spoken, lines, absent)

    async def _reading(
        self, ctx: LayerContext, spoken: Spoken, lines: Sequence[MemoryLine], absent: Sequence[AbsentMemory]
    ) -> MemoryReading:
        (frame,) = await self._counter.count([fill(prompt_text(FRAME), char=ctx.char, text="")])
        cap = spoken.cap_tokens
        reading = MemoryReading(ctx.char, tuple(lines), tuple(absent), cap, frame)
        chosen = await reading.choose(self._counter, cap)
        return replace(reading, whole=chosen, key=key_of(chosen.text))

    async def _lines(
        self,
        ctx: LayerContext,
        spoken: Spoken,
        rows: Sequence[SavedMemory],
        likeness: dict[MemoryId, float | None],
    ) -> list[MemoryLine]:
        labels = await self._labels(ctx, spoken, rows)
        listener = _listener(ctx, spoken)
        written: list[tuple[SavedMemory, str, str]] = []
        for row in rows:
            personal = row.place.scope is Scope.PERSONAL
            about = labels[PersonKey(row.place.owner)] if personal else ""
            text = placeholder.fill(row.content, user=about or listener, char=ctx.char)
            heading = f"About {about}" if personal else "About this place"
            body = clean_text(text).strip().replace("\n", "\n  ")
            written.append((row, heading, f"[id:{row.id}] {body}"))
        counts = await self._counter.count([text for _, _, text in written])
        return [
            MemoryLine(row, heading, text, tokens + 1, likeness.get(row.id))
            for (row, heading, text), tokens in zip(written, counts, strict=True)
        ]

    async def _labels(self, ctx: LayerContext, spoken: Spoken, rows: Sequence[SavedMemory]) -> dict[PersonKey, str]:
        """Return what those are called whom personal memories are about, as the history calls them."""
        owners = {PersonKey(row.place.owner) for row in rows if row.place.scope is Scope.PERSONAL}
        known = {OWNER: ctx.user_label, **spoken.style.labels}
        found: dict[PersonKey, str] = {}
        for key in owners:
            name = known.get(key) or short_name(await ctx.vault.people.label(key, guild=ctx.channel.guild))
            found[key] = name or key
        return found

    async def _wake(
        self, ctx: LayerContext, spoken: Spoken, rows: Sequence[SavedMemory]
    ) -> dict[MemoryId, float | None]:
        """Return how near each resting memory is that comes back, None for one that goes on resting.

        Where nothing can be compared, nothing rests.
        """
        settings = ctx.config.saved_memories
        decay = Decay(settings.decay_days if settings.decay_enabled else None, retrieval=self._embedder is not None)
        resting = [row for row in rows if is_dormant(row, ctx.now, decay)][:_MOST_DORMANT]
        newest = next((turn for turn in reversed(spoken.turns) if turn.role is Role.USER), None)
        if not resting:
            return {}
        if newest is None or not newest.content.strip():
            return {row.id: None for row in resting}
        try:
            near = await self._likeness(newest.content, [row.content for row in resting])
        except OutsideError as error:
            log.warning("the embedder failed, so no memory rests", exc_info=error)
            return {}
        best = sorted(zip(near, resting, strict=True), key=lambda pair: (-pair[0], -pair[1].id))[:MOST_WOKEN]
        woken = {row.id: value for value, row in best if value >= LEAST_LIKENESS}
        return {row.id: woken.get(row.id) for row in resting}

    async def _likeness(self, cue: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text with the cue. Raises OutsideError where the embedder fails."""
        embedder = self._embedder
        if embedder is None:
            return [0.0] * len(texts)
        missing = [text for text in dict.fromkeys(texts) if (embedder.name, text) not in self._vectors]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            for text, vector in zip(batch, await embedder.embed(batch), strict=True):
                self._vectors[embedder.name, text] = vector.data
        (said,) = await embedder.embed([cue])
        found: list[float] = []
        for text in texts:
            data = self._vectors[embedder.name, text]
            self._vectors.move_to_end((embedder.name, text))
            same = len(data) == len(said.data)
            found.append(float(np.dot(np.frombuffer(data, "<f4"), np.frombuffer(said.data, "<f4"))) if same else 0.0)
        while len(self._vectors) > _KEPT_VECTORS:
            self._vectors.popitem(last=False)
        return found


def _why_not(ctx: LayerContext, row: SavedMemory, scene: TagScene) -> AbsentMemory | None:
    if ctx.variation.drops("memory", row.id):
        return AbsentMemory(row, LEFT_OUT)
    if not fits(row.tags, scene):
        return AbsentMemory(row, TAGS)
    if row.place.scope is Scope.PERSONAL and row.learned_in is not None:
        # A personal memory follows its person, but the words of a direct message stay there.
        held = ctx.audience.why_held([row.learned_in])
        if held is Held.DIRECT:
            return AbsentMemory(row, HELD, str(held))
    return None


def _people(ctx: LayerContext, spoken: Spoken) -> list[PersonKey]:
    """Return who takes part, the last one first."""
    authors = [
        turn.author.key
        for turn in reversed(spoken.turns)
        if turn.author is not None and not is_own(turn, ctx.familiar) and not turn.author.key.startswith("ego:")
    ]
    return list(dict.fromkeys(authors))


def _listener(ctx: LayerContext, spoken: Spoken) -> str:
    """Return who is spoken to: whoever said something last."""
    for key in _people(ctx, spoken):
        return ctx.user_label if key == OWNER else spoken.style.labels.get(key) or ctx.user_label
    return ctx.user_label


def _scene(ctx: LayerContext, spoken: Spoken) -> TagScene:
    settings = ctx.config.saved_memories
    said = "\n".join(turn.content for turn in spoken.turns if turn.role in (Role.USER, Role.ASSISTANT))
    return TagScene(ctx.channel.key, ctx.channel.title, said, settings.channel_tags, settings.word_tags)
