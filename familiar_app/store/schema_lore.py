"""The table of the timed effects of lorebook entries, for each familiar and channel."""

from __future__ import annotations

VERSION_4 = (
    """CREATE TABLE lore_timers (
        familiar TEXT NOT NULL,
        channel INTEGER NOT NULL REFERENCES channels (id),
        effects TEXT NOT NULL,
        PRIMARY KEY (familiar, channel)
    ) WITHOUT ROWID""",
)
