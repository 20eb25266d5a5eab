"""People as the owner looks through them: figures, orders, merged identities, months, and the strictest privacy."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import Author, NewTurn
from familiar_app.store.person_count import MonthCount
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

Said = Callable[..., NewTurn]
ANN, BEN, CAT = PersonKey("discord:1"), PersonKey("discord:2"), PersonKey("discord:3")
NAMES = {ANN: "Ann", BEN: "ben", CAT: "Cat"}


def on(days: float) -> datetime:
    return NOON + timedelta(days=days)


@pytest.fixture
async def village(vault: Vault, said: Said) -> Vault:
    for key, days in ((ANN, -70), (ANN, -40), (ANN, -39), (BEN, -5), (CAT, -60), (CAT, -1)):
        await vault.turns.append(said("x", at=on(days), author=Author(key, NAMES[key])))
    for text, *about in (("Both row.", ANN, BEN), ("Ben rests.", BEN), ("Ann ran.", ANN)):
        subjects = tuple(Subject(key, NAMES[key]) for key in about)
        ends = on(-1) if text == "Ann ran." else None
        await vault.facts.append(NewFact(MIRA, text, "rich_note", subjects, valid_to=ends))
    return vault


async def keys(vault: Vault, **question: object) -> list[str]:
    return [row.key for row in await vault.person_pages.list(MIRA, **question)]  # type: ignore[arg-type]


async def test_every_order_and_whoever_was_never_seen_comes_last(village: Vault) -> None:
    assert await keys(village) == [CAT, BEN, ANN, "ego:mira"]
    assert await keys(village, descending=False) == [ANN, BEN, CAT, "ego:mira"]
    assert await keys(village, order="name", descending=False) == [ANN, BEN, CAT, "ego:mira"]
    assert await keys(village, order="turns") == [ANN, CAT, BEN, "ego:mira"]
    assert await keys(village, order="facts") == [BEN, ANN, CAT, "ego:mira"]
    await village.privacy.set(CAT, PrivacyLevel.FULL, familiar=MIRA, by=OWNER)
    assert (await keys(village, order="privacy"))[0] == CAT


async def test_merging_sums_up_and_counts_what_is_about_both_once(village: Vault) -> None:
    pages = village.person_pages
    before = await pages.list(MIRA)
    await pages.merge(BEN, ANN, familiar=MIRA)
    row = await pages.get(MIRA, BEN)
    assert row is not None
    assert (row.key, row.label, row.turns, row.facts, row.identities) == (ANN, "Ann", 4, 2, (ANN, BEN))
    assert row.last_seen_at == on(-5)
    assert await keys(village) == [CAT, ANN, "ego:mira"]
    assert await village.people.label(BEN) == "Ann"
    assert await pages.part(BEN, familiar=MIRA) == ANN
    assert await pages.list(MIRA) == before
    assert await village.people.label(BEN) == "ben"


async def test_a_chain_is_taken_apart_where_it_was_joined(village: Vault) -> None:
    pages = village.person_pages
    await pages.merge(CAT, BEN, familiar=MIRA)
    await pages.merge(BEN, ANN, familiar=MIRA)
    assert await keys(village) == [ANN, "ego:mira"]
    assert (await village.people.labels((CAT, BEN))) == {CAT: "Ann", BEN: "Ann"}
    await pages.part(BEN, familiar=MIRA)
    assert await keys(village) == [BEN, ANN, "ego:mira"]
    assert (await village.people.label(CAT)) == "ben"


async def test_what_makes_no_sense_is_refused(village: Vault) -> None:
    pages = village.person_pages
    await pages.merge(BEN, ANN, familiar=MIRA)
    for alias, kept in ((BEN, CAT), (ANN, BEN), (ANN, ANN), (PersonKey("ego:mira"), ANN), (CAT, PersonKey("ego:mira"))):
        with pytest.raises(UserError):
            await pages.merge(alias, kept, familiar=MIRA)
    with pytest.raises(UserError):
        await pages.part(ANN, familiar=MIRA)
    assert (await keys(village)) == [CAT, ANN, "ego:mira"]


async def test_merging_survives_that_everything_derived_is_built_again(village: Vault, clock: FixedClock) -> None:
    await village.person_pages.merge(BEN, ANN, familiar=MIRA)
    await village.projections.write(lambda writer: writer.empty("facts", MIRA))
    row = await village.person_pages.get(MIRA, ANN)
    assert row is not None
    assert row.identities == (ANN, BEN)


async def test_who_counts_as_one_person_has_the_strictest_level_of_all(village: Vault) -> None:
    await village.person_pages.merge(BEN, ANN, familiar=MIRA)
    await village.privacy.set(BEN, PrivacyLevel.PARTIAL, familiar=MIRA, by=OWNER)
    assert await village.privacy.levels() == {ANN: PrivacyLevel.PARTIAL, BEN: PrivacyLevel.PARTIAL}
    assert await village.privacy.own_levels() == {BEN: PrivacyLevel.PARTIAL}
    await village.person_pages.part(BEN, familiar=MIRA)
    assert await village.privacy.levels() == {BEN: PrivacyLevel.PARTIAL}


async def test_months_with_messages_are_counted(village: Vault) -> None:
    assert await village.person_pages.months((ANN, CAT)) == [
        MonthCount(2024, 2, 1), MonthCount(2024, 3, 3), MonthCount(2024, 4, 1),
    ]  # fmt: skip
