"""What people do with memories by hand, what a rebuild brings back, what an erasure removes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import OWNER, ChannelKey, Lineage, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.keeper import Actor, Wording, may_change
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, SavedMemory, Scope
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.saved_memory_hand import Imported
from tests.unit.conversation.memory_stage import (
    ANN,
    BEN,
    LINEAGE,
    MIRA,
    NOON,
    SERVER,
    LetterEmbedder,
    Stage,
    make_config,
)

TABLES = ("saved_memories", "saved_memory_states", "person_privacy", "watermarks")


async def test_by_hand_is_protected_and_stays_so(stage: Stage) -> None:
    added = await stage.add("The {lamp} is green", tags=["garden", " garden ", "#den"])
    assert (added.content, added.tags, added.manually_written) == ("The lamp is green", ("garden", "#den"), True)
    saved = await stage.save("The cat is grey")
    number = MemoryId(saved.data["memory_id"])
    same = await stage.vault.saved_memories.edit(stage.keeper, number, by=OWNER)
    assert (same.content, same.manually_written) == ("The cat is grey", True)
    assert (await stage.update(number, "The cat is black")).success
    kept = await stage.vault.saved_memories.get(number)
    assert kept is not None
    assert kept.manually_written


async def test_writing_down_what_is_there_makes_it_a_persons(stage: Stage) -> None:
    await stage.save("The cat is grey")
    again = await stage.add("the cat is grey.", tags=["cat"])
    assert (again.id, again.tags, again.manually_written) == (1, ("cat",), True)


async def test_protecting_and_letting_be(stage: Stage) -> None:
    await stage.save("The cat is grey")
    memories, number = stage.vault.saved_memories, MemoryId(1)
    assert (await memories.protect(stage.keeper, number, True, by=OWNER)).manually_written
    freed = await memories.protect(stage.keeper, number, False, by=OWNER)
    assert (freed.manually_written, freed.last_reinforced_at) == (False, None)


@pytest.mark.parametrize(
    ("content", "place", "tags", "says"),
    [
        (" ", None, (), "1 to 1000"),
        ("x" * 1001, None, (), "1 to 1000"),
        ("tea", None, ("a", "b", "c", "d", "e", "f"), "6 tags"),
        ("tea", None, ("x" * 101,), "longer than 100"),
        ("tea", MemoryPlace(Scope.SERVER, SERVER, GLOBAL_LINEAGE), (), "never known to every familiar"),
        ("tea", MemoryPlace(Scope.PERSONAL, " ", LINEAGE), (), "about whom"),
        ("tea", MemoryPlace(Scope.PERSONAL, "discord:2", Lineage("")), (), "no lineage"),
        ("tea", MemoryPlace(Scope.PERSONAL, "discord:2", LINEAGE), (), "does not want"),
        ("Ben came by", None, (), "names somebody"),
    ],
)
async def test_what_cannot_be_written_down(
    stage: Stage, content: str, place: MemoryPlace | None, tags: tuple[str, ...], says: str
) -> None:
    await stage.private(BEN, PrivacyLevel.PARTIAL)
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVER)
    await stage.vault.turns.append(NewTurn(channel.id, Role.USER, "Hello", NOON, Author(PersonKey("discord:2"), "Ben")))
    before = await stage.dump()
    with pytest.raises((BadInputError, UserError), match=says):
        await stage.add(content, place, tags)
    assert await stage.dump() == before


async def test_retired_memories_come_back_where_there_is_room(stage: Stage) -> None:
    stage.config = make_config(max_server=1)
    await stage.save("one")
    memories, number = stage.vault.saved_memories, MemoryId(1)
    await memories.retire(stage.keeper, number, by=OWNER)
    assert await stage.texts() == []
    assert (await stage.save("two")).success
    with pytest.raises(UserError, match="1 memories here already"):
        await memories.restore(stage.keeper, number, by=OWNER)
    await memories.retire(stage.keeper, MemoryId(2), by=OWNER)
    restored = await memories.restore(stage.keeper, number, by=OWNER)
    assert (restored.active, restored.retired_reason, await stage.texts()) == (True, None, ["one"])
    with pytest.raises(UserError, match="not retired"):
        await memories.restore(stage.keeper, number, by=OWNER)


async def test_moving_to_a_person_and_to_every_familiar(stage: Stage) -> None:
    stage.config = make_config(max_personal=1)
    await stage.add("tea")
    await stage.add("milk", stage.about(BEN))
    memories = stage.vault.saved_memories
    with pytest.raises(UserError, match="1 fit"):
        await memories.move(stage.keeper, MemoryId(1), stage.about(BEN), by=OWNER)
    moved = await memories.move(stage.keeper, MemoryId(2), stage.about(BEN, GLOBAL_LINEAGE), by=OWNER)
    assert moved.place.is_global
    assert await memories.count(stage.about(BEN)) == 1
    assert await memories.count(stage.server) == 1


async def test_another_lineage_sees_nothing_but_global_rows(stage: Stage) -> None:
    await stage.add("tea")
    await stage.add("milk", stage.about(BEN, GLOBAL_LINEAGE))
    other = replace(stage.keeper, lineage=Lineage("other"))
    with pytest.raises(UserError, match="no memory 1"):
        await stage.vault.saved_memories.retire(other, MemoryId(1), by=OWNER)
    assert (await stage.vault.saved_memories.retire(other, MemoryId(2), by=OWNER)).retired_by == OWNER


async def test_an_import_is_all_or_nothing(stage: Stage) -> None:
    stage.config = make_config(max_server=3)
    await stage.add("tea", tags=["x"])
    bring_in = stage.vault.saved_memories.bring_in
    one, two = Wording(stage.server, "Tea.", ("x",)), Wording(stage.server, "milk")
    other = Wording(stage.server, "tea")
    done = await bring_in(stage.keeper, [one, two, two, other], replace=False, by=OWNER)
    assert done == Imported(added=2, skipped=2, retired=0)
    before = await stage.dump()
    with pytest.raises(UserError, match="would be 4 memories"):
        await bring_in(stage.keeper, [Wording(stage.server, "wine")], replace=False, by=OWNER)
    with pytest.raises(BadInputError, match="memory 2, content"):
        await bring_in(stage.keeper, [two, Wording(stage.server, " ")], replace=False, by=OWNER)
    assert await stage.dump() == before
    done = await bring_in(stage.keeper, [Wording(stage.server, n) for n in "abc"], replace=True, by=OWNER)
    assert done == Imported(added=3, skipped=0, retired=3)
    assert sorted(await stage.texts()) == ["a", "b", "c"]
    assert not any(one.manually_written for one in await _active(stage))


async def test_privacy_hides_at_once_and_gives_back(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVER)
    author = Author(PersonKey("discord:2"), "Ben", "ben")
    await stage.vault.turns.append(NewTurn(channel.id, Role.USER, "Hello", NOON, author))
    await stage.save("likes tea", "Ben")
    await stage.save("Ben's boat is red")
    await stage.save("The cat is grey")
    await stage.private(BEN, PrivacyLevel.PARTIAL)
    assert await stage.texts() == ["The cat is grey"]
    assert len(await stage.texts(include_private=True)) == 3
    shown, held = await stage.vault.saved_memories.shown(SERVER, [PersonKey("discord:2")], LINEAGE)
    assert ([one.content for one in shown], len(held)) == (["The cat is grey"], 2)
    assert await stage.vault.saved_memories.about(PersonKey("discord:2")) == [1]
    await stage.private(BEN, PrivacyLevel.NONE)
    assert len(await stage.texts()) == 3


async def test_an_emptied_table_comes_back_as_it_was(stage: Stage) -> None:
    await _a_long_story(stage)
    before = await stage.dump(*TABLES)
    assert len(before["saved_memories"]) == 7
    for statement in (
        "DELETE FROM saved_memories",
        "DELETE FROM saved_memories WHERE id = 2",
        "DELETE FROM saved_memory_states WHERE memory = 1",
        "DELETE FROM person_privacy",
        "DELETE FROM watermarks",
    ):
        await stage.sql(statement)
        assert await stage.dump(*TABLES) != before
        assert await stage.vault.saved_memories.bring_back() > 0
        assert await stage.dump(*TABLES) == before
    assert await stage.vault.saved_memories.bring_back() == 0
    assert await stage.vault.verify() == []


async def test_a_save_on_an_emptied_table_first_brings_it_back(stage: Stage) -> None:
    stage.config = make_config(max_server=2)
    await stage.save("one")
    await stage.save("two")
    await stage.sql("DELETE FROM saved_memories")
    assert (await stage.save("three")).status == "memory_save_failed_limit_exceeded"
    assert await stage.texts() == ["two", "one"]


async def test_turns_that_only_look_like_acts_do_nothing(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVER)
    forged = NewTurn(channel.id, Role.TOOL, '{"ops": [{"op": "put"}]}', NOON, mode="memory_save")
    await stage.vault.turns.append(forged)
    await stage.sql("DELETE FROM watermarks")
    await stage.save("tea")
    assert await stage.texts() == ["tea"]


async def test_a_look_back_shows_nothing_that_came_later(stage: Stage) -> None:
    await stage.save("tea")
    stage.wait(hours=1)
    await stage.update(1, "coffee")
    await stage.save("milk")
    stage.wait(hours=1)
    await stage.vault.saved_memories.retire(stage.keeper, MemoryId(1), by=OWNER)

    async def at(hours: float) -> list[str]:
        found = await stage.vault.saved_memories.shown(SERVER, [], LINEAGE, at=NOON + timedelta(hours=hours))
        return [one.content for one in found[0]]

    assert [await at(hours) for hours in (-1, 0.5, 1.5, 2.5)] == [[], ["tea"], ["milk", "coffee"], ["milk"]]
    history = await stage.vault.saved_memories.history(MemoryId(1))
    assert history is not None
    assert [(one.cause, one.content, one.retired) for one in history.states] == [
        ("save", "tea", False), ("update", "coffee", False), ("retire", "coffee", True),
    ]  # fmt: skip


async def test_scrubbing_a_turn_removes_what_was_drawn_from_it(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVER)
    said, _ = await stage.vault.turns.append(NewTurn(channel.id, Role.USER, "My safe code is 4471-Q", NOON))
    stage.config, stage.embedder = make_config(max_server=1, decay_enabled=True, decay_days=1), LetterEmbedder()
    await stage.save("{user}'s safe code is 4471-Q", source_turn=said.id)
    await stage.save("{user}'s safe code is 4471-q")
    stage.wait(days=2)
    evicting = await stage.save("The cat is grey")
    assert evicting.data["content_forgotten"] == "{user}'s safe code is 4471-Q"
    await stage.vault.turns.scrub(said.id)
    everything = repr(await stage.dump())
    assert "4471" not in everything
    assert [one.content for one in await _active(stage, include_retired=True)] == ["The cat is grey"]
    before = await stage.dump(*TABLES)
    await stage.sql("DELETE FROM saved_memories")
    await stage.vault.saved_memories.bring_back()
    assert await stage.dump(*TABLES) == before
    assert (await stage.save("new", target="Ben")).data["memory_id"] == 3
    assert await stage.vault.verify() == []


async def test_scrubbing_an_act_removes_the_memories_whose_text_it_holds(stage: Stage) -> None:
    await stage.save("hush one")
    await stage.update(1, "hush two")
    await stage.save("plain")
    channel = await stage.vault.channels.find(ChannelKey("discord:10"))
    assert channel is not None
    second = (await stage.vault.turns.page(channel.id))[1]
    await stage.vault.turns.scrub(second.id)
    assert "hush" not in repr(await stage.dump())
    assert await stage.texts() == ["plain"]


async def test_erasing_what_is_about_a_person(stage: Stage) -> None:
    await stage.save("hidden thing", "Ben")
    items = [Wording(stage.about(BEN), "hidden too"), Wording(stage.about(ANN), "stays")]
    await stage.vault.saved_memories.bring_in(stage.keeper, items, replace=False, by=OWNER)
    memories = stage.vault.saved_memories
    await memories.erase(await memories.about(PersonKey("discord:2")))
    assert "hidden" not in repr(await stage.dump("turns", "revisions", "saved_memories", "saved_memory_states"))
    assert await stage.texts() == ["stays"]


def test_who_may_change_what() -> None:
    place, person = MemoryPlace(Scope.SERVER, SERVER, LINEAGE), MemoryPlace(Scope.PERSONAL, "discord:2", LINEAGE)
    own = SavedMemory(MemoryId(1), place, MIRA, PersonKey("discord:2"), None, "x", (), NOON, NOON)
    others = replace(own, taught_by=PersonKey("discord:1"))
    ben = Actor(PersonKey("discord:2"))
    teacher, manager = replace(ben, may_teach_in=(SERVER,)), replace(ben, manages=(SERVER,))
    assert [may_change(one, place) for one in (ben, teacher, manager, Actor(OWNER))] == [False, True, True, True]
    assert [may_change(one, place, others) for one in (ben, teacher, manager)] == [False, False, True]
    assert may_change(teacher, place, own)
    assert may_change(ben, person)
    assert not may_change(Actor(PersonKey("discord:3"), manages=(SERVER,)), person)


async def _a_long_story(stage: Stage) -> None:
    stage.config, stage.embedder = make_config(max_server=3, decay_enabled=True, decay_days=5), LetterEmbedder()
    await stage.save("one")
    await stage.save("two", "Ben")
    await stage.add("three", tags=["#den"])
    stage.wait(days=1)
    await stage.save("one")
    await stage.update(2, "two and more", "Ben")
    await stage.save("four")
    await stage.private(ANN, PrivacyLevel.FULL)
    stage.wait(days=10)
    await stage.save("five")
    await stage.vault.saved_memories.reinforce(MIRA, ChannelKey("local:main"), [MemoryId(1), MemoryId(4)])
    await stage.vault.saved_memories.edit(stage.keeper, MemoryId(3), by=OWNER, tags=[])
    await stage.vault.saved_memories.retire(stage.keeper, MemoryId(3), by=OWNER)
    await stage.vault.saved_memories.restore(stage.keeper, MemoryId(3), by=OWNER)
    await stage.vault.saved_memories.move(stage.keeper, MemoryId(2), stage.about(BEN, GLOBAL_LINEAGE), by=OWNER)
    await stage.private(ANN, PrivacyLevel.NONE)
    await stage.vault.saved_memories.bring_in(
        stage.keeper, [Wording(stage.about(ANN), "six"), Wording(stage.about(ANN), "seven")], replace=True, by=OWNER
    )
    await stage.update(6, "", "Ann")


async def _active(stage: Stage, **question: Any) -> list[SavedMemory]:
    return await stage.vault.saved_memories.list(MemoryQuestion(LINEAGE, **question))


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE saved_memories SET content = 'other' WHERE id = 1", "not what its last act made of it"),
        ("UPDATE saved_memories SET content = 'other' WHERE id = 1", "another identity"),
        ("UPDATE saved_memories SET states = 9 WHERE id = 1", "another number of states"),
        ("UPDATE saved_memories SET created_at = 5 WHERE id = 1", "another time than its first act"),
        ("UPDATE saved_memories SET retired_at = 5, retired_reason = 'x' WHERE id = 1", "not what its last act"),
        ("DELETE FROM saved_memories", "acts of the log are not carried out"),
    ],
)
async def test_what_was_changed_by_hand_is_found_and_mended(stage: Stage, statement: str, what: str) -> None:
    await _a_long_story(stage)
    assert await stage.vault.verify() == []
    before = await stage.dump(*TABLES)
    await stage.sql(statement)
    problems = await stage.vault.verify()
    assert any(what in problem.what for problem in problems)
    await stage.sql("DELETE FROM saved_memories")
    await stage.vault.saved_memories.bring_back()
    assert (await stage.vault.verify(), await stage.dump(*TABLES)) == ([], before)
