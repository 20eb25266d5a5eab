"""What a look into memory asks for, and what it brings back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from familiar_app.domain.audience import Audience, Held
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import ChannelId, FamiliarId, Lineage, PersonKey, TurnId
from familiar_app.domain.ranking import Kind, Signal, Weights
from familiar_app.domain.record import record
from familiar_app.domain.saved_memory.memory import SavedMemory
from familiar_app.domain.turn import Turn

DEFAULT_LIMIT = 10
CANDIDATES_PER_RESULT = 4


@dataclass(frozen=True, slots=True)
class Window:
    """Turns that a prompt shows anyway: those of a channel from one on."""

    channel: ChannelId
    first: TurnId


@dataclass(frozen=True, slots=True)
class Recall:
    """A cue and what may be found by it.

    `channels` are the places whose turns may be found, None for all that the familiar hears. With `as_of` facts have
    to be true at that time, with `known_at` they have to be believed, and turns to have arrived, by then. No turn after
    `until` is found. Without an `audience` nothing is held back. `missed` is how many of the out-ranked
    candidates come behind the hits. Saved memories are those of the `lineage`; without one there are none.
    """

    familiar: FamiliarId
    cue: str
    weights: Weights
    limit: int = DEFAULT_LIMIT
    kinds: tuple[Kind, ...] = ("turn", "fact")
    channels: tuple[ChannelId, ...] | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    window: Window | None = None
    until: TurnId | None = None
    audience: Audience | None = None
    missed: int = 0
    lineage: Lineage | None = None

    @property
    def candidates(self) -> int:
        """How many candidates of each kind are looked for."""
        return self.limit * CANDIDATES_PER_RESULT


@record(frozen=True, slots=True)
class Hit:
    """One thing that was found, with the signals that its score is made of.

    `held` tells why the audience may not hear it. `neighbours` are the turns beside a turn, `sources` those behind a
    fact, `told_by` the people by whose word alone it is known, `labels` what they and its subjects are called today:
    both are empty where it is held.
    """

    kind: Kind
    id: int
    text: str
    score: float
    signals: Mapping[str, Signal]
    turn: Turn | None = None
    fact: Fact | None = None
    memory: SavedMemory | None = None
    held: Held | None = None
    neighbours: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    told_by: tuple[PersonKey, ...] = ()
    labels: Mapping[PersonKey, str] = field(default_factory=dict)

    @property
    def message_id(self) -> str | None:
        """The platform's id of a turn's message."""
        return self.turn.message_id if self.turn is not None else None


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a look into memory brought, best first, and what fits the cue but is held back from the audience.

    Held things are ranked among themselves, so that they move nothing that may be heard. `speakers` is the effective
    number of people who speak in the places that were searched. `ready` is False where there is no index yet, and
    `missing` counts the oldest turns that a search could not see, because the index is still being built. `beside` are
    the turns beside hits that are no hits themselves, where they were asked for.
    """

    hits: tuple[Hit, ...] = ()
    held: tuple[Hit, ...] = ()
    speakers: float = 1.0
    ready: bool = True
    missing: int = 0
    beside: Mapping[TurnId, Turn] = field(default_factory=dict)

    @property
    def neighbours(self) -> set[TurnId]:
        """The turns beside hits that are no hits themselves."""
        return {TurnId(one) for hit in self.hits for one in hit.neighbours}.difference(
            hit.turn.id for hit in self.hits if hit.turn is not None
        )
