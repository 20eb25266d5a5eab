"""What lorebooks ask about a conversation beyond its newest turns: its length, what the familiar said, how it began.

Each is looked up only where an entry goes by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from familiar_app.context.layer import LayerContext
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.newest_turns import NewestTurns
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.ids import TurnId
from familiar_app.domain.lorebook.decoration import Decoration, read_content, setting_of
from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.rules import Rules, rules_named
from familiar_app.domain.turn import Role


@dataclass(frozen=True, slots=True)
class LoreStory:
    """How many messages there were, and how many the familiar said; by which greeting it began.

    `greeting` is -1 where it did not begin with one. None stands for what no entry goes by, or what cannot be told.
    """

    length: int
    said: int | None = None
    greeting: int | None = None


async def read_story(ctx: LayerContext, shelf: LoreShelf, turns: NewestTurns) -> LoreStory:
    """Look up what the entries of these books go by."""
    rules = rules_named(ctx.config.lorebook.rules)
    entries = [entry for book in shelf.all_books for entry in book.entries]
    marks = [read_content(entry.content, rules)[0] for entry in entries]
    return LoreStory(
        await _length(ctx, turns) if any(_is_timed(entry, rules) for entry in entries) else len(turns.turns),
        await ctx.vault.turns.count_said(ctx.channel.id, until=ctx.until) if _count_turns(marks) else None,
        await _greeting(ctx) if any(one.greeting is not None for one in marks) else None,
    )


def _is_timed(entry: LoreEntry, rules: Rules) -> bool:
    return any(setting_of(entry, name, rules) for name in ("sticky", "cooldown", "delay"))


def _count_turns(marks: Iterable[Decoration]) -> bool:
    return any(one.only_after or one.only_every for one in marks)


async def _length(ctx: LayerContext, turns: NewestTurns) -> int:
    stored = await ctx.vault.turns.count(ctx.channel.id)
    return max(stored - turns.later + turns.pending, len(turns.turns))


async def _greeting(ctx: LayerContext) -> int | None:
    """Return by which of the card's greetings the channel began, -1 for none; one that was edited cannot be told."""
    first = await ctx.vault.turns.page(ctx.channel.id, after=TurnId(0), limit=1)
    if not first or first[0].role is not Role.ASSISTANT or first[0].answers is not None:
        return -1
    for number, text in enumerate((ctx.card.first_message, *ctx.card.alternate_greetings)):
        if fill_placeholders(text, char=ctx.char, user=ctx.user_label).strip() == first[0].content.strip():
            return number
    return None
