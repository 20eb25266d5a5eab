"""Looking at prompts again: at their own moment, changed, elsewhere; and that looking changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.conversation.event import ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.inspector import Inspector, Piece, Tried
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.conversation.why_not import WhyNot
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import OWNER, ChannelKey, TraceId, ego_key
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.projection import Dossier, NewReflection
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryId, MemoryPlace, Scope
from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.domain.trace_diff import compare
from familiar_app.domain.variation import Variation
from tests.doubles.talk import ANN, BEN, MIRA, FakeModel, make_config
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

NARROW = "[budget.text]\nrecent_history_tokens = 32\nhistory_step_turns = 1\nmax_rag_items = 1\n"
LAMP = LoreEntry(comment="Lamp", uid=1, keys=("lamp",), content="The lamp is lit at dusk.", sticky=3)
GULL = LoreEntry(comment="Gull", uid=2, keys=("gull",), content="Gulls steal fish.")
LUCK = LoreEntry(comment="Luck", uid=3, keys=("luck",), content="Luck holds.", probability=50)


class Shelf:
    """One book that is always there."""

    async def read(self, channel: ChannelKey) -> LoreShelf:
        return LoreShelf(BoundBooks(character=(LoreBook(name="tower", entries=(LAMP, GULL, LUCK)),)), "r1")


class Desk:
    """A familiar in a real vault, with a clock that is moved by hand."""

    def __init__(self, place: Hearing) -> None:
        self.place, self.vault, self.main = place, place.vault, place.places["main"]
        self.model = FakeModel(deltas=["Aye."])
        self.use("")

    def use(self, toml: str) -> None:
        rolls = iter([0.2, *[0.9] * 20])
        assembler = self.place.use(toml, model=self.model, lorebooks=Shelf(), chance=lambda: next(rolls))
        config = make_config(toml)
        self.conversation = Conversation(MIRA, "Mira", config, self.vault, self.model, assembler, self.place.clock)
        self.inspector = Inspector(MIRA, config, self.vault, self.model, assembler)

    def later(self, minutes: float = 1) -> None:
        self.place.clock.instant += timedelta(minutes=minutes)

    async def say(self, text: str) -> TraceId:
        self.later()
        await in_step(self.vault)
        last = [event async for event in self.conversation.say(self.main, text, ANN)][-1]
        assert isinstance(last, ReplyStored)
        self.later()
        return last.trace_id

    async def trace(self, number: TraceId) -> PromptTrace:
        found = await self.vault.traces.get(number)
        assert found is not None
        return found

    async def learn(self, text: str, place: str = "main", **more: Any) -> int:
        self.later()
        source = await self.place.say("(said long ago)", place=place)
        return (await self.place.learn(text, source, **more)).id

    async def fill(self) -> None:
        """Say so much that nothing said before is in the recent window."""
        for number in range(6):
            await self.place.say(f"Watch number {number} was calm and nothing happened on it.")

    async def why(self, trace: TraceId, kind: str, number: int | str) -> WhyNot:
        return await self.inspector.why_not(trace, kind, number)

    async def rows(self) -> dict[str, list[Any]]:
        """Every row of every table, as it is stored."""

        def read(connection: Any) -> dict[str, list[Any]]:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            names = [row[0] for row in tables]
            return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}

        return await self.vault._opened.engine.read(read)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with hearing(tmp_path / "vault.db") as made:
        yield Desk(made)


def sent(trace: PromptTrace) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages_as_sent(trace.messages)]


async def test_a_prompt_made_again_is_the_same_whatever_came_later(desk: Desk) -> None:
    await desk.learn("Ann keeps a rabbit called Biscuit.")
    number = await desk.say("Is the lamp lit? Luck to the rabbit!")
    before = await desk.trace(number)
    fact = await desk.learn("Ann keeps a second rabbit.")
    await desk.vault.facts.retire_by_owner(fact)
    await desk.say("And the gull?")
    await desk.vault.turns.revise(before.turn_id, "Never mind.")  # type: ignore[arg-type]
    again = (await desk.inspector.again(number)).trace
    assert sent(again) == sent(before)
    assert [(layer.name, layer.text) for layer in again.layers] == [(one.name, one.text) for one in before.layers]
    assert again.candidates == before.candidates
    assert again.lorebook == {**(before.lorebook or {}), "notes": [again.notes[1]]}, "chance fell as it had fallen"
    assert (again.known_at, again.id, again.reply_turn_id) == (before.at, None, None)
    assert again.notes
    assert before.notes == ()


async def test_a_layer_an_item_an_entry_and_the_order_can_be_changed(desk: Desk) -> None:
    await desk.learn("Ann keeps a rabbit called Biscuit.")
    fact = await desk.learn("Ann's rabbit is grey.")
    number = await desk.say("Is the lamp lit for the rabbit, with luck?")
    original = await desk.trace(number)

    async def changed(**more: Any) -> PromptTrace:
        return (await desk.inspector.again(number, Variation(**more))).trace

    bare = await changed(without_layers=frozenset({"lorebook"}))
    assert [layer.name for layer in bare.layers] == [one.name for one in original.layers if one.name != "lorebook"]
    assert "dusk" not in str(sent(bare))
    without = await changed(without_items=frozenset({("fact", fact)}))
    left = [one for one in without.candidates if one["id"] == fact and one["kind"] == "fact"]
    assert [(one["kept"], one["why"]) for one in left] == [(False, "left_out")]
    assert ("grey" in str(sent(original)), "grey" in str(sent(without))) == (True, False)
    unlit = await changed(without_items=frozenset({("lore", "tower/1")}))
    assert ("dusk" in str(sent(unlit)), "Luck holds" in str(sent(unlit))) == (False, True)
    order = tuple(one.name for one in original.layers)
    turned = await changed(order=(order[1], order[0], *order[2:]))
    assert sorted(one.state for one in compare(original, turned).layers if one.state != "same") == ["moved"]
    assert turned.variation is not None
    assert turned.variation["order"] == [order[1], order[0], *order[2:]]
    small = await changed(caps={"lorebook": 0})
    assert next(one.tokens for one in small.layers if one.name == "lorebook") == 0


async def test_a_turn_can_be_left_out(desk: Desk) -> None:
    first = await desk.say("The first thing.")
    number = await desk.say("The second thing.")
    told = (await desk.trace(first)).turn_id
    assert told is not None
    without = await desk.inspector.again(number, Variation(without_items=frozenset({("turn", told)})))
    assert "The first thing" in str(sent(await desk.trace(number)))
    assert "The first thing" not in str(sent(without.trace))


async def test_looking_changes_nothing(desk: Desk) -> None:
    await desk.learn("Ann keeps a rabbit.")
    number = await desk.say("Is the lamp lit? Luck to the rabbit!")
    before, asked = await desk.rows(), len(desk.model.requests)
    inspector = desk.inspector
    await inspector.again(number, Variation(without_layers=frozenset({"reflections"})))
    fresh = await inspector.fresh(desk.main, "The gull and the lamp!")
    async with aclosing(inspector.ask(fresh)) as answers:
        ends = [event async for event in answers]
    await inspector.would_say(desk.place.places["general"], "rabbit")
    await inspector.meter(desk.main, "rabbit")
    await inspector.fresh(desk.main, "lamp", known_at=desk.place.clock.now() - timedelta(days=1))
    for kind, what in (("turn", 1), ("fact", 1), ("lore", "tower/1"), ("reflection", 1), ("dossier", "x")):
        await inspector.why_not(number, kind, what)
    await inspector.find(number, "rabbit")
    assert await desk.rows() == before
    assert len(desk.model.requests) == asked + 1
    assert [type(event) for event in ends] == [Piece, Tried]
    end = ends[-1]
    assert isinstance(end, Tried)
    assert (end.trace.answer, end.trace.sent, end.trace.error, end.trace.id) == ("Aye.", "{}", None, None)
    assert end.trace.usage is not None


async def test_an_answer_that_fails_or_is_stopped(desk: Desk) -> None:
    prompt = await desk.inspector.fresh(desk.main, "Hello?")
    desk.model.deltas = ["Half", OutsideError("The line is dead.")]
    events = [event async for event in desk.inspector.ask(prompt)]
    assert isinstance(events[-1], Tried)
    assert (events[-1].trace.error, events[-1].trace.answer) == ("The line is dead.", "Half")
    desk.model.deltas = ["One ", "two ", "three "]
    async with aclosing(desk.inspector.ask(prompt)) as answers:
        async for _ in answers:
            break
    assert desk.model.closed_early == 1


async def test_what_cannot_be_made_again(desk: Desk) -> None:
    with pytest.raises(UserError, match="no such trace"):
        await desk.inspector.again(TraceId(77))
    number = await desk.say("Hello.")
    call = (await desk.trace(number)).model_copy(update={"id": None, "purpose": "rich_note"})
    with pytest.raises(UserError, match="reply"):
        await desk.inspector.again(await desk.vault.traces.put(call))


async def test_what_would_have_been_said_then(desk: Desk) -> None:
    await desk.learn("Ann lives in Delft.")
    await desk.say("I live in Delft.")
    then = desk.place.clock.now()
    desk.later(60 * 24)
    await desk.learn("Ann moved to Ghent.")
    await desk.say("I moved to Ghent.")
    await in_step(desk.vault)
    now = (await desk.inspector.fresh(desk.main, "Where does Ann live, or where has she moved?")).trace
    was = (await desk.inspector.fresh(desk.main, "Where does Ann live, or where has she moved?", known_at=then)).trace
    assert ("Delft" in str(sent(now)), "Ghent" in str(sent(now))) == (True, True)
    assert ("Delft" in str(sent(was)), "Ghent" in str(sent(was))) == (True, False)
    assert f"{then:%Y-%m-%d, %H:%M}" in str(sent(was)), "the clock is the one of then"
    assert any("lorebook" in note for note in was.notes)


async def test_why_not_a_turn(desk: Desk) -> None:
    desk.use(NARROW)
    old = await desk.place.say("My rabbit is called Biscuit.")
    await desk.fill()
    other = await desk.place.say("The tide is high.")
    gone = await desk.place.say("A secret.")
    taken = await desk.place.say("Taken back.")
    await desk.vault.turns.hide([taken])
    await desk.vault.turns.scrub(gone)
    await desk.fill()
    number = await desk.say("What is the rabbit called?")
    late = await desk.place.say("Too late.")
    told = await desk.trace(number)
    codes = {
        what: (await desk.why(number, "turn", what)).code
        for what in (old, other, gone, taken, late, told.turn_id or 0, 9999)
    }
    assert codes == {
        old: "in", other: "no_match", gone: "deleted", taken: "hidden", late: "later",
        told.turn_id: "window", 9999: "unknown",
    }  # fmt: skip


async def test_why_not_a_fact(desk: Desk) -> None:
    desk.use(NARROW)
    best = await desk.learn("The rabbit Biscuit is the rabbit that Ann keeps: a grey rabbit.", importance=10)
    second = await desk.learn("A rabbit eats hay, among other things that are of no matter here.", importance=1)
    retired = await desk.learn("The rabbit is white.")
    successor = await desk.learn("The rabbit is not white.")
    await desk.vault.facts.retire_by_owner(retired, by=successor)  # type: ignore[arg-type]
    ended = await desk.learn("The rabbit is ill.", valid_to=desk.place.clock.now() + timedelta(minutes=1))
    foreign = await desk.learn("Sailors like rum.")
    desk.later(5)
    await desk.fill()
    number = await desk.say("Tell me of the rabbit.")
    late = await desk.learn("The rabbit has gone.")
    shown = await desk.why(number, "fact", best)
    missed = await desk.why(number, "fact", second)
    assert shown.code == "in"
    assert missed.code == "outranked"
    assert missed.detail["needed"] > missed.detail["score"]
    assert "short of the last one shown" in missed.sentence
    by = await desk.why(number, "fact", retired)
    assert (by.code, by.detail["by"]) == ("retired", successor)
    assert f"replaced by fact {successor}" in by.sentence
    codes = [(await desk.why(number, "fact", what)).code for what in (ended, foreign, late, 999)]
    assert codes == ["ended", "no_match", "later", "unknown"]


async def test_why_not_a_lorebook_entry(desk: Desk) -> None:
    number = await desk.say("Is the lamp lit?")
    lit, gull = await desk.why(number, "lore", "tower/1"), await desk.why(number, "lore", "tower/2")
    assert (lit.code, gull.code) == ("in", "lore:no-match")
    assert "lamp" in lit.sentence
    assert (await desk.why(number, "lore", "tower/9")).code == "unknown"
    desk.use('[context]\nprompt_layers = ["character_card", "recent_history"]\n')
    number = await desk.say("And now?")
    assert (await desk.why(number, "lore", "tower/1")).code == "disabled"
    assert (await desk.why(number, "reflection", 1)).code == "disabled"


async def test_why_not_a_thought_or_a_portrait(desk: Desk) -> None:
    turn = await desk.place.say("I like rain.", BEN)

    async def think(text: str) -> int:
        new = NewReflection(MIRA, text, desk.main.id, (turn,), (), turn, 0)
        made = await desk.vault.projections.write(lambda writer: writer.add_reflection(new, desk.place.clock.now()))
        assert made is not None
        return made.id

    desk.use("[budget.text]\nmax_reflections = 1\n")
    older, newer = await think("Ben is a  calm man."), await think("Rain soothes Ben.")
    own = Dossier(MIRA, ego_key(MIRA), "Keeps her word.", 1, desk.place.clock.now())
    await desk.vault.projections.write(lambda writer: writer.put_dossier(own))
    number = await desk.say("What of Ben?")
    desk.later()
    late = await think("Too late.")
    assert [(await desk.why(number, "reflection", one)).code for one in (newer, older, late, 99)] == [
        "in", "newer", "later", "unknown",
    ]  # fmt: skip
    assert (await desk.why(number, "dossier", ego_key(MIRA))).code == "in"
    assert (await desk.why(number, "dossier", BEN.key)).code == "not_extracted"


async def test_why_not_a_saved_memory(desk: Desk) -> None:
    desk.use('lineage = "6f1d2c3b-4a59-4e68-8d7c-9b0a1f2e3d4c"\n')
    config, memories = desk.inspector.config, desk.vault.saved_memories
    keeper = keeper_of(MIRA, config)

    async def save(owner: str, text: str) -> int:
        desk.later()
        place = MemoryPlace(Scope.SERVER, owner, config.lineage)
        return (await memories.add(keeper, Wording(place, text), by=OWNER)).id

    here, gone = await save("local:main", "The lamp is green"), await save("local:main", "The lamp is red")
    there = await save("discord:1", "The lamp is blue")
    await memories.retire(keeper, MemoryId(gone), by=OWNER)
    number = await desk.say("What of it?")
    late = await save("local:main", "The lamp is out")
    found = {one: (await desk.why(number, "memory", one)).code for one in (here, gone, there, late, 99)}
    assert found == {here: "in", gone: "forgotten", there: "elsewhere", late: "later", 99: "unknown"}
    named = [(one.kind, one.id) for one in await desk.inspector.find(number, "lamp")]
    assert {("memory", here), ("memory", gone), ("lore", "tower/1")} <= set(named)


async def test_would_it_say_this_here(desk: Desk) -> None:
    private = await desk.learn("Ann is afraid of rabbits.", place="dm")
    public = await desk.learn("A rabbit lives in the tower.", place="general")
    await in_step(desk.vault)
    heard = await desk.inspector.would_say(desk.place.places["general"], "Tell us of the rabbit or of rabbits.")
    assert public in {one["id"] for one in heard.kept if one["kind"] == "fact"}
    assert private in {one["id"] for one in heard.held_back if one["kind"] == "fact"}
    assert private not in {one["id"] for one in heard.kept if one["kind"] == "fact"}
    assert all(one["reason"] for one in heard.held_back)


async def test_what_can_be_asked_about_is_found(desk: Desk) -> None:
    fact = await desk.learn("Ann keeps a rabbit.")
    number = await desk.say("The gull stole from the rabbit.")
    told = await desk.trace(number)
    found = await desk.inspector.find(number, "rabbit")
    assert {("fact", fact), ("turn", told.turn_id)} <= {(one.kind, one.id) for one in found}
    assert next((one.kind, one.id) for one in await desk.inspector.find(number, "gull")) == ("lore", "tower/2")
    assert next((one.kind, one.id) for one in await desk.inspector.find(number, str(fact))) == ("fact", fact)
    assert await desk.inspector.find(number, "  ") == []
    assert await desk.inspector.find(number, "9" * 40) == []


async def test_the_meter_counts_the_draft_and_keeps_the_rest(desk: Desk) -> None:
    await desk.say("Hello.")
    empty = await desk.inspector.meter(desk.main)
    counted = desk.model.counted
    drafted = await desk.inspector.meter(desk.main, "x" * 400)
    assert desk.model.counted == counted + 1, "only the draft was counted"
    assert drafted.tokens - empty.tokens >= 100
    assert [part.tokens for part in drafted.parts if part.layer != "draft"] == [
        part.tokens for part in empty.parts if part.layer != "draft"
    ]
    assert empty.limit == empty.context_tokens - empty.answer_tokens
    assert (empty.exact, drafted.exact) == (True, False)
    assert 0 < empty.share < drafted.share < 1
    await desk.say("Something more, that takes room in the history.")
    assert (await desk.inspector.meter(desk.main)).tokens > empty.tokens
