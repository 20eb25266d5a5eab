"""Which messages of a platform a reply was sent as. The first one's id stands in the turn itself as well."""

from __future__ import annotations

MESSAGE = (
    """CREATE TABLE message_parts (
        channel INTEGER NOT NULL REFERENCES channels (id),
        message_id TEXT NOT NULL,
        turn INTEGER NOT NULL REFERENCES turns (id),
        part INTEGER NOT NULL,
        PRIMARY KEY (channel, message_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX message_parts_turn ON message_parts (turn, part)",
)
