"""What one evaluation looks at: the conversation, its surroundings, and the person's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.lorebook.likeness import Likeness

TRIGGERS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")
MAX_DEPTH = 1000


class Strategy(IntEnum):
    """Whose entries come first among those of the character and those of every chat."""

    EVENLY = 0
    CHARACTER_FIRST = 1
    GLOBAL_FIRST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreSettings:
    """The person's settings, which no book carries.

    `budget_percent` is of the scene's prompt tokens; `budget_cap` bounds it in tokens. 0 switches `budget_cap`,
    `max_passes`, `min_activations`, `min_activations_depth` and `max_entries` off. `max_passes` counts the first pass.
    """

    depth: int = 2
    budget_percent: float = 25
    budget_cap: int = 0
    recursive: bool = False
    max_passes: int = 0
    min_activations: int = 0
    min_activations_depth: int = 0
    case_sensitive: bool = False
    match_whole_words: bool = True
    group_scoring: bool = False
    strategy: Strategy = Strategy.CHARACTER_FIRST
    constants_first: bool = False
    fill_gaps: bool = False
    max_entries: int = 0


def _unchanged(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One moment of a conversation. `length` is how many messages it has, where `messages` are only the newest.

    `said` is how many of them the character said, where that does not show in `messages`. `greeting` is the number of
    the card's greeting that it began with, -1 where it began otherwise, None where that is not known.

    `messages` are the visible ones, oldest first, each as it is to be searched (`Name: text`). `injections` are the
    prompts inserted elsewhere that may wake entries. `likeness` is None where nothing compares meanings, and
    `character_tags` where nothing is recorded. A preview is a `dry_run`: it ignores sticky and cooldown and leaves no
    timers behind.
    """

    messages: tuple[str, ...] = ()
    length: int | None = None
    said: int | None = None
    greeting: int | None = None
    injections: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    trigger: str = "normal"
    character: str = ""
    character_tags: frozenset[str] | None = None
    note_inserted: bool = False
    prompt_tokens: int = 100_000
    expand: Callable[[str], str] = _unchanged
    forced: frozenset[EntryKey] = frozenset()
    likeness: Likeness | None = None
    dry_run: bool = False

    @property
    def chat_length(self) -> int:
        """How many messages the conversation has, by which timed effects go."""
        return len(self.messages) if self.length is None else self.length

    @property
    def character_messages(self) -> int:
        """How many messages the character said, by which decorators go."""
        if self.said is not None:
            return self.said
        return sum(message.startswith(f"{self.character}: ") for message in self.messages)
