"""On a server that asks first, nothing is drawn about people who have not agreed; what they say is still kept."""

from __future__ import annotations

from familiar_app.domain.audience import AudienceMode
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.projection import NewReflection
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, MIRA, Scene, note

INN = "discord:g"


async def test_nothing_is_drawn_until_they_agree(scene: Scene) -> None:
    inn = await scene.hear("discord:10", INN)
    await scene.vault.privacy.set_opt_in(INN, True, familiar=MIRA, by=OWNER)
    await scene.vault.privacy.set(ANN.key, PrivacyLevel.NONE, familiar=MIRA, by=ANN.key)
    first = await scene.say("I moved to Rome", BEN, channel=inn.id, guild=INN)
    second = await scene.say("I keep bees, and Ben has a boat", ANN, channel=inn.id, guild=INN)
    scene.model.tell(
        "rich_note",
        [
            note("Ben moved to Rome.", first, about=[BEN.key]),
            note("Ben has a boat.", second, about=[ANN.key]),
            note("Ann keeps bees.", second, about=[ANN.key]),
        ],
    )
    scene.model.tell("people_dossier", "Ann keeps bees.")
    await Projectors(scene.desk).run(["rich_note", "people_dossier"], until_idle=True)
    assert await scene.texts() == ["Ann keeps bees."]
    assert [one.person for one in await scene.vault.projections.dossiers(MIRA)] == [ANN.key]
    assert len(await scene.vault.turns.page(inn.id)) == 2

    await scene.vault.privacy.set(BEN.key, PrivacyLevel.NONE, familiar=MIRA, by=BEN.key)
    third = await scene.say("I sail on Sundays", BEN, channel=inn.id, guild=INN)
    scene.model.tell("rich_note", [note("Ben sails on Sundays.", third, about=[BEN.key])])
    await Projectors(scene.desk).run(["rich_note"], until_idle=True)
    assert sorted(await scene.texts()) == ["Ann keeps bees.", "Ben sails on Sundays."]

    # A rebuild replays what was decided then: agreeing later draws nothing from what was said before.
    await scene.sql("DELETE FROM facts")
    await Projectors(scene.desk).run(["rich_note"], until_idle=True)
    assert sorted(await scene.texts()) == ["Ann keeps bees.", "Ben sails on Sundays."]


async def test_elsewhere_nobody_is_asked(scene: Scene) -> None:
    other = await scene.hear("discord:20", "discord:h")
    await scene.vault.privacy.set_opt_in(INN, True, familiar=MIRA, by=OWNER)
    said = await scene.say("I moved to Rome", BEN, channel=other.id, guild="discord:h")
    scene.model.tell("rich_note", [note("Ben moved to Rome.", said, about=[BEN.key])])
    await Projectors(scene.desk).run(["rich_note"], until_idle=True)
    assert await scene.texts() == ["Ben moved to Rome."]


async def test_no_thought_is_about_them(scene: Scene) -> None:
    inn = await scene.hear("discord:10", INN)
    await scene.vault.privacy.set_opt_in(INN, True, familiar=MIRA, by=OWNER)
    await scene.vault.privacy.set(ANN.key, PrivacyLevel.NONE, familiar=MIRA, by=ANN.key)
    spoken = [await scene.say(f"remark {n}", ANN, channel=inn.id, guild=INN) for n in range(10)]
    unasked = [await scene.say(f"I sail, part {n}", BEN, channel=inn.id, guild=INN) for n in range(10)]
    thoughts = [("Ann talks a lot.", spoken[0]), ("Ben sails.", spoken[1]), ("Somebody sails.", unasked[0])]
    answer = [{"text": text, "cited_turn_ids": [turn], "cited_fact_ids": []} for text, turn in thoughts]
    scene.model.tell("reflection", answer)
    await Projectors(scene.desk).run(["reflection"], until_idle=True)
    assert "I sail" not in scene.model.prompts("reflection")[0]
    for _ in ("as it was drawn", "as it is replayed"):
        assert [one.text for one in await scene.vault.projections.reflections(MIRA)] == ["Ann talks a lot."]
        await scene.sql("DELETE FROM reflections")
        await Projectors(scene.desk).run(["reflection"], until_idle=True)


async def test_thoughts_that_rest_on_them_leave_the_prompts_at_once(scene: Scene) -> None:
    inn = await scene.hear("discord:10", INN)
    turns = [await scene.say("I sail", BEN, channel=inn.id, guild=INN), await scene.say("Oh", ANN, channel=inn.id)]
    fact, _ = await scene.vault.facts.append(
        NewFact(MIRA, "Ben sails.", "rich_note", (Subject(BEN.key, "Ben"),), (turns[0],))
    )
    rests_on = {
        "by his word": ((turns[0],), ()),
        "by a belief": ((turns[1],), (fact.id,)),
        "by hers": ((turns[1],), ()),
    }
    for text, (cited, facts) in rests_on.items():
        new = NewReflection(MIRA, text, inn.id, cited, facts, turns[1], fact.id)
        await scene.vault.projections.write(lambda writer, new=new: writer.add_reflection(new, scene.clock.now()))  # type: ignore[misc]

    async def told() -> set[str]:
        audience = await scene.vault.audiences.of(MIRA, inn, AudienceMode.STRICT)
        found = await scene.vault.projections.reflections(MIRA, channel=inn.id, audience=audience)
        return {one.text for one in found}

    await scene.vault.privacy.set(ANN.key, PrivacyLevel.NONE, familiar=MIRA, by=ANN.key)
    assert await told() == set(rests_on)
    await scene.vault.privacy.set_opt_in(INN, True, familiar=MIRA, by=OWNER)
    assert await told() == {"by hers"}
    # The owner sees all of them.
    assert len(await scene.vault.projections.reflections(MIRA)) == 3
    await scene.vault.privacy.set(BEN.key, PrivacyLevel.NONE, familiar=MIRA, by=BEN.key)
    assert await told() == set(rests_on)


async def test_where_nobody_has_agreed_there_is_nothing_to_think_about(scene: Scene) -> None:
    inn = await scene.hear("discord:10", INN)
    await scene.vault.privacy.set_opt_in(INN, True, familiar=MIRA, by=OWNER)
    for number in range(20):
        last = await scene.say(f"remark {number}", BEN, channel=inn.id, guild=INN)
    await Projectors(scene.desk).run(["reflection"], until_idle=True)
    assert scene.model.requests == []
    mark = await scene.vault.projections.watermark("reflection", MIRA)
    assert mark is not None
    assert mark.position == last
