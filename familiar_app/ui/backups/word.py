"""Backups in words: when, why, how large, how long they stay, how it stands. Knows no Qt but for the dates."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from familiar_app.domain.backup import spared_until
from familiar_app.domain.clock import local_time
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.backup import megabytes
from familiar_app.store.backup_keeper import BackupState
from familiar_app.store.backup_shelf import KeptBackup
from familiar_app.ui.kit.date_text import date_time, long_date, time_text

_CAUSES = {
    "asked": tr_later("made by hand"),
    "scheduled": tr_later("made by itself"),
    "upgrade": tr_later("made before an upgrade"),
}
LATE = timedelta(days=8)
KEPT = tr_later(
    "Those you make by hand stay for thirty days at least; those made by themselves on the same day go first. Beyond "
    "that the newest of each day, week and month stay, as many as the settings say."
)


def when_text(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """Say when something was, the nearer the shorter, as the middle of a sentence does."""
    return _when(at, now, zone, tr_later("today at {time}"), tr_later("yesterday at {time}"))


def row_text(kept: KeptBackup, now: datetime, zone: tzinfo | None) -> tuple[str, str]:
    """Return the two lines of a row: when, and what else there is to say."""
    title = _when(kept.mark.made_at, now, zone, tr_later("Today at {time}"), tr_later("Yesterday at {time}"))
    parts = [tr(_CAUSES[kept.mark.cause]), megabytes(kept.size_bytes)]
    until = spared_until(kept.mark)
    if until is not None and until > now:
        parts.append(tr("stays at least until {date}", date=long_date(local_time(until, zone))))
    return title, " · ".join(parts)


def state_text(state: BackupState, now: datetime, zone: tzinfo | None) -> str:
    """Say how it stands, for the head of the page."""
    if state.part is not None:
        return tr("A backup is being made: {share:.0%}", share=state.part)
    if state.newest is None:
        return tr("There is no backup yet.")
    return tr("The last good backup is from {when}.", when=when_text(state.newest.mark.made_at, now, zone))


def status_text(state: BackupState, now: datetime, zone: tzinfo | None) -> tuple[str, str, str]:
    """Return word, tip and tone for the status bar."""
    mark = state.newest.mark if state.newest is not None else None
    if state.part is not None:
        return tr("Backup {share:.0%}", share=state.part), tr("A backup is being made."), "text_2"
    tip = state_text(state, now, zone)
    if state.failure is not None:
        return tr("Backup failed"), f"{state.failure} {tip}", "danger"
    if mark is None:
        first = tr("The first is made by itself a minute after the vault was opened.")
        return tr("No backup yet"), f"{tip} {first}", "text_3"
    return _age(now - mark.made_at), tip, "warning" if now - mark.made_at > LATE else "text_2"


def _when(at: datetime, now: datetime, zone: tzinfo | None, today: str, yesterday: str) -> str:
    local, here = local_time(at, zone), local_time(now, zone)
    days = (here.date() - local.date()).days
    if days in (0, 1):
        return tr(yesterday if days else today, time=time_text(local))
    return date_time(local)


def _age(age: timedelta) -> str:
    if age < timedelta(minutes=2):
        return tr("Backup just now")
    if age < timedelta(hours=1):
        return tr("Backup {minutes} min ago", minutes=age // timedelta(minutes=1))
    if age < timedelta(days=1):
        return tr("Backup {hours} h ago", hours=age // timedelta(hours=1))
    return ntr("Backup {n} day ago", "Backup {n} days ago", age // timedelta(days=1))
