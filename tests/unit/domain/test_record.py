"""Values that are quick to make compare, hash and are copied as frozen dataclasses do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from familiar_app.domain.interval import Interval
from familiar_app.domain.record import record
from familiar_app.domain.turn import Author


@record(frozen=True, slots=True)
class _Point:
    x: int
    y: int = 0


def test_equal_fields_are_equal_values_with_one_hash() -> None:
    assert _Point(1, 2) == _Point(1, 2)
    assert _Point(1, 2) != _Point(2, 1)
    assert len({_Point(1, 2), _Point(1, 2), replace(_Point(1, 9), y=2)}) == 1


def test_there_is_no_room_for_other_attributes() -> None:
    with pytest.raises(AttributeError):
        _Point(1).z = 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("made", [Author, Interval, _Point])
def test_fields_are_set_without_a_call_for_each(made: type) -> None:
    assert "__setattr__" not in made.__init__.__code__.co_names  # type: ignore[misc]
