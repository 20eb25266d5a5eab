"""Edits of turns that were read before: what rested on the old words goes, and the new ones are read."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from familiar_app.domain.chat import ChatEvent, ChatRequest
from familiar_app.domain.fact import Cause, Fact
from familiar_app.domain.turn import Author
from familiar_app.projectors.runner import Projectors
from familiar_app.store.takeover import Copy
from tests.unit.projectors.scene import ANN, BEN, MIRA, Scene, note
from tests.unit.projectors.test_replay import run, seen


async def lived(scene: Scene) -> tuple[int, int]:
    """Ann says where she lives, Ben confirms a part of it."""
    first = await scene.say("I live in Rome and like tea.")
    second = await scene.say("Ann does like tea.", BEN)
    scene.later(seconds=1)
    scene.model.tell(
        "rich_note",
        [
            note("Ann lives in Rome.", first, about=[ANN.key]),
            note("Ann likes tea.", first, second, about=[ANN.key]),
        ],
    )
    scene.model.tell("fact_supersede", *([] for _ in range(9)))
    await run(scene)
    scene.later(minutes=5)
    return first, second


def by_text(facts: list[Fact]) -> dict[str, Fact]:
    return {fact.text: fact for fact in facts}


async def test_an_edit_retires_what_rested_on_the_old_words_alone_and_the_new_ones_are_read(scene: Scene) -> None:
    first, _ = await lived(scene)
    await scene.vault.turns.revise(first, "I live in Lisbon and like tea.")
    assert await scene.texts() == ["Ann likes tea."]
    rome = by_text(await scene.beliefs())["Ann lives in Rome."]
    assert (rome.beliefs[-1].end_cause, rome.hidden, rome.source_turns) == (Cause.SOURCE_EDITED, False, (first,))
    scene.later(minutes=1)
    scene.model.tell("rich_note", [note("Ann lives in Lisbon.", first, about=[ANN.key])])
    await run(scene)
    assert sorted(await scene.texts()) == ["Ann likes tea.", "Ann lives in Lisbon."]
    prompt = scene.model.prompts("rich_note")[-1]
    assert "Lisbon" in prompt
    assert "Ann does like tea" not in prompt
    count = len(scene.model.requests)
    await run(scene)
    assert len(scene.model.requests) == count


async def test_what_the_new_words_still_say_is_believed_again(scene: Scene) -> None:
    first, _ = await lived(scene)
    await scene.vault.turns.revise(first, "I live in Rome, and I like tea!")
    scene.later(minutes=1)
    scene.model.tell("rich_note", [note("Ann lives in Rome.", first, about=[ANN.key])])
    await run(scene)
    assert sorted(await scene.texts()) == ["Ann likes tea.", "Ann lives in Rome."]


async def test_a_second_edit_takes_away_what_was_read_after_the_first(scene: Scene) -> None:
    first, _ = await lived(scene)
    for city in ("Lisbon", "Porto"):
        await scene.vault.turns.revise(first, f"I live in {city}.")
        scene.later(minutes=1)
        scene.model.tell("rich_note", [note(f"Ann lives in {city}.", first, about=[ANN.key])])
        await run(scene)
    assert sorted(await scene.texts()) == ["Ann likes tea.", "Ann lives in Porto."]


async def test_a_rebuild_believes_the_same_and_asks_nobody(scene: Scene) -> None:
    first, second = await lived(scene)
    moments = [scene.clock.now()]
    await scene.vault.turns.revise(first, "I live in Lisbon.")
    moments.append(scene.later(minutes=1))
    scene.model.tell("rich_note", [note("Ann lives in Lisbon.", first, about=[ANN.key])])
    await run(scene)
    moments.append(scene.later(minutes=1))
    await scene.vault.turns.revise(second, "Ann is fond of tea.")
    moments.append(scene.later(minutes=1))
    scene.model.tell("rich_note", [note("Ann is fond of tea.", second, about=[ANN.key])])
    await run(scene)
    moments.append(scene.later(minutes=1))
    before = await seen(scene, moments)
    assert [fact.text for fact in before["now"]] == ["Ann is fond of tea.", "Ann lives in Lisbon."]
    scene.model.queues.clear()
    scene.model.requests.clear()
    await Projectors(scene.desk).rebuild(("rich_note", "fact_supersede"), fresh=False)
    await run(scene)
    assert await seen(scene, moments) == before
    assert scene.model.requests == []


async def test_words_that_change_while_they_are_read_are_read_again(scene: Scene) -> None:
    first = await scene.say("I live in Rome.")
    told, real = ["Rome", "Oslo"], scene.model.stream

    async def stream(request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        async for event in real(request):
            yield event
        if request.purpose == "rich_note":
            await scene.vault.turns.revise(first, "I live in Oslo.")

    scene.model.stream = stream  # type: ignore[method-assign]
    scene.model.tell("rich_note", *([note(f"Ann lives in {city}.", first, about=[ANN.key])] for city in told))
    scene.model.tell("fact_supersede", *([] for _ in range(9)))
    await run(scene)
    assert [fact.text for fact in await scene.beliefs()] == ["Ann lives in Oslo."]


async def test_a_fresh_rebuild_reads_every_turn_once_in_its_newest_words(scene: Scene) -> None:
    first, _ = await lived(scene)
    await scene.vault.turns.revise(first, "I live in Lisbon.")
    scene.later(minutes=5)
    scene.model.requests.clear()
    scene.model.tell("rich_note", [note("Ann lives in Lisbon.", first, about=[ANN.key])])
    await Projectors(scene.desk).rebuild(("rich_note", "fact_supersede"), fresh=True)
    await run(scene)
    assert await scene.texts() == ["Ann lives in Lisbon."]
    assert len(scene.model.prompts("rich_note")) == 1


async def test_a_preview_and_an_edit_of_what_nobody_has_read_change_nothing(scene: Scene) -> None:
    first, _ = await lived(scene)
    await scene.vault.turns.revise(first, "I live in Rome and like tea.\n(link News)", added=True)
    unread = await scene.say("Nothing yet.")
    await scene.vault.turns.revise(unread, "Nothing at all.")
    scene.model.tell("rich_note", [])
    await run(scene)
    assert sorted(await scene.texts()) == ["Ann likes tea.", "Ann lives in Rome."]
    prompts = scene.model.prompts("rich_note")
    assert len(prompts) == 2
    assert "Nothing at all." in prompts[-1]
    assert "Nothing yet." not in prompts[-1]


async def test_the_owners_own_word_stands_whatever_is_edited(scene: Scene) -> None:
    first, _ = await lived(scene)
    rome = by_text(await scene.beliefs())["Ann lives in Rome."]
    await scene.vault.facts.add_by_owner(MIRA, rome.text, subjects=[ANN.key])
    await scene.vault.turns.revise(first, "I live nowhere.")
    assert sorted(await scene.texts()) == ["Ann likes tea.", "Ann lives in Rome."]


async def test_a_copy_sent_in_somebodys_place_shares_the_turn(scene: Scene) -> None:
    first, _ = await lived(scene)
    channel = scene.channel.id
    turn = await scene.say("w: I am Wren.", message_id="500")
    wren = Author(BEN.key, "Wren")
    for _ in range(2):
        await scene.vault.turns.take_over(turn, Copy("501", wren, "I am Wren."))
    found = await scene.vault.messages.find(channel, "501")
    assert found is not None
    assert (found.id, found.content, found.author and found.author.name) == (turn, "I am Wren.", "Wren")
    assert await scene.vault.messages.find(channel, "500") is None
    again = await scene.vault.messages.find(channel, "500", aliases=True)
    assert again is not None
    assert again.id == turn
    assert await scene.say("w: I am Wren.", message_id="500") == turn
    await scene.vault.turns.take_over(first, Copy("502", wren, ""))
    assert await scene.texts() == ["Ann likes tea."]
    assert await scene.vault.verify() == []
