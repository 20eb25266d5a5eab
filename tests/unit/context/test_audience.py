"""What is said in one place is heard in another only where it may be: searched for in real prompts of a real vault."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from familiar_app.domain.audience import AudienceMode, Readers
from familiar_app.domain.fact import FactId, NewFact
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, TurnId
from familiar_app.domain.projection import Dossier, NewReflection, Summary
from familiar_app.domain.turn import Author
from familiar_app.store.provenance import read_provenance
from tests.doubles.talk import ANN, BEN, MIRA, START
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

PLACES = ("main", "general", "staff", "abroad", "dm", "dm2")
SMALL = "[budget.text]\nrecent_history_tokens = 32\nhistory_step_turns = 1\nrag_tokens = 8000\nmax_rag_items = 100\n"
EVERYONE = Readers(everyone=True)
BEN_ONLY = Readers(people=frozenset({BEN.key}))


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Hearing]:
    async with hearing(tmp_path / "vault.db") as made:
        made.use(SMALL)
        yield made


async def learned_everywhere(scene: Hearing) -> dict[str, FactId]:
    """Let Ann tell something in every place, and note it; the window of each place ends after it."""
    facts = {}
    for place in PLACES:
        turn = await scene.say(f"My rabbit is known as {place}words here.", ANN, place)
        facts[place] = (await scene.learn(f"Ann's rabbit is {place}fact.", turn)).id
    for place in PLACES:
        await scene.say("Nothing new otherwise, the sea is calm and the lamp is lit, all is well tonight.", BEN, place)
        await scene.say("What of the rabbit?", BEN, place)
    return facts


def heard_of(text: str, kind: str) -> set[str]:
    return {place for place in PLACES if f"{place}{kind}" in text}


async def prompt_text(scene: Hearing, place: str) -> str:
    return "\n".join(message.content for message in (await scene.prompt(place)).request.messages)


@pytest.mark.parametrize(
    ("mode", "place", "heard"),
    [
        ("strict", "general", {"general"}),
        ("strict", "dm", {"dm"}),
        ("server", "general", {"general", "staff"}),
        ("server", "abroad", {"abroad"}),
        ("server", "dm", {"dm"}),
        ("open", "general", {"general", "staff", "abroad", "main"}),
        ("open", "dm", {"dm", "general", "staff", "abroad", "main"}),
        ("strict", "main", set(PLACES)),
    ],
)
async def test_turns_and_facts_by_mode(scene: Hearing, mode: str, place: str, heard: set[str]) -> None:
    await learned_everywhere(scene)
    scene.use(f'{SMALL}[memory.audience]\nshared = "{mode}"')
    text = await prompt_text(scene, place)
    assert heard_of(text, "words") == heard
    assert heard_of(text, "fact") == heard
    prompt = await scene.prompt(place)
    held = {(one["kind"], one["id"]): one for one in prompt.trace.candidates if one["why"] == "audience"}
    assert {one["text"] for one in held.values() if one["kind"] == "fact"} <= {
        f"Ann's rabbit is {there}fact." for there in set(PLACES) - heard
    }
    assert (len(held) > 0) == (heard != set(PLACES))
    assert not any(one["kept"] for one in held.values())


async def test_readers_open_a_channel_and_close_it_again_at_once(scene: Hearing) -> None:
    await learned_everywhere(scene)
    tell = scene.vault.audiences.tell_readers
    await tell(scene.places["general"].id, EVERYONE)
    assert heard_of(await prompt_text(scene, "staff"), "fact") == {"general", "staff"}
    assert heard_of(await prompt_text(scene, "general"), "fact") == {"general"}
    await tell(scene.places["dm"].id, BEN_ONLY)
    await tell(scene.places["staff"].id, Readers(tokens=frozenset({BEN.key})))
    assert heard_of(await prompt_text(scene, "dm"), "words") == {"dm", "staff"}
    await tell(scene.places["general"].id, None)
    assert heard_of(await prompt_text(scene, "staff"), "fact") == {"staff"}


async def test_one_channel_may_be_opened_by_itself(scene: Hearing) -> None:
    await learned_everywhere(scene)
    scene.use(f'{SMALL}[channels."discord:10"]\naudience = "server"')
    assert heard_of(await prompt_text(scene, "general"), "fact") == {"general", "staff"}
    assert heard_of(await prompt_text(scene, "staff"), "fact") == {"staff"}


async def test_what_was_said_again_in_the_open_may_be_heard_there(scene: Hearing) -> None:
    secret = await scene.say("I am moving to Leeds.", ANN, "dm")
    fact = await scene.learn("Ann is moving to Leeds.", secret)
    await scene.say("Who is moving to Leeds?", BEN, "general")
    assert "moving to Leeds." not in await scene.recalled("general")
    again = await scene.say("By the way, I am moving.", ANN, "general")
    scene.clock.instant = START.replace(day=2)
    await scene.learn("Ann is moving to Leeds.", again)
    await scene.say("Who is moving to Leeds, then?", BEN, "general")
    assert f"F#{fact.id}" in await scene.recalled("general")


async def test_a_fact_drawn_from_two_channels_at_once_belongs_to_both(scene: Hearing) -> None:
    one, other = await scene.say("I am off.", ANN, "dm"), await scene.say("To Leeds.", ANN, "general")
    await scene.learn("Ann is off to Leeds.", one, other)
    await scene.say("Who is off to Leeds, all of a sudden?", BEN, "general")
    assert "is off to Leeds." not in await scene.recalled("general")
    # The message is deleted, what it told is known all the same.
    await scene.vault.turns.scrub(one)
    assert "is off to Leeds." not in await scene.recalled("general")
    assert "is off to Leeds." in await scene.recalled("main", pending="Who is off to Leeds?")


async def test_a_deleted_source_leaves_its_place_behind(scene: Hearing) -> None:
    one, other = await scene.say("To Leeds.", ANN, "general"), await scene.say("I am off.", ANN, "dm")
    fact = await scene.learn("Ann is off to Leeds.", one, other)
    await scene.vault.turns.scrub(other)
    await scene.say("Who is off to Leeds, all of a sudden?", BEN, "general")
    assert "is off to Leeds." not in await scene.recalled("general")
    audience = await scene.vault.audiences.of(MIRA, scene.places["general"], AudienceMode.STRICT)
    assert await scene.vault.facts.page(MIRA, audience=audience) == []
    assert [one.id for one in await scene.vault.facts.page(MIRA)] == [fact.id]
    assert await scene.vault.verify() == []


async def test_what_the_owner_added_for_no_channel_stays_in_the_window(scene: Hearing) -> None:
    await scene.vault.facts.add_by_owner(MIRA, "Ann dislikes gulls.", subjects=[ANN.key])
    await scene.say("What of gulls?", BEN, "general")
    assert "dislikes gulls" not in await scene.recalled("general")
    assert "dislikes gulls" in await scene.recalled("main", pending="What of gulls?")
    scene.use(SMALL + '[memory.audience]\nshared = "open"')
    assert "dislikes gulls" in await scene.recalled("general")


async def test_a_dossier_that_tells_too_much_gives_way_to_the_facts_that_may_be_told(scene: Hearing) -> None:
    facts = await learned_everywhere(scene)
    put = Dossier(MIRA, ANN.key, "Ann has a rabbit of many names.", max(facts.values()), START)
    await scene.vault.projections.write(lambda writer: writer.put_dossier(put))
    hearsay = await scene.say("Ann snores.", BEN, "general")
    await scene.learn("Ann snores.", hearsay, importance=9)
    layer = await scene.layer("people_dossiers", "general")
    general = facts["general"]
    assert layer.text.splitlines()[4:] == [
        "### Ann",
        "",
        "- Ann snores. [F#7, since 2024-05-01, as told by Ben]",
        f"- Ann's rabbit is generalfact. [F#{general}, since 2024-05-01]",
    ]
    assert [one.what for one in layer.left_out] == [f"dossier {ANN.key}"]
    assert "many names" in (await scene.layer("people_dossiers", "main")).text
    # As far as the dossier goes, everything was said in the open.
    await scene.vault.facts.supersede([facts["main"]])
    await scene.vault.projections.write(
        lambda writer: writer.put_dossier(Dossier(MIRA, ANN.key, "Ann has one rabbit.", general, START))
    )
    assert "one rabbit" in (await scene.layer("people_dossiers", "general")).text


async def test_a_list_of_facts_tells_an_audience_what_it_may_hear(scene: Hearing) -> None:
    facts = await learned_everywhere(scene)
    audience = await scene.vault.audiences.of(MIRA, scene.places["general"], AudienceMode.SERVER)
    found = await scene.vault.facts.page(MIRA, audience=audience)
    assert [fact.id for fact in found] == [facts["staff"], facts["general"]]
    about = await scene.vault.facts.page(MIRA, audience=audience, subject=ANN.key, known_at=START, search="STAFF")
    assert [fact.id for fact in about] == [facts["staff"]]


async def test_a_thought_is_heard_where_all_it_rests_on_may_be(scene: Hearing) -> None:
    facts = await learned_everywhere(scene)
    turns = {place: (await scene.vault.turns.page(scene.places[place].id))[0].id for place in PLACES}

    async def think(text: str, *turns: TurnId, facts: tuple[FactId, ...] = ()) -> None:
        new = NewReflection(MIRA, text, None, turns, facts, TurnId(12), 0)
        await scene.vault.projections.write(lambda writer: writer.add_reflection(new, START))

    await think("open", turns["general"], facts=(facts["general"],))
    await think("by a turn", turns["general"], turns["dm"])
    await think("by a fact", turns["general"], facts=(facts["dm"],))
    layer = await scene.layer("reflections", "general")
    assert [line.partition(" [")[0] for line in layer.text.splitlines() if line.startswith("-")] == ["- open"]
    assert [one.what for one in layer.left_out] == ["reflection 3", "reflection 2"]
    # A fact that is gone may have come from anywhere.
    assert "by a fact" in (await scene.layer("reflections", "main")).text


async def test_nothing_written_after_the_moment_is_shown(scene: Hearing) -> None:
    early = await scene.say("Hello", ANN, "main")
    fact = await scene.learn("Ann greets.", early)
    write = scene.vault.projections.write
    await write(lambda w: w.put_dossier(Dossier(MIRA, ANN.key, "The first portrait.", fact.id, START)))
    await write(lambda w: w.add_summary(Summary(MIRA, scene.places["main"].id, "The first story.", early, START)))
    new = NewReflection(MIRA, "The first thought.", None, (early,), (), early, 0)
    await write(lambda w: w.add_reflection(new, START))
    scene.clock.instant = later = START.replace(day=3)
    late = await scene.say("Hello again", ANN, "main")
    await write(lambda w: w.add_summary(Summary(MIRA, scene.places["main"].id, "The second story.", late, later)))
    thought = NewReflection(MIRA, "The second thought.", None, (late,), (), late, 0)
    await write(lambda w: w.add_reflection(thought, later))

    async def shown(**moment: object) -> str:
        layers = (await scene.prompt("main", **moment)).trace.layers
        names = ("conversation_summary", "reflections", "people_dossiers")
        return "\n".join(one.text for one in layers if one.name in names)

    assert "second story" in (now := await shown())
    assert "second thought" in now
    for moment in ({"known_at": START.replace(day=2)}, {"until": early}, {"as_of": START.replace(day=2)}):
        then = await shown(**moment)
        assert "first story" in then
        assert "first thought" in then
        assert "second" not in then
    await write(lambda w: w.put_dossier(Dossier(MIRA, ANN.key, "The second portrait.", fact.id, later)))
    assert "portrait" not in await shown(known_at=START.replace(day=2))
    assert "second portrait" in await shown(known_at=later)


@dataclass(frozen=True)
class Told:
    """One thing that is said in some places, and noted from all of them at once or one after the other."""

    places: tuple[str, ...]
    together: bool
    about: Author
    scrub_first: bool


TOLD = st.builds(
    Told,
    places=st.lists(st.sampled_from(PLACES), min_size=1, max_size=3).map(tuple),
    together=st.booleans(),
    about=st.sampled_from([ANN, BEN]),
    scrub_first=st.booleans(),
)
READERS = st.none() | st.builds(
    Readers,
    people=st.frozensets(st.sampled_from([ANN.key, BEN.key]), max_size=2),
    tokens=st.none() | st.frozensets(st.sampled_from([ANN.key, BEN.key, "role:mods"]), max_size=3),
    everyone=st.booleans(),
)


async def tell(scene: Hearing, number: int, told: Told) -> FactId:
    """Say a sentence nobody else says, and note it as a fact."""
    turns = [await scene.say(f"Rabbit turn{number}x, I say.", told.about, place) for place in told.places]
    text = f"Rabbit fact{number}x is so."
    noted = [turns] if told.together else [[turn] for turn in turns]
    fact = None
    for sources in noted:
        scene.clock.instant = scene.clock.instant.replace(microsecond=scene.clock.instant.microsecond + 1)
        fact = await scene.learn(text, *sources, about=told.about)
    if told.scrub_first and len(turns) > 1:
        await scene.vault.turns.scrub(turns[0])
    assert fact is not None
    return fact.id


async def check_prompts(scene: Hearing, story: list[Told], modes: tuple[str, ...]) -> None:
    for place in PLACES:
        await scene.say("Rabbit? The sea is calm, the lamp is lit, nothing else is worth a word.", BEN, place)
    await in_step(scene.vault)
    for mode in modes:
        scene.use(f'{SMALL}[memory.audience]\nlocal = "{mode}"\nshared = "{mode}"')
        for place in PLACES:
            text = await prompt_text(scene, place)
            audience = await scene.vault.audiences.of(MIRA, scene.places[place], AudienceMode(mode))
            for number, told in enumerate(story):
                channels = [scene.places[one].id for one in told.places]
                ways = [channels] if told.together else [[one] for one in channels]
                if all(audience.why_held(way) is not None for way in ways):
                    assert f"fact{number}x" not in text, (mode, place, told)
                if all(audience.why_held([one]) is not None for one in channels):
                    assert f"turn{number}x" not in text, (mode, place, told)
                if mode == "strict" and set(told.places) <= {"dm", "dm2"} - {place} and place[:2] != "dm":
                    assert f"{number}x" not in text, (place, told)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    story=st.lists(TOLD, min_size=1, max_size=8),
    readers=st.fixed_dictionaries({place: READERS for place in PLACES if place != "main"}),
)
async def test_no_prompt_holds_what_its_readers_may_not_hear(
    story: list[Told], readers: dict[str, Readers | None]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with hearing(Path(folder) / "vault.db") as scene:
            for place, known in readers.items():
                await scene.vault.audiences.tell_readers(scene.places[place].id, known)
            facts = [await tell(scene, number, told) for number, told in enumerate(story)]
            newest = await scene.vault.facts.newest_id(MIRA)
            for person in (ANN, BEN):
                text = "A portrait of " + " ".join(
                    f"fact{n}x turn{n}x" for n, told in enumerate(story) if told.about == person
                )
                put = Dossier(MIRA, person.key, text, newest, scene.clock.now())
                await scene.vault.projections.write(lambda writer, put=put: writer.put_dossier(put))
            for number, fact in enumerate(facts):
                new = NewReflection(MIRA, f"I wonder about fact{number}x.", None, (), (fact,), TurnId(1), fact)
                await scene.vault.projections.write(lambda writer, new=new: writer.add_reflection(new, START))
            await check_prompts(scene, story, ("strict", "server", "open"))


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(story=st.lists(TOLD, min_size=1, max_size=10), place=st.sampled_from(PLACES), mode=st.sampled_from(AudienceMode))
async def test_a_list_and_a_single_look_agree_about_every_fact(
    story: list[Told], place: str, mode: AudienceMode
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with hearing(Path(folder) / "vault.db") as scene:
            for number, told in enumerate(story):
                await tell(scene, number, told)
            await scene.vault.facts.append(NewFact(MIRA, "By hand.", "owner"))
            audience = await scene.vault.audiences.of(MIRA, scene.places[place], mode)
            listed = {fact.id for fact in await scene.vault.facts.page(MIRA, audience=audience, limit=1000)}
            every = [fact.id for fact in await scene.vault.facts.page(MIRA, limit=1000)]
            known = await scene.vault._opened.engine.read(lambda c: read_provenance(c, every))
            assert listed == {number for number in every if known[number].why_held(audience) is None}


async def test_a_channel_that_does_not_exist_yet_has_an_audience(scene: Hearing) -> None:
    await learned_everywhere(scene)
    made_up = replace(scene.places["main"], id=ChannelId(0))
    assert (await scene.vault.audiences.of(MIRA, made_up, AudienceMode.OPEN)).everything


async def test_what_may_not_be_heard_does_not_crowd_out_what_may(scene: Hearing) -> None:
    secret = await scene.say("Listen.", ANN, "dm")
    for number in range(400):
        await scene.learn(f"Ann's rabbit eats clover {number}.", secret, importance=10)
    turn = await scene.say("Clover, then.", ANN, "general")
    fact = await scene.learn("Somebody once mentioned a rabbit in passing, among many other matters.", turn)
    await scene.say("The rabbit, Ann's rabbit: does it eat clover?", BEN, "general")
    prompt = await scene.prompt("general")
    kept = [(one["kind"], one["id"]) for one in prompt.trace.candidates if one["kept"]]
    assert ("fact", fact.id) in kept
    held = [one for one in prompt.trace.candidates if one["why"] == "audience"]
    assert len(held) == 8
    assert {one["reason"] for one in held} == {"learned in a direct message with somebody else"}


async def test_a_familiar_recalls_nothing_that_was_said_before_it_came_or_after_it_left(scene: Hearing) -> None:
    nox = FamiliarId("nox")
    room = await scene.vault.channels.ensure(ChannelKey("discord:40"), familiar=nox, title="attic", guild="discord:1")
    scene.places["attic"] = room
    before = await scene.say("The rabbit is in the attic.", ANN, "attic")
    scene.clock.instant += timedelta(days=1)
    await scene.vault.channels.subscribe(room.id, MIRA)
    during = await scene.say("The rabbit is in the kitchen.", ANN, "attic")
    scene.clock.instant += timedelta(days=1)
    await scene.vault.channels.unsubscribe(room.id, MIRA)
    after = await scene.say("The rabbit is in the cellar.", ANN, "attic")
    await scene.say("Where is the rabbit?", ANN, "main")
    text = await scene.recalled("main")
    assert f"T#{during} " in text
    assert f"T#{before} " not in text
    assert f"T#{after} " not in text


async def test_what_stands_for_a_dossier_follows_every_change_at_once(scene: Hearing) -> None:
    secret = await scene.say("I sing.", ANN, "dm")
    said = await scene.say("I sail.", ANN, "general")
    await scene.learn("Ann sings.", secret)
    sails = await scene.learn("Ann sails.", said, valid_to=START.replace(day=20))
    newest = await scene.vault.facts.newest_id(MIRA)

    async def shown(place: str = "general") -> list[str]:
        put = Dossier(MIRA, ANN.key, "Ann sings and sails.", newest, START)
        await scene.vault.projections.write(lambda writer: writer.put_dossier(put))
        text = (await scene.layer("people_dossiers", place)).text
        return [line.partition(" [")[0] for line in text.splitlines()[6:]]

    assert await shown() == ["- Ann sails."]
    rows = await scene.learn("Ann rows.", said)
    assert await shown() == ["- Ann rows.", "- Ann sails."]
    await scene.vault.facts.supersede([rows.id])
    assert await shown() == ["- Ann sails."]
    await scene.vault.facts.restore(rows.id)
    assert await shown() == ["- Ann rows.", "- Ann sails."]
    scene.clock.instant = START.replace(day=21)
    assert await shown() == ["- Ann rows."]
    scene.clock.instant = START
    await scene.vault.turns.scrub(said)
    assert await shown() == []
    assert sails.id not in [fact.id for fact in await scene.vault.facts.page(MIRA)]
    await scene.say("Good evening, all of you.", ANN, "dm")
    assert await shown("dm") == ["Ann sings and sails."]
