"""Indexes for what the owner decides about people and reflections: such acts are read from the log as they are.

There are few of them, and nothing is derived from them that could be lost.
"""

from __future__ import annotations

PERSON = (
    "CREATE INDEX turns_person ON turns (id) WHERE role = 'operator' AND mode GLOB 'person_*'",
    "CREATE INDEX turns_reflection ON turns (familiar, id) WHERE role = 'operator' AND mode GLOB 'reflection_*'",
    # Marks find their reflection by it: a rebuild gives other numbers, but the same times.
    "CREATE INDEX reflections_written ON reflections (familiar, created_at)",
)
