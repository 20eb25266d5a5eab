"""What the tools of one familiar stand on."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.conversation.memory_tool import MemoryTools
from familiar_app.domain.clock import Clock
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class ToolParts:
    """The memory tools, the familiar with its name and settings, the vault and the clock."""

    memory: MemoryTools
    familiar: FamiliarId
    char: str
    config: CharacterConfig
    vault: Vault
    clock: Clock
