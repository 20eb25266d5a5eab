"""Card objects of other programs (V1, V2, V3, Pygmalion) to and from `CharacterCard`.

The object a card came from is kept whole by its reader. Writing lays the card over such an object: a field whose
meaning did not change keeps its old spelling, and fields that are unknown here stay where they are.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.interchange.json_text import storable
from familiar_app.interchange.report import Report

CardVersion = Literal["card-v1", "card-v2", "card-v3"]

_JSON_NAMES = {
    "name": "name",
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "first_message": "first_mes",
    "example_dialogue": "mes_example",
    "system_prompt": "system_prompt",
    "post_history_instructions": "post_history_instructions",
    "creator_notes": "creator_notes",
    "creator": "creator",
    "character_version": "character_version",
    "alternate_greetings": "alternate_greetings",
    "tags": "tags",
}
_V1_FIELDS = ("name", "description", "personality", "scenario", "first_message", "example_dialogue")
_LIST_FIELDS = ("alternate_greetings", "tags")
_PYGMALION = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
}
_SPECS = {"card-v2": ("chara_card_v2", "2.0"), "card-v3": ("chara_card_v3", "3.0")}
_LEGACY_NOTES = {"creatorcomment": "creator_notes"}
_UNUSED = {
    "nickname": tr_later("a nickname has no place here"),
    "creator_notes_multilingual": tr_later("only the notes in the first language are used"),
    "source": tr_later("links to the card's origin are kept, not followed"),
    "group_only_greetings": tr_later("greetings for groups are not used"),
    "assets": tr_later("of the pictures and sounds only the portrait is used"),
}


def card_format(raw: Mapping[str, Any]) -> CardVersion | None:
    """Tell which kind of card an object is; None where it is no card. The container's name is not asked."""
    spec, data = raw.get("spec"), raw.get("data")
    if isinstance(spec, str) and spec.startswith("chara_card"):
        if not isinstance(data, Mapping):
            return None
        return "card-v2" if spec == "chara_card_v2" else "card-v3"
    if isinstance(data, Mapping) and _looks_flat(data):
        return "card-v2"
    return "card-v1" if _looks_flat(raw) or "char_name" in raw else None


def card_data(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that holds a card's fields: `data` of V2 and V3, the object itself of V1."""
    data = raw.get("data")
    return data if isinstance(data, Mapping) and card_format(raw) != "card-v1" else raw


def card_from_json(raw: Mapping[str, Any], *, source: Path, report: Report) -> CharacterCard:
    """Read a card object, repairing what is meant clearly. Raises BadInputError where it is no card."""
    version = card_format(raw)
    if version is None:
        raise BadInputError(
            tr("this is not a character card."),
            source=source,
            next_step=tr("A card has a name, a description and a first message, or says chara_card_v2 or _v3."),
        )
    data = _with_known_names(card_data(raw), report)
    values: dict[str, Any] = {}
    for field, key in _JSON_NAMES.items():
        if key not in data and (field in _V1_FIELDS or version != "card-v1"):
            report.add(key, "defaulted", tr("the field is missing and counts as empty"))
        values[field] = _read_field(data, field, report)
    card = CharacterCard(**values)
    if not card.name.strip():
        report.add("name", "defaulted", tr("the card has no name; the file's name is used"))
        card = replace(card, name=storable(source.stem))
    _note_unused(data, report)
    return card


def card_to_json(card: CharacterCard, version: CardVersion, raw: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the card as an object of this version, laid over `raw` where that is a card too."""
    there = None if raw is None else card_format(raw)
    if raw is not None and there == version:
        base = copy.deepcopy(dict(raw))
        _lay_over(base["data"] if version != "card-v1" and isinstance(base.get("data"), dict) else base, card)
        if version != "card-v1":
            _lay_over(base, card, only_present=True)
        return base
    data = copy.deepcopy(dict(card_data(raw))) if raw is not None and "card-v1" not in (there, version) else {}
    _lay_over(data, card, fields=_V1_FIELDS if version == "card-v1" else tuple(_JSON_NAMES), fill=True)
    if version == "card-v1":
        return data
    data.setdefault("extensions", {})
    if version == "card-v3":
        data.setdefault("group_only_greetings", [])
    spec, spec_version = _SPECS[version]
    return {"spec": spec, "spec_version": spec_version, "data": data}


def _lay_over(
    target: dict[str, Any],
    card: CharacterCard,
    *,
    fields: tuple[str, ...] = tuple(_JSON_NAMES),
    fill: bool = False,
    only_present: bool = False,
) -> None:
    """Write the fields that read differently; `fill` also those that are missing and empty."""
    named = _with_known_names(target, Report())
    for field in fields:
        key, value = _JSON_NAMES[field], getattr(card, field)
        missing = key not in named
        if (missing and (fill or (value and not only_present))) or (
            not missing and _read_field(named, field, Report()) != value
        ):
            target[key] = list(value) if field in _LIST_FIELDS else value


def _looks_flat(data: Mapping[str, Any]) -> bool:
    if "name" not in data:
        return False
    return any(key in data for key in ("first_mes", "mes_example", "personality")) or (
        "description" in data and "scenario" in data
    )


def _with_known_names(data: Mapping[str, Any], report: Report) -> Mapping[str, Any]:
    renames = {**(_PYGMALION if "char_name" in data else {}), **_LEGACY_NOTES}
    named = dict(data)
    for old, new in renames.items():
        if old in data and new not in data:
            named[new] = named.pop(old)
            report.add(new, "renamed", tr("the file calls it {name}", name=old))
    return named


def _read_field(data: Mapping[str, Any], field: str, report: Report) -> str | tuple[str, ...]:
    key = _JSON_NAMES[field]
    return _read_list(data, key, report) if field in _LIST_FIELDS else _read_text(data, key, report)


def _read_text(data: Mapping[str, Any], key: str, report: Report) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        text = storable(value)
        if text != value:
            report.add(key, "repaired", tr("half a character was replaced"))
        return text
    if isinstance(value, bool | int | float):
        report.add(key, "repaired", tr("a number stood where a text belongs"))
        return str(value)
    report.add(key, "dropped", tr("the field is not a text"))
    return ""


def _read_list(data: Mapping[str, Any], key: str, report: Report) -> tuple[str, ...]:
    value = data.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        report.add(key, "repaired", tr("a text stood where a list belongs"))
        return tuple(part.strip() for part in storable(value).split(",")) if key == "tags" else (storable(value),)
    if not isinstance(value, list):
        report.add(key, "dropped", tr("the field is not a list"))
        return ()
    texts = [storable(item) if isinstance(item, str) else str(item) for item in value if item is not None]
    if any(not isinstance(item, str) for item in value):
        report.add(key, "repaired", tr("some items of the list were no texts"))
    return tuple(texts)


def _note_unused(data: Mapping[str, Any], report: Report) -> None:
    for key, why in _UNUSED.items():
        if data.get(key):
            report.add(key, "ignored", tr(why))
    extensions = data.get("extensions")
    if isinstance(extensions, Mapping) and _has_note(extensions.get("depth_prompt")):
        report.add(
            "extensions.depth_prompt",
            "ignored",
            tr("the character's own note is no part of prompts; lorebook entries can search it"),
        )
    book = data.get("character_book")
    if isinstance(book, Mapping):
        entries = book.get("entries")
        count = len(entries) if isinstance(entries, list | Mapping) else 0
        report.add(
            "character_book",
            "ignored",
            ntr(
                "the card carries a lorebook of {n} entry; import it by itself",
                "the card carries a lorebook of {n} entries; import it by itself",
                count,
            ),
        )
    known = {*_JSON_NAMES.values(), *_UNUSED, *_PYGMALION, "character_book", "extensions", "spec", "spec_version"}
    for key in data:
        if key not in known and data[key] not in (None, "", [], {}):
            report.add(storable(key)[:80], "ignored", tr("the field is unknown here and stays with the file"))


def _has_note(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("prompt"), str) and bool(value["prompt"].strip())
