"""The inbox of retirements: waiting, accepted, refused, undone, barred for ever; all of it survives a rebuild."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact
from familiar_app.domain.projection import NewReflection, NewRetirement, Retirement, RetirementState
from familiar_app.domain.turn import NewTurn
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.retirement_inbox import RetirementCounts
from familiar_app.store.vault import Vault
from tests.unit.store.test_owner_act import acts, empty, new
from tests.unit.store.vault_maker import ANN, MIRA, NOON

HOUR = timedelta(hours=1)


async def propose(vault: Vault, prior: Fact, successor: Fact, *, act: bool = False) -> Retirement | None:
    proposal = NewRetirement(MIRA, prior.id, successor.id, "She moved.", "fact_supersede")
    return await vault.projections.write(lambda writer: writer.propose_retirement(proposal, NOON + HOUR, act=act))


@pytest.fixture
async def homes(vault: Vault, clock: FixedClock) -> tuple[Fact, Fact]:
    rome, _ = await vault.facts.append(new("Ann lives in Rome."))
    clock.instant += HOUR
    oslo, _ = await vault.facts.append(new("Ann lives in Oslo."))
    return rome, oslo


async def test_a_proposal_waits_and_tells_what_hangs_on_it(
    vault: Vault, homes: tuple[Fact, Fact], clock: FixedClock, said: Callable[..., NewTurn]
) -> None:
    rome, oslo = homes
    turn, _ = await vault.turns.append(said("I live in Rome."))
    thought = NewReflection(MIRA, "She is settled.", None, (turn.id,), (rome.id,), turn.id, rome.id)

    def think(writer: MemoryWriter) -> None:
        writer.add_reflection(thought, NOON)

    await vault.projections.write(think)
    assert await vault.retirements.counts(MIRA) == RetirementCounts(0, 0, 0)
    logged = await propose(vault, rome, oslo)
    assert logged is not None
    (case,) = await vault.retirements.page(MIRA, state=RetirementState.WAITING)
    assert (case.retirement, case.reflections, case.dossiers, case.unseen) == (logged, 1, (ANN.key,), True)
    assert case.labels[rome.id] == {ANN.key: await vault.people.label(ANN.key)}
    assert (await vault.facts.get(rome.id)) == rome
    assert await vault.retirements.counts(MIRA) == RetirementCounts(1, 1, 1)
    await vault.retirements.mark_seen(MIRA, clock.now())
    assert await vault.retirements.counts(MIRA) == RetirementCounts(1, 0, 1)
    retired = await vault.retirements.accept(logged.id)
    assert (retired.superseded_by, retired.superseded_at) == (oslo.id, clock.now())
    assert await vault.retirements.counts(MIRA) == RetirementCounts(0, 0, 1)
    assert await vault.retirements.page(MIRA, state=RetirementState.WAITING) == []


async def test_what_was_refused_is_not_proposed_again_under_any_number(
    vault: Vault, homes: tuple[Fact, Fact], clock: FixedClock
) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo)
    assert logged is not None
    await vault.retirements.refuse(logged.id)
    with pytest.raises(UserError, match="refused already"):
        await vault.retirements.accept(logged.id)
    # Both are forgotten and said again: other numbers, the same matter.
    for fact in homes:
        await vault.facts.retire_by_owner(fact.id)
    clock.instant += HOUR
    again = [(await vault.facts.append(new(fact.text)))[0] for fact in homes]
    assert [fact.id for fact in again] == [3, 4]
    assert await propose(vault, again[0], again[1], act=True) is None
    assert await vault.projections.is_barred(again[0].id, again[1].id)
    assert not await vault.projections.is_barred(again[1].id, again[0].id)
    assert (await vault.facts.get(again[0].id)) == again[0]


async def test_never_bars_both_orders_and_gives_back_what_was_retired(vault: Vault, homes: tuple[Fact, Fact]) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo, act=True)
    assert logged is not None
    assert (await vault.retirements.never(logged.id)).superseded_at is None
    (case,) = await vault.retirements.page(MIRA)
    assert (case.retirement.state, case.retirement.never, case.retirement.barred) == (
        RetirementState.UNDONE,
        True,
        True,
    )
    assert await propose(vault, oslo, rome, act=True) is None
    # A second time changes nothing but the log.
    await vault.retirements.never(logged.id)
    assert [act["act"] for act in await acts(vault)] == ["retirement_never", "retirement_never"]
    assert await vault.verify() == []


async def test_undoing_where_the_same_was_said_again_meanwhile_only_bars(
    vault: Vault, homes: tuple[Fact, Fact], clock: FixedClock
) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo, act=True)
    assert logged is not None
    clock.instant += HOUR
    again, created = await vault.facts.append(new("Ann lives in Rome."))
    assert created
    assert (await vault.retirements.undo(logged.id)).superseded_by == oslo.id
    assert [fact.id for fact in await vault.facts.page(MIRA)] == [again.id, oslo.id]
    assert await vault.projections.is_barred(again.id, oslo.id)


async def test_accepting_what_somebody_else_retired_is_refused(vault: Vault, homes: tuple[Fact, Fact]) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo)
    assert logged is not None
    await vault.facts.retire_by_owner(rome.id)
    with pytest.raises(UserError, match="retired already"):
        await vault.retirements.accept(logged.id)
    assert len(await acts(vault)) == 1


@pytest.mark.parametrize("decision", ["accept", "refuse", "undo", "never"])
async def test_a_decision_survives_when_the_tables_are_emptied(
    vault: Vault, homes: tuple[Fact, Fact], clock: FixedClock, decision: str
) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo, act=decision == "undo")
    assert logged is not None
    clock.instant += HOUR
    await getattr(vault.retirements, decision)(logged.id)
    before = await vault.facts.page(MIRA, include_retired=True)
    decided = (await vault.retirements.page(MIRA))[0].retirement
    await empty(vault, "facts", "retirements")
    clock.instant = NOON
    for fact in homes:
        await vault.facts.append(new(fact.text))
        clock.instant += HOUR
    await vault.projections.write(lambda w: w.empty("retirements", MIRA))
    back = [fact.id for fact in await vault.facts.page(MIRA)]
    assert len(back) == 2
    proposal = NewRetirement(MIRA, back[1], back[0], "She moved.", "fact_supersede")
    await vault.projections.write(lambda w: w.propose_retirement(proposal, NOON + HOUR, act=decision == "undo"))
    assert (await vault.facts.replay_owner_acts(MIRA)).done == 1
    after = (await vault.retirements.page(MIRA))[0].retirement
    assert (after.state, after.never, after.reason, after.decided_at) == (
        decided.state, decided.never, "She moved.", decided.decided_at,
    )  # fmt: skip
    held = [[belief.held for belief in fact.beliefs] for fact in await vault.facts.page(MIRA, include_retired=True)]
    assert held == [[belief.held for belief in fact.beliefs] for fact in before]


@pytest.mark.parametrize(("decision", "acted"), [("accept", False), ("refuse", False), ("undo", True), ("never", True)])
async def test_a_decision_is_taken_back_and_stays_so(
    vault: Vault, homes: tuple[Fact, Fact], clock: FixedClock, decision: str, acted: bool
) -> None:
    rome, oslo = homes
    logged = await propose(vault, rome, oslo, act=acted)
    assert logged is not None
    clock.instant += HOUR
    await getattr(vault.retirements, decision)(logged.id)
    clock.instant += HOUR
    fact = await vault.retirements.reopen(logged.id)
    assert fact.superseded_by == (oslo.id if acted else None)
    (case,) = await vault.retirements.page(MIRA)
    assert (case.retirement.state, case.retirement.never) == (
        RetirementState.ACTED if acted else RetirementState.WAITING,
        False,
    )
    assert not await vault.projections.is_barred(rome.id, oslo.id)
    # A replay over tables that are whole comes to the same end.
    await vault._opened.engine.write(lambda c: c.execute("DELETE FROM watermarks WHERE projector = 'owner'").close())
    await vault.facts.replay_owner_acts(MIRA)
    assert (await vault.facts.get(rome.id)) == fact
    (again,) = await vault.retirements.page(MIRA)
    assert (again.retirement.state, again.retirement.barred) == (case.retirement.state, False)
    assert await vault.verify() == []


async def test_where_nothing_was_decided_nothing_is_taken_back(vault: Vault, homes: tuple[Fact, Fact]) -> None:
    logged = await propose(vault, *homes)
    assert logged is not None
    with pytest.raises(UserError, match="no decision"):
        await vault.retirements.reopen(logged.id)
    assert await acts(vault) == []
