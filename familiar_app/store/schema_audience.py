"""What is known about who reads a channel: JSON, or null where nobody has told. `store/audience.py` reads it."""

from __future__ import annotations

AUDIENCE = ("ALTER TABLE channels ADD COLUMN readers TEXT",)
