"""What projectors keep: one transaction a tick, watermarks that go with their rows, the ledger, the inbox."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId, NewFact, Subject
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.projection import (
    Dossier,
    NewAnswer,
    NewReflection,
    NewRetirement,
    Retirement,
    RetirementState,
    Summary,
    Watermark,
)
from familiar_app.domain.turn import Channel, NewTurn
from familiar_app.store.connection import connect
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON

BELL = FamiliarId("bell")
DAY = timedelta(days=1)


def new(text: str, **changes: object) -> NewFact:
    values: dict[str, object] = {"familiar": MIRA, "origin": "rich_note", "subjects": (Subject(ANN.key, "Ann"),)}
    return NewFact(text=text, **{**values, **changes})  # type: ignore[arg-type]


def answer(text: str, **changes: object) -> NewAnswer:
    values: dict[str, object] = {
        "projector": "rich_note", "version": 1, "familiar": MIRA, "first": 1, "last": 10, "model": "scripted",
        "at": NOON, "tokens": 7,
    }  # fmt: skip
    return NewAnswer(answer=text, **{**values, **changes})  # type: ignore[arg-type]


def mark(projector: str, speaks_of: str, familiar: FamiliarId = MIRA, scope: str = "") -> Watermark:
    return Watermark(projector, familiar, 10, speaks_of, NOON, scope)


async def by_hand(vault: Vault, statement: str) -> None:
    """Change the vault as somebody with a shell would: references are not enforced there."""
    connection = connect(vault.path, vault.data_key())
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement)
    connection.close()


async def pair(vault: Vault) -> tuple[Fact, Fact]:
    first, _ = await vault.facts.append(new("Ann lives in Rome."))
    second, _ = await vault.facts.append(new("Ann lives in Oslo."))
    return first, second


async def propose(vault: Vault, prior: Fact, successor: Fact, *, act: bool = True) -> Retirement | None:
    proposal = NewRetirement(MIRA, prior.id, successor.id, "She moved.", "fact_supersede")
    return await vault.projections.write(lambda writer: writer.propose_retirement(proposal, NOON, act=act))


async def test_a_tick_is_stored_as_a_whole_or_not_at_all(vault: Vault) -> None:
    def work(writer: MemoryWriter) -> Fact:
        kept = writer.record_answer(answer("[…]"))
        fact, _ = writer.append_fact(new("Ann sings."), NOON, answer=kept.id, item=0)
        writer.set_watermark(mark("rich_note", "facts"))
        return fact

    def failing(writer: MemoryWriter) -> None:
        work(writer)
        writer.append_fact(new("Ann dances.", source_turns=(TurnId(99),)), NOON)

    with pytest.raises(UserError):
        await vault.projections.write(failing)
    assert await vault.projections.answers("rich_note", MIRA) == []
    assert await vault.projections.watermark("rich_note", MIRA) is None
    fact = await vault.projections.write(work)
    assert await vault.facts.page(MIRA) == [fact]
    assert await vault.projections.watermark("rich_note", MIRA) == mark("rich_note", "facts")


async def test_the_ledger_is_read_in_order_until_it_is_void(vault: Vault) -> None:
    def record(writer: MemoryWriter) -> None:
        for number in range(3):
            writer.record_answer(answer(f"answer {number}", first=number, last=number, scope=f"s{number % 2}"))
        writer.record_answer(answer("of another", familiar=BELL))
        writer.record_answer(answer("again", first=1, last=1, scope="s1"))

    await vault.projections.write(record)
    ledger = vault.projections
    kept = await ledger.answers("rich_note", MIRA)
    assert [one.answer for one in kept] == ["answer 0", "answer 1", "answer 2", "again"]
    assert [one.answer for one in await ledger.answers("rich_note", MIRA, scope="s0")] == ["answer 0", "answer 2"]
    assert [one.answer for one in await ledger.answers("rich_note", MIRA, after=kept[1].id, limit=1)] == ["answer 2"]
    found = await ledger.answer_for("rich_note", MIRA, 1, 1, scope="s1")
    assert found is not None
    assert (found.answer, found.tokens, found.at, found.version, found.void) == ("again", 7, NOON, 1, False)
    assert await ledger.answer_for("rich_note", MIRA, 1, 2, scope="s1") is None
    await ledger.write(lambda writer: writer.void_answers("rich_note", MIRA, NOON))
    assert await ledger.answers("rich_note", MIRA) == []
    assert [one.answer for one in await ledger.answers("rich_note", BELL)] == ["of another"]
    assert await ledger.tokens_used("rich_note", MIRA) == 28


async def test_an_emptied_table_takes_its_watermarks_along(vault: Vault, channel: Channel) -> None:
    await pair(vault)
    await vault.facts.append(new("Ann sings.", familiar=BELL))

    def marks(writer: MemoryWriter) -> None:
        writer.set_watermark(mark("rich_note", "facts"))
        writer.set_watermark(mark("rich_note", "facts", BELL))
        writer.set_watermark(mark("fact_supersede", "retirements"))
        writer.set_watermark(mark("rolling_summary", "summaries", scope=str(channel.id)))
        writer.set_watermark(mark("rolling_summary", "summaries", scope="77"))
        writer.set_watermark(mark("reflection", "reflections"))
        writer.set_watermark(mark("mine", "nothing"))
        writer.add_summary(Summary(MIRA, channel.id, "They talked.", TurnId(10), NOON))
        writer.add_reflection(NewReflection(MIRA, "Hm.", None, (), (FactId(1),), TurnId(0), 1), NOON)

    async def left() -> list[str]:
        return [f"{one.projector} {one.scope}".strip() for one in await vault.projections.watermarks(MIRA)]

    await vault.projections.write(marks)
    everything = await left()
    await by_hand(vault, "DELETE FROM facts WHERE id = 1")
    assert await left() == everything
    await by_hand(vault, "DELETE FROM facts WHERE familiar = 'mira'")
    assert await left() == ["mine", "reflection", f"rolling_summary {channel.id}", "rolling_summary 77"]
    assert len(await vault.projections.watermarks(BELL)) == 1
    await by_hand(vault, "DELETE FROM facts")
    assert await vault.projections.watermarks(BELL) == []
    await by_hand(vault, "DELETE FROM summaries")
    assert await left() == ["mine", "reflection", "rolling_summary 77"]
    await by_hand(vault, "DELETE FROM reflections")
    assert await left() == ["mine", "rolling_summary 77"]
    assert await vault.verify() == []


async def test_an_item_of_an_answer_keeps_its_fact_number(vault: Vault) -> None:
    kept = await vault.projections.write(lambda writer: writer.record_answer(answer("[…]")))

    def replay(writer: MemoryWriter) -> list[FactId]:
        texts = ("one", "two", "one")
        return [writer.append_fact(new(t), kept.at, answer=kept.id, item=n)[0].id for n, t in enumerate(texts)]

    first = await vault.projections.write(replay)
    assert first == [1, 2, 1]
    before = await vault.facts.page(MIRA)
    await by_hand(vault, "DELETE FROM facts")
    between, _ = await vault.facts.append(new("in between"))
    assert between.id == 3
    assert await vault.projections.write(replay) == first
    assert [fact for fact in await vault.facts.page(MIRA) if fact.id != between.id] == before


async def test_dossiers_are_replaced_and_never_by_nothing(vault: Vault) -> None:
    first, second = await pair(vault)
    assert await vault.projections.outdated_dossiers(MIRA) == [(ANN.key, 0)]
    put = vault.projections.write
    await put(lambda writer: writer.put_dossier(Dossier(MIRA, ANN.key, "Ann.", first.id, NOON)))
    assert await vault.projections.outdated_dossiers(MIRA) == [(ANN.key, first.id)]
    await put(lambda writer: writer.put_dossier(Dossier(MIRA, ANN.key, "Ann of Oslo.", second.id, NOON)))
    await put(lambda writer: writer.put_dossier(Dossier(MIRA, ANN.key, " ", 99, NOON)))
    assert await vault.projections.dossier(MIRA, ANN.key) == Dossier(MIRA, ANN.key, "Ann of Oslo.", second.id, NOON)
    assert await vault.projections.outdated_dossiers(MIRA) == []


async def test_a_summary_reads_as_it_stood(vault: Vault, channel: Channel) -> None:
    for number, text in enumerate(("first", "second", "")):
        summary = Summary(MIRA, channel.id, text, TurnId(number), NOON + number * DAY)
        await vault.projections.write(lambda writer, summary=summary: writer.add_summary(summary))  # type: ignore[misc]
    now = await vault.projections.summary(MIRA, channel.id)
    then = await vault.projections.summary(MIRA, channel.id, known_at=NOON + DAY / 2)
    assert now is not None
    assert then is not None
    assert (now.text, now.last_turn_id, then.text) == ("second", 1, "first")
    assert await vault.projections.summary(MIRA, channel.id, known_at=NOON - DAY) is None


async def test_reflections_keep_valid_citations_and_grow_stale(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    turn, _ = await vault.turns.append(said("Hello."))
    fact, other = await pair(vault)

    async def reflect(text: str, turns: tuple[int, ...], facts: tuple[int, ...], where: object = None) -> object:
        thought = NewReflection(MIRA, text, where, turns, facts, turn.id, other.id)  # type: ignore[arg-type]
        return await vault.projections.write(lambda writer: writer.add_reflection(thought, NOON))

    assert await reflect("nothing", (99,), (99,)) is None
    assert await reflect("both", (turn.id, 99), (fact.id,)) is not None
    assert await reflect("here", (turn.id,), (), channel.id) is not None
    newest = await vault.projections.reflections(MIRA)
    assert [(one.text, one.cited_turns, one.cited_facts, one.stale) for one in newest] == [
        ("here", (turn.id,), (), False),
        ("both", (turn.id,), (fact.id,), False),
    ]
    await vault.facts.supersede([fact.id])
    assert [one.stale for one in await vault.projections.reflections(MIRA)] == [False, True]
    other_channel = await vault.channels.ensure("local:side", familiar=MIRA)  # type: ignore[arg-type]
    assert [one.text for one in await vault.projections.reflections(MIRA, channel=other_channel.id)] == ["both"]
    await vault.turns.scrub(turn.id)
    assert [(one.text, one.cited_turns) for one in await vault.projections.reflections(MIRA)] == [("both", ())]


async def test_a_retirement_acts_at_once_and_is_undone_for_good(vault: Vault, clock: FixedClock) -> None:
    prior, successor = await pair(vault)
    logged = await propose(vault, prior, successor)
    assert logged is not None
    assert (logged.prior.superseded_by, logged.state, logged.reason) == (
        successor.id, RetirementState.ACTED, "She moved.",
    )  # fmt: skip
    assert [one.id for one in await vault.projections.retirements(MIRA)] == [logged.id]
    clock.instant = NOON + DAY
    restored = await vault.facts.undo_retirement(logged.id)
    assert restored.superseded_at is None
    undone = (await vault.projections.retirements(MIRA))[0]
    assert (undone.state, undone.decided_at, undone.decided_by) == (
        RetirementState.UNDONE, NOON + DAY, "local:owner",
    )  # fmt: skip
    assert await vault.projections.is_barred(prior.id, successor.id)
    again = await propose(vault, prior, successor)
    assert again is not None
    assert again.state is RetirementState.UNDONE
    assert len(await vault.facts.page(MIRA)) == 2
    with pytest.raises(UserError, match="undone already"):
        await vault.facts.undo_retirement(logged.id)


async def test_a_retirement_can_wait_for_the_owner(vault: Vault) -> None:
    prior, successor = await pair(vault)
    third, _ = await vault.facts.append(new("Ann lives in Bergen."))
    one = await propose(vault, prior, third, act=False)
    two = await propose(vault, successor, third, act=False)
    assert one is not None
    assert two is not None
    assert len(await vault.facts.page(MIRA)) == 3
    waiting = await vault.projections.retirements(MIRA, state=RetirementState.WAITING)
    assert [each.id for each in waiting] == [two.id, one.id]
    assert (await vault.facts.accept_retirement(one.id)).superseded_by == third.id
    assert (await vault.facts.refuse_retirement(two.id)).superseded_at is None
    states = [each.state for each in await vault.projections.retirements(MIRA)]
    assert states == [RetirementState.REFUSED, RetirementState.ACTED]
    assert await propose(vault, successor, third) is None
    assert [each.id for each in await vault.projections.retirements(MIRA, before=two.id)] == [one.id]


async def test_a_proposal_that_is_moot_is_not_logged(vault: Vault) -> None:
    prior, successor = await pair(vault)
    await vault.facts.supersede([prior.id])
    assert await propose(vault, prior, successor) is None
    assert await propose(vault, successor, prior) is None
    assert await propose(vault, successor, successor) is None
    assert await vault.projections.retirements(MIRA) == []


async def test_a_restore_by_the_owner_bars_the_proposal_that_retired_the_fact(vault: Vault) -> None:
    prior, successor = await pair(vault)
    await propose(vault, prior, successor)
    await vault.facts.restore_by_owner(prior.id)
    assert await vault.projections.is_barred(prior.id, successor.id)
