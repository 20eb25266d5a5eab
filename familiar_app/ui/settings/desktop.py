"""The settings of the desktop: starting with the system, notifications, profiles. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.settings.setting import Setting

DESKTOP: tuple[Setting, ...] = (
    Setting(
        "autostart",
        "Desktop",
        "Start with the system",
        "Opens this profile hidden in the tray when you sign in. Where it opens without asking, your familiars are "
        "there at once; else it waits for the passphrase.",
        "switch",
        scope="system",
        words="autostart boot login launch sign in startup",
    ),
    Setting(
        "notify.do_not_disturb",
        "Desktop",
        "Do not disturb",
        "Shows no notifications. Else they tell of replies, reminders and failures while the window is not in front.",
        "switch",
        words="notifications quiet silence bell popup",
    ),
    Setting(
        "notify.words",
        "Desktop",
        "Names and words in notifications",
        "Shows who said what. Whoever sees the screen can read it, and many systems keep it. A locked window never "
        "shows any.",
        "switch",
        leaves="Goes to the system's list of notifications.",
        words="privacy preview content message",
    ),
    Setting(
        "profiles",
        "Desktop",
        "Profiles",
        "Other vaults on this computer, each in a window of its own.",
        "act",
        words="account vault several second switch open folder",
    ),
    Setting(
        "about",
        "Desktop",
        "About Familiar",
        "Version, licences of the libraries, where the profile and the log are, and diagnostics to copy.",
        "act",
        words="version licence license credits diagnostics support update",
    ),
)
