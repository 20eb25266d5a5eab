"""SillyTavern's world files, and Chub's, which say everything in two spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.fieldmap import Field, Place
from familiar_app.domain.lorebook.kind import FLAG, NATURAL, NUMBER, TEXT, TEXTS
from familiar_app.domain.lorebook.worldentry import WORLD_FIELDS
from familiar_app.domain.text import tr_later
from familiar_app.interchange.lorebook.shape import Shape

_TEMPLATE: dict[str, Any] = {
    "uid": 0,
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": True,
    "order": 100,
    "position": 0,
    "disable": False,
    "ignoreBudget": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "matchPersonaDescription": False,
    "matchCharacterDescription": False,
    "matchCharacterPersonality": False,
    "matchCharacterDepthPrompt": False,
    "matchScenario": False,
    "matchCreatorNotes": False,
    "delayUntilRecursion": 0,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "outletName": "",
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": None,
    "cooldown": None,
    "delay": None,
    "triggers": [],
    "displayIndex": 0,
}

_BOOK_NAME = Field("name", "name", TEXT, default="")

WORLD = Shape(
    name="sillytavern",
    entries_path="entries",
    keyed=True,
    uid_path="uid",
    fields=WORLD_FIELDS,
    book_fields=(_BOOK_NAME,),
    entry_base=_TEMPLATE,
    book_base={"entries": {}},
    unused={"addMemo": tr_later("whether a list shows the title is not kept apart")},
)

_SECOND_SPELLINGS = {
    "keys": ("keys", TEXTS),
    "secondary_keys": ("secondary_keys", TEXTS),
    "order": ("insertion_order", NUMBER),
    "enabled": ("enabled", FLAG),
    "case_sensitive": ("case_sensitive", FLAG),
}


def _chub_field(field: Field) -> Field:
    if field.attribute == "comment":
        return Field("comment", "comment", TEXT, (Place("name", TEXT),), skip_blank=True)
    second = _SECOND_SPELLINGS.get(field.attribute)
    if second is None:
        return field
    return Field(field.attribute, field.path, field.kind, (Place(*second),), required=field.required)


BOOK_SETTINGS = (
    Field("description", "description", TEXT, default=""),
    Field("scan_depth", "scan_depth", NATURAL, default=None),
    Field("token_budget", "token_budget", NATURAL, default=None),
    Field("recursive", "recursive_scanning", FLAG, default=None),
)

CHUB = Shape(
    name="chub",
    entries_path="entries",
    keyed=True,
    uid_path="uid",
    fields=(*map(_chub_field, WORLD_FIELDS), Field("priority", "priority", NUMBER)),
    book_fields=(_BOOK_NAME, *BOOK_SETTINGS),
    entry_base=_TEMPLATE
    | {
        "keys": [],
        "secondary_keys": [],
        "id": 0,
        "insertion_order": 100,
        "enabled": True,
        "name": "",
        "priority": 10,
        "case_sensitive": False,
        "extensions": {},
    },
    book_base={
        "name": "",
        "description": "",
        "is_creation": False,
        "scan_depth": 2,
        "token_budget": 500,
        "recursive_scanning": False,
        "extensions": {"chub": {}},
        "entries": {},
    },
    unused={
        "addMemo": tr_later("whether a list shows the title is not kept apart"),
        "extensions": tr_later("the settings are said beside them already"),
        "id": tr_later("the id is said twice"),
    },
)


def is_chub(entries: Mapping[str, Any]) -> bool:
    """Tell whether an object of entries uses both spellings."""
    return any(isinstance(raw, Mapping) and "key" in raw and "keys" in raw for raw in entries.values())
