"""Keeps the keyboard's place when what has the focus goes grey: a button that was pressed and works for a while.

Qt passes the focus on to whatever comes next, so that a second press would press something else, and whoever works by
the keyboard has to find the way back.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


class FocusKeeper(QObject):
    """Lets the focus rest on what is around a widget that was disabled, and gives it back when that is enabled again.

    Where the person or the program moves the focus meanwhile, it stays there.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._grey: QWidget | None = None
        self._resting: QWidget | None = None
        app.focusChanged.connect(self._moved)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.EnabledChange and watched is self._grey and self._grey.isEnabled():
            self._give_back()
        return False

    def _moved(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is self._resting and now is not None:
            return
        if before is not None and _went_grey(before):
            self._hold(before)
        elif now is not None:
            self._forget()

    def _hold(self, grey: QWidget) -> None:
        resting = grey.parentWidget()
        while resting is not None and not resting.isEnabled():
            resting = resting.parentWidget()
        if resting is None or grey is self._resting:
            return
        self._forget()
        self._grey, self._resting = grey, resting
        grey.installEventFilter(self)
        resting.setFocus()

    def _give_back(self) -> None:
        grey, resting = self._grey, self._resting
        self._forget()
        if grey is None or resting is None or not isValid(resting):
            return
        if grey.isVisible() and resting.window().focusWidget() is resting:
            grey.setFocus()

    def _forget(self) -> None:
        grey, self._grey, self._resting = self._grey, None, None
        if grey is not None and isValid(grey):
            grey.removeEventFilter(self)


def keep_focus(app: QApplication) -> None:
    """Begin to keep the place, once for each program."""
    if app.findChild(FocusKeeper) is None:
        FocusKeeper(app)


def _went_grey(widget: QWidget) -> bool:
    return isValid(widget) and widget.isVisible() and not widget.isEnabled()
