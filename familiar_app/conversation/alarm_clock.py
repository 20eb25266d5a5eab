"""Lets reminders go off: each is noted in the log when it is due, and leads to one answer in its channel.

In the program's own channels the familiar answers by itself. For a channel of a platform, whoever is connected to it
carries the answer; while nobody is, the reminder waits, and comes late with the words for how late. Where the model
fails again and again, the reminder's own words are said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from familiar_app.context.final_reminder import format_local
from familiar_app.conversation.event import ExchangeEvent, ReplyStopped, ReplyStored
from familiar_app.domain.alarm import Alarm, late_words
from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import OWNER, TurnId, is_local
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Channel, Turn

if TYPE_CHECKING:
    from familiar_app.conversation.exchange import Conversation

MAX_TRIES = 3
_LONGEST_WAIT_S = 30.0
_BUSY_WAIT_S = 2.0
_GATHER_S = 0.1
_STALE = timedelta(days=1)
log = logging.getLogger(__name__)


class Carrier(Protocol):
    """Has a due reminder answered on a platform. `stored` is an answer that is made already and only to be sent."""

    def ready(self, channel: Channel, /) -> bool:
        """Tell whether something may be said in a channel now."""
        ...

    async def carry(self, due: Turn, stored: Turn | None, /) -> None: ...


@dataclass(slots=True)
class _Going:
    """A reminder that went off, and has led to no words so far."""

    tries: int = 0
    again_at: datetime | None = None


@dataclass
class Reminders:
    """The reminders of one familiar. `run` works until it is cancelled; `pause` is how it waits between tries."""

    conversation: Conversation
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _carriers: dict[str, Carrier] = field(default_factory=dict)
    _going: dict[TurnId, _Going] = field(default_factory=dict)
    _task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def carry(self, platform: str, carrier: Carrier) -> None:
        """Let what is due in channels of a platform be answered by `carrier` from now on."""
        self._carriers[platform] = carrier
        self._changed.set()

    def take_over(self, other: Reminders) -> None:
        """Go on where another conversation of the same familiar has stopped."""
        self._carriers.update(other._carriers)
        self._going.update(other._going)

    def start(self, tasks: TaskRegistry, *, owner: object) -> None:
        """Run in a task of its own, until `stop` or the end of the owner."""
        self._task = tasks.start(self.run(), name=f"reminders of {self.conversation.familiar}", owner=owner)

    async def stop(self) -> None:
        """End the task."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def run(self) -> None:
        """Let each reminder go off when it is due."""
        turns = self.conversation.vault.turns
        turns.watch(self._note)
        try:
            while True:
                self._changed.clear()
                wait_s = await self._tick_safely()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), wait_s)
                # What is written comes in bursts; one look serves them all.
                await asyncio.sleep(_GATHER_S)
        finally:
            turns.unwatch(self._note)

    async def tick(self) -> float:
        """Let go off what is due now, and return after how many seconds to look again."""
        vault, familiar = self.conversation.vault, self.conversation.familiar
        now = self.conversation.clock.now()
        wait_s = _LONGEST_WAIT_S
        for alarm in await vault.alarms.unanswered(familiar, now - _STALE):
            if not await self._go_on(alarm, now):
                wait_s = min(wait_s, _BUSY_WAIT_S)
        for alarm in await vault.alarms.waiting(familiar):
            ahead_s = (alarm.due_at - now).total_seconds()
            if ahead_s > 0:
                return max(min(wait_s, ahead_s), 0.05)
            if not await self._go_off(alarm):
                wait_s = min(wait_s, _BUSY_WAIT_S)
        return wait_s

    async def _tick_safely(self) -> float:
        try:
            return await self.tick()
        except FamiliarError as error:
            log.warning("reminders could not be looked at: %s", type(error).__name__)
            return _LONGEST_WAIT_S

    async def _go_off(self, alarm: Alarm) -> bool:
        """Note that a reminder is due, and have it answered. False where that has to wait."""
        channel = await self._open_channel(alarm)
        if channel is None:
            return False
        told = await self._words(alarm, channel)
        due = await self.conversation.vault.alarms.fire(self.conversation.familiar, alarm.id, lambda _: told)
        if due is not None:
            log.info("reminder %d went off", alarm.id)
            await self._deliver(channel, due, alarm)
        return True

    async def _go_on(self, alarm: Alarm, now: datetime) -> bool:
        """Try again what went off and led to no words. False where that has to wait."""
        going = None if alarm.fired is None else self._going.get(alarm.fired)
        if going is not None and (going.tries >= MAX_TRIES or (going.again_at is not None and now < going.again_at)):
            return True
        channel = await self._open_channel(alarm)
        due = None if alarm.fired is None else await self.conversation.vault.turns.get(alarm.fired)
        if channel is None or due is None:
            return due is None
        await self._deliver(channel, due, alarm)
        return True

    async def _open_channel(self, alarm: Alarm) -> Channel | None:
        """Return the channel of a reminder if something can be said there now."""
        if self.conversation.busy(alarm.channel):
            return None
        channel = await self.conversation.vault.channels.get(alarm.channel)
        if channel is None or is_local(channel.key):
            return channel
        carrier = self._carriers.get(channel.key.partition(":")[0])
        if carrier is None or not carrier.ready(channel):
            return None
        # Where it listens no longer it does not speak either; the reminder waits until it does again.
        heard = await self.conversation.vault.channels.heard(self.conversation.familiar)
        return channel if any(one.id == channel.id for one in heard) else None

    async def _deliver(self, channel: Channel, due: Turn, alarm: Alarm) -> None:
        going = self._going.setdefault(due.id, _Going())
        going.tries += 1
        going.again_at = self.conversation.clock.now() + timedelta(minutes=2 * going.tries)
        carrier = self._carriers.get(channel.key.partition(":")[0])
        try:
            if carrier is None:
                await self._answer_here(channel, due, alarm)
            else:
                stored = await self._made(due)
                if stored is None and going.tries == MAX_TRIES:
                    stored = await self._plain(channel, due, alarm)
                await carrier.carry(due, stored)
        except FamiliarError as error:
            log.warning("reminder %d led to no words: %s", alarm.id, type(error).__name__)

    async def _answer_here(self, channel: Channel, due: Turn, alarm: Alarm) -> None:
        """Answer in a channel of the program's own; the reminder's own words, where the model has none."""
        for number in range(MAX_TRIES):
            if number:
                await self.pause(2.0**number)
            events: Sequence[ExchangeEvent] = ()
            async with aclosing(self.conversation.regenerate(due.id)) as going:
                async for event in going:
                    events = (event,)
            if isinstance(events[-1], ReplyStored | ReplyStopped):
                return
        await self._plain(channel, due, alarm)

    async def _made(self, due: Turn) -> Turn | None:
        """Return the answer that was made before the program ended; it may have been sent or not."""
        answers = await self.conversation.vault.turns.answers(due.id)
        return next((one for one in reversed(answers) if one.familiar == self.conversation.familiar), None)

    async def _plain(self, channel: Channel, due: Turn, alarm: Alarm) -> Turn:
        return await self.conversation.say_plainly(channel, due, f"Reminder: {alarm.text}")

    async def _words(self, alarm: Alarm, channel: Channel) -> str:
        conversation = self.conversation
        zone = conversation.config.display.zone()
        late = late_words(conversation.clock.now() - alarm.due_at)
        who = await self._name(alarm, channel)
        asked = format_local(local_time(alarm.set_at, zone))
        when = f" since {format_local(local_time(alarm.due_at, zone))}, {late}" if late else ""
        return f"Reminder {alarm.id} is due{when}: {alarm.text}\n{who} asked for it on {asked}."

    async def _name(self, alarm: Alarm, channel: Channel) -> str:
        if alarm.person is None:
            return "Somebody"
        if alarm.person == OWNER:
            return self.conversation.assembler.owner_label
        return await self.conversation.vault.people.label(alarm.person, guild=channel.guild)

    def _note(self, _: Sequence[TurnId]) -> None:
        self._changed.set()
