"""Only an unmistakable wish to remember is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.saved_memory.plain_wish import speaks_of_self, wish_to_remember


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Remember that my cat is called Mia.", "my cat is called Mia."),
        ("please remember: the gate code is 4711", "the gate code is 4711"),
        ("Hey, can you please remember that I hate olives?", "I hate olives"),
        ("Don't forget that we meet on Friday, please.", "we meet on Friday"),
        ("Merk dir bitte, dass ich Vegetarier bin.", "ich Vegetarier bin."),
        ("Keep in mind that Ben\nis away", "Ben\nis away"),
    ],
)
def test_a_plain_wish(said: str, what: str) -> None:
    assert wish_to_remember(said) == what


@pytest.mark.parametrize(
    "said",
    [
        "Do you remember that I had a cat?",
        "Remember when we met?",
        "Remember that?",
        "I remember that evening well.",
        "She told me: remember that you are loved.",
        "You remember that, don't you?",
        "remember: ",
        "",
    ],
)
def test_talk_that_only_sounds_like_one(said: str) -> None:
    assert wish_to_remember(said) is None


@given(st.text())
def test_what_is_kept_stands_in_what_was_said(said: str) -> None:
    what = wish_to_remember(f"Remember that {said}")
    assert what is None or what in said


def test_words_about_oneself() -> None:
    assert speaks_of_self("my cat is called Mia")
    assert speaks_of_self("ich mag Tee")
    assert not speaks_of_self("the meeting is on Friday")
