"""A rebuild changes nothing in who may hear a fact; what was told of somebody can be told again as of any moment."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from familiar_app.domain.audience import AudienceMode, Readers
from familiar_app.domain.fact import Fact, NewFact, Subject
from familiar_app.domain.turn import Channel
from familiar_app.projectors.runner import Projectors
from familiar_app.store.portrait import Glimpse
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
    staff = await scene.hear("discord:20")
    places = [scene.channel, den, dm]
    await scene.vault.audiences.tell_readers(dm.id, Readers(people=frozenset({ANN.key})))
    secret, said = await scene.say("I am off.", channel=staff.id), await scene.say("To Leeds.", channel=den.id)
    third = await scene.say("I sail.", channel=dm.id)
    scene.model.tell(
        "rich_note",
        [
            note("Ann is off to Leeds.", said, secret, about=[ANN.key]),
            note("Ann is in a hurry.", said, about=[ANN.key]),
        ],
        [note("Ann sails.", third, about=[ANN.key])],
    )
    scene.model.tell("fact_supersede", [], [], [], [])
    await run(scene)
    scene.later(days=1)
    again = await scene.say("I do sail.", channel=den.id)
    scene.model.tell("rich_note", [note("Ann sails.", again, about=[ANN.key])])
    await run(scene)
    await scene.vault.turns.scrub(secret)
    # What is left of the source is read again, and says the same.
    scene.model.tell("rich_note", [note("Ann is off to Leeds.", said, about=[ANN.key])])
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


async def test_a_dossier_is_told_as_it_stood(scene: Scene) -> None:
    async def told(at: datetime | None) -> list[str]:
        audience = await scene.vault.audiences.of(MIRA, scene.channel, AudienceMode.OPEN)
        glimpse = Glimpse(MIRA, audience, at or scene.clock.now(), known_at=at)
        found = await scene.vault.portraits.of([ANN.key], glimpse, most_people=1, most_facts=5)
        return [portrait.text for portrait in found]

    async def fold(text: str, portrait: str) -> Fact:
        turn = await scene.say(text)
        fact, _ = await scene.vault.facts.append(NewFact(MIRA, text, "rich_note", (Subject(ANN.key, "Ann"),), (turn,)))
        scene.model.tell("people_dossier", portrait)
        (outcome,) = await Projectors(scene.desk).run(("people_dossier",), until_idle=True)
        assert outcome.error is None
        return fact

    before = scene.clock.now() - timedelta(days=1)
    first = await fold("Ann sings.", "A singer.")
    sang = scene.later(hours=12)
    scene.later(hours=12)
    await fold("Ann sails.", "A singer and sailor.")
    sailed = scene.later(hours=12)
    scene.later(hours=12)
    await scene.vault.facts.supersede([first.id])
    retired = scene.later(hours=12)
    scene.later(hours=12)
    await fold("Ann rows.", "A sailor and rower.")
    scene.later(days=1)
    moments = (before, sang, sailed, retired, None)
    assert [await told(at) for at in moments] == [
        [],
        ["A singer."],
        ["A singer and sailor."],
        # What it was built on was retired, and it was not built again yet.
        [],
        ["A sailor and rower."],
    ]


async def run(scene: Scene) -> None:
    outcomes = await Projectors(scene.desk).run(("rich_note", "fact_supersede"), until_idle=True)
    assert [outcome.error for outcome in outcomes] == [None, None]
