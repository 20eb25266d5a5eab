"""Gives one answer on Discord: has it made, sends it or changes an older one, and settles what was not sent."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, aclosing

from familiar_app.conversation.event import ReplyDelta, ReplyFailed, ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.button import Buttons
from familiar_app.discord_link.sender import Line, edit_reply, find_sent, send_reply, typing
from familiar_app.discord_link.wish import Wish
from familiar_app.domain.turn import Turn

log = logging.getLogger(__name__)


class Answering:
    """One answer under way. `spoken` is set once silence is ruled out."""

    def __init__(self, conversation: Conversation, number: int, line: Line, wish: Wish) -> None:
        self.spoken = False
        self._conversation = conversation
        self._number = number
        self._line = line
        self._wish = wish

    async def run(self) -> int:
        """Return how many messages the answer took, 0 where there was none."""
        if self._wish.stored is not None:
            self.spoken = True
            return await self._deliver_stored(self._wish.stored)
        count = 0
        async with AsyncExitStack() as shown, aclosing(self._conversation.regenerate(self._wish.turn)) as events:
            async for event in events:
                match event:
                    case ReplyDelta() if not self.spoken:
                        # Silence is ruled out from here on.
                        self.spoken = True
                        await shown.enter_async_context(typing(self._line, self._number))
                    case ReplyStored(turn=turn) if not self._wish.cancelled:
                        count = await self._deliver(turn)
                    case ReplyFailed(error=error):
                        raise error
        return count

    async def settle(self) -> None:
        """Hide what was made and not sent: nobody has read it, so it was not said. What is shown stays said."""
        turns = self._conversation.vault.turns
        own = [one for one in await turns.answers(self._wish.turn) if one.familiar == self._conversation.familiar]
        unsent = [one.id for one in own if one.message_id is None and not one.hidden and not one.deleted and one.active]
        if not unsent:
            return
        shown = [one for one in own if one.message_id is not None and not one.hidden and not one.deleted]
        if shown:
            await turns.choose(shown[-1].id)
        await turns.hide(unsent)

    async def _deliver_stored(self, reply: Turn) -> int:
        """Send what was made before the program ended, unless it was sent; then only note that."""
        if self._wish.instead is None:
            vault = self._conversation.vault
            await find_sent(vault, self._line, self._number, reply, self._wish.message)
        return await self._deliver(reply)

    async def _deliver(self, reply: Turn) -> int:
        wish, vault = self._wish, self._conversation.vault
        on = self._conversation.config.discord.buttons
        buttons = Buttons(self._conversation.familiar, wish.turn) if on and wish.message else None
        if wish.instead is not None:
            # Where this was begun in an earlier run, the messages are the new answer's already, but may read as before.
            old = wish.instead if await vault.messages.parts(wish.instead) else reply.id
            count = await edit_reply(vault, self._line, self._number, old, reply, buttons)
        else:
            asked = wish.message or None
            count = await send_reply(vault, self._line, self._number, reply, asked, buttons, quote=wish.quote)
        log.info("turn %d was sent as %d messages", reply.id, count)
        return count
