"""The memories that were saved on purpose: which of them stand in a prompt, and why the others do not.

Which ones there are is found by `saved_memory_reader`; here they are chosen within a number of tokens, newest first,
written down and told of in a trace. A memory is shown whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LeftOut

SAVED_MEMORIES = "saved_memories"
FRAME = f"layer/{SAVED_MEMORIES}"
# What each code in a trace means; the words are those of the other candidates of a trace.
KEPT, CAP, HELD, LEFT_OUT, SCORE, TAGS, PRIVACY = "kept", "cap", "audience", "left_out", "score", "tags", "privacy"
REASONS = {
    CAP: tr_later("longer than the room left for saved memories"),
    SCORE: tr_later("it rests, and nothing that was said is near it"),
    TAGS: tr_later("its tags keep it to other channels or conversations"),
    PRIVACY: tr_later("somebody in it does not want to be remembered"),
    LEFT_OUT: tr_later("left out by hand"),
}


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """A memory as it is written, under the heading of those it is about. `likeness` is of one that rested."""

    memory: SavedMemory
    heading: str
    text: str
    tokens: int
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class AbsentMemory:
    """A memory that is not offered to a prompt, and why."""

    memory: SavedMemory
    why: str
    reason: str | None = None
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class ChosenMemories:
    """What stands in the prompt, and the memories for which there was no room."""

    text: str = ""
    over: frozenset[MemoryId] = frozenset()


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """What is offered to one prompt, newest first, and what is not."""

    char: str = ""
    lines: tuple[MemoryLine, ...] = ()
    absent: tuple[AbsentMemory, ...] = ()
    cap_tokens: int = 0
    frame_tokens: int = 0
    whole: ChosenMemories = field(default_factory=ChosenMemories)
    key: str = ""

    async def fit(self, counter: TokenCounter, room: int) -> ChosenMemories:
        """Take what the cap holds where that fits into `room`, else less."""
        if (await counter.count([self.whole.text]))[0] <= room:
            return self.whole
        return await self.choose(counter, room)

    async def choose(self, counter: TokenCounter, room: int) -> ChosenMemories:
        """Take the newest memories that `room` tokens hold; a shorter, older one takes the place of one too long."""
        taken: list[MemoryLine] = []
        left, headings = room - self.frame_tokens, set[str]()
        for line in self.lines:
            cost = line.tokens + (0 if line.heading in headings else 2 + len(line.heading) // 3)
            if cost <= left:
                taken.append(line)
                headings.add(line.heading)
                left -= cost
        while taken:
            text = self._text(taken)
            if (await counter.count([text]))[0] <= room:
                return ChosenMemories(text, self._over(taken))
            taken.pop()
        return ChosenMemories("", self._over(()))

    async def reinforce(self, ctx: LayerContext, chosen: ChosenMemories) -> None:
        """Remember that memories which rested were of use: those that stand in a prompt that is really asked."""
        woken = [line.memory.id for line in self.lines if line.likeness is not None]
        shown = [number for number in woken if number not in chosen.over]
        if shown:
            await ctx.vault.saved_memories.reinforce(ctx.familiar, ctx.channel.key, shown)

    def candidates(self, chosen: ChosenMemories) -> tuple[dict[str, Any], ...]:
        """Return every memory of this place and its people as a trace keeps it."""
        shown = [
            _candidate(line.memory, CAP if line.memory.id in chosen.over else KEPT, line.tokens, line.likeness)
            for line in self.lines
        ]
        return (*shown, *(_candidate(one.memory, one.why, 0, one.likeness, one.reason) for one in self.absent))

    def left_out(self, chosen: ChosenMemories) -> tuple[LeftOut, ...]:
        """Return what is not shown, named by number."""
        over = [
            LeftOut(what=f"memory {line.memory.id}", tokens=line.tokens, reason=REASONS[CAP])
            for line in self.lines
            if line.memory.id in chosen.over
        ]
        absent = [
            LeftOut(what=f"memory {one.memory.id}", tokens=0, reason=one.reason or REASONS[one.why])
            for one in self.absent
        ]
        return (*over, *absent)

    def _over(self, taken: Sequence[MemoryLine]) -> frozenset[MemoryId]:
        kept = {line.memory.id for line in taken}
        return frozenset(line.memory.id for line in self.lines if line.memory.id not in kept)

    def _text(self, taken: Sequence[MemoryLine]) -> str:
        parts: dict[str, list[str]] = {}
        for line in taken:
            parts.setdefault(line.heading, []).append(line.text)
        text = "\n\n".join("\n".join((f"{heading}:", *lines)) for heading, lines in parts.items())
        return fill(prompt_text(FRAME), char=self.char, text=text)


@dataclass(frozen=True, slots=True)
class SavedMemoriesLayer:
    """Shows what was read for this moment; the assembler had it read before."""

    name: str = field(default=SAVED_MEMORIES, init=False)

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return ctx.memories.key if ctx.memories is not None else key_of()

    async def build(self, ctx: LayerContext) -> str:
        return ctx.memories.whole.text if ctx.memories is not None else ""


def _candidate(
    memory: SavedMemory, why: str, tokens: int, likeness: float | None, reason: str | None = None
) -> dict[str, Any]:
    return {
        "kind": "memory",
        "id": memory.id,
        "text": memory.content,
        "score": 1.0 if likeness is None else likeness,
        "signals": {},
        "kept": why == KEPT,
        "why": why,
        "reason": reason or REASONS.get(why),
        "tokens": tokens,
        "neighbours": [],
        "sources": [] if memory.source_turn is None else [memory.source_turn],
    }
