"""Knows which channels of Discord a familiar attends to, and how much it has not looked at in the others."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import Channel, Turn
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class Lookout:
    """Attention of one familiar. Where it attends to no channel of its own choice, it attends to all."""

    familiar: FamiliarId
    vault: Vault

    async def attends(self, channel: Channel) -> bool:
        """Tell whether the familiar follows what is said in a channel."""
        return await self.vault.attention.attends(self.familiar, channel.id)

    async def unread(self, channel: Channel) -> int:
        """Count what stands in a channel that is not attended to, with the message that is about to be written down."""
        unread = await self.vault.attention.unread(self.familiar)
        return 1 + next((one.count for one in unread if one.channel.id == channel.id), 0)

    async def heard(self, turn: Turn, *, looked: bool) -> None:
        """Note a message: it is read where the familiar looks at it, or attends to the channel."""
        focus = await self.vault.attention.focus(self.familiar)
        if focus and (looked or any(one.channel.id == turn.channel for one in focus)):
            await self.vault.attention.seen(self.familiar, turn.channel, turn.id)
