"""On whose behalf memories are kept by hand, and who may change which of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.domain.ids import OWNER, FamiliarId, Lineage, PersonKey
from familiar_app.domain.saved_memory.memory import MemoryPlace, SavedMemory, Scope
from familiar_app.domain.saved_memory.request import Limits


@dataclass(frozen=True, slots=True)
class Keeper:
    """A familiar as far as its memories are concerned."""

    familiar: FamiliarId
    lineage: Lineage
    limits: Limits
    max_tags: int


@dataclass(frozen=True, slots=True)
class Wording:
    """A memory in the making: where it belongs, what it says, and its tags."""

    place: MemoryPlace
    content: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who wants to change memories: the servers they manage, and where members may teach."""

    key: PersonKey
    manages: Sequence[str] = ()
    may_teach_in: Sequence[str] = ()


def may_change(actor: Actor, place: MemoryPlace, memory: SavedMemory | None = None) -> bool:
    """Tell whether somebody may add to a place (without a memory) or change one there. Ask at each action anew.

    The program's owner may everything, anybody may what is about themselves, a manager what is about the server;
    others only what they taught it themselves, where members may teach.
    """
    if actor.key == OWNER:
        return True
    if place.scope is Scope.PERSONAL:
        return place.owner == actor.key
    if place.owner in actor.manages:
        return True
    return place.owner in actor.may_teach_in and (memory is None or memory.taught_by == actor.key)
