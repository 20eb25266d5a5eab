"""Reminders of a vault. Each goes off once, however often the program is started; all of them follow from the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from familiar_app.domain.alarm import MAX_WAITING, Alarm, NewAlarm
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import BugError, UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Turn
from familiar_app.store import alarm_log
from familiar_app.store.engine import Engine
from familiar_app.store.moment import to_micros
from familiar_app.store.turn import Turns
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")
_UNANSWERED = """a.familiar = ? AND a.state = 'due' AND a.due_at >= ? AND NOT EXISTS (SELECT 1 FROM turns r
    JOIN channels c ON c.id = r.channel WHERE r.answers = a.fired AND r.role = 'assistant' AND r.hidden = 0
    AND r.deleted = 0 AND (c.familiar IS NOT NULL OR r.message_id IS NOT NULL))
    AND EXISTS (SELECT 1 FROM turns f WHERE f.id = a.fired AND f.deleted = 0 AND f.hidden = 0)"""


class Alarms:
    """Reminders of one vault. Lists have first what is due first."""

    def __init__(self, engine: Engine, clock: Clock, turns: Turns) -> None:
        self._engine = engine
        self._clock = clock
        self._turns = turns

    async def set(
        self,
        new: NewAlarm,
        told: Callable[[TurnId], str],
        *,
        arguments: Mapping[str, Any] | None = None,
        call_id: str | None = None,
    ) -> Turn:
        """Set a reminder, and return the turn that says so in the words of `told`; its id is the reminder's number.

        Raises UserError where too many are waiting.
        """

        def work(connection: Connection) -> Turn:
            alarm_log.catch_up(connection)
            waiting = connection.execute(
                "SELECT count(*) FROM alarms WHERE familiar = ? AND state = 'waiting'", (new.familiar,)
            ).fetchone()[0]
            if waiting >= MAX_WAITING:
                raise UserError(
                    tr("{limit} reminders are waiting already.", limit=MAX_WAITING), tr("Take one back first.")
                )
            call = {"id": call_id, "arguments": dict(arguments or {})}
            return _stored(connection, alarm_log.log_set(connection, new, self._now(), call, told))

        return await self._announced(work)

    async def cancel(
        self,
        familiar: FamiliarId,
        number: TurnId,
        *,
        words: str = "",
        arguments: Mapping[str, Any] | None = None,
        call_id: str | None = None,
    ) -> Turn:
        """Take back a reminder that is waiting. Raises UserError where it is not.

        With `arguments` a tool was called, and `words` is what it tells; else the owner does it by hand.
        """

        def work(connection: Connection) -> Turn:
            alarm = _waiting(connection, familiar, number)
            if alarm is None:
                raise UserError(tr("There is no reminder {number} that is still waiting.", number=str(number)))
            call = None if arguments is None else {"id": call_id, "arguments": dict(arguments)}
            return _stored(connection, alarm_log.log_cancel(connection, alarm, self._now(), words=words, call=call))

        return await self._announced(work)

    async def fire(self, familiar: FamiliarId, number: TurnId, words: Callable[[Alarm], str]) -> Turn | None:
        """Note that a reminder is due, and return the turn that tells it; None where it no longer waits."""

        def work(connection: Connection) -> Turn | None:
            alarm = _waiting(connection, familiar, number)
            if alarm is None:
                return None
            return _stored(connection, alarm_log.log_due(connection, alarm, words(alarm), self._now()))

        return await self._announced(work)

    async def waiting(self, familiar: FamiliarId, *, channel: ChannelId | None = None) -> list[Alarm]:
        """Return what is still to come, in one channel or in all."""
        return await self._read("a.familiar = ? AND a.state = 'waiting' AND (? IS NULL OR a.channel = ?)",
                                (familiar, channel, channel))  # fmt: skip

    async def unanswered(self, familiar: FamiliarId, since: datetime) -> list[Alarm]:
        """Return what was due since an instant and told of, but has led to no words of the familiar."""
        return await self._read(_UNANSWERED, (familiar, to_micros(since)))

    async def of(self, person: PersonKey) -> list[Alarm]:
        """Return what somebody has asked to be reminded of and is still to come."""
        return await self._read("a.person = ? AND a.state = 'waiting'", (person,))

    async def _read(self, where: str, values: tuple[object, ...]) -> list[Alarm]:
        def work(connection: Connection) -> list[Alarm] | None:
            return None if alarm_log.behind(connection) else alarm_log.read_alarms(connection, where, values)

        found = await self._engine.read(work)
        if found is None:
            await self._engine.write(alarm_log.catch_up)
            found = await self._engine.read(lambda connection: alarm_log.read_alarms(connection, where, values))
        return found

    async def _announced(self, work: Callable[[Connection], T]) -> T:
        try:
            return await self._engine.write(work)
        finally:
            self._turns.announce()

    def _now(self) -> int:
        return to_micros(self._clock.now())


def _waiting(connection: Connection, familiar: FamiliarId, number: TurnId) -> Alarm | None:
    alarm_log.catch_up(connection)
    found = alarm_log.read_alarms(
        connection, "a.turn = ? AND a.familiar = ? AND a.state = 'waiting'", (number, familiar)
    )
    return found[0] if found else None


def _stored(connection: Connection, number: TurnId) -> Turn:
    turn = read_turn(connection, number)
    if turn is None:
        raise BugError("A turn cannot be read in the transaction that stored it.")
    return turn
