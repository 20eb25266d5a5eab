"""The backups of a profile as `backup --list` and `status` print them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from familiar_app.cli.next_step import error_shape
from familiar_app.domain.backup import is_due
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import FamiliarError
from familiar_app.services import Services
from familiar_app.store.backup_shelf import KeptBackup


def kept_shape(kept: KeptBackup) -> dict[str, Any]:
    """Return the JSON form of one backup."""
    return {
        "file": str(kept.path),
        "made_at": format_time(kept.mark.made_at),
        "cause": kept.mark.cause,
        "size_bytes": kept.size_bytes,
    }


async def backups_shape(services: Services) -> dict[str, Any]:
    """Return how a profile is backed up; a folder that cannot be read is told, and status goes on."""
    every_hours = (await asyncio.to_thread(services.profile.settings)).backup.every_hours
    try:
        listed, error = await services.backups.listed(), None
    except FamiliarError as failed:
        listed, error = [], error_shape(failed)
    newest = listed[0] if listed else None
    made_at = newest.mark.made_at if newest else None
    return {
        "count": len(listed),
        "newest": None if newest is None else kept_shape(newest),
        "every_hours": every_hours,
        "due": error is None and is_due(made_at, services.clock.now(), timedelta(hours=every_hours)),
        "error": error,
    }


def backups_line(shape: dict[str, Any]) -> str:
    """Return the same in words."""
    if shape["error"]:
        return f"Backups: cannot be listed: {shape['error']['message']}"
    hours = shape["every_hours"]
    rhythm = f"every {hours} hours while the window or 'serve' runs" if hours else "only when asked for"
    if shape["newest"] is None:
        return f"Backups: none yet; made {rhythm}"
    due = ", the next is due" if shape["due"] else ""
    return f"Backups: {shape['count']}, the newest of {shape['newest']['made_at']}{due}; made {rhythm}"
