"""Lorebook entries and books as the engine sees them, whatever format they came from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class SecondaryLogic(IntEnum):
    """What the secondary keys have to do once a primary key matched."""

    AND_ANY = 0
    NOT_ALL = 1
    NOT_ANY = 2
    AND_ALL = 3


class Position(IntEnum):
    """Where an entry's content goes in the prompt."""

    BEFORE = 0
    AFTER = 1
    NOTE_TOP = 2
    NOTE_BOTTOM = 3
    AT_DEPTH = 4
    EXAMPLES_BEFORE = 5
    EXAMPLES_AFTER = 6
    OUTLET = 7


class LoreRole(IntEnum):
    """Who seems to say an entry that is inserted at a depth."""

    SYSTEM = 0
    USER = 1
    ASSISTANT = 2


SOURCES = (
    "persona_description",
    "character_description",
    "character_personality",
    "character_depth_prompt",
    "scenario",
    "creator_notes",
)
"""Texts beside the conversation that an entry may ask to be searched too, in the order in which they are searched."""

DEFAULT_DEPTH = 4


@dataclass(frozen=True, slots=True)
class CharacterFilter:
    """Characters that an entry is for, or not for with `exclude`. Names are card file names without ending."""

    exclude: bool = False
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreEntry:
    """One entry. None in a setting means that the book's or the person's own setting holds.

    `delay_until_recursion` is the level at which the entry opens, 0 for none. `sticky`, `cooldown` and `delay` count
    messages. `use_regex` True makes every key a pattern and False none; None leaves it to how a key is written.
    `foreign` is what another program's file said beyond all this.
    """

    uid: int | str
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    content: str = ""
    comment: str = ""
    enabled: bool = True
    constant: bool = False
    selective: bool = True
    logic: SecondaryLogic | None = SecondaryLogic.AND_ANY
    order: float = 100
    position: Position = Position.BEFORE
    depth: int | None = DEFAULT_DEPTH
    role: LoreRole = LoreRole.SYSTEM
    outlet_name: str = ""
    probability: float = 100
    use_probability: bool = True
    group: str = ""
    group_override: bool = False
    group_weight: float = 100
    use_group_scoring: bool | None = None
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    match_whole_words: bool | None = None
    use_regex: bool | None = None
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: int = 0
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    ignore_budget: bool = False
    triggers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    character_filter: CharacterFilter | None = None
    vectorized: bool = False
    automation_id: str = ""
    display_index: int | None = None
    priority: float | None = None
    folder: str = ""
    foreign: str = ""

    @property
    def name(self) -> str:
        """What lists and traces call the entry."""
        return self.comment or (self.keys[0] if self.keys else f"#{self.uid}")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that entries name by its id. The entries of one that is not enabled are off."""

    id: str
    name: str
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreBook:
    """A named list of entries in file order. `scan_depth`, `token_budget` and `recursive` are the author's wishes."""

    name: str
    entries: tuple[LoreEntry, ...] = ()
    folders: tuple[Folder, ...] = ()
    description: str = ""
    scan_depth: int | None = None
    token_budget: int | None = None
    recursive: bool | None = None
    foreign: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundBooks:
    """The books of one chat by what binds them. A book that is bound twice is taken once, for its first place here."""

    everywhere: tuple[LoreBook, ...] = ()
    chat: tuple[LoreBook, ...] = ()
    persona: tuple[LoreBook, ...] = ()
    character: tuple[LoreBook, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryKey:
    """The identity of an entry among all bound books."""

    book: str
    uid: int | str

    def __str__(self) -> str:
        return f"{self.book}.{self.uid}"
