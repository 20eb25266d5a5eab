"""Takes what is erased out of reflections, summaries and portraits. Runs inside a transaction."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from familiar_app.domain.ids import TurnId
from familiar_app.domain.redaction import Redaction
from familiar_app.store.erasure_ledger import summary_text
from familiar_app.store.erasure_scope import Scope
from familiar_app.store.moment import from_micros
from familiar_app.store.turn_forget import drop_summaries

if TYPE_CHECKING:
    from sqlite3 import Connection

_RESTS_ON = """SELECT 1 FROM reflections r WHERE r.id = ?
    AND NOT EXISTS (SELECT 1 FROM reflection_turns t WHERE t.reflection = r.id
        AND t.turn NOT IN (SELECT turn FROM erasure_turns))
    AND NOT EXISTS (SELECT 1 FROM reflection_facts c WHERE c.reflection = r.id
        AND c.fact NOT IN (SELECT fact FROM erasure_facts))"""
# Portraits of those who are erased, and of those of whom something was told that is.
_DOSSIERS = """SELECT familiar, person FROM people_dossiers d
    WHERE person IN (SELECT value FROM json_each(?)) OR EXISTS (SELECT 1 FROM erasure_facts e
        JOIN fact_subjects s ON s.fact = e.fact WHERE s.key = d.person AND s.familiar = d.familiar
        AND e.fact <= d.last_fact_id)"""


def is_going(connection: Connection, reflection: int) -> bool:
    """Tell whether a reflection rests on nothing but what is erased."""
    return connection.execute(_RESTS_ON, (reflection,)).fetchone() is not None


def clean_drawn(connection: Connection, scope: Scope, redaction: Redaction, at: int, counts: Counter[str]) -> None:
    """Clean what was drawn from turns and facts; both have to be there still."""
    for number, text in connection.execute("SELECT id, text FROM reflections").fetchall():
        if is_going(connection, number):
            connection.execute("DELETE FROM reflections WHERE id = ?", (number,))
            counts["reflections"] += 1
        else:
            _put(connection, "reflections", number, (text, redaction.text(text)), counts)
    _take_stories_back(connection, at, counts)
    for number, channel, text in connection.execute("SELECT id, channel, text FROM summaries").fetchall():
        left = summary_text(scope, redaction, str(channel), text)
        if left:
            _put(connection, "summaries", number, (text, left), counts)
        else:
            connection.execute("DELETE FROM summaries WHERE id = ?", (number,))
            counts["summaries"] += 1
    for key in connection.execute(_DOSSIERS, (scope.keys_json,)).fetchall():
        connection.execute("DELETE FROM people_dossiers WHERE familiar = ? AND person = ?", key)
        counts["dossiers"] += 1
    for familiar, person, text in connection.execute("SELECT familiar, person, text FROM people_dossiers").fetchall():
        left = redaction.text(text)
        if left != text:
            connection.execute(
                "UPDATE people_dossiers SET text = ? WHERE familiar = ? AND person = ?", (left, familiar, person)
            )
            counts["~dossiers"] += 1


def _take_stories_back(connection: Connection, at: int, counts: Counter[str]) -> None:
    """Let each story end before the first turn that is erased; it is told again from there, as after a deletion."""
    rows = connection.execute(
        """SELECT min(t.id) FROM erasure_turns e JOIN turns t ON t.id = e.turn
        WHERE t.role <> 'operator' GROUP BY t.channel"""
    )
    before = _count(connection)
    for (first,) in rows.fetchall():
        drop_summaries(connection, TurnId(first), from_micros(at))
    counts["summaries"] += before - _count(connection)


def _count(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM summaries").fetchone()[0])


def _put(connection: Connection, table: str, number: int, texts: tuple[str, str], counts: Counter[str]) -> None:
    before, after = texts
    if before != after:
        connection.execute(f"UPDATE {table} SET text = ? WHERE id = ?", (after, number))
        counts[f"~{table}"] += 1
