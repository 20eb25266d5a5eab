"""All facts as columns: open ends, several beliefs, subjects, hearsay; hidden facts and other familiars' stay out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.turn import Author, NewTurn
from familiar_app.store.fact_span import rows_among
from familiar_app.store.moment import to_micros
from familiar_app.store.schema_memory import EVER, NEVER
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON

BEN = PersonKey("discord:2")
Say = Callable[..., NewTurn]
DAY = timedelta(days=1)


def about(text: str, *keys: PersonKey, **more: object) -> NewFact:
    values = {"familiar": MIRA, "origin": "rich_note", "subjects": tuple(Subject(key, "name") for key in keys), **more}
    return NewFact(text=text, **values)  # type: ignore[arg-type]


async def test_times_and_people_of_all_facts(vault: Vault, clock: FixedClock, said: Say) -> None:
    await vault.turns.append(said("Hello."))
    one, _ = await vault.facts.append(about("Ann and Ben are friends.", ANN.key, BEN))
    two, _ = await vault.facts.append(about("It rains.", valid_from=NOON - DAY, valid_to=NOON + DAY))
    await vault.facts.append(about("Another's.", BEN, familiar=FamiliarId("bell")))
    spans = await vault.facts.spans(MIRA)
    assert spans.ids.tolist() == [one.id, two.id]
    assert spans.valid_from.tolist() == [EVER, to_micros(NOON - DAY)]
    assert spans.valid_to.tolist() == [NEVER, to_micros(NOON + DAY)]
    pairs = zip(spans.about_row.tolist(), spans.about_person.tolist(), strict=True)
    assert {(row, spans.people[person]) for row, person in pairs} == {(0, ANN.key), (0, BEN)}
    assert dict(zip(spans.people, spans.labels, strict=True)) == {ANN.key: "Ann", BEN: "2"}


async def test_every_belief_interval_with_who_ended_it(vault: Vault, clock: FixedClock) -> None:
    oslo, _ = await vault.facts.append(about("Ann lives in Oslo.", ANN.key))
    rome, _ = await vault.facts.append(about("Ann lives in Rome.", ANN.key))
    times = [NOON, NOON + DAY, NOON + 2 * DAY, NOON + 3 * DAY]
    await vault.facts.supersede([oslo.id], by=rome.id, at=times[1])
    await vault.facts.restore(oslo.id, at=times[2])
    await vault.facts.supersede([rome.id], at=times[3])
    spans = await vault.facts.spans(MIRA)
    first, second, third, fourth = (to_micros(one) for one in times)
    assert spans.belief_row.tolist() == [0, 0, 1]
    assert spans.belief_since.tolist() == [first, third, first]
    assert spans.belief_until.tolist() == [second, NEVER, fourth]
    assert spans.belief_successor.tolist() == [1, -1, -1]


async def test_a_successor_is_known_where_a_fact_was_believed_once(vault: Vault) -> None:
    oslo, _ = await vault.facts.append(about("Ann lives in Oslo.", ANN.key))
    rome, _ = await vault.facts.append(about("Ann lives in Rome.", ANN.key))
    await vault.facts.supersede([oslo.id], by=rome.id, at=NOON + DAY)
    assert (await vault.facts.spans(MIRA)).belief_successor.tolist() == [1, -1]


async def test_hearsay_is_what_nobody_concerned_has_said(vault: Vault, said: Say) -> None:
    by_ann, _ = await vault.turns.append(said("Ben cheats."))
    by_ben, _ = await vault.turns.append(said("I do.", author=Author(BEN, "Ben")))
    for text, sources in (("Ben cheats.", (by_ann.id,)), ("Ben cheats at cards.", (by_ann.id, by_ben.id))):
        await vault.facts.append(about(text, BEN, source_turns=sources))
    await vault.facts.append(about("It rains.", source_turns=(by_ann.id,)))
    await vault.facts.append(about("Ben is tall.", BEN))
    wording = await vault.facts.wording(MIRA)
    assert wording.texts == ("Ben cheats.", "Ben cheats at cards.", "It rains.", "Ben is tall.")
    assert wording.claims.tolist() == [True, False, False, False]


async def test_hidden_facts_stay_out(vault: Vault, said: Say) -> None:
    turn, _ = await vault.turns.append(said("I live in Rome."))
    await vault.facts.append(about("Ann lives in Rome.", ANN.key, source_turns=(turn.id,)))
    await vault.turns.scrub(turn.id)
    spans, wording = await vault.facts.spans(MIRA), await vault.facts.wording(MIRA)
    assert (len(spans), spans.people, wording.texts) == (0, (), ())


async def test_a_familiar_without_facts(vault: Vault) -> None:
    spans = await vault.facts.spans(MIRA)
    assert (len(spans), len(spans.belief_row), len(spans.about_row)) == (0, 0, 0)


def test_rows_of_ids_that_are_not_there() -> None:
    ids = np.array([2, 5, 9], dtype=np.int64)
    assert rows_among(ids, np.array([9, 1, 5, 10, 2], dtype=np.int64)).tolist() == [2, -1, 1, -1, 0]
    assert rows_among(np.empty(0, np.int64), ids).tolist() == [-1, -1, -1]
