"""Servers that ask first: whoever spoke there and has chosen nothing counts as having said `partial`."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER, ChannelKey, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

INN, FORUM = "discord:100", "discord:200"
ANN, BEN, CAT = (Author(PersonKey(f"discord:{number}"), name) for number, name in ((1, "Ann"), (2, "Ben"), (3, "Cat")))


async def speak(vault: Vault, author: Author, guild: str) -> None:
    channel = await vault.channels.ensure(ChannelKey(f"{guild}0"), familiar=MIRA, title="c", guild=guild)
    await vault.turns.append(NewTurn(channel.id, Role.USER, "hello", NOON, author=author, guild=guild))


async def ask_first(vault: Vault, guild: str = INN, *, on: bool = True) -> bool:
    return await vault.privacy.set_opt_in(guild, on, familiar=MIRA, by=OWNER)


async def level(vault: Vault, person: Author, wanted: PrivacyLevel, by: PersonKey | None = None) -> bool:
    return await vault.privacy.set(person.key, wanted, familiar=MIRA, by=by or person.key)


async def test_a_server_begins_and_ends_to_ask(vault: Vault) -> None:
    assert await vault.privacy.opt_in_servers() == frozenset()
    assert await ask_first(vault)
    assert not await ask_first(vault)
    assert await vault.privacy.opt_in_servers() == {INN}
    assert await ask_first(vault, on=False)
    assert await vault.privacy.opt_in_servers() == frozenset()


async def test_only_those_who_spoke_there_and_chose_nothing_are_left_out(vault: Vault) -> None:
    for person, guild in ((ANN, INN), (BEN, INN), (CAT, FORUM)):
        await speak(vault, person, guild)
    await level(vault, BEN, PrivacyLevel.FULL)
    await ask_first(vault)
    assert await vault.privacy.levels() == {ANN.key: PrivacyLevel.PARTIAL, BEN.key: PrivacyLevel.FULL}
    assert await vault.privacy.unasked() == {ANN.key}
    assert await vault.privacy.own_levels() == {BEN.key: PrivacyLevel.FULL}
    assert await level(vault, ANN, PrivacyLevel.NONE)
    assert await vault.privacy.levels() == {BEN.key: PrivacyLevel.FULL}
    assert not await level(vault, ANN, PrivacyLevel.NONE)


async def test_who_agrees_before_saying_a_word_has_agreed(vault: Vault) -> None:
    await ask_first(vault)
    assert await level(vault, ANN, PrivacyLevel.NONE)
    await speak(vault, ANN, INN)
    assert await vault.privacy.levels() == {}
    assert await vault.privacy.has_chosen(ANN.key)


async def test_the_owner_cannot_agree_for_somebody(vault: Vault) -> None:
    await speak(vault, ANN, INN)
    assert not await level(vault, ANN, PrivacyLevel.NONE, by=OWNER)
    await ask_first(vault)
    with pytest.raises(UserError, match="only they themselves can agree"):
        await level(vault, ANN, PrivacyLevel.NONE, by=OWNER)
    # What the owner sets and takes back leaves the person as unasked as before.
    await level(vault, ANN, PrivacyLevel.FULL, by=OWNER)
    await level(vault, ANN, PrivacyLevel.NONE, by=OWNER)
    assert await vault.privacy.levels() == {ANN.key: PrivacyLevel.PARTIAL}
    assert not await vault.privacy.has_chosen(ANN.key)
    assert await level(vault, ANN, PrivacyLevel.NONE)
    assert await vault.privacy.levels() == {}


async def test_one_identity_that_agreed_speaks_for_the_person(vault: Vault) -> None:
    for person in (ANN, BEN):
        await speak(vault, person, INN)
    await ask_first(vault)
    await level(vault, BEN, PrivacyLevel.NONE)
    await vault.person_pages.merge(BEN.key, ANN.key, familiar=MIRA)
    assert await vault.privacy.levels() == {}
    await vault.person_pages.part(BEN.key, familiar=MIRA)
    assert await vault.privacy.levels() == {ANN.key: PrivacyLevel.PARTIAL}


async def test_what_there_is_about_them_is_hidden_at_once_and_comes_back(vault: Vault) -> None:
    await speak(vault, ANN, INN)
    await vault.facts.append(NewFact(MIRA, "Ann rows.", "rich_note", (Subject(ANN.key, "Ann"),)))
    await ask_first(vault)
    assert await vault.facts.page(MIRA) == []
    await ask_first(vault, on=False)
    assert [fact.text for fact in await vault.facts.page(MIRA)] == ["Ann rows."]


async def test_the_familiar_itself_is_not_asked(vault: Vault) -> None:
    await speak(vault, Author(PersonKey("ego:mira"), "Mira"), INN)
    await ask_first(vault)
    assert await vault.privacy.levels() == {}


async def test_the_choice_comes_back_with_a_rebuild(vault: Vault) -> None:
    await speak(vault, ANN, INN)
    await ask_first(vault)
    await level(vault, ANN, PrivacyLevel.NONE)
    await vault._opened.engine.write(lambda connection: connection.execute("DELETE FROM person_privacy"))
    await vault.saved_memories.bring_back()
    assert await vault.privacy.levels() == {}
