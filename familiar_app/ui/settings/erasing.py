"""The settings that take leave of a familiar, or of everything. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.settings.setting import Setting

ERASING: tuple[Setting, ...] = (
    Setting(
        "erase_familiar",
        "Erasing",
        "Erase this familiar",
        "Removes the familiar that is shown now, with all that it said and believes. You are told first what that is, "
        "and type its name.",
        "act",
        words="delete remove forget character",
    ),
    Setting(
        "erase_everything",
        "Erasing",
        "Erase everything",
        "Removes the whole profile from this computer: vault, keys, backups, familiars, settings and logs. You are "
        "told first what that is.",
        "act",
        words="delete remove wipe reset profile uninstall forget",
    ),
)
