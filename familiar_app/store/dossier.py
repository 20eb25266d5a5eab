"""Stores and reads dossiers of people and summaries of channels. Runs inside a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import Dossier, Summary
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable
from familiar_app.store.written import NOW, WRITTEN_BY, Moment

if TYPE_CHECKING:
    from datetime import datetime
    from sqlite3 import Connection

_DOSSIERS = "SELECT familiar, person, text, last_fact_id, created_at FROM people_dossiers"


def put_dossier(connection: Connection, dossier: Dossier) -> None:
    """Store a person's dossier in the place of the one before. An empty text changes nothing."""
    if dossier.text.strip():
        connection.execute(
            """INSERT INTO people_dossiers VALUES (?, ?, ?, ?, ?) ON CONFLICT (familiar, person) DO UPDATE SET
            text = excluded.text, last_fact_id = excluded.last_fact_id, created_at = excluded.created_at""",
            (
                dossier.familiar, dossier.person, storable(dossier.text), dossier.last_fact_id,
                to_micros(dossier.created_at),
            ),
        )  # fmt: skip


def read_dossier(connection: Connection, familiar: FamiliarId, person: PersonKey) -> Dossier | None:
    """Return what a familiar knows about somebody."""
    row = connection.execute(f"{_DOSSIERS} WHERE familiar = ? AND person = ?", (familiar, person)).fetchone()
    return None if row is None else _dossier(row)


def read_dossiers(connection: Connection, familiar: FamiliarId) -> list[Dossier]:
    """Return every dossier of a familiar."""
    return [_dossier(row) for row in connection.execute(f"{_DOSSIERS} WHERE familiar = ? ORDER BY person", (familiar,))]


def outdated_dossiers(
    connection: Connection, familiar: FamiliarId, now: datetime, limit: int
) -> list[tuple[PersonKey, int]]:
    """Return people with current facts newer than their dossier, and the id it was folded up to (0: none)."""
    rows = connection.execute(
        """SELECT s.key, coalesce(d.last_fact_id, 0) AS seen FROM fact_subjects s INDEXED BY fact_subjects_current
        LEFT JOIN people_dossiers d ON d.familiar = s.familiar AND d.person = s.key
        WHERE s.familiar = ? AND s.superseded_at IS NULL AND s.hidden = 0 AND (s.valid_to IS NULL OR s.valid_to > ?)
        GROUP BY s.key HAVING max(s.fact) > seen ORDER BY max(s.fact) LIMIT ?""",
        (familiar, to_micros(now), max(limit, 0)),
    )
    return [(PersonKey(key), seen) for key, seen in rows]


def lost_dossiers(connection: Connection, familiar: FamiliarId) -> list[PersonKey]:
    """Return people something is believed about, ended facts too, who have no dossier although one was written."""
    rows = connection.execute(
        """SELECT DISTINCT l.scope FROM ledger l WHERE l.familiar = ?1 AND l.projector = 'people_dossier'
        AND l.void_at IS NULL AND NOT EXISTS
            (SELECT 1 FROM people_dossiers d WHERE d.familiar = ?1 AND d.person = l.scope)
        AND EXISTS (SELECT 1 FROM fact_subjects s INDEXED BY fact_subjects_current WHERE s.familiar = ?1
            AND s.key = l.scope AND s.superseded_at IS NULL AND s.hidden = 0) ORDER BY l.scope""",
        (familiar,),
    )
    return [PersonKey(key) for (key,) in rows]


def add_summary(connection: Connection, summary: Summary) -> None:
    """Store a channel's next summary; the earlier ones stay. An empty text changes nothing."""
    if summary.text.strip():
        connection.execute(
            "INSERT INTO summaries (familiar, channel, text, last_turn_id, created_at) VALUES (?, ?, ?, ?, ?)",
            (
                summary.familiar, summary.channel, storable(summary.text), summary.last_turn_id,
                to_micros(summary.created_at),
            ),
        )  # fmt: skip


def newest_summary(
    connection: Connection, familiar: FamiliarId, channel: ChannelId, moment: Moment = NOW
) -> Summary | None:
    """Return a channel's summary as it is, or as it stood at a moment."""
    row = connection.execute(
        f"""SELECT familiar, channel, text, last_turn_id, created_at FROM summaries WHERE familiar = ? AND channel = ?
        AND {WRITTEN_BY} ORDER BY id DESC LIMIT 1""",
        (familiar, channel, *moment.bounds()),
    ).fetchone()
    if row is None:
        return None
    return Summary(FamiliarId(row[0]), ChannelId(row[1]), row[2], TurnId(row[3]), from_micros(row[4]))


def _dossier(row: tuple[Any, ...]) -> Dossier:
    return Dossier(FamiliarId(row[0]), PersonKey(row[1]), row[2], row[3], from_micros(row[4]))
