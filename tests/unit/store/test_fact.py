"""Facts: near-duplicates, the two clocks, supersession in three forms, restores, and what deleted turns take along."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, BugError, UserError
from familiar_app.domain.fact import Cause, Fact, FactId, NewFact, Subject
from familiar_app.domain.fact_render import render
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.projection import Dossier
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON

BEN = PersonKey("discord:2")
Say = Callable[..., NewTurn]


def day(number: float) -> datetime:
    return NOON + timedelta(days=number)


def new(text: str, *subjects: PersonKey, **changes: object) -> NewFact:
    about = tuple(Subject(key, key.partition(":")[2]) for key in subjects)
    values: dict[str, object] = {"familiar": MIRA, "origin": "rich_note", "subjects": about, **changes}
    return NewFact(text=text, **values)  # type: ignore[arg-type]


async def texts(vault: Vault, **question: object) -> list[str]:
    return [fact.text for fact in await vault.facts.page(MIRA, **question)]  # type: ignore[arg-type]


@pytest.fixture
async def turn(vault: Vault, said: Say) -> TurnId:
    stored, _ = await vault.turns.append(said("I live in Rome.", at=day(-3)))
    return stored.id


async def test_a_fact_takes_time_and_place_from_its_first_source(
    vault: Vault, turn: TurnId, channel: Channel, said: Say
) -> None:
    later, _ = await vault.turns.append(said("Really."))
    fact, created = await vault.facts.append(
        new("  Ann lives in Rome. ", ANN.key, source_turns=(later.id, turn), importance=7)
    )
    assert created
    assert fact == Fact(
        id=fact.id,
        familiar=MIRA,
        text="Ann lives in Rome.",
        subjects=(Subject(ANN.key, "1"),),
        source_turns=(turn, later.id),
        channel=channel.id,
        importance=7,
        origin="rich_note",
        valid=Interval(day(-3), None),
        beliefs=fact.beliefs,
        channel_key=channel.key,
    )
    assert (fact.created_at, fact.superseded_at, fact.superseded_by) == (NOON, None, None)
    assert [(belief.held, belief.cause) for belief in fact.beliefs] == [(Interval(NOON, None), Cause.LEARNED)]
    assert await vault.facts.get(fact.id) == fact
    people = {person.key: person for person in await vault.people.list()}
    assert ANN.key in people


async def test_the_same_again_grows_the_sources_of_the_current_fact(vault: Vault, turn: TurnId, said: Say) -> None:
    first, _ = await vault.facts.append(new("Ann lives in Rome.", ANN.key, BEN, source_turns=(turn,)))
    later, _ = await vault.turns.append(said("Still in Rome."))
    again, created = await vault.facts.append(
        new("«ann lives  in rome»", BEN, ANN.key, source_turns=(later.id,), importance=9)
    )
    assert not created
    assert (again.id, again.text, again.importance) == (first.id, "Ann lives in Rome.", None)
    assert again.source_turns == (turn, later.id)
    for other in (
        new("Ann lives in Rome.", ANN.key),
        new("Ann lives in Rome.", ANN.key, BEN, familiar=FamiliarId("bell")),
    ):
        assert (await vault.facts.append(other))[1]


async def test_a_superseded_fact_asserted_again_is_a_new_row(vault: Vault) -> None:
    first, _ = await vault.facts.append(new("Ann likes tea.", ANN.key))
    await vault.facts.supersede([first.id])
    again, created = await vault.facts.append(new("Ann likes tea.", ANN.key))
    assert created
    assert again.id != first.id
    assert await texts(vault) == ["Ann likes tea."]
    with pytest.raises(UserError, match=f"Fact {again.id} says the same"):
        await vault.facts.restore(first.id)


async def test_an_ended_fact_asserted_again_is_a_new_row(vault: Vault, clock: FixedClock) -> None:
    await vault.facts.append(new("Ann is ill.", ANN.key, valid_from=day(-9), valid_to=day(1)))
    assert not (await vault.facts.append(new("Ann is ill.", ANN.key)))[1]
    clock.instant = day(1)
    assert (await vault.facts.append(new("Ann is ill.", ANN.key)))[1]


async def test_a_correction_dated_in_the_past(vault: Vault, clock: FixedClock) -> None:
    old, _ = await vault.facts.append(new("Ann lives in Rome.", ANN.key, valid_from=day(-100)))
    clock.instant = day(10)
    moved = new("Ann has lived in Oslo.", ANN.key, valid_from=day(-50))
    outcome = await vault.facts.supersede([old.id], merged=moved)
    assert outcome.successor is not None
    assert await texts(vault) == ["Ann has lived in Oslo."]
    assert await texts(vault, as_of=day(-40)) == ["Ann has lived in Oslo.", "Ann lives in Rome."]
    assert await texts(vault, as_of=day(-60)) == ["Ann lives in Rome."]
    assert await texts(vault, known_at=day(9), as_of=day(-40)) == ["Ann lives in Rome."]
    assert await texts(vault, known_at=day(10), as_of=day(-40)) == ["Ann has lived in Oslo."]
    before = (await vault.facts.page(MIRA, known_at=day(9)))[0]
    assert (before.id, before.superseded_at, before.superseded_by) == (old.id, None, None)
    after = next(f for f in await vault.facts.page(MIRA, known_at=day(10), include_retired=True) if f.id == old.id)
    assert (after.superseded_at, after.superseded_by) == (day(10), outcome.successor.id)
    assert await texts(vault, known_at=day(-1)) == []
    assert await texts(vault, known_at=day(9), include_retired=True) == ["Ann lives in Rome."]


async def test_a_future_fact_is_current_but_not_yet_true(vault: Vault) -> None:
    await vault.facts.append(new("Ann will marry.", ANN.key, valid_from=day(30)))
    assert await texts(vault) == ["Ann will marry."]
    assert await texts(vault, as_of=day(29)) == []
    assert await texts(vault, as_of=day(30)) == ["Ann will marry."]


async def test_a_fact_that_ended_before_it_was_learned(vault: Vault, turn: TurnId) -> None:
    fact, _ = await vault.facts.append(new("Ann worked at sea.", ANN.key, valid_to=day(-500), source_turns=(turn,)))
    assert fact.valid == Interval(None, day(-500))
    assert await texts(vault) == []
    assert await texts(vault, include_retired=True) == ["Ann worked at sea."]
    assert await texts(vault, known_at=NOON) == ["Ann worked at sea."]
    assert await texts(vault, as_of=day(-501)) == ["Ann worked at sea."]
    assert await texts(vault, as_of=day(-500)) == []


async def test_a_retirement_undone_opens_a_new_interval(vault: Vault, clock: FixedClock) -> None:
    fact, _ = await vault.facts.append(new("Ann sings.", ANN.key))
    other, _ = await vault.facts.append(new("Ann dances.", ANN.key))
    clock.instant = day(10)
    await vault.facts.supersede([fact.id], by=other.id)
    clock.instant = day(20)
    restored = await vault.facts.restore(fact.id)
    assert [(belief.held, belief.cause, belief.end_cause, belief.by) for belief in restored.beliefs] == [
        (Interval(NOON, day(10)), Cause.LEARNED, Cause.SUPERSEDED, other.id),
        (Interval(day(20), None), Cause.RESTORED, None, None),
    ]
    assert (restored.created_at, restored.superseded_at, restored.superseded_by) == (NOON, None, None)
    believed = [fact.text in await texts(vault, known_at=day(n)) for n in (-1, 0, 9, 10, 19, 20)]
    assert believed == [False, True, True, False, False, True]
    gap = next(f for f in await vault.facts.page(MIRA, known_at=day(15), include_retired=True) if f.id == fact.id)
    assert (gap.superseded_at, gap.superseded_by) == (day(10), other.id)
    with pytest.raises(UserError, match="not retired"):
        await vault.facts.restore(fact.id)


async def test_supersession_reports_what_was_retired_before_and_never_rewires_it(vault: Vault) -> None:
    a, b, c, d = [(await vault.facts.append(new(f"fact {n}", ANN.key)))[0] for n in range(4)]
    await vault.facts.supersede([a.id], by=b.id)
    outcome = await vault.facts.supersede([a.id, c.id, d.id, c.id], by=d.id)
    assert (outcome.retired, outcome.skipped) == ((c.id,), (a.id, d.id))
    assert (await vault.facts.many([a.id]))[0].superseded_by == b.id
    nothing = await vault.facts.supersede([a.id], merged=new("merged", ANN.key))
    assert (nothing.successor, nothing.retired) == (None, ())
    assert "merged" not in await texts(vault)


async def test_no_circle_can_be_closed(vault: Vault) -> None:
    a, b = [(await vault.facts.append(new(f"fact {n}", ANN.key)))[0] for n in range(2)]
    await vault.facts.supersede([a.id], by=b.id)
    with pytest.raises(UserError, match="retired itself"):
        await vault.facts.supersede([b.id], by=a.id)
    await vault.facts.restore(a.id)
    await vault.facts.supersede([b.id], by=a.id)
    with pytest.raises(UserError, match="retired itself"):
        await vault.facts.supersede([a.id], by=b.id)
    history = await vault.facts.history(a.id)
    assert history is not None
    assert (history.supersedes, history.successors) == ((b.id,), ())
    assert await vault.verify() == []


async def test_a_merged_fact_may_say_what_a_prior_said(vault: Vault) -> None:
    prior, _ = await vault.facts.append(new("Ann is away.", ANN.key, valid_from=day(-1)))
    merged = new("Ann is away.", ANN.key, valid_from=day(-5), valid_to=day(5))
    outcome = await vault.facts.supersede([prior.id], merged=merged)
    assert outcome.successor is not None
    assert outcome.successor.id != prior.id
    assert outcome.successor.valid == Interval(day(-5), day(5))
    assert outcome.retired == (prior.id,)


async def test_a_supersession_that_fails_changes_nothing(vault: Vault) -> None:
    prior, _ = await vault.facts.append(new("Ann is away.", ANN.key))
    other, _ = await vault.facts.append(new("Ben is away.", BEN, familiar=FamiliarId("bell")))
    for call in (
        vault.facts.supersede([prior.id, FactId(99)]),
        vault.facts.supersede([prior.id], by=other.id),
        vault.facts.supersede([prior.id], by=FactId(99)),
        vault.facts.supersede([prior.id], merged=new(" ")),
        vault.facts.supersede([prior.id], merged=new("text", source_turns=(TurnId(99),))),
    ):
        with pytest.raises(UserError):
            await call
    with pytest.raises(BugError):
        await vault.facts.supersede([prior.id], by=other.id, merged=new("both"))
    assert await vault.facts.get(prior.id) == prior
    assert await texts(vault) == ["Ann is away."]


async def test_what_cannot_be_a_fact_is_refused(vault: Vault) -> None:
    for changes in (
        {"text": " \n"},
        {"text": "x" * 20_001},
        {"importance": 11},
        {"valid_from": day(1), "valid_to": day(1)},
    ):
        values: dict[str, object] = {"text": "fine", **changes}
        with pytest.raises(BadInputError):
            await vault.facts.append(new(str(values.pop("text")), ANN.key, **values))
    assert await texts(vault, include_retired=True) == []


async def test_system_time_never_runs_backwards_for_a_fact(vault: Vault, clock: FixedClock) -> None:
    fact, _ = await vault.facts.append(new("Ann sings.", ANN.key))
    clock.instant = day(-1)
    await vault.facts.supersede([fact.id])
    restored = await vault.facts.restore(fact.id)
    assert [belief.held for belief in restored.beliefs] == [Interval(NOON, NOON), Interval(NOON, None)]
    assert await vault.verify() == []


async def test_dossiers_of_retired_and_restored_facts_go(vault: Vault) -> None:
    fact, _ = await vault.facts.append(new("They met.", ANN.key, BEN))

    async def written() -> list[PersonKey]:
        return [one.person for one in await vault.projections.dossiers(MIRA)]

    async def write_all() -> None:
        for key in (ANN.key, BEN, PersonKey("discord:3")):
            dossier = Dossier(MIRA, key, "somebody", fact.id, NOON)
            await vault.projections.write(lambda writer, dossier=dossier: writer.put_dossier(dossier))  # type: ignore[misc]

    await write_all()
    await vault.facts.supersede([fact.id])
    assert await written() == ["discord:3"]
    await write_all()
    await vault.facts.restore(fact.id)
    assert await written() == ["discord:3"]
    assert await vault.projections.outdated_dossiers(MIRA) == [(ANN.key, 0), (BEN, 0)]


async def test_pages_go_on_where_the_last_one_ended(vault: Vault) -> None:
    made = [(await vault.facts.append(new(f"fact {n}", ANN.key if n % 2 else BEN)))[0] for n in range(10)]
    first = await vault.facts.page(MIRA, limit=4)
    second = await vault.facts.page(MIRA, limit=4, before=first[-1].id)
    assert [fact.id for fact in (*first, *second)] == [fact.id for fact in reversed(made[2:])]
    assert await texts(vault, subject=BEN) == [f"fact {n}" for n in (8, 6, 4, 2, 0)]
    assert await texts(vault, search="FACT 3") == ["fact 3"]
    assert await texts(vault, search="nothing") == []
    assert [fact.text for fact in await vault.facts.after(MIRA, made[7].id)] == ["fact 8", "fact 9"]
    assert await vault.facts.newest_id(MIRA) == made[-1].id
    assert await vault.facts.count(MIRA) == 10


async def test_a_source_cited_later_is_not_shown_in_a_look_back(
    vault: Vault, turn: TurnId, said: Say, clock: FixedClock
) -> None:
    await vault.facts.append(new("Ann lives in Rome.", ANN.key, source_turns=(turn,)))
    clock.instant = day(5)
    later, _ = await vault.turns.append(said("Rome it is."))
    await vault.facts.append(new("Ann lives in Rome.", ANN.key, source_turns=(later.id,)))
    assert [f.source_turns for f in await vault.facts.page(MIRA, known_at=day(4))] == [(turn,)]
    assert [f.source_turns for f in await vault.facts.page(MIRA, known_at=day(5))] == [(turn, later.id)]


async def test_a_scrubbed_turn_takes_along_what_rests_on_it_alone(
    vault: Vault, turn: TurnId, said: Say, clock: FixedClock
) -> None:
    other, _ = await vault.turns.append(said("Rome."))
    alone, _ = await vault.facts.append(new("Ann has a cat.", ANN.key, source_turns=(turn,)))
    both, _ = await vault.facts.append(new("Ann lives in Rome.", ANN.key, source_turns=(turn, other.id)))
    mine, _ = await vault.facts.add_by_owner(MIRA, "Ann is tall.", subjects=[ANN.key], sources=[turn])
    clock.instant = day(1)
    await vault.turns.scrub(turn)
    assert await texts(vault) == ["Ann is tall.", "Ann lives in Rome."]
    for question in ({"include_retired": True}, {"as_of": NOON}, {"known_at": NOON}, {"subject": ANN.key}):
        assert "Ann has a cat." not in await texts(vault, **question), question
    hidden = await vault.facts.get(alone.id)
    assert hidden is not None
    assert (hidden.hidden, hidden.superseded_at, hidden.source_turns) == (True, day(1), ())
    assert hidden.beliefs[-1].end_cause is Cause.SOURCE_DELETED
    assert [f.source_turns for f in await vault.facts.many([both.id, mine.id])] == [(other.id,), ()]
    with pytest.raises(UserError, match="deleted turns alone"):
        await vault.facts.restore(alone.id)
    late, _ = await vault.facts.append(new("Ann has a dog.", ANN.key, source_turns=(turn,)))
    assert late.hidden
    assert await vault.verify() == []


async def test_a_changed_name_is_noted_where_the_fact_was_learned(vault: Vault, clock: FixedClock) -> None:
    there = await vault.channels.ensure("discord:10", familiar=MIRA, guild="discord:1")  # type: ignore[arg-type]

    async def speak(at: datetime, nickname: str) -> TurnId:
        author = Author(ANN.key, "Ann", "ann", nickname=nickname)
        turn = NewTurn(there.id, Role.USER, f"I am {nickname}", at, author, guild="discord:1")
        return (await vault.turns.append(turn))[0].id

    source = await speak(NOON, "Cass")
    about = (Subject(ANN.key, "Cass"),)
    fact, _ = await vault.facts.append(NewFact(MIRA, "Cass likes tea.", "rich_note", about, (source,), importance=3))
    elsewhere, _ = await vault.facts.append(NewFact(MIRA, "Cass is tall.", "rich_note", about))
    labels = await vault.facts.labels([fact])
    assert render(fact, labels[fact.id]) == "Cass likes tea."
    await speak(day(1), "peeks")
    labels = await vault.facts.labels([fact, elsewhere])
    assert labels == {fact.id: {ANN.key: "peeks"}, elsewhere.id: {ANN.key: "Ann"}}
    assert render(fact, labels[fact.id]) == "Cass likes tea. (Cass is now known as peeks)"


async def test_listeners_hear_which_facts_a_write_touched(vault: Vault, turn: TurnId) -> None:
    heard: list[set[FactId]] = []
    stop = vault.facts.feed.listen(lambda facts: heard.append(set(facts)))
    fact, _ = await vault.facts.append(new("Ann has a cat.", ANN.key, source_turns=(turn,)))
    outcome = await vault.facts.supersede([fact.id], merged=new("Ann has a dog.", ANN.key, source_turns=(turn,)))
    assert outcome.successor is not None
    await vault.facts.restore_by_owner(fact.id)
    await vault.turns.scrub(turn)
    assert heard == [{fact.id}, {fact.id, outcome.successor.id}, {fact.id}, {fact.id, outcome.successor.id}]
    stop()
    await vault.facts.append(new("Ann has a bird.", ANN.key))
    assert len(heard) == 4


async def test_a_cancelled_write_tells_that_anything_may_have_changed(vault: Vault) -> None:
    heard: list[frozenset[FactId]] = []
    vault.facts.feed.listen(heard.append)
    task = asyncio.ensure_future(vault.facts.append(new("Ann sings.", ANN.key)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == [frozenset()]
