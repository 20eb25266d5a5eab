"""What a projector is, and what it is given to work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.ids import FamiliarId, PersonKey, ego_key
from familiar_app.domain.settings import CharacterConfig
from familiar_app.models.port import LanguageModel
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault


class MemoryProjector(Protocol):
    """Keeps one projection up to date. `run` is a loop that ends only when it is cancelled."""

    @property
    def name(self) -> str: ...

    async def run(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What a projector of one familiar works with. `char` is the familiar's name as its card has it."""

    familiar: FamiliarId
    char: str
    vault: Vault
    model: LanguageModel
    config: CharacterConfig
    clock: Clock
    embedder: Embedder | None = None

    @property
    def ego(self) -> PersonKey:
        return ego_key(self.familiar)


@dataclass(frozen=True, slots=True)
class Tick:
    """What one tick did. `more` tells that there is more to do at once; `stalled` that trying again soon is no use."""

    worked: bool = False
    more: bool = False
    stalled: bool = False


IDLE = Tick()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a projector is: the highest id it has dealt with, None before the first, and how many are left.

    `fullest` is how many are left in the channel that has most, where each channel waits for a batch of its own.
    """

    watermark: int | None
    lag: int
    fullest: int | None = None


class TickingProjector(Protocol):
    """The part of a projector that does one bounded piece of work at a time; the runner makes the loop of it.

    `tick` raises OutsideError where the model or the disk failed; nothing has moved then.
    """

    @property
    def name(self) -> str: ...

    @property
    def interval_s(self) -> float: ...

    async def tick(self, *, flush: bool) -> Tick:
        """Do the next piece of work. `flush` takes what is not enough for a whole batch too."""
        ...

    async def replay(self) -> None:
        """Bring back from the ledger what is missing, without asking a model."""
        ...

    async def progress(self) -> Progress: ...

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        """Take everything out of the projection; with `fresh`, replay the answers so far no more."""
        ...
