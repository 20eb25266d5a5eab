"""The inbox without a window: pages, what is new, what can be done to what, and what follows in words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.projection import RetirementState
from familiar_app.store.vault import Vault
from familiar_app.ui.inbox.model import PAGE, InboxModel, can, pair_of
from familiar_app.ui.inbox.word import belief_texts, consequences, decision_text, names, state_text, world_text
from tests.ui.memory_scene import tell_retirements
from tests.ui.timeline_scene import MIRA, NOW, new_vault


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    made = await new_vault(tmp_path, FixedClock(NOW))
    yield made
    await made.close()


def model_of(vault: Vault) -> InboxModel:
    return InboxModel(MIRA, "Mira", vault.retirements, vault.facts, FixedClock(NOW), UTC)


async def test_what_came_since_the_last_look_stays_new_until_one_leaves(vault: Vault) -> None:
    await tell_retirements(vault, FixedClock(NOW))
    model = model_of(vault)
    await model.count()
    assert (model.counts.waiting, model.counts.unseen, model.badge) == (1, 3, 3)
    await model.load()
    await model.seen()
    await model.load()
    assert [model.is_new(one) for one in model.cases] == [True, True, True]
    assert model.badge == 1
    model.leave()
    await model.load()
    assert [model.is_new(one) for one in model.cases] == [False, False, False]


async def test_pages_follow_each_other_without_gap(vault: Vault) -> None:
    await tell_retirements(vault, FixedClock(NOW), more=PAGE)
    model = model_of(vault)
    await model.load()
    assert (len(model.cases), model.more) == (PAGE, True)
    await model.load_more()
    assert (len(model.cases), model.more) == (PAGE + 3, False)
    numbers = [one.retirement.id for one in model.cases]
    assert numbers == sorted(set(numbers), reverse=True)
    await model.load()
    assert len(model.cases) == PAGE + 3


async def test_a_search_looks_beyond_the_page(vault: Vault) -> None:
    await tell_retirements(vault, FixedClock(NOW), more=PAGE)
    model = model_of(vault)
    model.query = "oslo rome"
    await model.load()
    assert [one.retirement.prior.text for one in model.cases] == ["Ann lives in Oslo."]
    model.query = "where she LIVES now"
    await model.load()
    assert len(model.cases) == 1


async def test_what_can_be_done_follows_how_it_stands(vault: Vault) -> None:
    await tell_retirements(vault, FixedClock(NOW))
    model = model_of(vault)
    await model.load()
    waiting, acted, _ = model.cases
    deeds = ("accept", "refuse", "undo", "never")
    assert [can(deed, waiting) for deed in deeds] == [True, True, False, True]
    assert [can(deed, acted) for deed in deeds] == [False, False, True, True]
    model.choose(pair_of(one) for one in model.cases)
    assert (len(model.fit_for("accept")), len(model.fit_for("undo"))) == (1, 2)
    outcome = await model.do("never", [acted])
    barred = next(one for one in model.cases if pair_of(one) == pair_of(acted))
    assert [can(deed, barred) for deed in deeds] == [False, False, False, False]
    assert state_text(barred, new=False) == "Taken back, never again"
    assert outcome.text == "One proposal barred from each other for ever."
    await model.take_back(outcome)
    again = next(one for one in model.cases if pair_of(one) == pair_of(acted)).retirement
    assert (again.state, again.never, again.barred) == (RetirementState.ACTED, False, False)
    assert again.prior.superseded_by == acted.retirement.successor.id


async def test_what_follows_in_words(vault: Vault) -> None:
    await tell_retirements(vault, FixedClock(NOW))
    model = model_of(vault)
    await model.load()
    waiting, _, oslo = model.cases
    assert names(oslo, MIRA, "Mira") == ("Ann",)
    assert consequences(oslo, ("Ann",))[:2] == [
        "The portrait of Ann is written anew without the older fact.",
        "One reflection rests on the older fact: marked stale, and kept.",
    ]
    assert consequences(waiting, ("Ben",))[0] == "The portrait of Ben would be written anew without the older fact."
    assert world_text(oslo.retirement.prior, UTC) == "True in the world: 2023-07-06 12:00 – open"
    assert belief_texts(oslo.retirement.prior, UTC) == ["Believed: 2023-07-06 12:00 – 2024-02-02 12:00"]
    assert decision_text(oslo.retirement, UTC) == (
        "Proposed by the model on 2024-02-02 12:00. Replaced at once on 2024-02-02 12:00."
    )
    done = await model.do("accept", [waiting])
    assert done.text == "One proposal replaced."
    accepted = next(one for one in model.cases if pair_of(one) == pair_of(waiting))
    assert accepted.retirement.state is RetirementState.ACTED
    assert decision_text(accepted.retirement, UTC).endswith("Replaced by you on 2024-05-01 12:00.")


async def test_sources_lead_to_their_turn(vault: Vault) -> None:
    told = await tell_retirements(vault, FixedClock(NOW))
    source = model_of(vault).sources
    (ann,) = await source(told["oslo"].id)
    assert (ann.text, ann.when) == ("Ann: Ann lives in Oslo.", "2023-07-06 12:00")
    assert ann.key == f"1:{told['oslo'].source_turns[0]}"
    (own,) = await source(told["stance"].id)
    assert own.text.startswith("Mira: ")


async def test_what_is_taken_back_is_found_by_its_facts(vault: Vault) -> None:
    """A rebuild numbers the proposals anew."""
    await tell_retirements(vault, FixedClock(NOW))
    model = model_of(vault)
    await model.load()
    outcome = await model.do("refuse", [model.cases[0]])
    await vault._opened.engine.write(lambda c: c.execute("UPDATE retirements SET id = id + 100").close())
    back = await model.take_back(outcome)
    assert (back.done, back.failed) == (outcome.done, None)
    waiting = await vault.retirements.page(MIRA, state=RetirementState.WAITING)
    assert [pair_of(one) for one in waiting] == list(outcome.done)
    again = await model.do_again(outcome)
    assert again.done == outcome.done
