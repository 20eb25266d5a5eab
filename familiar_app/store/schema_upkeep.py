"""What the upkeep of memory stands on: triggers that mend a projection, and figures about how the projectors do.

A projection that has lost a part of its rows by hand is emptied as a whole, because only a whole one is built again;
what the program itself takes away (citations of deleted turns) is told apart by the turn. Bounds of blocks are at once
what they were. How far facts were ever compared is kept in `state`, which no emptying reaches.
"""

from __future__ import annotations

from familiar_app.store.schema_memory import EVER, NEVER

_IS_THERE = "EXISTS (SELECT 1 FROM facts WHERE id = old.fact)"
_EMPTY_FACTS = "DELETE FROM facts WHERE familiar = (SELECT familiar FROM facts WHERE id = old.fact)"
_SAID = "EXISTS (SELECT 1 FROM turns WHERE id = old.turn AND deleted = 0)"
_THINKS = "EXISTS (SELECT 1 FROM reflections WHERE id = old.reflection)"
_EMPTY_REFLECTIONS = """DELETE FROM reflections
        WHERE familiar = (SELECT familiar FROM reflections WHERE id = old.reflection)"""
_OF_BLOCK = "id BETWEEN old.block << 8 AND (old.block << 8 | 255)"

_TRIGGERS = (
    f"""CREATE TRIGGER fact_subjects_emptied AFTER DELETE ON fact_subjects WHEN {_IS_THERE} BEGIN
        {_EMPTY_FACTS};
    END""",
    f"""CREATE TRIGGER fact_beliefs_emptied AFTER DELETE ON fact_beliefs WHEN {_IS_THERE} BEGIN
        {_EMPTY_FACTS};
    END""",
    f"""CREATE TRIGGER fact_sources_emptied AFTER DELETE ON fact_sources WHEN {_IS_THERE} AND {_SAID} BEGIN
        {_EMPTY_FACTS};
    END""",
    f"""CREATE TRIGGER fact_blocks_emptied AFTER DELETE ON fact_blocks
        WHEN EXISTS (SELECT 1 FROM facts WHERE {_OF_BLOCK}) BEGIN
        INSERT INTO fact_blocks SELECT old.block, min(created_at), max(coalesce(superseded_at, {NEVER})),
            min(coalesce(valid_from, {EVER})), max(coalesce(valid_to, {NEVER})) FROM facts WHERE {_OF_BLOCK};
    END""",
    f"""CREATE TRIGGER reflection_turns_emptied AFTER DELETE ON reflection_turns WHEN {_THINKS} AND {_SAID} BEGIN
        {_EMPTY_REFLECTIONS};
    END""",
    f"""CREATE TRIGGER reflection_facts_emptied AFTER DELETE ON reflection_facts WHEN {_THINKS} BEGIN
        {_EMPTY_REFLECTIONS};
    END""",
)

UPKEEP = (
    *_TRIGGERS,
    """INSERT OR REPLACE INTO state SELECT 'compared:' || familiar, '[' || position || ', ' || set_at || ']'
        FROM watermarks WHERE projector = 'fact_supersede' AND scope = 'asked'""",
    "DELETE FROM watermarks WHERE projector = 'fact_supersede' AND scope = 'asked'",
    # The owner's word that two facts never stand against each other, in either order.
    "ALTER TABLE retirements ADD COLUMN never INTEGER NOT NULL DEFAULT 0",
    # What an answer took beside tokens, and what the guards dropped of it, as a JSON object of counts.
    "ALTER TABLE ledger ADD COLUMN ms REAL NOT NULL DEFAULT 0",
    "ALTER TABLE ledger ADD COLUMN malformed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE ledger ADD COLUMN rejected TEXT",
    # How often something stood in a prompt; outlives the traces that told so.
    """CREATE TABLE recalled (
        familiar TEXT NOT NULL,
        kind TEXT NOT NULL,
        id INTEGER NOT NULL,
        times INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        PRIMARY KEY (familiar, kind, id)
    ) WITHOUT ROWID""",
)
