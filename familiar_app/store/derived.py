"""Derives from the log what its projected columns must say: which answers are active, what is hidden, which revision.

Used to verify them; the log (turns, operator turns, revisions) decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from familiar_app.store.veil import wrongly_shown_or_hidden

if TYPE_CHECKING:
    from sqlite3 import Connection


def derive_columns(connection: Connection) -> Iterator[tuple[int, str]]:
    """Yield the turn and the column of each value that differs from what the log says. Reads answers and acts only."""
    active, hidden = _replay(connection)
    for (turn,) in connection.execute(
        "SELECT id FROM turns WHERE active = 0 AND (answers IS NULL OR role <> 'assistant')"
    ):
        yield turn, "active"
    for turn, answered, familiar, is_active in connection.execute(
        "SELECT id, answers, familiar, active FROM turns WHERE answers IS NOT NULL AND role = 'assistant'"
    ):
        if (active.get((answered, familiar)) == turn) != bool(is_active):
            yield turn, "active"
    stored = {turn for (turn,) in connection.execute("SELECT id FROM turns WHERE hidden & 1")}
    for turn in sorted(stored ^ hidden):
        yield turn, "hidden"
    for (turn,) in connection.execute(
        """SELECT t.id FROM turns t LEFT JOIN (SELECT turn, max(number) AS newest FROM revisions GROUP BY turn) r
        ON r.turn = t.id WHERE t.revision <> coalesce(r.newest, 1)"""
    ):
        yield turn, "revision"
    yield from wrongly_shown_or_hidden(connection)


def _replay(connection: Connection) -> tuple[dict[tuple[int, str | None], int], set[int]]:
    """Return each familiar's active answer to a turn, and the hidden turns, by going through the log in order."""
    active: dict[tuple[int, str | None], int] = {}
    speakers: dict[int, str | None] = {}
    hidden: set[int] = set()
    for turn, role, answered, familiar, content in connection.execute(
        """SELECT id, role, answers, familiar, content FROM turns
        WHERE (role = 'operator' AND deleted = 0) OR (answers IS NOT NULL AND role = 'assistant') ORDER BY id"""
    ):
        if role == "assistant":
            active[answered, familiar] = turn
            speakers[turn] = familiar
            continue
        act = json.loads(content)
        if act["act"] == "choose":
            active[act["answers"], speakers.get(act["turn"])] = act["turn"]
        elif act["act"] == "hide":
            hidden.update(act["turns"])
        elif act["act"] == "unhide":
            hidden.difference_update(act["turns"])
    return active, hidden
