"""The settings of backups and of locking by itself. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.settings.setting import Setting

_HOURS = ((0, "Never"), (6, "Every six hours"), (24, "Every day"), (168, "Every week"))
_MINUTES = ((0, "Never"), (1, "1 minute"), (5, "5 minutes"), (15, "15 minutes"), (30, "30 minutes"), (60, "1 hour"))


def _kept(period: str, plural: str, most: int) -> Setting:
    return Setting(
        f"backup.keep_{period}",
        "Backups",
        f"Backups of {plural} kept",
        f"The newest of each of so many {plural} stays; the newest of all always does.",
        "number",
        words="old prune thin retention",
        bounds=(0, most),
    )


BACKUPS: tuple[Setting, ...] = (
    Setting(
        "backups",
        "Backups",
        "Backups",
        "Lists the backups, makes one now, goes back to one, and checks the vault.",
        "act",
        words="restore verify vacuum copy safety",
    ),
    Setting(
        "backup.every_hours",
        "Backups",
        "Make backups by itself",
        "While the vault is open, in the window or without one. Each is checked when it is written.",
        "choice",
        choices=_HOURS,
        words="schedule daily weekly automatic",
    ),
    Setting(
        "backup.folder",
        "Backups",
        "Folder for backups",
        "Within the profile's folder, unless the whole path is given. A disk of its own is safer. What lies there is "
        "encrypted like the vault.",
        "text",
        words="disk directory path",
    ),
    _kept("daily", "days", 366),
    _kept("weekly", "weeks", 520),
    _kept("monthly", "months", 1200),
)

LOCKING: tuple[Setting, ...] = (
    Setting(
        "lock.idle_minutes",
        "Locking",
        "Lock when nobody is there",
        "After so long without a key or the mouse in this program. Your familiars go on.",
        "choice",
        choices=_MINUTES,
        words="idle auto-lock timeout minutes",
    ),
    Setting(
        "lock.with_screen",
        "Locking",
        "Lock with the screen",
        "When the system locks its screen, and before the computer sleeps. Linux desktops tell this program; on "
        "Windows and macOS it goes by time alone.",
        "switch",
        words="screensaver suspend sleep",
    ),
    Setting(
        "lock.close_vault",
        "Locking",
        "Close the vault when it locks by itself",
        "Then your familiars stop too, Discord included, and the key leaves this program's memory.",
        "switch",
        words="stop key memory",
    ),
    Setting(
        "lock.hide_from_capture",
        "Locking",
        "Leave the window out of screenshots",
        "Asks the system to hide the window from screenshots and shared screens. Windows and macOS can; Linux cannot.",
        "switch",
        words="capture recording screen share privacy",
    ),
)
