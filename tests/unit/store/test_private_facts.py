"""Facts about people who do not want to be remembered: not written, nowhere shown, back when the level is lowered."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

ANN, BEN = PersonKey("discord:1"), PersonKey("discord:2")


async def level(vault: Vault, wanted: PrivacyLevel) -> None:
    await vault.privacy.set(BEN, wanted, familiar=MIRA, by=OWNER)


async def know(vault: Vault) -> None:
    for text, *about in (("Ann rows.", ANN), ("Both row.", ANN, BEN), ("Ben rests.", BEN), ("It rains.",)):
        await vault.facts.append(NewFact(MIRA, text, "rich_note", tuple(Subject(key, "x") for key in about)))


async def counted(vault: Vault) -> dict[str, int]:
    return {row.key: row.facts for row in await vault.person_pages.list(MIRA) if row.facts}


@pytest.mark.parametrize("chosen", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_they_are_shown_nowhere_while_the_level_holds(vault: Vault, chosen: PrivacyLevel) -> None:
    await know(vault)
    everything = ["It rains.", "Ben rests.", "Both row.", "Ann rows."]
    before = await vault.facts.spans(MIRA)
    await level(vault, chosen)
    for question in ({}, {"include_retired": True}, {"known_at": NOON}, {"as_of": NOON}):
        found = await vault.facts.page(MIRA, **question)  # type: ignore[arg-type]
        assert [fact.text for fact in found] == ["It rains.", "Ann rows."], question
    assert await vault.facts.page(MIRA, subject=BEN) == []
    assert [fact.text for fact in await vault.facts.page(MIRA, search="r")] == ["It rains.", "Ann rows."]
    assert await vault.facts.count(MIRA) == 2
    assert await counted(vault) == {ANN: 1}
    assert [fact.text for fact in await vault.person_pages.weightiest(MIRA, [ANN, BEN], limit=9)] == ["Ann rows."]
    spans, wording = await vault.facts.spans(MIRA), await vault.facts.wording(MIRA)
    assert (spans.ids.tolist(), spans.people) == ([1, 4], (ANN,))
    assert wording.texts == ("Ann rows.", "It rains.")
    row = await vault.person_pages.get(MIRA, BEN)
    assert (row is None) or row.facts == 0
    await level(vault, PrivacyLevel.NONE)
    assert [fact.text for fact in await vault.facts.page(MIRA)] == everything
    assert (await vault.facts.spans(MIRA)).ids.tolist() == before.ids.tolist()
    assert await counted(vault) == {ANN: 2, BEN: 2}


async def test_the_owner_cannot_write_about_them(vault: Vault) -> None:
    await know(vault)
    await level(vault, PrivacyLevel.PARTIAL)
    with pytest.raises(UserError) as refused:
        await vault.facts.add_by_owner(MIRA, "Ben sails.", subjects=(ANN, BEN))
    assert "discord:2" in str(refused.value)
    assert "person privacy discord:2 none" in refused.value.next_step
    changed = NewFact(MIRA, "Ann and Ben row.", "owner", (Subject(BEN, "x"),))
    with pytest.raises(UserError):
        await vault.facts.edit_by_owner((await vault.facts.page(MIRA))[1].id, changed)
    await level(vault, PrivacyLevel.NONE)
    assert (await vault.facts.add_by_owner(MIRA, "Ben sails.", subjects=(BEN,)))[1]
    assert len(await vault.facts.page(MIRA)) == 5
