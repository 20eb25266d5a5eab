"""Names that a reader could take for one another have one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lookalike import looks_like


@pytest.mark.parametrize(
    "name",
    [
        "Annie", "ANNIE", "Ａｎｎｉｅ", "𝐀𝐧𝐧𝐢𝐞", "Аnniе", "Αnnie", "ᴀɴɴɪᴇ", "A\u200dnnie", "Annie\ufe0f", "\u2800Annie",
        "AnnIe", "Annle", "Ann1e", "Ann\U000e0101ie", "  Annie ",
    ],
)  # fmt: skip
def test_they_pass_for_annie(name: str) -> None:
    assert looks_like(name) == looks_like("Annie")


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Zoe", "Zoé"), ("Мила", "Маша"), ("Ben", "Bem"), ("李雷", "李霞")]
)
def test_they_do_not(one: str, other: str) -> None:
    assert looks_like(one) != looks_like(other)


@given(st.text(max_size=40))
def test_the_form_of_a_form_is_itself_but_for_case_and_width(name: str) -> None:
    assert looks_like(name) == looks_like(f" {name} ")
    assert looks_like(looks_like(name)) == looks_like(looks_like(looks_like(name)))
