"""What makes each layer be built again, and what does not: one change at a time, all of them within one second."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.context.layer import LayerContext
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.operating_mode import OperatingModeLayer
from familiar_app.context.prompt import PromptRequest
from familiar_app.domain.alarm import NewAlarm
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import OWNER, ChannelKey, TurnId
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.projection import Dossier, NewReflection, Summary
from familiar_app.domain.turn import Author
from tests.doubles.talk import BEN, MIRA, START, FakeModel, make_config
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

CARD = CharacterCard(name="Mira", description="A keeper.", post_history_instructions="Be brief.")
LAMP = LoreEntry(uid=1, keys=("lamp",), content="The lamp is lit at dusk.")
# A long talk in a narrow window, so that memory has something to bring back.
SETTINGS = "[budget.text]\nrecent_history_tokens = 120\nhistory_step_turns = 1\n"


class Keys:
    """A vault in which every layer shows something, and the keys of the prompt of its channel."""

    def __init__(self, scene: Hearing) -> None:
        self.scene, self.vault, self.main = scene, scene.vault, scene.places["main"]
        self.card, self.entries, self.mode, self.toml = CARD, (LAMP,), "text", SETTINGS
        self.fact, self.asked, self.model = FactId(0), TurnId(0), FakeModel()
        self.reminder = TurnId(0)
        self._assembler: tuple[str, Assembler] | None = None

    async def read(self, channel: ChannelKey) -> LoreShelf:
        return LoreShelf(BoundBooks(character=(LoreBook(name="tower", entries=self.entries),)), repr(self.entries))

    async def furnish(self) -> None:
        source = await self.scene.say("I keep a rabbit called Biscuit.")
        self.fact = (await self.scene.learn("Ann keeps a rabbit.", source)).id
        await self.reflect("Ann loves animals.")
        await self.portray("Ann owns the boat.")
        await self.summarise("They met at sea.")
        for number in range(6):
            await self.scene.say(f"Watch number {number} was calm, and the sea as well.", BEN)
        reminder = NewAlarm(MIRA, self.main.id, START + timedelta(days=9), "feed the rabbit", OWNER)
        self.reminder = (await self.vault.alarms.set(reminder, lambda number: f"Reminder {number} is set.")).id
        self.asked = await self.scene.say("Is the lamp lit for the rabbit?")

    async def reflect(self, text: str) -> None:
        new = NewReflection(MIRA, text, self.main.id, (TurnId(1),), (self.fact,), TurnId(1), 0)
        await self.vault.projections.write(lambda writer: writer.add_reflection(new, START))

    async def portray(self, text: str) -> None:
        await self.vault.projections.write(lambda writer: writer.put_dossier(Dossier(MIRA, OWNER, text, 1, START)))

    async def summarise(self, text: str) -> None:
        new = Summary(MIRA, self.main.id, text, TurnId(1), START)
        await self.vault.projections.write(lambda writer: writer.add_summary(new))

    async def layers(self) -> dict[str, tuple[str, str, bool]]:
        """Key, text and whether it was remembered, by layer."""
        if self._assembler is None or self._assembler[0] != self.toml:
            fields: dict[str, Any] = {"model": self.model, "clock": self.scene.clock, "owner_name": "Ann"}
            config = make_config(self.toml)
            made = Assembler(MIRA, lambda: self.card, config, self.vault, lorebooks=self, **fields)
            self._assembler = (self.toml, made)
        await in_step(self.vault)
        request = PromptRequest(self.main, mode=self.mode, preview=True)
        trace = (await self._assembler[1].assemble(request)).trace
        return {layer.name: (layer.key, layer.text, layer.cached) for layer in trace.layers}


@pytest.fixture
async def keys(tmp_path: Path) -> AsyncIterator[Keys]:
    async with hearing(tmp_path / "vault.db") as made:
        found = Keys(made)
        await found.furnish()
        yield found


Change = Callable[[Keys], Awaitable[object]]


async def edit_card(keys: Keys) -> None:
    keys.card = replace(keys.card, description="A keeper of two lamps.")


async def edit_closing(keys: Keys) -> None:
    keys.card = replace(keys.card, post_history_instructions="Be long.")


async def edit_what_is_not_shown(keys: Keys) -> None:
    keys.card = replace(keys.card, creator_notes="A note that no layer shows.")


async def edit_entry(keys: Keys) -> None:
    keys.entries = (replace(LAMP, content="The lamp is dark."),)


async def pass_a_minute(keys: Keys) -> None:
    keys.scene.clock.instant += timedelta(minutes=1)


async def pass_a_second(keys: Keys) -> None:
    keys.scene.clock.instant += timedelta(seconds=1)


async def edit_the_question(keys: Keys) -> None:
    await keys.vault.turns.revise(keys.asked, "Is the lamp lit for the rabbit, or not?")


async def learn_of_the_rabbit(keys: Keys) -> None:
    await keys.scene.learn("The rabbit is grey.", TurnId(1))


async def call_ann_otherwise(keys: Keys) -> None:
    await keys.scene.say("(elsewhere)", Author(BEN.key, "Benjamin"), "abroad")


async def nothing(keys: Keys) -> None:
    """Assemble again."""


CHANGES: dict[str, tuple[Change, set[str]]] = {
    "nothing": (nothing, set()),
    "a second passes": (pass_a_second, set()),
    "a minute passes": (pass_a_minute, {"final_reminder"}),
    "the card": (edit_card, {"character_card"}),
    "the card's closing words": (edit_closing, {"final_reminder"}),
    "what no layer shows of the card": (edit_what_is_not_shown, set()),
    "a lorebook entry that fires": (edit_entry, {"lorebook"}),
    "the summary, in the same second": (lambda k: k.summarise("They met again."), {"conversation_summary"}),
    "a dossier, in the same second": (lambda k: k.portray("Ann sold the boat."), {"people_dossiers"}),
    "a thought more": (lambda k: k.reflect("Ann is alone."), {"reflections"}),
    "the newest turn, edited": (edit_the_question, {"recent_history", "lorebook", "retrieved_context"}),
    "a fact that the question brings up": (learn_of_the_rabbit, {"retrieved_context"}),
    "a fact retired, without a new row": (
        lambda k: k.vault.facts.retire_by_owner(k.fact),
        # What is distilled about its subject goes with it, since it may have said the same.
        {"reflections", "retrieved_context", "people_dossiers"},
    ),
    "a reminder taken back": (lambda k: k.vault.alarms.cancel(MIRA, k.reminder), {"attention"}),
    "a turn elsewhere": (lambda k: k.scene.say("Ships pass.", BEN, "abroad"), set()),
    "another name": (call_ann_otherwise, {"recent_history", "lorebook", "retrieved_context"}),
}
# A key may change with what the trace tells, though the text is the same.
MAY = {
    # How rare a word is, and so every score, changes a little with each turn anywhere.
    "a turn elsewhere": {"retrieved_context"},
    "another name": {"lorebook", "retrieved_context", "people_dossiers"},
}


@pytest.mark.parametrize("name", list(CHANGES))
async def test_a_change_is_seen_by_those_layers_whom_it_concerns(keys: Keys, name: str) -> None:
    change, concerned = CHANGES[name]
    before = await keys.layers()
    assert all(text for layer, (_, text, _) in before.items() if layer not in ("saved_memories", "platform")), (
        "every layer shows something"
    )
    await change(keys)
    after = await keys.layers()
    changed = {layer for layer in after if after[layer][0] != before[layer][0]}
    other_text = {layer for layer in after if after[layer][1] != before[layer][1]}
    assert other_text <= changed, "an old text is never shown under an old key"
    assert changed - MAY.get(name, set()) <= concerned
    assert concerned - MAY.get(name, set()) <= changed | ({"lorebook"} if name == "the newest turn, edited" else set())
    for layer, (_, _, cached) in after.items():
        assert cached == (layer not in changed), layer


async def test_a_retired_fact_that_is_believed_again_brings_the_old_text_back(keys: Keys) -> None:
    before = await keys.layers()
    await keys.vault.facts.retire_by_owner(keys.fact)
    await keys.vault.facts.restore_by_owner(keys.fact)
    after = await keys.layers()
    assert after["reflections"][:2] == before["reflections"][:2], "the thought is not stale any more"
    assert after["retrieved_context"][1] == before["retrieved_context"][1]


async def test_the_mode_and_who_takes_part_concern_its_layer_alone(keys: Keys) -> None:
    main = keys.main
    ctx = LayerContext(
        familiar=MIRA,
        char="Mira",
        user_label="Ann",
        card=CARD,
        config=make_config(),
        channel=main,
        vault=keys.vault,
        now=START,
        mode="text",
        multi_party=False,
    )
    layer = OperatingModeLayer()
    key, text = await layer.invalidation_key(ctx), await layer.build(ctx)
    for other in (replace(ctx, multi_party=True), replace(ctx, char="Otto"), replace(ctx, mode="voice")):
        assert await layer.invalidation_key(other) != key
    assert await layer.build(replace(ctx, multi_party=True)) != text
    for same in (replace(ctx, now=START + timedelta(days=1)), replace(ctx, card=replace(CARD, description="x"))):
        assert await layer.invalidation_key(same) == key
