"""Hearsay: who stands behind a fact about people none of whom said it."""

from __future__ import annotations

from familiar_app.domain.claim import claimants
from familiar_app.domain.ids import PersonKey

ANN, BEN = PersonKey("discord:1"), PersonKey("discord:2")


def test_only_what_nobody_concerned_has_said_is_hearsay() -> None:
    assert claimants([BEN], [ANN, None, ANN]) == (ANN,)
    assert claimants([BEN, ANN], [ANN]) == ()
    assert claimants([ANN], [BEN, ANN]) == ()
    assert claimants([], [ANN]) == ()
    assert claimants([ANN], [None]) == ()
