"""The fields of a character card as the form shows them: titles, hints, and their texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.text import tr, tr_later

Kind = Literal["line", "text", "tags"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field; title and hint are translated where they are shown.

    `counted` tells that its text can go into prompts, so that its tokens matter.
    """

    name: str
    title: str
    hint: str
    kind: Kind = "text"
    lines: int = 4
    counted: bool = True


FIELDS = (
    Field("name", tr_later("Name"), tr_later("Stands for {{char}} in every other field."), "line"),
    Field(
        "description",
        tr_later("Description"),
        tr_later("Who this is: looks, history, manner. Always part of the prompt."),
        lines=10,
    ),
    Field("personality", tr_later("Personality"), tr_later("A short summary of the character."), lines=3),
    Field("scenario", tr_later("Scenario"), tr_later("Where and when conversations take place."), lines=3),
    Field(
        "first_message",
        tr_later("First message"),
        tr_later("Opens a new channel and sets the tone of what follows."),
        lines=6,
    ),
    Field(
        "example_dialogue",
        tr_later("Example dialogue"),
        tr_later("How the character speaks. <START> begins each example."),
        lines=6,
    ),
    Field(
        "system_prompt",
        tr_later("System prompt"),
        tr_later("Instructions to the model, before everything else."),
        lines=4,
    ),
    Field(
        "post_history_instructions",
        tr_later("Post-history instructions"),
        tr_later("Instructions after the conversation, near the answer."),
    ),
    Field("creator_notes", tr_later("Creator notes"), tr_later("For people. Never sent to the model."), counted=False),
    Field("creator", tr_later("Creator"), tr_later("Who wrote this card."), "line", counted=False),
    Field(
        "character_version", tr_later("Version"), tr_later("The author's own count of versions."), "line", counted=False
    ),
    Field(
        "tags",
        tr_later("Tags"),
        tr_later("Words to find the character by, with commas between them."),
        "tags",
        counted=False,
    ),
)
GREETINGS_AFTER = "first_message"
_BY_NAME = {field.name: field for field in FIELDS}


def text_of(card: CharacterCard, name: str) -> str:
    """Return a field's text as the form shows it."""
    value = getattr(card, name)
    return ", ".join(value) if name == "tags" else str(value)


def with_text(card: CharacterCard, name: str, text: str) -> CharacterCard:
    """Return the card with one field's text changed."""
    if name == "tags":
        tags = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
        return card if ", ".join(card.tags) == text else replace(card, tags=tags)
    return replace(card, **{name: text})


def changed_fields(before: CharacterCard, after: CharacterCard) -> list[str]:
    """Return the titles of the fields in which two cards differ."""
    titles = [tr(field.title) for field in FIELDS if getattr(before, field.name) != getattr(after, field.name)]
    if before.alternate_greetings != after.alternate_greetings:
        titles.append(tr("Alternate greetings"))
    return titles


def counted_texts(card: CharacterCard) -> dict[str, str]:
    """Return the texts whose tokens matter, by field; alternate greetings by their number."""
    texts = {field.name: text_of(card, field.name) for field in FIELDS if field.counted and field.name != "name"}
    texts |= {f"greeting_{number}": text for number, text in enumerate(card.alternate_greetings)}
    return texts


def title_of(name: str) -> str:
    """Return the title of a field."""
    return tr(_BY_NAME[name].title) if name in _BY_NAME else name.replace("_", " ")
