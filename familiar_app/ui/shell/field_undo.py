"""Lets the keys for undo and redo go past a text field that has no typing of its own to take back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

_Field = QLineEdit | QPlainTextEdit | QTextEdit


class FieldUndo(QObject):
    """Watches the text field that has the focus in a window.

    Qt's fields take these keys for themselves in any case; so the last act could not be taken back from where one
    writes most of the time.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._field: _Field | None = None
        QApplication.instance().focusChanged.connect(self._moved)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() in kinds and isinstance(event, QKeyEvent) and _has_nothing(watched, event):
            event.ignore()
            return True
        return False

    def _moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._field is not None and isValid(self._field):
            self._field.removeEventFilter(self)
        inside = isinstance(now, _Field) and self._window.isAncestorOf(now)
        self._field = now if inside else None
        if self._field is not None:
            self._field.installEventFilter(self)


def _has_nothing(field: QObject, event: QKeyEvent) -> bool:
    """Tell whether a key means undo or redo, and the field has nothing for it."""
    if not isinstance(field, _Field):
        return False
    texts = field if isinstance(field, QLineEdit) else field.document()
    if event.matches(QKeySequence.StandardKey.Undo):
        return not texts.isUndoAvailable()
    return event.matches(QKeySequence.StandardKey.Redo) and not texts.isRedoAvailable()
