"""Marks are operator turns: they outlive every table, find facts under new numbers, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.recall_mark import MarkId
from familiar_app.domain.turn import NewTurn
from familiar_app.store.vault import Vault
from tests.unit.store.test_owner_act import acts, empty, new
from tests.unit.store.vault_maker import MIRA, NOON


async def test_a_mark_is_kept_in_the_log_and_taken_back_there(vault: Vault, said: Callable[..., NewTurn]) -> None:
    turn, _ = await vault.turns.append(said("My cat is called Miso."))
    fact, _ = await vault.facts.append(new("Ann has a cat."))
    first = await vault.recall_marks.add(MIRA, " What is my cat called? ", "turn", turn.id)
    second = await vault.recall_marks.add(MIRA, "pets", "fact", fact.id)
    assert (first.cue, first.kind, first.target, first.marked_at) == ("What is my cat called?", "turn", turn.id, NOON)
    assert await vault.recall_marks.list(MIRA) == [first, second]
    assert await vault.recall_marks.list(FamiliarId("bell")) == []
    await vault.recall_marks.remove(MIRA, first.id)
    assert await vault.recall_marks.list(MIRA) == [second]
    assert [act["act"] for act in await acts(vault)] == ["recall_mark", "recall_mark", "recall_unmark"]
    with pytest.raises(UserError, match="no mark"):
        await vault.recall_marks.remove(MIRA, first.id)
    # The acts about facts are replayed without stumbling over marks.
    assert (await vault.facts.replay_owner_acts(MIRA)).lost == 0
    assert await vault.verify() == []


async def test_a_mark_finds_its_fact_under_another_number(vault: Vault) -> None:
    fact, _ = await vault.facts.append(new("Ann has a cat."))
    mark = await vault.recall_marks.add(MIRA, "pets", "fact", fact.id)
    await empty(vault, "facts")
    assert [one.target for one in await vault.recall_marks.list(MIRA)] == [None]
    await vault.facts.append(new("Ann has a dog."))
    again, _ = await vault.facts.append(new("ann has a cat"))
    assert again.id != fact.id
    assert [(one.id, one.target) for one in await vault.recall_marks.list(MIRA)] == [(mark.id, again.id)]


@pytest.mark.parametrize(("cue", "kind", "target"), [(" ", "fact", 1), ("x", "fact", 9), ("x", "turn", 9)])
async def test_what_is_not_there_cannot_be_marked(vault: Vault, cue: str, kind: str, target: int) -> None:
    await vault.facts.append(new("Ann has a cat."))
    with pytest.raises(UserError):
        await vault.recall_marks.add(MIRA, cue, kind, target)  # type: ignore[arg-type]
    assert await acts(vault) == []
    with pytest.raises(UserError):
        await vault.recall_marks.remove(MIRA, MarkId(1))
