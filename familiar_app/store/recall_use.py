"""How often each fact, turn and memory stood in a prompt because it was recalled, and when last.

Counted as traces are stored and kept when they go. Runs inside a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.domain.trace import PromptTrace
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

REPLY = "reply"


def count_recalled(connection: Connection, trace: PromptTrace) -> None:
    """Count what a reply's prompt shows of what was recalled for it."""
    if trace.purpose != REPLY:
        return
    at = to_micros(trace.at)
    shown = {(str(one["kind"]), int(one["id"])) for one in trace.candidates if one.get("kept")}
    connection.executemany(
        """INSERT INTO recalled VALUES (?1, ?2, ?3, 1, ?4)
        ON CONFLICT (familiar, kind, id) DO UPDATE SET times = times + 1, last_at = max(last_at, ?4)""",
        [(trace.familiar, kind, number, at) for kind, number in sorted(shown)],
    )
