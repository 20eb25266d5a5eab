"""The settings of backups and of locking by itself. Knows no Qt."""

from __future__ import annotations

from familiar_app.domain.text import tr_later
from familiar_app.ui.settings.setting import Setting

_HOURS = (
    (0, tr_later("Never")),
    (6, tr_later("Every six hours")),
    (24, tr_later("Every day")),
    (168, tr_later("Every week")),
)
_MINUTES = (
    (0, tr_later("Never")),
    (1, tr_later("1 minute")),
    (5, tr_later("5 minutes")),
    (15, tr_later("15 minutes")),
    (30, tr_later("30 minutes")),
    (60, tr_later("1 hour")),
)


def _kept(period: str, title: str, text: str, most: int) -> Setting:
    return Setting(
        f"backup.keep_{period}",
        tr_later("Backups"),
        title,
        text,
        "number",
        words=tr_later("old prune thin retention"),
        bounds=(0, most),
    )


BACKUPS: tuple[Setting, ...] = (
    Setting(
        "backups",
        tr_later("Backups"),
        tr_later("Backups"),
        tr_later("Lists the backups, makes one now, goes back to one, and checks the vault."),
        "act",
        words=tr_later("restore verify vacuum copy safety"),
    ),
    Setting(
        "backup.every_hours",
        tr_later("Backups"),
        tr_later("Make backups by itself"),
        tr_later("While the vault is open, in the window or without one. Each is checked when it is written."),
        "choice",
        choices=_HOURS,
        words=tr_later("schedule daily weekly automatic"),
    ),
    Setting(
        "backup.folder",
        tr_later("Backups"),
        tr_later("Folder for backups"),
        tr_later(
            "Within the profile's folder, unless the whole path is given. A disk of its own is safer. What lies there "
            "is encrypted like the vault."
        ),
        "text",
        words=tr_later("disk directory path"),
    ),
    _kept(
        "daily",
        tr_later("Backups of days kept"),
        tr_later(
            "The newest of each of so many days stays, one made by hand before others; the newest of all always does."
        ),
        366,
    ),
    _kept(
        "weekly",
        tr_later("Backups of weeks kept"),
        tr_later("The newest of each of so many weeks stays; the newest of all always does."),
        520,
    ),
    _kept(
        "monthly",
        tr_later("Backups of months kept"),
        tr_later("The newest of each of so many months stays; the newest of all always does."),
        1200,
    ),
)

LOCKING: tuple[Setting, ...] = (
    Setting(
        "lock.idle_minutes",
        tr_later("Locking"),
        tr_later("Lock when nobody is there"),
        tr_later("After so long without a key or the mouse in this program. Your familiars go on."),
        "choice",
        choices=_MINUTES,
        words=tr_later("idle auto-lock timeout minutes"),
    ),
    Setting(
        "lock.with_screen",
        tr_later("Locking"),
        tr_later("Lock with the screen"),
        tr_later(
            "When the system locks its screen, and before the computer sleeps. Linux desktops tell this program; on "
            "Windows and macOS it goes by time alone."
        ),
        "switch",
        words=tr_later("screensaver suspend sleep"),
    ),
    Setting(
        "lock.close_vault",
        tr_later("Locking"),
        tr_later("Close the vault when it locks by itself"),
        tr_later("Then your familiars stop too, Discord included, and the key leaves this program's memory."),
        "switch",
        words=tr_later("stop key memory"),
    ),
    Setting(
        "lock.hide_from_capture",
        tr_later("Locking"),
        tr_later("Leave the window out of screenshots"),
        tr_later(
            "Asks the system to hide the window from screenshots and shared screens. Windows and macOS can; Linux "
            "cannot."
        ),
        "switch",
        words=tr_later("capture recording screen share privacy"),
    ),
)
