"""Whose turns are kept out of sight and out of the log, because they want nothing of theirs to be kept.

`veiled_people` repeats what the levels of privacy say with merged identities counted in; `veil` keeps it up to date.
"""

from __future__ import annotations

VEIL = (
    "CREATE TABLE veiled_people (person TEXT PRIMARY KEY) WITHOUT ROWID",
    "INSERT INTO veiled_people SELECT person FROM person_privacy WHERE level = 'full' AND person NOT GLOB 'ego:*'",
    """UPDATE turns SET hidden = hidden | 2
        WHERE speaker IN (SELECT s.id FROM speakers s JOIN veiled_people v ON v.person = s.key)""",
)
