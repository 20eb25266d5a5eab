"""The owner's corrections: each can be taken back and done again, and a rebuild brings back where they left off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId, NewFact, Subject
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId, PersonKey
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from familiar_app.ui.timeline.correction import Corrections, Wish
from tests.unit.store.vault_maker import ANN, CHEAP, NOON, PASSPHRASE

MIRA = FamiliarId("mira")
ABOUT = (Subject(ANN.key, "Ann"),)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
async def vault(tmp_path: Path, clock: FixedClock) -> AsyncIterator[Vault]:
    path = tmp_path / "vault.db"
    made = await Vault.create(path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    yield made
    await made.close()


@pytest.fixture
def corrections(vault: Vault) -> Corrections:
    return Corrections(vault.facts, MIRA)


class Ticking:
    """A clock that goes on by an hour each time it is asked to."""

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock

    def tick(self) -> None:
        self._clock.instant += timedelta(hours=1)


async def learned(vault: Vault, *texts: str) -> list[Fact]:
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    found = []
    for text in texts:
        turn, _ = await vault.turns.append(NewTurn(channel.id, Role.USER, text, NOON - timedelta(days=9), ANN))
        new = NewFact(MIRA, text, "rich_note", ABOUT, (turn.id,), importance=6)
        found.append((await vault.facts.append(new))[0])
    return found


async def believed(vault: Vault) -> list[str]:
    return [fact.text for fact in await vault.facts.page(MIRA)]


async def test_an_added_fact_can_be_taken_back_and_done_again(vault: Vault, corrections: Corrections) -> None:
    fact, created = await corrections.add(Wish("Ann lives in Rome.", ABOUT, importance=8))
    assert created
    assert (fact.importance, fact.origin, [one.key for one in fact.subjects]) == (8, "owner", [ANN.key])
    assert await corrections.undo() == "Fact added"
    assert await believed(vault) == []
    assert await corrections.redo() == "Fact added"
    assert await believed(vault) == ["Ann lives in Rome."]
    assert await corrections.redo() == ""


async def test_what_is_believed_already_leaves_nothing_to_take_back(vault: Vault, corrections: Corrections) -> None:
    await learned(vault, "Ann lives in Rome.")
    _, created = await corrections.add(Wish("ann lives in  Rome", ABOUT))
    assert not created
    assert await corrections.undo() == ""
    assert await believed(vault) == ["Ann lives in Rome."]


async def test_an_edit_supersedes_and_keeps_sources_and_place(vault: Vault, corrections: Corrections) -> None:
    (oslo,) = await learned(vault, "Ann lives in Oslo.")
    fact = await corrections.edit(oslo, Wish("Ann lives in Rome.", ABOUT, NOON, None, 9))
    assert (fact.source_turns, fact.channel, fact.valid.since) == (oslo.source_turns, oslo.channel, NOON)
    old = await vault.facts.get(oslo.id)
    assert old is not None
    assert (old.text, old.superseded_by) == ("Ann lives in Oslo.", fact.id)
    await corrections.undo()
    assert await believed(vault) == ["Ann lives in Oslo."]
    await corrections.redo()
    assert await believed(vault) == ["Ann lives in Rome."]
    again = await vault.facts.get(oslo.id)
    assert again is not None
    assert again.superseded_by == fact.id


async def test_many_are_retired_restored_and_redated_at_once(vault: Vault, corrections: Corrections) -> None:
    facts = await learned(vault, "Ann has a dog.", "Ann has a cat.", "Ann has a car.")
    numbers = [one.id for one in facts]
    assert await corrections.retire(numbers[:2]) == 2
    assert await believed(vault) == ["Ann has a car."]
    assert await corrections.undo() == "2 facts retired"
    assert len(await believed(vault)) == 3
    await corrections.redo()
    retired = await vault.facts.many(numbers[:2])
    assert await corrections.restore(retired) == 2
    assert len(await believed(vault)) == 3
    await corrections.undo()
    assert await believed(vault) == ["Ann has a car."]
    await corrections.redo()
    whole = await vault.facts.page(MIRA)
    assert await corrections.redate(whole, NOON - timedelta(days=5), NOON + timedelta(days=5)) == 3
    dated = await vault.facts.page(MIRA)
    assert {one.valid.since for one in dated} == {NOON - timedelta(days=5)}
    assert {one.id for one in dated}.isdisjoint(numbers)
    await corrections.undo()
    assert {one.id for one in await vault.facts.page(MIRA)} == set(numbers)


async def test_merged_facts_rest_on_all_their_sources(vault: Vault, corrections: Corrections) -> None:
    facts = await learned(vault, "Ann has a dog.", "The dog is named Rex.", "Ann has a car.")
    merged = await corrections.merge(facts[:2], Wish("Ann has a dog named Rex.", ABOUT, importance=5))
    assert merged.source_turns == facts[0].source_turns + facts[1].source_turns
    assert await believed(vault) == ["Ann has a dog named Rex.", "Ann has a car."]
    history = await vault.facts.history(merged.id)
    assert history is not None
    assert history.supersedes == (facts[0].id, facts[1].id)
    assert await corrections.undo() == "2 facts merged"
    assert sorted(await believed(vault)) == ["Ann has a car.", "Ann has a dog.", "The dog is named Rex."]
    await corrections.redo()
    assert await believed(vault) == ["Ann has a dog named Rex.", "Ann has a car."]


async def test_what_another_has_changed_meanwhile_is_not_touched(vault: Vault, corrections: Corrections) -> None:
    (fact,) = await learned(vault, "Ann has a dog.")
    await corrections.retire([fact.id])
    await vault.facts.restore(fact.id)
    with pytest.raises(UserError, match="changed by something else"):
        await corrections.undo()
    assert await believed(vault) == ["Ann has a dog."]
    with pytest.raises(UserError, match="believed already"):
        await corrections.restore([fact])


async def test_a_change_after_an_undo_leaves_nothing_to_do_again(vault: Vault, corrections: Corrections) -> None:
    one, two = await learned(vault, "Ann has a dog.", "Ann has a car.")
    await corrections.retire([one.id])
    await corrections.undo()
    await corrections.retire([two.id])
    assert await corrections.redo() == ""
    assert await believed(vault) == ["Ann has a dog."]


async def state(vault: Vault) -> list[tuple[object, ...]]:
    rows = await vault._opened.engine.read(
        lambda connection: connection.execute(
            """SELECT f.id, f.text, f.valid_from, f.valid_to, f.superseded_at, f.superseded_by, b.since, b.until
            FROM facts f JOIN fact_beliefs b ON b.fact = f.id WHERE f.origin = 'owner' ORDER BY f.id, b.number"""
        ).fetchall()
    )
    return [tuple(row) for row in rows]


async def test_after_undo_and_rebuild_the_corrected_belief_is_still_corrected(
    vault: Vault, corrections: Corrections, clock: FixedClock
) -> None:
    time = Ticking(clock)
    oslo, _ = await corrections.add(Wish("Ann lives in Oslo.", ABOUT))
    time.tick()
    rome = await corrections.edit(oslo, Wish("Ann lives in Rome.", ABOUT))
    time.tick()
    await corrections.edit(rome, Wish("Ann lives in Paris.", ABOUT))
    time.tick()
    await corrections.undo()
    time.tick()
    dog, _ = await corrections.add(Wish("Ann has a dog.", ABOUT))
    time.tick()
    await corrections.retire([dog.id])
    time.tick()
    await corrections.undo()
    time.tick()
    await corrections.redo()
    before = await state(vault)
    assert await believed(vault) == ["Ann lives in Rome."]
    await vault._opened.engine.write(lambda connection: connection.execute("DELETE FROM facts").close())
    assert await believed(vault) == []
    time.tick()
    await vault.facts.replay_owner_acts(MIRA)
    assert await believed(vault) == ["Ann lives in Rome."]
    assert await state(vault) == before
    assert await vault.facts.get(FactId(rome.id)) is not None


BEN, OTHER = Subject(PersonKey("discord:7"), "Ben"), Subject(PersonKey("discord:8"), "Ann")


async def test_taking_back_an_edit_leaves_alone_what_was_believed_before(
    vault: Vault, corrections: Corrections
) -> None:
    rome, roma = await learned(vault, "Ann lives in Rome.", "Ann lives in Roma.")
    assert (await corrections.edit(roma, Wish("Ann lives in Rome.", ABOUT))).id == rome.id
    assert await believed(vault) == ["Ann lives in Rome."]
    await corrections.undo()
    assert await believed(vault) == ["Ann lives in Roma.", "Ann lives in Rome."]
    await corrections.redo()
    assert await believed(vault) == ["Ann lives in Rome."]


async def test_facts_merge_into_one_of_them(vault: Vault, corrections: Corrections) -> None:
    rex, dog = await learned(vault, "Ann has a dog named Rex.", "Ann has a dog.")
    merged = await corrections.merge([dog, rex], Wish("Ann has a dog named Rex.", ABOUT))
    assert (merged.id, set(merged.source_turns)) == (rex.id, {*rex.source_turns, *dog.source_turns})
    assert await believed(vault) == ["Ann has a dog named Rex."]
    assert await corrections.undo() == "2 facts merged"
    assert await believed(vault) == ["Ann has a dog.", "Ann has a dog named Rex."]


async def about(vault: Vault) -> list[tuple[str, list[str]]]:
    return [(fact.text, sorted(str(one.key) for one in fact.subjects)) for fact in await vault.facts.page(MIRA)]


async def noted(vault: Vault, text: str, *subjects: Subject) -> Fact:
    (said,) = await learned(vault, f"Somebody says: {text}")
    await vault.facts.supersede([said.id])
    new = NewFact(MIRA, text, "rich_note", subjects, said.source_turns, importance=4, valid_from=NOON)
    return (await vault.facts.append(new))[0]


async def test_facts_about_the_wrong_ann_become_facts_about_the_right_one(
    vault: Vault, corrections: Corrections
) -> None:
    wrong = ABOUT[0]
    dog, pair = await noted(vault, "Ann has a dog.", wrong), await noted(vault, "Ann and Ben are friends.", wrong, BEN)
    await noted(vault, "Ben rows.", BEN)
    rows = (await vault.facts.page(MIRA))[0]
    before = await about(vault)
    assert await corrections.reassign([dog, pair, rows], wrong.key, (OTHER,)) == 2
    after = [
        ("Ann and Ben are friends.", ["discord:7", "discord:8"]),
        ("Ann has a dog.", ["discord:8"]),
        ("Ben rows.", ["discord:7"]),
    ]
    assert await about(vault) == after
    moved = (await vault.facts.page(MIRA))[1]
    assert (moved.source_turns, moved.importance, moved.valid.since, moved.origin) == (
        dog.source_turns, 4, NOON, "owner",
    )  # fmt: skip
    old = await vault.facts.get(dog.id)
    assert old is not None
    assert (old.superseded_by, [one.key for one in old.subjects]) == (moved.id, [wrong.key])
    assert await corrections.undo() == "About somebody else"
    assert await about(vault) == before
    assert await corrections.redo() == "About somebody else"
    assert await about(vault) == after


async def test_moving_to_somebody_of_whom_it_is_believed_already_folds_and_comes_apart_again(
    vault: Vault, corrections: Corrections
) -> None:
    wrong = ABOUT[0]
    right = await noted(vault, "Ann has a dog.", OTHER)
    moved = await noted(vault, "Ann has a dog.", wrong)
    with pytest.raises(UserError, match="about them already"):
        await corrections.reassign([right], wrong.key, (OTHER,))
    assert await corrections.reassign([moved, right], None, (OTHER,)) == 1
    assert await about(vault) == [("Ann has a dog.", ["discord:8"])]
    await corrections.undo()
    assert await about(vault) == [("Ann has a dog.", [str(wrong.key)]), ("Ann has a dog.", ["discord:8"])]


async def test_two_that_say_the_same_of_two_people_become_one_and_two_again(
    vault: Vault, corrections: Corrections
) -> None:
    one, two = await noted(vault, "Ann rows.", ABOUT[0]), await noted(vault, "Ann rows.", BEN)
    assert await corrections.reassign([one, two], None, (OTHER,)) == 2
    assert await about(vault) == [("Ann rows.", ["discord:8"])]
    await corrections.undo()
    assert await about(vault) == [("Ann rows.", ["discord:7"]), ("Ann rows.", [str(ABOUT[0].key)])]
    await corrections.redo()
    assert await about(vault) == [("Ann rows.", ["discord:8"])]
