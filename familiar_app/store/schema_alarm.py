"""Reminders and attention.

`alarms` is a projection of the log: a turn of a tool sets a reminder, a turn of the system tells that it is due, a turn
of a tool or of the operator takes it back. The words stand in the turns alone. Where rows go by hand, the watermark
goes too, and the next look brings them back. `attention` is how things stand: which channels a familiar attends to,
whether its owner wants it so, and up to which turn it has looked.
"""

from __future__ import annotations

ALARM = (
    """CREATE TABLE alarms (
        turn INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
        familiar TEXT NOT NULL,
        channel INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
        due_at INTEGER NOT NULL,
        person TEXT,
        asked INTEGER REFERENCES turns (id) ON DELETE SET NULL,
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'due', 'cancelled')),
        fired INTEGER REFERENCES turns (id) ON DELETE SET NULL
    )""",
    "CREATE INDEX alarms_due ON alarms (familiar, state, due_at)",
    "CREATE INDEX alarms_asked ON alarms (asked) WHERE asked IS NOT NULL",
    """CREATE TRIGGER alarms_emptied AFTER DELETE ON alarms BEGIN
        DELETE FROM watermarks WHERE projector = 'alarm';
    END""",
    """CREATE INDEX turns_alarm ON turns (id)
        WHERE role IN ('tool', 'system', 'operator') AND mode GLOB 'alarm_*'""",
    """CREATE TABLE attention (
        familiar TEXT NOT NULL,
        channel INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
        focused INTEGER NOT NULL DEFAULT 0,
        pinned INTEGER NOT NULL DEFAULT 0,
        seen INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (familiar, channel)
    ) WITHOUT ROWID""",
)
