"""`fact_supersede`: who is compared with whom, what is retired, what is skipped, barred, or left to the owner."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import FactId, NewFact, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.projection import Dossier, RetirementState
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.fact_supersede import FactSupersede
from tests.unit.projectors.scene import ANN, BEN, MIRA, Scene, lost, make_config


def projector(scene: Scene) -> FactSupersede:
    return FactSupersede(scene.desk, BeliefReplay(scene.vault, MIRA))


async def fact(scene: Scene, text: str, *about: PersonKey) -> FactId:
    turn = await scene.say(text)
    subjects = tuple(Subject(key, key) for key in about)
    stored, _ = await scene.vault.facts.append(NewFact(MIRA, text, "rich_note", subjects, (turn,)))
    return stored.id


async def mark(scene: Scene) -> int | None:
    found = await scene.vault.projections.watermark("fact_supersede", MIRA)
    return found.position if found else None


async def test_a_contradicted_prior_is_retired_for_the_new_fact(scene: Scene) -> None:
    rome, tea = await fact(scene, "Ann lives in Rome.", ANN.key), await fact(scene, "Ann drinks tea.", ANN.key)
    oslo = await fact(scene, "Ann lives in Oslo.", ANN.key)
    await scene.vault.projections.write(
        lambda writer: writer.put_dossier(Dossier(MIRA, ANN.key, "Rome!", tea, scene.clock.now()))
    )
    at = scene.later(hours=1)
    scene.model.tell("fact_supersede", [], [{"reason": "One home.", "id": rome}, 999])
    done = await projector(scene).tick(flush=False)
    assert (done.worked, done.more) == (True, False)
    retired = await scene.vault.facts.get(rome)
    assert retired is not None
    assert (retired.superseded_at, retired.superseded_by) == (at, oslo)
    assert await scene.texts() == ["Ann lives in Oslo.", "Ann drinks tea."]
    assert await scene.vault.projections.dossier(MIRA, ANN.key) is None
    (logged,) = await scene.vault.projections.retirements(MIRA)
    assert (logged.reason, logged.state, logged.proposed_by) == ("One home.", RetirementState.ACTED, "fact_supersede")
    assert await mark(scene) == oslo
    first, second = scene.model.prompts("fact_supersede")
    assert f"[F#{tea} " in first
    assert f"[F#{rome} since 2024-05-01] Ann lives in Rome." in second


async def test_bare_ids_will_do_and_facts_without_subject_are_not_compared(scene: Scene) -> None:
    await fact(scene, "It rains.")
    await fact(scene, "It snows.")
    old = await fact(scene, "Ben is in Rome.", BEN.key)
    await fact(scene, "Ben is in Oslo.", BEN.key)
    scene.model.tell("fact_supersede", [old])
    assert (await projector(scene).tick(flush=False)).worked
    assert len(scene.model.requests) == 1
    assert await scene.texts(subject=BEN.key) == ["Ben is in Oslo."]


async def test_each_subject_gets_its_own_request_with_its_own_priors(scene: Scene) -> None:
    a, b = await fact(scene, "Ann sings.", ANN.key), await fact(scene, "Ben sings.", BEN.key)
    await fact(scene, "Ann and Ben never sing.", ANN.key, BEN.key)
    # Each names the other's fact, which it was not shown.
    scene.model.tell("fact_supersede", [b], [a])
    await projector(scene).tick(flush=False)
    assert len(scene.model.requests) == 2
    assert len(await scene.texts()) == 3


async def test_an_ended_or_retired_new_fact_asks_nothing(scene: Scene) -> None:
    await fact(scene, "Ann sings.", ANN.key)
    gone = await fact(scene, "Ann hums.", ANN.key)
    await scene.vault.facts.supersede([gone])
    assert (await projector(scene).tick(flush=False)).worked
    assert scene.model.requests == []
    assert await mark(scene) == gone


async def test_a_batch_is_five_facts_and_priors_are_capped_by_likeness(scene: Scene) -> None:
    scene.config = make_config("[memory.fact_supersede]\nmax_priors = 3")
    likely = await fact(scene, "Ann lives in a house in Rome.", ANN.key)
    for number in range(6):
        await fact(scene, f"Ann counted {number} boats.", ANN.key)
    await scene.vault.projections.write(lambda writer: None)
    scene.model.tell("fact_supersede", *([] for _ in range(4)))
    comparing = projector(scene)
    done = await comparing.tick(flush=False)
    assert (done.more, await mark(scene)) == (True, likely + 4)
    scene.model.tell("fact_supersede", [], [], [])
    await fact(scene, "Ann lives in a house in Oslo.", ANN.key)
    await comparing.tick(flush=False)
    last = scene.model.prompts("fact_supersede")[-1]
    assert last.count("[F#") == 4
    assert f"[F#{likely} " in last


async def test_a_prior_that_others_retired_meanwhile_is_not_rewired(scene: Scene) -> None:
    old = await fact(scene, "Ann lives in Rome.", ANN.key)
    other = await fact(scene, "Ann is in Rome no more.")
    await fact(scene, "Ann lives in Oslo.", ANN.key)

    async def retire() -> None:
        await scene.vault.facts.supersede([old], by=other)

    comparing = projector(scene)
    ask = comparing._ask

    async def slow(*args: object) -> object:
        answer = await ask(*args)  # type: ignore[arg-type]
        await retire()
        return answer

    comparing._ask = slow  # type: ignore[assignment, method-assign]
    scene.model.tell("fact_supersede", [old])
    await comparing.tick(flush=False)
    kept = await scene.vault.facts.get(old)
    assert kept is not None
    assert kept.superseded_by == other
    assert await scene.vault.projections.retirements(MIRA) == []


async def test_a_transport_error_keeps_what_was_answered_and_asks_only_the_rest(scene: Scene) -> None:
    a, b = await fact(scene, "Ann sings.", ANN.key), await fact(scene, "Ben sings.", BEN.key)
    both = await fact(scene, "Ann and Ben are mute.", ANN.key, BEN.key)
    scene.model.tell("fact_supersede", [a], lost())
    comparing = projector(scene)
    with pytest.raises(OutsideError):
        await comparing.tick(flush=False)
    assert await mark(scene) == b
    scene.model.tell("fact_supersede", [b])
    await comparing.tick(flush=False)
    assert len(scene.model.requests) == 3
    assert [f.id for f in await scene.vault.facts.page(MIRA)] == [both]
    assert await mark(scene) == both


async def test_what_the_owner_undid_is_not_proposed_again(scene: Scene) -> None:
    rome = await fact(scene, "Ann lives in Rome.", ANN.key)
    await fact(scene, "Ann lives in Oslo.", ANN.key)
    scene.model.tell("fact_supersede", [rome])
    comparing = projector(scene)
    await comparing.tick(flush=False)
    (logged,) = await scene.vault.projections.retirements(MIRA)
    await scene.vault.facts.undo_retirement(logged.id)
    scene.later(minutes=1)
    await scene.vault.projections.write(lambda writer: writer.forget_watermarks("fact_supersede", MIRA))
    await scene.vault.projections.write(lambda writer: writer.void_answers("fact_supersede", MIRA, scene.clock.now()))
    await comparing.tick(flush=False)
    assert len(scene.model.requests) == 1
    assert len(await scene.texts()) == 2


async def test_retirements_can_wait_for_the_owner(scene: Scene) -> None:
    scene.config = make_config("[memory.fact_supersede]\nretire_at_once = false")
    rome = await fact(scene, "Ann lives in Rome.", ANN.key)
    await fact(scene, "Ann lives in Oslo.", ANN.key)
    scene.model.tell("fact_supersede", [rome])
    await projector(scene).tick(flush=False)
    (logged,) = await scene.vault.projections.retirements(MIRA)
    assert logged.state is RetirementState.WAITING
    assert len(await scene.texts()) == 2
    await scene.vault.facts.accept_retirement(logged.id)
    assert await scene.texts() == ["Ann lives in Oslo."]


async def test_hearsay_is_shown_as_hearsay(scene: Scene) -> None:
    await fact(scene, "Ben is a thief.", BEN.key)
    said = await scene.say("I never stole a thing.", author=BEN)
    new = NewFact(MIRA, "Ben never stole.", "rich_note", (Subject(BEN.key, "Ben"),), (said,))
    await scene.vault.facts.append(new)
    scene.model.tell("fact_supersede", [])
    await projector(scene).tick(flush=False)
    prompt = scene.model.prompts("fact_supersede")[0]
    assert "as told by Ann] Ben is a thief." in prompt
    assert "] Ben never stole." in prompt
    assert "as told by Ben" not in prompt
