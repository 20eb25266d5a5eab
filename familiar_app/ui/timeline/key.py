"""The keys of the timeline, whichever of its pictures has the focus, as words of its deeds."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_KEYS = {
    Qt.Key.Key_Plus: "zoom_in",
    Qt.Key.Key_Equal: "zoom_in",
    Qt.Key.Key_Minus: "zoom_out",
    Qt.Key.Key_0: "fit",
    Qt.Key.Key_Space: "play",
    Qt.Key.Key_L: "link",
    Qt.Key.Key_Home: "first",
    Qt.Key.Key_End: "last",
}


def key_word(event: QKeyEvent) -> str:
    """Return what a key does, "" where it is none of ours."""
    keys = Qt.KeyboardModifier
    if event.modifiers() & ~(keys.ShiftModifier | keys.KeypadModifier):
        return ""
    big = "_big" if event.modifiers() & keys.ShiftModifier else ""
    if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        return f"step{big}" + ("_back" if event.key() == Qt.Key.Key_Left else "")
    return _KEYS.get(Qt.Key(event.key()), "")


def undo_word(event: QKeyEvent) -> str:
    """Return `undo` or `redo` for the keys that mean it, "" for others."""
    if event.matches(QKeySequence.StandardKey.Undo):
        return "undo"
    return "redo" if event.matches(QKeySequence.StandardKey.Redo) else ""
