"""Answers in one channel of Discord, one reply at a time.

A newer message by the same person takes the place of the one that is being answered, as long as nothing was said yet.
A message that is deleted before its answer was sent gets none. What goes wrong is never told in the channel.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import Any

from familiar_app.conversation.event import ReplyDelta, ReplyFailed, ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.fault import NotPermittedError
from familiar_app.discord_link.journal import Fate
from familiar_app.discord_link.sender import Line, send_reply, typing
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, PersonKey, TurnId

MAX_WAITING = 3
Start = Callable[[Coroutine[Any, Any, None], str], object]
log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Wish:
    """A message that is to be answered. With `quote` the answer is shown as a reply to it."""

    turn: TurnId
    message: int
    by: PersonKey
    quote: bool
    cancelled: bool = False


@dataclass
class Voice:
    """Speaks in one channel. `start` runs a coroutine in the background, `failed` is told of every error.

    `muted` is set once the familiar is not allowed to write there; `ended` is told what became of each answer.
    """

    conversation: Conversation
    channel: ChannelId
    number: int
    line: Callable[[], Line]
    start: Start
    failed: Callable[[FamiliarError], None]
    muted: bool = False
    ended: Callable[[TurnId, Fate], object] = lambda *_: None
    _waiting: deque[Wish] = field(default_factory=deque)
    _current: Wish | None = None
    _spoken: bool = False
    _working: bool = False

    def answer(self, wish: Wish) -> None:
        """Answer a message as soon as nothing else is being answered."""
        if self.muted:
            return
        self._waiting = deque((one for one in self._waiting if one.by != wish.by), MAX_WAITING)
        self._waiting.append(wish)
        if self._current is not None and self._current.by == wish.by and not self._spoken:
            self._give_up(self._current)
        if not self._working:
            self._working = True
            self.start(self._work(), f"answers in channel {self.channel}")

    def forget(self, message: int) -> None:
        """Answer a message no more; it is gone."""
        self._waiting = deque((one for one in self._waiting if one.message != message), MAX_WAITING)
        if self._current is not None and self._current.message == message:
            self._give_up(self._current)

    def _give_up(self, wish: Wish) -> None:
        wish.cancelled = True
        self.conversation.stop(self.channel)

    async def _work(self) -> None:
        try:
            while self._waiting and not self.muted:
                self._current, self._spoken = self._waiting.popleft(), False
                try:
                    await self._answer(self._current)
                except FamiliarError as error:
                    self._note(error)
        finally:
            self._current, self._working = None, False

    async def _answer(self, wish: Wish) -> None:
        fate = Fate.FAILED
        try:
            sent = await self._talk(wish, self.line())
            fate = Fate.SENT if sent else Fate.DROPPED if wish.cancelled else Fate.SILENT
        finally:
            self.ended(wish.turn, fate)
            await self._hide_unsent(wish)

    async def _talk(self, wish: Wish, line: Line) -> int:
        """Have a message answered; returns how many messages the answer took, 0 where there was none."""
        count = 0
        async with AsyncExitStack() as shown, aclosing(self.conversation.regenerate(wish.turn)) as events:
            async for event in events:
                match event:
                    case ReplyDelta() if not self._spoken:
                        # Silence is ruled out from here on.
                        self._spoken = True
                        await shown.enter_async_context(typing(line, self.number))
                    case ReplyStored(turn=turn) if not wish.cancelled:
                        answers = wish.message if wish.quote else None
                        count = await send_reply(self.conversation.vault, line, self.number, turn, answers)
                        log.info("turn %d was sent as %d messages", turn.id, count)
                    case ReplyFailed(error=error):
                        raise error
        return count

    async def _hide_unsent(self, wish: Wish) -> None:
        """Hide what was made and not sent: nobody has read it, so it was not said."""
        turns = self.conversation.vault.turns
        own = [one for one in await turns.answers(wish.turn) if one.familiar == self.conversation.familiar]
        if unsent := [one.id for one in own if one.message_id is None and not one.hidden]:
            await turns.hide(unsent)

    def _note(self, error: FamiliarError) -> None:
        if isinstance(error, NotPermittedError):
            self.muted = True
            self._waiting.clear()
        self.failed(error)
