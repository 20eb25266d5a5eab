"""One window for each profile: a second start brings the first one to the front and ends."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 5000


class SingleInstance(QObject):
    """`claim` tells whether this is the first one; `raised` says that another start asked for the window."""

    raised = Signal()

    def __init__(self, profile: Path) -> None:
        super().__init__()
        name = hashlib.sha256(str(profile.resolve()).encode()).hexdigest()[:24]
        self._name = f"familiar-{name}"
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
