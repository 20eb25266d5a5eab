"""Keeps dialogs from standing before a locked window: what would open waits, what cannot be closed is hidden."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QApplication, QDialog
from shiboken6 import isValid


class Curtain(QObject):
    """Drawn while the window is locked."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self.drawn = False
        self._behind: list[QDialog] = []

    def draw(self) -> None:
        """Hide every dialog that is still open, and let none open until `lift`."""
        self.drawn = True
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog) and widget.isVisible():
                self._behind.append(widget)
                widget.hide()

    def lift(self) -> None:
        """Show what waits, unless it is over by now."""
        self.drawn = False
        waiting, self._behind = self._behind, []
        for dialog in waiting:
            if isValid(dialog):
                dialog.open()

    def drop(self) -> None:
        """Give up what waits: what it was about is gone."""
        self.drawn = False
        waiting, self._behind = self._behind, []
        for dialog in waiting:
            if isValid(dialog):
                dialog.reject()

    def open(self, dialog: QDialog) -> None:
        """Open a dialog, now or once the window is unlocked."""
        if not self.drawn:
            dialog.open()
        elif dialog not in self._behind:
            self._behind.append(dialog)

    def over(self, dialog: QDialog) -> None:
        """Let a dialog that waits open no more."""
        self._behind = [one for one in self._behind if one is not dialog]


def curtain() -> Curtain:
    """Return the one of the running program."""
    app = QCoreApplication.instance()
    found = app.findChild(Curtain) if app is not None else None
    return found if isinstance(found, Curtain) else Curtain(app)
