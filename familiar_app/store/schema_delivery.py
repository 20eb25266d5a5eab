"""Answers under way to a platform, messages that stand for others, and which words of a turn a fact was drawn from.

`deliveries` has one row for each message that is being answered, gone once its answer was sent or given up. What still
stands there when the program starts was cut off. `message_aliases` leads from a message that another one took the place
of to the turn they share; `withdrawn_messages` are parts of an answer that a shorter one has left over. `reworded` is
the operator turn that says the cited turn reads otherwise since.
"""

from __future__ import annotations

DELIVERY = (
    """CREATE TABLE deliveries (
        asked INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
        familiar TEXT NOT NULL,
        instead INTEGER REFERENCES turns (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        quote INTEGER NOT NULL,
        begun_at INTEGER NOT NULL,
        PRIMARY KEY (asked, familiar)
    ) WITHOUT ROWID""",
    "CREATE INDEX deliveries_instead ON deliveries (instead) WHERE instead IS NOT NULL",
    """CREATE TABLE message_aliases (
        channel INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
        PRIMARY KEY (channel, message_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX message_aliases_turn ON message_aliases (turn)",
    """CREATE TABLE withdrawn_messages (
        channel INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        PRIMARY KEY (channel, message_id)
    ) WITHOUT ROWID""",
    "ALTER TABLE fact_sources ADD COLUMN reworded INTEGER",
)
