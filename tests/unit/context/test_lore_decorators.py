"""Decorators of lorebook entries in the prompt: what the familiar said, how it began, where the text stands."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from familiar_app.context.composition import compose
from familiar_app.context.lore_replay import replay_of
from familiar_app.context.lorebook import Insertion
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import TurnId
from familiar_app.domain.lorebook.entry import LoreEntry, LoreRole
from tests.doubles.talk import ANN
from tests.unit.context.test_lorebook import HERE, FakeLorebooks, timers

__all__ = ["timers"]

CARD = CharacterCard(name="Mira", first_message="Hello, {{user}}.", alternate_greetings=["Evening.", "Night."])


def entry(content: str, uid: int = 1) -> LoreEntry:
    return LoreEntry(uid=uid, keys=("dragon",), content=content)


async def test_what_the_familiar_said_in_the_whole_channel_counts(make, vault, timers) -> None:
    for number in range(6):
        asked = vault.turns.add(ANN, f"dragon {number}")
        vault.turns.add(None, "Indeed.", answers=asked.id)
    assembler = make(lorebooks=FakeLorebooks(entry("@@activate_only_after 5\nDragons!")))
    story = (await assembler.assemble(HERE)).trace.lorebook
    assert (story["activated"], story["said"]) == (["dragon"], 6)
    then = replace(HERE, until=TurnId(9))
    story = (await assembler.assemble(then)).trace.lorebook
    assert (story["activated"], story["said"]) == ([], 4)
    assert story["verdicts"][0]["detail"]["messages"] == 4
    assert replay_of(story).story.said == 4


@pytest.mark.parametrize(
    ("first", "activated", "told"),
    [("Evening.", ["dragon"], 1), ("Hello, Ann.", [], 0), (None, [], -1), ("Something else.", ["dragon"], None)],
)
async def test_the_greeting_it_began_with_counts(
    make, vault, timers, first: str | None, activated: list[str], told: int | None
) -> None:
    if first is not None:
        vault.turns.add(None, first)
    vault.turns.add(ANN, "dragon")
    assembler = make(card=CARD, lorebooks=FakeLorebooks(entry("@@is_greeting 1\nDragons!")))
    story = (await assembler.assemble(HERE)).trace.lorebook
    assert (story["activated"], story["greeting"]) == (activated, told)


async def test_what_goes_by_nothing_looks_nothing_up(make, vault, timers) -> None:
    vault.turns.add(ANN, "dragon")
    story = (await make(lorebooks=FakeLorebooks(entry("Dragons!"))).assemble(HERE)).trace.lorebook
    assert (story["said"], story["greeting"]) == (None, None)


async def test_a_prompt_has_the_text_at_its_place_and_no_decorator(make, vault, timers) -> None:
    for word in ("one", "two", "three dragon"):
        vault.turns.add(ANN, word)
    books = FakeLorebooks(
        entry("@@reverse_depth 1\n@@role user\n\nOld lore."), entry("@@depth 1\n@@inject_at x\nNew lore.", 2)
    )
    prompt = await make(lorebooks=books).assemble(HERE)
    text = "\n".join(message.content for message in prompt.request.messages)
    assert re.findall(r"one|Old lore|two|New lore|three", text) == ["one", "Old lore", "two", "New lore", "three"]
    assert "@@" not in text
    story = prompt.trace.lorebook
    places = {one["uid"]: (one["wanted"], one["depth"], one["from_start"], one["role"]) for one in story["places"]}
    assert places == {1: ("at-depth", 1, True, "user"), 2: ("at-depth", 1, False, "system")}
    assert [one["detail"].get("idle_decorators") for one in story["verdicts"]].count(["@@inject_at"]) == 1


async def test_a_decorator_can_look_further_back_than_the_window(make, vault, timers) -> None:
    vault.turns.add(ANN, "dragon")
    for _ in range(30):
        vault.turns.add(ANN, "and then")
    story = (await make(lorebooks=FakeLorebooks(entry("@@scan_depth 40\nDragons!"))).assemble(HERE)).trace.lorebook
    assert story["activated"] == ["dragon"]


async def test_what_came_once_counts_the_whole_channel(make, vault, timers) -> None:
    assembler = make(lorebooks=FakeLorebooks(entry("@@dont_activate_after_match\nDragons!")))
    vault.turns.add(ANN, "dragon")
    assert (await assembler.assemble(HERE)).trace.lorebook["activated"] == ["dragon"]
    for _ in range(30):
        vault.turns.add(ANN, "dragon")
    story = (await assembler.assemble(HERE)).trace.lorebook
    assert (story["activated"], story["verdicts"][0]["reason"], story["messages"]) == ([], "cooldown", 31)


def test_a_place_behind_the_last_line_is_the_end() -> None:
    parts = compose(
        [("card", "Card")],
        [],
        [],
        history_layer="recent_history",
        closing_role="user",
        insertions=[Insertion(7, LoreRole.SYSTEM, "Late.", from_start=True)],
    )
    assert [one.content for one in parts] == ["Card", "(Late.)"]
