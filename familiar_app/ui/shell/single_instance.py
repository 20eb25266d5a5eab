"""One window for each profile: a second start brings the first one to the front and ends."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDir, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 5000
LONGEST_FILE = 32_768
NOTHING = b"\0"
"""What a start says that wants nothing: no path holds it."""
# What the path of a local socket may have on every system: macOS takes 104 bytes, Linux 108, both with a closing zero.
LONGEST_PATH = 103


class SingleInstance(QObject):
    """`claim` tells whether this is the first one.

    `raised` says that another start asked for the window, and which file it was given, "" for none.
    """

    raised = Signal(str)

    def __init__(self, profile: Path) -> None:
        super().__init__()
        self._name = _address(hashlib.sha256(str(profile.resolve()).encode()).hexdigest()[:24])
        self._server: QLocalServer | None = None
        self._hidden = False

    def claim(self, file: Path | None = None, *, hidden: bool = False) -> bool:
        """Become the one instance, or wake the one that is there and hand it `file`. Call it before the loop.

        A `hidden` start leaves the one that is there as it is.
        """
        self._hidden = hidden
        if self._wake(file):
            return False
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        if not server.listen(self._name):
            # Left behind by a program that was killed: nobody answered above.
            QLocalServer.removeServer(self._name)
            if not server.listen(self._name):
                return not self._wake(file)
        server.newConnection.connect(self._called)
        self._server = server
        return True

    def release(self) -> None:
        """Let the next start be the first one."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _wake(self, file: Path | None) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        words = b"" if file is None else os.fsencode(file.absolute())
        socket.write(NOTHING if self._hidden and not words else words)
        socket.waitForBytesWritten(WAIT_MS)
        socket.disconnectFromServer()
        return True

    def _called(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            # All of it is there once the other program has gone, which it does at once.
            socket.disconnected.connect(partial(self._heard, socket))
            if socket.state() is QLocalSocket.LocalSocketState.UnconnectedState:
                self._heard(socket)

    def _heard(self, socket: QLocalSocket) -> None:
        socket.disconnected.disconnect()
        words = socket.read(LONGEST_FILE).data()
        if words != NOTHING:
            self.raised.emit(os.fsdecode(words))
        socket.deleteLater()


def _address(digest: str) -> str:
    """Return what Qt shall listen on: a name in the temporary folder, or a path of its own where that gets too long."""
    name = f"familiar-{digest}"
    if sys.platform == "win32" or len(os.fsencode(f"{QDir.tempPath()}/{name}")) <= LONGEST_PATH:
        return name
    # Every program of the same person must come to the same place, whatever its temporary folder is called.
    return f"/tmp/{name}"  # noqa: S108 - a socket only its owner may open; nothing is written there
