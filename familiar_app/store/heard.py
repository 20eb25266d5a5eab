"""Reads what projectors work on, above all the turns that a familiar has heard, in its own channels and in others.

A channel that is not local is heard from the moment a familiar subscribes to it until it leaves; a turn's arrival
decides. Operator turns, tombstones, hidden turns and replaced answers are never among them. Runs inside a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.store.reword import REREAD, REWORD
from familiar_app.store.turn_row import read_turns

if TYPE_CHECKING:
    from sqlite3 import Connection

# Takes the familiar twice; a turn is called `t`.
HEARD = """t.shown = 1 AND (EXISTS (SELECT 1 FROM channels o WHERE o.id = t.channel AND o.familiar = ?)
    OR EXISTS (SELECT 1 FROM subscriptions u WHERE u.channel = t.channel AND u.familiar = ?
        AND u.since <= t.arrived_at AND (u.until IS NULL OR u.until > t.arrived_at)))"""
_SPEAKER_WINDOW = 500


class Hearing:
    """What `HEARD` says, for many turns whose channels and arrivals are known."""

    def __init__(self, connection: Connection, familiar: FamiliarId) -> None:
        own = connection.execute("SELECT id FROM channels WHERE familiar = ?", (familiar,))
        self._own = frozenset(number for (number,) in own)
        self._spans: dict[int, list[tuple[int, int]]] = {}
        rows = connection.execute(
            f"SELECT channel, since, coalesce(until, {1 << 62}) FROM subscriptions WHERE familiar = ?", (familiar,)
        )
        for channel, since, until in rows:
            self._spans.setdefault(channel, []).append((since, until))

    def of(self, channel: int, arrived_at: int) -> bool:
        """Tell whether a turn of a channel was heard when it arrived; that it is shown is for others to ask."""
        if channel in self._own:
            return True
        return any(since <= arrived_at < until for since, until in self._spans.get(channel, ()))


def turns_after(
    connection: Connection, familiar: FamiliarId, after: int, limit: int, channel: ChannelId | None = None
) -> list[Turn]:
    """Return the next turns that were heard, oldest first."""
    where, values = _where(familiar, after, channel)
    return read_turns(connection, f"{where} ORDER BY t.id LIMIT ?", (*values, max(limit, 0)))


def newest_turns(
    connection: Connection, familiar: FamiliarId, after: int, limit: int, channel: ChannelId | None = None
) -> list[Turn]:
    """Return the newest turns after `after` that were heard, oldest first."""
    where, values = _where(familiar, after, channel)
    return read_turns(connection, f"{where} ORDER BY t.id DESC LIMIT ?", (*values, max(limit, 0)))[::-1]


def count_after(connection: Connection, familiar: FamiliarId, after: int, channel: ChannelId | None = None) -> int:
    """Count the turns after `after` that were heard."""
    where, values = _where(familiar, after, channel)
    return int(connection.execute(f"SELECT count(*) FROM turns t WHERE {where}", values).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Reworded:
    """An edit, by its operator turn, of `id`. `turn` is None where it is not heard any more.

    `read` tells that an extractor was shown the turn since. With `rest`, the turn reads as before, but another one that
    facts were drawn from beside it is deleted.
    """

    act: int
    id: TurnId
    turn: Turn | None
    read: bool
    rest: bool = False


def reworded(connection: Connection, familiar: FamiliarId, after: int, limit: int) -> list[Reworded]:
    """Return edits behind an operator turn, oldest first."""
    rows = connection.execute(
        """SELECT o.id, o.mode = ?3, json_extract(o.content, '$.turn') AS turn, EXISTS (SELECT 1 FROM ledger l
            WHERE l.familiar = ?1 AND l.projector = 'rich_note' AND l.void_at IS NULL
            AND l.first <= json_extract(o.content, '$.turn') AND l.last >= json_extract(o.content, '$.turn')
            AND json_extract(l.answer, '$.newest_turn') >= o.id)
        FROM turns o INDEXED BY turns_operator
        WHERE o.role = 'operator' AND o.mode IN (?2, ?3) AND o.id > ?4 AND o.deleted = 0
        ORDER BY o.id LIMIT ?5""",
        (familiar, REWORD, REREAD, after, limit),
    ).fetchall()
    found: list[Reworded] = []
    for act, rest, turn, read in rows:
        there = read_turns(connection, f"t.id = ? AND {HEARD}", (turn, familiar, familiar))
        found.append(Reworded(act, TurnId(turn), there[0] if there else None, bool(read), bool(rest)))
    return found


def heard_channels(connection: Connection, familiar: FamiliarId) -> list[ChannelId]:
    """Return the channels a familiar has or had, in the order in which they were made."""
    rows = connection.execute(
        """SELECT id FROM channels WHERE familiar = ?1
        OR id IN (SELECT channel FROM subscriptions WHERE familiar = ?1) ORDER BY id""",
        (familiar,),
    )
    return [ChannelId(number) for (number,) in rows]


def recent_speakers(
    connection: Connection, channels: Iterable[ChannelId], until: TurnId, limit: int
) -> list[PersonKey]:
    """Return who spoke last in some channels up to a turn, the last one first."""
    last: dict[str, int] = {}
    for channel in dict.fromkeys(channels):
        rows = connection.execute(
            """SELECT p.key, t.id FROM turns t JOIN speakers p ON p.id = t.speaker
            WHERE t.channel = ? AND t.shown = 1 AND t.id <= ? ORDER BY t.id DESC LIMIT ?""",
            (channel, until, _SPEAKER_WINDOW),
        )
        for key, turn in rows:
            last[key] = max(turn, last.get(key, 0))
    return [PersonKey(key) for key in sorted(last, key=lambda key: -last[key])[: max(limit, 0)]]


def mentioned_in(connection: Connection, turns: Sequence[TurnId]) -> list[PersonKey]:
    """Return who is mentioned in some turns, those of the last turn first."""
    marks = ",".join("?" for _ in turns)
    rows = connection.execute(
        f"""SELECT person, max(turn) AS last FROM mentions WHERE turn IN ({marks})
        GROUP BY person ORDER BY last DESC, person""",
        tuple(turns),
    )
    return [PersonKey(key) for key, _ in rows]


def believed_about(
    connection: Connection, familiar: FamiliarId, person: PersonKey, after: int = 0, until: int = 1 << 62
) -> list[int]:
    """Return the ids of the facts about somebody that are believed today, ended ones too, oldest first."""
    rows = connection.execute(
        """SELECT fact FROM fact_subjects INDEXED BY fact_subjects_current WHERE familiar = ? AND key = ?
        AND fact > ? AND fact <= ? AND superseded_at IS NULL AND hidden = 0 ORDER BY fact""",
        (familiar, person, after, until),
    )
    return [number for (number,) in rows]


def count_facts_after(connection: Connection, familiar: FamiliarId, after: int) -> int:
    """Count the facts with a higher id, retired and ended ones too."""
    sql = "SELECT count(*) FROM facts INDEXED BY facts_time WHERE familiar = ? AND id > ? AND hidden = 0"
    return int(connection.execute(sql, (familiar, after)).fetchone()[0])


def _where(familiar: FamiliarId, after: int, channel: ChannelId | None) -> tuple[str, tuple[object, ...]]:
    if channel is None:
        return f"t.id > ? AND {HEARD}", (after, familiar, familiar)
    return f"t.channel = ? AND t.id > ? AND {HEARD}", (channel, after, familiar, familiar)
