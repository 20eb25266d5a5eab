"""Where the deleted sources of facts had been said. What a fact tells may come from there all the same.

Filled by a trigger when a fact loses a source. It goes with its fact and comes back with it when facts are built again;
emptied by hand, it takes the facts along, because only all of them together are built again.
"""

from __future__ import annotations

LOST_PLACE = (
    """CREATE TABLE fact_lost_places (
        fact INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        since INTEGER NOT NULL,
        channel INTEGER NOT NULL REFERENCES channels (id),
        PRIMARY KEY (fact, since, channel)
    ) WITHOUT ROWID""",
    """CREATE TRIGGER fact_sources_lost AFTER DELETE ON fact_sources
        WHEN EXISTS (SELECT 1 FROM facts WHERE id = old.fact) BEGIN
        INSERT OR IGNORE INTO fact_lost_places
        SELECT old.fact, old.since, channel FROM turns WHERE id = old.turn AND deleted = 1;
    END""",
    # Where references are not enforced, as in a shell, they go with the fact all the same.
    """CREATE TRIGGER fact_lost_places_emptied AFTER DELETE ON facts BEGIN
        DELETE FROM fact_lost_places WHERE fact = old.id;
    END""",
    """CREATE TRIGGER fact_lost_places_missed AFTER DELETE ON fact_lost_places
        WHEN EXISTS (SELECT 1 FROM facts WHERE id = old.fact) BEGIN
        DELETE FROM facts WHERE familiar = (SELECT familiar FROM facts WHERE id = old.fact);
    END""",
)
