"""Saves and updates for the tools: the checks that need stored rows, the room, and the act, all in one transaction.

A call that is refused leaves nothing behind. The writer's one thread is the lock on an owner: who comes first counts
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlcipher3 import dbapi2

from familiar_app.domain.ids import ChannelKey, FamiliarId, PersonKey, TurnId, ego_key
from familiar_app.domain.privacy import PrivacyLevel, hosts_allow
from familiar_app.domain.saved_memory.capacity import Decay, first_to_go
from familiar_app.domain.saved_memory.memory import (
    GLOBAL_LINEAGE,
    MemoryPlace,
    SavedMemory,
    Scope,
    content_identity,
    usable_lineage,
)
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.saved_memory.request import (
    SERVER_WIDE,
    TARGET_USER,
    Aim,
    Limits,
    SaveIntent,
    ToolContext,
    UpdateIntent,
)
from familiar_app.domain.saved_memory.status import (
    SAVE_TOOL,
    UPDATE_TOOL,
    Failure,
    Refused,
    Status,
    ToolResult,
    done,
    failed,
)
from familiar_app.domain.text import tr_later
from familiar_app.store.moment import to_micros
from familiar_app.store.opt_in import not_agreed
from familiar_app.store.privacy import private_names, read_levels
from familiar_app.store.saved_memory_log import Act, ActPlace, Op, catch_up, log_call, next_number, put_op
from familiar_app.store.saved_memory_row import read_memories, read_memory

if TYPE_CHECKING:
    from sqlite3 import Connection

EVICTED = "evicted"
DELETED = tr_later("deleted by the familiar")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it goes into the log: what the model gave, and the call's id where it has one."""

    arguments: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What became of a call. `turn` is the log's turn, None where nothing was written."""

    result: ToolResult
    turn: TurnId | None = None


def save(
    connection: Connection, intent: SaveIntent, call: ToolCall, limits: Limits, decay: Decay, at: datetime
) -> ToolOutcome:
    """Store a memory, let an equal one count again, or refuse."""
    catch_up(connection)
    context, aim = intent.context, intent.aim
    refused = _unknown(aim) or _restricted(connection, context, aim, intent.content) or _no_lineage(context)
    if refused is not None:
        return ToolOutcome(failed(SAVE_TOOL, refused))
    place = MemoryPlace(aim.scope, _owner(context, aim), context.lineage)
    known = _same(connection, place, intent.content)
    if known is not None:
        again: Op = {"op": "reinforce", "id": known.id}
        message = f"This is saved already, as memory [id:{known.id}]."
        result = done(Status.ALREADY_SAVED, message, **_about(aim, known.id), content_saved=known.content)
        return _logged(connection, context, SAVE_TOOL, call, result, (again,), at)
    victim = _make_room(connection, place, limits.of(aim.scope), decay, at)
    if isinstance(victim, Refused):
        return ToolOutcome(failed(SAVE_TOOL, victim))
    number = next_number(connection)
    put = put_op(
        number,
        place,
        intent.content,
        (),
        persona=context.familiar,
        taught_by=None if context.speaker is None else context.speaker.key,
        source_turn=context.source_turn,
        manual=False,
    )
    about = {**_about(aim, number), "content_saved": intent.content}
    if victim is None:
        result = done(Status.SAVED, f"Saved as memory [id:{number}]: {intent.content}", **about)
        return _logged(connection, context, SAVE_TOOL, call, result, (put,), at)
    gone: Op = {"op": "retire", "id": victim.id, "reason": EVICTED}
    message = (
        f"Saved as memory [id:{number}]: {intent.content}\nForgotten to make room, [id:{victim.id}]: {victim.content}"
    )
    result = done(
        Status.SAVED_WITH_EVICTION, message, **about, content_forgotten=victim.content, forgotten_id=victim.id
    )
    return _logged(connection, context, SAVE_TOOL, call, result, (gone, put), at)


def update(connection: Connection, intent: UpdateIntent, call: ToolCall, at: datetime) -> ToolOutcome:
    """Change a memory's text, or retire it where there is none."""
    catch_up(connection)
    context, aim = intent.context, intent.aim
    refused = _unknown(aim)
    if refused is None and intent.content is not None:
        refused = _restricted(connection, context, aim, intent.content)
    refused = refused or _no_lineage(context)
    if refused is not None:
        return ToolOutcome(failed(UPDATE_TOOL, refused))
    known = read_memory(connection, intent.memory)
    if known is None or not known.active or not _belongs(known, context, aim):
        message = f"There is no memory {intent.memory} here. Use the number behind id: of one that is shown."
        return ToolOutcome(failed(UPDATE_TOOL, Refused(Failure.NOT_FOUND, message)))
    op: Op
    if intent.content is None:
        op = {"op": "retire", "id": known.id, "reason": DELETED}
        message = f"Deleted memory [id:{known.id}]: {known.content}"
        result = done(Status.DELETED, message, **_about(aim, known.id), content_forgotten=known.content)
    else:
        op = {"op": "change", "id": known.id, "content": intent.content}
        message = f"Updated memory [id:{known.id}]: {intent.content}"
        result = done(Status.UPDATED, message, **_about(aim, known.id), content_saved=intent.content)
    return _logged(connection, context, UPDATE_TOOL, call, result, (op,), at)


def _unknown(aim: Aim) -> Refused | None:
    if aim.scope is Scope.PERSONAL and aim.key is None:
        return Refused(Failure.USER_NOT_FOUND, "This person is not known, so nothing can be kept about them.")
    return None


def _restricted(connection: Connection, context: ToolContext, aim: Aim, content: str) -> Refused | None:
    """Refuse what somebody does not want kept: about them, or on a server and naming them."""
    levels = read_levels(connection)
    here = [one.key for one in context.people if one.key is not None]
    for person in not_agreed(connection, (*here, *([aim.key] if aim.key else [])), context.guild):
        levels.setdefault(person, PrivacyLevel.PARTIAL)
    if aim.proxy is not None and not hosts_allow(aim.proxy, levels):
        return Refused(
            Failure.PRIVACY_RESTRICTED, "The person behind this identity does not allow it to be remembered."
        )
    if aim.key is not None and not levels.get(aim.key, PrivacyLevel.NONE).allows_memories:
        return Refused(Failure.PRIVACY_RESTRICTED, "This person does not want to be remembered.")
    if aim.scope is Scope.SERVER and levels:
        called = [
            (one.key, name)
            for one in context.people
            for name in (one.name, one.username, one.nickname, one.global_name)
        ]
        if names_somebody(content, private_names(connection, levels, called)):
            return Refused(
                Failure.PRIVACY_RESTRICTED, "This names somebody who does not want to be remembered: leave them out."
            )
    return None


def _no_lineage(context: ToolContext) -> Refused | None:
    if usable_lineage(context.lineage):
        return None
    return Refused(Failure.INTERNAL_ERROR, "This familiar has no lineage of its own, so nothing was changed.")


def _owner(context: ToolContext, aim: Aim) -> str:
    return str(aim.key) if aim.scope is Scope.PERSONAL else str(context.server)


def _same(connection: Connection, place: MemoryPlace, content: str) -> SavedMemory | None:
    found = read_memories(
        connection,
        """m.retired_at IS NULL AND m.scope = ? AND m.owner = ? AND m.persona_lineage_id = ? AND m.identity = ?
        ORDER BY m.id LIMIT 1""",
        (place.scope, place.owner, place.lineage, content_identity(content)),
    )
    return found[0] if found else None


def _make_room(
    connection: Connection, place: MemoryPlace, limit: int, decay: Decay, at: datetime
) -> SavedMemory | Refused | None:
    """Return None where there is room, the one row that has to go, or why nothing can be stored."""
    count = _count(connection, place)
    if count is not None and count < limit:
        return None
    victim = None
    if count is not None and decay.on:
        victim = first_to_go(_least_useful(connection, place, decay, at), place.lineage, at, decay)
    if victim is not None:
        return victim
    shown = limit if count is None else count
    message = f"There are {shown} memories of {limit} that fit, and none that may make room."
    return Refused(Failure.LIMIT_EXCEEDED, message, {"count": shown, "limit": limit})


def _least_useful(connection: Connection, place: MemoryPlace, decay: Decay, at: datetime) -> list[SavedMemory]:
    """Return the resting row that goes first in the order of `first_to_go`, which decides whether it may."""
    resting_since = to_micros(at - timedelta(days=decay.days or 0))
    return read_memories(
        connection,
        """m.retired_at IS NULL AND m.scope = ? AND m.owner = ? AND m.persona_lineage_id = ? AND NOT m.manually_written
        AND coalesce(m.last_reinforced_at, m.created_at) < ?
        ORDER BY m.last_reinforced_at IS NOT NULL, m.last_reinforced_at, m.created_at, m.id LIMIT 1""",
        (place.scope, place.owner, place.lineage, resting_since),
    )


def _count(connection: Connection, place: MemoryPlace) -> int | None:
    """Count what counts against the limit; None where that fails, which has to count as full."""
    lineages = (place.lineage, place.lineage if place.scope is Scope.SERVER else GLOBAL_LINEAGE)
    try:
        row = connection.execute(
            """SELECT count(*) FROM saved_memories WHERE retired_at IS NULL AND scope = ? AND owner = ?
            AND persona_lineage_id IN (?, ?)""",
            (place.scope, place.owner, *lineages),
        ).fetchone()
    except dbapi2.Error:
        return None
    return int(row[0])


def _belongs(known: SavedMemory, context: ToolContext, aim: Aim) -> bool:
    """Tell whether a memory is of this owner and lineage; a person's global ones are theirs."""
    place = known.place
    if place.scope is not aim.scope or place.owner != _owner(context, aim):
        return False
    return place.lineage == context.lineage or (aim.scope is Scope.PERSONAL and place.is_global)


def _about(aim: Aim, number: int) -> dict[str, Any]:
    personal = aim.scope is Scope.PERSONAL
    return {
        "memory_id": number,
        "scope": TARGET_USER if personal else SERVER_WIDE,
        "target_user": aim.name if personal else None,
    }


def _logged(
    connection: Connection,
    context: ToolContext,
    tool: str,
    call: ToolCall,
    result: ToolResult,
    ops: tuple[Op, ...],
    at: datetime,
) -> ToolOutcome:
    familiar = FamiliarId(context.familiar or "")
    channel = None if context.channel is None else ChannelKey(context.channel)
    name = "save" if tool == SAVE_TOOL else "update"
    by: PersonKey = ego_key(familiar)
    turn = log_call(
        connection,
        ActPlace(familiar, channel, context.guild),
        Act(name, by, ops),
        to_micros(at),
        text=result.message,
        call={"id": call.id, "name": tool, "arguments": dict(call.arguments), "result": result.as_json()},
    )
    return ToolOutcome(result, turn)
