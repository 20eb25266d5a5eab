"""Decides what becomes of an answer that was cut off by the end of the program."""

from __future__ import annotations

from datetime import datetime, timedelta

from familiar_app.discord_link.wish import Wish
from familiar_app.domain.ids import FamiliarId, ego_key
from familiar_app.domain.turn import Turn
from familiar_app.store.delivery import Delivery
from familiar_app.store.vault import Vault

FRESH = timedelta(minutes=5)
"""How long an answer may come late. Discord remembers for about as long what it has taken from a bot."""


async def wish_left(vault: Vault, familiar: FamiliarId, left: Delivery, now: datetime) -> Wish | None:
    """Return what is still to be done for a message; None where it is nothing.

    An answer that was made and may have been sent is sent, or found to have been; where none was made, the message is
    answered now. What is too old stays unsaid; but an older answer whose messages may have changed is always finished.
    """
    asked, stored = await vault.turns.get(left.asked), await _made(vault, familiar, left)
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
