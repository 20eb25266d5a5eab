"""What goes with the history of a fact: where it was learned, and why it was superseded, as long as that holds."""

from __future__ import annotations

from datetime import timedelta

from familiar_app.domain.fact import FactId, NewFact
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.projection import NewRetirement
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON


async def reason_of(vault: Vault, fact: FactId) -> str:
    history = await vault.facts.history(fact)
    assert history is not None
    return history.reason


async def test_the_reason_of_a_retirement_until_it_is_undone(vault: Vault) -> None:
    oslo, _ = await vault.facts.append(NewFact(MIRA, "Ann lives in Oslo.", "rich_note"))
    rome, _ = await vault.facts.append(NewFact(MIRA, "Ann lives in Rome.", "rich_note"))
    assert await reason_of(vault, oslo.id) == ""
    proposal = NewRetirement(MIRA, oslo.id, rome.id, "She moved.", "fact_supersede")
    at = NOON + timedelta(hours=1)
    made = await vault.projections.write(lambda writer: writer.propose_retirement(proposal, at))
    assert made is not None
    assert await reason_of(vault, oslo.id) == "She moved."
    assert await reason_of(vault, rome.id) == ""
    await vault.facts.restore_by_owner(oslo.id)
    assert await reason_of(vault, oslo.id) == ""
    await vault.facts.retire_by_owner(oslo.id)
    assert await reason_of(vault, oslo.id) == ""


async def test_the_channel_in_which_it_was_learned_with_its_title(vault: Vault) -> None:
    channel = await vault.channels.ensure(ChannelKey("local:evenings"), familiar=MIRA, title="Evenings")
    told, _ = await vault.facts.append(NewFact(MIRA, "Ann sings.", "rich_note", channel=channel.id))
    history = await vault.facts.history(told.id)
    assert history is not None
    assert history.channel == channel
    by_hand, _ = await vault.facts.append(NewFact(MIRA, "Ann dances.", "owner"))
    unplaced = await vault.facts.history(by_hand.id)
    assert unplaced is not None
    assert unplaced.channel is None
