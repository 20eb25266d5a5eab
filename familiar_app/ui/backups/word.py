"""Backups in words: when, why, how large, what is in them, how it stands. Knows no Qt."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.store.backup import megabytes
from familiar_app.store.backup_keeper import BackupState
from familiar_app.store.backup_shelf import KeptBackup

_CAUSES = {"asked": "made by hand", "scheduled": "made by itself", "upgrade": "made before an upgrade"}
LATE = timedelta(days=8)


def when_text(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """Say when something was, the nearer the shorter."""
    local, today = local_time(at, zone), local_time(now, zone)
    days = (today.date() - local.date()).days
    if days == 0:
        return f"today at {local:%H:%M}"
    if days == 1:
        return f"yesterday at {local:%H:%M}"
    return f"{local.day} {local:%B %Y} at {local:%H:%M}"


def row_text(kept: KeptBackup, now: datetime, zone: tzinfo | None) -> tuple[str, str]:
    """Return the two lines of a row: when, and what else there is to say."""
    title = when_text(kept.mark.made_at, now, zone)
    return title[:1].upper() + title[1:], f"{_CAUSES[kept.mark.cause]} · {megabytes(kept.size_bytes)}"


def state_text(state: BackupState, now: datetime, zone: tzinfo | None) -> str:
    """Say how it stands, for the head of the page."""
    if state.part is not None:
        return f"A backup is being made: {state.part:.0%}"
    if state.newest is None:
        return "There is no backup yet."
    return f"The last good backup is from {when_text(state.newest.mark.made_at, now, zone)}."


def status_text(state: BackupState, now: datetime, zone: tzinfo | None) -> tuple[str, str, str]:
    """Return word, tip and tone for the status bar."""
    mark = state.newest.mark if state.newest is not None else None
    if state.part is not None:
        return f"Backup {state.part:.0%}", "A backup is being made.", "text_2"
    tip = state_text(state, now, zone)
    if state.failure is not None:
        return "Backup failed", f"{state.failure} {tip}", "danger"
    if mark is None:
        return "No backup yet", f"{tip} The first is made by itself a minute after the vault was opened.", "text_3"
    word = f"Backup {_age(now - mark.made_at)}"
    return word, tip, "warning" if now - mark.made_at > LATE else "text_2"


def _age(age: timedelta) -> str:
    if age < timedelta(minutes=2):
        return "just now"
    if age < timedelta(hours=1):
        return f"{age // timedelta(minutes=1)} min ago"
    if age < timedelta(days=1):
        return f"{age // timedelta(hours=1)} h ago"
    days = age // timedelta(days=1)
    return "1 day ago" if days == 1 else f"{days} days ago"
