"""Each check of the tables of facts finds what it is there for, and names ids but no text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import TurnId
from familiar_app.domain.projection import NewReflection
from familiar_app.domain.turn import NewTurn
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON


@pytest.fixture
async def believing(vault: Vault, said: Callable[..., NewTurn], clock: FixedClock) -> Vault:
    """Fact 1 was replaced by 2, believed again, and retired; fact 2 is believed; both rest on turn 1."""
    turn, _ = await vault.turns.append(said("secret words"))
    about = (Subject(ANN.key, "Ann"),)
    for text in ("secret one", "secret two"):
        await vault.facts.append(NewFact(MIRA, text, "rich_note", about, (turn.id,), valid_to=NOON + timedelta(9)))
    first, second = (fact.id for fact in reversed(await vault.facts.page(MIRA)))
    clock.instant = NOON + timedelta(1)
    await vault.facts.supersede([first], by=second)
    clock.instant = NOON + timedelta(2)
    await vault.facts.restore(first)
    clock.instant = NOON + timedelta(3)
    await vault.facts.supersede([first], by=second)
    thought = NewReflection(MIRA, "secret thought", None, (turn.id,), (first,), TurnId(1), 2)
    await vault.projections.write(lambda writer: writer.add_reflection(thought, NOON))
    return vault


async def test_good_facts_have_no_problems(believing: Vault) -> None:
    assert await believing.verify() == []


@pytest.mark.parametrize(
    ("harm", "where", "what"),
    [
        ("UPDATE facts SET text = 'secret other' WHERE id = 2", "facts 2", "another identity"),
        ("UPDATE facts SET identity = x'00' WHERE id = 1", "facts 1", "another identity"),
        ("UPDATE fact_subjects SET key = 'discord:9' WHERE fact = 2", "facts 2", "another identity"),
        ("UPDATE facts SET created_at = created_at - 1 WHERE id = 1", "facts 1", "another time than its first belief"),
        ("UPDATE facts SET superseded_at = NULL, superseded_by = NULL WHERE id = 1", "facts 1", "ends otherwise"),
        ("UPDATE facts SET superseded_by = NULL WHERE id = 1", "facts 1", "ends otherwise"),
        ("UPDATE facts SET superseded_at = superseded_at + 1 WHERE id = 1", "facts 1", "ends otherwise"),
        ("UPDATE facts SET beliefs = 1 WHERE id = 1", "facts 1", "another number of beliefs"),
        ("DROP TRIGGER fact_beliefs_emptied; DELETE FROM fact_beliefs WHERE fact = 2", "facts 2",
         "another time than its first belief"),
        ("UPDATE facts SET valid_from = valid_to WHERE id = 2", "facts 2", "ends in the world before"),
        ("UPDATE facts SET superseded_by = 1 WHERE id = 1", "facts 1", "replaced by itself"),
        ("UPDATE facts SET superseded_by = 1 WHERE id = 2", "facts 1", "in a circle"),
        ("UPDATE facts SET superseded_by = 1 WHERE id = 2", "facts 2", "replaced but not retired"),
        ("UPDATE facts SET familiar = 'bell' WHERE id = 2", "facts 1", "another familiar"),
        ("UPDATE facts SET hidden = 1 WHERE id = 2", "facts 2", "hidden but still believed"),
        ("UPDATE fact_blocks SET created_from = created_from + 1", "facts 1", "bounds of its block"),
        ("UPDATE fact_blocks SET believed_to = 0", "facts 2", "bounds of its block"),
        ("DROP TRIGGER fact_blocks_emptied; DELETE FROM fact_blocks", "facts 1", "bounds of its block"),
        ("UPDATE fact_subjects SET superseded_at = NULL WHERE fact = 1", "fact_subjects 1", "other times"),
        ("UPDATE fact_subjects SET familiar = 'bell' WHERE fact = 1", "fact_subjects 1", "other times"),
        ("UPDATE turns SET deleted = 1, content = '' WHERE id = 1", "fact_sources 1", "deleted turn"),
        ("UPDATE fact_beliefs SET until = since - 1 WHERE fact = 1 AND number = 1", "fact_beliefs 1", "ends before"),
        ("UPDATE fact_beliefs SET until = NULL WHERE fact = 1 AND number = 1", "fact_beliefs 1", "is open before"),
        ("UPDATE fact_beliefs SET end_cause = 'retired' WHERE fact = 2", "fact_beliefs 2", "end has a cause"),
        ("UPDATE fact_beliefs SET since = 0 WHERE fact = 1 AND number = 2", "fact_beliefs 1", "begins before"),
        ("INSERT INTO fact_sources VALUES (1, 77, 0, NULL)", "fact_sources", "missing row of turns"),
        ("INSERT INTO fact_beliefs (fact, number, since, cause) VALUES (9, 1, 0, 'learned')", "fact_beliefs",
         "missing row of facts"),
        ("DROP TRIGGER reflection_turns_emptied; DROP TRIGGER reflection_facts_emptied; DELETE FROM reflection_turns; "
             "DELETE FROM reflection_facts", "reflections 1", "cites nothing"),
        ("DROP TRIGGER facts_emptied", "facts_emptied", "missing"),
    ],
)  # fmt: skip
async def test_each_kind_of_harm_is_named(believing: Vault, harm: str, where: str, what: str) -> None:
    await believing._opened.engine.write_alone(lambda c: c.execute("PRAGMA foreign_keys = OFF").close())
    for statement in harm.split(";"):
        await believing._opened.engine.write(lambda c, statement=statement: c.execute(statement).close())  # type: ignore[misc]
    problems = await believing.verify()
    assert any(problem.where == where and what in problem.what for problem in problems), problems
    assert all(problem.how_to_mend for problem in problems)
    assert not any("secret" in f"{problem}" for problem in problems)
