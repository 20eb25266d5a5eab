"""`people_dossier`: compounding, the familiar's own, dropped ones, forced refolds, the ledger."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import FactId, NewFact, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.people_dossier import PeopleDossier
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, EGO, MIRA, Scene, lost, make_config

NAME = "people_dossier"


def projector(scene: Scene) -> PeopleDossier:
    return PeopleDossier(scene.desk, BeliefReplay(scene.vault, MIRA))


async def fact(scene: Scene, text: str, *about: PersonKey, importance: int | None = None) -> FactId:
    turn = await scene.say(text)
    subjects = tuple(Subject(key, key) for key in about)
    new = NewFact(MIRA, text, "rich_note", subjects, (turn,), importance=importance)
    return (await scene.vault.facts.append(new))[0].id


async def portrait(scene: Scene, person: PersonKey = ANN.key) -> tuple[str, int] | None:
    found = await scene.vault.projections.dossier(MIRA, person)
    return (found.text, found.last_fact_id) if found else None


async def test_a_dossier_compounds_what_is_new_into_what_was(scene: Scene) -> None:
    first = await fact(scene, "Ann sings.", ANN.key)
    scene.model.tell(NAME, "Ann is a singer.")
    folding = projector(scene)
    assert (await folding.tick(flush=False)).worked
    assert await portrait(scene) == ("Ann is a singer.", first)
    assert not (await folding.tick(flush=False)).worked
    second = await fact(scene, "Ann paints.", ANN.key)
    scene.model.tell(NAME, "Ann sings and paints.")
    await folding.tick(flush=False)
    assert await portrait(scene) == ("Ann sings and paints.", second)
    old, new = scene.model.prompts(NAME)
    assert "(none yet)" in old
    assert "Ann is a singer." in new
    assert "Ann paints." in new
    assert "Ann sings." not in new


async def test_an_empty_answer_erases_nothing_and_a_failing_model_moves_nothing(scene: Scene) -> None:
    await fact(scene, "Ann sings.", ANN.key)
    scene.model.tell(NAME, lost(), "Ann is a singer.", "  ")
    folding = projector(scene)
    with pytest.raises(OutsideError):
        await folding.tick(flush=False)
    assert await portrait(scene) is None
    await folding.tick(flush=False)
    last = await fact(scene, "Ann hums.", ANN.key)
    await folding.tick(flush=False)
    assert await portrait(scene) == ("Ann is a singer.", last)
    assert not (await folding.tick(flush=False)).worked


async def test_its_own_portrait_leaves_small_things_out_and_has_the_weighty_first(scene: Scene) -> None:
    await fact(scene, "Mira hummed.", EGO, importance=2)
    folding = projector(scene)
    await folding.tick(flush=False)
    assert scene.model.requests == []
    assert not (await folding.tick(flush=False)).worked
    await fact(scene, "Mira prefers rain.", EGO, importance=5)
    await fact(scene, "Mira will never lie.", EGO, importance=10)
    await fact(scene, "Mira likes herons.", EGO)
    await fact(scene, "Mira yawned.", EGO, importance=4)
    scene.model.tell(NAME, "I do not lie.")
    await folding.tick(flush=False)
    prompt = scene.model.prompts(NAME)[0]
    assert "hummed" not in prompt
    assert "yawned" not in prompt
    order = [prompt.index(text) for text in ("never lie", "prefers rain", "likes herons")]
    assert order == sorted(order)
    assert await portrait(scene, EGO) == ("I do not lie.", 5)


async def test_after_a_retirement_it_is_built_clean_from_what_is_believed(scene: Scene) -> None:
    rome = await fact(scene, "Ann lives in Rome.", ANN.key)
    await fact(scene, "Ann sings.", ANN.key)
    scene.model.tell(NAME, "Ann sings in Rome.", "Ann sings.")
    folding = projector(scene)
    await folding.tick(flush=False)
    await scene.vault.facts.supersede([rome])
    assert await portrait(scene) is None
    await folding.tick(flush=False)
    prompt = scene.model.prompts(NAME)[1]
    assert "Rome" not in prompt
    assert "(none yet)" in prompt


async def test_what_was_retired_while_the_model_thought_gets_into_no_portrait(scene: Scene) -> None:
    rome = await fact(scene, "Ann lives in Rome.", ANN.key)
    await fact(scene, "Ann sings.", ANN.key)
    folding = projector(scene)
    ask = folding._ask

    async def slow(*args: object) -> object:
        answer = await ask(*args)  # type: ignore[arg-type]
        await scene.vault.facts.supersede([rome])
        return answer

    folding._ask = slow  # type: ignore[assignment, method-assign]
    scene.model.tell(NAME, "Ann sings in Rome.", "Ann sings.")
    await folding.tick(flush=False)
    assert await portrait(scene) is None
    folding._ask = ask  # type: ignore[method-assign]
    await folding.tick(flush=False)
    assert await portrait(scene) == ("Ann sings.", 2)


async def test_a_zero_forces_a_full_refold(scene: Scene) -> None:
    await fact(scene, "Ann sings.", ANN.key)
    scene.model.tell(NAME, "Ann is a singer.", "Ann sings, and is proud of it.")
    folding = projector(scene)
    await folding.tick(flush=False)
    await scene.sql("UPDATE people_dossiers SET text = 'Proud.', last_fact_id = 0")
    await folding.tick(flush=False)
    prompt = scene.model.prompts(NAME)[1]
    assert "Proud." in prompt
    assert "Ann sings." in prompt
    assert await portrait(scene) == ("Ann sings, and is proud of it.", 1)


async def test_deleted_by_hand_or_rebuilt_it_comes_back_without_a_request(scene: Scene) -> None:
    for text in ("Ann sings.", "Ann paints."):
        await fact(scene, text, ANN.key)
        await fact(scene, text.replace("Ann", "Ben"), BEN.key)
        scene.model.tell(NAME, f"A: {text}", f"B: {text}")
        await Projectors(scene.desk).run([NAME], until_idle=True)
        scene.later(hours=1)
    before = await scene.vault.projections.dossiers(MIRA)
    assert [one.text for one in before] == ["A: Ann paints.", "B: Ann paints."]
    scene.model.requests.clear()
    await scene.sql("DELETE FROM people_dossiers")
    await Projectors(scene.desk).run([NAME], until_idle=True)
    assert await scene.vault.projections.dossiers(MIRA) == before
    await Projectors(scene.desk).rebuild([NAME], fresh=False)
    assert await scene.vault.projections.dossiers(MIRA) == before
    assert scene.model.requests == []
    scene.model.tell(NAME, "A new", "B new")
    await Projectors(scene.desk).rebuild([NAME], fresh=True)
    assert sorted(one.text for one in await scene.vault.projections.dossiers(MIRA)) == ["A new", "B new"]


async def test_many_facts_are_folded_in_steps_that_fit(scene: Scene) -> None:
    scene.config = make_config("[memory.people_dossier]\nbatch_facts = 4")
    for number in range(10):
        await fact(scene, f"Ann has {number} boats.", ANN.key)
    scene.model.tell(NAME, "one", "two", "three")
    await Projectors(scene.desk).run([NAME], until_idle=True)
    assert await portrait(scene) == ("three", 10)
    assert [prompt.count("[F#") for prompt in scene.model.prompts(NAME)] == [4, 4, 2]
