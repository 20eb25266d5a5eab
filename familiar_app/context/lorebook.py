"""The lorebook's section of a prompt: authored entries that the conversation called for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.domain.lorebook.entry import LoreRole

LOREBOOK = "lorebook"
HEADING = "## Lorebook\n\n"


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text that stands before the newest `depth` lines of the history, as if said by `role`."""

    depth: int
    role: LoreRole
    text: str


@dataclass(frozen=True, slots=True)
class LoreReading:
    """What one evaluation brought into a prompt, and the whole story of it in JSON values."""

    key: str
    text: str = ""
    insertions: tuple[Insertion, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict, repr=False)


class LorebookLayer:
    """The entries that stand together in one section; those that stand among the turns are no part of its text."""

    name = LOREBOOK

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return ctx.lore.key if ctx.lore is not None else key_of()

    async def build(self, ctx: LayerContext) -> str:
        return ctx.lore.text if ctx.lore is not None else ""
