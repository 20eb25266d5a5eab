"""Keeps what was said in a direct message apart from all else before a model is asked.

A model that sees two conversations may carry words from one into the other, whatever it cites. So the turns of one
request are those of one direct message, or of everywhere but direct messages, and so are the facts beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.domain.audience import Audience, AudienceMode
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.turn import Turn
from familiar_app.projectors.port import Desk


@dataclass(frozen=True, slots=True)
class Confidences:
    """The direct messages that a familiar has or had."""

    channels: frozenset[ChannelId]

    def of(self, turn: Turn) -> ChannelId | None:
        """Return the direct message a turn was said in; None where it was said elsewhere."""
        return turn.channel if turn.channel in self.channels else None

    def first_stretch(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Return the turns up to where a direct message begins or ends."""
        end = next((at for at, turn in enumerate(turns) if self.of(turn) != self.of(turns[0])), len(turns))
        return turns[:end]

    def larger_side(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Return the turns of one direct message or of everywhere else, of whichever there are most."""
        sides: dict[ChannelId | None, list[Turn]] = {}
        for turn in turns:
            sides.setdefault(self.of(turn), []).append(turn)
        return max(sides.values(), key=len)


async def confidences_of(desk: Desk) -> Confidences:
    """Read which channels of a familiar are direct messages."""
    return Confidences(await desk.vault.audiences.direct_messages(desk.familiar))


async def audience_beside(desk: Desk, confidence: ChannelId | None) -> Audience:
    """Return what may stand beside the turns of a direct message, or of everywhere else, in one request."""
    audiences = desk.vault.audiences
    channel = None if confidence is None else await desk.vault.channels.get(confidence)
    if channel is None:
        return await audiences.outside_direct_messages(desk.familiar)
    return await audiences.of(desk.familiar, channel, AudienceMode.STRICT)
