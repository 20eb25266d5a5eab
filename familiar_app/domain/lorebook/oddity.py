"""What can be odd about an entry of a lorebook."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Oddity(StrEnum):
    """What is odd about an entry. The first ten mean that it never comes in."""

    NO_KEYS = "no-keys"
    NO_CHANCE = "no-chance"
    FOLDER_OFF = "folder-off"
    SAYS_NO = "says-no"
    CONTRADICTION = "contradiction"
    DEAD_MIX = "dead-mix"
    NO_TRIGGER = "no-trigger"
    DEAD_KEYS = "dead-keys"
    SHADOWED = "shadowed"
    TOO_LARGE = "too-large"
    EMPTY = "empty"
    NO_OUTLET = "no-outlet"
    BAD_PATTERN = "bad-pattern"
    NOT_CONSTANT = "not-constant"
    BROAD_KEY = "broad-key"
    REPEATED_KEY = "repeated-key"
    SAME_KEYS = "same-keys"
    SAME_CONTENT = "same-content"
    UNKNOWN_FOLDER = "unknown-folder"
    IDLE_DECORATOR = "idle-decorator"


_NEVER = frozenset(list(Oddity)[:10])


@dataclass(frozen=True, slots=True)
class LoreWarning:
    """One thing that is odd about an entry, with a sentence for people."""

    kind: Oddity
    text: str

    @property
    def never(self) -> bool:
        """Tell whether the entry can't come in because of it."""
        return self.kind in _NEVER
