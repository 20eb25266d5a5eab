"""After an erasure nothing of it is left anywhere in the vault, the rest is as it was, and nothing comes back."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.alarm import NewAlarm
from familiar_app.domain.audience import Readers
from familiar_app.domain.erasure import OfChannel, OfFamiliar, OfMessage, OfPerson
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, Scope
from familiar_app.domain.trace import LayerTrace, TracedMessage
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.projectors.runner import Projectors
from familiar_app.store import erasure_step
from familiar_app.store.erasure_list import ErasedList
from familiar_app.store.erasure_step import STEPS
from familiar_app.store.reflection_mark import read_marks
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.vault import Vault
from tests.unit.projectors.erasure_reader import everything_in
from tests.unit.projectors.scene import ANN, EGO, MIRA, Scene, make_config, note
from tests.unit.store.test_trace import a_trace

BOB = Author(PersonKey("discord:4242424242"), "Bobadil", "bobadil_sails", global_name="Captain Bobadil")
ALSO_BOB = Author(PersonKey("discord:7777777777"), "Robertino", "robertino")
SECRET = "I keep a green parrot named Zanzibar in the attic"
TRACES = ("discord:4242424242", "4242424242", "bobadil", "robertino", "zanzibar", "parrot")
DRAWN = ("rich_note", "fact_supersede", "people_dossier", "rolling_summary", "reflection")


async def told(scene: Scene) -> dict[str, TurnId]:
    """Let two people talk, and let everything be drawn from it that is ever drawn."""
    turns: dict[str, TurnId] = {}
    turns["ann"] = await scene.say("I grow tomatoes on the balcony", ANN)
    turns["bob"] = await scene.say(SECRET, BOB)
    turns["reply"] = await scene.say("A parrot, Bobadil! How lovely.", None, answers=turns["bob"])
    turns["about"] = await scene.say(
        "Did you hear that, @Bobadil? Bobadil's ship leaves on Monday.", ANN, mentions=(BOB.key,)
    )
    turns["quote"] = await scene.say(f"> {SECRET}\nThat is what I heard.", ANN)
    turns["also"] = await scene.say("Robertino is my other account", ALSO_BOB)
    scene.later(minutes=1)
    scene.model.tell(
        "rich_note",
        [
            note("Ann grows tomatoes.", turns["ann"], about=[ANN.key]),
            note("Bobadil keeps a parrot named Zanzibar.", turns["bob"], about=[BOB.key]),
            note("Bobadil's ship leaves on Monday.", turns["about"], about=[BOB.key]),
            note("Ann and Bobadil talk about ships.", turns["about"], about=[ANN.key, BOB.key]),
            note("The balcony is sunny, says Bobadil.", turns["ann"]),
            note("Ann likes parrots.", turns["bob"], about=[ANN.key]),
        ],
    )
    scene.model.tell("fact_supersede", *([[]] * 20))
    scene.model.tell("people_dossier", *(["Keeps a parrot, Bobadil told."] * 5))
    scene.model.tell("rolling_summary", "Ann grows tomatoes. Bobadil keeps a parrot.\nThe weather was good.")
    scene.model.tell(
        "reflection",
        [
            {"text": "Bobadil is fond of birds.", "cited_turn_ids": [turns["bob"]], "cited_fact_ids": [2]},
            {"text": "Ann listens to Bobadil.", "cited_turn_ids": [turns["about"]], "cited_fact_ids": []},
        ],
    )
    outcomes = await Projectors(scene.desk).run(DRAWN, until_idle=True)
    assert [one.error for one in outcomes] == [None] * len(DRAWN)
    return turns


@pytest.fixture
async def talk(scene: Scene) -> dict[str, TurnId]:
    scene.config = make_config(
        'lineage = "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b"\n'
        + "[memory.rolling_summary]\nnew_turns = 3\n[memory.reflection]\nnew_turns = 3\n"
    )
    turns = await told(scene)
    scene.later(minutes=1)
    return turns


async def test_nothing_of_somebody_is_left(scene: Scene, talk: dict[str, TurnId]) -> None:
    vault = scene.vault
    await vault.person_pages.merge(ALSO_BOB.key, BOB.key, familiar=MIRA)
    await vault.recall_marks.add(MIRA, "where is Bobadil's parrot", "turn", talk["bob"])
    await vault.state.set("chat.draft.1", "Ask Bobadil about it")
    await vault.facts.append(NewFact(MIRA, "Bobadil snores.", "owner", (Subject(BOB.key, "Bobadil"),)))
    receipt = await vault.erasure.erase(OfPerson(ALSO_BOB.key))
    left = await everything_in(vault)
    assert [word for word in TRACES if word in left] == []
    assert (receipt.removed["turns"], receipt.removed["replies"]) == (2, 1)
    assert receipt.finished_at is not None
    assert await vault.verify() == []


async def planted(scene: Scene, talk: dict[str, TurnId]) -> dict[str, Any]:
    """Put names, keys and words of theirs into every other place there is. Returns what has to stay."""
    vault, keeper = scene.vault, keeper_of(MIRA, scene.config)
    lineage = scene.config.lineage
    about_bob = Wording(MemoryPlace(Scope.PERSONAL, BOB.key, lineage), "{user} is afraid of zanzibarites")
    of_server = Wording(MemoryPlace(Scope.SERVER, PersonKey("discord:g"), lineage), "Bobadil brings the cake on Friday")
    taught = Wording(MemoryPlace(Scope.SERVER, PersonKey("discord:g"), lineage), "The zanzibar code is seven")
    await vault.saved_memories.add(keeper, about_bob, by=OWNER)
    kept = await vault.saved_memories.add(keeper, of_server, by=OWNER)
    await vault.saved_memories.add(keeper, taught, by=BOB.key, source=talk["bob"])
    thoughts = await vault.projections.reflections(MIRA)
    pinned = next(one for one in thoughts if one.cited_turns == (talk["about"],))
    await vault.reflection_pages.mark(pinned.id, "pin")
    await vault.recall_marks.add(MIRA, "when does Bobadil's ship leave", "turn", talk["about"])
    await vault.turns.revise(talk["ann"], "I grow tomatoes with Bobadil")
    await vault.turns.revise(talk["ann"], "I grow tomatoes on the balcony")
    words = json.dumps([{"name": "bobadil.png", "from": BOB.key, "note": f"Bobadil: {SECRET}"}])
    await scene.say("Look at this picture", ANN, attachments=words)
    calls = json.dumps({"name": "read_channel", "result": f"Bobadil: {SECRET}"})
    await scene.say(f"Bobadil: {SECRET}", None, role=Role.TOOL, tool_calls=calls)
    shown = TracedMessage(role="user", content=SECRET, layer="recent_history", turn=talk["bob"])
    await vault.traces.put(a_trace(messages=(shown,), sent=SECRET, answer="Nice parrot, Bobadil"))
    told = LayerTrace(name="people_dossiers", key="k", cached=False, tokens=9, ms=1, text="Bobadil keeps a parrot")
    place = {"entry": "Bobadil's inn", "book": "North", "uid": 1, "shown": "section"}
    await vault.traces.put(a_trace(layers=(told,), lorebook={"places": [place]}))
    await vault.audiences.tell_readers(scene.channel.id, Readers(people=frozenset({BOB.key, ANN.key})))
    await vault.alarms.set(
        NewAlarm(
            MIRA, scene.channel.id, scene.clock.now() + timedelta(days=1), "feed the parrot", BOB.key, talk["bob"]
        ),
        lambda number: f"Reminder {number}: feed the parrot",
    )
    await vault.privacy.set(BOB.key, PrivacyLevel.PARTIAL, familiar=MIRA, by=BOB.key)
    return {"memory": kept.id, "thought": pinned.created_at}


async def test_nothing_is_left_wherever_it_was_put(scene: Scene, talk: dict[str, TurnId]) -> None:
    kept = await planted(scene, talk)
    scene.later(minutes=1)
    plan = await scene.vault.erasure.plan(OfPerson(BOB.key))
    assert (plan.removed["memories"], plan.removed["reminders"]) == (2, 1)
    receipt = await scene.vault.erasure.erase(OfPerson(BOB.key))
    assert receipt.removed == plan.removed
    left = await everything_in(scene.vault)
    gone = ("discord:4242424242", "4242424242", "bobadil", "zanzibar", "parrot", "zanzibarites")
    assert [word for word in gone if word in left] == []
    memories = await scene.vault.saved_memories.list(MemoryQuestion(scene.config.lineage))
    assert [(one.id, one.content) for one in memories] == [(kept["memory"], "someone brings the cake on Friday")]
    thoughts = await scene.vault.projections.reflections(MIRA)
    assert [(one.created_at, one.text) for one in thoughts] == [(kept["thought"], "Ann listens to someone.")]
    marks = await scene.vault._opened.engine.read(lambda connection: read_marks(connection, MIRA))
    assert marks.pinned == {one.id for one in thoughts}, "a pin finds its thought again"
    assert [one.cue for one in await scene.vault.recall_marks.list(MIRA)] == ["when does someone's ship leave"]
    assert await scene.vault.verify() == []
    before = await drawn(scene)
    await Projectors(scene.desk).rebuild(DRAWN, fresh=False)
    assert await drawn(scene) == before


async def test_what_others_said_stays_but_for_the_name(scene: Scene, talk: dict[str, TurnId]) -> None:
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    turns = {name: await scene.vault.turns.get(number) for name, number in talk.items()}
    texts = {name: turn.content if turn is not None else None for name, turn in turns.items()}
    assert texts["ann"] == "I grow tomatoes on the balcony"
    assert texts["about"] == "Did you hear that, someone? someone's ship leaves on Monday."
    assert texts["quote"] == "> [removed]\nThat is what I heard."
    assert texts["bob"] == texts["reply"] == ""
    assert sorted(await scene.texts()) == [
        "Ann and someone talk about ships.", "Ann grows tomatoes.", "The balcony is sunny, says someone.",
    ]  # fmt: skip


async def test_a_rebuild_gives_the_same_and_asks_nobody(scene: Scene, talk: dict[str, TurnId]) -> None:
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    before = await drawn(scene)
    asked = len(scene.model.requests)
    await Projectors(scene.desk).rebuild(DRAWN, fresh=False)
    assert await drawn(scene) == before
    assert len(scene.model.requests) == asked
    assert await scene.vault.verify() == []


async def test_a_plan_tells_what_will_happen_and_changes_nothing(scene: Scene, talk: dict[str, TurnId]) -> None:
    before = await everything_in(scene.vault)
    plan = await scene.vault.erasure.plan(OfPerson(BOB.key))
    assert await everything_in(scene.vault) == before
    assert plan.label == "Bobadil"
    assert any("someone's ship" in sample.after for sample in plan.samples)
    receipt = await scene.vault.erasure.erase(OfPerson(BOB.key))
    assert (receipt.removed, receipt.redacted) == (plan.removed, plan.redacted)
    assert await scene.vault.erasure.receipts() == [receipt]


async def test_one_that_was_cut_off_goes_on(scene: Scene, talk: dict[str, TurnId]) -> None:
    whole = await scene.vault.erasure.plan(OfPerson(BOB.key))
    for pieces in range(len(STEPS)):
        person = Author(PersonKey(f"discord:99999999{pieces}"), f"Quintus{pieces}", f"quint{pieces}")
        await scene.say(f"My secret number is {pieces}{pieces}{pieces}{pieces}, tell nobody", person)
        await cut_off(scene.vault, OfPerson(person.key), pieces)
        assert await scene.vault.erasure.pending()
        receipts = await scene.vault.erasure.resume()
        assert [one.removed["turns"] for one in receipts] == [1]
        left = await everything_in(scene.vault)
        assert f"quint{pieces}" not in left
        assert f"quintus{pieces}" not in left
        assert f"{pieces}{pieces}{pieces}{pieces}, tell" not in left
    await cut_off(scene.vault, OfPerson(BOB.key), 4)
    [receipt] = await scene.vault.erasure.resume()
    assert receipt.removed == whole.removed
    assert await scene.vault.verify() == []


async def test_a_message_of_theirs_from_before_does_not_come_back(scene: Scene, talk: dict[str, TurnId]) -> None:
    earlier = scene.clock.now() - timedelta(days=3)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    scene.later(hours=1)
    turns = [
        NewTurn(scene.channel.id, Role.USER, "an old word", earlier, author=BOB, message_id="old"),
        NewTurn(scene.channel.id, Role.USER, "a new word", scene.clock.now(), author=BOB, message_id="new"),
    ]
    count = await scene.vault.turns.append_many(turns)
    assert (count.added, count.unkept) == (1, 1)
    left = await everything_in(scene.vault)
    assert "an old word" not in left
    assert "a new word" in left


async def test_what_has_no_id_does_not_come_back_either(scene: Scene) -> None:
    at = scene.clock.now()
    secret = NewTurn(scene.channel.id, Role.USER, "the key lies under the fern", at, author=ANN)
    own = NewTurn(scene.channel.id, Role.USER, SECRET, at, author=BOB)
    named = NewTurn(scene.channel.id, Role.USER, "Bobadil sails!", at, author=ANN)
    edited = NewTurn(scene.channel.id, Role.USER, "the fern again", at, author=ANN)
    other = NewTurn(scene.channel.id, Role.USER, "good morning", at, author=ANN)
    turns = [(await scene.vault.turns.append(one))[0].id for one in (secret, own, named, edited, other)]
    reply = NewTurn(
        scene.channel.id, Role.ASSISTANT, "A parrot!", at, author=Author(EGO, "Mira"), familiar=MIRA, answers=turns[1]
    )
    await scene.vault.turns.append(reply)
    await scene.vault.turns.revise(turns[3], "nothing of that kind")
    scene.later(hours=1)
    await scene.vault.erasure.erase(OfMessage(turns[0]))
    await scene.vault.erasure.erase(OfMessage(turns[3]))
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    again = [secret, own, named, edited, replace(reply, answers=None)]
    count = await scene.vault.turns.append_many(again)
    assert (count.added, count.unkept) == (0, 5)
    left = await everything_in(scene.vault)
    for word in ("fern", "bobadil", "parrot", "nothing of that kind"):
        assert word not in left
    # The same words at another time are other words.
    later = replace(secret, at=scene.clock.now())
    assert (await scene.vault.turns.append_many([later, other])).added == 2


async def test_a_name_does_not_come_back_when_its_message_is_told_of_again(scene: Scene) -> None:
    """A platform tells of a message anew where it is pinned, or where the preview of a link comes."""
    await scene.say("my boat", BOB)
    said = "Bobadil sails! https://a.test"
    turn = await scene.say(said, ANN, message_id="m9")
    scene.later(hours=1)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    for text in (said, f"{said}\n(link: A page)"):
        stored = await scene.vault.turns.revise(turn, text)
        assert stored.content == "someone sails! https://a.test"
    assert "bobadil" not in await everything_in(scene.vault)
    assert (await scene.vault.turns.revise(turn, "they sail")).content == "they sail"


async def test_who_wanted_nothing_kept_still_wants_it(scene: Scene) -> None:
    await scene.say("one thing", BOB)
    await scene.vault.privacy.set(BOB.key, PrivacyLevel.FULL, familiar=MIRA, by=OWNER)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    assert BOB.key not in await everything_in(scene.vault)
    scene.later(hours=1)
    await scene.say("another thing", BOB)
    assert "another thing" not in await everything_in(scene.vault)


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_a_wish_outlives_an_erasure_until_another_one_is_made(scene: Scene, level: PrivacyLevel) -> None:
    privacy = scene.vault.privacy
    await scene.say("one thing", BOB)
    await privacy.set(BOB.key, level, familiar=MIRA, by=OWNER)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    scene.later(hours=1)
    await scene.say("another thing", BOB)
    assert (await privacy.get(BOB.key) is level) == (level is PrivacyLevel.PARTIAL), "nobody is known at level full"
    await privacy.set(BOB.key, PrivacyLevel.NONE, familiar=MIRA, by=OWNER)
    await scene.say("a third thing", BOB)
    assert await privacy.get(BOB.key) is PrivacyLevel.NONE
    assert "a third thing" in await everything_in(scene.vault)


async def test_what_a_model_was_making_of_it_meanwhile_is_dropped(scene: Scene) -> None:
    turn = await scene.say(SECRET, BOB)
    begun, go = asyncio.Event(), asyncio.Event()
    ask = scene.model.stream

    async def slowly(request: Any) -> Any:
        begun.set()
        await go.wait()
        async for event in ask(request):
            yield event

    scene.model.stream = slowly  # type: ignore[method-assign]
    scene.model.tell("rich_note", [note("Bobadil keeps a parrot.", turn, about=[BOB.key])])
    running = asyncio.ensure_future(Projectors(scene.desk).run(["rich_note"], until_idle=True))
    await begun.wait()
    scene.later(minutes=1)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    go.set()
    await running
    left = await everything_in(scene.vault)
    assert "bobadil" not in left
    assert "parrot" not in left


async def test_an_answer_to_an_erased_message_is_stored_empty(scene: Scene) -> None:
    turn = await scene.say(SECRET, BOB)
    scene.later(minutes=1)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    reply = await scene.say("A parrot, how nice.", None, answers=turn)
    assert "parrot" not in await everything_in(scene.vault)
    stored = await scene.vault.turns.get(reply)
    assert stored is not None
    assert stored.deleted


async def test_an_older_copy_is_erased_again_by_the_list(scene: Scene, talk: dict[str, TurnId], tmp_path: Path) -> None:
    vault = scene.vault
    copy = tmp_path / "copy"
    await vault.close()
    shutil.copytree(vault.path.parent, copy)
    vault = await reopened(scene, vault.path)
    await vault.erasure.erase(OfPerson(BOB.key))
    known = ErasedList.from_json((await vault.erasure.erased()).to_json())
    await vault.close()
    older = await reopened(scene, copy / vault.path.name)
    assert BOB.key in await everything_in(older)
    receipts = await older.erasure.replay(known)
    assert [one.removed["turns"] for one in receipts] == [1]
    assert BOB.key not in await everything_in(older)
    assert await older.erasure.replay(known) == []
    await older.close()


async def test_who_was_erased_twice_is_erased_again_from_a_copy_made_in_between(scene: Scene, tmp_path: Path) -> None:
    await scene.say("the first time", BOB)
    scene.later(minutes=1)
    await scene.vault.erasure.erase(OfPerson(BOB.key))
    scene.later(hours=1)
    await scene.say("they came back", BOB)
    copy = tmp_path / "copy"
    path = scene.vault.path
    await scene.vault.close()
    shutil.copytree(path.parent, copy)
    vault = await reopened(scene, path)
    scene.later(hours=1)
    await vault.privacy.set(BOB.key, PrivacyLevel.PARTIAL, familiar=MIRA, by=OWNER)
    await vault.erasure.erase(OfPerson(BOB.key))
    known = await vault.erasure.erased()
    await vault.close()
    older = await reopened(scene, copy / path.name)
    assert "they came back" in await everything_in(older)
    assert len(await older.erasure.replay(known)) == 1
    assert "they came back" not in await everything_in(older)
    assert await older.erasure.erased() == known
    assert await older.erasure.replay(known) == []
    await older.close()


async def test_a_message_goes_with_what_rests_on_it_alone(scene: Scene, talk: dict[str, TurnId]) -> None:
    await scene.vault.erasure.erase(OfMessage(talk["bob"]))
    left = await everything_in(scene.vault)
    assert "zanzibar" not in left
    assert "bobadil" in left
    assert "Bobadil's ship leaves on Monday." in await scene.texts()
    assert await scene.vault.verify() == []


async def test_a_channel_goes_and_stays_gone(scene: Scene, talk: dict[str, TurnId]) -> None:
    earlier = scene.clock.now() - timedelta(minutes=1)
    other = await scene.hear("discord:10")
    await scene.say("what is said elsewhere stays", ANN, channel=other.id)
    receipt = await scene.vault.erasure.erase(OfChannel(scene.channel.id))
    left = await everything_in(scene.vault)
    assert "tomatoes" not in left
    assert "zanzibar" not in left
    assert "what is said elsewhere stays" in left
    assert receipt.removed["turns"] == 5
    scene.later(hours=1)
    await scene.say("from an old file", ANN, at=earlier)
    assert "from an old file" not in await everything_in(scene.vault)
    assert await scene.vault.verify() == []


async def test_a_familiar_goes_with_all_it_believes(scene: Scene, talk: dict[str, TurnId]) -> None:
    other = await scene.hear("discord:10")
    await scene.say("heard by all", ANN, channel=other.id)
    await scene.vault.erasure.erase(OfFamiliar(MIRA))
    left = await everything_in(scene.vault)
    assert "tomatoes" not in left
    assert "mira" not in left.replace("miracle", "")
    assert "heard by all" in left
    assert await scene.vault.verify() == []


async def test_neither_the_owner_nor_a_familiar_is_a_person_to_erase(scene: Scene) -> None:
    for key in (OWNER, EGO, PersonKey("discord:1000000")):
        with pytest.raises(UserError):
            await scene.vault.erasure.plan(OfPerson(key))


async def cut_off(vault: Vault, target: OfPerson, pieces: int) -> None:
    """Begin an erasure and stop after some of its steps, as a kill would."""
    engine = vault.projections._engine
    job = await engine.write(lambda connection: erasure_step.begin(connection, target, 1))
    while job.step < pieces:
        job = await engine.write(lambda connection, job=job: erasure_step.advance(connection, job))  # type: ignore[misc]


async def reopened(scene: Scene, path: Path) -> Vault:
    return await Vault.open(path, clock=scene.clock, passphrase="three herons")


async def drawn(scene: Scene) -> dict[str, list[Any]]:
    """Return everything that is drawn, without the numbers that a rebuild gives anew."""
    questions = {
        "facts": "SELECT * FROM facts ORDER BY id",
        "subjects": "SELECT * FROM fact_subjects ORDER BY fact, key",
        "sources": "SELECT * FROM fact_sources ORDER BY fact, turn",
        "beliefs": "SELECT fact, number, since, until, cause, end_cause, successor FROM fact_beliefs ORDER BY 1, 2",
        "lost": "SELECT * FROM fact_lost_places ORDER BY fact, since, channel",
        "retirements": "SELECT prior, successor, reason, state FROM retirements ORDER BY 1, 2",
        "reflections": "SELECT familiar, channel, text, created_at FROM reflections ORDER BY created_at, text",
        "summaries": "SELECT familiar, channel, text, last_turn_id FROM summaries ORDER BY channel, last_turn_id",
        "dossiers": "SELECT familiar, person, text, last_fact_id FROM people_dossiers ORDER BY person",
        "marks": "SELECT projector, scope, position FROM watermarks WHERE projector <> 'owner' ORDER BY 1, 2",
    }
    engine = scene.vault.projections._engine
    return {
        name: await engine.read(lambda connection, sql=sql: connection.execute(sql).fetchall())  # type: ignore[misc]
        for name, sql in questions.items()
    }
