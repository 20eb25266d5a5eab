"""Whom a name means, step by step, and whom it never means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.saved_memory.target import ChatPerson, Circle, folded, resolve

MIRA = ChatPerson(PersonKey("ego:mira"), "Mira", bot=True)


def person(number: int, name: str, **more: object) -> ChatPerson:
    return replace(ChatPerson(PersonKey(f"discord:{number}"), name), **more)  # type: ignore[arg-type]


ANN = person(1, "Ann", username="ann_x", nickname="Queen", global_name="Annie")
BEN = person(2, "Ben", username="ben", persona_nickname="Captain", saved_nickname="Boss")
CLEO = person(3, "Cleo", username="cleo", nickname="Star", global_name="Kleo")
DAN = person(4, "Dan", username="star", persona_nickname="Kleo", saved_nickname="cleo")
LEFT = person(5, "Lee", username="lee", nickname="Gone", persona_nickname="Pal", saved_nickname="Mate", member=False)
ROBOT = person(6, "Robot", username="robot", bot=True)
BIG = person(123456789012345678, "Big")
CIRCLE = Circle(MIRA, (ANN, BEN, ROBOT), (CLEO, DAN, LEFT, BIG))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("", None),
        (" @ ", None),
        ("Ann", ANN),
        ("  @ANN ", ANN),
        ("ann (@ann_x)", ANN),
        ("queen", ANN),
        ("annie", ANN),
        ("captain", BEN),
        ("boss", BEN),
        ("An", None),
        ("Annn", None),
        # In the server: nickname before what this familiar calls somebody, that before the global name.
        ("star", CLEO),
        ("kleo", DAN),
        ("cleo", DAN),
        ("dan", None),
        # Who left is found by what this familiar calls them alone.
        ("pal", LEFT),
        ("gone", None),
        ("mate", None),
        ("lee", None),
        ("123456789012345678", BIG),
        ("@123456789012345678", BIG),
        ("123456789012345679", None),
        ("robot", None),
        ("self", MIRA),
        ("SELF", MIRA),
        ("mira", MIRA),
    ],
)
def test_the_first_step_with_a_hit_decides(name: str, found: ChatPerson | None) -> None:
    result = resolve(name, CIRCLE)
    assert (result.person, result.several) == (found, ())


def test_a_primary_label_wins_over_other_names() -> None:
    other = person(7, "Zoe", nickname="Ann")
    assert resolve("ann", replace(CIRCLE, participants=(other, ANN))).person == ANN
    twin = person(8, "ANN")
    assert set(resolve("ann", replace(CIRCLE, participants=(other, ANN, twin))).several) == {other, ANN, twin}
    two = replace(CIRCLE, participants=(other, person(9, "Yan", nickname="ann")))
    assert len(resolve("ann", two).several) == 2


def test_one_person_twice_is_no_ambiguity() -> None:
    assert resolve("ann", replace(CIRCLE, participants=(ANN, ANN))).person == ANN
    assert resolve("star", replace(CIRCLE, members=(CLEO, CLEO))).person == CLEO


def test_a_person_called_like_the_familiar_is_ambiguous() -> None:
    namesake = person(10, "Mira")
    assert set(resolve("Mira", replace(CIRCLE, participants=(ANN, namesake))).several) == {MIRA, namesake}


def test_a_direct_message_ends_with_its_participants() -> None:
    assert resolve("star", replace(CIRCLE, direct=True)).person is None
    assert resolve("queen", replace(CIRCLE, direct=True)).person == ANN


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing_more_than_the_at_sign(name: str) -> None:
    once = folded(name)
    assert once == once.strip()
    assert folded(f" @{once} ") == folded(f"@{once}")
    if not once.startswith("@"):
        assert folded(once) == once.lower()
