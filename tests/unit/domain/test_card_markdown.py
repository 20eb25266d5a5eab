"""The Markdown form of a character card, and placeholders."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from familiar_app.domain.card import CharacterCard, fill_placeholders, parse_card_markdown, render_card_markdown

PIECES = st.one_of(
    st.sampled_from(
        [
            "# x", "## Personality", "## first_message", "## Alternate greeting 3", "## Menu", "\\", "\\\\",
            "\\## Tags", "##", "#", "### deep", "- a", "", " ", "\t", "\r", "&#13;", "&amp;#13;", "&#10;", "\ufeff",
            "```", "word", "\u2028", "\x85", "\x0c", "\x1c",
        ]
    ),
    st.text(max_size=6),
)  # fmt: skip
TEXT = st.lists(PIECES, max_size=6).flatmap(
    lambda parts: st.sampled_from(["\n", "", " ", "\r\n"]).map(lambda separator: separator.join(parts))
)
CARDS = st.builds(
    CharacterCard,
    **{
        field: TEXT
        for field in CharacterCard.__dataclass_fields__
        if field not in {"alternate_greetings", "tags"}
    },
    alternate_greetings=st.lists(TEXT, max_size=3).map(tuple),
    tags=st.lists(TEXT, max_size=3).map(tuple),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(CARDS)
@example(CharacterCard(name="", description="# not the name"))
@example(CharacterCard(description="\n", first_message="\\", alternate_greetings=("", "## Tags")))
@example(CharacterCard(tags=("", "a, b", " c ")))
def test_every_card_comes_back_exactly(card: CharacterCard) -> None:
    assert parse_card_markdown(render_card_markdown(card)) == card


@settings(deadline=None, max_examples=60)
@given(CARDS)
def test_windows_line_ends_change_nothing(card: CharacterCard) -> None:
    assert parse_card_markdown("\ufeff" + render_card_markdown(card).replace("\n", "\r\n")) == card


@settings(deadline=None, max_examples=60)
@given(TEXT)
def test_every_text_is_a_card_and_settles_after_one_writing(text: str) -> None:
    card = parse_card_markdown(text)
    assert parse_card_markdown(render_card_markdown(card)) == card


def test_prose_alone_is_the_description() -> None:
    assert parse_card_markdown("She keeps the lamp.\n\nShe is kind.\n") == CharacterCard(
        description="She keeps the lamp.\n\nShe is kind."
    )


def test_the_first_top_heading_is_the_name_and_unknown_sections_belong_to_the_description() -> None:
    card = parse_card_markdown(
        "# Aria\n\nKeeps the lamp.\n\n## Looks\n\nTall.\n\n## PERSONALITY:\n\nKind.\n\n## Past\n\nShipwreck.\n\n"
        "## Tags\n\nsea, quiet\n- two, words\n"
    )
    assert card.name == "Aria"
    assert card.description == "Keeps the lamp.\n\n## Looks\n\nTall.\n\n## Past\n\nShipwreck."
    assert card.personality == "Kind."
    assert card.tags == ("sea", "quiet", "two, words")


def test_the_written_form_stays_readable() -> None:
    card = CharacterCard(
        name="Aria",
        description="Keeps the lamp.\n\n## Looks\n\nTall.",
        first_message="Hello {{user}}.",
        alternate_greetings=("Again?", "## Menu\nTea"),
        tags=("sea",),
    )
    assert render_card_markdown(card) == (
        "# Aria\n\nKeeps the lamp.\n\n## Looks\n\nTall.\n\n## First message\n\nHello {{user}}.\n\n"
        "## Alternate greeting\n\nAgain?\n\n## Alternate greeting\n\n\\## Menu\nTea\n\n## Tags\n\n- sea\n"
    )


def test_placeholders_are_filled_in_any_case_and_only_once() -> None:
    text = "{{char}} and {{USER}}, <bot> and <User>; {{other}} {char}"
    assert (
        fill_placeholders(text, char="{{user}}", user="Ann") == "{{user}} and Ann, {{user}} and Ann; {{other}} {char}"
    )
