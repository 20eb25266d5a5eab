"""What is said in a direct message is shown to a model apart from all else, so that no answer can carry it over."""

from __future__ import annotations

from familiar_app.domain.fact import NewFact
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.confidence import confidences_of
from familiar_app.projectors.reflection import Reflection
from familiar_app.projectors.rich_note import RichNote
from tests.unit.projectors.scene import MIRA, Scene, note


async def test_only_a_platform_s_direct_messages_are_confidences(scene: Scene) -> None:
    direct, shared = await scene.hear("discord:7", guild=None), await scene.hear("discord:8")
    assert (await confidences_of(scene.desk)).channels == {direct.id}
    assert len({direct.id, shared.id, scene.channel.id}) == 3


async def test_facts_are_noted_apart_for_each_direct_message(scene: Scene) -> None:
    direct = await scene.hear("discord:7", guild=None)
    shared = await scene.hear("discord:8")
    await scene.say("We meet at eight.", channel=shared.id)
    await scene.say("I am ill, tell nobody.", channel=direct.id)
    await scene.say("I really am.", channel=direct.id)
    last = await scene.say("See you there.", channel=shared.id)
    scene.model.tell("rich_note", [], [note("Ann is ill.", last)], [])
    noting = RichNote(scene.desk, BeliefReplay(scene.vault, MIRA))
    while (await noting.tick(flush=True)).more:
        pass
    prompts = scene.model.prompts("rich_note")
    assert ["tell nobody" in prompt for prompt in prompts] == [False, True, False]
    assert ["We meet" in prompt or "See you" in prompt for prompt in prompts] == [True, False, True]
    # The model named a turn of the other channel; it stays with those that it was shown.
    (fact,) = await scene.beliefs()
    assert fact.channel == direct.id


async def test_turns_behind_a_direct_message_do_not_wait_for_a_whole_batch(scene: Scene) -> None:
    direct = await scene.hear("discord:7", guild=None)
    await scene.say("Psst.", channel=direct.id)
    await scene.talk(9)
    scene.model.tell("rich_note", [])
    done = await RichNote(scene.desk, BeliefReplay(scene.vault, MIRA)).tick(flush=False)
    assert (done.worked, done.more) == (True, True)
    assert "Psst." in scene.model.prompts("rich_note")[0]
    assert "remark 1" not in scene.model.prompts("rich_note")[0]


async def test_a_reflection_is_about_what_was_said_among_the_same_people(scene: Scene) -> None:
    direct = await scene.hear("discord:7", guild=None)
    secret = await scene.say("I am ill, tell nobody.", channel=direct.id)
    await scene.vault.facts.append(NewFact(MIRA, "Ann is ill.", "rich_note", (), (secret,), channel=direct.id))
    turns = await scene.talk(20)
    await scene.vault.facts.append(NewFact(MIRA, "Ann sings.", "rich_note", (), (turns[0],), channel=scene.channel.id))
    scene.model.tell("reflection", [])
    await Reflection(scene.desk, BeliefReplay(scene.vault, MIRA)).tick(flush=False)
    (prompt,) = scene.model.prompts("reflection")
    assert "ill" not in prompt
    assert "Ann sings." in prompt
    assert (await scene.vault.projections.watermark("reflection", MIRA)).position == turns[-1]


async def test_a_direct_message_in_which_most_was_said_is_thought_about_alone(scene: Scene) -> None:
    direct = await scene.hear("discord:7", guild=None)
    await scene.talk(3)
    said = await scene.talk(18, start=100, channel=direct.id)
    await scene.vault.facts.append(NewFact(MIRA, "Ann is ill.", "rich_note", (), (said[0],), channel=direct.id))
    newest = (await scene.talk(2, start=300))[-1]
    scene.model.tell("reflection", [{"text": "She trusts me.", "cited_turn_ids": [said[3]], "cited_fact_ids": []}])
    await Reflection(scene.desk, BeliefReplay(scene.vault, MIRA)).tick(flush=False)
    (prompt,) = scene.model.prompts("reflection")
    assert "remark 100" in prompt
    assert "remark 300" not in prompt
    assert "Ann is ill." in prompt
    (thought,) = await scene.vault.projections.reflections(MIRA)
    assert thought.channel == direct.id
    assert (await scene.vault.projections.watermark("reflection", MIRA)).position == newest
