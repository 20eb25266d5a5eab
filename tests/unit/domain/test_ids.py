"""Ids that are made of names: usable on every file system, free, and recognisable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ids import familiar_id_from_name, is_familiar_id


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Aria Lind", "aria-lind"),
        ("Zoë Ünal", "zoe-unal"),
        ("Zoe\u0308", "zoe"),
        ("\uff21\uff52\uff49\uff41", "aria"),
        ("猫", "familiar"),
        ("🦊", "familiar"),
        ("../con", "con-1"),
    ],
)
def test_a_name_gives_an_id_that_is_like_it(name: str, made: str) -> None:
    assert familiar_id_from_name(name) == made


@given(st.text(), st.sets(st.text(max_size=12)))
def test_every_name_gives_an_id_that_is_free(name: str, others: set[str]) -> None:
    taken = frozenset(familiar_id_from_name(other) for other in others)
    made = familiar_id_from_name(name, taken)
    assert is_familiar_id(made)
    assert made not in taken
