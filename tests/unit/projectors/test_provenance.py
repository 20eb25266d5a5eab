"""A rebuild changes nothing in who may hear a fact, whatever was deleted, said again or added by hand meanwhile."""

from __future__ import annotations

import pytest

from familiar_app.domain.audience import AudienceMode, Readers
from familiar_app.domain.turn import Channel
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, MIRA, Scene, note


async def heard(scene: Scene, places: list[Channel]) -> list[list[str]]:
    """Return what each place may be told, in each mode, by a list of facts."""
    found = []
    for mode in AudienceMode:
        for place in places:
            audience = await scene.vault.audiences.of(MIRA, place, mode)
            found.append(sorted(fact.text for fact in await scene.vault.facts.page(MIRA, audience=audience)))
    return found


@pytest.mark.parametrize("table", ["facts", "fact_sources", "fact_lost_places"])
async def test_who_may_hear_a_fact_is_the_same_after_a_rebuild(scene: Scene, table: str) -> None:
    den, dm = await scene.hear("discord:10"), await scene.hear("discord:30", guild=None)
    places = [scene.channel, den, dm]
    await scene.vault.audiences.tell_readers(dm.id, Readers(people=frozenset({ANN.key})))
    secret, said = await scene.say("I am off.", channel=dm.id), await scene.say("To Leeds.", channel=den.id)
    third = await scene.say("I sail.", channel=dm.id)
    scene.model.tell(
        "rich_note",
        [
            note("Ann is off to Leeds.", said, secret, about=[ANN.key]),
            note("Ann sails.", third, about=[ANN.key]),
            note("Ann is in a hurry.", said, about=[ANN.key]),
        ],
    )
    scene.model.tell("fact_supersede", [], [], [], [])
    await run(scene)
    scene.later(days=1)
    again = await scene.say("I do sail.", channel=den.id)
    scene.model.tell("rich_note", [note("Ann sails.", again, about=[ANN.key])])
    await run(scene)
    await scene.vault.turns.scrub(secret)
    await scene.vault.facts.add_by_owner(MIRA, "Ben is shy.", subjects=[BEN.key])
    await run(scene)
    before = await heard(scene, places)
    strict = dict(zip(("window", "den", "dm"), before, strict=False))
    assert strict["den"] == ["Ann is in a hurry.", "Ann sails."]
    assert strict["dm"] == ["Ann sails."]
    assert "Ben is shy." in strict["window"]
    scene.model.queues.clear()
    await scene.sql(f"DELETE FROM {table}")
    await run(scene)
    assert await heard(scene, places) == before


async def run(scene: Scene) -> None:
    outcomes = await Projectors(scene.desk).run(("rich_note", "fact_supersede"), until_idle=True)
    assert [outcome.error for outcome in outcomes] == [None, None]
