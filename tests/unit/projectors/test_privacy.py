"""About people who do not want to be remembered nothing is noted; what there is stays out of search and portraits."""

from __future__ import annotations

import pytest

from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.ranking import Kind, Weights
from familiar_app.domain.recall import Recall
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, EGO, MIRA, NOON, Scene, note

WEIGHTS = Weights(bm25=1, recency=0, importance=0, embedding=0, nearness=0, named=0, neighbours=0, facts=0)


async def level(scene: Scene, person: PersonKey, level: PrivacyLevel) -> None:
    await scene.vault.privacy.set(person, level, familiar=MIRA, by=OWNER)


@pytest.mark.parametrize("chosen", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_nothing_is_noted_about_them(scene: Scene, chosen: PrivacyLevel) -> None:
    first = await scene.say("I moved to Rome", BEN)
    await level(scene, BEN.key, chosen)
    second = await scene.say("I keep bees", ANN)
    scene.model.tell(
        "rich_note",
        [
            note("Ben moved to Rome.", first, about=[BEN.key]),
            note("ben lives in Rome now.", first),
            note("Ann met somebody.", second, about=[ANN.key, BEN.key]),
            note("Ann keeps bees.", second, about=[ANN.key]),
        ],
    )
    await Projectors(scene.desk).run(["rich_note"], until_idle=True)
    assert await scene.texts() == ["Ann keeps bees."]
    await scene.sql("DELETE FROM facts")
    await level(scene, BEN.key, PrivacyLevel.NONE)
    await Projectors(scene.desk).run(["rich_note"], until_idle=True)
    assert await scene.texts() == ["Ann keeps bees."]


async def test_what_there_is_comes_back_neither_by_search_nor_as_a_portrait(scene: Scene) -> None:
    for person, text in ((BEN, "Ben sails boats."), (ANN, "Ann paints boats.")):
        new = NewFact(MIRA, text, "rich_note", (Subject(person.key, person.name),), channel=scene.channel.id)
        await scene.vault.facts.append(new)
    await level(scene, BEN.key, PrivacyLevel.PARTIAL)
    scene.model.tell("people_dossier", "Ann paints.")
    await Projectors(scene.desk).run(["people_dossier"], until_idle=True)
    assert [one.person for one in await scene.vault.projections.dossiers(MIRA)] == [ANN.key]
    assert await found(scene) == ["Ann paints boats."]
    await level(scene, BEN.key, PrivacyLevel.NONE)
    assert sorted(await found(scene)) == ["Ann paints boats.", "Ben sails boats."]
    assert EGO not in (await scene.vault.privacy.levels())


async def test_what_was_said_before_comes_back_in_no_search_while_nothing_may_be_kept(scene: Scene) -> None:
    for author, text in ((BEN, "I sail boats."), (ANN, "I paint boats.")):
        await scene.vault.turns.append(NewTurn(scene.channel.id, Role.USER, text, NOON, author=author))
    assert sorted(await found(scene, "turn")) == ["I paint boats.", "I sail boats."]
    await level(scene, BEN.key, PrivacyLevel.FULL)
    assert await found(scene, "turn") == ["I paint boats."]
    await level(scene, BEN.key, PrivacyLevel.PARTIAL)
    assert sorted(await found(scene, "turn")) == ["I paint boats.", "I sail boats."]


async def found(scene: Scene, kind: Kind = "fact") -> list[str]:
    tasks = TaskRegistry(lambda _name, _error: None)
    index = scene.vault.index
    index.start(tasks, owner=scene)
    await index.ready()
    hits = await scene.vault.retrieval.recall(Recall(MIRA, "boats", WEIGHTS, kinds=(kind,)))
    await tasks.cancel(scene)
    return [hit.text for hit in hits]
