"""The tables of vectors: one row for each turn or fact and model, removed where the text it stands for goes.

`vector` holds `dim` little-endian float32 numbers. A text that changes loses its vectors at once, whoever changes it,
since a vector tells much of what was said. The tables have row ids on purpose: without them each vector of 1.5 kB would
take an overflow page of its own.
"""

from __future__ import annotations

_ROWS = """(
        {key} INTEGER NOT NULL REFERENCES {table} (id) ON DELETE CASCADE,
        model TEXT NOT NULL,
        dim INTEGER NOT NULL,
        vector BLOB NOT NULL CHECK (length(vector) = dim * 4),
        created_at INTEGER NOT NULL,
        PRIMARY KEY ({key}, model)
    )"""

VERSION_3 = (
    f"CREATE TABLE turn_embeddings {_ROWS.format(key='turn_id', table='turns')}",
    f"CREATE TABLE fact_embeddings {_ROWS.format(key='fact_id', table='facts')}",
    """CREATE TRIGGER turn_embeddings_outdated AFTER UPDATE OF content, revision, deleted ON turns BEGIN
        DELETE FROM turn_embeddings WHERE turn_id = new.id;
    END""",
    # Facts that are built again take the same numbers; where references are not enforced, the rows go all the same.
    """CREATE TRIGGER fact_embeddings_emptied AFTER DELETE ON facts BEGIN
        DELETE FROM fact_embeddings WHERE fact_id = old.id;
    END""",
    """CREATE TRIGGER fact_embeddings_hidden AFTER UPDATE OF hidden ON facts WHEN new.hidden BEGIN
        DELETE FROM fact_embeddings WHERE fact_id = new.id;
    END""",
)
