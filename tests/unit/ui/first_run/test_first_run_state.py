"""The steps of the first run and what they make of the entries."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from familiar_app.domain.card import CharacterCard
from familiar_app.ui.first_run.model import ADD_FAMILIAR, FIRST_RUN, TITLES, FirstRun
from familiar_app.ui.kit.card_summary import card_parts

CARD = CharacterCard(name="Mira", description="Keeps lights.", personality="Calm", first_message="Hello.")


def test_steps_go_forward_and_back_and_stop_at_the_ends() -> None:
    state = FirstRun(FIRST_RUN)
    state.back()
    assert state.step == "welcome"
    for _ in range(10):
        state.forward()
    assert state.step == "model"
    assert state.is_last
    assert state.progress_text == "Step 5 of 5"


def test_adding_needs_neither_passphrase_nor_code() -> None:
    assert ADD_FAMILIAR == ("character", "model")
    assert set(ADD_FAMILIAR) | set(FIRST_RUN) == set(TITLES)


def test_a_name_is_needed_and_may_not_be_endless() -> None:
    state = FirstRun(FIRST_RUN, name="   ")
    assert state.name_problem() == "Give your familiar a name."
    state.name = "x" * 81
    assert "80" in state.name_problem()
    state.name = " Mira "
    assert state.name_problem() == ""
    assert state.card().name == "Mira"


def test_a_card_keeps_what_the_page_does_not_show() -> None:
    state = FirstRun(FIRST_RUN)
    state.take_card(CARD, b"png", Path("mira.png"))
    assert state.card_details == "With personality, first message, portrait."
    state.description = "Keeps other lights."
    made = state.card()
    assert (made.personality, made.first_message) == ("Calm", "Hello.")
    assert made.description == "Keeps other lights."


def test_of_a_card_every_part_is_named() -> None:
    state = FirstRun(FIRST_RUN)
    card = CharacterCard(
        name="Mira", personality="Calm", scenario="Night.", first_message="Hello.", alternate_greetings=("A", "B"),
        example_dialogue="Ex.", system_prompt="Sys.", post_history_instructions="Post.", creator_notes="Notes.",
        creator="Ann", character_version="2", tags=("sea",),
    )  # fmt: skip
    state.take_card(card, None, Path("mira.png"), card_kept=b"PK")
    assert state.card_details == (
        "With personality, scenario, first message, 2 more greetings, example dialogue, system prompt, post-history "
        "instructions, creator notes, creator, version, tags. What has no place here is kept beside the card, and "
        "comes back when you export it."
    )
    # A part that the card gets some day is not left out either.
    assert len(card_parts(card, picture=False, lorebook=False)) == len(fields(CharacterCard)) - len(
        ("name", "description")
    )


def test_a_familiar_of_the_same_name_is_known_whatever_its_case() -> None:
    state = FirstRun(ADD_FAMILIAR, known={"mira": "Mira", "orla": "Orla"})
    assert state.namesake is None
    state.name = " ORLA "
    assert state.namesake == "orla"
    state.name = "Orla the Second"
    assert state.namesake is None


def test_dropping_a_card_keeps_what_was_typed_by_hand() -> None:
    state = FirstRun(FIRST_RUN)
    state.take_card(CARD, b"png", Path("mira.png"))
    state.name = "Mira the Second"
    state.drop_card()
    assert state.imported is None
    assert state.avatar_png is None
    assert state.name == "Mira the Second"
    assert state.description == ""


def test_secrets_do_not_show_when_the_state_is_printed() -> None:
    state = FirstRun(FIRST_RUN, passphrase="seven lanterns", recovery_code="7K3M-9XQ2")
    assert "lanterns" not in repr(state)
    assert "7K3M" not in repr(state)
