"""The lorebook's section of a prompt: authored entries that the conversation called for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.domain.lorebook.entry import LoreRole

LOREBOOK = "lorebook"
HEADING = "## Lorebook\n\n"


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text that stands before the newest `depth` lines of the history, as if said by `role`.

    With `from_start` it stands after the oldest `depth` lines that are shown.
    """

    depth: int
    role: LoreRole
    text: str
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class LoreReading:
    """What one evaluation brought into a prompt, and the whole story of it in JSON values."""

    key: str
    text: str = ""
    insertions: tuple[Insertion, ...] = ()
    outlets: Mapping[str, str] = field(default_factory=dict)
    trace: dict[str, Any] = field(default_factory=dict, repr=False)


OUTLET_FIELDS = (
    "system_prompt",
    "description",
    "personality",
    "scenario",
    "example_dialogue",
    "post_history_instructions",
)
"""The fields of a card that may have outlets."""
_OUTLET = re.compile(r"\{\{outlet::([^{}]*)\}\}", re.IGNORECASE)


def outlet_names(text: str) -> frozenset[str]:
    """Return the names of the outlets that a text has, `{{outlet::name}}`; they are told apart by their case."""
    return frozenset(name.strip() for name in _OUTLET.findall(text))


def fill_outlets(text: str, outlets: Mapping[str, str]) -> str:
    """Let the entries of each outlet stand in its place; one without entries vanishes."""
    return _OUTLET.sub(lambda match: outlets.get(match[1].strip(), ""), text)


class LorebookLayer:
    """The entries that stand together in one section; those that stand among the turns are no part of its text."""

    name = LOREBOOK

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return ctx.lore.key if ctx.lore is not None else key_of()

    async def build(self, ctx: LayerContext) -> str:
        return ctx.lore.text if ctx.lore is not None else ""
