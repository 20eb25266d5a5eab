"""What is kept of erasures: that they were asked for, as keyed digests and counts, and what one in progress goes by.

`work` holds the keys and names that are being erased and is emptied with the last step; `erasure_turns` and
`erasure_facts` hold what was found at the beginning, so that an erasure that was cut off goes on with the same.
"""

from __future__ import annotations

ERASURE = (
    """CREATE TABLE erasures (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('person', 'message', 'channel', 'familiar')),
        asked_at INTEGER NOT NULL,
        finished_at INTEGER,
        step INTEGER NOT NULL DEFAULT 0,
        position INTEGER NOT NULL DEFAULT 0,
        work TEXT,
        counts TEXT NOT NULL DEFAULT '{}'
    )""",
    """CREATE TABLE erased (
        digest BLOB PRIMARY KEY,
        kind TEXT NOT NULL,
        before INTEGER NOT NULL,
        level TEXT
    ) WITHOUT ROWID""",
    "CREATE TABLE erasure_turns (turn INTEGER PRIMARY KEY)",
    "CREATE TABLE erasure_facts (fact INTEGER PRIMARY KEY, gone INTEGER NOT NULL)",
)
