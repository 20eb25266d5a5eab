"""People at level `full`: nothing of theirs is kept, what they had said is hidden while the level holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import Author, Channel, NewTurn
from familiar_app.store.turn import AppendCount
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

Said = Callable[..., NewTurn]
BEN, BENNY = PersonKey("discord:2"), PersonKey("discord:3")


async def level(vault: Vault, person: PersonKey, wanted: PrivacyLevel) -> None:
    await vault.privacy.set(person, wanted, familiar=MIRA, by=OWNER)


async def shown(vault: Vault, channel: Channel) -> list[str]:
    return [turn.content for turn in await vault.turns.page(channel.id)]


def by_ben(said: Said, text: str, **changes: object) -> NewTurn:
    return said(text, author=Author(BEN, "Ben"), **changes)


async def test_of_a_new_message_only_the_id_stays_for_good(vault: Vault, channel: Channel, said: Said) -> None:
    await level(vault, BEN, PrivacyLevel.FULL)
    turn, added = await vault.turns.append(
        by_ben(said, "A secret", message_id="m1", attachments="[]", mentions=(BENNY,))
    )
    assert (added, turn.deleted, turn.content, turn.author, turn.attachments) == (True, True, "", None, None)
    again, added = await vault.turns.append(by_ben(said, "A secret", message_id="m1"))
    assert (again.id, added) == (turn.id, False)
    assert await vault.people.get(BEN) is None
    await level(vault, BEN, PrivacyLevel.NONE)
    assert await shown(vault, channel) == []
    assert (await vault.verify()) == []


async def test_what_was_said_before_is_hidden_until_the_level_is_lowered(
    vault: Vault, channel: Channel, said: Said, clock: FixedClock
) -> None:
    told: list[int] = []
    vault.turns.watch(told.extend)
    first, _ = await vault.turns.append(by_ben(said, "Boats are fine"))
    taken, _ = await vault.turns.append(by_ben(said, "Boats are slow"))
    await vault.turns.append(said("Are they?"))
    await vault.turns.hide([taken.id])
    then = Then(known_at=clock.now())
    told.clear()
    await level(vault, BEN, PrivacyLevel.FULL)
    assert sorted(told) == [first.id, taken.id]
    assert await shown(vault, channel) == ["Are they?"]
    assert [turn.content for turn in await vault.turns.page_then(channel.id, then)] == ["Are they?"]
    assert await vault.turns.standing([first], then) == {}
    assert await vault.turns.search("boats") == []
    assert [turn.content for turn in await vault.projections.heard_after(MIRA, 0, limit=9)] == ["Are they?"]
    assert await vault.turns.count() == 1
    await vault.turns.unhide([first.id])
    assert (await vault.turns.revise(first.id, "Boats are great")).content == "Boats are fine"
    assert await shown(vault, channel) == ["Are they?"]
    assert (await vault.verify()) == []
    await level(vault, BEN, PrivacyLevel.PARTIAL)
    assert await shown(vault, channel) == ["Boats are fine", "Are they?"]
    assert (await vault.verify()) == []


async def test_identities_that_are_merged_are_veiled_together(vault: Vault, channel: Channel, said: Said) -> None:
    await vault.turns.append(said("From the other account", author=Author(BENNY, "Benny")))
    await vault.turns.append(by_ben(said, "From this one"))
    await level(vault, BEN, PrivacyLevel.FULL)
    assert await shown(vault, channel) == ["From the other account"]
    await vault.person_pages.merge(BENNY, BEN, familiar=MIRA)
    assert await shown(vault, channel) == []
    assert (await vault.turns.append(said("More", author=Author(BENNY, "Benny"))))[0].deleted
    await vault.person_pages.part(BENNY, familiar=MIRA)
    assert await shown(vault, channel) == ["From the other account"]


async def test_many_turns_say_how_many_were_not_kept(vault: Vault, channel: Channel, said: Said) -> None:
    await level(vault, BEN, PrivacyLevel.FULL)
    batch = [
        said("Hello", message_id="1"),
        by_ben(said, "no", message_id="2"),
        by_ben(said, "no id"),
        said("Bye", message_id="3", at=NOON + timedelta(hours=1)),
    ]
    assert await vault.turns.append_many(batch) == AppendCount(2, 0, 2)
    assert await vault.turns.append_many(batch) == AppendCount(0, 3, 1)
    assert await shown(vault, channel) == ["Hello", "Bye"]


@pytest.mark.parametrize("table", ["saved_memories", "person_privacy"])
async def test_an_emptied_projection_does_not_let_messages_in(
    vault: Vault, channel: Channel, said: Said, table: str
) -> None:
    await level(vault, BEN, PrivacyLevel.FULL)
    await vault._opened.engine.write(lambda c: c.execute(f"DELETE FROM {table}").fetchall())
    assert (await vault.turns.append(by_ben(said, "In between")))[0].deleted
