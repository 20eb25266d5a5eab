"""Indexes for servers that ask people before anything about them is kept: the owner's acts, and who spoke on a server.

The acts are read from the log as they are; nothing is derived from them that could be lost.
"""

from __future__ import annotations

OPT_IN = (
    "CREATE INDEX turns_server ON turns (id) WHERE role = 'operator' AND mode GLOB 'server_*'",
    "CREATE INDEX speakers_guild ON speakers (guild, key) WHERE guild IS NOT NULL",
)
# A level of `none` is an agreement only where the person chose it themselves.
AGREED = ("ALTER TABLE person_privacy ADD COLUMN agreed INTEGER NOT NULL DEFAULT 0",)
