"""NovelAI's `.lorebook` files, also inside pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import Folder
from familiar_app.domain.lorebook.fieldmap import Field
from familiar_app.domain.lorebook.kind import FLAG, NUMBER, TEXT, TEXTS, whole_text
from familiar_app.domain.text import tr_later
from familiar_app.interchange.lorebook.shape import Shape


def _folders(value: Any) -> tuple[Folder, ...]:
    listed = value.get("categories") if isinstance(value, Mapping) else None
    return tuple(
        Folder(whole_text(str(raw["id"])), whole_text(str(raw.get("name") or "")), raw.get("enabled") is not False)
        for raw in (listed if isinstance(listed, list) else [])
        if isinstance(raw, Mapping) and "id" in raw
    )


NOVELAI = Shape(
    name="novelai",
    entries_path="entries",
    uid_path="id",
    fields=(
        Field("keys", "keys", TEXTS, required=True),
        Field("comment", "displayName", TEXT, required=True),
        Field("content", "text", TEXT, required=True),
        Field("enabled", "enabled", FLAG, required=True),
        Field("constant", "forceActivation", FLAG, required=True),
        Field("order", "contextConfig.budgetPriority", NUMBER, required=True, default=400),
        Field("folder", "category", TEXT),
    ),
    implied={"match_whole_words": True, "case_sensitive": False},
    entry_base={
        "text": "",
        "displayName": "",
        "keys": [],
        "searchRange": 1000,
        "enabled": True,
        "forceActivation": False,
        "keyRelative": False,
        "nonStoryActivatable": False,
        "category": "",
        "loreBiasGroups": [],
        "contextConfig": {
            "prefix": "",
            "suffix": "\n",
            "tokenBudget": 2048,
            "reservedTokens": 0,
            "budgetPriority": 400,
            "trimDirection": "trimBottom",
            "insertionType": "newline",
            "maximumTrimType": "sentence",
            "insertionPosition": -1,
        },
    },
    book_base={"lorebookVersion": 5, "entries": [], "settings": {"orderByKeyLocations": False}, "categories": []},
    unused={
        "searchRange": tr_later("the range is counted in characters there"),
        "keyRelative": tr_later("the place next to the key has no counterpart"),
        "nonStoryActivatable": tr_later("looking into other entries is a setting of all entries here"),
        "loreBiasGroups": tr_later("biases are not used"),
        "lastUpdatedAt": tr_later("the time of the last change is not used"),
        "contextConfig.prefix": tr_later("text around the content is not used"),
        "contextConfig.suffix": tr_later("text around the content is not used"),
        "contextConfig.insertionPosition": tr_later("the place is not used"),
        "contextConfig.reservedTokens": tr_later("reserved room is not used"),
        "allowInnerInsertion": tr_later("nested insertion is not used"),
        "allowInsertionInside": tr_later("nested insertion is not used"),
    },
    read_folders=_folders,
)
