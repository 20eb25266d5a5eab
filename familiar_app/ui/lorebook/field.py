"""The fields of an entry as the form shows them: titles, kinds, hints, and what stands under "More"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from familiar_app.domain.lorebook.entry import LoreEntry, LoreRole, Position, SecondaryLogic
from familiar_app.domain.text import tr_later
from familiar_app.ui.lorebook.word import lore_word

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
INHERIT = ((None, tr_later("As the book")), (True, tr_later("Yes")), (False, tr_later("No")))


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `choices` are (value, words); `section` is the heading it stands under. `lore_word` translates."""

    name: str
    title: str
    kind: Kind
    hint: str = ""
    choices: tuple[tuple[Any, str], ...] = ()
    section: str = ""
    most: int = 1_000_000


LOGIC = (
    (SecondaryLogic.AND_ANY, tr_later("any of these too")),
    (SecondaryLogic.AND_ALL, tr_later("all of these too")),
    (SecondaryLogic.NOT_ANY, tr_later("none of these")),
    (SecondaryLogic.NOT_ALL, tr_later("not all of these")),
)
POSITIONS = (
    (Position.BEFORE, tr_later("Before the character")),
    (Position.AFTER, tr_later("After the character")),
    (Position.NOTE_TOP, tr_later("Above the author's note")),
    (Position.NOTE_BOTTOM, tr_later("Below the author's note")),
    (Position.AT_DEPTH, tr_later("In the conversation, at a depth")),
    (Position.EXAMPLES_BEFORE, tr_later("Before the examples")),
    (Position.EXAMPLES_AFTER, tr_later("After the examples")),
    (Position.OUTLET, tr_later("Where an outlet asks for it")),
)
SOURCE_TITLES = {
    "persona_description": tr_later("The person's description"),
    "character_description": tr_later("The character's description"),
    "character_personality": tr_later("Personality"),
    "character_depth_prompt": tr_later("The character's note"),
    "scenario": tr_later("Scenario"),
    "creator_notes": tr_later("The creator's notes"),
}
ROLES = (
    (LoreRole.SYSTEM, tr_later("System")),
    (LoreRole.USER, tr_later("User")),
    (LoreRole.ASSISTANT, tr_later("Familiar")),
)

FREQUENT = (
    Field("comment", tr_later("Name"), "line", tr_later("For you; the model never sees it.")),
    Field("keys", "Keys", "keys", tr_later("Any one of them wakes the entry. /…/i is a pattern.")),
    Field("secondary_keys", tr_later("Secondary keys"), "keys", tr_later("Looked at once a key is there.")),
    Field("logic", tr_later("There must be"), "choice", choices=LOGIC),
    Field("content", tr_later("Content"), "text"),
    Field("order", "Order", "number", tr_later("Higher comes first, and gets the budget first.")),
    Field("position", tr_later("Position"), "choice", choices=POSITIONS),
    Field("depth", "Depth", "whole", tr_later("Messages above the end."), most=1000),
    Field("role", "Role", "choice", choices=ROLES),
    Field("outlet_name", tr_later("Outlet"), "line"),
    Field(
        "probability",
        tr_later("Probability, %"),
        "number",
        tr_later("How often it gets in once a key is there."),
        most=100,
    ),
)
MORE = (
    Field("case_sensitive", tr_later("Capitals count"), "inherit", choices=INHERIT, section=tr_later("Matching")),
    Field("match_whole_words", tr_later("Whole words"), "inherit", choices=INHERIT, section=tr_later("Matching")),
    Field(
        "use_regex",
        tr_later("Keys are patterns"),
        "inherit",
        choices=((None, tr_later("Those in slashes")), (True, "All"), (False, "None")),
        section=tr_later("Matching"),
    ),
    Field("scan_depth", tr_later("Messages looked at"), "depth", section=tr_later("Matching"), most=1000),
    Field("sources", tr_later("Looks also into"), "sources", section=tr_later("Matching")),
    Field("selective", tr_later("Use the secondary keys"), "flag", section=tr_later("Matching")),
    Field("exclude_recursion", tr_later("Does not fire through other entries"), "flag", section=tr_later("Recursion")),
    Field("prevent_recursion", tr_later("Wakes no other entries"), "flag", section=tr_later("Recursion")),
    Field(
        "delay_until_recursion",
        tr_later("Waits for recursion level"),
        "whole",
        section=tr_later("Recursion"),
        most=1000,
    ),
    Field(
        "group",
        tr_later("Groups"),
        "line",
        tr_later("Of one group only one entry gets in. Several with commas."),
        section=tr_later("Groups"),
    ),
    Field("group_override", tr_later("Goes first in its group"), "flag", section=tr_later("Groups")),
    Field("group_weight", tr_later("Weight in the draw"), "number", section=tr_later("Groups")),
    Field("use_group_scoring", tr_later("Most keys win"), "inherit", choices=INHERIT, section=tr_later("Groups")),
    Field("sticky", tr_later("Stays for messages"), "whole", section=tr_later("Timing")),
    Field("cooldown", tr_later("Then rests for messages"), "whole", section=tr_later("Timing")),
    Field("delay", tr_later("Not before message"), "whole", section=tr_later("Timing")),
    Field("use_probability", tr_later("Use the probability"), "flag", section=tr_later("Budget and chance")),
    Field(
        "ignore_budget", tr_later("In even where the budget is used up"), "flag", section=tr_later("Budget and chance")
    ),
    Field(
        "priority",
        tr_later("Priority"),
        "blank",
        tr_later("For other programs: the lowest is dropped first."),
        section=tr_later("Budget and chance"),
    ),
    Field(
        "triggers",
        tr_later("Only for kinds of answers"),
        "words",
        tr_later("normal, continue, swipe, …"),
        section=tr_later("Filters"),
    ),
    Field("character_filter", tr_later("Characters"), "filter", section=tr_later("Filters")),
    Field("vectorized", tr_later("Found by meaning"), "flag", section=tr_later("Filters")),
)
FIELDS = (*FREQUENT, *MORE)
_TITLES = {
    **{field.name: field.title for field in FIELDS},
    "enabled": tr_later("Enabled"),
    "constant": tr_later("Always in"),
    "folder": tr_later("Folder"),
    "folders": tr_later("Folders"),
    "description": tr_later("What it is about"),
    "token_budget": tr_later("Most tokens"),
    "recursive": tr_later("Entries wake each other"),
    "foreign": tr_later("From other programs"),
}
_PLAIN = LoreEntry(uid=0)


def field_title(name: str) -> str:
    """Return what a field of an entry or of a book is called."""
    return lore_word(_TITLES.get(name, name))


def changed_under_more(entry: LoreEntry) -> list[str]:
    """Return the titles of the fields under "More" that are not as they begin."""
    return [lore_word(field.title) for field in MORE if getattr(entry, field.name) != getattr(_PLAIN, field.name)]


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
