"""The acts that reminders are made of: written to the log, carried out, and carried out again where rows are missing.

Everything a row says follows from turns: one that goes off, or is taken back in its channel, `answers` the turn that
set it, and that stays when the words are erased. Runs inside the writer's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.alarm import ALARM_CANCEL, ALARM_DUE, ALARM_SET, Alarm, NewAlarm
from familiar_app.domain.clock import format_time, parse_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import tr
from familiar_app.store.channel import ensure_local
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

PROJECTOR = "alarm"
TOOL_SET = "set_alarm"
TOOL_CANCEL = "cancel_alarm"
Inside = dict[str, Any]

_SELECT = """SELECT a.turn, a.familiar, a.channel, a.due_at, t.at, t.tool_calls, a.person, a.fired
    FROM alarms a JOIN turns t ON t.id = a.turn AND t.deleted = 0
    AND NOT EXISTS (SELECT 1 FROM veiled_people v WHERE v.person = a.person)"""
_ACTS = """SELECT id, at, channel, familiar, mode, tool_calls, content, role, answers FROM turns INDEXED BY turns_alarm
    WHERE role IN ('tool', 'system', 'operator') AND mode GLOB 'alarm_*' AND id > ?
    AND (deleted = 0 OR answers IS NOT NULL) ORDER BY id"""
_APPEND = """INSERT INTO turns (channel, role, content, at, arrived_at, familiar, guild, mode, answers,
    tool_calls, tool_call_id) SELECT id, ?, ?, ?, ?, ?, guild, ?, ?, ?, ? FROM channels WHERE id = ? RETURNING id"""


def log_set(
    connection: Connection, new: NewAlarm, now: int, call: Mapping[str, Any], told: Callable[[TurnId], str]
) -> TurnId:
    """Append the turn that sets a reminder, and the reminder. `told` says in words what the tool did."""
    wanted = {
        "due": format_time(new.due_at),
        "text": new.text,
        "by": new.person,
        "asked": new.asked,
    }
    number = _append(connection, new.channel, new.familiar, ("tool", ALARM_SET, ""), now, call.get("id"))
    # The number is known only now; nobody has seen the turn without its words.
    words = told(number)
    inside = {"name": TOOL_SET, "arguments": call.get("arguments", {}), "result": words, "alarm": wanted}
    connection.execute(
        "UPDATE turns SET content = ?, tool_calls = ? WHERE id = ?",
        (storable(words), storable(json.dumps(inside, ensure_ascii=False)), number),
    )
    _carry_out(connection, (number, now, new.channel, new.familiar, ALARM_SET, inside))
    set_watermark(connection, number, now)
    return number


def log_due(connection: Connection, alarm: Alarm, words: str, now: int) -> TurnId:
    """Append the turn that tells that a reminder is due."""
    inside = {"alarm": {"id": alarm.id}}
    number = _append(connection, alarm.channel, alarm.familiar, ("system", ALARM_DUE, words), now, None, inside)
    _carry_out(connection, (number, now, alarm.channel, alarm.familiar, ALARM_DUE, inside))
    set_watermark(connection, number, now)
    return number


def log_cancel(
    connection: Connection, alarm: Alarm, now: int, *, words: str = "", call: Mapping[str, Any] | None = None
) -> TurnId:
    """Append the turn that takes a reminder back: of the tool that was called, else of the owner."""
    inside: Inside = {"alarm": {"id": alarm.id}}
    if call is None:
        main = ensure_local(connection, MAIN_CHANNEL, alarm.familiar, now)
        told = json.dumps({"act": ALARM_CANCEL, **inside})
        number = _append(connection, main, alarm.familiar, ("operator", ALARM_CANCEL, told), now, None)
    else:
        inside |= {"name": TOOL_CANCEL, "arguments": call.get("arguments", {}), "result": words}
        place = (alarm.channel, alarm.familiar, ("tool", ALARM_CANCEL, words))
        number = _append(connection, *place, now, call.get("id"), inside)
    _carry_out(connection, (number, now, alarm.channel, alarm.familiar, ALARM_CANCEL, inside))
    set_watermark(connection, number, now)
    return number


def behind(connection: Connection) -> bool:
    """Tell whether the log has acts that the table does not show."""
    return bool(connection.execute(f"SELECT EXISTS ({_ACTS})", (watermark(connection),)).fetchone()[0])


def catch_up(connection: Connection) -> None:
    """Carry out the acts that the table does not show: all of them where rows went by hand."""
    position = watermark(connection)
    if position == 0:
        connection.execute("DELETE FROM alarms")
    last: tuple[int, int] | None = None
    for number, at, channel, familiar, mode, calls, content, role, answers in connection.execute(
        _ACTS, (position,)
    ).fetchall():
        text = content if role == "operator" else calls
        inside = {"alarm": {"id": answers}} if answers is not None else json.loads(text or "{}")
        _carry_out(connection, (TurnId(number), at, ChannelId(channel), familiar, mode, inside))
        last = (number, at)
    if last is not None:
        set_watermark(connection, *last)


def read_alarms(connection: Connection, where: str, values: tuple[object, ...]) -> list[Alarm]:
    """Return reminders, the one that is due first coming first."""
    rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY a.due_at, a.turn", values)
    return [_alarm(row) for row in rows]


def doom(connection: Connection, turns: Sequence[TurnId]) -> tuple[list[TurnId], set[str]]:
    """Take out the reminders that some turns set or asked for; returns the turns that hold their words, and these."""
    catch_up(connection)
    found, texts = list[TurnId](), set[str]()
    for turn in turns:
        for alarm in read_alarms(connection, "a.asked = ?1 OR a.turn = ?1", (turn,)):
            found += [alarm.id] if alarm.fired is None else [alarm.id, alarm.fired]
            texts.add(alarm.text)
    connection.executemany("DELETE FROM alarms WHERE turn = ?", [(turn,) for turn in found])
    return found, texts


def watermark(connection: Connection) -> int:
    """Return the last act that the table shows, 0 for none."""
    row = connection.execute(
        "SELECT position FROM watermarks WHERE projector = ? AND familiar = '' AND scope = ''", (PROJECTOR,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def set_watermark(connection: Connection, position: int, at: int) -> None:
    """Remember that the table shows every act up to a turn."""
    connection.execute(
        """INSERT INTO watermarks VALUES (?, '', '', ?, 'alarms', ?) ON CONFLICT (projector, familiar, scope)
        DO UPDATE SET position = excluded.position, set_at = excluded.set_at""",
        (PROJECTOR, position, at),
    )


def _carry_out(connection: Connection, act: tuple[TurnId, int, ChannelId, str, str, Inside]) -> None:
    number, _, channel, familiar, mode, inside = act
    told = inside["alarm"]
    if mode == ALARM_SET:
        connection.execute(
            """INSERT INTO alarms (turn, familiar, channel, due_at, person, asked) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING""",
            (number, familiar, channel, to_micros(parse_time(told["due"])), told["by"], told["asked"]),
        )
    elif mode == ALARM_DUE:
        connection.execute("UPDATE alarms SET state = 'due', fired = ? WHERE turn = ?", (number, told["id"]))
    else:
        connection.execute("UPDATE alarms SET state = 'cancelled' WHERE turn = ?", (told["id"],))


def _append(
    connection: Connection,
    channel: ChannelId,
    familiar: FamiliarId,
    said: tuple[str, str, str],
    now: int,
    call: object,
    inside: Inside | None = None,
) -> TurnId:
    role, mode, words = said
    calls = None if inside is None else storable(json.dumps(inside, ensure_ascii=False))
    answers = None if inside is None else inside["alarm"]["id"]
    values = (role, storable(words), now, now, familiar, mode, answers, calls, call, channel)
    row = connection.execute(_APPEND, values).fetchone()
    if row is None:
        raise UserError(tr("The channel of the reminder is gone."))
    return TurnId(row[0])


def _alarm(row: tuple[Any, ...]) -> Alarm:
    number, familiar, channel, due, at, calls, person, fired = row
    told: datetime = from_micros(due)
    return Alarm(
        id=TurnId(number),
        familiar=FamiliarId(familiar),
        channel=ChannelId(channel),
        due_at=told,
        set_at=from_micros(at),
        text=json.loads(calls)["alarm"]["text"],
        person=None if person is None else PersonKey(person),
        fired=None if fired is None else TurnId(fired),
    )
