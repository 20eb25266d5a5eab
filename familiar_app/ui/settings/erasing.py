"""The settings that take leave of a familiar, or of everything. Knows no Qt."""

from __future__ import annotations

from familiar_app.domain.text import tr_later
from familiar_app.ui.settings.setting import Setting

_SENT = tr_later("What was sent elsewhere before stays there.")

ERASING: tuple[Setting, ...] = (
    Setting(
        "erase_familiar",
        tr_later("Erasing"),
        tr_later("Erase this familiar"),
        tr_later(
            "Removes the familiar that is shown now, with all that it said and believes. You are told first what that "
            "is, and type its name."
        ),
        "act",
        leaves=_SENT,
        words=tr_later("delete remove forget character"),
    ),
    Setting(
        "erase_everything",
        tr_later("Erasing"),
        tr_later("Erase everything"),
        tr_later(
            "Removes the whole profile from this computer: vault, keys, backups, familiars, settings and logs. You are "
            "told first what that is."
        ),
        "act",
        leaves=_SENT,
        words=tr_later("delete remove wipe reset profile uninstall forget"),
    ),
)
