"""Secrets on the clipboard: taken away after a minute and when the program ends, unless something else is there."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

CLIPBOARD_S = 60


class SecretClipboard(QObject):
    """One for the program. `cleared` tells that a secret was taken away by itself."""

    cleared = Signal()

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._copied: str | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.forget)

    def copy(self, secret: str) -> None:
        """Put a secret on the clipboard, with a mark that asks histories of the clipboard to pass it over."""
        data = QMimeData()
        data.setText(secret)
        data.setData("x-kde-passwordManagerHint", b"secret")
        data.setData("application/x-nspasteboard-concealed-type", b"")
        QGuiApplication.clipboard().setMimeData(data)
        self._copied = secret
        self._timer.start(CLIPBOARD_S * 1000)

    def forget(self) -> None:
        """Take the secret off the clipboard, if it is still there."""
        copied, self._copied = self._copied, None
        self._timer.stop()
        clipboard = QGuiApplication.clipboard()
        if copied is not None and clipboard.text() == copied:
            clipboard.clear()
            self.cleared.emit()


def secret_clipboard() -> SecretClipboard:
    """Return the one of the running program; it outlives the widget that copied."""
    app = QCoreApplication.instance()
    found = app.findChild(SecretClipboard) if app is not None else None
    return found if isinstance(found, SecretClipboard) else SecretClipboard(app)
