"""What the owner decided stands in the log and comes back after the facts were emptied, in its order and unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Cause, Fact, NewFact, Subject
from familiar_app.domain.ids import OWNER, FamiliarId, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.projection import Answer, NewAnswer, NewRetirement
from familiar_app.domain.turn import NewTurn
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.owner_act import ReplayCount
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON

HOUR = timedelta(hours=1)


def new(text: str, **changes: object) -> NewFact:
    values: dict[str, object] = {"familiar": MIRA, "origin": "rich_note", "subjects": (Subject(ANN.key, "Ann"),)}
    return NewFact(text=text, **{**values, **changes})  # type: ignore[arg-type]


async def everything(vault: Vault) -> list[Fact]:
    """Return every fact there is, hidden ones too."""
    found = await vault._opened.engine.read(lambda c: c.execute("SELECT id FROM facts ORDER BY id").fetchall())
    return await vault.facts.many([number for (number,) in found])


async def rows(vault: Vault) -> dict[str, list[tuple[object, ...]]]:
    """Return the tables of facts as they are stored."""
    tables = ("facts", "fact_subjects", "fact_sources", "fact_beliefs", "mentions")
    return {
        table: await vault._opened.engine.read(
            lambda c, table=table: c.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()  # type: ignore[misc]
        )
        for table in tables
    }


async def acts(vault: Vault) -> list[dict[str, object]]:
    found = await vault._opened.engine.read(
        lambda c: c.execute("SELECT content FROM turns WHERE role = 'operator' ORDER BY id").fetchall()
    )
    return [json.loads(content) for (content,) in found]


async def empty(vault: Vault, *tables: str) -> None:
    for table in tables or ("facts",):
        await vault._opened.engine.write(lambda c, table=table: c.execute(f"DELETE FROM {table}").close())  # type: ignore[misc]


class Projector:
    """A small stand-in: each answer is a list of texts; a replay does as the real ones must."""

    def __init__(self, vault: Vault, clock: FixedClock) -> None:
        self.vault = vault
        self.clock = clock

    async def learn(self, *texts: str, turns: tuple[TurnId, ...] = ()) -> list[Fact]:
        answer = NewAnswer("rich_note", 1, MIRA, 0, 0, "scripted", json.dumps([texts, turns]), self.clock.now())

        def work(writer: MemoryWriter) -> list[Fact]:
            return self._apply(writer, writer.record_answer(answer))

        return await self.vault.projections.write(work)

    async def retire(self, prior: Fact, successor: Fact) -> None:
        pair = [prior.id, successor.id]
        answer = NewAnswer("fact_supersede", 1, MIRA, 0, 0, "scripted", json.dumps(pair), self.clock.now())

        def work(writer: MemoryWriter) -> None:
            self._apply(writer, writer.record_answer(answer))

        await self.vault.projections.write(work)

    async def rebuild(self) -> None:
        notes = await self.vault.projections.answers("rich_note", MIRA)
        verdicts = await self.vault.projections.answers("fact_supersede", MIRA)
        for answer in sorted([*notes, *verdicts], key=lambda one: one.id):

            def work(writer: MemoryWriter, answer: Answer = answer) -> None:
                writer.replay_owner_acts(MIRA, answer.at)
                self._apply(writer, answer)

            await self.vault.projections.write(work)
        await self.vault.facts.replay_owner_acts(MIRA)

    def _apply(self, writer: MemoryWriter, answer: Answer) -> list[Fact]:
        if answer.projector == "fact_supersede":
            proposal = NewRetirement(MIRA, *json.loads(answer.answer), "Because.", "fact_supersede")
            writer.propose_retirement(proposal, answer.at)
            return []
        texts, turns = json.loads(answer.answer)
        return [
            writer.append_fact(new(text, source_turns=tuple(turns)), answer.at, answer=answer.id, item=item)[0]
            for item, text in enumerate(texts)
        ]


async def test_each_act_is_one_operator_turn(vault: Vault, clock: FixedClock, said: Callable[..., NewTurn]) -> None:
    turn, _ = await vault.turns.append(said("Hello."))
    first, created = await vault.facts.add_by_owner(
        MIRA, " Ann sings. ", subjects=[ANN.key, ANN.key], sources=[turn.id], importance=4, valid_to=NOON + HOUR
    )
    assert created
    assert (first.text, first.origin, first.beliefs[0].cause, first.beliefs[0].begun_by) == (
        "Ann sings.", "owner", Cause.ADDED, OWNER,
    )  # fmt: skip
    assert first.subjects == (Subject(ANN.key, "Ann"),)
    second = await vault.facts.edit_by_owner(first.id, new("Ann hums.", origin="owner"))
    await vault.facts.restore_by_owner(first.id)
    retired = await vault.facts.retire_by_owner(second.id, by=first.id)
    assert (retired.beliefs[0].ended_by, retired.superseded_by) == (OWNER, first.id)
    logged = await acts(vault)
    assert [act["act"] for act in logged] == ["fact_add", "fact_edit", "fact_restore", "fact_retire"]
    assert logged[0] == {
        "act": "fact_add",
        "text": "Ann sings.",
        "subjects": [{"key": "discord:1", "display": "Ann"}],
        "sources": [turn.id],
        "channel": None,
        "importance": 4,
        "valid_from": None,
        "valid_to": "2024-05-01T13:00:00Z",
        "fact": first.id,
    }
    assert [one.content for one in await vault.turns.page(turn.channel)] == ["Hello."]
    assert await vault.verify() == []


async def test_an_act_that_fails_leaves_no_turn(vault: Vault) -> None:
    fact, _ = await vault.facts.add_by_owner(MIRA, "Ann sings.")
    await vault.facts.retire_by_owner(fact.id)
    count = len(await acts(vault))
    for call in (
        vault.facts.retire_by_owner(fact.id),
        vault.facts.edit_by_owner(fact.id, new("Ann hums.")),
        vault.facts.add_by_owner(MIRA, " "),
        vault.facts.add_by_owner(MIRA, "Ann sings.", sources=[TurnId(99)]),
    ):
        with pytest.raises(UserError):
            await call
    assert len(await acts(vault)) == count


async def test_everything_comes_back_as_it_was(vault: Vault, clock: FixedClock, said: Callable[..., NewTurn]) -> None:
    projector = Projector(vault, clock)

    def later() -> None:
        clock.instant += HOUR

    gone, _ = await vault.turns.append(said("I have a cat."))
    kept, _ = await vault.turns.append(said("I like tea."))
    rome, tea = await projector.learn("Ann lives in Rome.", "Ann likes tea.", turns=(kept.id,))
    later()
    (cat,) = await projector.learn("Ann has a cat.", turns=(gone.id,))
    later()
    await vault.facts.retire_by_owner(tea.id)
    later()
    (tea_again,) = await projector.learn("Ann likes tea.", turns=(kept.id,))
    assert tea_again.id != tea.id
    later()
    mine, _ = await vault.facts.add_by_owner(MIRA, "Ann is tall.", subjects=[ANN.key], sources=[gone.id])
    confirmed, created = await vault.facts.add_by_owner(
        MIRA, "ann lives in rome", subjects=[ANN.key], sources=[gone.id]
    )
    assert (confirmed.id, created) == (rome.id, False)
    later()
    (oslo,) = await projector.learn("Ann lives in Oslo.", turns=(kept.id,))
    await projector.retire(rome, oslo)
    later()
    await vault.facts.undo_retirement((await vault.projections.retirements(MIRA))[0].id)
    later()
    await vault.turns.scrub(gone.id)
    later()
    edited = await vault.facts.edit_by_owner(oslo.id, new("Ann lived in Oslo.", origin="owner", valid_to=NOON))
    later()
    await vault.facts.retire_by_owner(mine.id, by=edited.id)
    await vault.facts.restore_by_owner(mine.id)

    stored = await rows(vault)
    before, inbox = await everything(vault), await vault.projections.retirements(MIRA)
    assert (await vault.facts.many([cat.id]))[0].hidden
    await empty(vault, "facts", "retirements")
    assert await everything(vault) == []
    clock.instant += 100 * HOUR
    await projector.rebuild()
    assert await everything(vault) == before
    assert await rows(vault) == stored
    again = await vault.projections.retirements(MIRA)
    assert [(one.prior.id, one.successor.id, one.state, one.proposed_at, one.decided_at) for one in again] == [
        (one.prior.id, one.successor.id, one.state, one.proposed_at, one.decided_at) for one in inbox
    ]
    assert await vault.verify() == []
    # Once more over what is there changes nothing, even where every act is looked at again.
    await vault.projections.write(lambda writer: writer.forget_watermarks("owner", MIRA))
    counted = await vault.facts.replay_owner_acts(MIRA)
    assert (counted.done, counted.lost) == (1, 0)
    assert await everything(vault) == before


async def test_acts_find_their_facts_where_the_numbers_changed(vault: Vault, clock: FixedClock) -> None:
    fact, _ = await vault.facts.append(new("Ann likes tea."))
    clock.instant += HOUR
    await vault.facts.retire_by_owner(fact.id)
    await empty(vault)
    clock.instant = NOON
    other, _ = await vault.facts.append(new("Ann likes milk."))
    again, _ = await vault.facts.append(new("Ann  likes TEA"))
    assert again.id != fact.id
    assert await vault.facts.replay_owner_acts(MIRA) == ReplayCount(done=1, present=0, lost=0)
    assert await vault.facts.page(MIRA) == [other]
    assert (await vault.facts.many([again.id]))[0].beliefs[0].held == Interval(NOON, NOON + HOUR)


async def test_acts_whose_fact_is_gone_are_counted_as_lost(vault: Vault) -> None:
    fact, _ = await vault.facts.append(new("Ann likes tea."))
    await vault.facts.retire_by_owner(fact.id)
    await empty(vault)
    assert await vault.facts.replay_owner_acts(MIRA) == ReplayCount(done=0, present=0, lost=1)
    assert await vault.facts.replay_owner_acts(MIRA) == ReplayCount(0, 0, 0)


async def test_an_act_before_the_rebuild_does_not_hide_the_earlier_ones(vault: Vault) -> None:
    first, _ = await vault.facts.add_by_owner(MIRA, "Ann sings.")
    await empty(vault)
    second, _ = await vault.facts.add_by_owner(MIRA, "Ann dances.")
    assert second.id == 2
    await vault.facts.replay_owner_acts(MIRA)
    assert await vault.facts.page(MIRA) == [second, first]


async def test_replay_stops_at_an_instant_and_goes_on(vault: Vault, clock: FixedClock) -> None:
    made = []
    for text in ("one", "two", "three"):
        made.append((await vault.facts.add_by_owner(MIRA, text))[0])
        clock.instant += HOUR
    await empty(vault)
    assert (await vault.facts.replay_owner_acts(MIRA, until=NOON + HOUR)).done == 2
    assert await vault.facts.page(MIRA) == made[1::-1]
    assert (await vault.facts.replay_owner_acts(MIRA)).done == 1
    assert await vault.facts.page(MIRA) == made[::-1]


async def test_acts_of_one_familiar_leave_the_others_alone(vault: Vault) -> None:
    bell = FamiliarId("bell")
    await vault.facts.add_by_owner(MIRA, "Ann sings.")
    hers, _ = await vault.facts.add_by_owner(bell, "Ann sings.")
    await empty(vault)
    await vault.facts.replay_owner_acts(bell)
    assert await everything(vault) == [hers]


async def test_who_corrected_what_is_known_about_themselves_stays_named(vault: Vault) -> None:
    first, _ = await vault.facts.append(new("Ann rows."))
    changed = await vault.facts.edit_by_owner(first.id, new("Ann sails.", origin="owner"), decided_by=ANN.key)
    await vault.facts.retire_by_owner(changed.id, decided_by=ANN.key)
    await vault.facts.restore_by_owner(changed.id, decided_by=ANN.key)
    assert [one.get("by") for one in await acts(vault)] == [ANN.key] * 3
    before = await vault.facts.get(changed.id)
    assert before is not None
    assert [(one.begun_by, one.ended_by) for one in before.beliefs] == [(ANN.key, ANN.key), (ANN.key, None)]
    assert (await everything(vault))[0].beliefs[-1].ended_by == ANN.key
