"""Appends turns and what the owner decides about them. Every function runs inside the writer's transaction.

A turn is never changed: an edit is a revision, a choice or a removal is a further turn of role `operator` whose
content is a small JSON object, and the columns that show their effect could be derived again. The one exception is
the tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import ChannelId, TraceId, TurnId
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import NewTurn, Role, Turn
from familiar_app.store import alarm_log, saved_memory_erase
from familiar_app.store.fact_write import drop_sources
from familiar_app.store.moment import to_micros
from familiar_app.store.person_write import SpeakerMemory, record_mentions
from familiar_app.store.reflection import drop_citations
from familiar_app.store.text import storable
from familiar_app.store.trace_write import redact_traces
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

_INSERT = """INSERT INTO turns (channel, role, content, at, arrived_at, speaker, familiar, guild, message_id, reply_to,
    mode, answers, tool_calls, tool_call_id, attachments) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"""


def insert_turn(connection: Connection, turn: NewTurn, arrived_at: int, speakers: SpeakerMemory) -> tuple[TurnId, bool]:
    """Append one turn with its author, names and mentions. False where its message was there already.

    Answers it was chosen over come before it, so that it is the newest of them, and so the active one.
    """
    if turn.message_id is not None:
        known = connection.execute(
            """SELECT id FROM turns WHERE channel = ?1 AND message_id = ?2
            UNION ALL SELECT turn FROM message_aliases WHERE channel = ?1 AND message_id = ?2 LIMIT 1""",
            (turn.channel, turn.message_id),
        ).fetchone()
        if known is not None:
            return TurnId(known[0]), False
    if turn.goes_on is not None:
        _refuse_erased(connection, turn.goes_on)
    at = to_micros(turn.at)
    speaker = None if turn.author is None else speakers.record(connection, turn.author, turn.guild, at)
    answers = turn.answers if turn.answers is not None or not turn.others else _answered(connection, turn)
    head = (turn.channel, turn.role.value)
    place = (at, arrived_at, speaker, turn.familiar, turn.guild)
    for other in turn.others if answers is not None else ():
        connection.execute(
            _INSERT, (*head, storable(other), *place, None, turn.reply_to, turn.mode, answers, None, None, None)
        )
    row = (
        *head, storable(turn.content), *place, turn.message_id, turn.reply_to, turn.mode, answers,
        storable(turn.tool_calls), turn.tool_call_id, storable(turn.attachments),
    )  # fmt: skip
    number = connection.execute(_INSERT, row).lastrowid
    if number is None:
        raise UserError(tr("The turn was not stored."), tr("Try again."))
    if turn.mentions:
        record_mentions(connection, TurnId(number), turn.mentions)
    if answers is not None and turn.role is Role.ASSISTANT:
        activate(connection, answers, TurnId(number))
    return TurnId(number), True


def _refuse_erased(connection: Connection, answer: TurnId) -> None:
    found = connection.execute("SELECT deleted FROM turns WHERE id = ?", (answer,)).fetchone()
    if found is None or found[0]:
        raise UserError(tr("The answer was erased while it was continued, so it is gone."))


def _answered(connection: Connection, turn: NewTurn) -> TurnId | None:
    """Return the message that a turn replies to, where it stands in the log and nobody had it erased."""
    found = connection.execute(
        "SELECT id FROM turns WHERE channel = ? AND message_id = ? AND NOT deleted", (turn.channel, turn.reply_to)
    ).fetchone()
    return None if found is None else TurnId(found[0])


def activate(connection: Connection, answered: TurnId, chosen: TurnId) -> None:
    """Make `chosen` its familiar's one active answer to `answered`; answers of other familiars stay as they are."""
    connection.execute(
        """UPDATE turns SET active = (id = ?1) WHERE answers = ?2 AND role = 'assistant' AND active <> (id = ?1)
        AND familiar IS (SELECT c.familiar FROM turns c WHERE c.id = ?1)""",
        (chosen, answered),
    )


def link_trace(connection: Connection, trace: TraceId, reply: TurnId) -> None:
    """Let a trace lead to the reply it explains. A trace that has left the ring meanwhile is no error."""
    connection.execute("UPDATE traces SET reply_turn = ? WHERE id = ?", (reply, trace))


def revise_turn(connection: Connection, turn: TurnId, content: str, at: int) -> Turn:
    """Add a revision and make it the text that is read; the same text again adds none."""
    known = existing(connection, turn)
    if known.deleted:
        raise UserError(tr("This turn was deleted, so its text cannot be changed."), tr("Write a new one."))
    if known.role is Role.OPERATOR:
        raise UserError(tr("What was decided by hand is kept as it is."), tr("Decide again instead."))
    text = storable(content)
    if text == known.content:
        return known
    number = known.revision + 1
    connection.execute("INSERT INTO revisions VALUES (?, ?, ?, ?)", (turn, number, text, at))
    connection.execute("UPDATE turns SET revision = ? WHERE id = ?", (number, turn))
    return existing(connection, turn)


def set_hidden(connection: Connection, turns: Sequence[TurnId], hidden: bool, now: int) -> None:
    """Hide or show turns; those that change are named by one operator turn for each channel."""
    changed: dict[int, list[TurnId]] = {}
    for turn in dict.fromkeys(turns):
        known = existing(connection, turn)
        if known.role is Role.OPERATOR:
            raise UserError(tr("What was decided by hand cannot be hidden."), tr("Choose other turns."))
        if known.hidden != hidden:
            changed.setdefault(known.channel, []).append(turn)
    for channel, ids in changed.items():
        _append_operator(connection, channel, {"act": "hide" if hidden else "unhide", "turns": ids}, now)
        connection.executemany("UPDATE turns SET hidden = ? WHERE id = ?", [(int(hidden), turn) for turn in ids])


def choose_turn(connection: Connection, turn: TurnId, now: int) -> Turn:
    """Make an alternative the active one, by an operator turn."""
    known = existing(connection, turn)
    if known.answers is None or known.role is not Role.ASSISTANT:
        raise UserError(tr("This turn is not one of several answers."), tr("Choose among the answers of one turn."))
    if known.deleted or known.hidden:
        raise UserError(
            tr("This answer was removed, so it cannot be chosen."), tr("Choose another one, or bring it back.")
        )
    if not known.active:
        act = {"act": "choose", "turn": turn, "answers": known.answers}
        _append_operator(connection, known.channel, act, now)
        activate(connection, known.answers, turn)
    return existing(connection, turn)


def scrub_turns(
    connection: Connection, turns: Sequence[TurnId], at: datetime, *, memories: frozenset[MemoryId] = frozenset()
) -> list[FactId]:
    """Turn turns into tombstones: their text goes from the turns, their revisions and the traces that show them.

    Saved memories drawn from them go for good, with the acts that hold their text; so do `memories`, and reminders that
    were asked for in them. Returns the facts that cited the turns; those that rest on nothing else are retired and
    hidden.
    """
    doomed = saved_memory_erase.doom(connection, memories | saved_memory_erase.drawn_from(connection, turns))
    reminders, reminded_of = alarm_log.doom(connection, turns)
    turns = tuple(dict.fromkeys((*turns, *doomed.turns, *reminders)))
    texts: set[str] = {*doomed.texts, *reminded_of}
    for turn in turns:
        existing(connection, turn)
        texts.update(_texts_of(connection, turn))
        connection.execute(
            """UPDATE turns SET content = '', tool_calls = NULL, attachments = NULL, deleted_at = CASE WHEN deleted
            THEN deleted_at ELSE ? END, deleted = 1, revision = 1 WHERE id = ?""",
            (to_micros(at), turn),
        )
        connection.execute("DELETE FROM revisions WHERE turn = ?", (turn,))
    redact_traces(connection, frozenset(turns), texts)
    drop_citations(connection, turns)
    if doomed.memories:
        saved_memory_erase.bring_up_to_date(connection)
    return drop_sources(connection, turns, at)


def react(connection: Connection, channel: ChannelId, message_id: str, emoji: str, delta: int) -> None:
    """Add to the count of one emoji under one message; it stops at zero."""
    connection.execute(
        """INSERT INTO reactions VALUES (?1, ?2, ?3, max(0, ?4))
        ON CONFLICT (channel, message_id, emoji) DO UPDATE SET count = max(0, count + ?4)""",
        (channel, message_id, emoji, delta),
    )


def existing(connection: Connection, turn: TurnId) -> Turn:
    """Return a turn that must be there. Raises UserError where it is not."""
    found = read_turn(connection, turn)
    if found is None:
        raise UserError(tr("There is no turn {turn}.", turn=str(turn)), tr("Look up its number with `familiar turns`."))
    return found


def _texts_of(connection: Connection, turn: TurnId) -> set[str]:
    rows = connection.execute(
        """SELECT content FROM turns WHERE id = ?1 UNION SELECT tool_calls FROM turns WHERE id = ?1
        UNION SELECT attachments FROM turns WHERE id = ?1 UNION SELECT content FROM revisions WHERE turn = ?1""",
        (turn,),
    )
    return {text for (text,) in rows if text}


def _append_operator(connection: Connection, channel: int, act: dict[str, Any], now: int) -> None:
    connection.execute(
        "INSERT INTO turns (channel, role, content, at, arrived_at, mode) VALUES (?, 'operator', ?, ?, ?, ?)",
        (channel, json.dumps(act), now, now, act["act"]),
    )
