"""The settings of the desktop: starting with the system, notifications, profiles. Knows no Qt."""

from __future__ import annotations

from familiar_app.domain.text import tr_later
from familiar_app.ui.settings.setting import Setting

DESKTOP: tuple[Setting, ...] = (
    Setting(
        "autostart",
        tr_later("Desktop"),
        tr_later("Start with the system"),
        tr_later(
            "Opens this profile hidden in the tray when you sign in. Where it opens without asking, your familiars are "
            "there at once; else it waits for the passphrase."
        ),
        "switch",
        scope="system",
        words=tr_later("autostart boot login launch sign in startup"),
    ),
    Setting(
        "notify.do_not_disturb",
        tr_later("Desktop"),
        tr_later("Do not disturb"),
        tr_later(
            "Shows no notifications. Else they tell of replies, reminders and failures while the window is not in "
            "front."
        ),
        "switch",
        words=tr_later("notifications quiet silence bell popup"),
    ),
    Setting(
        "notify.words",
        tr_later("Desktop"),
        tr_later("Names and words in notifications"),
        tr_later(
            "Shows who said what. Whoever sees the screen can read it, and many systems keep it. A locked window never "
            "shows any."
        ),
        "switch",
        leaves=tr_later("Goes to the system's list of notifications."),
        words=tr_later("privacy preview content message"),
    ),
    Setting(
        "profiles",
        tr_later("Desktop"),
        tr_later("Profiles"),
        tr_later("Other vaults on this computer, each in a window of its own."),
        "act",
        words=tr_later("account vault several second switch open folder"),
    ),
    Setting(
        "about",
        tr_later("Desktop"),
        tr_later("About Familiar"),
        tr_later("Version, licences of the libraries, where the profile and the log are, and diagnostics to copy."),
        "act",
        words=tr_later("version licence license credits diagnostics support update"),
    ),
)
