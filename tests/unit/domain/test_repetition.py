"""A text that turns in circles is told from one that merely says something twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.repetition import LONGEST_PERIOD_CHARS, TAIL_CHARS, period_of, without_repetition


def test_an_end_in_circles_goes_and_what_was_said_before_stays() -> None:
    text = "They met in Rome. " + "The story now:\n\n" * 60
    assert period_of(text) == 16
    assert without_repetition(text) == "They met in Rome."
    assert without_repetition("la " * 300) == ""


def test_twice_is_no_circle() -> None:
    text = "She is a mother. " * 3 + "He is not."
    assert period_of(text) is None
    assert without_repetition(text) == text


@given(st.text("abc .", max_size=40), st.text("xyz ", min_size=1, max_size=LONGEST_PERIOD_CHARS))
def test_what_repeats_long_enough_is_found(before: str, unit: str) -> None:
    text = before + unit * (TAIL_CHARS // len(unit) + 2)
    step = period_of(text)
    assert step is not None
    assert step <= len(unit)
    assert text.startswith(without_repetition(text))
    assert len(without_repetition(text)) <= len(before)
