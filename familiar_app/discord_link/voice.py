"""Answers in one channel of Discord, one reply at a time.

A newer message by the same person takes the place of the one that is being answered, as long as nothing was said yet.
A message that is deleted before its answer was sent gets none. What goes wrong is never told in the channel.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.answering import Answering
from familiar_app.discord_link.fault import ConnectionLostError, NotPermittedError
from familiar_app.discord_link.journal import Fate
from familiar_app.discord_link.manners import Manners
from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.waiting import pause_unless
from familiar_app.discord_link.wish import Wish
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, PersonKey, TurnId

__all__ = ["Start", "Voice", "Wish"]

MAX_WAITING = 3
MAX_INTERRUPTIONS = 3
Start = Callable[[Coroutine[Any, Any, None], str], object]
log = logging.getLogger(__name__)


@dataclass
class Voice:
    """Speaks in one channel. `start` runs a coroutine in the background, `failed` is told of every error.

    `muted` is set once the familiar is not allowed to write there. `ended` is told what became of each answer, and
    `cut_off` of one whose line broke: what is noted of it stays, so that it can be finished over another line. `pause`
    and `now_s` are how it waits, and by which clock. `turn` is held while it answers, so that of several familiars one
    speaks after the other.
    """

    conversation: Conversation
    channel: ChannelId
    number: int
    line: Callable[[], Line]
    start: Start
    failed: Callable[[FamiliarError], None]
    muted: bool = False
    ended: Callable[[TurnId, Fate], object] = lambda *_: None
    cut_off: Callable[[TurnId, Line | None], object] = lambda *_: None
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    now_s: Callable[[], float] = time.monotonic
    manners: Manners = field(default_factory=Manners)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: list[Wish] = field(default_factory=list)
    _dropped: list[Wish] = field(default_factory=list)
    _current: Wish | None = None
    _answering: Answering | None = None
    _working: bool = False
    _stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, wish: Wish) -> None:
        """Answer a message as soon as nothing else is being answered."""
        if self.muted:
            self._drop([wish])
            return
        self.spoke(wish.by)
        self._drop([one for one in self._waiting if one.by == wish.by and not one.of_old])
        self._waiting.append(wish)
        self._drop(self._waiting[:-MAX_WAITING])
        current = self._current
        if current is not None and current.by == wish.by and not current.of_old and not self._spoken:
            self._give_up(current)
        self._set_to_work()

    def again(self, wish: Wish) -> bool:
        """Answer a message another time, once nothing else is being answered. False where that is not possible now."""
        if not self.may_again(wish.turn):
            return False
        self._waiting.append(wish)
        self._set_to_work()
        return True

    def forget(self, message: int) -> None:
        """Answer a message no more; it is gone."""
        self._drop([one for one in self._waiting if one.message == message])
        if self._current is not None and self._current.message == message:
            self._give_up(self._current)

    def renumber(self, old: int, new: int, by: PersonKey) -> bool:
        """Let a message that is to be answered go under another number, and another name. False where none is."""
        found = [one for one in (*self._waiting, self._current) if one is not None and one.message == old]
        for wish in found:
            wish.message, wish.by = new, by
        return any(not wish.cancelled for wish in found)

    def spoke(self, by: PersonKey) -> None:
        """Take into account that somebody has said what they were writing."""
        self.manners.spoke(by)
        self._stirred.set()

    def typed(self, by: PersonKey, *, bot: bool) -> None:
        """Take into account that somebody is writing."""
        manner, current = self.conversation.config.discord.while_typing, self._current
        if bot or manner != "ignore":
            self.manners.typed(by, self.now_s(), bot=bot)
        if manner != "interrupt" or bot or current is None or current.by != by or current.of_old or self._spoken:
            return
        if current.interrupted < MAX_INTERRUPTIONS and not current.cancelled and self._answering is not None:
            current.interrupted += 1
            current.restart = True
            self.conversation.stop(self.channel)

    def may_again(self, turn: TurnId) -> bool:
        """Tell whether a message may be answered another time: not while that is being done already."""
        under_way = [one for one in (*self._waiting, self._current) if one is not None and one.of_old]
        return not self.muted and len(self._waiting) < MAX_WAITING and all(one.turn != turn for one in under_way)

    @property
    def _spoken(self) -> bool:
        return self._answering is not None and self._answering.spoken

    def _set_to_work(self) -> None:
        if not self._working:
            self._working = True
            self.start(self._work(), f"answers in channel {self.channel}")

    def _drop(self, wishes: list[Wish]) -> None:
        for wish in wishes:
            wish.cancelled = True
            self._dropped.append(wish)
        self._waiting = [one for one in self._waiting if not one.cancelled]
        if self._dropped:
            self._set_to_work()

    def _give_up(self, wish: Wish) -> None:
        wish.cancelled = True
        self._stirred.set()
        if self._answering is not None:
            self.conversation.stop(self.channel)

    async def _work(self) -> None:
        try:
            while self._dropped or (self._waiting and not self.muted):
                while self._dropped:
                    dropped = self._dropped.pop()
                    self.ended(dropped.turn, Fate.FAILED if self.muted else Fate.DROPPED)
                    await self._end(dropped)
                if self._waiting and not self.muted:
                    self._current = self._waiting.pop(0)
                    try:
                        await self._answer(self._current)
                    except FamiliarError as error:
                        self._note(error)
        finally:
            self._current, self._answering, self._working = None, None, False

    async def _answer(self, wish: Wish) -> None:
        await self._wait_for_others(wish)
        async with self.turn:
            await self._answer_now(wish)

    async def _answer_now(self, wish: Wish) -> None:
        if wish.cancelled:
            self.ended(wish.turn, Fate.DROPPED)
            await self._end(wish)
            return
        wish.restart = False
        fate, line, cut_off = Fate.FAILED, None, False
        try:
            line = self.line()
            self._answering = Answering(self.conversation, self.number, line, wish)
            sent = await self._answering.run()
            fate = Fate.SENT if sent else Fate.DROPPED if wish.cancelled else Fate.SILENT
        except ConnectionLostError:
            cut_off = not wish.cancelled and await self._is_noted(wish)
            raise
        except NotPermittedError:
            # At once, so that rights which are given while the rest is settled end the silence.
            self.muted = True
            raise
        finally:
            if self._answering is not None and not cut_off:
                await self._answering.settle()
            self._answering = self._current = None
            await self._leave(wish, fate, line, cut_off=cut_off)

    async def _leave(self, wish: Wish, fate: Fate, line: Line | None, *, cut_off: bool) -> None:
        """Be done with a message, or have it taken up again: at once where it was interrupted, else with the line."""
        if wish.restart and not wish.cancelled and not cut_off:
            self._waiting.insert(0, wish)
            return
        self.ended(wish.turn, fate)
        if cut_off:
            self.cut_off(wish.turn, line)
        else:
            await self._end(wish)

    async def _is_noted(self, wish: Wish) -> bool:
        left = await self.conversation.vault.deliveries.left(self.conversation.familiar)
        return any(one.asked == wish.turn for one in left)

    async def _wait_for_others(self, wish: Wish) -> None:
        """Let somebody finish who is about to go on, and other bots, each for a while."""
        if wish.ready is not None:
            await wish.ready()
        waited_s, attempt = 0.0, 0
        while not wish.cancelled and not wish.of_old:
            pause_s = self.manners.for_person(wish.by, self.now_s(), waited_s)
            waited_s += pause_s
            if not pause_s:
                pause_s = self.manners.for_bots(self.now_s(), attempt)
                attempt += 1
            if not pause_s:
                return
            self._stirred.clear()
            await pause_unless(self.pause, pause_s, self._stirred)

    async def _end(self, wish: Wish) -> None:
        await self.conversation.vault.deliveries.end(wish.turn, self.conversation.familiar)

    def _note(self, error: FamiliarError) -> None:
        if self.muted:
            self._drop(list(self._waiting))
        self.failed(error)
