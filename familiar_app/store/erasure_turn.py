"""Makes tombstones of erased turns, and takes names and quotes out of those that stay. Runs inside a transaction.

A tombstone keeps its number, its place, its times and its message's id, so that nothing else moves and no import brings
the message back; it has no author any more.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from familiar_app.domain.erasure import Sample
from familiar_app.domain.ids import TurnId
from familiar_app.domain.redaction import Redaction
from familiar_app.domain.text import tr
from familiar_app.store.erasure_list import remember_words
from familiar_app.store.fact_write import drop_sources
from familiar_app.store.moment import from_micros
from familiar_app.store.reflection import drop_citations
from familiar_app.store.reword import read_rest_again
from familiar_app.store.veil import VEILED

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_STEP = 400
_READ_AT_ONCE = 4000
_MOST_SAMPLES = 5
_CONTEXT_CHARS = 60
_KINDS = {"assistant": "replies", "operator": "acts"}
_LEFT = """SELECT t.id, t.role, t.content, t.tool_calls, t.attachments FROM turns t WHERE t.id > ? AND t.deleted = 0
    AND t.role <> 'operator' AND t.id NOT IN (SELECT turn FROM erasure_turns) ORDER BY t.id LIMIT ?"""
_REVISIONS = """SELECT turn, number, content FROM revisions WHERE turn > ?1 AND turn <= ?2
    AND turn NOT IN (SELECT turn FROM erasure_turns)"""
_THESE = "(SELECT value FROM json_each(?1))"
_BURY = f"""UPDATE turns SET content = '', tool_calls = NULL, attachments = NULL, revision = 1, speaker = NULL,
    hidden = hidden & ~{VEILED}, deleted = 1, deleted_at = coalesce(deleted_at, ?2) WHERE id IN {_THESE}"""


def clean_turns(
    connection: Connection, redaction: Redaction, after: int, counts: Counter[str], samples: list[Sample]
) -> tuple[int | None, list[TurnId]]:
    """Clean the next turns that stay. Returns behind which to go on, None at the end, and the turns that changed."""
    touched: list[TurnId] = []
    rows = connection.execute(_LEFT, (after, _READ_AT_ONCE)).fetchall()
    for number, role, content, calls, attachments in rows:
        left = (redaction.text(content), *(one and redaction.stored(one) for one in (calls, attachments)))
        if left != (content, calls, attachments):
            _note(samples, tr("turn {number}", number=str(number)), content, left[0] or "")
            counts["vectors"] += _vectors(connection, number)
            remember_words(connection, number)
            connection.execute(
                "UPDATE turns SET content = ?, tool_calls = ?, attachments = ? WHERE id = ?", (*left, number)
            )
            touched.append(TurnId(number))
            counts["~replies" if role == "assistant" else "~turns"] += 1
    last = rows[-1][0] if len(rows) == _READ_AT_ONCE else None
    for turn, number, content in connection.execute(_REVISIONS, (after, last or 1 << 62)).fetchall():
        text = redaction.text(content)
        if text != content:
            connection.execute("UPDATE revisions SET content = ? WHERE turn = ? AND number = ?", (text, turn, number))
            connection.execute("DELETE FROM turn_embeddings WHERE turn_id = ?", (turn,))
            touched.append(TurnId(turn))
            counts["~revisions"] += 1
    return last, touched


def bury_turns(connection: Connection, at: int, after: int, counts: Counter[str]) -> tuple[int | None, list[TurnId]]:
    """Make tombstones of the next erased turns. Returns behind which to go on, None at the end, and the turns."""
    rows = connection.execute(
        """SELECT t.id, t.role, t.deleted FROM erasure_turns e JOIN turns t ON t.id = e.turn WHERE t.id > ?
        ORDER BY t.id LIMIT ?""",
        (after, _PER_STEP),
    ).fetchall()
    counts.update(_KINDS.get(role, "turns") for _number, role, deleted in rows if not deleted)
    numbers = json.dumps([row[0] for row in rows])
    counts["vectors"] += connection.execute(
        f"SELECT count(*) FROM turn_embeddings WHERE turn_id IN {_THESE}", (numbers,)
    ).fetchone()[0]
    connection.execute(_BURY, (numbers, at))
    counts["revisions"] += connection.execute(f"DELETE FROM revisions WHERE turn IN {_THESE}", (numbers,)).rowcount
    counts["reminders"] += connection.execute(
        f"DELETE FROM alarms WHERE turn IN {_THESE} OR asked IN {_THESE}", (numbers,)
    ).rowcount
    for statement in (
        f"DELETE FROM mentions WHERE turn IN {_THESE}",
        f"UPDATE alarms SET fired = NULL WHERE fired IN {_THESE}",
        f"DELETE FROM recalled WHERE kind = 'turn' AND id IN {_THESE}",
    ):
        connection.execute(statement, (numbers,))
    turns = [TurnId(row[0]) for row in rows]
    drop_citations(connection, turns)
    read_rest_again(connection, drop_sources(connection, turns, from_micros(at)), from_micros(at))
    return (rows[-1][0] if len(rows) == _PER_STEP else None), turns


def _vectors(connection: Connection, turn: int) -> int:
    row = connection.execute("SELECT count(*) FROM turn_embeddings WHERE turn_id = ?", (turn,)).fetchone()
    return int(row[0])


def _note(samples: list[Sample], where: str, before: str, after: str) -> None:
    """Keep the neighbourhood of the first change of a text, as long as there is room for it."""
    if len(samples) >= _MOST_SAMPLES or before == after:
        return
    first = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, first - _CONTEXT_CHARS)
    end = first + _CONTEXT_CHARS
    lead = "…" if start else ""
    samples.append(Sample(where, _cut(lead, before, start, end), _cut(lead, after, start, end)))


def _cut(lead: str, text: str, start: int, end: int) -> str:
    return f"{lead}{' '.join(text[start:end].split())}{'…' if len(text) > end else ''}"
