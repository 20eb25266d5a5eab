"""A saved memory: what the familiar, or a person for it, decided to keep, and about which server or person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from familiar_app.domain.fact_text import identity, normalise
from familiar_app.domain.ids import ChannelId, FamiliarId, Lineage, PersonKey, TurnId

MemoryId = NewType("MemoryId", int)

GLOBAL_LINEAGE = Lineage("0")
"""Rows that every familiar sees; only personal ones."""


class Scope(StrEnum):
    """What a memory is about: a server (or a place that is one of its own), or a person wherever they go."""

    SERVER = "server"
    PERSONAL = "personal"


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """Where a memory belongs. `owner` is a server's or a person's key."""

    scope: Scope
    owner: str
    lineage: Lineage

    @property
    def is_global(self) -> bool:
        """Whether every familiar sees it."""
        return self.lineage == GLOBAL_LINEAGE


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """A memory as it is now, or as it stood at an instant. A retired one leaves every prompt, count and list.

    `persona` is the familiar that learned it, `taught_by` who said so; `tags` limit where it is shown. `learned_in` is
    the channel of the conversation in which the familiar saved it, None where a person wrote it down.
    """

    id: MemoryId
    place: MemoryPlace
    persona: FamiliarId
    taught_by: PersonKey | None
    source_turn: TurnId | None
    content: str
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    manually_written: bool = False
    last_reinforced_at: datetime | None = None
    retired_at: datetime | None = None
    retired_reason: str | None = None
    retired_by: str | None = None
    learned_in: ChannelId | None = None

    @property
    def active(self) -> bool:
        """Whether it is not retired."""
        return self.retired_at is None


@dataclass(frozen=True, slots=True)
class MemoryState:
    """What a memory was after one act: why (`cause`), by whom, and in which turn it stands."""

    number: int
    at: datetime
    turn: TurnId
    cause: str
    by: str | None
    place: MemoryPlace
    content: str
    tags: tuple[str, ...]
    retired: bool


def usable_lineage(lineage: Lineage) -> bool:
    """Tell whether a familiar's lineage can own memories; 0 is kept for what every familiar sees."""
    return bool(lineage.strip("0-").strip())


def content_identity(content: str) -> bytes:
    """Return 16 bytes that are equal for contents that say the same, compared as facts are.

    Of signs alone nothing would be left to compare, so those are taken as they are.
    """
    return identity(content if normalise(content) else f"#{content.encode('utf-8', 'surrogatepass').hex()}", ())
