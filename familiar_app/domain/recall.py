"""What a look into memory asks for, and what it brings back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId
from familiar_app.domain.ranking import Kind, Signal, Weights
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
    to be true at that time, with `known_at` they have to be believed, and turns to have arrived, by then.
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


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found, with the signals that its score is made of."""

    kind: Kind
    id: int
    text: str
    score: float
    signals: Mapping[str, Signal]
    turn: Turn | None = None
    fact: Fact | None = None

    @property
    def message_id(self) -> str | None:
        """The platform's id of a turn's message."""
        return self.turn.message_id if self.turn is not None else None
