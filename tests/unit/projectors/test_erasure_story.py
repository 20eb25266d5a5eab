"""Erasures in vaults with a long history: whatever was told and decided, nothing of somebody is left, the rest holds.

The history comes from a model that follows rules, so facts replace each other, are undone, edited and told again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.erasure import OfPerson
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.projectors.conftest import CHEAP
from tests.unit.projectors.crash_story import CONFIG, NAMES, RuleModel, Teller
from tests.unit.projectors.erasure_reader import everything_in
from tests.unit.projectors.scene import ANN, BEN, MIRA, NOON, Scene, main_channel, make_config

PEOPLE = tuple(
    Author(PersonKey(f"discord:{number}00000{number}"), name, name.lower())
    for number, name in enumerate(("Quillon", "Bobadil", "Zephrine"), start=1)
)
REMARKS = ("home Rome", "home Oslo", "pet cat", "pet owl", "job baker", "song blue")
SAID = st.tuples(
    st.just("say"), st.integers(0, 2), st.sampled_from(REMARKS), st.one_of(st.none(), st.integers(0, 2)), st.booleans()
)
ACT = st.tuples(st.sampled_from(["project", "add", "retire", "restore", "undo", "edit", "revise", "merge", "remark"]),
                st.integers(0, 5), st.integers(0, 2))  # fmt: skip
STORY = st.lists(st.one_of(SAID, SAID, ACT), min_size=4, max_size=14)


@pytest.mark.parametrize("person", [ANN, BEN], ids=["Ann", "Ben"])
async def test_a_told_story_loses_one_of_the_two(scene: Scene, person: Author) -> None:
    teller = Teller(scene.vault, scene.clock)
    await teller.tell()
    scene.later(hours=1)
    other = BEN if person is ANN else ANN
    before = await about(scene.vault, other.key)
    await scene.vault.erasure.erase(OfPerson(person.key))
    left = await everything_in(scene.vault)
    assert person.key not in left
    assert f" {person.name.lower()}" not in left
    assert await about(scene.vault, other.key) == before
    await whole(scene.vault, scene.clock)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(story=STORY, gone=st.integers(0, 2))
async def test_whatever_was_told_nothing_is_left_and_the_rest_holds(story: Sequence[Any], gone: int) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        clock = FixedClock(NOON)
        path = Path(folder) / "vault.db"
        vault = await Vault.create(path, "three herons", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
        try:
            for step in story:
                clock.instant += timedelta(minutes=1)
                await take(vault, clock, step)
            await project(vault, clock)
            clock.instant += timedelta(minutes=1)
            await erased(vault, clock, PEOPLE[gone])
        finally:
            await vault.close()


async def erased(vault: Vault, clock: FixedClock, person: Author) -> None:
    """Erase somebody, where they are known at all, and look at what is left."""
    known = await vault.people.get(person.key)
    if known is None:
        return
    plan = await vault.erasure.plan(OfPerson(person.key))
    gone = [one for one in PEOPLE if one.key in plan.keys]
    others = [one for one in PEOPLE if one.key not in plan.keys]
    before = [await about(vault, one.key, without=gone) for one in others]
    named = {key for (key,) in await rows(vault, "SELECT person FROM names")}
    receipt = await vault.erasure.erase(OfPerson(person.key))
    assert (receipt.removed, receipt.redacted) == (plan.removed, plan.redacted)
    left = await everything_in(vault)
    for one in gone:
        assert one.key not in left
        # Of somebody who was only spoken of, the vault does not know which words are the name.
        assert one.key not in named or one.name.lower() not in left
    for one, facts in zip(others, before, strict=True):
        # What they shared with somebody who is gone is theirs alone by now.
        known = {row[0] for row in facts}
        assert [row for row in await about(vault, one.key, without=gone) if row[0] in known] == facts
    await whole(vault, clock)


async def take(vault: Vault, clock: FixedClock, step: Sequence[Any]) -> None:
    """Take one step of a story; what is not possible then is left out."""
    channel = await main_channel(vault)
    if step[0] == "say":
        _say, who, remark, named, answered = step
        text = remark if named is None else f"{remark} with {PEOPLE[named].name}"
        mentions = () if named is None else (PEOPLE[named].key,)
        new = NewTurn(channel.id, Role.USER, text, clock.now(), PEOPLE[who], mentions=mentions)
        turn, _ = await vault.turns.append(new)
        if answered:
            reply = f"So {PEOPLE[who].name} says: {text}."
            await vault.turns.append(
                NewTurn(channel.id, Role.ASSISTANT, reply, clock.now(), familiar=MIRA, answers=turn.id)
            )
        return
    name, number, who = step
    if name == "project":
        await project(vault, clock)
    elif name == "add":
        subjects = [PEOPLE[who].key, *([PEOPLE[number % 3].key] if number % 2 else [])]
        text = f"{PEOPLE[who].name} counts to {number}."
        await vault.facts.add_by_owner(MIRA, text, subjects=list(dict.fromkeys(subjects)))
    elif name == "revise":
        turns = await vault.turns.page(channel.id)
        if turns:
            await vault.turns.revise(turns[number % len(turns)].id, f"home Kyoto near {PEOPLE[who].name}")
    elif name == "merge" and number == 0:
        pages = vault.person_pages
        if all([await pages.get(MIRA, one.key) is not None for one in PEOPLE[:2]]) and len(await pages.list(MIRA)) > 2:
            await pages.merge(PEOPLE[0].key, PEOPLE[1].key, familiar=MIRA)
    else:
        await decide(vault, name, number, PEOPLE[who])


async def decide(vault: Vault, name: str, number: int, person: Author) -> None:
    """Let the owner decide something about one of the facts, where there are any."""
    facts = await vault.facts.page(MIRA, include_retired=True)
    if not facts:
        return
    fact = facts[number % len(facts)]
    if name == "remark":
        await vault.recall_marks.add(MIRA, f"what of {person.name}", "fact", fact.id)
    elif name == "retire" and fact.superseded_at is None:
        await vault.facts.retire_by_owner(fact.id)
    elif name == "restore" and fact.superseded_at is not None:
        if not any(one.text == fact.text and one.superseded_at is None for one in facts):
            await vault.facts.restore_by_owner(fact.id)
    elif name == "edit" and fact.superseded_at is None:
        text = f"{person.name} once said {fact.text}"
        subjects = (*(one for one in fact.subjects if one.key != person.key), Subject(person.key, person.name))
        await vault.facts.edit_by_owner(fact.id, NewFact(MIRA, text, "owner", subjects, fact.source_turns))
    elif name == "undo":
        cases = [one.retirement for one in await vault.retirements.page(MIRA)]
        acted = [one for one in cases if one.state == "acted"]
        if acted:
            await vault.retirements.undo(acted[0].id)


async def project(vault: Vault, clock: FixedClock) -> None:
    desk = Desk(MIRA, "Mira", vault, RuleModel(), make_config(CONFIG), clock, HashEmbedder(16))
    outcomes = await Projectors(desk).run(until_idle=True)
    assert [outcome.error for outcome in outcomes] == [None] * len(NAMES)


async def whole(vault: Vault, clock: FixedClock) -> None:
    """Nothing is wrong with the vault, and a rebuild gives the same."""
    assert await vault.verify() == []
    before = await drawn(vault)
    desk = Desk(MIRA, "Mira", vault, RuleModel(), make_config(CONFIG), clock, HashEmbedder(16))
    memory = [name for name in NAMES if not name.endswith("_embedding") and name != "people_dossier"]
    await Projectors(desk).rebuild(memory, fresh=False)
    assert await drawn(vault) == before
    assert await vault.verify() == []


async def drawn(vault: Vault) -> dict[str, list[Any]]:
    questions = {
        "facts": "SELECT * FROM facts ORDER BY id",
        "subjects": "SELECT * FROM fact_subjects ORDER BY fact, key",
        "sources": "SELECT * FROM fact_sources ORDER BY fact, turn",
        "beliefs": "SELECT fact, number, since, until, cause, end_cause, successor FROM fact_beliefs ORDER BY 1, 2",
        "retirements": "SELECT prior, successor, reason, state, never FROM retirements ORDER BY 1, 2",
        "reflections": "SELECT familiar, channel, text, created_at FROM reflections ORDER BY created_at, text",
        "summaries": "SELECT familiar, channel, text, last_turn_id FROM summaries ORDER BY channel, last_turn_id",
    }
    return {name: await rows(vault, sql) for name, sql in questions.items()}


async def about(vault: Vault, person: PersonKey, *, without: Sequence[Author] = ()) -> list[Any]:
    """Return the facts about somebody that rest on nobody else's word and name nobody else, with their beliefs."""
    names = [one.name for one in without] or ["—"]
    sql = """SELECT f.id, f.text, f.created_at, f.valid_from, f.superseded_at FROM facts f
        JOIN fact_subjects s ON s.fact = f.id WHERE s.key = ?1 AND f.hidden = 0
        AND (SELECT count(*) FROM fact_subjects o WHERE o.fact = f.id) = 1
        AND NOT EXISTS (SELECT 1 FROM fact_sources c JOIN turns t ON t.id = c.turn
            LEFT JOIN speakers p ON p.id = t.speaker WHERE c.fact = f.id AND p.key IS NOT ?1) ORDER BY f.id"""
    found = await rows(vault, sql, person)
    return [row for row in found if not any(name in row[1] for name in [*names, "someone"])]


async def rows(vault: Vault, sql: str, *values: object) -> list[Any]:
    return await vault.projections._engine.read(lambda connection: connection.execute(sql, values).fetchall())
