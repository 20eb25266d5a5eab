"""Whom a message is meant for, where several familiars share one account."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.household import MOST_CALLED, Resident, first_of, who_is_meant
from familiar_app.domain.ids import FamiliarId

MIRA, NIX, BRAM = FamiliarId("mira"), FamiliarId("nix"), FamiliarId("bram")
HOUSE = (
    Resident(MIRA, ("Mira Vale", "Mira")),
    Resident(NIX, ("Nix", "die Füchsin", "ニックス"), first=True),
    Resident(BRAM, ("Bram",), first=False),
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Mira, are you there?", [MIRA]),
        ("what do BRAM and mira think", [BRAM, MIRA]),
        ("Ich meine die FÜCHSIN!", [NIX]),
        ("ねえニックス聞いて", [NIX]),
        ("Ｍｉｒａ?", [MIRA]),
        ("Miranda has a bramble, and a phoenix", None),
        ("mira_vale", None),
        ("", None),
    ],
)
def test_whoever_is_called_is_meant(text: str, meant: list[FamiliarId] | None) -> None:
    found = who_is_meant(text, HOUSE)
    assert list(found.familiars) == (meant or [NIX])
    assert found.by_name is (meant is not None)


def test_a_reply_is_for_whoever_said_what_is_replied_to() -> None:
    assert who_is_meant("Nix is wrong there", HOUSE, BRAM).familiars == (BRAM,)
    assert who_is_meant("and you?", HOUSE[:1], NIX).familiars == (MIRA,)


def test_who_is_first_is_told_by_the_settings_and_then_by_order() -> None:
    assert first_of(HOUSE) == NIX
    assert first_of((HOUSE[2], HOUSE[0])) == MIRA
    assert first_of(HOUSE[2:]) == BRAM
    assert first_of(()) is None


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_whatever_is_said_a_few_of_the_household_are_meant_each_once(text: str, names: list[str]) -> None:
    house = [Resident(FamiliarId(f"f{number}"), (name,)) for number, name in enumerate(names)]
    found = who_is_meant(text, house).familiars
    assert 1 <= len(found) <= MOST_CALLED
    assert len(set(found)) == len(found)
