"""Rebuilds: the same beliefs under the same ids and times, from the ledger and the owner's acts, without a model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from familiar_app.domain.fact import Fact
from familiar_app.domain.projection import Retirement, RetirementId
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, MIRA, NOON, Scene, note

NAMES = ("rich_note", "fact_supersede")


async def lived(scene: Scene) -> list[datetime]:
    """Let facts come, contradict each other, be corrected and be said again. Returns moments to look at."""
    moments = [NOON]
    first = await scene.say("I live in Rome.")
    scene.model.tell("rich_note", [note("Ann lives in Rome.", first, about=[ANN.key])])
    await run(scene)
    moments.append(scene.later(days=1))
    second = await scene.say("I moved to Oslo in April.")
    scene.model.tell(
        "rich_note",
        [
            note("Ann lives in Oslo.", second, about=[ANN.key], valid_from="2024-04-01"),
            note("Ann will wed in 2030.", second, about=[ANN.key], valid_from="2030-01-01"),
            note("Ann was in the army.", second, about=[ANN.key], valid_from="2001-01-01", valid_to="2003-01-01"),
        ],
    )
    # The army ended before it was learned: no current truth, so nothing is asked about it.
    scene.model.tell("fact_supersede", [{"reason": "moved", "id": 1}], [])
    await run(scene)
    moments.append(scene.later(days=1))
    third = await scene.say("I am back in Rome.")
    scene.model.tell("rich_note", [note("Ann lives in Rome.", third, about=[ANN.key])])
    scene.model.tell("fact_supersede", [{"reason": "back", "id": 2}])
    await run(scene)
    moments.append(scene.later(days=1))
    (newest, *_) = await scene.vault.projections.retirements(MIRA)
    await scene.vault.facts.undo_retirement(newest.id)
    await scene.vault.facts.add_by_owner(MIRA, "Ben is shy.", subjects=[BEN.key], importance=3)
    await scene.vault.facts.retire_by_owner((await scene.vault.facts.page(MIRA, search="wed"))[0].id)
    moments.append(scene.later(days=1))
    scene.model.tell("fact_supersede", *([] for _ in range(9)))
    await run(scene)
    scene.model.queues.clear()
    scene.model.requests.clear()
    return [*moments, scene.later(days=1)]


async def run(scene: Scene) -> None:
    outcomes = await Projectors(scene.desk).run(NAMES, until_idle=True)
    assert [outcome.error for outcome in outcomes] == [None, None]


def told(retirements: list[Retirement]) -> list[Retirement]:
    """Leave out the numbers, which nobody refers to."""
    return [replace(one, id=RetirementId(0)) for one in retirements]


async def seen(scene: Scene, moments: list[datetime]) -> dict[Any, list[Fact]]:
    answers: dict[Any, list[Fact]] = {"now": await scene.vault.facts.page(MIRA), "all": await scene.beliefs()}
    for known_at in moments:
        answers[known_at] = await scene.vault.facts.page(MIRA, known_at=known_at)
        for as_of in (*moments, datetime.fromisoformat("2002-01-01T00:00+00:00")):
            answers[known_at, as_of] = await scene.vault.facts.page(MIRA, known_at=known_at, as_of=as_of)
    return answers


async def test_the_story_has_what_it_is_to_be_tested_with(scene: Scene) -> None:
    moments = await lived(scene)
    assert await scene.texts(known_at=moments[0]) == ["Ann lives in Rome."]
    assert await scene.texts(known_at=moments[0], as_of=moments[1]) == ["Ann lives in Rome."]
    assert "Ann lives in Rome." not in await scene.texts(known_at=moments[1])
    assert await scene.texts(known_at=moments[1], as_of=moments[1]) == ["Ann lives in Oslo."]
    assert await scene.texts(known_at=moments[2], as_of=moments[2]) == ["Ann lives in Rome."]
    assert await scene.texts(known_at=moments[3], as_of=moments[3]) == await scene.texts()
    assert await scene.texts() == ["Ben is shy.", "Ann lives in Rome.", "Ann lives in Oslo."]
    army = datetime.fromisoformat("2002-01-01T00:00+00:00")
    assert await scene.texts(as_of=army) == ["Ben is shy.", "Ann was in the army."]


async def test_facts_deleted_by_hand_come_back_without_a_request(scene: Scene) -> None:
    moments = await lived(scene)
    before = await seen(scene, moments)
    retirements = await scene.vault.projections.retirements(MIRA)
    await scene.sql("DELETE FROM facts")
    assert await scene.beliefs() == []
    await run(scene)
    assert scene.model.requests == []
    for question, facts in (await seen(scene, moments)).items():
        assert facts == before[question], question
    assert told(await scene.vault.projections.retirements(MIRA)) == told(retirements)
    assert await scene.vault.verify() == []


async def test_retirements_deleted_by_hand_come_back_without_a_request(scene: Scene) -> None:
    moments = await lived(scene)
    before = await seen(scene, moments)
    retirements = await scene.vault.projections.retirements(MIRA)
    await scene.sql("DELETE FROM retirements")
    await run(scene)
    assert scene.model.requests == []
    assert await seen(scene, moments) == before
    assert told(await scene.vault.projections.retirements(MIRA)) == told(retirements)


async def test_a_rebuild_gives_the_same_answers_and_goes_on_where_it_was(scene: Scene) -> None:
    moments = await lived(scene)
    before = await seen(scene, moments)
    for name in NAMES:
        outcomes = await Projectors(scene.desk).rebuild([name], fresh=False)
        assert [outcome.error for outcome in outcomes] == [None]
        assert await seen(scene, moments) == before
    status = {one.name: one for one in await Projectors(scene.desk).status()}
    assert [status[name].lag for name in NAMES] == [0, 0]
    assert scene.model.requests == []
    await scene.say("news")
    scene.model.tell("rich_note", [])
    await run(scene)
    assert len(scene.model.requests) == 1


async def test_acts_of_the_same_instant_as_an_answer_keep_their_order(scene: Scene) -> None:
    first = await scene.say("I live in Rome.")
    scene.model.tell("rich_note", [note("Ann lives in Rome.", first, about=[ANN.key])])
    await run(scene)
    await scene.vault.facts.retire_by_owner((await scene.beliefs())[0].id)
    again = await scene.say("Still in Rome.")
    scene.model.tell("rich_note", [note("Ann lives in Rome.", again, about=[ANN.key])])
    await run(scene)
    before = await scene.beliefs()
    assert [fact.superseded_at for fact in before] == [None, NOON]
    await scene.sql("DELETE FROM facts")
    await run(scene)
    assert await scene.beliefs() == before


async def test_a_replay_of_many_answers_goes_on_after_it_was_cut_short(scene: Scene) -> None:
    for number in range(60):
        turn = await scene.say(f"I have {number} boats.")
        scene.model.tell("rich_note", [note(f"Ann has {number} boats.", turn, about=[ANN.key])])
        scene.model.tell("fact_supersede", *([[number]] if number else []))
        await run(scene)
        scene.later(minutes=1)
    first = (await scene.vault.retirements.page(MIRA, limit=100))[-1].retirement
    await scene.vault.retirements.undo(first.id)
    before = await scene.beliefs()
    assert len(before) == 60
    assert await scene.texts() == ["Ann has 59 boats.", "Ann has 0 boats."]
    await scene.sql("DELETE FROM facts")
    scene.model.requests.clear()
    projectors = Projectors(scene.desk)
    replay = projectors._built["rich_note"].ticking._beliefs  # type: ignore[attr-defined]
    write, calls = scene.vault.projections.write, 0

    async def failing(work: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError
        return await write(work)

    scene.vault.projections.write = failing  # type: ignore[method-assign, assignment]
    try:
        await replay.bring_back()
    except RuntimeError:
        calls = 10
    scene.vault.projections.write = write  # type: ignore[method-assign]
    assert calls == 10
    await run(scene)
    assert await scene.beliefs() == before
    assert scene.model.requests == []


async def test_fresh_asks_the_model_again_and_keeps_what_the_owner_said(scene: Scene) -> None:
    await lived(scene)
    scene.model.tell("rich_note", [note("Ann likes it in the north.", 2, about=[ANN.key])])
    scene.model.tell("fact_supersede", *([] for _ in range(9)))
    outcomes = await Projectors(scene.desk).rebuild(["rich_note"], fresh=True)
    assert [outcome.error for outcome in outcomes] == [None]
    assert set(await scene.texts()) == {"Ann likes it in the north.", "Ben is shy."}
    assert len(scene.model.prompts("rich_note")) == 1
