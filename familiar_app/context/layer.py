"""What a prompt layer is, and what it may look at. A further layer is one class and one line in `registry`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from familiar_app.domain.audience import NOBODY, Audience
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.ranking import Weights
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.trace import LeftOut
from familiar_app.domain.turn import Channel
from familiar_app.domain.variation import UNCHANGED, Variation
from familiar_app.store.vault import Vault

if TYPE_CHECKING:
    from familiar_app.context.lorebook import LoreReading
    from familiar_app.context.retrieved_context import Recollection
    from familiar_app.context.saved_memories import MemoryReading


@dataclass(frozen=True, slots=True)
class LayerContext:
    """One assembly as layers see it. `now` is aware UTC; `multi_party` tells that several people talk here.

    `lore` is what the lorebooks brought, `recalled` what memory did, `memories` what was saved by it: where these
    are layers of this channel. `until` is the last turn that is there, None for the newest. With `known_at`, nothing
    that was learned later may be used; with `as_of`, facts have to be true at that time in the world; `now` is that
    time, or that instant. `variation` is what is tried out. `audience` tells what those who hear the answer may hear;
    what a layer holds back from them it notes in `withheld` under its name, whenever its key is asked for. What it read
    for its key it may leave in `read` under its name: the text, where it is built, comes right after and takes it out.
    """

    familiar: FamiliarId
    char: str
    user_label: str
    card: CharacterCard
    config: CharacterConfig
    channel: Channel
    vault: Vault
    now: datetime
    mode: str
    multi_party: bool
    lore: LoreReading | None = None
    recalled: Recollection | None = None
    memories: MemoryReading | None = None
    until: TurnId | None = None
    known_at: datetime | None = None
    as_of: datetime | None = None
    variation: Variation = UNCHANGED
    audience: Audience = NOBODY
    withheld: dict[str, tuple[LeftOut, ...]] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)
    must_speak: bool = False

    @property
    def outlets(self) -> Mapping[str, str]:
        """What the lorebooks have for the outlets in other texts, by name."""
        return self.lore.outlets if self.lore is not None else {}

    @property
    def weights(self) -> Weights:
        """How much each signal counts when memory is searched."""
        return self.variation.weights or self.config.memory.retrieval.weights()

    @property
    def may_stay_silent(self) -> bool:
        """Whether an answer may be nothing at all."""
        return self.multi_party and not self.must_speak and self.config.conversation.may_stay_silent


class Layer(Protocol):
    """A part of the prompt. `build` is called only when `invalidation_key` gives a key that is not remembered.

    The key must change with everything the text depends on, and with nothing else.
    """

    @property
    def name(self) -> str: ...

    async def build(self, ctx: LayerContext) -> str: ...

    async def invalidation_key(self, ctx: LayerContext) -> str: ...


def key_of(*parts: object) -> str:
    """Return a short key that differs whenever one of `parts` (by its `repr`) differs."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
