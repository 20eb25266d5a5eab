"""The tables of saved memories and of what people want kept about themselves; both come back from the log.

`saved_memory_states` has what a memory was after each act, so that an earlier moment can be looked at; the last one is
repeated in `saved_memories`. Where rows go by hand, the watermark goes too, and the next look at the log brings them
back. `turns_memory` finds the acts: turns of tools and operators whose mode begins with `memory_`.
"""

from __future__ import annotations

SAVED_MEMORY = (
    """CREATE TABLE saved_memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        scope TEXT NOT NULL CHECK (scope IN ('server', 'personal')),
        owner TEXT NOT NULL,
        persona_lineage_id TEXT NOT NULL,
        persona TEXT NOT NULL,
        taught_by TEXT,
        source_turn INTEGER REFERENCES turns (id),
        content TEXT NOT NULL,
        identity BLOB NOT NULL,
        tags TEXT NOT NULL DEFAULT '[]',
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        manually_written INTEGER NOT NULL DEFAULT 0,
        last_reinforced_at INTEGER,
        retired_at INTEGER,
        retired_reason TEXT,
        retired_by TEXT,
        states INTEGER NOT NULL DEFAULT 0,
        CHECK (persona_lineage_id <> '0' OR scope = 'personal'),
        CHECK ((retired_at IS NULL) = (retired_reason IS NULL))
    )""",
    """CREATE INDEX saved_memories_active ON saved_memories (scope, owner, persona_lineage_id, identity)
        WHERE retired_at IS NULL""",
    "CREATE INDEX saved_memories_owner ON saved_memories (scope, owner, persona_lineage_id, id)",
    "CREATE INDEX saved_memories_lineage ON saved_memories (persona_lineage_id, id)",
    "CREATE INDEX saved_memories_source ON saved_memories (source_turn) WHERE source_turn IS NOT NULL",
    """CREATE TABLE saved_memory_states (
        memory INTEGER NOT NULL REFERENCES saved_memories (id) ON DELETE CASCADE,
        number INTEGER NOT NULL CHECK (number > 0),
        at INTEGER NOT NULL,
        turn INTEGER NOT NULL REFERENCES turns (id),
        cause TEXT NOT NULL,
        by TEXT,
        scope TEXT NOT NULL,
        owner TEXT NOT NULL,
        persona_lineage_id TEXT NOT NULL,
        content TEXT NOT NULL,
        tags TEXT NOT NULL,
        retired INTEGER NOT NULL,
        PRIMARY KEY (memory, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX saved_memory_states_turn ON saved_memory_states (turn)",
    """CREATE TABLE person_privacy (
        person TEXT PRIMARY KEY,
        level TEXT NOT NULL CHECK (level IN ('none', 'partial', 'full')),
        since INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TRIGGER saved_memories_emptied AFTER DELETE ON saved_memories BEGIN
        DELETE FROM saved_memory_states WHERE memory = old.id;
        DELETE FROM watermarks WHERE projector = 'saved_memory';
    END""",
    """CREATE TRIGGER saved_memory_states_emptied AFTER DELETE ON saved_memory_states BEGIN
        DELETE FROM watermarks WHERE projector = 'saved_memory';
    END""",
    """CREATE TRIGGER person_privacy_emptied AFTER DELETE ON person_privacy BEGIN
        DELETE FROM watermarks WHERE projector = 'saved_memory';
    END""",
    "CREATE INDEX turns_memory ON turns (id) WHERE role IN ('tool', 'operator') AND mode GLOB 'memory_*'",
)
