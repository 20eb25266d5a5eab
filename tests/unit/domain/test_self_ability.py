"""The filter for statements about the model's own abilities."""

from __future__ import annotations

import pytest

from familiar_app.domain.self_ability import is_self_ability


@pytest.mark.parametrize(
    "text",
    [
        "I cannot see pictures.",
        "I can’t open links",
        "As an AI, I have no opinions.",
        "As an AI language model Mira keeps no diary.",
        "The assistant has no access to the web.",
        "The assistant has no birthday.",
        "The AI cannot remember earlier talks.",
        "Mira cannot browse the internet.",
        "Mira can't draw.",
        "MIRA can not hear music.",
        "Mira is unable to send files.",
        "Mira isn't able to call anyone.",
        "Mira has no access to the calendar.",
        "Mira does not have a body.",
        "Mira doesn't have real feelings.",
        "Mira is an AI.",
        "Mira is just a language model.",
        "Mira said that she cannot see images.",
        "Mira says she is unable to hear.",
        "Ann asked for a song. I cannot sing.",
        "“I cannot help with that”",
        "I'm an AI assistant.",
        "I am not able to do that.",
        "I lack the ability to smell.",
    ],
)
def test_own_abilities_are_recognised(text: str) -> None:
    assert is_self_ability(text, "Mira")


@pytest.mark.parametrize(
    "text",
    [
        "Mira cancelled the trip.",
        "Mira doesn't trust Ben.",
        "Mira does not have patience for liars.",
        "Mira has no siblings.",
        "Mira cannot stand loud music.",
        "Mira can't wait for spring.",
        "Mira canoes on Sundays.",
        "Mira chose to stay silent.",
        "Mira was named after a star.",
        "Ann cannot swim.",
        "Ben says he is an AI researcher.",
        "Miranda cannot swim.",
        "Ann's brother Mirac cannot drive.",
        "Ann builds an AI.",
        "Ben claims that Ann cannot be trusted.",
        "Iris has no access to the vault.",
        "Mira's friend Ann cannot drive a car.",
        "The assistant manager of Ann's shop moved to Oslo.",
        "The bot channel is quiet at night.",
    ],
)
def test_what_others_cannot_and_what_it_will_not_stay(text: str) -> None:
    assert not is_self_ability(text, "Mira")


def test_names_of_several_words_and_signs_are_taken_as_they_are() -> None:
    assert is_self_ability("Captain (Zed)  cannot fly.", "Captain (Zed)")
    assert not is_self_ability("Anything cannot fly.", "")
    assert is_self_ability("I cannot fly.", "")


def test_a_long_text_is_searched_in_little_time() -> None:
    assert not is_self_ability("Mira says " * 20_000, "Mira")
