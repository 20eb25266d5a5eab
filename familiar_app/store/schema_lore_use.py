"""The tables of what lorebook entries did: how often each was in a prompt, and the vectors of their contents.

A vector goes by the digest of the text it stands for, so an entry that moves or changes its keys keeps it.
"""

from __future__ import annotations

LORE_USE = (
    """CREATE TABLE lore_uses (
        familiar TEXT NOT NULL,
        book TEXT NOT NULL,
        entry TEXT NOT NULL,
        name TEXT NOT NULL,
        times INTEGER NOT NULL,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        last_trace INTEGER NOT NULL,
        PRIMARY KEY (familiar, book, entry)
    ) WITHOUT ROWID""",
    """CREATE TABLE lore_embeddings (
        digest BLOB NOT NULL,
        model TEXT NOT NULL,
        dim INTEGER NOT NULL,
        vector BLOB NOT NULL CHECK (length(vector) = dim * 4),
        PRIMARY KEY (digest, model)
    )""",
)
