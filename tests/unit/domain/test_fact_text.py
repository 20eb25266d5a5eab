"""Normalising of fact texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.fact_text import identity, normalise
from familiar_app.domain.ids import PersonKey

ANN, BEN = PersonKey("discord:1"), PersonKey("discord:2")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("  Ann   lives\nin Rome. ", "ann lives in rome"),
        ('"Ann lives in Rome!"', "ann lives in rome"),
        ("«Straße»", "strasse"),
        ("「安は東京に住む。」", "安は東京に住む"),
        ("Ann's score is 100%", "ann's score is 100%"),
        ("...", ""),
        ("Cafe\u0301", "café"),
    ],
)
def test_normalise(written: str, expected: str) -> None:
    assert normalise(written) == expected


@given(st.text())
def test_normalise_twice_is_normalise_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_identity_depends_on_the_set_of_subjects_not_their_order() -> None:
    assert identity("They met.", [ANN, BEN]) == identity("they met", [BEN, ANN, ANN])
    assert identity("They met.", [ANN]) != identity("They met.", [BEN])
    assert identity("They met.", [ANN]) != identity("They left.", [ANN])
