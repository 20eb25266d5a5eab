"""Keys as the keyboards of this system and the window's language call them."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence


def native_key(shortcut: str) -> str:
    """Write a portable key text (`Ctrl+K`) as this system writes it; what is none stays as it is."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText) or shortcut
