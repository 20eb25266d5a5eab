"""Decides what becomes of an answer that was cut off by the end of the program, or by that of the line."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from familiar_app.discord_link.wish import Wish
from familiar_app.domain.ids import FamiliarId, TurnId, ego_key
from familiar_app.domain.turn import Turn
from familiar_app.store.delivery import Delivery
from familiar_app.store.vault import Vault

FRESH = timedelta(minutes=5)
"""How long an answer may come late. Discord remembers for about as long what it has taken from a bot."""


@dataclass
class Unfinished:
    """The answers of one familiar that an earlier run left unfinished, and those whose line broke since."""

    vault: Vault
    familiar: FamiliarId
    _left: list[Delivery] | None = None
    _cut_off: set[TurnId] = field(default_factory=set)

    async def look_back(self) -> None:
        """Note, before anything is heard, what an earlier run of the program has left."""
        if self._left is None:
            self._left = await self.vault.deliveries.left(self.familiar)

    def note(self, turn: TurnId) -> None:
        """Note that the answer to a turn was cut off."""
        self._cut_off.add(turn)

    async def taken(self, now: datetime) -> AsyncGenerator[tuple[Turn, Wish], None]:
        """Give what is still to be answered, and let go of it and of all the rest."""
        left, self._left = self._left or [], []
        cut_off, self._cut_off = self._cut_off, set()
        if cut_off:
            noted = await self.vault.deliveries.left(self.familiar)
            left += [one for one in noted if one.asked in cut_off and one not in left]
        for delivery in left:
            asked = await self.vault.turns.get(delivery.asked)
            wish = await _wish(self.vault, self.familiar, delivery, asked, now)
            if asked is not None and wish is not None:
                yield asked, wish
            else:
                await self.vault.deliveries.end(delivery.asked, self.familiar)


async def _wish(vault: Vault, familiar: FamiliarId, left: Delivery, asked: Turn | None, now: datetime) -> Wish | None:
    """Return what is still to be done for a message; None where it is nothing.

    An answer that was made and may have been sent is sent, or found to have been; where none was made, the message is
    answered now. What is too old stays unsaid; but an older answer whose messages may have changed is always finished.
    """
    stored = await _made(vault, familiar, left)
    if asked is None or asked.deleted or asked.hidden:
        if stored is not None and stored.message_id is None:
            await vault.turns.hide((stored.id,))
        return None
    fresh = now - left.begun_at <= FRESH
    by = asked.author.key if asked.author is not None else ego_key(familiar)
    wish = Wish(asked.id, int(left.message_id), by, left.quote, instead=left.instead, stored=stored)
    if stored is None:
        return wish if fresh and left.instead is None else None
    if fresh or left.instead is not None:
        return wish
    if stored.message_id is None:
        await vault.turns.hide((stored.id,))
    return None


async def _made(vault: Vault, familiar: FamiliarId, left: Delivery) -> Turn | None:
    """Return the answer that was made since, if there is one."""
    own = [one for one in await vault.turns.answers(left.asked) if one.familiar == familiar]
    return next((one for one in reversed(own) if one.id > (left.instead or 0)), None)
