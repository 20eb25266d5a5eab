"""The fields of an entry as the form shows them: titles, kinds, hints, and what stands under "More"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from familiar_app.domain.lorebook.entry import LoreEntry, LoreRole, Position, SecondaryLogic

Kind = Literal[
    "line",
    "text",
    "keys",
    "flag",
    "inherit",
    "whole",
    "number",
    "choice",
    "words",
    "depth",
    "blank",
    "sources",
    "filter",
]
INHERIT = ((None, "As the book"), (True, "Yes"), (False, "No"))


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `choices` are (value, words); `section` is the heading it stands under."""

    name: str
    title: str
    kind: Kind
    hint: str = ""
    choices: tuple[tuple[Any, str], ...] = ()
    section: str = ""
    most: int = 1_000_000


LOGIC = (
    (SecondaryLogic.AND_ANY, "any of these too"),
    (SecondaryLogic.AND_ALL, "all of these too"),
    (SecondaryLogic.NOT_ANY, "none of these"),
    (SecondaryLogic.NOT_ALL, "not all of these"),
)
POSITIONS = (
    (Position.BEFORE, "Before the character"),
    (Position.AFTER, "After the character"),
    (Position.NOTE_TOP, "Above the author's note"),
    (Position.NOTE_BOTTOM, "Below the author's note"),
    (Position.AT_DEPTH, "In the conversation, at a depth"),
    (Position.EXAMPLES_BEFORE, "Before the examples"),
    (Position.EXAMPLES_AFTER, "After the examples"),
    (Position.OUTLET, "Where an outlet asks for it"),
)
SOURCE_TITLES = {
    "persona_description": "The person's description",
    "character_description": "The character's description",
    "character_personality": "Personality",
    "character_depth_prompt": "The character's note",
    "scenario": "Scenario",
    "creator_notes": "The creator's notes",
}
ROLES = ((LoreRole.SYSTEM, "System"), (LoreRole.USER, "User"), (LoreRole.ASSISTANT, "Familiar"))

FREQUENT = (
    Field("comment", "Name", "line", "For you; the model never sees it."),
    Field("keys", "Keys", "keys", "Any one of them wakes the entry. /…/i is a pattern."),
    Field("secondary_keys", "Secondary keys", "keys", "Looked at once a key is there."),
    Field("logic", "There must be", "choice", choices=LOGIC),
    Field("content", "Content", "text"),
    Field("order", "Order", "number", "Higher comes first, and gets the budget first."),
    Field("position", "Position", "choice", choices=POSITIONS),
    Field("depth", "Depth", "whole", "Messages above the end.", most=1000),
    Field("role", "Role", "choice", choices=ROLES),
    Field("outlet_name", "Outlet", "line"),
    Field("probability", "Probability, %", "number", "How often it gets in once a key is there.", most=100),
)
MORE = (
    Field("case_sensitive", "Capitals count", "inherit", choices=INHERIT, section="Matching"),
    Field("match_whole_words", "Whole words", "inherit", choices=INHERIT, section="Matching"),
    Field(
        "use_regex",
        "Keys are patterns",
        "inherit",
        choices=((None, "Those in slashes"), (True, "All"), (False, "None")),
        section="Matching",
    ),
    Field("scan_depth", "Messages looked at", "depth", section="Matching", most=1000),
    Field("sources", "Looks also into", "sources", section="Matching"),
    Field("selective", "Use the secondary keys", "flag", section="Matching"),
    Field("exclude_recursion", "Does not fire through other entries", "flag", section="Recursion"),
    Field("prevent_recursion", "Wakes no other entries", "flag", section="Recursion"),
    Field("delay_until_recursion", "Waits for recursion level", "whole", section="Recursion", most=1000),
    Field("group", "Groups", "line", "Of one group only one entry gets in. Several with commas.", section="Groups"),
    Field("group_override", "Goes first in its group", "flag", section="Groups"),
    Field("group_weight", "Weight in the draw", "number", section="Groups"),
    Field("use_group_scoring", "Most keys win", "inherit", choices=INHERIT, section="Groups"),
    Field("sticky", "Stays for messages", "whole", section="Timing"),
    Field("cooldown", "Then rests for messages", "whole", section="Timing"),
    Field("delay", "Not before message", "whole", section="Timing"),
    Field("use_probability", "Use the probability", "flag", section="Budget and chance"),
    Field("ignore_budget", "In even where the budget is used up", "flag", section="Budget and chance"),
    Field(
        "priority", "Priority", "blank", "For other programs: the lowest is dropped first.", section="Budget and chance"
    ),
    Field("triggers", "Only for kinds of answers", "words", "normal, continue, swipe, …", section="Filters"),
    Field("character_filter", "Characters", "filter", section="Filters"),
    Field("vectorized", "Found by meaning", "flag", section="Filters"),
)
FIELDS = (*FREQUENT, *MORE)
_PLAIN = LoreEntry(uid=0)


def changed_under_more(entry: LoreEntry) -> list[str]:
    """Return the titles of the fields under "More" that are not as they begin."""
    return [field.title for field in MORE if getattr(entry, field.name) != getattr(_PLAIN, field.name)]


def belongs(name: str, entry: LoreEntry) -> bool:
    """Tell whether a field says anything for this entry; those that do not are not shown."""
    if name in ("depth", "role"):
        return entry.position is Position.AT_DEPTH
    if name == "outlet_name":
        return entry.position is Position.OUTLET
    return name != "logic" or bool(entry.secondary_keys)


def words_of(text: str) -> tuple[str, ...]:
    """Split a list typed with commas."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
