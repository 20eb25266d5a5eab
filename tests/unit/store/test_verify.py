"""Each check of `verify` finds what it is there for, and names ids but no text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.vault import Vault


@pytest.fixture
async def talked(vault: Vault, said: Callable[..., NewTurn]) -> Vault:
    asked, _ = await vault.turns.append(said("question"))
    for text in ("one", "two"):
        await vault.turns.append(said(text, role=Role.ASSISTANT, answers=asked.id, author=None))
    await vault.turns.revise(asked.id, "question?")
    await vault.turns.hide([asked.id])
    return vault


async def test_a_good_vault_has_no_problems_and_progress_reaches_the_end(talked: Vault) -> None:
    shares: list[float] = []
    assert await talked.verify(progress=shares.append) == []
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("harm", "where", "what"),
    [
        ("UPDATE turns SET active = 1 WHERE id = 2", "turns 2", "column active"),
        ("UPDATE turns SET active = 0 WHERE id = 1", "turns 1", "column active"),
        ("UPDATE turns SET hidden = 0 WHERE id = 1", "turns 1", "column hidden"),
        ("UPDATE turns SET hidden = 1 WHERE id = 3", "turns 3", "column hidden"),
        ("UPDATE turns SET revision = 5 WHERE id = 1", "turns 1", "column revision"),
        ("UPDATE turns SET deleted = 1 WHERE id = 3", "turns 3", "still has a text"),
        ("UPDATE turns SET answers = 3 WHERE id = 2", "turns 2", "came after it"),
        ("UPDATE revisions SET number = 4", "revisions 1", "missing from the series"),
        ("INSERT INTO revisions VALUES (77, 2, 'x', 0)", "revisions", "missing row of turns"),
        ("UPDATE names SET until = since - 1", "names 1", "ends before"),
        ("DELETE FROM people", "speakers 1", "no known person"),
        ("DROP INDEX turns_day", "turns_day", "missing"),
        ("CREATE TABLE strange (a)", "strange", "does not belong"),
        ("ALTER TABLE state ADD COLUMN extra", "state", "proper form"),
    ],
)
async def test_each_kind_of_harm_is_named(talked: Vault, harm: str, where: str, what: str) -> None:
    await talked._opened.engine.write_alone(lambda c: c.execute("PRAGMA foreign_keys = OFF").close())
    await talked._opened.engine.write(lambda c: c.execute(harm).close())
    problems = await talked.verify()
    assert any(problem.where == where and what in problem.what for problem in problems), problems
    assert all(problem.how_to_mend for problem in problems)
    assert not any("question" in f"{problem}" for problem in problems)
