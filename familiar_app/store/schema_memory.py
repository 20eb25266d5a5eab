"""The tables of what a familiar has come to believe: facts on two clocks, and what is drawn from them.

All of them are projections: emptied by hand, they come back from the log and the ledger. A watermark names the table it
speaks of and goes with the last row of it, so that an emptied table is built again. `ledger` and `ledger_facts` keep
the answers of models and stay.

`facts` holds the stamps of today; `beliefs` counts the belief intervals, and `hidden` marks a fact whose sources were
all scrubbed. `fact_subjects` repeats the times of its fact, so that a page about one person is one walk along an index;
a trigger keeps them equal. `fact_blocks` bounds the times of 256 facts with ids in a row, so that a look at the past
skips what lies outside; a bound may be wider than need be, never narrower.
"""

from __future__ import annotations

# Stand for a time that is always before and one that is never reached.
EVER, NEVER = -(1 << 62), 1 << 62

FACTS = (
    """CREATE TABLE facts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        familiar TEXT NOT NULL,
        text TEXT NOT NULL,
        identity BLOB NOT NULL,
        channel INTEGER REFERENCES channels (id),
        importance INTEGER CHECK (importance BETWEEN 1 AND 10),
        origin TEXT NOT NULL,
        valid_from INTEGER,
        valid_to INTEGER,
        created_at INTEGER NOT NULL,
        superseded_at INTEGER,
        superseded_by INTEGER REFERENCES facts (id) ON DELETE SET NULL,
        beliefs INTEGER NOT NULL DEFAULT 1,
        hidden INTEGER NOT NULL DEFAULT 0,
        act INTEGER REFERENCES turns (id)
    )""",
    "CREATE INDEX facts_identity ON facts (familiar, identity, valid_to) WHERE superseded_at IS NULL",
    """CREATE INDEX facts_current ON facts (familiar, id, valid_to, superseded_at)
        WHERE superseded_at IS NULL AND hidden = 0""",
    """CREATE INDEX facts_time ON facts (familiar, id, created_at, superseded_at, valid_from, valid_to, beliefs)
        WHERE hidden = 0""",
    "CREATE INDEX facts_successor ON facts (superseded_by) WHERE superseded_by IS NOT NULL",
    """CREATE TABLE fact_subjects (
        fact INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        display_at_write TEXT NOT NULL,
        familiar TEXT NOT NULL,
        valid_from INTEGER,
        valid_to INTEGER,
        created_at INTEGER NOT NULL,
        superseded_at INTEGER,
        beliefs INTEGER NOT NULL,
        hidden INTEGER NOT NULL,
        PRIMARY KEY (fact, key)
    ) WITHOUT ROWID""",
    """CREATE INDEX fact_subjects_current ON fact_subjects (familiar, key, fact, valid_to, superseded_at)
        WHERE superseded_at IS NULL AND hidden = 0""",
    """CREATE INDEX fact_subjects_time ON fact_subjects (familiar, key, fact, created_at, superseded_at, valid_from,
        valid_to, beliefs) WHERE hidden = 0""",
    """CREATE TABLE fact_sources (
        fact INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        turn INTEGER NOT NULL REFERENCES turns (id),
        since INTEGER NOT NULL,
        PRIMARY KEY (fact, turn)
    ) WITHOUT ROWID""",
    "CREATE INDEX fact_sources_turn ON fact_sources (turn, fact)",
    """CREATE TABLE fact_beliefs (
        fact INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        number INTEGER NOT NULL CHECK (number > 0),
        since INTEGER NOT NULL,
        until INTEGER,
        cause TEXT NOT NULL,
        begun_by TEXT,
        end_cause TEXT,
        ended_by TEXT,
        successor INTEGER REFERENCES facts (id) ON DELETE SET NULL,
        begun_act INTEGER,
        end_act INTEGER,
        PRIMARY KEY (fact, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX fact_beliefs_successor ON fact_beliefs (successor) WHERE successor IS NOT NULL",
    """CREATE TABLE fact_blocks (
        block INTEGER PRIMARY KEY,
        created_from INTEGER NOT NULL,
        believed_to INTEGER NOT NULL,
        valid_from INTEGER NOT NULL,
        valid_to INTEGER NOT NULL
    )""",
    f"""CREATE TRIGGER facts_added AFTER INSERT ON facts BEGIN
        INSERT INTO fact_blocks VALUES (new.id >> 8, new.created_at, coalesce(new.superseded_at, {NEVER}),
            coalesce(new.valid_from, {EVER}), coalesce(new.valid_to, {NEVER}))
        ON CONFLICT (block) DO UPDATE SET created_from = min(created_from, excluded.created_from),
            believed_to = max(believed_to, excluded.believed_to), valid_from = min(valid_from, excluded.valid_from),
            valid_to = max(valid_to, excluded.valid_to);
    END""",
    f"""CREATE TRIGGER facts_changed AFTER UPDATE OF superseded_at, beliefs, hidden ON facts BEGIN
        UPDATE fact_subjects SET superseded_at = new.superseded_at, beliefs = new.beliefs, hidden = new.hidden
        WHERE fact = new.id;
        UPDATE fact_blocks SET believed_to = (SELECT max(coalesce(superseded_at, {NEVER})) FROM facts
            WHERE id BETWEEN (new.id >> 8) << 8 AND (new.id | 255)) WHERE block = new.id >> 8;
    END""",
    # Where references are not enforced, as in a shell, the parts of a fact go with it all the same.
    """CREATE TRIGGER facts_emptied AFTER DELETE ON facts BEGIN
        DELETE FROM fact_subjects WHERE fact = old.id;
        DELETE FROM fact_sources WHERE fact = old.id;
        DELETE FROM fact_beliefs WHERE fact = old.id;
        DELETE FROM watermarks WHERE familiar = old.familiar AND speaks_of IN ('facts', 'retirements')
            AND NOT EXISTS (SELECT 1 FROM facts WHERE familiar = old.familiar);
        DELETE FROM fact_blocks WHERE NOT EXISTS (SELECT 1 FROM facts);
    END""",
)

PROJECTIONS = (
    """CREATE TABLE watermarks (
        projector TEXT NOT NULL,
        familiar TEXT NOT NULL,
        scope TEXT NOT NULL DEFAULT '',
        position INTEGER NOT NULL,
        speaks_of TEXT NOT NULL,
        set_at INTEGER NOT NULL,
        PRIMARY KEY (projector, familiar, scope)
    ) WITHOUT ROWID""",
    """CREATE TABLE ledger (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        projector TEXT NOT NULL,
        version INTEGER NOT NULL,
        familiar TEXT NOT NULL,
        scope TEXT NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        model TEXT NOT NULL,
        answer TEXT NOT NULL,
        tokens INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL,
        void_at INTEGER
    )""",
    "CREATE INDEX ledger_replay ON ledger (familiar, projector, scope, id) WHERE void_at IS NULL",
    """CREATE TABLE ledger_facts (
        answer INTEGER NOT NULL REFERENCES ledger (id) ON DELETE CASCADE,
        item INTEGER NOT NULL,
        fact INTEGER NOT NULL,
        PRIMARY KEY (answer, item)
    ) WITHOUT ROWID""",
    "CREATE INDEX ledger_facts_fact ON ledger_facts (fact)",
    """CREATE TABLE retirements (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        familiar TEXT NOT NULL,
        prior INTEGER NOT NULL,
        successor INTEGER NOT NULL,
        reason TEXT NOT NULL,
        proposed_by TEXT NOT NULL,
        proposed_at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'acted', 'refused', 'undone')),
        decided_at INTEGER,
        decided_by TEXT,
        barred INTEGER NOT NULL AS (state IN ('refused', 'undone')) VIRTUAL,
        UNIQUE (prior, successor)
    )""",
    "CREATE INDEX retirements_inbox ON retirements (familiar, state, id)",
    """CREATE TRIGGER retirements_emptied AFTER DELETE ON retirements BEGIN
        DELETE FROM watermarks WHERE familiar = old.familiar AND (speaks_of = 'retirements' OR projector = 'owner')
            AND NOT EXISTS (SELECT 1 FROM retirements WHERE familiar = old.familiar);
    END""",
    """CREATE TABLE people_dossiers (
        familiar TEXT NOT NULL,
        person TEXT NOT NULL,
        text TEXT NOT NULL,
        last_fact_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (familiar, person)
    ) WITHOUT ROWID""",
    """CREATE TRIGGER people_dossiers_emptied AFTER DELETE ON people_dossiers BEGIN
        DELETE FROM watermarks WHERE familiar = old.familiar AND speaks_of = 'people_dossiers'
            AND (scope IN ('', old.person));
    END""",
    """CREATE TABLE summaries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        familiar TEXT NOT NULL,
        channel INTEGER NOT NULL REFERENCES channels (id),
        text TEXT NOT NULL,
        last_turn_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL
    )""",
    "CREATE INDEX summaries_newest ON summaries (familiar, channel, id)",
    """CREATE TRIGGER summaries_emptied AFTER DELETE ON summaries BEGIN
        DELETE FROM watermarks WHERE familiar = old.familiar AND speaks_of = 'summaries'
            AND scope IN ('', CAST(old.channel AS TEXT))
            AND NOT EXISTS (SELECT 1 FROM summaries WHERE familiar = old.familiar AND channel = old.channel);
    END""",
    """CREATE TABLE reflections (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        familiar TEXT NOT NULL,
        channel INTEGER REFERENCES channels (id),
        text TEXT NOT NULL,
        last_turn_id INTEGER NOT NULL,
        last_fact_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL
    )""",
    "CREATE INDEX reflections_newest ON reflections (familiar, id)",
    """CREATE TABLE reflection_turns (
        reflection INTEGER NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
        turn INTEGER NOT NULL REFERENCES turns (id),
        PRIMARY KEY (reflection, turn)
    ) WITHOUT ROWID""",
    "CREATE INDEX reflection_turns_turn ON reflection_turns (turn)",
    # No reference to facts: they may be emptied, and come back under the same numbers.
    """CREATE TABLE reflection_facts (
        reflection INTEGER NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
        fact INTEGER NOT NULL,
        PRIMARY KEY (reflection, fact)
    ) WITHOUT ROWID""",
    "CREATE INDEX reflection_facts_fact ON reflection_facts (fact)",
    """CREATE TRIGGER reflections_emptied AFTER DELETE ON reflections BEGIN
        DELETE FROM reflection_turns WHERE reflection = old.id;
        DELETE FROM reflection_facts WHERE reflection = old.id;
        DELETE FROM watermarks WHERE familiar = old.familiar AND speaks_of = 'reflections'
            AND NOT EXISTS (SELECT 1 FROM reflections WHERE familiar = old.familiar);
    END""",
)

# When a turn became a tombstone, so that a rebuild drops it as a source at that moment and not before.
TURNS = (
    "ALTER TABLE turns ADD COLUMN deleted_at INTEGER",
    "CREATE INDEX turns_deleted ON turns (deleted_at) WHERE deleted = 1",
)

VERSION_2 = (*TURNS, *PROJECTIONS, *FACTS)
