"""Finds out which format a JSON value is in. Names of files and chunks are not asked, only what stands inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.interchange.card_json import card_format
from familiar_app.interchange.lorebook.agnai import AGNAI
from familiar_app.interchange.lorebook.cardbook import BOOK_V2, BOOK_V3
from familiar_app.interchange.lorebook.foreign import residue_from
from familiar_app.interchange.lorebook.kobold import AI_DUNGEON, KOBOLD, KOBOLD_STORY, KOBOLD_V2
from familiar_app.interchange.lorebook.novelai import NOVELAI
from familiar_app.interchange.lorebook.risu import RISU, RISU_MODULE
from familiar_app.interchange.lorebook.shape import Shape
from familiar_app.interchange.lorebook.world import CHUB, WORLD, is_chub

SHAPES = {shape.name: shape for shape in (WORLD, CHUB, BOOK_V2, BOOK_V3, RISU, NOVELAI, AGNAI, KOBOLD, AI_DUNGEON)}


_VARIANTS = (RISU_MODULE, KOBOLD_STORY, KOBOLD_V2)


def shape_of_book(format_name: str, book: LoreBook) -> Shape:
    """Return the shape in which a book is written: the form of the format that it came from, else the usual one."""
    for shape in _VARIANTS:
        if shape.name == format_name and residue_from(book.foreign, shape.foreign_name) is not None:
            return shape
    return SHAPES[format_name]


def find_shape(value: Any) -> tuple[Shape, tuple[str, ...]] | None:
    """Return the shape of a lorebook and the names on the way to it inside the value, None where there is none."""
    if isinstance(value, list):
        shape = _list_shape(value)
        return (shape, ()) if shape else None
    if not isinstance(value, Mapping):
        return None
    marked = _marked(value)
    if marked is not None:
        return marked
    if isinstance(value.get("entries"), Mapping | list):
        return _book_shape(value["entries"]), ()
    worldinfo_v2 = value.get("worldinfo_v2")
    if isinstance(worldinfo_v2, Mapping) and isinstance(worldinfo_v2.get("entries"), Mapping | list):
        return KOBOLD_V2, ()
    return (KOBOLD_STORY, ()) if isinstance(value.get("worldinfo"), list) else None


def is_card(value: Any) -> bool:
    """Tell whether the value is a character card of some version."""
    return isinstance(value, Mapping) and "entries" not in value and card_format(value) is not None


def _marked(value: Mapping[str, Any]) -> tuple[Shape, tuple[str, ...]] | None:
    """Recognise formats that say what they are."""
    if "lorebookVersion" in value:
        return NOVELAI, ()
    if value.get("type") == "risu" and isinstance(value.get("data"), list):
        return RISU, ()
    if value.get("type") == "risuModule" and isinstance(value.get("module"), Mapping):
        return RISU_MODULE, ()
    if value.get("kind") == "memory":
        return AGNAI, ()
    if value.get("spec") == "lorebook_v3" and isinstance(value.get("data"), Mapping):
        return BOOK_V3, ("data",)
    story = value.get("content") if isinstance(value.get("storyContainerVersion"), int) else value
    lorebook = story.get("lorebook") if isinstance(story, Mapping) else None
    if isinstance(lorebook, Mapping) and "lorebookVersion" in lorebook:
        return NOVELAI, ("lorebook",) if story is value else ("content", "lorebook")
    return None


def _book_shape(entries: Mapping[str, Any] | list[Any]) -> Shape:
    listed = list(entries.values()) if isinstance(entries, Mapping) else entries
    first = next((raw for raw in listed if isinstance(raw, Mapping)), {})
    if isinstance(entries, Mapping) and is_chub(entries):
        return CHUB
    if "key" in first or (isinstance(entries, Mapping) and "keys" not in first):
        return WORLD
    return BOOK_V2


def _list_shape(value: list[Any]) -> Shape | None:
    first = next((raw for raw in value if isinstance(raw, Mapping)), None)
    if first is None:
        return KOBOLD if not value else None
    if "key" in first:
        return KOBOLD
    if "keys" in first and isinstance(first["keys"], str):
        return AI_DUNGEON
    return None
