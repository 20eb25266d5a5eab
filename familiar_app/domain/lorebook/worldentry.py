"""Entries in the spelling of SillyTavern's world files, which cases are written in too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.fieldmap import Field, Note, Place, entry_from_values, read_values
from familiar_app.domain.lorebook.kind import (
    DURATION,
    FILTER,
    FLAG,
    INTEGER,
    LEVEL,
    LOGIC,
    NATURAL,
    NUMBER,
    OPPOSITE,
    POSITION,
    ROLE,
    TEXT,
    TEXTS,
    finite_number,
)

_FIELDS = (
    Field("keys", "key", TEXTS, required=True),
    Field("secondary_keys", "keysecondary", TEXTS),
    Field("comment", "comment", TEXT),
    Field("content", "content", TEXT, required=True),
    Field("constant", "constant", FLAG),
    Field("selective", "selective", FLAG),
    Field("logic", "selectiveLogic", LOGIC),
    Field("order", "order", NUMBER),
    Field("position", "position", POSITION),
    Field("enabled", "disable", OPPOSITE),
    Field("depth", "depth", NATURAL),
    Field("role", "role", ROLE),
    Field("outlet_name", "outletName", TEXT),
    Field("probability", "probability", NUMBER),
    Field("use_probability", "useProbability", FLAG),
    Field("group", "group", TEXT),
    Field("group_override", "groupOverride", FLAG),
    Field("group_weight", "groupWeight", NUMBER),
    Field("use_group_scoring", "useGroupScoring", FLAG),
    Field("scan_depth", "scanDepth", NATURAL),
    Field("case_sensitive", "caseSensitive", FLAG),
    Field("match_whole_words", "matchWholeWords", FLAG),
    Field("exclude_recursion", "excludeRecursion", FLAG),
    Field("prevent_recursion", "preventRecursion", FLAG),
    Field("delay_until_recursion", "delayUntilRecursion", LEVEL),
    Field("sticky", "sticky", DURATION),
    Field("cooldown", "cooldown", DURATION),
    Field("delay", "delay", DURATION),
    Field("ignore_budget", "ignoreBudget", FLAG),
    Field("triggers", "triggers", TEXTS),
    Field("source.persona_description", "matchPersonaDescription", FLAG),
    Field("source.character_description", "matchCharacterDescription", FLAG),
    Field("source.character_personality", "matchCharacterPersonality", FLAG),
    Field("source.character_depth_prompt", "matchCharacterDepthPrompt", FLAG),
    Field("source.scenario", "matchScenario", FLAG),
    Field("source.creator_notes", "matchCreatorNotes", FLAG),
    Field("vectorized", "vectorized", FLAG),
    Field("automation_id", "automationId", TEXT),
    Field("display_index", "displayIndex", INTEGER),
    Field("character_filter", "characterFilter", FILTER),
)


def snake_name(name: str) -> str:
    """Return a camel-case name the way cards spell it."""
    return re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name)


def _both_spellings(field: Field) -> Field:
    snake = snake_name(field.path)
    return field if snake == field.path else replace(field, also=(Place(snake, field.kind),))


WORLD_FIELDS = tuple(map(_both_spellings, _FIELDS))
"""All fields; the spelling that cards use is understood too."""


def entry_from_world(raw: Mapping[str, Any], position: int, note: Note) -> LoreEntry:
    """Read one entry; without a usable id it gets its position."""
    uid = finite_number(raw.get("uid"))
    return entry_from_values(position if uid is None else int(uid), read_values(raw, WORLD_FIELDS, note))
