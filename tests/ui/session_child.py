"""A process that locks the screen on its own session bus: prints what the watch hears. See test_locking."""

from __future__ import annotations

import os

os.environ["QT_API"] = "pyside6"
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QTimer
from PySide6.QtDBus import QDBusConnection, QDBusMessage
from PySide6.QtWidgets import QApplication

from familiar_app.ui.shell.session import SessionWatch

NAME = "org.freedesktop.ScreenSaver"


def main() -> None:
    app = QApplication([])

    def locked() -> None:
        print("locked", flush=True)  # noqa: T201
        app.quit()

    watch = SessionWatch(app, locked)
    print("hears" if watch.hears else "deaf", flush=True)  # noqa: T201
    other = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, "desktop")
    for begins in (False, True):
        message = QDBusMessage.createSignal("/org/freedesktop/ScreenSaver", NAME, "ActiveChanged")
        message.setArguments([begins])
        other.send(message)
    QTimer.singleShot(30_000, app.quit)
    app.exec()


if __name__ == "__main__":
    main()
