"""Reads a channel as it stood at an earlier moment: what had arrived, in the words of that time.

What was decided later (a removal, another answer chosen, an edit) does not count yet. A tombstone stays one at every
moment: its text is gone for good. What its author wants kept no longer stays hidden at every moment too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.store.moment import to_micros
from familiar_app.store.turn_row import read_turns
from familiar_app.store.veil import VEILED

if TYPE_CHECKING:
    from sqlite3 import Connection

_FOR_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Then:
    """A moment: what had arrived by `known_at`, of that what was said by `as_of`. None: no bound."""

    known_at: datetime | None = None
    as_of: datetime | None = None

    @property
    def known_micros(self) -> int:
        return _FOR_EVER if self.known_at is None else to_micros(self.known_at)

    @property
    def said_micros(self) -> int:
        return _FOR_EVER if self.as_of is None else to_micros(self.as_of)


@dataclass(slots=True)
class _Decided:
    """What the owner had decided by then: turns taken out, and each familiar's chosen answer with the act's number."""

    hidden: set[int] = field(default_factory=set)
    chosen: dict[tuple[int, str | None], tuple[int, int]] = field(default_factory=dict)


def page_then(
    connection: Connection, channel: ChannelId, then: Then, before: TurnId | None, after: TurnId | None, limit: int
) -> list[Turn]:
    """Return a page of a channel as of a moment, oldest first: the first after `after`, else the last before `before`.

    Costs a walk through the channel's decisions, of which there are few, and through what came later.
    """
    bound, order = ("t.id > ?", "ASC") if after is not None else ("t.id < ?", "DESC")
    edge = after if after is not None else before if before is not None else _FOR_EVER
    turns = _read(connection, channel, then, _Choice(bound, edge, f"ORDER BY t.id {order} LIMIT ?", (max(limit, 0),)))
    return turns if after is not None else turns[::-1]


def standing(connection: Connection, turns: Iterable[Turn], then: Then) -> dict[TurnId, Turn]:
    """Return those of some turns that stood at a moment, with the words they had then."""
    by_channel: dict[ChannelId, list[TurnId]] = {}
    for turn in turns:
        by_channel.setdefault(turn.channel, []).append(turn.id)
    among = "t.id IN (SELECT value FROM json_each(?))"
    return {
        turn.id: turn
        for channel, ids in by_channel.items()
        for turn in _read(connection, channel, then, _Choice(among, json.dumps(ids)))
    }


class _Choice(NamedTuple):
    """Which of a channel's turns are read, and how many of them."""

    condition: str
    value: object
    tail: str = ""
    tail_values: tuple[object, ...] = ()


def _read(connection: Connection, channel: ChannelId, then: Then, choice: _Choice) -> list[Turn]:
    decided = _decisions(connection, channel, then.known_micros)
    where = f"""t.channel = ? AND {choice.condition} AND t.deleted = 0 AND t.hidden < {VEILED} AND t.role <> 'operator'
        AND t.arrived_at <= ? AND t.at <= ? AND t.id NOT IN (SELECT value FROM json_each(?))
        AND (t.answers IS NULL OR t.role <> 'assistant' OR t.id = coalesce(
            (SELECT json_extract(c.value, '$[1]') FROM json_each(?) c WHERE json_extract(c.value, '$[0]') = t.answers
                AND json_extract(c.value, '$[3]') IS t.familiar
                AND NOT EXISTS (SELECT 1 FROM turns n WHERE n.answers = t.answers AND n.role = 'assistant'
                    AND n.familiar IS t.familiar AND n.id > json_extract(c.value, '$[2]') AND n.arrived_at <= ?)),
            (SELECT max(s.id) FROM turns s WHERE s.answers = t.answers AND s.role = 'assistant'
                AND s.familiar IS t.familiar AND s.arrived_at <= ?)))
        {choice.tail}"""
    chosen = [[answered, turn, act, familiar] for (answered, familiar), (turn, act) in decided.chosen.items()]
    values = (
        channel, choice.value, then.known_micros, then.said_micros, json.dumps(sorted(decided.hidden)),
        json.dumps(chosen), then.known_micros, then.known_micros, *choice.tail_values,
    )  # fmt: skip
    return [_worded(connection, turn, then) for turn in read_turns(connection, where, values)]


def _decisions(connection: Connection, channel: ChannelId, known: int) -> _Decided:
    rows = connection.execute(
        """SELECT o.id, o.content, CASE WHEN o.mode = 'choose' THEN
            (SELECT a.familiar FROM turns a WHERE a.id = json_extract(o.content, '$.turn')) END
        FROM turns o INDEXED BY turns_operator WHERE o.role = 'operator' AND o.channel = ? AND o.arrived_at <= ?
        AND o.mode IN ('hide', 'unhide', 'choose') ORDER BY o.id""",
        (channel, known),
    )
    decided = _Decided()
    for number, content, familiar in rows:
        act = json.loads(content)
        if act["act"] == "choose":
            decided.chosen[act["answers"], familiar] = (act["turn"], number)
        elif act["act"] == "hide":
            decided.hidden.update(act["turns"])
        else:
            decided.hidden.difference_update(act["turns"])
    return decided


def _worded(connection: Connection, turn: Turn, then: Then) -> Turn:
    """Return a turn with the text it had then."""
    if turn.revision == 1 or then.known_at is None:
        return turn
    number, content = connection.execute(
        """SELECT number, content FROM (SELECT 1 AS number, content FROM turns WHERE id = ?1
        UNION ALL SELECT number, content FROM revisions WHERE turn = ?1 AND at <= ?2) ORDER BY number DESC LIMIT 1""",
        (turn.id, then.known_micros),
    ).fetchone()
    return replace(turn, revision=number, content=content)
