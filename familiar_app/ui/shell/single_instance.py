"""One window for each profile: a second start brings the first one to the front and ends."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from PySide6.QtCore import QDir, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 5000
# What the path of a local socket may have on every system: macOS takes 104 bytes, Linux 108, both with a closing zero.
LONGEST_PATH = 103


class SingleInstance(QObject):
    """`claim` tells whether this is the first one; `raised` says that another start asked for the window."""

    raised = Signal()

    def __init__(self, profile: Path) -> None:
        super().__init__()
        self._name = _address(hashlib.sha256(str(profile.resolve()).encode()).hexdigest()[:24])
        self._server: QLocalServer | None = None

    def claim(self) -> bool:
        """Become the one instance, or wake the one that is there. Call it before the loop."""
        if self._wake():
            return False
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        if not server.listen(self._name):
            # Left behind by a program that was killed: nobody answered above.
            QLocalServer.removeServer(self._name)
            if not server.listen(self._name):
                return not self._wake()
        server.newConnection.connect(self._called)
        self._server = server
        return True

    def release(self) -> None:
        """Let the next start be the first one."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _wake(self) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write(b"show\n")
        socket.waitForBytesWritten(WAIT_MS)
        socket.disconnectFromServer()
        return True

    def _called(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            self.raised.emit()


def _address(digest: str) -> str:
    """Return what Qt shall listen on: a name in the temporary folder, or a path of its own where that gets too long."""
    name = f"familiar-{digest}"
    if sys.platform == "win32" or len(os.fsencode(f"{QDir.tempPath()}/{name}")) <= LONGEST_PATH:
        return name
    # Every program of the same person must come to the same place, whatever its temporary folder is called.
    return f"/tmp/{name}"  # noqa: S108 - a socket only its owner may open; nothing is written there
